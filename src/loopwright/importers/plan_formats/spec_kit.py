"""The tasks.md of spec-kit: `- [ ] T001 [P] [US1] words with a path`, in phases.

Tasks with [P] that follow each other below one heading run side by side. Every other task, and
every heading, waits for what stands above it: tests are written before the code they test.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import Task
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from .document import MAX_TITLE, Document, ReadTask, make_reading
from .outline import Item, boxes_in, list_rows, page_title, read_outline
from .task_words import checks_in, command_checks, named_files

TASK = re.compile(r"\[?\**(T\d{3,4}[a-z]?)\**\]?\**[:.]?\s+(?:[–—-]\s+)?(.*)$", re.S)
MARK = re.compile(r"\[(P|US\d+(?:\s*,\s*US\d+)*|[A-Z]{1,4}\d*)\]\s*")
PHASE = re.compile(r"Phase\s", re.I)
MAX_MARKS = 20


def is_tasks(document: Document) -> bool:
    boxes = boxes_in(read_outline(document.text))
    return sum(bool(TASK.match(item.words)) for item in boxes) * 2 > len(boxes)


def read(document: Document) -> PlanReading:
    sections = read_outline(document.text)
    tasks: list[ReadTask] = []
    group: list[str] = []  # tasks that run side by side
    before: tuple[str, ...] = ()  # those that the group waits for
    was_parallel, phase = False, ""
    left_out: list[Item] = []
    for section in sections:
        phase = section.title if PHASE.match(section.title) else phase
        was_parallel = False
        boxes = boxes_in([section])
        if not any(TASK.match(item.words) for item in boxes):
            left_out += boxes
            continue
        for item in boxes:
            task, is_parallel = _read_task(item, len(tasks) + 1, phase)
            if group and not (is_parallel and was_parallel):
                before, group = tuple(group), []
            was_parallel = is_parallel
            group.append(task.id)
            tasks.append(ReadTask(task.but(depends=before), item.line, item.is_ticked))
    title = re.sub(r"^Tasks:\s*", "", page_title(sections))
    return make_reading(document, title, tasks, problems=_boxes_without_id(left_out))


def _boxes_without_id(items: list[Item]) -> list[PlanProblem]:
    """A part without any id is a list to check the page itself by, and no work."""
    if not items:
        return []
    text = (
        f"{count_phrase(len(items), 'item')} below a heading without any task id, and no "
        f"tasks: {clip_text(items[0].text, 60)}. To make it one, give it an id: - [ ] T099 words"
    )
    return [PlanProblem(WARNING, items[0].line, text)]


def _read_task(item: Item, number: int, phase: str) -> tuple[Task, bool]:
    match = TASK.match(item.text)
    name, words = match.groups() if match else (f"item-{number}", item.text)
    marks: list[str] = []
    while (mark := MARK.match(words)) and len(marks) < MAX_MARKS:
        marks += re.split(r"\s*,\s*", mark[1])
        words = words[mark.end() :]
    rows = [words, *list_rows(item.items)]
    context = [f"({phase})"] if phase else []
    checks = tuple(check for check in checks_in(words) if check.command)
    checks += command_checks(nested.text for nested in item.items)
    task = Task(
        id=name,
        title=clip_text(words, MAX_TITLE),
        files=named_files("\n".join(rows)),
        action="\n".join([*rows, *context]),
        done_when=words,
        checks=checks,
        requirements=tuple(mark for mark in marks if mark != "P"),
    )
    return task, "P" in marks
