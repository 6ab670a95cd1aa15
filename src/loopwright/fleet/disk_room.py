"""Is there room on the disk of a worker for another job?"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable

from ..disk.problems import disk_problem

FULL_DISK_SECONDS = 60.0  # without a new job, after a job met a full disk
LEAST_FREE_BYTES = 200_000_000


class DiskRoom:
    """The room in one folder. `say` tells the person, once for each shortage."""

    def __init__(self, folder: str, say: Callable[[str], None]) -> None:
        self._folder, self._say = folder, say
        self._is_told = False
        self._full_until = 0.0

    def note_full(self, error: OSError) -> None:
        """A job met a full disk: there is no room for a while, and others have some."""
        self._say(f"{disk_problem(error)[0]}. Make room; this worker takes no job meanwhile.")
        self._full_until = time.monotonic() + FULL_DISK_SECONDS

    def has_room(self) -> bool:
        if time.monotonic() < self._full_until:
            return False
        free = shutil.disk_usage(self._folder).free
        if free >= LEAST_FREE_BYTES:
            self._is_told = False
            return True
        if not self._is_told:
            self._is_told = True
            self._say(
                f"No new job is taken: {free // 1_000_000} MB are left on {self._folder}. "
                "Make room there."
            )
        return False
