"""Checklists whose items have numbers, as Kiro and OpenSpec write them: `- [ ] 2.1 words`.

The author's numbers are the ids. An item with numbered boxes below it is a group, not a task;
2 is also a group where 2.1 follows it at the same indent and nothing stands below 2 itself.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import Task
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from ..plan_text import split_command
from .document import MAX_TITLE, Document, ReadTask, chain_tasks, make_reading
from .outline import Item, Section, boxes_in, list_rows, page_title, read_outline
from .task_words import checks_in, command_checks, named_files

NUMBER = re.compile(r"\**(\d{1,3}(?:\.\d{1,3})*)\.?\**[.:)]?\s+(.*)$", re.S)
STARRED = re.compile(r"\d[\d.]*\*\s")  # 2.1* words: the same as a star at the box
LINKS = re.compile(r"[_*]*(?:Requirements?|Reqs?|Validates)[_*]*\s*:\s*[_*]*\s*(.*?)[_*]*$", re.I)


def is_kiro_tasks(document: Document) -> bool:
    if document.name.lower() == "tasks.md" and document.is_inside(".kiro"):
        return True
    sections = read_outline(document.text)
    has_links = any(
        LINKS.match(line.strip("-* \t"))
        for line in document.text.splitlines()
        if "_Requirements" in line
    )
    return _most_have_numbers(sections) and (
        has_links or any(item.is_starred for item in boxes_in(sections))
    )


def is_openspec_tasks(document: Document) -> bool:
    if document.name.lower() == "tasks.md" and document.is_inside("openspec"):
        return True
    sections = read_outline(document.text)
    groups = [s for s in sections if s.rank == 2 and NUMBER.match(s.title) and s.items]
    return bool(groups) and _most_have_numbers(sections)


def _most_have_numbers(sections: list[Section]) -> bool:
    boxes = boxes_in(sections)
    return sum(bool(NUMBER.match(item.words)) for item in boxes) * 2 > len(boxes)


def read(document: Document) -> PlanReading:
    """The tasks one after the other. No task waits for an optional one."""
    sections = read_outline(document.text)
    tasks: list[ReadTask] = []
    optional: dict[str, int] = {}
    taken: set[str] = set()
    flat = flat_groups(sections)
    for section in sections:
        group = section.title if section.rank > 1 else ""
        for item, groups, is_optional in _leaves(section, [group] if group else []):
            if item in flat.values():
                continue
            if above := flat.get(item_number(item).rpartition(".")[0]):
                groups = [*groups, above.all_text_without([])]
                is_optional = is_optional or _is_optional(above)
            tasks.append(_read_item(item, groups, taken, len(tasks) + 1))
            taken.add(tasks[-1].task.id)
            if is_optional:
                optional[tasks[-1].task.id] = item.line
    problems = []
    if optional:
        text = (
            f"{count_phrase(len(optional), 'optional task')} (*) will be worked on too, and block "
            f"no other: {clip_text(', '.join(optional), 80)}. Remove a line to leave its task out"
        )
        problems.append(PlanProblem(WARNING, min(optional.values()), text))
    title = page_title(sections)
    return make_reading(document, title, chain_tasks(tasks, optional), problems=problems)


def item_number(item: Item) -> str:
    match = NUMBER.match(item.words)
    return match[1] if match else ""


def flat_groups(sections: list[Section]) -> dict[str, Item]:
    """Number → the item that only names others, which stand beside it and not below it."""
    boxes = [item for item in boxes_in(sections) if item_number(item)]
    holders = {item_number(item).rpartition(".")[0] for item in boxes}
    return {
        item_number(item): item for item in boxes if item_number(item) in holders and not item.items
    }


def _is_optional(item: Item) -> bool:
    return item.is_starred or bool(STARRED.match(item.words))


def _leaves(section: Section, above: list[str]) -> list[tuple[Item, list[str], bool]]:
    """The items without further boxes, the words of the groups above each, and the stars."""
    found: list[tuple[Item, list[str], bool]] = []
    to_visit = [(item, above, _is_optional(item)) for item in reversed(boxes_in([section]))]
    while to_visit:
        item, groups, is_optional = to_visit.pop()
        nested = [child for child in item.items if child.has_box and NUMBER.match(child.words)]
        if not nested:
            found.append((item, groups, is_optional))
            continue
        inner = [*groups, item.all_text_without(nested)]
        to_visit += [
            (child, inner, is_optional or _is_optional(child)) for child in reversed(nested)
        ]
    return found


def _read_item(item: Item, groups: list[str], taken: set[str], position: int) -> ReadTask:
    match = NUMBER.match(item.text)
    number, words = match.groups() if match else ("", item.text)
    name = number if number and number not in taken else f"{number or 'item'}-{position}"
    links: list[str] = []
    details: list[Item] = []
    for nested in item.items:
        link = LINKS.match(nested.text)
        if link:
            links += [word for word in re.split(r"[,\s]+", link[1].strip("_* ")) if word]
        else:
            details.append(nested)
    text, command = split_command(words)
    rows = [text, *list_rows(details)]
    context = [f"Part of: {group}" for group in groups]
    task = Task(
        id=name,
        title=clip_text(text, MAX_TITLE),
        files=named_files("\n".join(rows)),
        action="\n".join([*rows, *context]),
        done_when=text,
        checks=(
            *(checks_in(words) if command else ()),
            *command_checks(nested.text for nested in details),
        ),
        requirements=tuple(dict.fromkeys(links)),
    )
    return ReadTask(task, item.line, item.is_ticked)
