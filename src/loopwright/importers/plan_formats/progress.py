"""Where the files of a plan say that a task is done: one function for each family of formats.

The marks are recorded with the plan; formats/plan_progress.py sets them when a task is proven.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import Any

from ... import lazy_re as re
from ...core.plan.plan import ProgressMark, Task
from ...core.plan.reading import PlanReading
from ...formats.plan_progress import BOX, LINE_VALUE, PAGE, VALUE, find_value, line_beginning
from ..plan_text import split_lines
from . import gsd1, numbered_list, taskmaster
from .document import Document
from .outline import TICKS, Item, read_outline, section_with_deeper
from .task_words import checks_in, parse_criterion

FindMarks = Callable[[Document, PlanReading], list[ProgressMark]]
GSD1_ROADMAP, GSD2_ROADMAP = "../../ROADMAP.md", "../../M*-ROADMAP.md"
GSD2_ENTRY = re.compile(r"\**(S\d{2,4})\b")


def no_marks(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The format has no place for it."""
    return []


def boxes_of_items(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The box of each task with all boxes below it; the box above tasks when all are done."""
    names = _names_by_line(reading)
    marks: list[ProgressMark] = []
    for section in read_outline(document.text):
        for item in section.items:
            _mark_item(document, item, names, marks)
    return _with_checks(document, reading, marks)


def boxes_of_numbers(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The same; the box of a group that stands beside its tasks is ticked with the last of them."""
    marks = boxes_of_items(document, reading)
    ids = [task.id for task in reading.plan.tasks]
    for number, item in numbered_list.flat_groups(read_outline(document.text)).items():
        tasks = tuple(name for name in ids if name.startswith(f"{number}."))
        marks += _box_marks(document.path, document.text, (item.line,), tasks)
    return marks


def _mark_item(
    document: Document, item: Item, names: dict[int, str], marks: list[ProgressMark]
) -> tuple[str, ...]:
    """Add the marks of an item and of what is below it; returns the tasks in it."""
    own = names.get(item.line, "")
    inner = names if not own else {nested.line: own for nested in item.items}
    below = [name for nested in item.items for name in _mark_item(document, nested, inner, marks)]
    tasks = (own,) if own else tuple(dict.fromkeys(below))
    if tasks and item.has_box:
        marks += _box_marks(document.path, document.text, (item.line,), tasks)
    return tasks


def boxes_of_sections(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """A story has its criteria as boxes below its heading, and sometimes a box in the heading."""
    sections = read_outline(document.text)
    marks = []
    for line, name in _names_by_line(reading).items():
        starts = [n for n, part in enumerate(sections) if part.rank and part.line <= line]
        parts = section_with_deeper(sections, starts[-1]) if starts else []
        lines = [item.line for part in parts for item in _all_items(part.items) if item.has_box]
        if parts and re.match(r"\[[ xX]?\]", parts[0].title):
            lines.insert(0, parts[0].line)
        marks += _box_marks(document.path, document.text, lines, (name,))
    return _with_checks(document, reading, marks)


def _with_checks(
    document: Document, reading: PlanReading, marks: list[ProgressMark]
) -> list[ProgressMark]:
    """The marks; that of a criterion has the words of the check that it stands for."""
    sections, task_lines = read_outline(document.text), _names_by_line(reading)
    items = {i.line: i for section in sections for i in _all_items(section.items)}
    found = []
    for mark in marks:
        item = items.get(mark.line)
        if item and mark.line not in task_lines and len(mark.tasks) == 1:
            mark = mark.but(check=_check_words(item, reading.plan.task(mark.tasks[0])))
        found.append(mark)
    return found


def _check_words(item: Item, task: Task) -> str:
    """The words of the check of the task that this box stands for; "" if it is none."""
    words = {check.text for check in (*checks_in(item.all_text()), parse_criterion(item.text))}
    return next((check.text for check in task.checks if check.text in words), "")


def _all_items(items: Iterable[Item]) -> list[Item]:
    return [part for item in items for part in (item, *_all_items(item.items))]


def _names_by_line(reading: PlanReading) -> dict[int, str]:
    tasks = {task.id for task in reading.plan.tasks}
    return {line: name for name, line in reading.lines if name in tasks}


def _box_marks(
    file: str, text: str, lines: Iterable[int], tasks: tuple[str, ...]
) -> list[ProgressMark]:
    """Marks for the boxes in these lines that are not ticked yet."""
    rows, marks = split_lines(text), []
    for line in lines:
        row = rows[line - 1] if line <= len(rows) else ""
        box = re.search(r"\[([^\[\]]?)\]", row)
        if box and (not box[1] or box[1] not in TICKS):
            marks.append(ProgressMark(tasks, file, BOX, "x", box[1], line, line_beginning(row)))
    return marks


def gsd2_boxes(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The boxes of the page; of a slice, also its own box in the roadmap of the milestone."""
    marks = boxes_of_items(document, reading)
    name = document.name.partition("-")[0].upper()
    tasks = tuple(task.id for task in reading.plan.tasks)
    for path, text in document.others:
        if not path.endswith("-ROADMAP.md"):
            continue
        items = _all_items(item for section in read_outline(text) for item in section.items)
        lines = [i.line for i in items if i.has_box and _entry_name(i.words) == name]
        roadmap = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), path))
        marks += _box_marks(roadmap, text, lines, tasks)
    return marks


def _entry_name(words: str) -> str:
    entry = GSD2_ENTRY.match(words)
    return entry[1].upper() if entry else ""


def gsd1_plans(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """A plan of GSD 1 is done when it has a summary; the roadmap has a box for it and its phase."""
    files = dict(document.others)
    roadmap = files.pop(GSD1_ROADMAP, "")
    in_folder = [name for name in files if gsd1.PLAN_NAME.fullmatch(name)]
    names = in_folder or [document.name]
    folder = document.path if in_folder else posixpath.dirname(document.path)
    marks: list[ProgressMark] = []
    for name in names:
        summary = gsd1.summary_name(name)
        tasks = _tasks_of_plan(reading, name, names)
        if tasks and summary not in files:
            path = posixpath.join(folder, summary)
            marks.append(ProgressMark(tasks, path, PAGE, "written", text=_summary(name, tasks)))
        stem = name[: -len("-PLAN.md")]
        is_own = re.compile(rf"\**{re.escape(stem)}\b(?!-\d)", re.I)
        marks += _roadmap_boxes(folder, roadmap, is_own, tasks)
    if in_folder:
        number = re.match(r"0*(\d+(?:\.\d+)?)", posixpath.basename(folder))
        all_tasks = tuple(task.id for task in reading.plan.tasks)
        is_phase = re.compile(rf"\**Phase\s+0*{re.escape(number[1]) if number else '-'}\b(?!\.\d)")
        marks += _roadmap_boxes(folder, roadmap, is_phase, all_tasks)
    return marks


def _tasks_of_plan(reading: PlanReading, name: str, names: list[str]) -> tuple[str, ...]:
    """The tasks of one plan. In a phase, their ids begin with the number of the plan."""
    tasks = tuple(task.id for task in reading.plan.tasks)
    if len(names) == 1:
        return tasks
    number = name[: -len("-PLAN.md")].rpartition("-")[2]
    return tuple(task for task in tasks if task.rpartition("-")[0] == number)


def _summary(name: str, tasks: tuple[str, ...]) -> str:
    rows = "".join(f"- {task}: done, its checks pass\n" for task in tasks)
    return f"# Summary of {name[: -len('.md')]}\n\n{rows}\nWritten by Loopwright: loop report\n"


def _roadmap_boxes(
    folder: str, roadmap: str, is_own: re.Pattern[str], tasks: tuple[str, ...]
) -> list[ProgressMark]:
    items = _all_items(item for section in read_outline(roadmap) for item in section.items)
    lines = [item.line for item in items if item.has_box and is_own.match(item.words)]
    path = posixpath.normpath(posixpath.join(folder, GSD1_ROADMAP))
    return _box_marks(path, roadmap, lines, tasks) if tasks else []


def json_values(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """`passes` and `status` of the entries of a JSON file, by the id of each entry."""
    return _value_marks(document, reading, ())


def taskmaster_values(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The status of the tasks and subtasks of the tag that was read."""
    tag = taskmaster.current_tag(document, taskmaster.read_tags(document))
    return _value_marks(document, reading, (tag,) if tag else ())


def _value_marks(
    document: Document, reading: PlanReading, start: tuple[str, ...]
) -> list[ProgressMark]:
    data = document.json_value
    for key in start:
        data = data[key]
    wanted = {task.id for task in reading.plan.tasks} - set(reading.plan.done)
    marks: dict[str, ProgressMark] = {}
    for path, name, entry in _entries(data, start, ""):
        key, new = _state_of(entry)
        span = find_value(document.text, (*path, key)) if key and name in wanted else None
        if span and name not in marks:
            old = document.text[slice(*span)]
            mark = ProgressMark((name,), document.path, VALUE, new, old, path=(*path, key))
            marks[name] = mark
    return list(marks.values())


def _state_of(entry: dict[str, Any]) -> tuple[str, str]:
    """The key that says whether an entry is done, and its value when it is."""
    if isinstance(entry.get("passes"), bool):
        return "passes", "true"
    if isinstance(entry.get("status"), str):
        return "status", '"done"'
    return "", ""


def _entries(
    value: Any, path: tuple[str, ...], parent: str
) -> Iterable[tuple[tuple[str, ...], str, dict[str, Any]]]:
    """Every object with an id in a list, with its path and its id; subtasks after their parent."""
    if isinstance(value, dict):
        for key in value:
            if isinstance(value[key], dict | list):
                yield from _entries(value[key], (*path, key), parent)
    elif isinstance(value, list) and len(path) < 8:
        for number, entry in enumerate(value):
            if not isinstance(entry, dict):
                continue
            own = " ".join(str(entry.get("id", "")).split())
            place = (*path, f"#{number}")
            is_below = parent and path[-1] == "subtasks" and not own.startswith(f"{parent}.")
            name = f"{parent}.{own}" if is_below else own
            yield place, name, entry
            yield from _entries(entry, place, name)


def issue_lines(document: Document, reading: PlanReading) -> list[ProgressMark]:
    """The status of an issue on each line."""
    marks = []
    rows = document.text.split("\n")
    for name, line in reading.lines:
        if name in reading.plan.done or line > len(rows):
            continue
        span, own = find_value(rows[line - 1], ("status",)), find_value(rows[line - 1], ("id",))
        if span and own:
            old, raw_id = rows[line - 1][slice(*span)], rows[line - 1][slice(*own)]
            path = (raw_id, "status")
            marks.append(
                ProgressMark((name,), document.path, LINE_VALUE, '"closed"', old, path=path)
            )
    return marks
