"""The plan.json of opti-gsd: tasks in a list, or in waves, with files, verify and done."""

from __future__ import annotations

from typing import Any

from ...core.plan.plan import CREATE, DELETE, MODIFY, PlannedFile, Task, TaskCheck
from ...core.plan.reading import PlanReading
from ...core.prompts.phrases import clip_text
from ..plan_task import normalized_path
from ..plan_text import resolve_dependencies
from ..plan_words import check_target
from .document import MAX_TITLE, Document, ReadTask, make_reading
from .json_values import first_of, id_lines, names_of, one_line, tables_of, text_of, texts_of
from .must_haves import check_artifacts, read_must_haves
from .task_words import checks_in, listed_files

ACTIONS = (CREATE, MODIFY, DELETE)
OWN_KEYS = ("waves", "must_haves", "mustHaves", "wave_count")
CHECK_WORDS = ("text", "description", "check", "target", "expect", "expected")
TASK_KEYS = {"verify", "done", "wave"}


def is_plan(document: Document) -> bool:
    data = document.json_value
    if not isinstance(data, dict):
        return False
    entries = _task_entries(data)
    is_own = any(key in data for key in OWN_KEYS)
    if any("acceptanceCriteria" in entry for _, entry in entries):
        return False
    return bool(entries) and (is_own or any(TASK_KEYS & entry.keys() for _, entry in entries))


def read(document: Document) -> PlanReading:
    """Tasks of one wave run side by side; each wave waits for the one before it."""
    data = document.json_value
    entries = _task_entries(data)
    lines = id_lines(document.text, [entry for _, entry in entries])
    tasks = resolve_dependencies([_read_task(wave, entry) for wave, entry in entries])
    done = [
        one_line(entry.get("status")).lower() in ("done", "complete", "completed")
        or entry.get("passes") is True
        for _, entry in entries
    ]
    read = [ReadTask(*row) for row in zip(tasks, lines, done, strict=True)]
    must = _must_haves_of(data)
    check_artifacts(read, must.get("artifacts"))
    must_haves, links = read_must_haves(must)
    title = one_line(first_of(data, "title", "name", "goal", "phase_title"))
    reading = make_reading(
        document,
        title,
        read,
        phase=one_line(data.get("phase")),
        must_haves=must_haves,
        links=links,
    )
    waves = {task.id: task.wave for task in tasks}
    plan = reading.plan
    return reading.but(
        plan=plan.but(tasks=tuple(task.but(wave=waves[task.id]) for task in plan.tasks))
    )


def _must_haves_of(data: dict[str, Any]) -> dict[str, Any]:
    """Truths, artifacts and key links, which may also stand beside them."""
    must = first_of(data, "must_haves", "mustHaves")
    table = must if isinstance(must, dict) else {"truths": must}
    links = [table.get("key_links"), data.get("key_links")]
    return {**table, "key_links": [row for rows in links if isinstance(rows, list) for row in rows]}


def _task_entries(data: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Every task with its wave: its own number, else that of the wave it stands in."""
    groups = [(1, data)]
    for position, wave in enumerate(tables_of(data.get("waves")), 1):
        groups.append((_wave_number(first_of(wave, "wave", "number", "id"), position), wave))
    return [
        (_wave_number(entry.get("wave"), number), entry)
        for number, group in groups
        for entry in tables_of(group.get("tasks"))
    ]


def _wave_number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and 0 < value < 10_000 else otherwise


def _read_task(wave: int, entry: dict[str, Any]) -> Task:
    title = one_line(first_of(entry, "title", "name", "description", "action"))
    files = _read_files(entry.get("files"))
    parts = [
        text_of(entry.get(key)) for key in ("action", "description", "instructions", "details")
    ]
    return Task(
        id=one_line(entry.get("id")),
        title=clip_text(title, MAX_TITLE),
        wave=wave,
        depends=names_of(first_of(entry, "depends", "depends_on", "dependsOn", "dependencies")),
        files=files,
        action="\n\n".join(dict.fromkeys(filter(None, parts))) or title,
        done_when=" ".join(texts_of(entry.get("done"))) or title,
        checks=tuple(_read_checks(first_of(entry, "verify", "verification"), files)),
        requirements=names_of(first_of(entry, "reqs", "requirements")),
    )


def _read_files(value: Any) -> tuple[PlannedFile, ...]:
    """Files as paths, as objects with an action, or as lists by action."""
    files = list(listed_files("\n".join(texts_of(value))))
    for table in tables_of(value):
        path = one_line(first_of(table, "path", "file", "name"))
        action = one_line(table.get("action")).lower()
        if path:
            files.append(PlannedFile(normalized_path(path), action if action in ACTIONS else ""))
    if isinstance(value, dict):
        for action, paths in value.items():
            own = action if action in ACTIONS else ""
            files += [PlannedFile(normalized_path(path), own) for path in texts_of(paths)]
    return tuple({file.path: file for file in files}.values())


def _read_checks(value: Any, files: tuple[PlannedFile, ...]) -> list[TaskCheck]:
    checks = [check for text in texts_of(value) for check in checks_in(text)]
    for table in [value] if isinstance(value, dict) else tables_of(value):
        command = one_line(first_of(table, "cmd", "command", "run"))
        text = one_line(first_of(table, *CHECK_WORDS))
        kind = one_line(table.get("type")).lower() or "criterion"
        if command or text:
            path, wanted = ("", ()) if command else check_target(kind, text, files)
            checks.append(TaskCheck(kind, text or command, command, path, wanted))
    return checks
