"""A PRD with stories: `### US-001: Title` and its acceptance criteria, with or without boxes.

Each story is a task; its criteria are the checks of that task.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import Task
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_text import parse_names, resolve_dependencies
from .document import MAX_TITLE, Document, ReadTask, make_reading
from .outline import Item, Section, page_title, read_outline, section_with_deeper
from .task_words import checks_in

STORY = re.compile(
    r"(?:\[([ xX])\]\s*|(✅)\s*)?\**(?:(?:User\s+)?Story\s+)?"
    r"((?:US|STORY|ST|T|TASK|F|FR|FEAT|EPIC|E)-?\d{1,4}(?:[.-]\d{1,3})*|(?<=Story )\d+(?:\.\d+)+)"
    r"\**\s*[:.–—-]\s*(.*)$",
    re.I,
)
CRITERIA = re.compile(r"[\s*_#]*(?:acceptance criteria|done when|criteria)[\s*_:]*$", re.I)
LABEL = re.compile(r"[\s*_]*([A-Za-z][A-Za-z ]{2,30}?)[\s*_]*:[\s*_]*(.*)$")
NO_CRITERIA = ("tasks", "subtasks", "notes", "technical notes", "files", "technical details")
BLOCKERS = ("depends on", "dependencies", "blocked by", "prerequisites")
OPENING, CLOSING = re.compile(r"\s*\[PRD\]", re.I), re.compile(r"\[/PRD\]\s*$", re.I)


def has_marks(document: Document) -> bool:
    return any(map(OPENING.match, document.text.removeprefix("\ufeff").split("\n")))


def without_marks(document: Document) -> Document:
    """What stands between [PRD] and [/PRD]; the lines stay counted."""
    rows, is_inside = [], False
    for line in document.text.removeprefix("\ufeff").split("\n"):
        opening = OPENING.match(line)
        is_inside = is_inside or bool(opening)
        while opening := OPENING.match(line):
            line = line[opening.end() :]
        closing = CLOSING.search(line)
        rows.append(line[: closing.start() if closing else None] if is_inside else "")
        is_inside = is_inside and not closing
    return document._replace(text="\n".join(rows))


def has_stories(document: Document) -> bool:
    return any(row.task.checks for row in _read_stories(document.text)[1])


def read(document: Document) -> PlanReading:
    """The stories in their order. If none names another one, each is a wave of its own."""
    title, rows = _read_stories(document.text)
    tasks = resolve_dependencies([row.task for row in rows])
    rows = [row._replace(task=task) for row, task in zip(rows, tasks, strict=True)]
    return make_reading(document, title, rows, in_order=True)


def _read_stories(text: str) -> tuple[str, list[ReadTask]]:
    sections = read_outline(text)
    rows, taken = [], set()
    for number, section in enumerate(sections):
        label = STORY.match(section.title) if section.rank > 1 else None
        parts = _story_parts(sections, number) if label else []
        if not label or (label[3] in taken and not _has_criteria(parts)):
            continue
        if parts:
            rows.append(_read_story(label, parts))
            taken.add(label[3])
    return page_title(sections), rows


def _story_parts(sections: list[Section], number: int) -> list[Section]:
    """The section of a story and the deeper ones below it; none if it only holds stories."""
    parts = section_with_deeper(sections, number)
    return [] if any(STORY.match(part.title) for part in parts[1:]) else parts


def _has_criteria(parts: list[Section]) -> bool:
    """Is it a story, and not only a further mention of one?"""
    return any(_criteria_of(section, is_story=not number) for number, section in enumerate(parts))


def _read_story(label: re.Match[str], parts: list[Section]) -> ReadTask:
    criteria: list[Item] = []
    texts: list[str] = []
    depends = ""
    for number, section in enumerate(parts):
        chosen = _criteria_of(section, is_story=number == 0)
        criteria += chosen
        known = set(chosen)
        if number and not CRITERIA.match(section.title):
            texts.append(section.title)
        texts += [line for line in section.lines if not CRITERIA.match(line)]
        texts += ["- " + item.all_text() for item in section.items if item not in known]
        for row in map(LABEL.match, [*section.lines, *(item.text for item in section.items)]):
            if row and row[1].strip().lower() in BLOCKERS:
                depends = row[2]
    ids = [word for word in parse_names(depends.strip(" *.")) if re.search(r"\d", word)]
    title = " ".join(label[4].split())
    ticked = label[1] in ("x", "X") or bool(label[2])
    boxes = [item for item in criteria if item.has_box]
    task = Task(
        id=label[3],
        title=clip_text(title, MAX_TITLE),
        depends=tuple(ids),
        action="\n".join(texts).strip("\n") or title,
        done_when="" if criteria else title,
        checks=tuple(check for item in criteria for check in checks_in(item.all_text())),
    )
    return ReadTask(
        task, parts[0].line, ticked or (bool(boxes) and all(b.is_ticked for b in boxes))
    )


def _criteria_of(section: Section, is_story: bool) -> list[Item]:
    """The items with a box; without any, all items of a part that is named as criteria."""
    if not is_story and section.title.strip(" *:").lower() in NO_CRITERIA:
        return []
    boxes = [item for item in section.items if item.has_box]
    is_named = not is_story and bool(CRITERIA.match(section.title))
    is_named = is_named or any(map(CRITERIA.match, section.lines))
    return boxes or (section.items if is_named else [])
