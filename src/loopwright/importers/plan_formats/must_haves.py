"""What must be true of a plan of opti-gsd or GSD 1: truths, artifacts and key links."""

from __future__ import annotations

from typing import Any

from ...core.plan.plan import CONTENT, FILE, Link, MustHave, TaskCheck
from ..plan_task import normalized_path
from ..plan_words import path_problem
from .document import ReadTask
from .json_values import first_of, one_line, tables_of, texts_of
from .task_words import PATH, checks_in


def read_must_haves(table: dict[str, Any]) -> tuple[list[MustHave], list[Link]]:
    """The truths, and the links between files. A link between other things is a truth, too."""
    truths = [_must_have(text) for text in texts_of(table.get("truths"))]
    truths += [_statement(entry) for entry in tables_of(table.get("truths"))]
    truths += [MustHave(text) for text in texts_of(table.get("key_links"))]
    links: dict[tuple[str, str], Link] = {}
    for entry in tables_of(table.get("key_links")):
        source, target, via = (one_line(entry.get(key)) for key in ("from", "to", "via"))
        if PATH.fullmatch(source) and PATH.fullmatch(target):
            links[source, target] = Link(source, target, via)
        elif source and target:
            truths.append(MustHave(f"{source} → {target}" + (f" ({via})" if via else "")))
    return [must for must in truths if must.text], list(links.values())


def _statement(table: dict[str, Any]) -> MustHave:
    text = one_line(first_of(table, "text", "description", "truth", "criterion", "outcome"))
    command = one_line(first_of(table, "check", "cmd", "command", "verify"))
    return MustHave(text, command) if command and text else _must_have(text)


def _must_have(text: str) -> MustHave:
    check = next(iter(checks_in(text)), TaskCheck("criterion"))
    return MustHave(check.text, check.command)


def check_artifacts(tasks: list[ReadTask], artifacts: Any) -> None:
    """Check each artifact with the task that writes it, else with the last one."""
    entries = [{"path": text} for text in texts_of(artifacts)] + tables_of(artifacts)
    for entry in entries:
        path = normalized_path(one_line(entry.get("path")))
        if not tasks or not path or path_problem(path):
            continue
        provides, contains = one_line(entry.get("provides")), one_line(entry.get("contains"))
        text = f"{path} contains {contains!r}" if contains else f"{path} exists"
        text += f": {provides}" if provides else ""
        wanted = (contains,) if contains else ()
        check = TaskCheck(CONTENT if contains else FILE, text, path=path, wanted=wanted)
        owner = next((n for n, row in enumerate(tasks) if path in row.task.paths), len(tasks) - 1)
        task = tasks[owner].task
        tasks[owner] = tasks[owner]._replace(task=task.but(checks=(*task.checks, check)))
