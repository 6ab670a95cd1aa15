"""Rewind: restore the files of an iteration, and show what has changed since.

The present files are kept first.
"""

from __future__ import annotations

import os
import re
import time

from ...core.loop import Loop
from ...core.pausing.trajectory import best_iteration
from ...core.record import Record
from ...core.signals import Ordered
from ...core.status import ENDED
from ...repo import kept_trees
from ...repo.git import commit_at
from ...store import journal_moves
from ...store.folder import LoopFolder
from ...views import timeline
from ..errors import UserError
from ..runner.driver_lock import refuse_if_driven
from ..step import step

SAVED_NAME = re.compile(r"saved-\d{1,6}")


class RewindResult(Record):
    """The iteration that the files are from now, and the name under which the others are kept."""

    number: str
    saved: str


def iteration_commit(folder: LoopFolder, loop: Loop, path: str, name: str) -> tuple[str, str]:
    """The iteration with this name, and its commit."""
    if SAVED_NAME.fullmatch(name):
        commit = commit_at(folder.root, kept_trees.kept_tree_ref(loop.id, name))
        if not commit:
            raise UserError(f"{name} is not kept here. See: loop rewind")
        return name, commit
    points = timeline.waypoints_from_journal(journal_moves.events_by_move(path))
    if name == "best":
        point = best_iteration(points)
        if point is None:
            raise UserError(
                "no iteration with a check is kept yet, so none is the best. See: loop rewind"
            )
    else:
        point = next((p for p in points if name.isdecimal() and p.number == int(name)), None)
        if point is None:
            raise UserError(
                f"{name!r} is no iteration of this loop; there are 0 to {points[-1].number}, "
                "and best. See: loop rewind"
            )
    if not kept_trees.is_kept(folder.root, point.commit):
        raise UserError(f"iteration {point.number} is not kept: {_why_not_kept(folder)}")
    return str(point.number), point.commit


def _why_not_kept(folder: LoopFolder) -> str:
    if not os.path.exists(os.path.join(folder.root, ".git")):
        return "this folder is no git repository"
    return "its commit is gone from the repository, or the files were being written when it ended"


def rewind_files(folder: LoopFolder, loop: Loop, path: str, name: str) -> RewindResult:
    """Restore the files of an iteration. Branch and index stay as they are, as after an edit."""
    if loop.status not in ENDED:
        refuse_if_driven(folder)
    number, commit = iteration_commit(folder, loop, path, name)
    try:
        saved = _unused_name(folder, loop)
        ref = kept_trees.kept_tree_ref(loop.id, saved)
        tree, _ = kept_trees.keep_current_tree(
            folder.root, folder.path, loop.settings.volatile_globs, ref
        )
        kept_trees.restore_tree(folder.root, folder.path, tree, commit)
    except kept_trees.KeptTreeError as error:
        raise UserError(f"nothing was changed: {error}") from error
    if loop.status not in ENDED and number.isdecimal():
        step(folder, Ordered(time.time(), "rewind", arguments=(number, commit, saved)))
    return RewindResult(number, saved)


def _unused_name(folder: LoopFolder, loop: Loop) -> str:
    names = (f"saved-{number}" for number in range(1, 1_000_000))
    refs = ((name, kept_trees.kept_tree_ref(loop.id, name)) for name in names)
    return next(name for name, ref in refs if not commit_at(folder.root, ref))


def iteration_diff(
    folder: LoopFolder, loop: Loop, path: str, first: str, second: str, *flags: str
) -> str:
    """What changed from the first iteration to the second, or to now when the second is ""."""
    _, before = iteration_commit(folder, loop, path, first)
    if second:
        _, after = iteration_commit(folder, loop, path, second)
    else:
        ref = kept_trees.kept_tree_ref(loop.id, "now")
        try:
            _, after = kept_trees.keep_current_tree(
                folder.root, folder.path, loop.settings.volatile_globs, ref
            )
        except kept_trees.KeptTreeError as error:
            raise UserError(str(error)) from error
    return kept_trees.diff_text(folder.root, before, after, *flags)
