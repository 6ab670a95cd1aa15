"""PLAN.md, the format of the third seed: front matter, must-haves, waves of tasks, key links. Read line by line, never evaluated.

Our own words in it: (check: `command`) behind a must-have, title="…" and parallel="false" on a task.
"""

from __future__ import annotations

import re

from ..core.plan import Link, MustHave, Plan, Task
from ..core.reading import ERROR, Problem, Reading
from ..core.wording import counted
from ..store.page import value_of
from . import plan_task
from .plan_text import ITEM, LINE, TASK, Piece, heading, known_names, lines_of, pieces, with_command

PHASE = re.compile(r"Phase\s+([\w.-]{1,20}?)\s*:\s*(.*)$", re.I)
WAVE = re.compile(r"Wave\s+(\d{1,4})\b", re.I)
RULE = re.compile(r"[\s|:-]+$")
HOLE = re.compile("‹fill in:? *([^›\n]{0,80})")  # what the template of `loop plan new` leaves open
MOST_WORDS = 500  # letters; a must-have of more lines than that is a sign that something else was meant
MUST, LINKS, OTHER = "must-haves", "key links", ""


class Draft:
    """What was read so far."""

    def __init__(self) -> None:
        self.phase = self.title = ""
        self.section, self.wave = OTHER, 1
        self.tasks: list[Task] = []
        self.must_haves: list[str] = []
        self.links: list[tuple[int, Link]] = []
        self.lines: list[tuple[str, int]] = []
        self.wrong: list[Problem] = []

    def take(self, piece: Piece) -> None:
        if piece.kind == TASK:
            task, wrong = plan_task.read(piece, self.wave)
            self.tasks.append(task)
            self.lines.append((task.id, piece.line))
            self.wrong += wrong
        elif piece.kind == LINE:
            rank, words = heading(piece.text)
            if rank in (1, 2) or WAVE.match(words):
                self.begin(rank, words)
            elif self.section == MUST:
                self.must_have(piece.text)
            elif self.section == LINKS and piece.text.lstrip().startswith("|"):
                self.link(piece)

    def begin(self, rank: int, words: str) -> None:
        """A section. The first heading of all names the plan."""
        if rank == 1 and not self.title:
            phase = PHASE.match(words)
            self.phase, self.title = (phase[1], phase[2]) if phase else ("", words)
        low = words.lower().replace("-", " ")
        self.section = MUST if low.startswith("must have") else LINKS if low.startswith("key link") else OTHER
        wave = WAVE.match(words)
        self.wave = int(wave[1]) if wave else 1

    def must_have(self, line: str) -> None:
        """An item, or more words of the one before."""
        item = ITEM.match(line)
        if item and not item[1]:
            self.must_haves.append(item[3])
        elif line[:1] in (" ", "\t") and line.strip() and self.must_haves and len(self.must_haves[-1]) < MOST_WORDS:
            self.must_haves[-1] += f" {line.strip()}"

    def link(self, piece: Piece) -> None:
        """A row of the table. The rule below the head of a table takes that head away again."""
        if RULE.match(piece.text):
            if self.links and self.links[-1][0] == piece.line - 1:
                self.links.pop()
            return
        cells = [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", piece.text.strip())[1:]]
        if len(cells) > 1 and cells[0] and cells[1]:
            self.links.append((piece.line, Link(cells[0], cells[1], cells[2] if len(cells) > 2 else "")))


def read(text: str, file: str = "") -> Reading:
    """Whatever the text is, there is a plan: what is wrong with it stands beside it."""
    lines = lines_of(text)
    front, body = front_matter(lines)
    draft = Draft()
    for piece in pieces(lines, body):
        draft.take(piece)
        if piece.kind in (LINE, TASK):
            draft.wrong += holes(piece)
    plan = Plan(
        front.get("phase", ("", 0))[0] or draft.phase or "1",
        front.get("title", ("", 0))[0] or draft.title,
        file,
        known_names(draft.tasks),
        tuple(must_have(words) for words in draft.must_haves),
        named([link for _, link in draft.links], draft.tasks),
    )
    rows = [(f"link {link.source} → {link.target}", line) for (line, _), link in zip(draft.links, plan.links, strict=True)]
    return Reading(plan, (*draft.lines, *rows), tuple(draft.wrong + counts(front, plan)))


def front_matter(lines: list[str]) -> tuple[dict[str, tuple[str, int]], int]:
    """Its `key: value` lines with their numbers, lists and all else left aside; and where the body begins."""
    close = next((n for n in range(1, min(len(lines), 200)) if lines[n].rstrip() == "---"), 0)
    if lines[0].rstrip() != "---" or not close:
        return {}, 0
    keys = {n: lines[n].partition(":")[0].rstrip() for n in range(1, close) if ":" in lines[n]}
    values = {key: (value_of(lines[n])[0], n + 1) for n, key in keys.items() if re.fullmatch(r"[\w-]+", key)}
    return {key: found for key, found in values.items() if found[0] not in ("|", ">")}, close + 1


def holes(piece: Piece) -> list[Problem]:
    found = [(n, HOLE.findall(line)) for n, line in enumerate(piece.text.split("\n"), piece.line)]
    return [Problem(ERROR, n, f"still to be filled in: {'; '.join(texts)}") for n, texts in found if texts]


def counts(front: dict[str, tuple[str, int]], plan: Plan) -> list[Problem]:
    """A plan that was cut short, or one that grew, says other numbers than its head."""
    there = {"task_count": (len(plan.tasks), "task"), "wave_count": (len({task.wave for task in plan.tasks}), "wave")}
    wrong = []
    for key, (number, noun) in there.items():
        said, line = front.get(key, ("", 0))
        if said and said != str(number):
            wrong.append(Problem(ERROR, line, f"{key} says {said[:20]}, but the plan has {counted(number, noun)}. Correct it"))
    return wrong


def must_have(words: str) -> MustHave:
    text, command = with_command(words)
    return MustHave(text or command, command)


def named(links: list[Link], tasks: list[Task]) -> tuple[Link, ...]:
    """Links between paths: a bare name of a file that one task only speaks of is that file."""
    paths = dict.fromkeys(path for task in tasks for path in sorted(task.paths))
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def whole(end: str) -> str:
        return end if end in paths or len(by_name.get(end, ())) != 1 else by_name[end][0]

    return tuple(link.but(source=whole(link.source), target=whole(link.target)) for link in links)
