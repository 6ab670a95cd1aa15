"""The mirror on disk, .loop/state.json: read what was edited in it, replace it after commits."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.record import digest
from ..core.signals import Signal
from ..disk import files
from ..disk.files import open_at_once
from ..disk.light_os import os
from . import journal, mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class MirrorFile:
    """The mirror under the lock of the loop's folder."""

    def __init__(self, root: str, loop_path: str, may_be_outdated: Callable[[], bool]) -> None:
        """`may_be_outdated` answers whether a reboot may have undone the last writes."""
        self.root, self.loop_path = root, loop_path
        self.path = os.path.join(loop_path, "state.json")
        self._may_be_outdated = may_be_outdated
        self._deleted = False
        self._digest = ""  # of the file as we read or wrote it last; "": not known

    def read_edits(
        self, tail: journal.Tail, note_lines: list[str], at: float
    ) -> tuple[Signal, ...]:
        """What was edited in the mirror since we wrote it."""
        try:
            with open(self.path, "rb", opener=open_at_once) as file:
                data = file.read(mirror.MAX_BYTES + 1)
        except FileNotFoundError:
            return self._missing_mirror(tail, note_lines, at)
        except IsADirectoryError:  # set aside below, like everything unreadable
            data = b""
        content = digest(data)
        if content == tail.mirror_digest:
            self._digest = content
            return ()
        if content == tail.previous_mirror_digest or self._is_older_mirror(data, content):
            self._restore(tail.loop)
            return ()
        from ..core.signals import MirrorLost
        from .mirror_edits import read_edits

        edit = read_edits(data, tail.loop, at)
        if isinstance(edit, MirrorLost) and edit.how == "unreadable":
            aside = files.set_aside(self.path, os.path.join(self.loop_path, "aside"))
            edit = edit.but(aside_path=os.path.relpath(aside, self.root))
        return (edit,)

    def write(self, loop: Loop, body: bytes, body_digest: str) -> bool:
        """Replace it. False if a person deleted it to pause; `loop continue` restores it."""
        if self._deleted and loop.status == "paused":
            return False
        if body_digest != self._digest:
            files.write_atomic(self.path, body, wait=False)
        self._deleted, self._digest = False, body_digest
        return True

    def _missing_mirror(
        self, tail: journal.Tail, note_lines: list[str], at: float
    ) -> tuple[Signal, ...]:
        """Write the first mirror if the start crashed before it; else a person deleted it."""
        head, before = note_lines[2:3], note_lines[3:4]
        if tail.seq == 1 and (head != before or self._may_be_outdated()):
            self._restore(tail.loop)
            return ()
        from ..core.signals import MirrorLost

        self._deleted = True
        return (MirrorLost(at, "deleted"),)

    def _is_older_mirror(self, data: bytes, content: str) -> bool:
        """After a reboot the file may be empty, hold zero bytes, or be any mirror before it."""
        if not self._may_be_outdated():
            return False
        journal_path = os.path.join(self.loop_path, "journal.jsonl")
        if not data or b"\0" in data:
            return True
        from .journal_moves import mirror_digests

        return content in mirror_digests(journal_path)

    def _restore(self, loop: Loop) -> None:
        files.write_atomic(self.path, mirror.render_mirror(loop))
