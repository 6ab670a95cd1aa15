"""What a Claude Code transcript tells about a turn: its cost, its tools, its errors. Read from where we left off.

The one adapter file that opens files: a transcript may hold a gigabyte, so it must choose what to read.
"""

from __future__ import annotations

import os
import time

from ...core.loop import Cursor, Loop, Price
from ...core.record import JSONError, dumps, loads
from ...core.signals import Outcome, TurnOver
from ...core.wording import COMPLETE, beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 8 * 1024 * 1024  # a hook reads no more; the rest is read at the next Stop, and said
PROBE = 64 * 1024
PATIENCE = 0.4  # seconds; the client flushes its last line while the hook runs
POLL = 0.003
MOST_ID, MOST_FILE = 200, 1_000  # letters
MOST_IN, MOST_OUT = 1.0, 0.128  # million tokens of one message: the largest context, the longest answer
MOST_TOKENS = 1_000_000_000  # a number beyond it is no count
NOTICE = b"<task-notification>"
MACHINE = ("<task-notification>", "<system-reminder>")
EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


def settle(path: str, text: str, patience: float = PATIENCE, expected: bool = False) -> str:
    """Wait until the transcript holds the last message. Returns the client's version, as written there.

    One that is not there is waited for only where it is expected: a client may keep none.
    """
    needle = dumps(text[-40:])[1:-1].encode()
    deadline = time.monotonic() + patience
    while expected and not os.path.isfile(path) and time.monotonic() < deadline:
        time.sleep(POLL)
    if not os.path.isfile(path):
        return ""
    while True:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - PROBE))
            end = file.read()
        if needle in end or time.monotonic() > deadline:
            return _value(end.rpartition(b'"version"')[2])[:20].decode("ascii", "ignore")
        time.sleep(POLL)


def worth_waiting(turn: TurnOver, dearest: float, loop: Loop) -> bool:
    """Does the last message decide anything? Else what it cost is read at the next Stop, and nobody waits for it.

    It does where a turn may have been talk alone, where its cost could reach the budget, and where the loop may end.
    """
    near = loop.spend.dollars + turn.dollars + dearest >= loop.limits.dollars
    ends = loop.waiting.exit or COMPLETE in turn.text or "EXIT_SIGNAL: true" in turn.text
    return not turn.tools or near or ends


def facts(turn: TurnOver, loop: Loop) -> tuple[TurnOver, float]:
    """The turn with its cost, outcomes and edits filled in, from the session's file and those of its sub-agents.

    And what one more message may cost at most: the last one may not be written yet.
    """
    tally = _Tally(loop.prices)
    cursors = {cursor.file: cursor for cursor in loop.spend.cursors}
    left, behind, moved, known = MOST_BYTES, 0, [], False
    for path in (*_left_behind(turn.transcript, cursors), *_files(turn.transcript)):
        try:
            old = cursors.get(path) or Cursor(path, _first_offset(path, loop.started_at))
            data, size = _read(path, old.offset, left)
        except (OSError, ValueError):
            continue
        left -= len(data)
        behind += max(0, size - old.offset - len(data))
        whole = data[: data.rfind(b"\n") + 1] or (data if len(data) == MOST_BYTES else b"")  # a line too long is passed over
        message, counted = tally.add(whole, old.message, old.counted)
        known = True
        if whole or path not in cursors:
            moved.append(Cursor(path, old.offset + len(whole), message, counted))
    if not known:
        return turn, 0.0
    seen = turn.but(
        dollars=tally.dollars,
        cursors=tuple(moved),
        unpriced=tuple(sorted(tally.unpriced)),
        behind=behind,
        outcomes=tuple(tally.outcomes[-200:]),
        edits=tuple(sorted(tally.edits.items())),
        tools=tally.tools,
        failure=turn.failure or tally.failure,
        busy=turn.busy or tally.notices > 0,
    )
    return seen, tally.dearest


def _left_behind(path: str, cursors: dict[str, Cursor]) -> list[str]:
    """After /clear or attach another file is written; what the last one still got is read once, with the first of the new."""
    return [file for file in cursors if "subagents" not in file][-1:] if path not in cursors else []


def _files(path: str) -> list[str]:
    folder = os.path.join(path.removesuffix(".jsonl"), "subagents")
    try:
        under = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jsonl"))
    except (OSError, ValueError):  # ValueError: no path at all
        under = []
    return [name for name in (path, *under) if os.path.isfile(name)]  # a pipe or a device would keep us for ever


def _read(path: str, offset: int, most: int) -> tuple[bytes, int]:
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(min(offset, size))
        return file.read(max(0, most)), size


def _first_offset(path: str, started_at: float) -> int:
    """Where the lines since the start of the loop begin, found by halving: flat in the size of the file."""
    start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(started_at)).encode() + b".%03d" % (started_at % 1 * 1000)
    with open(path, "rb") as file:
        low, high = 0, file.seek(0, 2)
        while high - low > PROBE:
            middle = (low + high) // 2
            file.seek(middle)
            stamp = next_stamp(file.read(PROBE))
            if stamp and stamp < start:
                low = middle
            else:
                high = middle
        file.seek(low)
        if low:
            low += len(file.readline())
        while (line := file.readline()).endswith(b"\n") and next_stamp(line) < start:  # a torn line has its stamp still to come
            low += len(line)
        return low


def next_stamp(chunk: bytes) -> bytes:
    return _value(chunk.partition(b'"timestamp"')[2])[:23]


def _value(after_name: bytes) -> bytes:
    """The string that follows a name in JSON text, without a parser."""
    return after_name.lstrip(b' :"').partition(b'"')[0]


class _Tally:
    """Sums over transcript lines. One message is many lines that repeat its usage: counted once by its id."""

    def __init__(self, prices: tuple[Price, ...]) -> None:
        self._prices = sorted(prices, key=lambda price: -len(price.model))
        self.dollars = self.dearest = 0.0
        self.unpriced: set[str] = set()
        self.outcomes: list[Outcome] = []
        self.edits: dict[str, int] = {}
        self.tools = 0
        self.failure = ""
        self.notices = 0  # background work that is over, and of which the model has not heard yet: it will be woken for it
        self._calls: dict[str, str] = {}

    def add(self, data: bytes, message: str, counted: float) -> tuple[str, float]:
        for line in data.split(b"\n"):
            if b'"queue-operation"' in line:
                self.notices = max(0, self.notices + (NOTICE in line if b'"enqueue"' in line else -1))
            if b'"message"' not in line:
                continue
            try:
                entry = loads(line)
            except JSONError:
                continue
            said = entry.get("message") if isinstance(entry, dict) else None
            if not isinstance(said, dict):
                continue
            if entry.get("type") == "assistant":
                self.failure = beginning(str(said.get("content")), 500) if entry.get("isApiErrorMessage") is True else ""
                if isinstance(said.get("usage"), dict):
                    cost = self._cost(str(said.get("model")), said["usage"])
                    this = str(said.get("id"))[:MOST_ID]
                    before = counted if this == message else 0.0
                    self.dollars += max(0.0, cost - before)
                    message, counted = this, max(cost, before)
            blocks = said.get("content")
            if isinstance(blocks, str) and not blocks.startswith(MACHINE) and entry.get("isSidechain") is not True:
                self.notices = 0  # a person speaks: whatever waited was heard, or is lost with a client that was ended
            for block in blocks if isinstance(blocks, list) else ():
                if isinstance(block, dict):
                    self._block(block)
        return message, counted

    def _cost(self, model: str, usage: dict[str, Any]) -> float:
        price = next((p for p in self._prices if model.startswith(p.model)), None)
        if price is None:
            if model != "<synthetic>":
                self.unpriced.add(model[:60])
            return 0.0
        self.dearest = MOST_IN * price.input * 2 + MOST_OUT * price.output  # all of it written to the cache for an hour
        made = usage.get("cache_creation")
        hour = _count(made, "ephemeral_1h_input_tokens") if isinstance(made, dict) else 0
        return (
            _count(usage, "input_tokens") * price.input
            + _count(usage, "output_tokens") * price.output
            + _count(usage, "cache_read_input_tokens") * price.read
            + max(0, _count(usage, "cache_creation_input_tokens") - hour) * price.write
            + hour * price.input * 2
        ) / 1_000_000

    def _block(self, block: dict[str, Any]) -> None:
        if block.get("type") == "tool_use":
            self.tools += 1
            self._calls[str(block.get("id"))], file = wanted_by(block)
            if block.get("name") in EDITORS and file:
                self.edits[file] = self.edits.get(file, 0) + 1
        elif block.get("type") == "tool_result":
            key = self._calls.get(str(block.get("tool_use_id")), "tool")
            failed = block.get("is_error") is True
            self.outcomes.append(Outcome(key, beginning(words_of(block.get("content")), 500) or "failed" if failed else ""))


def _count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(value, MOST_TOKENS) if isinstance(value, int) and value > 0 else 0


def wanted_by(block: dict[str, Any]) -> tuple[str, str]:
    """A tool call in a few words, and the file that it is about."""
    wanted = block.get("input")
    wanted = wanted if isinstance(wanted, dict) else {}
    file = wanted.get("file_path") or wanted.get("notebook_path")
    words = beginning(f"{block.get('name')} {wanted.get('command') or file or ''}", 200).rstrip()
    return words, file[:MOST_FILE] if isinstance(file, str) else ""


def words_of(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
