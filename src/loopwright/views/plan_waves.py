"""A plan at a glance: its waves and tasks, the critical path, and the problems in it."""

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
    width = max(width, NARROWEST_SCREEN)
    blocked, batches = blocked_tasks(plan), parallel_batches(plan)
    batch_numbers = {name: number for number, batch in enumerate(batches) for name in batch}
    file = f"  ({plan.file})" if plan.file else ""
    lines = [clip_text(f"Phase {plan.phase}: {plan.title or '(no title)'}{file}", width)]
    lines += wrap_words(totals_line(plan), width)
    for wave, tasks in tasks_by_wave(plan):
        sizes = Counter(batch_numbers[task.id] for task in tasks if task.id in batch_numbers)
        steps = " then ".join(str(sizes[number]) for number in sorted(sizes)) or "0"
        title = f"Wave {wave}: {count_phrase(len(tasks), 'task')}, {steps} at a time"
        lines += ["", clip_text(title, width)]
        for task in tasks:
            lines += task_rows(plan, task, width, task.id in blocked)
    chain = critical_path(plan)
    total = count_phrase(len(plan.tasks), "task")
    path = f"Critical path, {len(chain)} of {total}: {' → '.join(chain)}"
    lines += ["", *wrap_words(path, width)]
    eager = " (eager: what depends on nothing open begins, whatever its wave)" if plan.eager else ""
    most = f"Side by side: {max(map(len, batches), default=0)} at most{eager}"
    return "\n".join([*lines, *wrap_words(most, width)])


def totals_line(plan: Plan) -> str:
    tasks = count_phrase(len(plan.tasks), "task")
    waves = count_phrase(len(tasks_by_wave(plan)), "wave")
    parts = [
        f"{tasks} in {waves}",
        count_phrase(sum(len(task.checks) for task in plan.tasks), "check"),
        count_phrase(len(plan.must_haves), "must-have"),
        count_phrase(len(plan.links), "key link"),
    ]
    done = sum(task_state(plan, task) == DONE for task in plan.tasks)
    if done:
        parts.append(f"{done} done")
    return ", ".join(parts)


def task_rows(plan: Plan, task: Task, width: int, blocked: bool) -> list[str]:
    """The title of a task and what it depends on; below it the files that it changes."""
    head = f"  {TASK_MARKS[task_state(plan, task)]} {task.id}  "
    tail = f"  ← {', '.join(task.depends)}" if task.depends else ""
    notes = []
    if task.runs_alone:
        notes.append("alone")
    if blocked:
        notes.append("blocked")
    if notes:
        tail += f"  ({', '.join(notes)})"
    title = clip_text(task.title, max(width - len(head) - len(tail), SHORTEST_TITLE))
    files = ", ".join(f"{file.path} ({file.action})" for file in task.files)
    return [clip_text(f"{head}{title}{tail}", width), *wrap_words(files, width, " " * len(head))]


def wrap_words(text: str, width: int, margin: str = "") -> list[str]:
    """Lines of whole words; a path is never split."""
    wrapper = TextWrapper(width, margin, margin, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text)


def task_state(plan: Plan, task: Task) -> str:
    if task.id in plan.done:
        return DONE
    if task.id in plan.parked:
        return PARKED
    assigned = plan.assigned if plan.stage == EXECUTE else ()
    return WORKING if task.id in (*plan.running_tasks, *assigned) else OPEN


def problems_text(problems: tuple[PlanProblem, ...], file: str) -> str:
    """One line for each problem, in the format that editors parse, and the totals."""
    lines = [
        f"{file}{f':{problem.line}' if problem.line else ''}: {problem.severity}: {problem.text}"
        for problem in problems
    ]
    return "\n".join([*lines, f"{file}: {lint_verdict(problems)}"])


def lint_verdict(problems: tuple[PlanProblem, ...]) -> str:
    """How many errors and warnings there are, and whether the plan can start."""
    if not problems:
        return "nothing is wrong with it"
    errors = sum(problem.severity == ERROR for problem in problems)
    warnings = len(problems) - errors
    counts = []
    if errors:
        counts.append(count_phrase(errors, "error"))
    if warnings:
        counts.append(count_phrase(warnings, "warning"))
    return f"{' and '.join(counts)}{'' if errors else ': it can start'}"


def facts(plan: Plan, problems: tuple[PlanProblem, ...]) -> dict[str, Any]:
    """The same for programs, under stable names."""
    blocked = blocked_tasks(plan)
    waves = []
    for wave, tasks in tasks_by_wave(plan):
        waves.append({"wave": wave, "tasks": [_task_facts(plan, task, blocked) for task in tasks]})
    return {
        "file": plan.file,
        "phase": plan.phase,
        "title": plan.title,
        "waves": waves,
        "critical_path": list(critical_path(plan)),
        "side_by_side": max(map(len, parallel_batches(plan)), default=0),
        "must_haves": [must.__dict__ for must in plan.must_haves],
        "links": [link.__dict__ for link in plan.links],
        "problems": [problem.__dict__ for problem in problems],
    }


def _task_facts(plan: Plan, task: Task, blocked: tuple[str, ...]) -> dict[str, Any]:
    return {
        "id": task.id,
        "title": task.title,
        "state": task_state(plan, task),
        "blocked": task.id in blocked,
        "depends": list(task.depends),
        "files": [file.__dict__ for file in task.files],
        "checks": [{**check.__dict__, "wanted": list(check.wanted)} for check in task.checks],
        "done": task.done_when,
        "alone": task.runs_alone,
    }
