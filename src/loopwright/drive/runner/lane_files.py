"""Files of the plan in a lane: the agent may tick a task there, but only we say that it is done."""

from __future__ import annotations

import os

from ...core.plan.plan import Plan
from ...disk.files import read_text
from ...formats.plan_progress import set_marks
from ...repo.git import run_user_git
from ..plans.plan_files import MAX_CHARS, progress_files


def undo_ticks(plan: Plan, task: str, path: str, base: str) -> None:
    """Give the plan's files in the lane their text at `base` where an agent only set marks.

    Otherwise the tick would be a change outside the task, and in the way of our own.
    """
    for file in progress_files(plan) - plan.task(task).paths:
        marks = [mark for mark in plan.marks if mark.file == file]
        done = run_user_git(path, "show", f"{base}:{file}")
        text = read_text(os.path.join(path, file), MAX_CHARS, exact=True)
        if done.returncode or text is None:
            continue
        committed = done.stdout.decode("utf-8", "surrogateescape")
        if text != committed and set_marks(text, marks) == set_marks(committed, marks):
            run_user_git(path, "checkout", "--quiet", base, "--", file)
