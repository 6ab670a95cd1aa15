"""PRD.md: a heading for each task, a comment that says its id and what blocks it, its text, its acceptance criteria.

### T-001: Export as CSV
<!-- task
id: T-001
blockedBy: []
-->
What is to be done.
**Acceptance Criteria:**
- [ ] a header line is written (check: `pytest -q tests/test_csv.py`)
"""

from __future__ import annotations

import re

from ..core.plan.plan import Plan, Task, TaskCheck
from ..core.plan.reading import ERROR, PlanProblem, PlanReading
from ..core.plan.schedule import assign_waves
from ..core.prompts.phrases import clip_text
from ..formats.markdown_page import value_and_comment
from .plan_text import (
    COMMENT,
    ITEM,
    LINE,
    Piece,
    dedent_text,
    parse_heading,
    parse_names,
    resolve_dependencies,
    split_command,
    split_lines,
    split_pieces,
)

TASK_COMMENT = re.compile(r"<!--\s*task\b", re.I)
LABEL = re.compile(r"([A-Za-z]{1,10}-\d+)\s*[:.–—-]\s*(.*)$")
CRITERIA = re.compile(r"[\s*_#]*acceptance criteria[\s*_:]*$", re.I)
MAX_TITLE = 72


class Section:
    """What stands under one heading."""

    def __init__(self, line: int, title: str) -> None:
        self.line, self.title = line, title
        self.fields: dict[str, str] | None = None  # of the comment; None without one
        self.text: list[str] = []
        self.criteria: list[str] = []

    def add_piece(self, piece: Piece) -> None:
        item = ITEM.match(piece.text) if piece.kind == LINE else None
        if piece.kind == COMMENT:
            if TASK_COMMENT.match(piece.text) and self.fields is None:
                self.line, self.fields = piece.line, parse_fields(piece.text)
        elif item and item[2]:
            self.criteria.append(item[3])
        elif piece.kind != LINE or not CRITERIA.match(piece.text):
            self.text.append(piece.text)


def read(text: str, file: str = "", phase: str = "prd") -> PlanReading:
    """The tasks in waves that their dependencies make."""
    title, sections = "", [Section(1, "")]
    for piece in split_pieces(split_lines(text)):
        rank, words = parse_heading(piece.text) if piece.kind == LINE else (0, "")
        title = title or (words if rank == 1 else "")
        if rank in (1, 2, 3):
            sections.append(Section(piece.line, words))
        else:
            sections[-1].add_piece(piece)
    found = [section for section in sections if section.fields is not None or _is_labelled(section)]
    tasks = assign_waves(resolve_dependencies([task_from_section(section) for section in found]))
    wrong = [problem for section in found for problem in missing_fields(section)]
    lines = tuple((task.id, section.line) for task, section in zip(tasks, found, strict=True))
    return PlanReading(Plan(phase, title, file, tasks), lines, tuple(wrong))


def _is_labelled(section: Section) -> bool:
    return bool(section.criteria and LABEL.match(section.title))


def parse_fields(comment: str) -> dict[str, str]:
    """`key: value` lines; `- item` lines below a key are its list."""
    found: dict[str, list[str]] = {}
    last = ""
    for line in comment.removesuffix("-->").split("\n")[1:]:
        if item := re.match(r"\s*-\s+(\S.*)", line):
            found.setdefault(last, []).append(item[1])
        elif ":" in line:
            last = line.partition(":")[0].strip().lower()
            found[last] = [value_and_comment(line)[0]]
    return {key: ", ".join(filter(None, values)) for key, values in found.items()}


def missing_fields(section: Section) -> list[PlanProblem]:
    """Both are wanted, so that nothing runs too early because a line was forgotten."""
    said = section.fields or {}
    text = "{!r} has no {}. Say it in a comment below the heading: <!-- task, then `{}: {}` on a line of its own, then -->"
    return [
        PlanProblem(ERROR, section.line, text.format(clip_text(section.title, 60), key, key, how))
        for key, how in (("id", "T-001"), ("blockedBy", "[]"))
        if key.lower() not in said
    ]


def task_from_section(section: Section) -> Task:
    said, label = section.fields or {}, LABEL.match(section.title)
    return Task(
        said.get("id") or (label[1] if label else ""),
        clip_text(label[2] if label else section.title, MAX_TITLE),
        depends=parse_names(said.get("blockedby", "")),
        action=dedent_text("\n" + "\n".join(section.text)),
        checks=tuple(map(parse_criterion, section.criteria)),
        runs_alone=said.get("parallel", "").lower() in ("false", "no"),
    )


def parse_criterion(words: str) -> TaskCheck:
    """Somebody has to look, unless a command stands behind it."""
    text, command = split_command(" ".join(words.split()))
    return TaskCheck("criterion", text or command, command)
