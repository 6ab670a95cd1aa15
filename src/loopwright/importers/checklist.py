"""Read a plain checklist as a plan: each item is a task, nested items are its criteria."""

from __future__ import annotations

from ..core.plan.plan import Plan, Task
from ..core.plan.reading import PlanReading
from ..core.prompts.phrases import clip_text
from .plan_text import ITEM, LINE, parse_heading, split_command, split_lines, split_pieces
from .prd import MAX_TITLE, parse_criterion


class ChecklistItem:
    """An item with a box: its line, whether it is ticked, its words, and the items below it."""

    def __init__(self, line: int, ticked: bool, words: str) -> None:
        self.line, self.ticked, self.words = line, ticked, words
        self.criteria: list[str] = []


def read(text: str, file: str = "", phase: str = "list") -> PlanReading:
    """The list as a plan. Each task depends on the one before it; a ticked box is done."""
    title, items = _read_items(text)
    width = max(2, len(str(len(items))))
    names = [f"{number:0{width}}" for number in range(1, len(items) + 1)]
    tasks, done, lines = [], [], []
    for number, (name, item) in enumerate(zip(names, items, strict=True)):
        depends = (names[number - 1],) if number else ()
        tasks.append(_task_from_item(name, number + 1, depends, item))
        lines.append((name, item.line))
        if item.ticked:
            done.append(name)
    plan = Plan(
        phase=phase,
        title=clip_text(title, MAX_TITLE),
        file=file,
        tasks=tuple(tasks),
        done=tuple(done),
    )
    return PlanReading(plan, tuple(lines))


def _read_items(text: str) -> tuple[str, list[ChecklistItem]]:
    """The first heading, and the items."""
    title = ""
    items: list[ChecklistItem] = []
    for piece in split_pieces(split_lines(text)):
        if piece.kind != LINE:
            continue
        title = title or parse_heading(piece.text)[1]
        item = ITEM.match(piece.text)
        if not item:
            continue
        indent, box, words = item.groups()
        if box and not indent:
            items.append(ChecklistItem(piece.line, box != " ", words))
        elif indent and items:
            items[-1].criteria.append(words)
    return title, items


def _task_from_item(name: str, wave: int, depends: tuple[str, ...], item: ChecklistItem) -> Task:
    text, command = split_command(item.words)
    own_check = [item.words] if command else []
    return Task(
        id=name,
        title=clip_text(text or command, MAX_TITLE),
        wave=wave,
        depends=depends,
        action=text or command,
        done_when=text or command,
        checks=tuple(map(parse_criterion, [*own_check, *item.criteria])),
    )
