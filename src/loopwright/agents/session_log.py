"""What the file in which a host records its session says about a turn: cost, tools, last answer.

Every such file is a list of JSON objects, one per line, that grows. A host's session_file.py has
`add_entry`, which tells a SessionLog what one object means; that of Claude Code is transcript.py.
We read from where we stopped.
"""

from __future__ import annotations

import time

from ..core.json_text import dumps, json_object
from ..core.limits import Cursor, price_of
from ..core.loop import Loop
from ..core.prompts.phrases import cut_at_word
from ..core.record import Record
from ..core.signals import ToolOutcome, TurnOver
from ..disk.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.limits import Price

    EntryReader = Callable[["SessionLog", dict[str, Any]], None]

MAX_BYTES = 8 * 1024 * 1024  # per hook; the rest is read at the next stop, and reported
PROBE_BYTES = 64 * 1024
MAX_OUTCOMES = 200
MAX_TOKENS = 1_000_000_000  # a larger number is not a count
MAX_ID, MAX_FILE = 200, 1_000  # characters
WAIT_SECONDS = 0.5  # a host may write its last line a little after it has called us
POLL_SECONDS = 0.003


class Tokens(Record):
    """The tokens of one message; `input` without what the cache held."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0  # for a cache that lives for an hour, at twice the price of input


class SessionLog:
    """Sums over the lines of session files."""

    def __init__(self, prices: tuple[Price, ...], model: str = "") -> None:
        self._prices = prices
        self.model = model  # of the messages that do not say it
        # The last message that was counted, and its cost: it may grow from line to line.
        self.message, self.counted = "", 0.0
        self.costs_nothing = False  # the lines are of a turn that does not count
        self.text = ""
        self.dollars = 0.0
        self.unpriced: set[str] = set()
        self.tools = 0
        self.outcomes: list[ToolOutcome] = []
        self.edits: dict[str, int] = {}
        self._calls: dict[str, str] = {}

    def begin_file(self, cursor: Cursor) -> None:
        """The next lines are of this file, from the cursor on."""
        self.message, self.counted = cursor.message, cursor.counted_dollars
        self._calls = {}

    def say(self, text: str) -> None:
        """The model's words; the last ones are its answer."""
        if text.strip():
            self.text = text

    def use(self, message: str, tokens: Tokens, model: str = "") -> None:
        """The tokens of a message. A message may be written several times, and costs once."""
        model, message = model or self.model, message[:MAX_ID]
        price = price_of(model, self._prices)
        if price is None:
            self.unpriced.add(model[:60] or "a model that it does not name")
            return
        cost = price.dollars(tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
        cost += price.dollars(2 * tokens.cache_write_hour, 0)
        counted = self.counted if message == self.message else 0.0
        if not self.costs_nothing:
            self.dollars += max(0.0, cost - counted)
        self.message, self.counted = message, max(cost, counted)

    def call(self, key: str, name: str, target: object = "", edited_file: object = "") -> None:
        """A tool call begins."""
        if key in self._calls:
            return
        self.tools += 1
        self._calls[key] = cut_at_word(f"{name} {target or ''}".strip(), 200)
        if isinstance(edited_file, str) and edited_file:
            file = edited_file[:MAX_FILE]
            self.edits[file] = self.edits.get(file, 0) + 1

    def finish(self, key: str, error: object = "") -> None:
        """A tool call has ended."""
        words = cut_at_word(str(error), 500) if error else ""
        self.outcomes.append(ToolOutcome(self._calls.get(key, "tool"), words))

    def add_to(self, turn: TurnOver, cursors: list[Cursor], unread_bytes: int) -> TurnOver:
        """The turn with these sums."""
        return turn.but(
            dollars=self.dollars,
            cursors=tuple(cursors),
            unpriced=tuple(sorted(self.unpriced)),
            unread_bytes=unread_bytes,
            tool_outcomes=tuple(self.outcomes[-MAX_OUTCOMES:]),
            edits=tuple(sorted(self.edits.items()))[:MAX_OUTCOMES],
            tool_calls=self.tools,
        )


def read_session_facts(
    turn: TurnOver, loop: Loop, add_entry: EntryReader, model: str, end_mark: bytes
) -> TurnOver:
    """The turn with its cost, tools, edits and last answer.

    `end_mark`: bytes that the host writes for the end of this turn; b"" waits for the answer.
    """
    path, cursors = turn.transcript, {cursor.file: cursor for cursor in loop.spend.cursors}
    cursor = cursors.get(path) or Cursor(path, _start_offset(path, loop))
    data, size = _read_when_complete(path, cursor.offset, end_mark or answer_mark(turn.text))
    if not data:
        return turn
    lines = data[: data.rfind(b"\n") + 1]
    log = SessionLog(loop.settings.prices, model)
    log.begin_file(cursor)
    for line in lines.split(b"\n"):
        if entry := json_object(line):
            add_entry(log, entry)
    read_to = Cursor(path, cursor.offset + len(lines), log.message, log.counted)
    turn = turn.but(text=log.text or turn.text)
    return log.add_to(turn, [read_to], max(0, size - cursor.offset - len(data)))


def token_count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(value, MAX_TOKENS) if isinstance(value, int) and value > 0 else 0


def answer_mark(text: str) -> bytes:
    """The end of the answer as it stands in a JSON file."""
    return dumps(text.strip()[-40:])[1:-1].encode() if text.strip() else b""


def _read_when_complete(path: str, offset: int, mark: bytes) -> tuple[bytes, int]:
    """What the file holds from the offset on, once the mark is in it, and the file's size."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            if not os.path.isfile(path):  # a pipe would block us
                return b"", 0
            data, size = read_from(path, offset, MAX_BYTES)
        except (OSError, ValueError):
            return b"", 0
        if not mark or mark in data or time.monotonic() > deadline:
            return data, size
        time.sleep(POLL_SECONDS)


def _start_offset(path: str, loop: Loop) -> int:
    try:
        return first_offset(path, loop.clock.started_at)
    except (OSError, ValueError):
        return 0


def read_from(path: str, offset: int, most: int) -> tuple[bytes, int]:
    """What the file holds from the offset on, and its size."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(min(offset, size))
        return file.read(max(0, most)), size


def first_offset(path: str, started_at: float) -> int:
    """Where the lines since the start of the loop begin: before them, nothing is ours to count.

    A binary search, so that the size of the file does not matter.
    """
    start = timestamp(started_at)
    with open(path, "rb") as file:
        low, high = 0, file.seek(0, 2)
        while high - low > PROBE_BYTES:
            middle = (low + high) // 2
            file.seek(middle)
            stamp = next_timestamp(file.read(PROBE_BYTES))
            if stamp and stamp < start:
                low = middle
            else:
                high = middle
        file.seek(low)
        if low:
            low += len(file.readline())
        # A torn line does not have its timestamp yet, so it is not skipped.
        while (line := file.readline()).endswith(b"\n") and next_timestamp(line) < start:
            low += len(line)
        return low


def timestamp(at: float) -> bytes:
    """A moment as hosts write it: UTC with milliseconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)).encode()
    return moment + b".%03d" % (at % 1 * 1000)


def next_timestamp(chunk: bytes) -> bytes:
    return next_string(chunk.partition(b'"timestamp"')[2])[:23]


def next_string(after_name: bytes) -> bytes:
    """The string that follows a name in JSON text, without a parser."""
    return after_name.lstrip(b' :"').partition(b'"')[0]


def read_input_facts(turn: TurnOver, loop: Loop, data: dict[str, Any]) -> TurnOver:
    """The turn with the costs and tool calls that a plugin of ours sends along.

    `costs`: moment in milliseconds and dollars of every message of the session. `tools`: name,
    target and error of each call since the last prompt.
    """
    file = f"{turn.host}:{turn.session}"
    counted = {cursor.file: cursor.counted_dollars for cursor in loop.spend.cursors}.get(file, 0.0)
    total = sum(
        row[1]
        for row in _rows(data.get("costs"), 2)
        if all(isinstance(number, int | float) for number in row)
        and row[0] / 1000 >= loop.clock.started_at
    )
    tools = _rows(data.get("tools"), 3)
    outcomes = [
        ToolOutcome(cut_at_word(f"{row[0]} {row[1]}".strip(), 200), cut_at_word(str(row[2]), 500))
        for row in tools
    ]
    return turn.but(
        dollars=max(0.0, total - counted),
        cursors=(Cursor(file, 0, "", max(total, counted)),),
        tool_calls=len(tools),
        tool_outcomes=tuple(outcomes[-MAX_OUTCOMES:]),
    )


def _rows(value: object, length: int) -> list[list[Any]]:
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == length]
