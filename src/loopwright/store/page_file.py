"""The page of a discovery loop on disk: read edits, write it, keep a backup and the archives.

A copy of what we wrote last lies in .loop/. Edits are differences from that copy, so a write that
was cut short is never mistaken for an edit.
"""

from __future__ import annotations

import time

from ..core.loop import Loop
from ..core.prompts.discovery import BACKLOG_PAGE
from ..disk.files import open_at_once, replace_file, set_aside, write_atomic
from ..disk.light_os import os
from ..formats.markdown_page import MAX_CHARS, BacklogPage, backlog_edits
from ..formats.markdown_page_edit import render_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.signals import BacklogEdited, MirrorLost

BACKUP_PATH, HISTORY_PATH = ".claude/loop-state.backup.md", ".claude/loop-history"


class BacklogPageFile:
    """The page under the lock of the loop's folder: read once, written once."""

    def __init__(self, root: str, loop_path: str) -> None:
        self.root, self.loop_path = root, loop_path
        self.path = os.path.join(root, BACKLOG_PAGE)
        self.copy_path = os.path.join(loop_path, "page.md")
        self._on_disk = self._last_written = b""

    def read_edits(self, at: float) -> tuple[BacklogEdited | MirrorLost, ...]:
        """What was edited on the page since we last wrote it."""
        self._on_disk, self._last_written = self._read_page(), _read_bytes(self.copy_path)
        if self._on_disk == self._last_written or self._leads_outside():
            return ()
        from ..core.signals import BacklogEdited, MirrorLost

        name = os.path.basename(BACKLOG_PAGE)
        if not os.path.exists(self.path):
            return (MirrorLost(at, "deleted", file=name),)
        try:
            text = self._page_text()
        except ValueError:
            aside = set_aside(self.path, os.path.join(self.loop_path, "aside"))
            self._on_disk = b""
            return (MirrorLost(at, "unreadable", os.path.relpath(aside, self.root), file=name),)
        base = BacklogPage(_decode_text(self._last_written)) if self._last_written else None
        edits = backlog_edits(base, BacklogPage(text), at)
        return (edits,) if edits != BacklogEdited(at) else ()

    def _page_text(self) -> str:
        """The page as text, or a ValueError if it cannot be a page."""
        if os.path.isdir(self.path) or os.path.islink(self.path):
            raise ValueError("a folder or a link is no page")
        text = self._on_disk.decode()
        if len(text) > MAX_CHARS or "\0" in text:
            raise ValueError("no page is that long, or holds such letters")
        return text

    def write_page(self, loop: Loop, backup: bool = True) -> None:
        """Write the page, then the copy. A page saved meanwhile stays, and is read next time."""
        is_deleted = bool(self._last_written and not self._on_disk)
        if is_deleted and loop.status == "paused":  # `loop continue` restores it, with comments
            return
        if self._read_page() != self._on_disk or self._leads_outside():
            return
        body = render_page(loop, _decode_text(self._on_disk or self._last_written)).encode()
        try:
            if body != self._on_disk:
                if not os.path.isdir(os.path.dirname(self.path)):
                    os.makedirs(os.path.dirname(self.path), exist_ok=True)
                if self._on_disk and backup:
                    write_atomic(os.path.join(self.root, BACKUP_PATH), self._on_disk)
                write_atomic(self.path, body)
            if body != self._last_written:
                write_atomic(self.copy_path, body)
        except OSError:  # only a view: the journal has everything, and the next write retries
            return
        self._on_disk = self._last_written = body

    def create_page(self, loop: Loop, onto: bool) -> None:
        """Write the first page: onto the existing one, or a new one after archiving the old."""
        if onto:
            self._on_disk = self._read_page()
        else:
            self.archive_page()
        self.write_page(loop)

    def archive_copy(self) -> None:
        """Put a copy of the page into the archive; the loop may continue."""
        self._put_in_archive(lambda target: write_atomic(target, self._read_page()))

    def archive_page(self) -> None:
        """Move the page of an ended loop into the archive."""
        self._put_in_archive(lambda target: replace_file(self.path, target))

    def _put_in_archive(self, put: Callable[[str], None]) -> None:
        try:
            if os.path.exists(self.path) and not self._leads_outside():
                put(self._free_archive_path())
        except OSError:  # the page stays; that must not keep the loop from ending
            return

    def _read_page(self) -> bytes:
        """The bytes of the page; none through a link, which an agent may have made."""
        if os.path.islink(self.path) or self._leads_outside():
            return b""
        return _read_bytes(self.path)

    def _leads_outside(self) -> bool:
        """Does a link lead one of these folders out of the repository? We write through none."""
        inside = f"{os.path.realpath(self.root)}{os.sep}"
        folders = (os.path.dirname(self.path), os.path.join(self.root, HISTORY_PATH))
        return not all(os.path.realpath(folder).startswith(inside) for folder in folders)

    def _free_archive_path(self) -> str:
        """A free name, also for a second archive within one second."""
        base = os.path.join(self.root, HISTORY_PATH)
        os.makedirs(base, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        path, number = os.path.join(base, f"{stamp}.md"), 1
        while os.path.lexists(path):
            number += 1
            path = os.path.join(base, f"{stamp}-{number}.md")
        return path


def _read_bytes(path: str) -> bytes:
    if not os.path.isfile(path):  # a pipe, or a link to one, would block us forever
        return b""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            return file.read(4 * MAX_CHARS + 4)
    except FileNotFoundError:
        return b""


def _decode_text(data: bytes) -> str:
    """The text of our copy; "" if it is damaged."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""
