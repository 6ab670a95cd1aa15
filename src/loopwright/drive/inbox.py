"""The inbox: how an agent in a sandbox reaches the loop, whose folder it cannot write.

The agent's commands leave their signals there, beside its notes and the gaps that it finds in a
plan. The runner reads them after the turn and treats every byte as a claim.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress

from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record, decode, encode
from ..core.signals import BacklogEdited, Claimed, Claims, Ordered, Signal
from ..disk.files import open_no_link, write_atomic
from ..store.folder import LoopFolder, NoLoop
from .plans.plan_files import REPORT

VARIABLE = "LOOP_INBOX"  # set for an agent in a sandbox
FOLDER, NOTES, MIRROR = "inbox", "notes.md", "state.json"
SIGNAL_SUFFIX = ".signal.json"
MAX_BYTES, MAX_SIGNALS = 1_000_000, 200
NOTED = "Noted. The runner reads it when you stop; the checks decide."


def is_boxed() -> bool:
    """Does an agent in a sandbox run this command?"""
    return bool(os.environ.get(VARIABLE))


def post_signal(signal: Signal) -> bool:
    """Leave the signal in the inbox if we run in a sandbox; False: the loop can be told itself."""
    folder = os.environ.get(VARIABLE, "")
    if not folder:
        return False
    path = os.path.join(folder, f"{time.time_ns()}{SIGNAL_SUFFIX}")
    with open(path, "x", encoding="utf-8") as file:
        file.write(dumps(encode(signal)))
    return True


def open_inbox(folder: LoopFolder) -> str:
    """An inbox for the next turn, with the notes of the earlier ones; its path."""
    path = folder.path_of(FOLDER)
    if os.path.islink(path):
        os.remove(path)
    os.makedirs(path, mode=0o700, exist_ok=True)
    notes = _read_plain(folder.path_of(NOTES))
    if notes is not None:
        write_atomic(os.path.join(path, NOTES), notes, wait=False)
    return path


def read_inbox(folder: LoopFolder, give: Callable[[Signal], object]) -> None:
    """Give what the agent left to the loop, in the order of time, and empty the inbox."""
    path = folder.path_of(FOLDER)
    with suppress(FileNotFoundError):
        names = sorted(os.listdir(path))
        targets = {NOTES: folder.path_of(NOTES), REPORT: folder.path_of(REPORT)}
        for name, target in {**targets, MIRROR: folder.mirror_path}.items():
            data = _read_plain(os.path.join(path, name)) if name in names else None
            if data is not None and data != _read_plain(target):
                write_atomic(target, data)
        signals = [name for name in names if name.endswith(SIGNAL_SUFFIX)]
        for name in signals[:MAX_SIGNALS]:
            if signal := _parse_signal(_read_plain(os.path.join(path, name))):
                with suppress(NoLoop):  # the one before it ended the loop
                    give(signal)
        for name in names:
            with suppress(OSError):  # a folder that the agent made; it harms nothing
                os.remove(os.path.join(path, name))


def _read_plain(path: str) -> bytes | None:
    """The bytes of a plain file; None for a link, a pipe, a huge file or nothing at all."""
    try:
        fd = open_no_link(path, os.O_RDONLY)
    except OSError:
        return None
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return None
        data = file.read(MAX_BYTES + 1)
    return data if len(data) <= MAX_BYTES else None


def _parse_signal(data: bytes | None) -> Signal | None:
    """A claim, an edit of the backlog or a pause; None for anything else."""
    try:
        signal = decode(loads((data or b"").decode()))
    except (JSONError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return None
    now = time.time()
    if isinstance(signal, Claimed) and isinstance(signal.claims, Claims) and _is_plain(signal):
        return Claimed(now, signal.claims)
    if isinstance(signal, BacklogEdited) and _is_plain(signal):
        return signal.but(at=now, tampered_fields=())
    if isinstance(signal, Ordered) and signal.order == "pause":
        return Ordered(now, "pause", by="agent", reason=str(signal.reason)[:300])
    return None


def _is_plain(value: object) -> bool:
    """Only texts, numbers and records of them: the loop compares and prints these values."""
    if isinstance(value, Record):
        return all(_is_plain(value.__dict__[name]) for name in value.FIELDS)
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
