"""How much memory, how many processes and how much disk a command in a sandbox may use.

A small program outside the sandbox (bounds_watcher.py) starts it, adds up what everything inside
uses, and ends all of it above a bound. Where this user may make control groups, the kernel bounds
memory and processes. An rlimit bounds the size of one file. The other rlimits are no help: that of
memory holds for each process, and those of address space and data break what only reserves memory,
such as sanitizers; that of processes counts all of the user's, and none of root's.
"""

from __future__ import annotations

import os
import sys

from ..core.record import Record
from .control_groups import join_folders

GIGABYTE = 1 << 30
MOST_MEMORY = 8  # gigabytes, or half of the machine if that is less
WATCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bounds_watcher.py")


class Bounds(Record):
    """The most that a command and everything that it starts may use; 0: no bound."""

    memory: int = 0  # bytes
    processes: int = 0  # with their threads
    disk: int = 0  # bytes written, and the size of one file


def usual_bounds(memory: float, processes: int, disk: float) -> Bounds:
    """The bounds of these settings, in gigabytes; the default of memory depends on the machine."""
    most = memory * GIGABYTE
    if memory == MOST_MEMORY:
        most = min(most, machine_memory() / 2 or most)
    return Bounds(int(most), processes, int(disk * GIGABYTE))


def machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def can_watch() -> bool:
    """Is there a /proc to look at?"""
    return sys.platform.startswith("linux") and os.path.exists("/proc/self/stat")


def watch_words(bounds: Bounds) -> tuple[str, ...]:
    """The words before the launcher of a sandbox that keep it in these bounds."""
    if bounds == Bounds() or not can_watch():
        return ()
    folders = join_folders(bounds.memory, bounds.processes)
    numbers = map(str, (bounds.memory, bounds.processes, bounds.disk))
    return (sys.executable, "-I", "-S", WATCHER, *numbers, ":".join(folders))


def bounds_text(bounds: Bounds) -> str:
    """The bounds of this machine in one sentence, and what keeps them."""
    if bounds == Bounds() or not can_watch():
        return "none (they need Linux)"
    is_grouped = bool(join_folders(bounds.memory, bounds.processes))
    kept = "by a control group" if is_grouped else "measured every second"
    return (
        f"{bounds.memory / GIGABYTE:.1f} GB of memory and {bounds.processes} processes ({kept}), "
        f"{bounds.disk / GIGABYTE:.0f} GB written (measured every second; one file: by an rlimit)"
    )
