"""Control groups of Linux: a group for the sandboxes of this process, where the user may make one.

Version 2 where systemd delegates it, version 1 mostly for root. Without one, nothing is bounded.
"""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from functools import lru_cache

from ..disk.files import read_text
from ..disk.processes import is_process_alive

MOUNT, PREFIX = "/sys/fs/cgroup", "loopwright-"
# By the controller: the file of its bound, in version 1 and in version 2.
FILES = {
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "pids": ("pids.max", "pids.max"),
}
MAX_TEXT = 100_000


@lru_cache(maxsize=1)  # this process has one group: other bounds are written into the same files
def join_folders(memory: int, processes: int, mount: str = MOUNT) -> tuple[str, ...]:
    """The folders of our group, with both bounds set; () where there can be none."""
    own = _own_groups()
    values = {"memory": memory, "pids": processes}
    parent = _delegated_parent(own.get("", ""), mount)
    if parent:
        made = [_make_group(parent, {FILES[name][1]: values[name] for name in FILES})]
    else:
        known = [(name, f"{mount}/{name}{own[name]}") for name in FILES if name in own]
        made = [_make_group(path.rstrip("/"), {FILES[n][0]: values[n]}) for n, path in known]
    if not made or not all(made) or (not parent and len(made) < len(FILES)):
        _remove_groups([folder for folder in made if folder])
        return ()
    atexit.register(_remove_groups, made)
    return tuple(made)


def _own_groups() -> dict[str, str]:
    """The group of this process, by controller; "" is that of version 2."""
    groups: dict[str, str] = {}
    for line in (read_text("/proc/self/cgroup", MAX_TEXT) or "").splitlines():
        _, names, path = line.split(":", 2)
        groups |= dict.fromkeys(names.split(","), path)
    return groups


def _delegated_parent(own: str, mount: str) -> str:
    """The closest group of version 2 above ours in which this user may make one; "" for none.

    Processes are only in the leaves, so it is never our own.
    """
    while own.strip("/"):
        own = os.path.dirname(own)
        folder = f"{mount}{own}".rstrip("/")
        controllers = read_text(f"{folder}/cgroup.subtree_control", MAX_TEXT) or ""
        is_ours = all(os.access(path, os.W_OK) for path in (folder, f"{folder}/cgroup.procs"))
        if is_ours and set(FILES) <= set(controllers.split()):
            return folder
    return ""


def _make_group(parent: str, bounds: dict[str, int]) -> str:
    """Make our group with these bounds, and remove those of processes that were killed."""
    folder = f"{parent}/{PREFIX}{os.getpid()}"
    try:
        old = [entry.path for entry in os.scandir(parent) if entry.name.startswith(PREFIX)]
        _remove_groups([path for path in old if not _is_used(path)])
        os.makedirs(folder, exist_ok=True)
        for name, value in bounds.items():
            with open(f"{folder}/{name}", "w", encoding="ascii") as file:
                file.write(str(value) if value else "max")
    except OSError:
        _remove_groups([folder])
        return ""
    return folder


def _is_used(folder: str) -> bool:
    """Does the process that made it still live? Between two turns its group is empty."""
    pid = folder.rpartition(PREFIX)[2]
    return pid.isdigit() and is_process_alive(int(pid))


def _remove_groups(folders: list[str]) -> None:
    for folder in folders:
        with suppress(OSError):  # processes are in it
            os.rmdir(folder)
