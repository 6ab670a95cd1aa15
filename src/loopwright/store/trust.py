"""Trust like direnv: a command found in a file runs only after a person has allowed it there.

Each allowed command is a small file in the user's state folder, outside every repository.
"""

from __future__ import annotations

import os

from ..core.criteria import Check
from ..core.record import digest
from ..disk.files import make_folder, sync_folder, write_atomic
from ..disk.user_folders import state_home
from .folder import LoopFolder


def is_allowed(folder: LoopFolder, check: Check) -> bool:
    return os.path.exists(_allowed_path(folder, check))


def allow_check(folder: LoopFolder, check: Check) -> None:
    path = _allowed_path(folder, check)
    make_folder(os.path.dirname(path))
    write_atomic(path, f"{os.path.realpath(folder.root)}\n{command_text(check)}\n".encode())
    sync_folder(os.path.dirname(path))


def deny_check(folder: LoopFolder, check: Check) -> None:
    path = _allowed_path(folder, check)
    if os.path.exists(path):
        os.remove(path)
        # A power cut must not bring the permission back.
        sync_folder(os.path.dirname(path))


def is_allowed_outside(folder: LoopFolder, check: Check) -> bool:
    """May this check run with more than its sandbox gives, because the person agreed before?"""
    return is_allowed(folder, _outside_key(check))


def allow_outside(folder: LoopFolder, check: Check) -> None:
    allow_check(folder, _outside_key(check))


def _outside_key(check: Check) -> Check:
    return check.but(command=f"{check.box}\0{command_text(check)}")


def record_notice_shown(folder: LoopFolder, what: str) -> bool:
    """Record that the person saw this notice of this folder. True if they had seen it before."""
    key = f"{os.path.realpath(folder.root)}\0{what}".encode("utf-8", "replace")
    path = os.path.join(state_home(), "told", digest(key))
    shown_before = os.path.exists(path)
    make_folder(os.path.dirname(path))
    write_atomic(path, b"")
    return shown_before


def command_text(check: Check) -> str:
    return check.command if isinstance(check.command, str) else repr(list(check.command))


def _allowed_path(folder: LoopFolder, check: Check) -> str:
    key = f"{os.path.realpath(folder.root)}\0{command_text(check)}"
    return os.path.join(state_home(), "allowed", digest(key.encode("utf-8", "surrogateescape")))
