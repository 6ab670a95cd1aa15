"""A plan whose tasks are headings with steps to tick below them: `### Task 1: Title`.

Each heading is a task, and all that stands below it is what the agent reads. The boxes are steps
of one turn, and no tasks of their own.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import CREATE, MODIFY, PlannedFile, Task
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_text import split_lines
from .document import MAX_TITLE, Document, ReadTask, chain_tasks, make_reading
from .outline import Item, Section, boxes_in, page_title, read_outline, section_with_deeper
from .task_words import command_checks, listed_files

HEADING = re.compile(r"\**Task\s+(\d{1,3}(?:\.\d{1,3})*)\**\s*[:.–—-]\s*(.+)$", re.I)
FILE_ROW = re.compile(r"\**(Create|Modify|Test|Update|Add|Delete)\**\s*:\**\s*(.+)$", re.I)
LINE_RANGE = re.compile(r":\d+(?:-\d+)?(?=`|$)")  # src/a.py:12-40


def has_task_headings(document: Document) -> bool:
    """Do most of the boxes stand below such headings? Without any box, two headings are enough."""
    sections = read_outline(document.text)
    tasks, boxes = _tasks_in(sections), boxes_in(sections)
    inside = [item for _, part in tasks for item in boxes_in(part)]
    return len(inside) * 2 > len(boxes) if boxes else len(tasks) > 1


def read(document: Document) -> PlanReading:
    """The tasks one after the other; one is done when all its boxes are ticked."""
    sections, lines = read_outline(document.text), split_lines(document.text)
    starts = [section.line for section in sections if section.rank]
    rows = []
    for heading, part in _tasks_in(sections):
        after = [line for line in starts if line > part[-1].line]
        end = min(after, default=len(lines) + 1)
        text = "\n".join(lines[part[0].line : end - 1]).strip()
        rows.append(_read_task(heading, part, text))
    return make_reading(document, page_title(sections), chain_tasks(rows))


def _tasks_in(sections: list[Section]) -> list[tuple[re.Match[str], list[Section]]]:
    """Each heading of a task, with its section and the deeper ones below it."""
    found = []
    for number, section in enumerate(sections):
        heading = HEADING.match(section.title) if section.rank > 1 else None
        if heading:
            found.append((heading, section_with_deeper(sections, number)))
    return found


def _read_task(heading: re.Match[str], part: list[Section], text: str) -> ReadTask:
    boxes = boxes_in(part)
    items = [item for section in part for item in section.items]
    title = " ".join(heading[2].strip("* ").split())
    task = Task(
        id=heading[1],
        title=clip_text(title, MAX_TITLE),
        files=_files_in(items),
        action=text or title,
        done_when=title,
        checks=command_checks(item.text for item in items if item.has_box),
    )
    is_done = bool(boxes) and all(item.is_ticked for item in boxes)
    return ReadTask(task, part[0].line, is_done)


def _files_in(items: list[Item]) -> tuple[PlannedFile, ...]:
    """The rows of its list of files: Create, Modify and Test, each with a path."""
    files: dict[str, PlannedFile] = {}
    for row in (FILE_ROW.match(item.text) for item in items if not item.has_box):
        if not row:
            continue
        action = {"create": CREATE, "modify": MODIFY, "update": MODIFY}.get(row[1].lower(), "")
        for file in listed_files(LINE_RANGE.sub("", row[2])):
            files.setdefault(file.path, file.but(action=action))
    return tuple(files.values())
