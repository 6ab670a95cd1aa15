"""A plan at a glance: its waves with their tasks, how many run side by side, the longest chain; and what lint found."""

from __future__ import annotations

from collections import Counter
from textwrap import TextWrapper
from typing import Any

from ..core.plan.plan import EXECUTE, Plan, Task
from ..core.plan.reading import ERROR, PlanProblem
from ..core.plan.schedule import blocked_tasks, critical_path, parallel_batches, tasks_by_wave
from ..core.prompts.phrases import clip_text, count_phrase

DONE, PARKED, WORKING, OPEN = "done", "parked", "working", "open"
TASK_MARKS = {DONE: "✓", PARKED: "⏸", WORKING: "…", OPEN: "○"}
NARROWEST_SCREEN, SHORTEST_TITLE = 40, 20


def text(plan: Plan, width: int = 80) -> str:
    """The plan as a drawing, for a screen so many columns wide."""
    width, stuck, together = (
        max(width, NARROWEST_SCREEN),
        blocked_tasks(plan),
        parallel_batches(plan),
    )
    turn = {name: number for number, batch in enumerate(together) for name in batch}
    lines = [
        clip_text(
            f"Phase {plan.phase}: {plan.title or '(no title)'}{f'  ({plan.file})' if plan.file else ''}",
            width,
        )
    ]
    lines += wrap_words(totals_line(plan), width)
    for wave, tasks in tasks_by_wave(plan):
        sizes = Counter(turn[task.id] for task in tasks if task.id in turn)
        steps = " then ".join(str(sizes[number]) for number in sorted(sizes)) or "0"
        lines += [
            "",
            clip_text(f"Wave {wave}: {count_phrase(len(tasks), 'task')}, {steps} at a time", width),
        ]
        for task in tasks:
            lines += task_rows(plan, task, width, task.id in stuck)
    chain = critical_path(plan)
    lines += [
        "",
        *wrap_words(
            f"Critical path, {len(chain)} of {count_phrase(len(plan.tasks), 'task')}: {' → '.join(chain)}",
            width,
        ),
    ]
    eager = " (eager: what depends on nothing open begins, whatever its wave)" if plan.eager else ""
    return "\n".join(
        [
            *lines,
            *wrap_words(
                f"Side by side: {max(map(len, together), default=0)} at most{eager}", width
            ),
        ]
    )


def totals_line(plan: Plan) -> str:
    count = sum(len(task.checks) for task in plan.tasks)
    parts = [
        f"{count_phrase(len(plan.tasks), 'task')} in {count_phrase(len(tasks_by_wave(plan)), 'wave')}",
        count_phrase(count, "check"),
    ]
    parts += [
        count_phrase(len(plan.must_haves), "must-have"),
        count_phrase(len(plan.links), "key link"),
    ]
    done = sum(task_state(plan, task) == DONE for task in plan.tasks)
    return ", ".join([*parts, *([f"{done} done"] if done else [])])


def task_rows(plan: Plan, task: Task, width: int, stuck: bool) -> list[str]:
    """What it is called and waits for; below it the files that it touches."""
    head, needs = f"  {TASK_MARKS[task_state(plan, task)]} {task.id}  ", ", ".join(task.depends)
    notes = ", ".join([*(["alone"] if task.runs_alone else []), *(["blocked"] if stuck else [])])
    tail = f"{f'  ← {needs}' if needs else ''}{f'  ({notes})' if notes else ''}"
    title = clip_text(task.title, max(width - len(head) - len(tail), SHORTEST_TITLE))
    files = ", ".join(f"{file.path} ({file.action})" for file in task.files)
    return [clip_text(f"{head}{title}{tail}", width), *wrap_words(files, width, " " * len(head))]


def wrap_words(text: str, width: int, margin: str = "") -> list[str]:
    """Lines of whole words: half a path is no use to anybody."""
    wrapper = TextWrapper(width, margin, margin, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text)


def task_state(plan: Plan, task: Task) -> str:
    if task.id in plan.done:
        return DONE
    if task.id in plan.parked:
        return PARKED
    assigned = plan.assigned if plan.stage == EXECUTE else ()
    return WORKING if task.id in (*plan.running_tasks, *assigned) else OPEN


def problems_text(found: tuple[PlanProblem, ...], file: str) -> str:
    """One line each, as editors know them, and the sum."""
    lines = [f"{file}:{problem.line}: {problem.severity}: {problem.text}" for problem in found]
    return "\n".join([*lines, f"{file}: {lint_verdict(found)}"])


def lint_verdict(found: tuple[PlanProblem, ...]) -> str:
    errors = sum(problem.severity == ERROR for problem in found)
    warnings = len(found) - errors
    if not found:
        return "nothing is wrong with it"
    said = [
        count_phrase(number, noun)
        for number, noun in ((errors, "error"), (warnings, "warning"))
        if number
    ]
    return f"{' and '.join(said)}{'' if errors else ': it can start'}"


def facts(plan: Plan, found: tuple[PlanProblem, ...]) -> dict[str, Any]:
    """The same for programs, under stable names."""
    stuck = blocked_tasks(plan)
    return {
        "file": plan.file,
        "phase": plan.phase,
        "title": plan.title,
        "waves": [
            {"wave": wave, "tasks": [_task_facts(plan, task, stuck) for task in tasks]}
            for wave, tasks in tasks_by_wave(plan)
        ],
        "critical_path": list(critical_path(plan)),
        "side_by_side": max(map(len, parallel_batches(plan)), default=0),
        "must_haves": [must.__dict__ for must in plan.must_haves],
        "links": [link.__dict__ for link in plan.links],
        "problems": [problem.__dict__ for problem in found],
    }


def _task_facts(plan: Plan, task: Task, stuck: tuple[str, ...]) -> dict[str, Any]:
    return {
        "id": task.id,
        "title": task.title,
        "state": task_state(plan, task),
        "blocked": task.id in stuck,
        "depends": list(task.depends),
        "files": [file.__dict__ for file in task.files],
        "checks": [{**check.__dict__, "wanted": list(check.wanted)} for check in task.checks],
        "done": task.done_when,
        "alone": task.runs_alone,
    }
