"""Read a plain checklist as a plan: each item is a task, nested items are its criteria."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.plan.plan import MustHave, Plan, Task
from ..core.plan.reading import PlanReading
from ..core.prompts.phrases import clip_text
from .plan_formats.outline import Item, Section, boxes_in, page_title, read_outline
from .plan_text import split_command
from .prd import MAX_TITLE, parse_criterion

ROADMAP = re.compile(r"(?:.*[-_ ])?roadmap\b", re.I)
MILESTONES = re.compile(r"milestones?\b(?!\s*\d)", re.I)  # a heading
MILESTONE = re.compile(r"[*_]*(?:milestone\s+\w|M\d{1,3}\s*[:.–—-]|v\d+(?:\.\d+)+\b)", re.I)


def has_items(text: str) -> bool:
    """Does the page have boxes other than its must-haves?"""
    return bool(boxes_in(_task_sections(read_outline(text))))


def has_only_milestones(text: str, file: str) -> bool:
    """Is it a roadmap whose boxes are milestones, with no task below any?"""
    return has_items(text) and not _task_items(read_outline(text), file)


def read(text: str, file: str = "", phase: str = "list") -> PlanReading:
    """The list as a plan. Each task depends on the one before it; a ticked box is done."""
    sections = read_outline(text)
    items = _task_items(sections, file)
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


def _task_items(sections: list[Section], file: str) -> list[Item]:
    """The boxes that are tasks. A milestone of a roadmap is a group of them."""
    sections = _task_sections(sections)
    name = file.rpartition("/")[2].rpartition(".")[0]
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
