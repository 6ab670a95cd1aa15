"""The page of a discovery loop on disk: read what somebody changed, write what the loop knows, keep a backup and the archives.

A copy of what we last wrote lies in .loop/: edits are told against it, so a write that was cut short is never taken for one.
"""

from __future__ import annotations

import os
import time

from ..core.coaching import PAGE
from ..core.loop import Loop
from ..core.signals import MirrorLost, Tended
from .journal import replace, set_aside, write_atomic
from .page import MOST, Page, edits
from .page_edit import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BACKUP, HISTORY = ".claude/loop-state.backup.md", ".claude/loop-history"


class PageFile:
    """The page under the lock of the loop's folder: read once, written once."""

    def __init__(self, root: str, loop_path: str) -> None:
        self.root, self.loop_path = root, loop_path
        self.path = os.path.join(root, PAGE)
        self.copy = os.path.join(loop_path, "page.md")
        self._seen = self._wrote = b""

    def read(self, at: float) -> tuple[Tended | MirrorLost, ...]:
        """What came in by the page since we last wrote it."""
        self._seen, self._wrote = _bytes(self.path), _bytes(self.copy)
        if self._seen == self._wrote:
            return ()
        name = os.path.basename(PAGE)
        if not os.path.exists(self.path):
            return (MirrorLost(at, "deleted", file=name),)
        try:
            if os.path.isdir(self.path):
                raise ValueError("a folder is no page")
            now = self._seen.decode()
            if len(now) > MOST or "\0" in now:
                raise ValueError("no page is that long, or holds such letters")
        except ValueError:
            aside = set_aside(self.path, os.path.join(self.loop_path, "aside"))
            self._seen = b""
            return (MirrorLost(at, "unreadable", os.path.relpath(aside, self.root), file=name),)
        found = edits(Page(_text(self._wrote)) if self._wrote else None, Page(now), at)
        return (found,) if found != Tended(at) else ()

    def write(self, loop: Loop, backup: bool = True) -> None:
        """Page, then copy. If somebody saved it in this very moment, theirs stands, and is read the next time."""
        gone = self._wrote and not self._seen  # deleted by hand: `loop continue` brings it back, comments and all
        if _bytes(self.path) != self._seen or (gone and loop.status == "paused") or self._leads_out():
            return
        body = render(loop, _text(self._seen or self._wrote)).encode()
        try:
            if body != self._seen:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                if self._seen and backup:
                    write_atomic(os.path.join(self.root, BACKUP), self._seen)
                write_atomic(self.path, body)
            if body != self._wrote:
                write_atomic(self.copy, body)
        except OSError:  # a view only: the journal has it all, and the next write brings it
            return
        self._seen = self._wrote = body

    def lay(self, loop: Loop, onto: bool) -> None:
        """The first page: onto the one that is there, or from nothing; then an older one goes to the archive."""
        if onto:
            self._seen = _bytes(self.path)
        else:
            self.archive()
        self.write(loop)

    def keep(self) -> None:
        """A copy for the archive; the loop may go on."""
        self._to_archive(lambda place: write_atomic(place, _bytes(self.path)))

    def archive(self) -> None:
        """The page of a loop that has ended."""
        self._to_archive(lambda place: replace(self.path, place))

    def _to_archive(self, put: Callable[[str], None]) -> None:
        try:
            if os.path.exists(self.path) and not self._leads_out():
                put(self._free())
        except OSError:  # it stays where it is; no loop is kept from its end by that
            return

    def _leads_out(self) -> bool:
        """A repository may have a link for one of these folders: nothing is written through it."""
        inside = f"{os.path.realpath(self.root)}{os.sep}"
        places = (os.path.dirname(self.path), os.path.join(self.root, HISTORY))
        return not all(os.path.realpath(place).startswith(inside) for place in places)

    def _free(self) -> str:
        """A name of its own, also for the second of one second."""
        base = os.path.join(self.root, HISTORY)
        os.makedirs(base, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (f"{stamp}.md", *(f"{stamp}-{number}.md" for number in range(2, 1_000)))
        return next(path for name in names if not os.path.lexists(path := os.path.join(base, name)))


def _bytes(path: str) -> bytes:
    if not os.path.isfile(path):  # a pipe, or a link to one, would keep us waiting for ever
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(4 * MOST + 4)
    except FileNotFoundError:
        return b""


def _text(data: bytes) -> str:
    """Our own copy may be damaged: then it is no help, and no harm."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""
