"""GSD 2: the slices of a milestone's roadmap, the tasks of a slice, and the plan of one task.

- [ ] **S02: Search the notes** `risk:medium` `depends:[S01]`
- [ ] **T01: Write the index** `est:30m`
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import MustHave, Task
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_text import parse_names, resolve_dependencies
from .document import MAX_TITLE, Document, ReadTask, chain_tasks, make_reading
from .outline import Item, Section, boxes_in, read_outline, split_title
from .task_words import checks_in, listed_files, named_files

ENTRY = re.compile(r"\*\*([ST]\d{2,4})\s*[:.–—-]\s*(.*?)\*\*\s*(.*)$", re.S)
PAGE_TITLE = re.compile(r"([MST]\d{2,4}(?:-\w+)?)\s*[:.–—-]\s*(.*)$")
DEPENDS = re.compile(r"`?depends:\s*\[([^\]]*)\]`?", re.I)
TAG = re.compile(r"`(?:risk|est|depends):[^`]*`", re.I)
FIELD = re.compile(r"\**(Why|Files|Do|Verify|Done when)\**\s*:\**\s*(.*)$", re.I | re.S)
TASK_PLAN = re.compile(r"(?:tasks/)?(T\d{2,4})-PLAN\.md", re.I)
EMPTY = ("none", "none.", "n/a")


def has_entries(document: Document) -> bool:
    return any(ENTRY.match(item.words) for item in boxes_in(read_outline(document.text)))


def is_task_plan(document: Document) -> bool:
    return bool(TASK_PLAN.fullmatch(document.name))


def read(document: Document) -> PlanReading:
    """The slices with their dependencies, or the tasks of a slice one after the other."""
    sections = read_outline(document.text)
    details = _task_plans(document)
    rows = []
    for item in boxes_in(sections):
        entry = ENTRY.match(item.text)
        if entry:
            rows.append(_read_entry(item, entry, details))
    if any(row.task.id.startswith("S") for row in rows):
        tasks = resolve_dependencies([row.task for row in rows])
        rows = [row._replace(task=task) for row, task in zip(rows, tasks, strict=True)]
    else:
        rows = chain_tasks(rows)
    phase, title = split_title(sections, PAGE_TITLE)
    return make_reading(document, title, rows, phase=phase, must_haves=_must_haves(sections))


def read_task_plan(document: Document) -> PlanReading:
    """The one task that the file describes."""
    match = TASK_PLAN.fullmatch(document.name)
    name = match[1].upper() if match else "T01"
    row = ReadTask(_task_from_page(name, document.text))
    return make_reading(document, row.task.title, [row])


def _task_plans(document: Document) -> dict[str, Task]:
    """Id → the task of its own plan in tasks/."""
    plans = {}
    for path, text in document.others:
        if match := TASK_PLAN.fullmatch(path):
            plans[match[1].upper()] = _task_from_page(match[1].upper(), text)
    return plans


def _read_entry(item: Item, entry: re.Match[str], details: dict[str, Task]) -> ReadTask:
    name, title, rest = entry[1], entry[2].strip(), entry[3]
    fields: dict[str, str] = {}
    action = [TAG.sub("", rest).strip(" >")]
    for nested in item.items:
        field = FIELD.match(nested.text)
        if field:
            fields[field[1].lower()] = field[2]
        if not field or field[1].lower() in ("why", "do"):
            action.append(nested.all_text())
    depends = DEPENDS.search(rest)
    own = details.get(name, Task(name))
    done_when = fields.get("done when", "") or own.done_when
    checks = (*checks_in(fields.get("verify", "")), *own.checks)
    text = "\n".join(filter(None, [*action, own.action])) or title
    task = Task(
        id=name,
        title=clip_text(title, MAX_TITLE),
        depends=parse_names(depends[1]) if depends else (),
        files=listed_files(fields["files"]) if "files" in fields else own.files,
        action=text,
        done_when=done_when or _demo(rest) or title,
        checks=tuple(dict.fromkeys(checks)),
    )
    return ReadTask(task, item.line, item.is_ticked)


def _demo(rest: str) -> str:
    """What a roadmap says will be shown after a slice."""
    return TAG.sub("", rest).partition("After this:")[2].strip()


def _task_from_page(name: str, text: str) -> Task:
    """A task from its own page: its text, its files, and its must-haves as checks."""
    sections = read_outline(text)
    title = split_title(sections, PAGE_TITLE)[1]
    rows, checks = [], []
    files = ""
    for section in sections:
        words = section.title.lower()
        items = [item.text for item in section.items]
        if words.startswith(("must-have", "verification")):
            checks += [check for item in items for check in checks_in(item)]
        elif section.rank > 1:
            rows += [f"{section.title}:", *_section_rows(section)]
        if words.startswith(("expected output", "files")):
            files += "\n".join(["", *items])
    return Task(
        id=name,
        title=clip_text(title or name, MAX_TITLE),
        files=named_files(files),
        action="\n".join(filter(None, rows)) or title,
        done_when=title,
        checks=tuple(dict.fromkeys(checks)),
    )


def _section_rows(section: Section) -> list[str]:
    items = [
        (f"{item.number}. " if item.number else "- ") + item.all_text().replace("\n", "\n  ")
        for item in section.items
    ]
    return [*(line for line in section.lines if line.strip()), *items]


def _must_haves(sections: list[Section]) -> list[MustHave]:
    """The must-haves, the success criteria and what the section Verification lists."""
    found = []
    for section in sections:
        if section.title.lower().startswith(("must-have", "success criteria", "verification")):
            if section.title.lower().startswith("verification class"):
                continue
            for item in section.items:
                if item.text.lower() not in EMPTY:
                    found += [MustHave(check.text, check.command) for check in checks_in(item.text)]
    return found
