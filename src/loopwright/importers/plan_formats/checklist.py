"""Read a plain checklist as a plan: each item is a task, nested items are its criteria."""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import MustHave, Task
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_text import split_command
from .document import MAX_TITLE, Document, ReadTask, chain_tasks, make_reading
from .outline import Item, Section, boxes_in, page_title, read_outline
from .task_words import parse_criterion

ROADMAP = re.compile(r"(?:.*[-_ ])?roadmap\b", re.I)
MILESTONES = re.compile(r"milestones?\b(?!\s*\d)", re.I)  # a heading
MILESTONE = re.compile(r"[*_]*(?:milestone\s+\w|M\d{1,3}\s*[:.–—-]|v\d+(?:\.\d+)+\b)", re.I)


def has_items(document: Document) -> bool:
    """Does the page have boxes other than its must-haves?"""
    return bool(boxes_in(_task_sections(read_outline(document.text))))


def has_only_milestones(document: Document) -> bool:
    """Is it a roadmap whose boxes are milestones, with no task below any?"""
    return has_items(document) and not _task_items(read_outline(document.text), document.name)


def read(document: Document) -> PlanReading:
    """The list as a plan. Each task depends on the one before it; a ticked box is done."""
    sections = read_outline(document.text)
    items = _task_items(sections, document.name)
    width = max(2, len(str(len(items))))
    rows = [
        ReadTask(_task_from_item(f"{number:0{width}}", item), item.line, item.is_ticked)
        for number, item in enumerate(items, 1)
    ]
    return make_reading(
        document, page_title(sections), chain_tasks(rows), must_haves=_must_haves(sections)
    )


def _is_must_haves(section: Section) -> bool:
    return section.title.lower().replace("-", " ").startswith("must have")


def _task_sections(sections: list[Section]) -> list[Section]:
    return [section for section in sections if not _is_must_haves(section)]


def _task_items(sections: list[Section], file_name: str) -> list[Item]:
    """The boxes that are tasks. A milestone of a roadmap is a group of them."""
    sections = _task_sections(sections)
    name = file_name.rpartition(".")[0]
    if not ROADMAP.fullmatch(name) and not ROADMAP.match(page_title(sections)):
        return boxes_in(sections)
    found: list[Item] = []
    for section in sections:
        is_list = bool(MILESTONES.match(section.title))
        for item in boxes_in([section]):
            is_milestone = is_list or MILESTONE.match(item.words)
            found += [child for child in item.items if child.has_box] if is_milestone else [item]
    return found


def _must_haves(sections: list[Section]) -> list[MustHave]:
    items = [item for section in sections if _is_must_haves(section) for item in section.items]
    parts = [split_command(item.text) for item in items]
    return [MustHave(text or command, command) for text, command in parts]


def _task_from_item(name: str, item: Item) -> Task:
    text, command = split_command(item.text)
    own_check = [item.text] if command else []
    return Task(
        id=name,
        title=clip_text(text or command, MAX_TITLE),
        action=split_command(item.body)[0] or text or command,
        done_when=text or command,
        checks=tuple(map(parse_criterion, [*own_check, *_nested_texts(item)])),
    )


def _nested_texts(item: Item) -> list[str]:
    """The words of all items below it, from top to bottom."""
    texts, to_visit = [], list(reversed(item.items))
    while to_visit:
        nested = to_visit.pop()
        texts.append(nested.text)
        to_visit += reversed(nested.items)
    return texts
