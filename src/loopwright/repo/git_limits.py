"""Keeps git from waiting for ever and from using up the memory.

Where it expects a file, an agent may have put a pipe, or a sparse file that takes no disk.
"""

from __future__ import annotations

import stat
import sys
import time

from ..disk.light_os import os

if sys.platform == "linux":
    import resource
else:
    resource = None

LOOK_SECONDS = 2.0  # how often a git that prints nothing is looked at
BLOCKED_SECONDS = 20.0  # a git that neither works nor prints for so long waits for somebody
# Below .git, what most commands open.
OPENED_FILES = (".gitignore", ".gitattributes", ".gitmodules")
OPENED_FOLDERS = ("", "info", "logs", "objects/info")
# What git reads as a whole, and how many bytes of it a real project never has.
MEGABYTE = 1 << 20
MOST_BYTES = {
    **dict.fromkeys(OPENED_FILES, 100 * MEGABYTE),
    **dict.fromkeys((".git/info/exclude", ".git/info/attributes"), 100 * MEGABYTE),
    **dict.fromkeys((".git/info/sparse-checkout", ".git/shallow"), 100 * MEGABYTE),
    **dict.fromkeys((".git/HEAD", ".git/config"), MEGABYTE),
    ".git/packed-refs": 1000 * MEGABYTE,
}
MOST_MEMORY = 2000 * MEGABYTE  # of a git of ours, without the files that it maps


class BlockedGit(OSError):
    """Git would wait for a file that never comes, has waited for it, or would read too much."""


def bound_memory(pid: int) -> None:
    """Let a git that only reads allocate no more than this: a file elsewhere may be huge too.

    It is set when git has just started, so that no other program of ours inherits it.
    """
    if resource is not None:
        try:
            resource.prlimit(pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        except (OSError, ValueError):  # it has ended, or may use even less
            pass


def refuse_odd_files(root: str) -> None:
    """Raise if a file that git opens is a pipe, a device, or far too large.

    A pipe elsewhere only costs time, and a large file meets the bound of the memory.
    """
    for name, most in MOST_BYTES.items():
        try:
            size = os.stat(os.path.join(root, name)).st_size
        except OSError:
            continue
        if size > most:
            text = f"{name} has {size // MEGABYTE} MB, all of which git would read"
            raise BlockedGit(f"{text}. Make it small again: ls -ls {name}")
    odd = [os.path.join(root, name) for name in OPENED_FILES]
    for name in OPENED_FOLDERS:
        try:
            entries = os.scandir(os.path.join(root, ".git", name))
        except OSError:  # a worktree, whose .git is a file, or a folder that is not there
            continue
        odd += [entry.path for entry in entries if not _is_plain(entry)]
    for path in odd:
        if _is_waited_for(path):
            name = os.path.relpath(path, root)
            raise BlockedGit(f"git would wait for {name}, which is no file. Remove it: rm {name}")


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)


def _is_waited_for(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:  # a link that leads nowhere
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


class GitWatch:
    """Looks at a running git: does it still work?"""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.seen: tuple[tuple[int, int], ...] = ()
        self.since = time.monotonic()

    def is_blocked(self) -> bool:
        """Has neither git nor a process that it started used the processor for a while?"""
        idle = _idle_processes(self.pid)
        now = time.monotonic()
        if not idle or idle != self.seen:
            self.seen, self.since = idle, now
        return now - self.since >= BLOCKED_SECONDS


def _idle_processes(pid: int) -> tuple[tuple[int, int], ...]:
    """The process and its descendants with their processor time; () where one of them works.

    A filter may wait for the network: git is blocked only if git itself sleeps.
    """
    processes = _all_processes()
    family, parents = [pid], {pid}
    for child, (parent, _, _, _) in sorted(processes.items()):
        if parent in parents:
            parents.add(child)
            family.append(child)
    rows = [(one, processes[one]) for one in family if one in processes]
    has_child = {row[0] for _, row in rows}
    last = [row for one, row in rows if one not in has_child]
    if any(state != b"S" or name != b"git" for _, name, state, _ in last):
        return ()
    return tuple((one, row[3]) for one, row in rows)


def _all_processes() -> dict[int, tuple[int, bytes, bytes, int]]:
    """Parent, name, state and processor time of every process; nothing without a /proc."""
    found = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                head, _, rest = file.read().rpartition(b")")
        except OSError:  # it has ended
            continue
        fields = rest.split()
        command = head.partition(b"(")[2]
        found[int(name)] = (int(fields[1]), command, fields[0], int(fields[11]) + int(fields[12]))
    return found
