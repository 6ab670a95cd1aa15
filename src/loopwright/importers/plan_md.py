"""PLAN.md, the format of the third seed: front matter, must-haves, waves of tasks, key links. Read line by line, never evaluated.

Our own words in it: (check: `command`) behind a must-have, title="…" and parallel="false" on a task.
"""

from __future__ import annotations

import re

from ..core.plan.plan import Link, MustHave, Plan, Task
from ..core.plan.reading import ERROR, PlanProblem, PlanReading
from ..core.prompts.phrases import count_phrase
from ..formats.markdown_page import value_and_comment
from . import plan_task
from .plan_text import (
    ITEM,
    LINE,
    TASK,
    Piece,
    parse_heading,
    resolve_dependencies,
    split_command,
    split_lines,
    split_pieces,
)

PHASE = re.compile(r"Phase\s+([\w.-]{1,20}?)\s*:\s*(.*)$", re.I)
WAVE = re.compile(r"Wave\s+(\d{1,4})\b", re.I)
TABLE_RULE = re.compile(r"[\s|:-]+$")
PLACEHOLDER = re.compile(
    "‹fill in:? *([^›\n]{0,80})"
)  # what the template of `loop plan new` leaves open
MAX_LETTERS = (
    500  # letters; a must-have of more lines than that is a sign that something else was meant
)
MUST, LINKS, OTHER = "must-haves", "key links", ""


class PlanDraft:
    """What was read so far."""

    def __init__(self) -> None:
        self.phase = self.title = ""
        self.section, self.wave = OTHER, 1
        self.tasks: list[Task] = []
        self.must_haves: list[str] = []
        self.links: list[tuple[int, Link]] = []
        self.lines: list[tuple[str, int]] = []
        self.wrong: list[PlanProblem] = []

    def add_piece(self, piece: Piece) -> None:
        if piece.kind == TASK:
            task, wrong = plan_task.read(piece, self.wave)
            self.tasks.append(task)
            self.lines.append((task.id, piece.line))
            self.wrong += wrong
        elif piece.kind == LINE:
            rank, words = parse_heading(piece.text)
            if rank in (1, 2) or WAVE.match(words):
                self.begin_section(rank, words)
            elif self.section == MUST:
                self.add_must_have_line(piece.text)
            elif self.section == LINKS and piece.text.lstrip().startswith("|"):
                self.add_link_row(piece)

    def begin_section(self, rank: int, words: str) -> None:
        """A section. The first heading of all names the plan."""
        if rank == 1 and not self.title:
            phase = PHASE.match(words)
            self.phase, self.title = (phase[1], phase[2]) if phase else ("", words)
        low = words.lower().replace("-", " ")
        self.section = (
            MUST if low.startswith("must have") else LINKS if low.startswith("key link") else OTHER
        )
        wave = WAVE.match(words)
        self.wave = int(wave[1]) if wave else 1

    def add_must_have_line(self, line: str) -> None:
        """An item, or more words of the one before."""
        item = ITEM.match(line)
        if item and not item[1]:
            self.must_haves.append(item[3])
        elif (
            line[:1] in (" ", "\t")
            and line.strip()
            and self.must_haves
            and len(self.must_haves[-1]) < MAX_LETTERS
        ):
            self.must_haves[-1] += f" {line.strip()}"

    def add_link_row(self, piece: Piece) -> None:
        """A row of the table. The rule below the head of a table takes that head away again."""
        if TABLE_RULE.match(piece.text):
            if self.links and self.links[-1][0] == piece.line - 1:
                self.links.pop()
            return
        cells = [
            cell.strip().strip("`").replace("\\|", "|")
            for cell in re.split(r"(?<!\\)\|", piece.text.strip())[1:]
        ]
        if len(cells) > 1 and cells[0] and cells[1]:
            self.links.append(
                (piece.line, Link(cells[0], cells[1], cells[2] if len(cells) > 2 else ""))
            )


def read(text: str, file: str = "") -> PlanReading:
    """Whatever the text is, there is a plan: what is wrong with it stands beside it."""
    lines = split_lines(text)
    front, body = read_front_matter(lines)
    draft = PlanDraft()
    for piece in split_pieces(lines, body):
        draft.add_piece(piece)
        if piece.kind in (LINE, TASK):
            draft.wrong += unfilled_placeholders(piece)
    plan = Plan(
        front.get("phase", ("", 0))[0] or draft.phase or "1",
        front.get("title", ("", 0))[0] or draft.title,
        file,
        resolve_dependencies(draft.tasks),
        tuple(parse_must_have(words) for words in draft.must_haves),
        resolve_link_ends([link for _, link in draft.links], draft.tasks),
    )
    rows = [
        (f"link {link.source} → {link.target}", line)
        for (line, _), link in zip(draft.links, plan.links, strict=True)
    ]
    return PlanReading(plan, (*draft.lines, *rows), tuple(draft.wrong + wrong_counts(front, plan)))


def read_front_matter(lines: list[str]) -> tuple[dict[str, tuple[str, int]], int]:
    """Its `key: value` lines with their numbers, lists and all else left aside; and where the body begins."""
    close = next((n for n in range(1, min(len(lines), 200)) if lines[n].rstrip() == "---"), 0)
    if lines[0].rstrip() != "---" or not close:
        return {}, 0
    keys = {n: lines[n].partition(":")[0].rstrip() for n in range(1, close) if ":" in lines[n]}
    values = {
        key: (value_and_comment(lines[n])[0], n + 1)
        for n, key in keys.items()
        if re.fullmatch(r"[\w-]+", key)
    }
    return {key: found for key, found in values.items() if found[0] not in ("|", ">")}, close + 1


def unfilled_placeholders(piece: Piece) -> list[PlanProblem]:
    found = [
        (n, PLACEHOLDER.findall(line)) for n, line in enumerate(piece.text.split("\n"), piece.line)
    ]
    return [
        PlanProblem(ERROR, n, f"still to be filled in: {'; '.join(texts)}")
        for n, texts in found
        if texts
    ]


def wrong_counts(front: dict[str, tuple[str, int]], plan: Plan) -> list[PlanProblem]:
    """A plan that was cut short, or one that grew, says other numbers than its head."""
    there = {
        "task_count": (len(plan.tasks), "task"),
        "wave_count": (len({task.wave for task in plan.tasks}), "wave"),
    }
    wrong = []
    for key, (number, noun) in there.items():
        said, line = front.get(key, ("", 0))
        if said and said != str(number):
            wrong.append(
                PlanProblem(
                    ERROR,
                    line,
                    f"{key} says {said[:20]}, but the plan has {count_phrase(number, noun)}. Correct it",
                )
            )
    return wrong


def parse_must_have(words: str) -> MustHave:
    text, command = split_command(words)
    return MustHave(text or command, command)


def resolve_link_ends(links: list[Link], tasks: list[Task]) -> tuple[Link, ...]:
    """Links between paths: a bare name of a file that one task only speaks of is that file."""
    paths = dict.fromkeys(path for task in tasks for path in sorted(task.paths))
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def whole(end: str) -> str:
        return end if end in paths or len(by_name.get(end, ())) != 1 else by_name[end][0]

    return tuple(link.but(source=whole(link.source), target=whole(link.target)) for link in links)
