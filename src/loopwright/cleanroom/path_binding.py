"""Lets a clean checkout appear at the path of the project, for the checks alone.

Then every path that leads to the project leads into the room: editable installs, settings with
absolute paths, virtual environments elsewhere. This needs a mount namespace of Linux. Where the
system refuses one, the paths are rewritten instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from ..disk.programs import own_environment, own_program
from ..disk.temporary import own_prefix

UNSHARE, BUBBLEWRAP = "unshare", "bwrap"
KINDS = (UNSHARE, BUBBLEWRAP) if sys.platform == "linux" else ()
PROBE_SECONDS = 20
MARK = "loop-room"
# Root keeps its rights with a mount namespace alone. Anyone else needs a user namespace too, which
# maps the user to itself; the rights in it end with exec.
NAMESPACE_SCRIPT = """\
import ctypes, os, sys
room, root, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNTS, BIND, PRIVATE = 0x10000000, 0x00020000, 0x5000, 0x44000
def mount(source, target, flags):
    if libc.mount(os.fsencode(source), os.fsencode(target), None, flags, None):
        sys.exit(126)
user, group = os.getuid(), os.getgid()
if user or libc.unshare(NEW_MOUNTS):
    if libc.unshare(NEW_USER | NEW_MOUNTS):
        sys.exit(126)
    maps = (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"))
    for name, text in maps:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
mount("none", "/", PRIVATE)
mount(room, root, BIND)
os.chdir(root)
os.execvp(command[0], command)
"""


def launcher_words(kind: str, room: str, root: str) -> tuple[str, ...]:
    """The words before a command that let it see the room at the path of the project."""
    if kind == UNSHARE:
        return (sys.executable, "-I", "-S", "-c", NAMESPACE_SCRIPT, room, root)
    if kind == BUBBLEWRAP:
        binds = ("--dev-bind", "/", "/", "--bind", room, root, "--chdir", root)
        return (own_program("bwrap", root) or "bwrap", *binds, "--die-with-parent", "--")
    return ()


def available_kind(root: str) -> str:
    """The first kind of binding that works here; "" for none."""
    with tempfile.TemporaryDirectory(prefix=own_prefix("room")) as folder:
        mark_room(folder)
        return next((kind for kind in KINDS if is_bound(kind, folder, root)), "")


def mark_room(room: str) -> None:
    """The project has no such file, so whoever sees it at the project's path sees the room."""
    os.makedirs(os.path.join(room, ".git"), exist_ok=True)
    with open(os.path.join(room, ".git", MARK), "wb"):
        pass


def is_bound(kind: str, room: str, root: str) -> bool:
    """Does a command see the marked room at the path of the project?"""
    mark = os.path.join(root, ".git", MARK)
    if os.path.lexists(mark):  # then it would show nothing
        return False
    command = [*launcher_words(kind, room, root), "/bin/sh", "-c", 'test -e "$0"', mark]
    try:
        done = subprocess.run(
            command,
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
