"""Place the paths and commands of a plan: from its own folder, as paths from the root.

A plan in `packages/api/` means the files of that folder, and its commands run there. Folders that
only hold plans (`.planning`, `specs`, `docs`) do not count. Where the files are not there but in
the root of the repository, the root is meant.
"""

from __future__ import annotations

import os
import shlex

from ..core.plan.plan import CREATE, MODIFY, Link, Plan, PlannedFile, Task, TaskCheck
from ..core.plan.reading import PlanReading
from .plan_words import is_there, path_problem

PLAN_FOLDERS = (
    *("specs", "openspec", "docs", "doc", "plans", "planning", "tasks", "stories", "prd", "prds"),
    *("backlog", "_bmad-output"),
)
MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "Makefile", "pom.xml"),
    *("build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "deno.json", "mix.exs"),
)


def place_plan(reading: PlanReading, root: str) -> PlanReading:
    """The plan with its paths from the root, and with what is to be done with each file."""
    base = base_folder(reading.plan, root)
    plan = _move_plan(reading.plan, base) if base else reading.plan
    plan = plan.but(tasks=_decide_actions(plan.tasks, root))
    lines = reading.lines
    if base:
        names = {task.id for task in plan.tasks}
        own = [(name, line) for name, line in lines if name in names]
        moved = [(f"link {link.source} → {link.target}", 1) for link in plan.links]
        link_lines = [line for name, line in lines if name not in names]
        for number, line in enumerate(link_lines[: len(moved)]):
            moved[number] = moved[number][0], line
        lines = (*own, *moved)
    return reading.but(plan=plan, lines=tuple(lines))


def base_folder(plan: Plan, root: str) -> str:
    """The folder, from the root, that the paths of the plan start from; "" for the root."""
    folder = _own_folder(plan.file)
    if not folder:
        return ""
    paths = [file.path for task in plan.tasks for file in task.files if not path_problem(file.path)]
    if not paths:
        has_manifest = any(os.path.isfile(os.path.join(root, folder, m)) for m in MANIFESTS)
        return folder if has_manifest else ""
    if any(path.startswith(f"{folder}/") for path in paths):  # written from the root
        return ""
    starts = {path.partition("/")[0] for path in paths}
    if any(os.path.lexists(os.path.join(root, folder, start)) for start in starts):
        return folder
    in_root = any(os.path.lexists(os.path.join(root, start)) for start in starts)
    return "" if in_root else folder


def _own_folder(file: str) -> str:
    """The folder of the plan, up to the first one that only holds plans."""
    if os.path.isabs(file) or file.startswith(".."):
        return ""
    parts: list[str] = []
    for part in file.split("/")[:-1]:
        if part.startswith(".") or part.lower() in PLAN_FOLDERS:
            break
        parts.append(part)
    return "/".join(parts)


def _move_plan(plan: Plan, base: str) -> Plan:
    return plan.but(
        tasks=tuple(_move_task(task, base) for task in plan.tasks),
        must_haves=tuple(
            must.but(command=_move_command(must.command, base)) for must in plan.must_haves
        ),
        links=tuple(_move_link(link, base) for link in plan.links),
    )


def _move_task(task: Task, base: str) -> Task:
    return task.but(
        files=tuple(file.but(path=_move_path(file.path, base)) for file in task.files),
        checks=tuple(_move_check(check, base) for check in task.checks),
    )


def _move_check(check: TaskCheck, base: str) -> TaskCheck:
    path = _move_path(check.path, base) if check.path else ""
    return check.but(path=path, command=_move_command(check.command, base))


def _move_link(link: Link, base: str) -> Link:
    return link.but(source=_move_path(link.source, base), target=_move_path(link.target, base))


def _move_path(path: str, base: str) -> str:
    """The path from the root. One that leads elsewhere stays: the linter names it."""
    return path if path_problem(path) else f"{base}/{path}"


def _move_command(command: str, base: str) -> str:
    return f"cd {shlex.quote(base)} && {{ {command}; }}" if command else ""


def _decide_actions(tasks: tuple[Task, ...], root: str) -> tuple[Task, ...]:
    """Where a format does not say it: a file that is not there is made by its first task.

    A pattern or a folder is no file; it stays in the words of the task.
    """
    made = {f.path for task in tasks for f in task.files if f.action == CREATE}
    decided = []
    for task in tasks:
        files, patterns = [], []
        for file in task.files:
            if not file.action and ("*" in file.path or file.path.endswith("/")):
                patterns.append(file.path)
                continue
            if not file.action:
                is_new = file.path not in made and not is_there(root, file.path)
                made.add(file.path)
                file = PlannedFile(file.path, CREATE if is_new else MODIFY)
            files.append(file)
        action = task.action
        if patterns:
            action += f"\n\nFiles: {', '.join(patterns)}"
        decided.append(task.but(files=tuple(files), action=action))
    return tuple(decided)
