"""The page of a discovery loop on disk: read what somebody changed, write what the loop knows, keep a backup and the archives.

A copy of what we last wrote lies in .loop/: edits are told against it, so a write that was cut short is never taken for one.
"""

from __future__ import annotations

import os
import time

from ..core.loop import Loop
from ..core.prompts.discovery import BACKLOG_PAGE
from ..core.signals import BacklogEdited, MirrorLost
from ..disk.files import replace_file, set_aside, write_atomic
from ..formats.markdown_page import MAX_CHARS, BacklogPage, backlog_edits
from ..formats.markdown_page_edit import render_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BACKUP_PATH, HISTORY_PATH = ".claude/loop-state.backup.md", ".claude/loop-history"


class BacklogPageFile:
    """The page under the lock of the loop's folder: read once, written once."""

    def __init__(self, root: str, loop_path: str) -> None:
        self.root, self.loop_path = root, loop_path
        self.path = os.path.join(root, BACKLOG_PAGE)
        self.copy_path = os.path.join(loop_path, "page.md")
        self._on_disk = self._last_written = b""

    def read_edits(self, at: float) -> tuple[BacklogEdited | MirrorLost, ...]:
        """What came in by the page since we last wrote it."""
        self._on_disk, self._last_written = _read_bytes(self.path), _read_bytes(self.copy_path)
        if self._on_disk == self._last_written:
            return ()
        name = os.path.basename(BACKLOG_PAGE)
        if not os.path.exists(self.path):
            return (MirrorLost(at, "deleted", file=name),)
        try:
            if os.path.isdir(self.path):
                raise ValueError("a folder is no page")
            now = self._on_disk.decode()
            if len(now) > MAX_CHARS or "\0" in now:
                raise ValueError("no page is that long, or holds such letters")
        except ValueError:
            aside = set_aside(self.path, os.path.join(self.loop_path, "aside"))
            self._on_disk = b""
            return (MirrorLost(at, "unreadable", os.path.relpath(aside, self.root), file=name),)
        found = backlog_edits(
            BacklogPage(_decode_text(self._last_written)) if self._last_written else None,
            BacklogPage(now),
            at,
        )
        return (found,) if found != BacklogEdited(at) else ()

    def write_page(self, loop: Loop, backup: bool = True) -> None:
        """Page, then copy. If somebody saved it in this very moment, theirs stands, and is read the next time."""
        gone = (
            self._last_written and not self._on_disk
        )  # deleted by hand: `loop continue` brings it back, comments and all
        if (
            _read_bytes(self.path) != self._on_disk
            or (gone and loop.status == "paused")
            or self._leads_outside()
        ):
            return
        body = render_page(loop, _decode_text(self._on_disk or self._last_written)).encode()
        try:
            if body != self._on_disk:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                if self._on_disk and backup:
                    write_atomic(os.path.join(self.root, BACKUP_PATH), self._on_disk)
                write_atomic(self.path, body)
            if body != self._last_written:
                write_atomic(self.copy_path, body)
        except OSError:  # a view only: the journal has it all, and the next write brings it
            return
        self._on_disk = self._last_written = body

    def create_page(self, loop: Loop, onto: bool) -> None:
        """The first page: onto the one that is there, or from nothing; then an older one goes to the archive."""
        if onto:
            self._on_disk = _read_bytes(self.path)
        else:
            self.archive_page()
        self.write_page(loop)

    def archive_copy(self) -> None:
        """A copy for the archive; the loop may go on."""
        self._put_in_archive(lambda place: write_atomic(place, _read_bytes(self.path)))

    def archive_page(self) -> None:
        """The page of a loop that has ended."""
        self._put_in_archive(lambda place: replace_file(self.path, place))

    def _put_in_archive(self, put: Callable[[str], None]) -> None:
        try:
            if os.path.exists(self.path) and not self._leads_outside():
                put(self._free_archive_path())
        except OSError:  # it stays where it is; no loop is kept from its end by that
            return

    def _leads_outside(self) -> bool:
        """A repository may have a link for one of these folders: nothing is written through it."""
        inside = f"{os.path.realpath(self.root)}{os.sep}"
        places = (os.path.dirname(self.path), os.path.join(self.root, HISTORY_PATH))
        return not all(os.path.realpath(place).startswith(inside) for place in places)

    def _free_archive_path(self) -> str:
        """A name of its own, also for the second of one second."""
        base = os.path.join(self.root, HISTORY_PATH)
        os.makedirs(base, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (f"{stamp}.md", *(f"{stamp}-{number}.md" for number in range(2, 1_000)))
        return next(path for name in names if not os.path.lexists(path := os.path.join(base, name)))


def _read_bytes(path: str) -> bytes:
    if not os.path.isfile(path):  # a pipe, or a link to one, would keep us waiting for ever
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(4 * MAX_CHARS + 4)
    except FileNotFoundError:
        return b""


def _decode_text(data: bytes) -> str:
    """Our own copy may be damaged: then it is no help, and no harm."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""
