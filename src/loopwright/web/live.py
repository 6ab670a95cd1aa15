"""Server-sent events: changed rows of the board, and the lines of one loop as they are written.

The id of an event of a loop is the position in its journal after the line, so that a browser that
reconnects gets exactly the lines that it has not seen, also from a server that was restarted.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException

from ..store.journal import JournalError
from ..store.journal_reader import WrongPosition, read_after, read_before
from ..store.loop_catalog import LoopCatalog
from ..store.loop_reader import journal_stamp
from ..views.board_of_loops import BoardRow, board_totals
from ..views.loop_timeline import KINDS
from ..views.plain_values import plain_value
from . import loops

LINE_SECONDS = 0.05  # between two looks at the journal of a page that is open
WORDS_SECONDS = 1.0
KEEP_ALIVE, KEEP_ALIVE_SECONDS = b": still here\n\n", 15.0
STOP_SECONDS = 0.5  # until an open stream notices that the server stops
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 2.0
WORK_SHARE = 0.01  # of a core, for the look at all loops
READS_PER_LOOK = 50
MAX_CHANGED_ROWS = 500


def sse_text(event: str, data: object, event_id: int | None = None) -> bytes:
    number = "" if event_id is None else f"id: {event_id}\n"
    return f"{number}event: {event}\ndata: {json.dumps(data)}\n\n".encode()


class BoardWatch:
    """Looks at all loops again and again, and wakes those who follow the board."""

    def __init__(self, catalog: LoopCatalog) -> None:
        self.catalog = catalog
        self.is_stopping: Callable[[], bool] = lambda: False
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Look for ever. The pause grows with the time that a look takes."""
        while True:
            started, version = time.monotonic(), self.catalog.version
            has_more = await run_sync(self.catalog.refresh, READS_PER_LOOK)
            if self.catalog.version != version:
                self._changed.set()
                self._changed = asyncio.Event()
            pause = (time.monotonic() - started) / WORK_SHARE
            await asyncio.sleep(0 if has_more else min(max(pause, SHORTEST_PAUSE), LONGEST_PAUSE))

    async def follow(self) -> AsyncIterator[bytes]:
        """The rows that have changed since the last event; the first event is the whole board."""
        sent: dict[str, BoardRow] = {}
        notice = self.catalog.notice
        first, last_sent = True, time.monotonic()
        while not self.is_stopping():
            changed, version = self._changed, self.catalog.version
            rows = self.catalog.rows()
            now = {row.id: row for row in rows}
            new = [row for row in rows if sent.get(row.id) is not row]
            gone = list(sent.keys() - now.keys())
            if first or len(new) > MAX_CHANGED_ROWS:
                # The browser has just loaded the board, or so much has changed that it should.
                yield sse_text("board", {"version": version, "reload": not first})
            elif new or gone or notice != self.catalog.notice:
                notice = self.catalog.notice
                values = {
                    "version": version,
                    "rows": [loops.row_values(row) for row in new],
                    "gone": gone,
                    "totals": plain_value(board_totals(rows)),
                    "unread": self.catalog.unread_count,
                    "notice": self.catalog.notice,
                }
                yield sse_text("rows", values)
            sent, first = now, False
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), STOP_SECONDS)
            if time.monotonic() - last_sent > KEEP_ALIVE_SECONDS:
                last_sent = time.monotonic()
                yield KEEP_ALIVE

    async def follow_loop(self, loop_id: str, position: int) -> AsyncIterator[bytes]:
        """The lines after a position as they are written, the state after them, and the words."""
        follower = LoopFollower(self.catalog, loop_id, position)
        last_sent = time.monotonic()
        while not self.is_stopping():
            # One after the other: a new line does not wait until the whole page is computed.
            for look in follower.looks:
                for chunk in await run_sync(look):
                    last_sent = time.monotonic()
                    yield chunk
            if time.monotonic() - last_sent > KEEP_ALIVE_SECONDS:
                last_sent = time.monotonic()
                yield KEEP_ALIVE
            await asyncio.sleep(LINE_SECONDS)


class LoopFollower:
    """Follows one loop for one browser. Each call looks once and reads a bounded part."""

    def __init__(self, catalog: LoopCatalog, loop_id: str, position: int) -> None:
        self.catalog, self.loop_id, self.position = catalog, loop_id, position
        self._stamp: object = None
        self._state_due = True
        self._words_size, self._words_at = -1, 0.0
        self._changes = 0  # of a loop that runs elsewhere
        further = catalog.further
        told = further.replies_after(0) if further else []
        self._last_reply = told[-1].number if told else 0
        self.looks = (self.new_lines, self.new_state, self.new_words, self.new_replies)

    def new_lines(self) -> list[bytes]:
        place = self.catalog.find(self.loop_id)
        if place and place.changes != self._changes:
            self._changes, self._state_due = place.changes, True
        stamp = journal_stamp(place.path) if place else None
        if place is None or stamp is None or stamp == self._stamp:
            return []
        reader, self._state_due = self.catalog.reader(self.loop_id), True
        try:
            part = read_after(place.path, self.position, KINDS)
            if reader.history.is_complete:
                reader.read_more(place.path)
        except WrongPosition:  # the journal was cut off: the page begins again
            self.position = read_before(place.path, None, 1).end
            return [sse_text("reload", {})]
        except (OSError, JournalError):  # it moves to the archive at this moment
            return []
        self.position = part.end
        self._stamp = stamp if part.reaches_end else None
        lines = loops.slice_values(part, reader.history)["lines"]
        return [sse_text("line", line, line["end"]) for line in lines]

    def new_state(self) -> list[bytes]:
        """The page after the last line; while the history is being read, a part of it each time."""
        if not self._state_due:
            return []
        try:
            place, reader = loops.find_loop(self.catalog, self.loop_id)
            self._state_due = loops.has_journal(place) and loops.read_slices(
                place, reader, loops.SLICES_PER_REQUEST
            )
            values = loops.state_values(self.catalog, place, self.catalog.read_view(place))
        except (OSError, JournalError, HTTPException):  # it moves or is gone
            return []
        return [sse_text("state", values, self.position)]

    def new_words(self) -> list[bytes]:
        place, now = self.catalog.find(self.loop_id), time.monotonic()
        if place is None or now - self._words_at < WORDS_SECONDS:
            return []
        self._words_at = now
        words = loops.words_values(place)
        if words["size"] == self._words_size:
            return []
        self._words_size = words["size"]
        return [sse_text("words", words)]

    def new_replies(self) -> list[bytes]:
        """What came of orders that took effect elsewhere, and later."""
        further = self.catalog.further
        new = further.replies_after(self._last_reply) if further else []
        if new:
            self._last_reply = new[-1].number
        return [
            sse_text("reply", {"text": reply.text, "refused": reply.is_refused})
            for reply in new
            if reply.loop_id == self.loop_id
        ]
