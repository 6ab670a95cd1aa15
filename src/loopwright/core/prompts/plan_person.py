"""What a plan loop tells a person: its questions, the reasons of its pauses, and the subjects of its commits."""

from __future__ import annotations

from ..criteria import Criterion
from ..plan.plan import Gap, Plan, Task, criterion_names
from .phrases import clip_text, count_phrase


def retry_question(plan: Plan, task: str) -> str:
    return f"Task {task} failed. Retry? ({plan.failure_of(task).times - 1}/{plan.retries} attempts used)"


def fix_question(plan: Plan) -> str:
    return f"Verification found {count_phrase(len(plan.gaps), 'gap')}. Attempt automatic fix? ({plan.fix_rounds}/{plan.max_fix_rounds})"


def gap_list(plan: Plan) -> str:
    """The gaps, for a person who is to say yes."""
    return "\n".join(f"- {gap.key}: {_one_line(gap.text)}" for gap in plan.gaps[:20])


def parked_reason(plan: Plan) -> str:
    """The seed's reason, once for each, with the last error of the first."""
    tasks = [name for name in plan.parked if name in {task.id for task in plan.tasks}]
    rows = [f"Task {name} failed after {plan.retries} retries" for name in tasks]
    error = plan.failure_of(tasks[0]).error if tasks else ""
    return (
        f"{clip_text('; '.join(rows), 1_000)}{f': {_one_line(error)}' if error else ''}"
        or parked_gaps_reason(plan)
    )


def parked_gaps_reason(plan: Plan) -> str:
    return f"{count_phrase(len(plan.gaps), 'gap')} failed to be fixed {plan.retries} times each: {_gap_keys(plan)}"


def out_of_rounds_reason(plan: Plan) -> str:
    return f"Max iterations ({plan.max_fix_rounds}) reached with {len(plan.gaps)} gaps remaining: {_gap_keys(plan)}"


def auto_loop_off_reason(plan: Plan) -> str:
    return f"Verification found {count_phrase(len(plan.gaps), 'gap')}, and auto_loop is off: {_gap_keys(plan)}"


def completion_lines(plan: Plan, criteria: tuple[str, ...]) -> list[str]:
    """What the end says, in so many lines as there are tasks: its dozens of checks are in VERIFICATION.md."""
    ours = {name: task for task in plan.tasks for name in criterion_names(task)}
    files = [name for name in criteria if name.startswith("artifact ")]
    links = [name for name in criteria if name.startswith("link ")]
    rest = [
        name for name in criteria if name not in ours and name not in files and name not in links
    ]
    tasks = [
        f"{task.id} {task.title} ({count_phrase(len(task.checks), 'check')})" for task in plan.tasks
    ]
    sums = [
        count_phrase(len(found), noun)
        for found, noun in ((files, "artifact"), (links, "key link"))
        if found
    ]
    return [*tasks, *sums, *rest]


def undone_tasks_reason(tasks: tuple[str, ...]) -> str:
    number = count_phrase(len(tasks), "task")
    return f"every check passes, but {number} that no check can prove were never done: {clip_text(', '.join(tasks), 300)}"


def not_allowed_reason(waiting: tuple[str, ...]) -> str:
    return f"{count_phrase(len(waiting), 'check')} of the plan may not run before `loop allow`: {clip_text(', '.join(waiting), 300)}"


def _gap_keys(plan: Plan) -> str:
    return clip_text(", ".join(gap.key for gap in plan.gaps), 400)


def _one_line(text: str) -> str:
    return clip_text(" ".join(text.split()), 300)


def task_commit_subject(plan: Plan, task: Task) -> str:
    """{type}({phase}-{task}): {description}"""
    paths = [file.path for file in task.files]
    words = task.title.lower().split()[:1]
    kind = "feat"
    if words and words[0] in ("fix", "repair", "correct", "mend"):
        kind = "fix"
    elif paths and all("test" in path.lower() for path in paths):
        kind = "test"
    elif paths and all(path.lower().endswith((".md", ".rst", ".txt")) for path in paths):
        kind = "docs"
    elif words and words[0] in ("refactor", "rename", "move", "extract"):
        kind = "refactor"
    title = " ".join(task.title.split()) or f"task {task.id}"
    first = title[:1] if title[1:2].isupper() else title[:1].lower()
    return f"{kind}({plan.phase}-{task.id}): {clip_text(first + title[1:], 90)}"


def fix_commit_subject(plan: Plan, gap: Gap) -> str:
    return clip_text(
        f"fix({plan.phase}): {gap.kind} {gap.file}{f' -> {gap.target}' if gap.target else ''}", 100
    )


def refutation_analysis(false: list[Criterion]) -> tuple[str, str]:
    """Analysis and suggested fix where a check refutes the claim: the agent did not say it failed."""
    which = ", ".join(c.name for c in false)
    return (
        f"claimed complete, but our own run does not pass: {which}",
        f"make it hold, then see it hold yourself: {which}",
    )
