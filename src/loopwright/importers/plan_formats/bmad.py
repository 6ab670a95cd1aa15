"""A story file of BMAD: numbered acceptance criteria, and tasks with subtasks.

- [ ] Task 1: words (AC: 1, 2)
  - [ ] Subtask 1.1: words
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import MustHave, Task, TaskCheck
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from .document import MAX_TITLE, Document, ReadTask, chain_tasks, make_reading
from .outline import Item, Section, list_rows, read_outline, split_title
from .task_words import checks_in, named_files

TASKS = re.compile(r"tasks\s*(?:/|and|&)\s*subtasks", re.I)
CRITERIA = re.compile(r"acceptance criteria", re.I)
NAME = re.compile(r"\**(?:Task\s+)?(\d{1,3}(?:\.\d{1,3})*)\**\s*[:.)–—-]\s*(.*)$", re.I | re.S)
LINKS = re.compile(r"\(AC\s*:?\s*#?([^)]*)\)", re.I)
STORY = re.compile(r"(?:Story\s+)?(\d+(?:\.\d+)*)\s*[:.–—-]\s*(.*)$", re.I)


def is_story(document: Document) -> bool:
    sections = read_outline(document.text)
    return any(TASKS.match(section.title) and section.items for section in sections)


def read(document: Document) -> PlanReading:
    """The tasks one after the other. The acceptance criteria are what must hold in the end."""
    sections = read_outline(document.text)
    criteria = _criteria(sections)
    rows: list[ReadTask] = []
    taken: set[str] = set()
    inside = 0
    for section in sections:
        if TASKS.match(section.title):
            inside = section.rank
        elif section.rank <= inside:
            inside = 0
        for item in section.items if inside else ():
            if item.has_box:
                rows.append(_read_task(item, len(rows) + 1, criteria, taken))
                taken.add(rows[-1].task.id)
    phase, title = split_title(sections, STORY)
    return make_reading(
        document,
        title,
        chain_tasks(rows),
        phase=phase,
        must_haves=[MustHave(check.text, check.command) for check in criteria.values()],
    )


def _criteria(sections: list[Section]) -> dict[str, TaskCheck]:
    """Number → acceptance criterion."""
    found: dict[str, TaskCheck] = {}
    for section in sections:
        if CRITERIA.match(section.title):
            for position, item in enumerate(section.items, 1):
                check = checks_in(item.all_text())[0]
                found.setdefault(item.number or str(position), check)
    return found


def _read_task(
    item: Item, position: int, criteria: dict[str, TaskCheck], taken: set[str]
) -> ReadTask:
    links = LINKS.search(item.text)
    numbers = re.findall(r"\d+", links[1]) if links else []
    words = LINKS.sub("", item.text).strip()
    match = NAME.match(words)
    name, words = match.groups() if match else (str(position), words)
    if name in taken:
        name = f"{name}-{position}"
    text = "\n".join([words, *list_rows(item.items)])
    task = Task(
        id=name,
        title=clip_text(words, MAX_TITLE),
        files=named_files(text),
        action=text,
        done_when=words,
        checks=tuple(criteria[number] for number in dict.fromkeys(numbers) if number in criteria),
        requirements=tuple(f"AC{number}" for number in dict.fromkeys(numbers)),
    )
    return ReadTask(task, item.line, item.is_ticked)
