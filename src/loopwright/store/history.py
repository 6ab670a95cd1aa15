"""Loops that have ended here, read from their archives, newest first.

An archive that cannot be read, or does not match its seal, is skipped; `loop audit` names the
reason.
"""

from __future__ import annotations

import os

from ..core.loop import Loop
from . import journal
from .archive import seal_path
from .chain import has_sealed_place, place_problem, sealed_end
from .folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def folder_with_history(path: str) -> LoopFolder | None:
    """The first folder upwards in which loops have ended; the search ends at .git and at HOME."""
    home = os.path.realpath(os.path.expanduser("~"))
    while os.path.isabs(path) and not f"{home}/".startswith(f"{os.path.realpath(path)}/"):
        if os.path.isdir(os.path.join(path, ".loop", "history")):
            return LoopFolder(path)
        if os.path.exists(os.path.join(path, ".git")) or path == os.path.dirname(path):
            break
        path = os.path.dirname(path)
    return None


def ended_loop_ids(folder: LoopFolder) -> list[str]:
    """The ids by time of end, newest first.

    An id is not enough to sort by: two loops may start in one second, and clocks may be set back.
    """
    history = folder.path_of("history")
    if not os.path.isdir(history):
        return []

    def ended_at(name: str) -> tuple[float, str]:
        try:
            return os.stat(os.path.join(history, name, "journal.jsonl")).st_mtime, name
        except OSError:
            return 0.0, name

    return sorted(os.listdir(history), key=ended_at, reverse=True)


def ended_loops(folder: LoopFolder) -> list[Loop]:
    return list(_sealed_loops(folder))


def last_ended_loop(folder: LoopFolder) -> Loop | None:
    """The loop that ended last. Older archives are not read."""
    return next(_sealed_loops(folder), None)


def _sealed_loops(folder: LoopFolder) -> Iterator[Loop]:
    for name in ended_loop_ids(folder):
        try:
            tail = journal.read(folder.path_of("history", name, "journal.jsonl"))
        except (OSError, journal.JournalError):
            continue
        if is_sealed(folder, name, tail):
            yield tail.loop


def lost_later_records(folder: LoopFolder, loop_id: str) -> tuple[str, ...]:
    """Loops that were here later than this one ("": all), and whose record is gone from here.

    An older copy of .loop/ fits in itself. Only what we keep outside the project shows that it is
    not the last one: the seals of ended loops, and the mark of the loop that is active here.
    """
    from .restore import missing_loop  # only a receipt, an audit and the history need it

    lost = [name for name in _sealed_later(loop_id) if is_record_lost(folder, name)]
    if active := missing_loop(folder):
        lost.append(active.id)
    return tuple(lost)


def is_record_lost(folder: LoopFolder, name: str) -> bool:
    """Did this loop end here, and is its archive gone?"""
    return has_sealed_place(folder, name) and not os.path.exists(
        folder.path_of("history", name, "journal.jsonl")
    )


def _sealed_later(loop_id: str) -> list[str]:
    """The loops of this user whose seal is newer than that of this one, oldest first."""
    times: dict[str, int] = {}
    try:
        for entry in os.scandir(os.path.dirname(seal_path(loop_id))):
            times[entry.name] = entry.stat().st_mtime_ns
    except OSError:
        return []
    own = times.get(loop_id, 0)
    return sorted((name for name in times if times[name] > own), key=lambda name: times[name])


def is_sealed(folder: LoopFolder, name: str, tail: journal.Tail) -> bool:
    """Did the loop of this name end here, with this journal?"""
    return sealed_end(name) == (tail.seq, tail.head) and not place_problem(folder, name)
