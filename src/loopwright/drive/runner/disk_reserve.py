"""Room on the disk for one more journal line: on a full disk the loop can still pause."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from ...core.signals import Ordered
from ...disk.files import write_private
from ...disk.problems import disk_problem, is_disk_full
from ...store.folder import LoopFolder, NoLoop
from ...store.journal import JournalError
from ..step import step

NAME = "reserve"
BYTES = 500_000


def keep_reserve(folder: LoopFolder) -> None:
    """Occupy some room, which is freed when the disk is full."""
    with suppress(OSError):
        write_private(folder.path_of(NAME), b"\0" * BYTES)


def drop_reserve(folder: LoopFolder) -> None:
    with suppress(OSError):
        os.remove(folder.path_of(NAME))


def pause_for_full_disk(folder: LoopFolder, error: OSError) -> bool:
    """Pause the loop because the disk is full; False if that is not the problem, or impossible."""
    if not is_disk_full(error):
        return False
    drop_reserve(folder)
    reason = f"{disk_problem(error)[0]}. Make room first"
    try:
        step(folder, Ordered(time.time(), "pause", by="runner", reason=reason))
    except (OSError, NoLoop, JournalError):
        return False
    return True
