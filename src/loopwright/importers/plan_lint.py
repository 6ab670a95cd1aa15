"""What is wrong with a plan, found before anybody works on it: each problem with its line and the way out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import combinations, islice

from ..core.plan.criteria import task_check
from ..core.plan.plan import CREATE, DELETE, MODIFY, Task
from ..core.plan.reading import ERROR, WARNING, PlanProblem, PlanReading
from ..core.plan.schedule import all_dependencies, dependency_cycle
from ..core.prompts.phrases import clip_text
from .plan_words import path_problem

NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
NAME_RULE = "use letters, digits, dots, hyphens and underscores, at most 40"
ACTIONS = f"there are {CREATE}, {MODIFY} and {DELETE}"
MAX_TASKS, MAX_PARTS = 1_000, 200
MAX_PER_RULE = 100  # of one rule; who has that many corrects some and asks again
LineProblems = Iterator[tuple[int, str]]  # the line, and what is wrong there


def lint_plan(reading: PlanReading, root: str) -> tuple[PlanProblem, ...]:
    """All that is wrong, what the reader saw too: errors before warnings, then by line."""
    if len(reading.plan.tasks) > MAX_TASKS:
        return (
            PlanProblem(
                ERROR,
                1,
                f"{len(reading.plan.tasks)} tasks, and {MAX_TASKS} is the most. Split the plan",
            ),
        )
    found = {*reading.problems}
    for severity, rules in RULES.items():
        for rule in rules:
            found |= {
                PlanProblem(severity, line, text)
                for line, text in islice(rule(reading, root), MAX_PER_RULE)
            }
    return tuple(sorted(found, key=lambda problem: (problem.severity, problem.line, problem.text)))


def no_tasks(reading: PlanReading, root: str) -> LineProblems:
    if not reading.plan.tasks:
        yield (
            1,
            'no tasks. One begins with a line <task id="01" wave="1"> at the first column. A template: loop plan new GOAL',
        )


def oversized_tasks(reading: PlanReading, root: str) -> LineProblems:
    """A fresh context has room for so much."""
    for task in reading.plan.tasks:
        if max(len(task.files), len(task.checks)) > MAX_PARTS:
            many = f"{len(task.files)} files and {len(task.checks)} checks"
            yield (
                reading.line_of(task.id),
                f"task {task.id} has {many}; {MAX_PARTS} is the most. Split it",
            )


def bad_names(reading: PlanReading, root: str) -> LineProblems:
    """They become names of branches, folders and commits."""
    if not NAME.fullmatch(reading.plan.phase):
        yield 1, f"phase {clip_text(reading.plan.phase, 60)!r}: {NAME_RULE}"
    seen: dict[str, int] = {}
    for name, line in reading.lines[: len(reading.plan.tasks)]:
        if not name:
            yield (
                line,
                'a task without an id. Give it one: <task id="01" wave="1">, or `id: T-001` in its comment',
            )
        elif name in seen:
            yield (
                line,
                f"id {name!r} is taken already, on line {seen[name]}. Give this task another one",
            )
        elif not NAME.fullmatch(name):
            yield line, f"id {clip_text(name, 60)!r}: {NAME_RULE}"
        seen.setdefault(name, line)


def bad_dependencies(reading: PlanReading, root: str) -> LineProblems:
    tasks = {task.id: task for task in reading.plan.tasks}
    for task in tasks.values():
        for name in task.depends:
            if name not in tasks:
                close = get_close_matches(name, tasks, 1)
                hint = (
                    f"Did you mean {close[0]!r}?"
                    if close
                    else f"There are: {clip_text(', '.join(tasks), 80)}"
                )
                yield (
                    reading.line_of(task.id),
                    f"task {task.id} depends on {clip_text(name, 60)!r}, which does not exist. {hint}",
                )
            elif tasks[name].wave > task.wave:
                later = f"task {task.id} of wave {task.wave} depends on {name} of wave {tasks[name].wave}"
                yield reading.line_of(task.id), f"{later}, which begins after it. Move one of them"
    if circle := dependency_cycle(reading.plan):
        yield (
            reading.line_of(circle[0]),
            f"these wait for each other: {' → '.join(circle)}. Take one dependency away",
        )


def tasks_without_proof(reading: PlanReading, root: str) -> LineProblems:
    for task in reading.plan.tasks:
        if not task.checks and not task.done_when:
            yield (
                reading.line_of(task.id),
                f"task {task.id}: nothing says when it is done. Give it a check or a criterion, or at least <done>",
            )


def bad_paths(reading: PlanReading, root: str) -> LineProblems:
    top = os.path.join(os.path.realpath(root), "")
    for task in reading.plan.tasks:
        for file in task.files:
            why = path_problem(file.path)
            if not why and not os.path.realpath(os.path.join(top, file.path)).startswith(top):
                why = "leads out of the repository by a link"
            if why:
                yield (
                    reading.line_of(task.id),
                    f"task {task.id}: {clip_text(file.path, 120)!r} {why}. Name a file of this project",
                )
            if file.action not in (CREATE, MODIFY, DELETE):
                yield (
                    reading.line_of(task.id),
                    f"task {task.id}: unknown action {clip_text(file.action, 40)!r}; {ACTIONS}",
                )
    for link in reading.plan.links:
        for end in (link.source, link.target):
            if why := path_problem(end):
                yield (
                    _link_line(reading, link.source, link.target),
                    f"key link: {clip_text(end, 120)!r} {why}",
                )


def unprovable_tasks(reading: PlanReading, root: str) -> LineProblems:
    """What no machine can tell."""
    for task in reading.plan.tasks:
        line, bare = (
            reading.line_of(task.id),
            [check.text for check in task.checks if task_check(check) is None],
        )
        if not task.action.strip():
            yield line, f"task {task.id} has no <action>: only its name says what is to be done"
        if task.done_when and not task.checks:
            yield line, f"task {task.id} has no check: it can only be reported as done, not proven"
        if bare:
            many = (
                f"{len(bare)} of its {len(task.checks)} checks"
                if len(task.checks) > 1
                else "its check"
            )
            said = f"nobody can run {many} ({clip_text(bare[0], 60)}): an agent or a person looks. A command proves it"
            yield line, f"task {task.id}: {said}"


def shared_files(reading: PlanReading, root: str) -> LineProblems:
    above = all_dependencies(reading.plan.tasks)
    users: dict[tuple[int, str], list[str]] = {}
    for task in reading.plan.tasks:
        for path in task.paths:
            users.setdefault((task.wave, path), []).append(task.id)
    together: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for (wave, path), tasks in sorted(users.items()):
        together.setdefault((wave, tuple(tasks)), []).append(path)
    for (wave, group), files in together.items():
        for one, other in combinations(group, 2):
            if one not in above[other] and other not in above[one]:
                both = f"tasks {one} and {other} of wave {wave} share {clip_text(', '.join(files), 120)}"
                yield (
                    reading.line_of(other),
                    f"{both}: they run one after the other. A dependency says which is first",
                )


def missing_files(reading: PlanReading, root: str) -> LineProblems:
    """Files to change that are not there, and that no task before makes."""
    above = all_dependencies(reading.plan.tasks)
    makers: dict[str, list[Task]] = {}
    for task in reading.plan.tasks:
        for file in task.files:
            if file.action == CREATE:
                makers.setdefault(file.path, []).append(task)
    for task in reading.plan.tasks:
        for file in task.files:
            made = any(
                maker.wave < task.wave or maker.id in above[task.id]
                for maker in makers.get(file.path, ())
            )
            if file.action in (MODIFY, DELETE) and not made and not _path_exists(root, file.path):
                gone = f"task {task.id} is to {file.action} {file.path}"
                yield (
                    reading.line_of(task.id),
                    f"{gone}, but it is not there and no task before makes it",
                )


def dangling_links(reading: PlanReading, root: str) -> LineProblems:
    planned = {path for task in reading.plan.tasks for path in task.paths}
    for link in reading.plan.links:
        for end in dict.fromkeys((link.source, link.target)):
            if end not in planned and not _path_exists(root, end):
                text = f"key link: {clip_text(end, 120)} is neither there nor in any task's files"
                yield _link_line(reading, link.source, link.target), text


def _path_exists(root: str, path: str) -> bool:
    return bool(path_problem(path)) or os.path.lexists(
        os.path.join(root, path)
    )  # one that strays is an error already


def _link_line(reading: PlanReading, source: str, target: str) -> int:
    return reading.line_of(f"link {source} → {target}")


RULES = {
    ERROR: (no_tasks, oversized_tasks, bad_names, bad_dependencies, tasks_without_proof, bad_paths),
    WARNING: (unprovable_tasks, shared_files, missing_files, dangling_links),
}
