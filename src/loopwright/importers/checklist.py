"""A plain checklist as a plan: an item a task, in this order; what is nested below it are its acceptance criteria."""

from __future__ import annotations

from ..core.plan.plan import Plan, Task
from ..core.plan.reading import PlanReading
from ..core.prompts.phrases import clip_text
from .plan_text import ITEM, LINE, parse_heading, split_command, split_lines, split_pieces
from .prd import MAX_TITLE, parse_criterion


def read(text: str, file: str = "", phase: str = "list") -> PlanReading:
    """A list is read from top to bottom: each task waits for the one before it. A ticked box is done."""
    title = ""
    items: list[tuple[int, bool, list[str]]] = []
    for piece in split_pieces(split_lines(text)):
        if piece.kind != LINE:
            continue
        rank, words = parse_heading(piece.text)
        title = title or (words if rank else "")
        item = ITEM.match(piece.text)
        if item and item[2] and not item[1]:
            items.append((piece.line, item[2] != " ", [item[3]]))
        elif item and item[1] and items:
            items[-1][2].append(item[3])
    width = max(2, len(str(len(items))))
    names = [f"{number:0{width}}" for number in range(1, len(items) + 1)]
    tasks = tuple(task_from_item(name, n, names, *items[n][2]) for n, name in enumerate(names))
    done = tuple(name for name, (_, ticked, _) in zip(names, items, strict=True) if ticked)
    lines = tuple((name, line) for name, (line, _, _) in zip(names, items, strict=True))
    return PlanReading(Plan(phase, clip_text(title, MAX_TITLE), file, tasks, done=done), lines)


def task_from_item(name: str, before: int, names: list[str], words: str, *criteria: str) -> Task:
    text, command = split_command(words)
    own = (parse_criterion(words),) if command else ()
    return Task(
        name,
        clip_text(text or command, MAX_TITLE),
        before + 1,
        (names[before - 1],) if before else (),
        action=text or command,
        done_when=text or command,
        checks=(*own, *map(parse_criterion, criteria)),
    )
