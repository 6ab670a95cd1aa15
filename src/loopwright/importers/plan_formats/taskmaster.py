"""The tasks.json of Taskmaster: tags with tasks, each with subtasks and a test strategy.

A subtask is a task of its own, 3.1. The task above it comes after its subtasks: it completes them
and its test strategy is checked on the whole.
"""

from __future__ import annotations

from typing import Any

from ...core.plan.plan import Task
from ...core.plan.reading import WARNING, PlanProblem, PlanReading
from ...core.prompts.phrases import clip_text, count_phrase
from .document import MAX_TITLE, Document, ReadTask, leave_out, make_reading
from .json_values import first_of, id_lines, names_of, one_line, tables_of, text_of
from .task_words import checks_in

DONE, LEFT_OUT = ("done", "completed"), ("cancelled", "canceled", "deferred")
OWN_KEYS = {"testStrategy", "subtasks", "details"}
STATE = "../state.json"


def is_tasks(document: Document) -> bool:
    tags = read_tags(document)
    entries = [entry for tasks in tags.values() for entry in tasks]
    if "" not in tags and entries:
        return True
    has_numbers = any(type(entry.get("id")) is int for entry in entries)
    own_keys = OWN_KEYS | ({"status"} if document.name.lower() == "tasks.json" else set())
    return has_numbers and any(own_keys & entry.keys() for entry in entries)


def read(document: Document) -> PlanReading:
    """The tasks of the current tag. A status decides what is done, and what is left out."""
    tags = read_tags(document)
    tag = current_tag(document, tags)
    entries = _with_subtasks(tags[tag])
    lines = id_lines(document.text, [entry for _, _, entry in entries])
    if next(iter(tags)) != tag:  # ids repeat in each tag, so their lines are not known
        lines = [1] * len(entries)
    known = {name: entry for name, _, entry in entries}
    tasks, skipped = [], {}
    for (name, parent, entry), line in zip(entries, lines, strict=True):
        # What a task says holds for its subtasks too.
        states = {_status(entry), _status(known.get(parent, {}))}
        task = _read_task(name, parent, entry, known)
        tasks.append(ReadTask(task, line, not states.isdisjoint(DONE)))
        if not states.isdisjoint(LEFT_OUT):
            skipped[name] = line
    problems = leave_out(tasks, skipped, "deferred or cancelled by their status")
    others = [f"{key} ({len(tags[key])})" for key in tags if key != tag and tags[key]]
    if others:
        text = (
            f"read is the tag {tag!r}; not read: {clip_text(', '.join(others), 120)}. "
            "To read another one: task-master use-tag NAME"
        )
        problems.append(PlanProblem(WARNING, 1, text))
    title = tag if tag and tag != "master" else "Taskmaster tasks"
    return make_reading(document, title, tasks, problems=problems)


def read_tags(document: Document) -> dict[str, list[dict[str, Any]]]:
    """Tag → its tasks; a file without tags has the tag ""."""
    data = document.json_value
    if not isinstance(data, dict):
        return {}
    if isinstance(data.get("tasks"), list):
        return {"": tables_of(data["tasks"])}
    return {
        tag: tables_of(value["tasks"])
        for tag, value in data.items()
        if isinstance(value, dict) and isinstance(value.get("tasks"), list)
    }


def current_tag(document: Document, tags: dict[str, list[dict[str, Any]]]) -> str:
    """The tag that state.json names; else master; else the first one that has tasks."""
    state = document._replace(text=dict(document.others).get(STATE, "")).json_value
    named = state.get("currentTag") if isinstance(state, dict) else ""
    for tag in (named, "master"):
        if isinstance(tag, str) and tags.get(tag):
            return tag
    return next((tag for tag, tasks in tags.items() if tasks), next(iter(tags)))


def _with_subtasks(tasks: list[dict[str, Any]]) -> list[tuple[str, str, dict[str, Any]]]:
    """Each task and each subtask: its id, the id of its parent, and its entry; parents first."""
    rows = []
    for task in tasks:
        name = one_line(task.get("id"))
        rows.append((name, "", task))
        for sub in tables_of(task.get("subtasks")):
            own = one_line(sub.get("id"))
            rows.append((own if own.startswith(f"{name}.") else f"{name}.{own}", name, sub))
    return rows


def _status(entry: dict[str, Any]) -> str:
    return one_line(entry.get("status")).lower()


def _read_task(
    name: str, parent: str, entry: dict[str, Any], known: dict[str, dict[str, Any]]
) -> Task:
    title = one_line(first_of(entry, "title", "description"))
    texts = [text_of(entry.get(key)) for key in ("description", "details")]
    depends = [*names_of(known.get(parent, {}).get("dependencies"))] if parent else []
    depends += [_dependency(word, parent, known) for word in names_of(entry.get("dependencies"))]
    subtasks = _with_subtasks([entry])[1:] if not parent else []
    if subtasks:
        depends += [own_name for own_name, _, _ in subtasks]
        count = count_phrase(len(subtasks), "subtask")
        texts.append(f"Its {count} came before it. Complete what they leave open.")
    action = "\n\n".join(filter(None, texts)) or title
    strategy = checks_in(text_of(entry.get("testStrategy")))
    return Task(
        id=name,
        title=clip_text(title, MAX_TITLE),
        depends=tuple(dict.fromkeys(depends)),
        action=action,
        done_when="" if strategy else title,
        checks=strategy,
    )


def _dependency(word: str, parent: str, known: dict[str, dict[str, Any]]) -> str:
    """The task that a dependency names. In a subtask, a number is first one of its siblings."""
    sibling = f"{parent}.{word}"
    return sibling if parent and sibling in known else word
