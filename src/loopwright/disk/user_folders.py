"""The user's own folders outside every project: home, and where Loopwright keeps its record."""

from __future__ import annotations

import sys

from .light_os import os


class NoHomeFolder(Exception):
    """Nobody says where the user's home is, so there is no place for our record."""


def home_folder() -> str:
    """HOME; where it is unset or unusable, what the user database says."""
    if sys.platform == "win32":
        candidates = [os.path.expanduser("~")]
    else:
        candidates = [os.environ.get("HOME", ""), _registered_home()]
    for path in candidates:
        if _is_usable(path):
            return os.path.normpath(path)
    raise NoHomeFolder(
        f"HOME is {os.environ.get('HOME', '')!r}, which is no folder that can be used, and the "
        "user database names no other. Set HOME to your home folder, then try again"
    )


def short_path(path: str) -> str:
    """A path as a person writes it, with ~ for their home."""
    home = home_folder()
    return f"~{path[len(home) :]}" if path.startswith(f"{home}{os.sep}") else path


def _registered_home() -> str:
    """The home folder in the user database; "" where the user has no entry."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _is_usable(path: str) -> bool:
    """An absolute path of a folder that is there, or that we could create."""
    if not os.path.isabs(path):
        return False
    if os.path.isdir(path):
        return True
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK)


def state_home() -> str:
    """The folder of our record."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):  # unset; and a relative one would be another in each project
        base = os.path.join(home_folder(), ".local", "state")
    return os.path.join(base, "loopwright")
