"""The write set of a task: told to the agent's own hook before it writes, and looked at in the diff after its turn."""

from __future__ import annotations

import json
import os

from ..core.plan import DELETE, Plan, Task
from ..store.folder import LoopFolder
from ..store.journal import write_atomic
from ..verify.clone import tracked
from ..verify.git import several
from ..verify.work import changed, ignored, outside

FOLDER = "fences"


def laid(folder: LoopFolder, plan: Plan, task: str, root: str) -> str:
    """The file that a hook reads; see agents/claude/fence.py."""
    own = plan.task(task)
    body = {"task": task, "root": root, "own": sorted(own.paths), "others": sorted(others(plan, task))}
    os.makedirs(folder.inside(FOLDER), mode=0o700, exist_ok=True)
    path = folder.inside(FOLDER, f"{task}.json")
    write_atomic(path, json.dumps(body).encode())
    return path


def others(plan: Plan, task: str) -> set[str]:
    """Files that only other tasks name."""
    return {path for other in plan.tasks if other.id != task for path in other.paths} - plan.task(task).paths


def doomed(task: Task) -> tuple[str, ...]:
    return tuple(file.path for file in task.files if file.action == DELETE)


def hidden(task: Task, place: str) -> str:
    """A file that git ignores passes its checks in a lane, and would never reach main."""
    found = ignored(place, task.paths)
    return (
        f"git ignores {several(found)}: it cannot be merged. Take it out of .gitignore, or run without --parallel"
        if found
        else ""
    )


def broken(plan: Plan, task: str, place: str, base: str, first: str, spared: frozenset[str] = frozenset()) -> str:
    """Why the changes since that commit are more than the task's; `spared` were changed before it began.

    `first` is where it began: what was not there then may be a new file of two tasks, and is theirs to agree on.
    """
    found = changed(place, base)
    if found.problem:
        return found.problem
    found = found.but(
        written=tuple(path for path in found.written if path not in spared),
        deleted=tuple(path for path in found.deleted if path not in spared),
    )
    wrong = outside(found, plan.task(task).files, others(plan, task), tracked(place, first))
    if not wrong:
        return ""
    back = f"git checkout {base[:12]} -- FILE"
    return f"it changed files that are not this task's: {several(wrong)}. Put them back as they were: {back}"
