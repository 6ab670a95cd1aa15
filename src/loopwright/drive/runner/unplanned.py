"""Changes that no task of the plan makes: in the main checkout, in new files, in commits."""

from __future__ import annotations

import os
import time

from ...core.directives import MergeLane
from ...core.loop import Loop, plan_of, run_of
from ...core.plan.plan import Plan, UnplannedChange
from ...core.prompts.plan_person import unplanned_text
from ...core.signals import UnplannedSeen
from ...repo import user_repo
from ...repo.git import GitError, git_output_list
from ...repo.lanes.merge import landing_files
from ...store.folder import LoopFolder, NoLoop
from ..plans.plan_files import plan_file_paths
from ..step import step

MAX_NAMES = 20
COMMIT, MAIN, NEW = "commit", "main", "new"


def changed_in_main(root: str, plan: Plan) -> frozenset[tuple[str, str]]:
    """The files of the main checkout that are not committed, with their size and time."""
    own = plan_file_paths(plan)
    names = (name for name in user_repo.uncommitted_files(root) if name not in own)
    return frozenset((name, _stamp(os.path.join(root, name))) for name in names)


def _stamp(path: str) -> str:
    try:
        stat = os.lstat(path)
    except OSError:
        return "gone"
    return f"{stat.st_size} {stat.st_mtime_ns}"


def main_changes(
    before: frozenset[tuple[str, str]], now: frozenset[tuple[str, str]], task: str
) -> tuple[UnplannedChange, ...]:
    """What changed in the main checkout while the agent of this task worked elsewhere, or none."""
    names = sorted({name for name, _ in now - before})
    return (UnplannedChange(MAIN, tuple(names[:MAX_NAMES]), task),) if names else ()


def new_files(root: str, loop: Loop, landed: MergeLane) -> tuple[UnplannedChange, ...]:
    """Files that the task brought and that no task names."""
    tasks = plan_of(loop).tasks
    planned = {path for task in tasks for path in task.paths}
    words = "\n".join(f"{task.title}\n{task.action}" for task in tasks)
    try:
        files = landing_files(root, landed.commit)
    except GitError:
        return ()
    added = [path for status, path in files if status == "A" and path not in planned]
    names = [path for path in added if path not in words]
    return (UnplannedChange(NEW, tuple(names[:MAX_NAMES]), landed.task),) if names else ()


def foreign_commits(root: str, loop: Loop, since: str = "") -> tuple[UnplannedChange, ...]:
    """Commits since the run began, or since this one, that no task made."""
    base = since or run_of(loop).base_commit
    if not base:
        return ()
    own = [commit for _, commit in plan_of(loop).commits]
    known = {name for change in plan_of(loop).unplanned for name in change.names}
    try:
        rows = git_output_list(root, "log", "--format=%H %s", "-n", "500", f"{base}..HEAD")
    except GitError:
        return ()
    names = [row.strip() for row in rows if not any(row.strip().startswith(c) for c in own if c)]
    shown = [f"{row[:10]} {row.partition(' ')[2]}" for row in names[:MAX_NAMES]]
    new = tuple(row for row in shown if row not in known)
    return (UnplannedChange(COMMIT, new),) if new else ()


def record(folder: LoopFolder, changes: tuple[UnplannedChange, ...]) -> list[str]:
    """Record the changes for the report; returns them in words."""
    if not changes:
        return []
    try:
        step(folder, UnplannedSeen(time.time(), changes))
    except NoLoop:  # cancelled meanwhile
        pass
    return [unplanned_text(change) for change in changes]
