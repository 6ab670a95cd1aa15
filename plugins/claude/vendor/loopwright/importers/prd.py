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

from ..core.plan import Plan, Task, TaskCheck
from ..core.reading import ERROR, Problem, Reading
from ..core.schedule import layered
from ..core.wording import clip
from ..store.page import value_of
from .plan_text import COMMENT, ITEM, LINE, Piece, dedented, heading, known_names, lines_of, listed, pieces, with_command

MARK = re.compile(r"<!--\s*task\b", re.I)
LABELLED = re.compile(r"([A-Za-z]{1,10}-\d+)\s*[:.–—-]\s*(.*)$")
CRITERIA = re.compile(r"[\s*_#]*acceptance criteria[\s*_:]*$", re.I)
MOST_TITLE = 72


class Section:
    """What stands under one heading."""

    def __init__(self, line: int, title: str) -> None:
        self.line, self.title = line, title
        self.said: dict[str, str] | None = None  # of the comment; None without one
        self.text: list[str] = []
        self.criteria: list[str] = []

    def take(self, piece: Piece) -> None:
        item = ITEM.match(piece.text) if piece.kind == LINE else None
        if piece.kind == COMMENT:
            if MARK.match(piece.text) and self.said is None:
                self.line, self.said = piece.line, fields(piece.text)
        elif item and item[2]:
            self.criteria.append(item[3])
        elif piece.kind != LINE or not CRITERIA.match(piece.text):
            self.text.append(piece.text)


def read(text: str, file: str = "", phase: str = "prd") -> Reading:
    """The tasks in waves that their dependencies make."""
    title, sections = "", [Section(1, "")]
    for piece in pieces(lines_of(text)):
        rank, words = heading(piece.text) if piece.kind == LINE else (0, "")
        title = title or (words if rank == 1 else "")
        if rank in (1, 2, 3):
            sections.append(Section(piece.line, words))
        else:
            sections[-1].take(piece)
    found = [section for section in sections if section.said is not None or _labelled(section)]
    tasks = layered(known_names([task(section) for section in found]))
    wrong = [problem for section in found for problem in missing(section)]
    lines = tuple((task.id, section.line) for task, section in zip(tasks, found, strict=True))
    return Reading(Plan(phase, title, file, tasks), lines, tuple(wrong))


def _labelled(section: Section) -> bool:
    return bool(section.criteria and LABELLED.match(section.title))


def fields(comment: str) -> dict[str, str]:
    """`key: value` lines; `- item` lines below a key are its list."""
    found: dict[str, list[str]] = {}
    last = ""
    for line in comment.removesuffix("-->").split("\n")[1:]:
        if item := re.match(r"\s*-\s+(\S.*)", line):
            found.setdefault(last, []).append(item[1])
        elif ":" in line:
            last = line.partition(":")[0].strip().lower()
            found[last] = [value_of(line)[0]]
    return {key: ", ".join(filter(None, values)) for key, values in found.items()}


def missing(section: Section) -> list[Problem]:
    """Both are wanted, so that nothing runs too early because a line was forgotten."""
    said = section.said or {}
    text = "{!r} has no {}. Say it in a comment below the heading: <!-- task, then `{}: {}` on a line of its own, then -->"
    return [
        Problem(ERROR, section.line, text.format(clip(section.title, 60), key, key, how))
        for key, how in (("id", "T-001"), ("blockedBy", "[]"))
        if key.lower() not in said
    ]


def task(section: Section) -> Task:
    said, label = section.said or {}, LABELLED.match(section.title)
    return Task(
        said.get("id") or (label[1] if label else ""),
        clip(label[2] if label else section.title, MOST_TITLE),
        depends=listed(said.get("blockedby", "")),
        action=dedented("\n" + "\n".join(section.text)),
        checks=tuple(map(criterion, section.criteria)),
        alone=said.get("parallel", "").lower() in ("false", "no"),
    )


def criterion(words: str) -> TaskCheck:
    """Somebody has to look, unless a command stands behind it."""
    text, command = with_command(" ".join(words.split()))
    return TaskCheck("criterion", text or command, command)
