"""The files that a task may write.

The agent's own hook checks them before it writes, and we check the diff after its turn.
"""

from __future__ import annotations

import json
import os

from ...core.plan.plan import DELETE, Plan, Task
from ...core.prompts.task_failures import ignored_files_text, outside_task_text
from ...disk.files import write_atomic
from ...repo.git import join_names
from ...repo.lanes.changes import changes_outside_task, changes_since_commit, git_ignored_files
from ...repo.user_repo import tracked_files
from ...store.folder import LoopFolder
from ..plans.plan_files import progress_files

FOLDER = "fences"


def write_scope_file(folder: LoopFolder, plan: Plan, task: str, root: str) -> str:
    """Write the file that agents/claude/write_scope_hook.py reads, and return its path."""
    scope = {
        "task": task,
        "root": root,
        "own": sorted(plan.task(task).paths),
        "others": sorted(files_of_other_tasks(plan, task)),
    }
    os.makedirs(folder.path_of(FOLDER), mode=0o700, exist_ok=True)
    path = folder.path_of(FOLDER, f"{task}.json")
    write_atomic(path, json.dumps(scope).encode())
    return path


def files_of_other_tasks(plan: Plan, task: str) -> set[str]:
    """Files that only other tasks name, and those into which we write the progress."""
    others = [other for other in plan.tasks if other.id != task]
    named = {path for other in others for path in other.paths}
    return (named | progress_files(plan)) - plan.task(task).paths


def deletions(task: Task) -> tuple[str, ...]:
    return tuple(file.path for file in task.files if file.action == DELETE)


def ignored_files(task: Task, root: str) -> str:
    """Why the task cannot be merged: git ignores a file of it; "" when it ignores none.

    Such a file would pass its checks in a lane and never reach main.
    """
    files = git_ignored_files(root, task.paths)
    if not files:
        return ""
    return ignored_files_text(join_names(files))


def violations(
    plan: Plan,
    task: str,
    root: str,
    base: str,
    first: str,
    excluded: frozenset[str] = frozenset(),
) -> str:
    """Why the changes since the commit `base` are more than the task's; "" when they are not.

    `first` is the commit on which the task began: a file that it does not have may be a new file of
    two tasks, which is allowed. `excluded` are the files that were changed before the task began.
    """
    changes = changes_since_commit(root, base)
    if changes.problem:
        return changes.problem
    changes = changes.but(
        written=tuple(path for path in changes.written if path not in excluded),
        deleted=tuple(path for path in changes.deleted if path not in excluded),
    )
    outside = changes_outside_task(
        changes, plan.task(task).files, files_of_other_tasks(plan, task), tracked_files(root, first)
    )
    if not outside:
        return ""
    return outside_task_text(join_names(outside), base[:12])
