"""Trust like direnv: a command found in a file runs only after a person has allowed that exact command in that place.

What was allowed is kept in the user's state folder, outside every repository, one small file for each.
"""

from __future__ import annotations

import os

from ..core.criteria import Check
from ..core.record import digest
from ..disk.files import make_folder, sync_folder, write_atomic
from .folder import LoopFolder, state_home


def is_allowed(folder: LoopFolder, check: Check) -> bool:
    return os.path.exists(_allowed_path(folder, check))


def allow_check(folder: LoopFolder, check: Check) -> None:
    place = _allowed_path(folder, check)
    make_folder(os.path.dirname(place))
    write_atomic(place, f"{os.path.realpath(folder.root)}\n{command_text(check)}\n".encode())
    sync_folder(os.path.dirname(place))


def deny_check(folder: LoopFolder, check: Check) -> None:
    place = _allowed_path(folder, check)
    if os.path.exists(place):
        os.remove(place)
        sync_folder(os.path.dirname(place))  # a no that a power cut takes back would be a yes


def record_notice_shown(folder: LoopFolder, what: str) -> bool:
    """Did the person hear this of this folder before? It is remembered from now on: nobody is held up twice by it."""
    place = os.path.join(
        state_home(),
        "told",
        digest(f"{os.path.realpath(folder.root)}\0{what}".encode("utf-8", "replace")),
    )
    known = os.path.exists(place)
    make_folder(os.path.dirname(place))
    write_atomic(place, b"")
    return known


def command_text(check: Check) -> str:
    return check.command if isinstance(check.command, str) else repr(list(check.command))


def _allowed_path(folder: LoopFolder, check: Check) -> str:
    name = digest(
        f"{os.path.realpath(folder.root)}\0{command_text(check)}".encode("utf-8", "surrogateescape")
    )
    return os.path.join(state_home(), "allowed", name)
