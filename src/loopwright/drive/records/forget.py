"""Forget a loop: delete what is kept of it outside its own archive."""

from __future__ import annotations

from ...cleanroom.checkout import drop_room
from ...core.loop import Loop
from ...disk.files import remove_file
from ...repo import kept_trees
from ...store import holdouts
from ...store.archive import seal_path
from ...store.folder import LoopFolder
from ...store.restore import forget_loop, missing_loop


def forget_missing_loop(folder: LoopFolder) -> Loop | None:
    """Drop the loop whose journal is gone from this folder; None if none is missing."""
    loop = missing_loop(folder)
    if loop:
        delete_records(folder, loop.id)
        forget_loop(folder, loop)
    return loop


def delete_records(folder: LoopFolder, loop_id: str) -> None:
    """Delete held-out checks, kept trees, what its rooms needed and the seal of a loop."""
    holdouts.delete_holdouts(loop_id)
    drop_room(loop_id)
    kept_trees.drop_kept_trees(folder.root, loop_id)
    remove_file(seal_path(loop_id))
