"""Names of our temporary files and folders. What a killed process leaves, the next one removes."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from functools import cache

from .. import lazy_re as re
from .processes import is_process_alive

# Purpose, process namespace and process; tempfile adds the rest.
OWN_NAME = re.compile(r"loop-[a-z]+-(\d+)-(\d+)-\w+")


def own_prefix(purpose: str) -> str:
    """How the name of a temporary file or folder of ours begins: it names the process."""
    remove_leftovers()
    return f"loop-{purpose}-{_process_namespace()}-{os.getpid()}-"


@cache
def remove_leftovers() -> None:
    """Remove what processes of this user that have ended left behind; once in each process."""
    from tempfile import gettempdir

    with suppress(OSError):
        for entry in list(os.scandir(gettempdir())):
            if _is_leftover(entry):
                _remove(entry)


def _is_leftover(entry: os.DirEntry[str]) -> bool:
    found = OWN_NAME.fullmatch(entry.name)
    if not found or int(found[1]) != _process_namespace():
        return False  # a container may share the folder, and its processes are not seen here
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    is_plain = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
    is_mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return is_plain and is_mine and not is_process_alive(int(found[2]))


def _remove(entry: os.DirEntry[str]) -> None:
    from shutil import rmtree

    if entry.is_dir(follow_symlinks=False):
        rmtree(entry.path, ignore_errors=True)  # it follows no link
        return
    with suppress(OSError):
        os.unlink(entry.path)


@cache
def _process_namespace() -> int:
    """The number of the process namespace that we are in; 0 where there is none."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0
