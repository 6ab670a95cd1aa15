"""Find what is wrong with a plan before work starts: each problem with its line and a remedy."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from difflib import get_close_matches
from itertools import combinations, islice

from .. import lazy_re as re
from ..core.plan.criteria import task_check
from ..core.plan.plan import CREATE, DELETE, MODIFY, Task
from ..core.plan.reading import ERROR, WARNING, PlanProblem, PlanReading
from ..core.plan.schedule import all_dependencies, dependency_cycle
from ..core.prompts.phrases import clip_text
from .plan_formats.document import MAX_TASKS
from .plan_words import is_there, path_problem

NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
NAME_RULE = "use letters (A to Z), digits, dots, hyphens and underscores, at most 40"
NO_BRANCH = re.compile(r"^[.-]|\.\.|\.$|\.lock$", re.I)  # git has no branch of such a name
ACTIONS = f"there are {CREATE}, {MODIFY} and {DELETE}"
MAX_PARTS = 200
MAX_ALIKE = 6  # of one kind of warning; more are counted
MAX_PER_RULE = 100  # the rest appears when these are corrected
LineProblems = Iterator[tuple[int, str]]  # the line, and what is wrong there


def lint_plan(reading: PlanReading, root: str) -> tuple[PlanProblem, ...]:
    """All problems, those of the reader included: errors before warnings, then by line."""
    task_count = len(reading.plan.tasks)
    if task_count > MAX_TASKS:
        text = f"{task_count} tasks, and {MAX_TASKS} is the most. Split the plan"
        return (PlanProblem(ERROR, 1, text),)
    problems = {*reading.problems}
    for severity, rules in RULES.items():
        for rule in rules:
            found = list(islice(rule(reading, root), MAX_TASKS))
            if severity == WARNING:
                found = count_alike(found)
            for line, text in found[:MAX_PER_RULE]:
                problems.add(PlanProblem(severity, line, text))
    return tuple(sorted(problems, key=lambda p: (p.severity, p.line, p.text)))


def count_alike(found: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """One warning with a number in place of many of one rule."""
    if len(found) <= MAX_ALIKE:
        return found
    (line, text), *others = found
    where = f", the next in line {others[0][0]}" if others[0][0] else ""
    return [(line, f"{text} (and {len(others)} more of this kind{where})")]


def no_tasks(reading: PlanReading, root: str) -> LineProblems:
    if not reading.plan.tasks:
        text = (
            "no tasks in any format that is read. One is a box (- [ ] words), or begins with a "
            'line <task id="01" wave="1"> at the first column. A template: loop plan new GOAL'
        )
        yield 1, text


def oversized_tasks(reading: PlanReading, root: str) -> LineProblems:
    """A task must fit into a fresh context."""
    for task in reading.plan.tasks:
        if max(len(task.files), len(task.checks)) > MAX_PARTS:
            size = f"{len(task.files)} files and {len(task.checks)} checks"
            text = f"task {task.id} has {size}; {MAX_PARTS} is the most. Split it"
            yield reading.line_of(task.id), text


def bad_names(reading: PlanReading, root: str) -> LineProblems:
    """Phase and ids become names of branches, folders and commits."""
    if not NAME.fullmatch(reading.plan.phase):
        yield 1, f"phase {clip_text(reading.plan.phase, 60)!r}: {NAME_RULE}"
    first_lines: dict[str, int] = {}
    for name, line in reading.lines[: len(reading.plan.tasks)]:
        if text := _id_problem(name, first_lines):
            yield line, text
        first_lines.setdefault(name.lower(), line)


def _id_problem(name: str, first_lines: dict[str, int]) -> str:
    if not name:
        example = '<task id="01" wave="1">, or `id: T-001` in its comment'
        return f"a task without an id. Give it one: {example}"
    if name.lower() in first_lines:  # some disks take T1 and t1 for one folder
        line = first_lines[name.lower()]
        taken = f"id {name!r} is taken already" + (f", on line {line}" if line else "")
        return f"{taken}. Give this task another one"
    if not NAME.fullmatch(name):
        return f"id {clip_text(name, 60)!r}: {NAME_RULE}"
    if NO_BRANCH.search(name):
        return f"id {name!r}: git has no branch of such a name. End it with a letter or a digit"
    return ""


def bad_dependencies(reading: PlanReading, root: str) -> LineProblems:
    tasks = {task.id: task for task in reading.plan.tasks}
    for task in tasks.values():
        line = reading.line_of(task.id)
        for name in task.depends:
            if name not in tasks:
                missing = f"task {task.id} depends on {clip_text(name, 60)!r}, which does not exist"
                others = [other for other in tasks if other != task.id]
                yield line, f"{missing}. {_name_hint(name, others)}"
            elif tasks[name].wave > task.wave:
                own = f"task {task.id} of wave {task.wave}"
                later = f"{own} depends on {name} of wave {tasks[name].wave}"
                yield line, f"{later}, which begins after it. Move one of them"
    # Two tasks with one id look as if they waited for each other.
    cycle = dependency_cycle(reading.plan) if len(tasks) == len(reading.plan.tasks) else ()
    if cycle:
        text = f"these wait for each other: {' → '.join(cycle)}. Take one dependency away"
        yield reading.line_of(cycle[0]), text


def _name_hint(name: str, others: list[str]) -> str:
    close = get_close_matches(name, others, 1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"There are: {clip_text(', '.join(others), 80)}" if others else "No other task is there"


def tasks_without_proof(reading: PlanReading, root: str) -> LineProblems:
    is_json = reading.plan.file.lower().endswith(".json")
    least = '"done": "…"' if is_json else "<done>"
    for task in reading.plan.tasks:
        if not task.checks and not task.done_when:
            remedy = f"Give it a check or a criterion, or at least {least}"
            text = f"task {task.id}: nothing says when it is done. {remedy}"
            yield reading.line_of(task.id), text


def bad_paths(reading: PlanReading, root: str) -> LineProblems:
    top = os.path.join(os.path.realpath(root), "")
    for task in reading.plan.tasks:
        line = reading.line_of(task.id)
        for file in task.files:
            reason = path_problem(file.path) or _link_problem(top, file.path)
            if reason:
                path = repr(clip_text(file.path, 120))
                yield line, f"task {task.id}: {path} {reason}. Name a file of this project"
            if file.action not in (CREATE, MODIFY, DELETE):
                action = repr(clip_text(file.action, 40))
                yield line, f"task {task.id}: unknown action {action}; {ACTIONS}"
    for line, path in _link_ends(reading):
        if reason := path_problem(path):
            yield line, f"key link: {clip_text(path, 120)!r} {reason}"


def _link_problem(top: str, path: str) -> str:
    real_path = os.path.realpath(os.path.join(top, path))
    return "" if real_path.startswith(top) else "leads out of the repository by a link"


def tasks_without_action(reading: PlanReading, root: str) -> LineProblems:
    for task in reading.plan.tasks:
        if not task.action.strip():
            text = f"task {task.id} has no <action>: only its name says what is to be done"
            yield reading.line_of(task.id), text


def tasks_without_check(reading: PlanReading, root: str) -> LineProblems:
    for task in reading.plan.tasks:
        if task.done_when and not task.checks:
            text = f"task {task.id} has no check: it can only be reported as done, not proven"
            yield reading.line_of(task.id), text


def tasks_to_examine(reading: PlanReading, root: str) -> LineProblems:
    """Tasks with checks that no command runs."""
    for task in reading.plan.tasks:
        manual = [check.text for check in task.checks if task_check(check) is None]
        if manual:
            count = len(task.checks)
            which = f"{len(manual)} of its {count} checks" if count > 1 else "its check"
            text = (
                f"no command runs {which} ({clip_text(manual[0], 60)}): "
                "an agent or a person looks. A command proves it"
            )
            yield reading.line_of(task.id), f"task {task.id}: {text}"


def shared_files(reading: PlanReading, root: str) -> LineProblems:
    """Independent tasks of one wave that use the same files."""
    dependencies = all_dependencies(reading.plan.tasks)
    for (wave, group), files in _files_by_group(reading.plan.tasks).items():
        for first, second in combinations(group, 2):
            if first in dependencies[second] or second in dependencies[first]:
                continue
            both = f"tasks {first} and {second} of wave {wave}"
            shared = f"{both} share {clip_text(', '.join(files), 120)}"
            order = "they run one after the other. A dependency says which is first"
            yield reading.line_of(second), f"{shared}: {order}"


def _files_by_group(tasks: tuple[Task, ...]) -> dict[tuple[int, tuple[str, ...]], list[str]]:
    """A wave and the tasks in it that share files → those files."""
    users: dict[tuple[int, str], list[str]] = {}
    for task in tasks:
        for path in task.paths:
            users.setdefault((task.wave, path), []).append(task.id)
    groups: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for (wave, path), ids in sorted(users.items()):
        groups.setdefault((wave, tuple(ids)), []).append(path)
    return groups


def missing_files(reading: PlanReading, root: str) -> LineProblems:
    """Files to change that do not exist, and that no earlier task creates."""
    dependencies = all_dependencies(reading.plan.tasks)
    makers = _makers_by_path(reading.plan.tasks)
    for task in reading.plan.tasks:
        for file in task.files:
            if file.action not in (MODIFY, DELETE) or is_there(root, file.path):
                continue
            earlier = dependencies[task.id]
            if any(_is_earlier(maker, task, earlier) for maker in makers.get(file.path, ())):
                continue
            missing = f"task {task.id} is to {file.action} {file.path}"
            text = f"{missing}, but it is not there and no task before makes it"
            yield reading.line_of(task.id), text


def _is_earlier(maker: Task, task: Task, dependencies: Container[str]) -> bool:
    return maker.wave < task.wave or maker.id in dependencies


def _makers_by_path(tasks: tuple[Task, ...]) -> dict[str, list[Task]]:
    """Path → the tasks that create it."""
    makers: dict[str, list[Task]] = {}
    for task in tasks:
        for file in task.files:
            if file.action == CREATE:
                makers.setdefault(file.path, []).append(task)
    return makers


def dangling_links(reading: PlanReading, root: str) -> LineProblems:
    """Links to files that neither exist nor belong to a task."""
    planned = {path for task in reading.plan.tasks for path in task.paths}
    for line, path in _link_ends(reading):
        if path not in planned and not is_there(root, path):
            text = f"key link: {clip_text(path, 120)} is neither there nor in any task's files"
            yield line, text


def _link_ends(reading: PlanReading) -> LineProblems:
    """Every path at an end of a link, with the line of the link."""
    for link in reading.plan.links:
        line = reading.line_of(f"link {link.source} → {link.target}")
        for path in dict.fromkeys((link.source, link.target)):
            yield line, path


RULES = {
    ERROR: (no_tasks, oversized_tasks, bad_names, bad_dependencies, tasks_without_proof, bad_paths),
    WARNING: (
        *(tasks_without_action, tasks_without_check, tasks_to_examine),
        *(shared_files, missing_files, dangling_links),
    ),
}
