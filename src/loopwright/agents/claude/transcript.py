"""What a Claude Code transcript tells about a turn: its cost, its tools, its errors. Read from where we left off.

The one adapter file that opens files: a transcript may hold a gigabyte, so it must choose what to read.
"""

from __future__ import annotations

import os
import time

from ...core.json_text import JSONError, dumps, loads
from ...core.limits import Cursor, Price
from ...core.loop import Loop
from ...core.prompts.phrases import LOOP_COMPLETE, cut_at_word
from ...core.signals import ToolOutcome, TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 8 * 1024 * 1024  # a hook reads no more; the rest is read at the next Stop, and said
PROBE_BYTES = 64 * 1024
WAIT_SECONDS = 0.4  # seconds; the client flushes its last line while the hook runs
POLL_SECONDS = 0.003
MAX_ID, MAX_FILE = 200, 1_000  # letters
MAX_INPUT_MILLIONS, MAX_OUTPUT_MILLIONS = (
    1.0,
    0.128,
)  # million tokens of one message: the largest context, the longest answer
MAX_TOKENS = 1_000_000_000  # a number beyond it is no count
TASK_NOTICE = b"<task-notification>"
MACHINE_PROMPTS = ("<task-notification>", "<system-reminder>")
EDITING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


def wait_for_last_message(
    path: str, text: str, patience: float = WAIT_SECONDS, expected: bool = False
) -> str:
    """Wait until the transcript holds the last message. Returns the client's version, as written there.

    One that is not there is waited for only where it is expected: a client may keep none.
    """
    needle = dumps(text[-40:])[1:-1].encode()
    deadline = time.monotonic() + patience
    while expected and not os.path.isfile(path) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if not os.path.isfile(path):
        return ""
    while True:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, 2) - PROBE_BYTES))
            end = file.read()
        if needle in end or time.monotonic() > deadline:
            return _next_string(end.rpartition(b'"version"')[2])[:20].decode("ascii", "ignore")
        time.sleep(POLL_SECONDS)


def worth_waiting(turn: TurnOver, dearest: float, loop: Loop) -> bool:
    """Does the last message decide anything? Else what it cost is read at the next Stop, and nobody waits for it.

    It does where a turn may have been talk alone, where its cost could reach the budget, and where the loop may end.
    """
    near = loop.spend.dollars + turn.dollars + dearest >= loop.limits.dollars
    ends = (
        loop.pending_claims.exit or LOOP_COMPLETE in turn.text or "EXIT_SIGNAL: true" in turn.text
    )
    return not turn.tool_calls or near or ends


def read_turn_facts(turn: TurnOver, loop: Loop) -> tuple[TurnOver, float]:
    """The turn with its cost, outcomes and edits filled in, from the session's file and those of its sub-agents.

    And what one more message may cost at most: the last one may not be written yet.
    """
    tally = _Tally(loop.settings.prices)
    cursors = {cursor.file: cursor for cursor in loop.spend.cursors}
    left, behind, moved, known = MAX_BYTES, 0, [], False
    for path in (
        *_previous_transcripts(turn.transcript, cursors),
        *_transcript_files(turn.transcript),
    ):
        try:
            old = cursors.get(path) or Cursor(path, _first_offset(path, loop.clock.started_at))
            data, size = _read_from(path, old.offset, left)
        except (OSError, ValueError):
            continue
        left -= len(data)
        behind += max(0, size - old.offset - len(data))
        whole = data[: data.rfind(b"\n") + 1] or (
            data if len(data) == MAX_BYTES else b""
        )  # a line too long is passed over
        message, counted = tally.add_lines(whole, old.message, old.counted_dollars)
        known = True
        if whole or path not in cursors:
            moved.append(Cursor(path, old.offset + len(whole), message, counted))
    if not known:
        return turn, 0.0
    seen = turn.but(
        dollars=tally.dollars,
        cursors=tuple(moved),
        unpriced=tuple(sorted(tally.unpriced)),
        unread_bytes=behind,
        tool_outcomes=tuple(tally.outcomes[-200:]),
        edits=tuple(sorted(tally.edits.items())),
        tool_calls=tally.tools,
        api_failure=turn.api_failure or tally.failure,
        busy=turn.busy or tally.notices > 0,
    )
    return seen, tally.highest_message_cost


def _previous_transcripts(path: str, cursors: dict[str, Cursor]) -> list[str]:
    """After /clear or attach another file is written; what the last one still got is read once, with the first of the new."""
    return [file for file in cursors if "subagents" not in file][-1:] if path not in cursors else []


def _transcript_files(path: str) -> list[str]:
    folder = os.path.join(path.removesuffix(".jsonl"), "subagents")
    try:
        under = sorted(
            os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jsonl")
        )
    except (OSError, ValueError):  # ValueError: no path at all
        under = []
    return [
        name for name in (path, *under) if os.path.isfile(name)
    ]  # a pipe or a device would keep us for ever


def _read_from(path: str, offset: int, most: int) -> tuple[bytes, int]:
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(min(offset, size))
        return file.read(max(0, most)), size


def _first_offset(path: str, started_at: float) -> int:
    """Where the lines since the start of the loop begin, found by halving: flat in the size of the file."""
    start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(started_at)).encode() + b".%03d" % (
        started_at % 1 * 1000
    )
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
        while (line := file.readline()).endswith(b"\n") and next_timestamp(
            line
        ) < start:  # a torn line has its stamp still to come
            low += len(line)
        return low


def next_timestamp(chunk: bytes) -> bytes:
    return _next_string(chunk.partition(b'"timestamp"')[2])[:23]


def _next_string(after_name: bytes) -> bytes:
    """The string that follows a name in JSON text, without a parser."""
    return after_name.lstrip(b' :"').partition(b'"')[0]


class _Tally:
    """Sums over transcript lines. One message is many lines that repeat its usage: counted once by its id."""

    def __init__(self, prices: tuple[Price, ...]) -> None:
        self._prices = sorted(prices, key=lambda price: -len(price.model))
        self.dollars = self.highest_message_cost = 0.0
        self.unpriced: set[str] = set()
        self.outcomes: list[ToolOutcome] = []
        self.edits: dict[str, int] = {}
        self.tools = 0
        self.failure = ""
        self.notices = 0  # background work that is over, and of which the model has not heard yet: it will be woken for it
        self._calls: dict[str, str] = {}

    def add_lines(self, data: bytes, message: str, counted: float) -> tuple[str, float]:
        for line in data.split(b"\n"):
            if b'"queue-operation"' in line:
                self.notices = max(
                    0, self.notices + (TASK_NOTICE in line if b'"enqueue"' in line else -1)
                )
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
                self.failure = (
                    cut_at_word(str(said.get("content")), 500)
                    if entry.get("isApiErrorMessage") is True
                    else ""
                )
                if isinstance(said.get("usage"), dict):
                    cost = self._message_cost(str(said.get("model")), said["usage"])
                    this = str(said.get("id"))[:MAX_ID]
                    before = counted if this == message else 0.0
                    self.dollars += max(0.0, cost - before)
                    message, counted = this, max(cost, before)
            blocks = said.get("content")
            if (
                isinstance(blocks, str)
                and not blocks.startswith(MACHINE_PROMPTS)
                and entry.get("isSidechain") is not True
            ):
                self.notices = 0  # a person speaks: whatever waited was heard, or is lost with a client that was ended
            for block in blocks if isinstance(blocks, list) else ():
                if isinstance(block, dict):
                    self._add_block(block)
        return message, counted

    def _message_cost(self, model: str, usage: dict[str, Any]) -> float:
        price = next((p for p in self._prices if model.startswith(p.model)), None)
        if price is None:
            if model != "<synthetic>":
                self.unpriced.add(model[:60])
            return 0.0
        self.highest_message_cost = (
            MAX_INPUT_MILLIONS * price.input * 2 + MAX_OUTPUT_MILLIONS * price.output
        )  # all of it written to the cache for an hour
        made = usage.get("cache_creation")
        hour = _token_count(made, "ephemeral_1h_input_tokens") if isinstance(made, dict) else 0
        return (
            _token_count(usage, "input_tokens") * price.input
            + _token_count(usage, "output_tokens") * price.output
            + _token_count(usage, "cache_read_input_tokens") * price.cache_read
            + max(0, _token_count(usage, "cache_creation_input_tokens") - hour) * price.cache_write
            + hour * price.input * 2
        ) / 1_000_000

    def _add_block(self, block: dict[str, Any]) -> None:
        if block.get("type") == "tool_use":
            self.tools += 1
            self._calls[str(block.get("id"))], file = tool_call_summary(block)
            if block.get("name") in EDITING_TOOLS and file:
                self.edits[file] = self.edits.get(file, 0) + 1
        elif block.get("type") == "tool_result":
            key = self._calls.get(str(block.get("tool_use_id")), "tool")
            failed = block.get("is_error") is True
            self.outcomes.append(
                ToolOutcome(
                    key,
                    cut_at_word(content_text(block.get("content")), 500) or "failed"
                    if failed
                    else "",
                )
            )


def _token_count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(value, MAX_TOKENS) if isinstance(value, int) and value > 0 else 0


def tool_call_summary(block: dict[str, Any]) -> tuple[str, str]:
    """A tool call in a few words, and the file that it is about."""
    wanted = block.get("input")
    wanted = wanted if isinstance(wanted, dict) else {}
    file = wanted.get("file_path") or wanted.get("notebook_path")
    words = cut_at_word(f"{block.get('name')} {wanted.get('command') or file or ''}", 200).rstrip()
    return words, file[:MAX_FILE] if isinstance(file, str) else ""


def content_text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
