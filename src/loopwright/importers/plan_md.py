"""Read a PLAN.md: front matter, must-haves, waves of tasks, key links. Nothing is evaluated.

Our additions to the documented format: (check: `command`) after a must-have, and title="…" and
parallel="false" on a task.
"""

from __future__ import annotations

from .. import lazy_re as re
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
# What the template of `loop plan new` leaves open.
PLACEHOLDER = re.compile("‹fill in:? *([^›\n]{0,80})")
# Of a must-have over several lines; longer text was probably not meant as one.
MAX_LETTERS = 500
MAX_FRONT_MATTER_LINES = 200
MUST, LINKS, OTHER = "must-haves", "key links", ""
FrontMatter = dict[str, tuple[str, int]]  # key → its value and its line
NO_VALUE = ("", 0)


class PlanDraft:
    """The plan as far as it is read."""

    def __init__(self) -> None:
        self.phase = self.title = ""
        self.section, self.wave = OTHER, 1
        self.tasks: list[Task] = []
        self.must_haves: list[str] = []
        self.links: list[tuple[int, Link]] = []
        self.lines: list[tuple[str, int]] = []
        self.problems: list[PlanProblem] = []

    def add_piece(self, piece: Piece) -> None:
        if piece.kind == TASK:
            task, problems = plan_task.read(piece, self.wave)
            self.tasks.append(task)
            self.lines.append((task.id, piece.line))
            self.problems += problems
        elif piece.kind == LINE:
            self.add_line(piece)

    def add_line(self, piece: Piece) -> None:
        rank, words = parse_heading(piece.text)
        if rank in (1, 2) or WAVE.match(words):
            self.begin_section(rank, words)
        elif self.section == MUST:
            self.add_must_have_line(piece.text)
        elif self.section == LINKS and piece.text.lstrip().startswith("|"):
            self.add_link_row(piece)

    def begin_section(self, rank: int, words: str) -> None:
        """Begin a section. The first heading of all names the plan."""
        if rank == 1 and not self.title:
            phase = PHASE.match(words)
            self.phase, self.title = (phase[1], phase[2]) if phase else ("", words)
        self.section = _section_kind(words)
        wave = WAVE.match(words)
        self.wave = int(wave[1]) if wave else 1

    def add_must_have_line(self, line: str) -> None:
        """Add an item, or more words to the one before."""
        item = ITEM.match(line)
        if item and not item[1]:
            self.must_haves.append(item[3])
            return
        words, is_indented = line.strip(), line[:1] in (" ", "\t")
        has_room = bool(self.must_haves) and len(self.must_haves[-1]) < MAX_LETTERS
        if words and is_indented and has_room:
            self.must_haves[-1] += f" {words}"

    def add_link_row(self, piece: Piece) -> None:
        """Add a row of the table. The rule of a table removes the row above it, its head."""
        if TABLE_RULE.match(piece.text):
            if self.links and self.links[-1][0] == piece.line - 1:
                self.links.pop()
            return
        columns = re.split(r"(?<!\\)\|", piece.text.strip())[1:]
        cells = [cell.strip().strip("`").replace("\\|", "|") for cell in columns]
        source, target, how = (*cells, "", "", "")[:3]
        if source and target:
            self.links.append((piece.line, Link(source, target, how)))


def _section_kind(heading: str) -> str:
    words = heading.lower().replace("-", " ")
    if words.startswith("must have"):
        return MUST
    return LINKS if words.startswith("key link") else OTHER


def read(text: str, file: str = "") -> PlanReading:
    """The plan in any text, with the problems of that text beside it."""
    lines = split_lines(text)
    front, body = read_front_matter(lines)
    draft = PlanDraft()
    for piece in split_pieces(lines, body):
        draft.add_piece(piece)
        if piece.kind in (LINE, TASK):
            draft.problems += unfilled_placeholders(piece)
    plan = Plan(
        phase=front.get("phase", NO_VALUE)[0] or draft.phase or "1",
        title=front.get("title", NO_VALUE)[0] or draft.title,
        file=file,
        tasks=resolve_dependencies(draft.tasks),
        must_haves=tuple(map(parse_must_have, draft.must_haves)),
        links=resolve_link_ends([link for _, link in draft.links], draft.tasks),
    )
    names = [f"link {link.source} → {link.target}" for link in plan.links]
    link_lines = zip(names, (line for line, _ in draft.links), strict=True)
    problems = (*draft.problems, *wrong_counts(front, plan))
    return PlanReading(plan, (*draft.lines, *link_lines), problems)


def read_front_matter(lines: list[str]) -> tuple[FrontMatter, int]:
    """The `key: value` lines of the front matter, and where the body begins."""
    close = _closing_rule(lines)
    if not close:
        return {}, 0
    values: FrontMatter = {}
    for number in range(1, close):
        name, colon, _ = lines[number].partition(":")
        key = name.rstrip()
        if colon and re.fullmatch(r"[\w-]+", key):
            values[key] = value_and_comment(lines[number])[0], number + 1
    # A block text has no value in the line of its key.
    return {key: entry for key, entry in values.items() if entry[0] not in ("|", ">")}, close + 1


def _closing_rule(lines: list[str]) -> int:
    """The line that ends the front matter; 0 without front matter."""
    if lines[0].rstrip() != "---":
        return 0
    for number in range(1, min(len(lines), MAX_FRONT_MATTER_LINES)):
        if lines[number].rstrip() == "---":
            return number
    return 0


def unfilled_placeholders(piece: Piece) -> list[PlanProblem]:
    problems = []
    for number, line in enumerate(piece.text.split("\n"), piece.line):
        texts = PLACEHOLDER.findall(line)
        if texts:
            text = f"still to be filled in: {'; '.join(texts)}"
            problems.append(PlanProblem(ERROR, number, text))
    return problems


def wrong_counts(front: FrontMatter, plan: Plan) -> list[PlanProblem]:
    """Numbers in the front matter that differ from the plan: it was cut short, or it grew."""
    counts = {
        "task_count": (len(plan.tasks), "task"),
        "wave_count": (len({task.wave for task in plan.tasks}), "wave"),
    }
    problems = []
    for key, (number, noun) in counts.items():
        value, line = front.get(key, NO_VALUE)
        if value and value != str(number):
            actual = f"the plan has {count_phrase(number, noun)}"
            text = f"{key} says {value[:20]}, but {actual}. Correct it"
            problems.append(PlanProblem(ERROR, line, text))
    return problems


def parse_must_have(words: str) -> MustHave:
    text, command = split_command(words)
    return MustHave(text or command, command)


def resolve_link_ends(links: list[Link], tasks: list[Task]) -> tuple[Link, ...]:
    """The links between paths. The bare name of a file stands for the only planned path of it."""
    paths = dict.fromkeys(path for task in tasks for path in sorted(task.paths))
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def full_path(end: str) -> str:
        candidates = by_name.get(end, [])
        is_bare_name = end not in paths and len(candidates) == 1
        return candidates[0] if is_bare_name else end

    return tuple(
        link.but(source=full_path(link.source), target=full_path(link.target)) for link in links
    )
