"""Read a plain checklist as a plan: each item is a task, nested items are its criteria."""

from __future__ import annotations

from ..core.plan.plan import MustHave, Plan, Task
from ..core.plan.reading import PlanReading
from ..core.prompts.phrases import clip_text
from .plan_formats.outline import Item, Section, boxes_in, page_title, read_outline
from .plan_text import split_command
from .prd import MAX_TITLE, parse_criterion


def has_items(text: str) -> bool:
    """Does the page have boxes other than its must-haves?"""
    return bool(boxes_in(_task_sections(read_outline(text))))


def read(text: str, file: str = "", phase: str = "list") -> PlanReading:
    """The list as a plan. Each task depends on the one before it; a ticked box is done."""
    sections = read_outline(text)
    items = boxes_in(_task_sections(sections))
    width = max(2, len(str(len(items))))
    names = [f"{number:0{width}}" for number in range(1, len(items) + 1)]
    tasks, done, lines = [], [], []
    for number, (name, item) in enumerate(zip(names, items, strict=True)):
        depends = (names[number - 1],) if number else ()
        tasks.append(_task_from_item(name, number + 1, depends, item))
        lines.append((name, item.line))
        if item.is_ticked:
            done.append(name)
    plan = Plan(
        phase=phase,
        title=clip_text(page_title(sections), MAX_TITLE),
        file=file,
        tasks=tuple(tasks),
        must_haves=tuple(_must_haves(sections)),
        done=tuple(done),
    )
    return PlanReading(plan, tuple(lines))


def _is_must_haves(section: Section) -> bool:
    return section.title.lower().replace("-", " ").startswith("must have")


def _task_sections(sections: list[Section]) -> list[Section]:
    return [section for section in sections if not _is_must_haves(section)]


def _must_haves(sections: list[Section]) -> list[MustHave]:
    items = [item for section in sections if _is_must_haves(section) for item in section.items]
    return [MustHave(text or command, command) for text, command in map(_split_item, items)]


def _split_item(item: Item) -> tuple[str, str]:
    return split_command(item.text)


def _task_from_item(name: str, wave: int, depends: tuple[str, ...], item: Item) -> Task:
    text, command = _split_item(item)
    own_check = [item.text] if command else []
    criteria = _nested_texts(item)
    return Task(
        id=name,
        title=clip_text(text or command, MAX_TITLE),
        wave=wave,
        depends=depends,
        action=split_command(item.body)[0] or text or command,
        done_when=text or command,
        checks=tuple(map(parse_criterion, [*own_check, *criteria])),
    )


def _nested_texts(item: Item) -> list[str]:
    """The words of all items below it, from top to bottom."""
    texts, to_visit = [], list(reversed(item.items))
    while to_visit:
        nested = to_visit.pop()
        texts.append(nested.text)
        to_visit += reversed(nested.items)
    return texts
