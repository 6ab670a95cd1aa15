"""Read a PRD.md: per task a heading, a comment with id and blockers, text, and criteria.

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

from ... import lazy_re as re
from ...core.plan.plan import Task
from ...core.plan.reading import ERROR, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text
from ...formats.markdown_page import value_and_comment
from ..plan_text import (
    COMMENT,
    ITEM,
    LINE,
    Piece,
    dedent_text,
    parse_heading,
    parse_names,
    resolve_dependencies,
    split_lines,
    split_pieces,
)
from .document import MAX_TITLE, Document, ReadTask, make_reading
from .task_words import parse_criterion

TASK_COMMENT = re.compile(r"<!--\s*task\b", re.I)
LABEL = re.compile(r"([A-Za-z]{1,10}-\d+)\s*[:.–—-]\s*(.*)$")
CRITERIA = re.compile(r"[\s*_#]*acceptance criteria[\s*_:]*$", re.I)


class Section:
    """The text under one heading."""

    def __init__(self, line: int, title: str) -> None:
        self.line, self.title = line, title
        self.fields: dict[str, str] | None = None  # of the comment; None without one
        self.text: list[str] = []
        self.criteria: list[str] = []
        self.is_ticked = True  # so far

    def add_piece(self, piece: Piece) -> None:
        if piece.kind == COMMENT:
            self.add_comment(piece)
        elif piece.kind == LINE:
            self.add_line(piece.text)
        else:
            self.text.append(piece.text)

    def add_comment(self, piece: Piece) -> None:
        """Take the fields of the first task comment; other comments are ignored."""
        if self.fields is None and TASK_COMMENT.match(piece.text):
            self.line, self.fields = piece.line, parse_fields(piece.text)

    def add_line(self, line: str) -> None:
        """Add a criterion, if the line is an item with a box; else text."""
        item = ITEM.match(line)
        if item and item[2]:
            self.criteria.append(item[3])
            self.is_ticked = self.is_ticked and item[2] in "xX"
        elif not CRITERIA.match(line):  # the heading of the criteria is not part of the text
            self.text.append(line)


def has_task_comments(document: Document) -> bool:
    pieces = split_pieces(split_lines(document.text))
    return any(TASK_COMMENT.match(piece.text) for piece in pieces)


def read(document: Document) -> PlanReading:
    """The tasks, in waves that follow from their dependencies."""
    title, sections = "", [Section(1, "")]
    for piece in split_pieces(split_lines(document.text)):
        rank, words = parse_heading(piece.text) if piece.kind == LINE else (0, "")
        title = title or (words if rank == 1 else "")
        if rank in (1, 2, 3):
            sections.append(Section(piece.line, words))
        else:
            sections[-1].add_piece(piece)
    sections = [section for section in sections if _is_task(section)]
    tasks = resolve_dependencies([task_from_section(section) for section in sections])
    rows = [
        ReadTask(task, section.line, bool(section.criteria) and section.is_ticked)
        for task, section in zip(tasks, sections, strict=True)
    ]
    problems = [problem for section in sections for problem in missing_fields(section)]
    return make_reading(document, title, rows, problems=problems)


def _is_task(section: Section) -> bool:
    """A task has a comment with fields, or an id in its heading and criteria."""
    if section.fields is not None:
        return True
    return bool(section.criteria and LABEL.match(section.title))


def parse_fields(comment: str) -> dict[str, str]:
    """`key: value` lines; `- item` lines below a key are its list."""
    values: dict[str, list[str]] = {}
    key = ""
    for line in comment.removesuffix("-->").split("\n")[1:]:
        if item := re.match(r"\s*-\s+(\S.*)", line):
            values.setdefault(key, []).append(item[1])
        elif ":" in line:
            key = line.partition(":")[0].strip().lower()
            values[key] = [value_and_comment(line)[0]]
    return {key: ", ".join(filter(None, texts)) for key, texts in values.items()}


def missing_fields(section: Section) -> list[PlanProblem]:
    """Both fields are required: without blockers a task might run too early."""
    title = repr(clip_text(section.title, 60))
    problems = []
    for key, example in (("id", "T-001"), ("blockedBy", "[]")):
        if key.lower() not in (section.fields or {}):
            row = f"<!-- task, then `{key}: {example}` on a line of its own, then -->"
            text = f"{title} has no {key}. Say it in a comment below the heading: {row}"
            problems.append(PlanProblem(ERROR, section.line, text))
    return problems


def task_from_section(section: Section) -> Task:
    fields, label = section.fields or {}, LABEL.match(section.title)
    name, title = label.groups() if label else ("", section.title)
    return Task(
        id=fields.get("id") or name,
        title=clip_text(title, MAX_TITLE),
        depends=parse_names(fields.get("blockedby", "")),
        action=dedent_text("\n" + "\n".join(section.text)),
        checks=tuple(map(parse_criterion, section.criteria)),
        runs_alone=fields.get("parallel", "").lower() in ("false", "no"),
    )
