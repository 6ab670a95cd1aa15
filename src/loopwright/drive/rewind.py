"""Rewinding: the files as an iteration left them, and what has changed since. What is there now is kept first."""

from __future__ import annotations

import os
import re
import time

from ..core.loop import Loop
from ..core.record import Record
from ..core.signals import Ordered
from ..core.status import ENDED
from ..core.trajectory import best_iteration
from ..repo import kept_trees
from ..repo.git import commit_at
from ..store import journal
from ..store.folder import LoopFolder
from ..views import timeline
from .errors import UserError
from .orders import refuse_if_driven
from .step import step

SAVED_NAME = re.compile(r"saved-\d{1,6}")


class RewindResult(Record):
    """Where the files went back to, and under which name what was there is kept."""

    number: str
    saved: str


def iteration_commit(folder: LoopFolder, loop: Loop, path: str, name: str) -> tuple[str, str]:
    """The iteration that is meant, and its commit."""
    if SAVED_NAME.fullmatch(name):
        commit = commit_at(folder.root, kept_trees.kept_tree_ref(loop.id, name))
        if not commit:
            raise UserError(f"{name} is not kept here. See: loop rewind")
        return name, commit
    points = timeline.waypoints_from_journal(journal.events_by_move(path))
    if name == "best":
        point = best_iteration(points)
        if point is None:
            raise UserError(
                "no iteration with a check is kept yet, so none is the best. See: loop rewind"
            )
    elif not name.isdecimal() or not (
        point := next((p for p in points if p.number == int(name)), None)
    ):
        raise UserError(
            f"{name!r} is no iteration of this loop; there are 0 to {points[-1].number}, and best. See: loop rewind"
        )
    if not kept_trees.is_kept(folder.root, point.commit):
        raise UserError(f"iteration {point.number} is not kept: {_why_not_kept(folder)}")
    return str(point.number), point.commit


def _why_not_kept(folder: LoopFolder) -> str:
    if not os.path.exists(os.path.join(folder.root, ".git")):
        return "this folder is no git repository"
    return "its commit is gone from the repository, or the files were being written when it ended"


def rewind_files(folder: LoopFolder, loop: Loop, path: str, name: str) -> RewindResult:
    """Branch and index stay as they are: what changes are the files, as after an edit."""
    if loop.status not in ENDED:
        refuse_if_driven(folder, loop)
    number, commit = iteration_commit(folder, loop, path, name)
    try:
        free = next(
            n
            for n in range(1, 1_000_000)
            if not commit_at(folder.root, kept_trees.kept_tree_ref(loop.id, f"saved-{n}"))
        )
        tree, _ = kept_trees.keep_current_tree(
            folder.root,
            folder.path,
            loop.settings.volatile_globs,
            kept_trees.kept_tree_ref(loop.id, f"saved-{free}"),
        )
        kept_trees.restore_tree(folder.root, folder.path, tree, commit)
    except kept_trees.KeptTreeError as error:
        raise UserError(f"nothing was changed: {error}") from error
    if loop.status not in ENDED and number.isdecimal():
        step(folder, Ordered(time.time(), "rewind", arguments=(number, commit, f"saved-{free}")))
    return RewindResult(number, f"saved-{free}")


def iteration_diff(
    folder: LoopFolder, loop: Loop, path: str, one: str, other: str, *flags: str
) -> str:
    """What changed from one iteration to another, or to now."""
    _, before = iteration_commit(folder, loop, path, one)
    if other:
        _, after = iteration_commit(folder, loop, path, other)
    else:
        try:
            _, after = kept_trees.keep_current_tree(
                folder.root,
                folder.path,
                loop.settings.volatile_globs,
                kept_trees.kept_tree_ref(loop.id, "now"),
            )
        except kept_trees.KeptTreeError as error:
            raise UserError(str(error)) from error
    return kept_trees.diff_text(folder.root, before, after, *flags)
