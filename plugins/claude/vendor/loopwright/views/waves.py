"""A plan at a glance: its waves with their tasks, how many run side by side, the longest chain; and what lint found."""

from __future__ import annotations

from collections import Counter
from textwrap import TextWrapper
from typing import Any

from ..core.plan import EXECUTE, Plan, Task
from ..core.reading import ERROR, Problem
from ..core.schedule import batches, blocked, critical_path, waves
from ..core.wording import clip, counted

DONE, PARKED, WORKING, OPEN = "done", "parked", "working", "open"
MARKS = {DONE: "✓", PARKED: "⏸", WORKING: "…", OPEN: "○"}
NARROWEST, SHORTEST = 40, 20


def text(plan: Plan, width: int = 80) -> str:
    """The plan as a drawing, for a screen so many columns wide."""
    width, stuck, together = max(width, NARROWEST), blocked(plan), batches(plan)
    turn = {name: number for number, batch in enumerate(together) for name in batch}
    lines = [clip(f"Phase {plan.phase}: {plan.title or '(no title)'}{f'  ({plan.file})' if plan.file else ''}", width)]
    lines += wrap(totals(plan), width)
    for wave, tasks in waves(plan):
        sizes = Counter(turn[task.id] for task in tasks if task.id in turn)
        steps = " then ".join(str(sizes[number]) for number in sorted(sizes)) or "0"
        lines += ["", clip(f"Wave {wave}: {counted(len(tasks), 'task')}, {steps} at a time", width)]
        for task in tasks:
            lines += rows(plan, task, width, task.id in stuck)
    chain = critical_path(plan)
    lines += ["", *wrap(f"Critical path, {len(chain)} of {counted(len(plan.tasks), 'task')}: {' → '.join(chain)}", width)]
    eager = " (eager: what depends on nothing open begins, whatever its wave)" if plan.eager else ""
    return "\n".join([*lines, *wrap(f"Side by side: {max(map(len, together), default=0)} at most{eager}", width)])


def totals(plan: Plan) -> str:
    count = sum(len(task.checks) for task in plan.tasks)
    parts = [f"{counted(len(plan.tasks), 'task')} in {counted(len(waves(plan)), 'wave')}", counted(count, "check")]
    parts += [counted(len(plan.must_haves), "must-have"), counted(len(plan.links), "key link")]
    done = sum(state(plan, task) == DONE for task in plan.tasks)
    return ", ".join([*parts, *([f"{done} done"] if done else [])])


def rows(plan: Plan, task: Task, width: int, stuck: bool) -> list[str]:
    """What it is called and waits for; below it the files that it touches."""
    head, needs = f"  {MARKS[state(plan, task)]} {task.id}  ", ", ".join(task.depends)
    notes = ", ".join([*(["alone"] if task.alone else []), *(["blocked"] if stuck else [])])
    tail = f"{f'  ← {needs}' if needs else ''}{f'  ({notes})' if notes else ''}"
    title = clip(task.title, max(width - len(head) - len(tail), SHORTEST))
    files = ", ".join(f"{file.path} ({file.action})" for file in task.files)
    return [clip(f"{head}{title}{tail}", width), *wrap(files, width, " " * len(head))]


def wrap(text: str, width: int, margin: str = "") -> list[str]:
    """Lines of whole words: half a path is no use to anybody."""
    wrapper = TextWrapper(width, margin, margin, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text)


def state(plan: Plan, task: Task) -> str:
    if task.id in plan.done:
        return DONE
    if task.id in plan.parked:
        return PARKED
    assigned = plan.assigned if plan.stage == EXECUTE else ()
    return WORKING if task.id in (*plan.working, *assigned) else OPEN


def problems(found: tuple[Problem, ...], file: str) -> str:
    """One line each, as editors know them, and the sum."""
    lines = [f"{file}:{problem.line}: {problem.severity}: {problem.text}" for problem in found]
    return "\n".join([*lines, f"{file}: {verdict(found)}"])


def verdict(found: tuple[Problem, ...]) -> str:
    errors = sum(problem.severity == ERROR for problem in found)
    warnings = len(found) - errors
    if not found:
        return "nothing is wrong with it"
    said = [counted(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    return f"{' and '.join(said)}{'' if errors else ': it can start'}"


def facts(plan: Plan, found: tuple[Problem, ...]) -> dict[str, Any]:
    """The same for programs, under stable names."""
    stuck = blocked(plan)
    return {
        "file": plan.file,
        "phase": plan.phase,
        "title": plan.title,
        "waves": [{"wave": wave, "tasks": [_task(plan, task, stuck) for task in tasks]} for wave, tasks in waves(plan)],
        "critical_path": list(critical_path(plan)),
        "side_by_side": max(map(len, batches(plan)), default=0),
        "must_haves": [must.__dict__ for must in plan.must_haves],
        "links": [link.__dict__ for link in plan.links],
        "problems": [problem.__dict__ for problem in found],
    }


def _task(plan: Plan, task: Task, stuck: tuple[str, ...]) -> dict[str, Any]:
    return {
        "id": task.id,
        "title": task.title,
        "state": state(plan, task),
        "blocked": task.id in stuck,
        "depends": list(task.depends),
        "files": [file.__dict__ for file in task.files],
        "checks": [{**check.__dict__, "wanted": list(check.wanted)} for check in task.checks],
        "done": task.done,
        "alone": task.alone,
    }
