"""Rewinding: the files as an iteration left them, and what has changed since. What is there now is kept first."""

from __future__ import annotations

import os
import re
import time

from ..core.loop import ENDED, Loop
from ..core.record import Record
from ..core.signals import Ordered
from ..core.trajectory import best
from ..store import journal
from ..store.folder import LoopFolder
from ..verify import kept
from ..verify.git import commit_at
from ..views import way
from .orders import UserError, must_be_free
from .step import step

SAVED = re.compile(r"saved-\d{1,6}")


class Back(Record):
    """Where the files went back to, and under which name what was there is kept."""

    number: str
    saved: str


def commit_of(folder: LoopFolder, loop: Loop, path: str, name: str) -> tuple[str, str]:
    """The iteration that is meant, and its commit."""
    if SAVED.fullmatch(name):
        commit = commit_at(folder.root, kept.ref_of(loop.id, name))
        if not commit:
            raise UserError(f"{name} is not kept here. See: loop rewind")
        return name, commit
    points = way.retraced(journal.moves(path))
    if name == "best":
        point = best(points)
        if point is None:
            raise UserError("no iteration with a check is kept yet, so none is the best. See: loop rewind")
    elif not name.isdecimal() or not (point := next((p for p in points if p.number == int(name)), None)):
        raise UserError(f"{name!r} is no iteration of this loop; there are 0 to {points[-1].number}, and best. See: loop rewind")
    if not kept.is_kept(folder.root, point.commit):
        raise UserError(f"iteration {point.number} is not kept: {_why(folder)}")
    return str(point.number), point.commit


def _why(folder: LoopFolder) -> str:
    if not os.path.exists(os.path.join(folder.root, ".git")):
        return "this folder is no git repository"
    return "its commit is gone from the repository, or the files were being written when it ended"


def rewind(folder: LoopFolder, loop: Loop, path: str, name: str) -> Back:
    """Branch and index stay as they are: what changes are the files, as after an edit."""
    if loop.status not in ENDED:
        must_be_free(folder, loop)
    number, commit = commit_of(folder, loop, path, name)
    try:
        free = next(n for n in range(1, 1_000_000) if not commit_at(folder.root, kept.ref_of(loop.id, f"saved-{n}")))
        tree, _ = kept.snapshot(folder.root, folder.path, loop.volatile, kept.ref_of(loop.id, f"saved-{free}"))
        kept.restore(folder.root, folder.path, tree, commit)
    except kept.NotKept as error:
        raise UserError(f"nothing was changed: {error}") from error
    if loop.status not in ENDED and number.isdecimal():
        step(folder, Ordered(time.time(), "rewind", names=(number, commit, f"saved-{free}")))
    return Back(number, f"saved-{free}")


def difference(folder: LoopFolder, loop: Loop, path: str, one: str, other: str, *flags: str) -> str:
    """What changed from one iteration to another, or to now."""
    _, before = commit_of(folder, loop, path, one)
    if other:
        _, after = commit_of(folder, loop, path, other)
    else:
        try:
            _, after = kept.snapshot(folder.root, folder.path, loop.volatile, kept.ref_of(loop.id, "now"))
        except kept.NotKept as error:
            raise UserError(str(error)) from error
    return kept.difference(folder.root, before, after, *flags)
