"""The write set of a task: told to the agent's own hook before it writes, and looked at in the diff after its turn."""

from __future__ import annotations

import json
import os

from ...core.plan.plan import DELETE, Plan, Task
from ...disk.files import write_atomic
from ...repo.git import join_names
from ...repo.lanes.changes import changes_outside_task, changes_since_commit, git_ignored_files
from ...repo.user_repo import tracked_files
from ...store.folder import LoopFolder

FOLDER = "fences"


def write_scope_file(folder: LoopFolder, plan: Plan, task: str, root: str) -> str:
    """The file that a hook reads; see agents/claude/write_scope_hook.py."""
    own = plan.task(task)
    body = {
        "task": task,
        "root": root,
        "own": sorted(own.paths),
        "others": sorted(files_of_other_tasks(plan, task)),
    }
    os.makedirs(folder.path_of(FOLDER), mode=0o700, exist_ok=True)
    path = folder.path_of(FOLDER, f"{task}.json")
    write_atomic(path, json.dumps(body).encode())
    return path


def files_of_other_tasks(plan: Plan, task: str) -> set[str]:
    """Files that only other tasks name."""
    return {path for other in plan.tasks if other.id != task for path in other.paths} - plan.task(
        task
    ).paths


def deletions(task: Task) -> tuple[str, ...]:
    return tuple(file.path for file in task.files if file.action == DELETE)


def ignored_files(task: Task, place: str) -> str:
    """A file that git ignores passes its checks in a lane, and would never reach main."""
    found = git_ignored_files(place, task.paths)
    return (
        f"git ignores {join_names(found)}: it cannot be merged. Take it out of .gitignore, or run without --parallel"
        if found
        else ""
    )


def violations(
    plan: Plan, task: str, place: str, base: str, first: str, spared: frozenset[str] = frozenset()
) -> str:
    """Why the changes since that commit are more than the task's; `spared` were changed before it began.

    `first` is where it began: what was not there then may be a new file of two tasks, and is theirs to agree on.
    """
    found = changes_since_commit(place, base)
    if found.problem:
        return found.problem
    found = found.but(
        written=tuple(path for path in found.written if path not in spared),
        deleted=tuple(path for path in found.deleted if path not in spared),
    )
    wrong = changes_outside_task(
        found, plan.task(task).files, files_of_other_tasks(plan, task), tracked_files(place, first)
    )
    if not wrong:
        return ""
    back = f"git checkout {base[:12]} -- FILE"
    return f"it changed files that are not this task's: {join_names(wrong)}. Put them back as they were: {back}"
