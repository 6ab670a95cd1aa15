"""What a plan loop tells a person: questions, pause reasons, the end, and commit subjects."""

from __future__ import annotations

from ..plan.plan import Gap, Plan, Task, UnplannedChange, criterion_names
from .phrases import clip_text, count_phrase, one_line

FIX_WORDS = ("fix", "repair", "correct", "mend")
REFACTOR_WORDS = ("refactor", "rename", "move", "extract")
DOCS_SUFFIXES = (".md", ".rst", ".txt")


def retry_question(plan: Plan, task: str) -> str:
    used = plan.failure_of(task).times - 1
    return f"Task {task} failed. Retry? ({used}/{plan.retries} attempts used)"


def fix_question(plan: Plan) -> str:
    gaps = count_phrase(len(plan.gaps), "gap")
    rounds = f"{plan.fix_rounds}/{plan.max_fix_rounds}"
    return f"Verification found {gaps}. Attempt automatic fix? ({rounds})"


def gap_list(plan: Plan) -> str:
    """The gaps, for the person who answers `fix_question`."""
    return "\n".join(f"- {gap.key}: {clip_text(one_line(gap.text), 300)}" for gap in plan.gaps[:20])


def parked_reason(plan: Plan) -> str:
    """The documented pause reason for each parked task, with the last error of the first."""
    task_ids = {task.id for task in plan.tasks}
    parked = [name for name in plan.parked if name in task_ids]
    if not parked:
        return parked_gaps_reason(plan)
    retries = "1 retry" if plan.retries == 1 else f"{plan.retries} retries"
    rows = [f"Task {name} failed after {retries}" for name in parked]
    error = plan.failure_of(parked[0]).error
    suffix = f": {clip_text(one_line(error), 300)}" if error else ""
    return f"{clip_text('; '.join(rows), 1_000)}{suffix}"


def main_moved_text(commit: str, subject: str) -> str:
    """Why nothing lands: main is at a commit that is not ours."""
    return (
        f"main is at {commit[:12]} ({clip_text(subject, 80)}), a commit that no task made. "
        f"Look: git show {commit[:12]}. If it may stay: loop run --continue"
    )


def plan_edited_text(what: str) -> str:
    return f"The plan is changed: {what}. Its driver hears of it; or: loop run"


def unplanned_text(change: UnplannedChange) -> str:
    """A change that no task of the plan makes, for the person."""
    names = clip_text(", ".join(change.names), 300)
    if change.kind == "commit":
        return f"Commits that no task made: {names}"
    if change.kind == "plan":
        return f"{names} was edited after the start. What it changes: loop plan reload"
    if change.kind == "main" and not change.task:
        return f"Changed in the checkout while no agent worked: {names}"
    if change.kind == "main":
        return f"Changed in the main checkout while task {change.task} ran elsewhere: {names}"
    return f"Task {change.task} brought new files that no task names: {names}"


def disputed_reason(names: tuple[str, ...]) -> str:
    """Why a task in a worktree of its own cannot be merged."""
    from .disputes import rule_command

    return f"the agent disputes {', '.join(names)}. Decide: {rule_command(names)}"


def parked_gaps_reason(plan: Plan) -> str:
    gaps = count_phrase(len(plan.gaps), "gap")
    return f"{gaps} failed to be fixed {plan.retries} times each: {_gap_keys(plan)}"


def out_of_rounds_reason(plan: Plan) -> str:
    return (
        f"Max iterations ({plan.max_fix_rounds}) reached with {len(plan.gaps)} gaps remaining: "
        f"{_gap_keys(plan)}"
    )


def auto_loop_off_reason(plan: Plan) -> str:
    gaps = count_phrase(len(plan.gaps), "gap")
    return f"Verification found {gaps}, and auto_loop is off: {_gap_keys(plan)}"


def task_rows(plan: Plan, criteria: tuple[str, ...], shown: set[str]) -> list[str]:
    """One row for each task that checks show; the single checks are in VERIFICATION.md."""
    of_tasks = {task.id: criterion_names(task) for task in plan.tasks}
    rows = [
        f"✓ {task.id} {task.title} ({count_phrase(len(task.checks), 'check')})"
        for task in plan.tasks
        if task.checks and shown.issuperset(of_tasks[task.id])
    ]
    rest = [name for name in criteria if name in shown and name not in sum(of_tasks.values(), ())]
    for prefix, noun in (("artifact ", "artifact"), ("link ", "key link")):
        if number := sum(name.startswith(prefix) for name in rest):
            rows.append(f"✓ {count_phrase(number, noun)}")
    return rows + [f"✓ {name}" for name in rest if not name.startswith(("artifact ", "link "))]


def undone_tasks_reason(tasks: tuple[str, ...]) -> str:
    number = count_phrase(len(tasks), "task")
    names = clip_text(", ".join(tasks), 300)
    return f"every check passes, but {number} that no check can prove were never done: {names}"


def not_allowed_reason(waiting: tuple[str, ...]) -> str:
    number = count_phrase(len(waiting), "check")
    names = clip_text(", ".join(waiting), 300)
    return f"{number} of the plan may not run before `loop allow`: {names}"


def _gap_keys(plan: Plan) -> str:
    return clip_text(", ".join(gap.key for gap in plan.gaps), 400)


def task_commit_subject(plan: Plan, task: Task) -> str:
    """{type}({phase}-{task}): {description}"""
    title = " ".join(task.title.split()) or f"task {task.id}"
    # A title that begins with an acronym keeps its capital.
    first = title[:1] if title[1:2].isupper() else title[:1].lower()
    description = clip_text(first + title[1:], 90)
    return f"{_commit_type(task)}({plan.phase}-{task.id}): {description}"


def _commit_type(task: Task) -> str:
    verb = "".join(task.title.lower().split()[:1])
    paths = [file.path.lower() for file in task.files]
    if verb in FIX_WORDS:
        return "fix"
    if paths and all("test" in path for path in paths):
        return "test"
    if paths and all(path.endswith(DOCS_SUFFIXES) for path in paths):
        return "docs"
    return "refactor" if verb in REFACTOR_WORDS else "feat"


def fix_commit_subject(plan: Plan, gap: Gap) -> str:
    target = f" -> {gap.target}" if gap.target else ""
    return clip_text(f"fix({plan.phase}): {gap.kind} {gap.file}{target}", 100)
