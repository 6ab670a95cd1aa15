"""Why an attempt at a task failed, for the agent that tries again."""

from __future__ import annotations

from ..criteria import Criterion

UNMERGED_REASON = "its work was not merged"
NO_LONGER_NEEDED = "verification no longer asks for it"
UNCHANGED_REASON = "it changed nothing that main does not have, and no check shows that it is done"
SILENT_REASON = "the turn ended without TASK COMPLETE or TASK FAILED"


def refutation_analysis(failing: list[Criterion]) -> tuple[str, str]:
    """Analysis and suggested fix for a task that the agent claims complete and a check refutes."""
    names = ", ".join(c.name for c in failing)
    return (
        f"claimed complete, but our own run does not pass: {names}",
        f"make it hold, then see it hold yourself: {names}",
    )


def merge_conflict_text(problem: str, files: str) -> str:
    """For the agent of a lane whose work conflicts with main."""
    return f"{problem}. Main is merged into your worktree now: resolve {files}"


def outside_task_text(files: str, base: str) -> str:
    """For an agent that changed files of other tasks."""
    undo = f"git checkout {base} -- FILE"
    return f"it changed files that are not this task's: {files}. Put them back as they were: {undo}"


def secret_text(files: str) -> str:
    """For an agent whose work would bring a secret into main."""
    return (
        f"it adds what looks like a secret (a key, a token or a password): {files}. Take it out; "
        "read it from the environment, or use a value that is plainly made up"
    )


def ignored_files_text(files: str) -> str:
    """For an agent and its person: a file of the task would never reach main."""
    way_out = "Take it out of .gitignore, or run without --parallel"
    return f"git ignores {files}: it cannot be merged. {way_out}"


def denied_text(calls: tuple[str, ...]) -> str:
    """For the next attempt at a task: what it must do without."""
    return f"it was denied: {'; '.join(calls)}"
