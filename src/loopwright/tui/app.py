"""`loop watch`: the board of all loops, and the page of one of them, in a terminal.

Everything is read from the journals. Orders go the same way as the commands of the terminal. What
may wait for a disk or a lock runs in a thread; its result is shown by the application itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.filter import LineFilter

from ..store.further_loops import FurtherLoops
from ..store.journal import JournalError
from .base import LoopApp
from .board import BoardScreen
from .clean_lines import CleanLines
from .loop_data import LoopData
from .loop_screen import LoopScreen

BOARD_SECONDS, PAGE_SECONDS = 1.0, 0.2
DRAW_SHARE = 0.03  # of the time, to fill the table: one of 1,000 rows is not filled every second
READS_AT_ONCE = 50  # loops that are read before the board is drawn again


class WatchApp(LoopApp):
    """The application. `loop_id` is opened at once."""

    TITLE = "Loopwright"
    CSS_PATH = "watch.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", "Quit", show=False),
    ]

    def __init__(self, loop_id: str = "", further: FurtherLoops | None = None) -> None:
        super().__init__(further)
        self._first_id = loop_id
        self._last_reply = 0
        self._board = BoardScreen()
        self._shown_version = -1
        self._draw_after = 0.0
        self._is_reading = False
        self._is_reading_page = False

    async def on_mount(self) -> None:
        await self.push_screen(self._board)
        self.set_interval(BOARD_SECONDS, self.refresh_now)
        self.set_interval(PAGE_SECONDS, self._refresh_page)
        self.refresh_now()

    def refresh_now(self) -> None:
        """Look for changes in a thread, unless a thread does so already."""
        if not self._is_reading:
            self._is_reading = True
            self.run_worker(self._read_board(), group="board")

    async def _read_board(self) -> None:
        try:
            more = True
            while more:
                more = await asyncio.to_thread(self.catalog.refresh, READS_AT_ONCE)
                self._show_board()
        finally:
            self._is_reading = False

    def _show_board(self) -> None:
        if not self._board.is_composed:  # the application is closing
            return
        if self.catalog.version != self._shown_version and time.monotonic() > self._draw_after:
            started, self._shown_version = time.monotonic(), self.catalog.version
            self._board.show_rows(self.catalog.rows(), self.catalog.unread_count)
            self._board.show_notice(self.catalog.notice)
            ended = time.monotonic()
            self._draw_after = ended + (ended - started) / DRAW_SHARE
        if self._first_id and self.catalog.find(self._first_id):
            first, self._first_id = self._first_id, ""
            self.open_loop(first)

        self._show_replies()

    def _show_replies(self) -> None:
        """What came of orders that took effect elsewhere, and later."""
        further = self.catalog.further
        for reply in further.replies_after(self._last_reply) if further else ():
            self._last_reply = reply.number
            self.notify(
                reply.text,
                severity="error" if reply.is_refused else "information",
                timeout=8,
                markup=False,
            )

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), CleanLines()]

    def open_loop(self, loop_id: str) -> None:
        self.push_screen(LoopScreen(LoopData(self.catalog, loop_id)))

    def _refresh_page(self) -> None:
        screen = next(reversed(self.screen_stack), None)  # there is none while the app closes
        if not isinstance(screen, LoopScreen) or not screen.is_composed:
            return
        if screen.data.has_changed() and not self._is_reading_page:
            self._is_reading_page = True
            self.run_worker(self._read_page(screen), group="page")

    async def _read_page(self, screen: LoopScreen) -> None:
        try:
            shown = await asyncio.to_thread(screen.data.read)
        except (OSError, JournalError):  # the board says that it cannot be read
            return
        finally:
            self._is_reading_page = False
        if shown and screen.is_composed:  # it may have been closed meanwhile
            screen.show_loop(shown)
