"""Finds the command inside a sandbox: a signal to bubblewrap itself would kill it unheard."""

from __future__ import annotations

from ..disk.files import read_bytes

LAUNCHERS = (b"bwrap",)


def inner_process(pid: int) -> int:
    """The process that bubblewrap started, or the process itself if it is no launcher."""
    try:
        while read_bytes(f"/proc/{pid}/comm").strip() in LAUNCHERS:
            children = read_bytes(f"/proc/{pid}/task/{pid}/children").split()
            if not children:
                break
            pid = int(children[0])
    except (OSError, ValueError):
        pass
    return pid
