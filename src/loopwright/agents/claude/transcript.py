"""What a Claude Code transcript tells about a turn: its cost, its tools and its errors.

We read from where we stopped the last time. This is the one adapter file that opens files: a
transcript may have a gigabyte, so it must choose what to read.
"""

from __future__ import annotations

import time

from ...core.json_text import JSONError, dumps, loads
from ...core.limits import Cursor, Price
from ...core.loop import Loop
from ...core.prompts.phrases import cut_at_word
from ...core.signals import ToolOutcome, TurnOver
from ...disk.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_BYTES = 8 * 1024 * 1024  # per hook; the rest is read at the next Stop, and reported
PROBE_BYTES = 64 * 1024
WAIT_SECONDS = 0.5  # the client writes its last line 50 to 100 ms after the hook has begun
POLL_SECONDS = 0.003
MAX_ID, MAX_FILE = 200, 1_000  # characters
MAX_TOKENS = 1_000_000_000  # a larger number is not a count
TASK_NOTICE = b"<task-notification>"
MACHINE_PROMPTS = ("<task-notification>", "<system-reminder>")
EDITING_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


def wait_for_last_message(
    path: str, text: str, since: int = 0, patience: float = WAIT_SECONDS, expected: bool = False
) -> str:
    """Wait until the transcript holds the last message. Returns the client's version in it.

    The message is looked for after the byte `since`, where we stopped reading: an earlier answer
    may end with the same words, as every status block does. We wait for a transcript that does not
    exist only when it is `expected`: a client may keep none.
    """
    needle = dumps(text[-40:])[1:-1].encode()
    deadline = time.monotonic() + patience
    while expected and not os.path.isfile(path) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    if not os.path.isfile(path):
        return ""
    while True:
        with open(path, "rb") as file:
            start = max(0, file.seek(0, 2) - PROBE_BYTES)
            file.seek(start)
            end = file.read()
        if needle in end[max(0, since - start) :] or time.monotonic() > deadline:
            return _next_string(end.rpartition(b'"version"')[2])[:20].decode("ascii", "ignore")
        time.sleep(POLL_SECONDS)


def read_turn_facts(turn: TurnOver, loop: Loop) -> TurnOver:
    """The turn with its cost, outcomes and edits, from the transcripts of it and its sub-agents."""
    tally = _Tally(loop.settings.prices, loop.dialogue.person_turn_since)
    old_cursors = {cursor.file: cursor for cursor in loop.spend.cursors}
    bytes_left, unread_bytes = MAX_BYTES, 0
    new_cursors: list[Cursor] = []
    has_transcript = False
    earlier_files = _previous_transcripts(turn.transcript, old_cursors)
    for path in (*earlier_files, *_transcript_files(turn.transcript)):
        try:
            cursor = old_cursors.get(path)
            if cursor is None:
                cursor = Cursor(path, _first_offset(path, loop.clock.started_at))
            data, size = _read_from(path, cursor.offset, bytes_left)
        except (OSError, ValueError):
            continue
        has_transcript = True
        bytes_left -= len(data)
        unread_bytes += max(0, size - cursor.offset - len(data))
        lines = _whole_lines(data)
        message, counted = tally.add_lines(lines, cursor.message, cursor.counted_dollars)
        if lines or path not in old_cursors:
            new_cursors.append(Cursor(path, cursor.offset + len(lines), message, counted))
    if not has_transcript:
        return turn
    return turn.but(
        dollars=tally.dollars,
        cursors=tuple(new_cursors),
        unpriced=tuple(sorted(tally.unpriced)),
        unread_bytes=unread_bytes,
        tool_outcomes=tuple(tally.outcomes[-200:]),
        edits=tuple(sorted(tally.edits.items())),
        tool_calls=tally.tools,
        api_failure=turn.api_failure or tally.failure,
        busy=turn.busy or tally.notices > 0,
    )


def _whole_lines(data: bytes) -> bytes:
    """The data up to the end of its last line. A line that fills the whole buffer is skipped."""
    lines = data[: data.rfind(b"\n") + 1]
    if not lines and len(data) == MAX_BYTES:
        return data
    return lines


def _previous_transcripts(path: str, cursors: dict[str, Cursor]) -> list[str]:
    """The transcript before this one, when this one is new (after /clear or attach).

    Its last lines are read once, together with the first of the new file.
    """
    if path in cursors:
        return []
    return [file for file in cursors if "subagents" not in file][-1:]


def _transcript_files(path: str) -> list[str]:
    """The transcript and those of its sub-agents. Only regular files: a pipe would block us."""
    folder = os.path.join(path.removesuffix(".jsonl"), "subagents")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    except (OSError, ValueError):  # ValueError: not a valid path
        names = []
    files = [path, *(os.path.join(folder, name) for name in names)]
    return [file for file in files if os.path.isfile(file)]


def _read_from(path: str, offset: int, most: int) -> tuple[bytes, int]:
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(min(offset, size))
        return file.read(max(0, most)), size


def _first_offset(path: str, started_at: float) -> int:
    """Where the lines since the start of the loop begin.

    A binary search, so that the size of the file does not matter.
    """
    start = _timestamp(started_at)
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


def _timestamp(at: float) -> bytes:
    """A moment as the client writes it: UTC with milliseconds."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)).encode()
    return moment + b".%03d" % (at % 1 * 1000)


def next_timestamp(chunk: bytes) -> bytes:
    return _next_string(chunk.partition(b'"timestamp"')[2])[:23]


def _next_string(after_name: bytes) -> bytes:
    """The string that follows a name in JSON text, without a parser."""
    return after_name.lstrip(b' :"').partition(b'"')[0]


class _Tally:
    """Sums over transcript lines. Lines may repeat the usage of one message, which counts once."""

    def __init__(self, prices: tuple[Price, ...], until: float = 0.0) -> None:
        """`until`: what later messages cost is not counted."""
        self._until = _timestamp(until) if until else b""
        self._prices = sorted(prices, key=lambda price: -len(price.model))
        self.dollars = 0.0
        self.unpriced: set[str] = set()
        self.outcomes: list[ToolOutcome] = []
        self.edits: dict[str, int] = {}
        self.tools = 0
        self.failure = ""
        self.notices = 0  # finished background work that the client will wake the model for
        self._is_late = False  # the line is of a turn that the person took
        self._calls: dict[str, str] = {}
        self._message = ""  # the id of the last message
        self._counted = 0.0  # dollars that we have counted for it

    def add_lines(self, data: bytes, message: str, counted: float) -> tuple[str, float]:
        """Add the lines. `message` and `counted` are the last message before them and its cost."""
        self._message, self._counted = message, counted
        for line in data.split(b"\n"):
            if b'"queue-operation"' in line:
                self._add_queue_operation(line)
            if b'"message"' not in line:
                continue
            self._is_late = bool(self._until) and next_timestamp(line) >= self._until
            try:
                entry = loads(line)
            except JSONError:
                continue
            if isinstance(entry, dict) and isinstance(entry.get("message"), dict):
                self._add_entry(entry, entry["message"])
        return self._message, self._counted

    def _add_queue_operation(self, line: bytes) -> None:
        change = (TASK_NOTICE in line) if b'"enqueue"' in line else -1
        self.notices = max(0, self.notices + change)

    def _add_entry(self, entry: dict[str, Any], message: dict[str, Any]) -> None:
        if entry.get("type") == "assistant":
            is_failure = entry.get("isApiErrorMessage") is True
            self.failure = cut_at_word(str(message.get("content")), 500) if is_failure else ""
            if isinstance(message.get("usage"), dict):
                self._add_cost(message, message["usage"])
        content = message.get("content")
        if isinstance(content, str):
            is_from_machine = content.startswith(MACHINE_PROMPTS)
            if not is_from_machine and entry.get("isSidechain") is not True:
                # A person speaks: the notices were delivered, or lost with a client that ended.
                self.notices = 0
        elif isinstance(content, list):
            for block in content:
                if isinstance(block, dict):
                    self._add_block(block)

    def _add_cost(self, message: dict[str, Any], usage: dict[str, Any]) -> None:
        cost = self._message_cost(str(message.get("model")), usage)
        message_id = str(message.get("id"))[:MAX_ID]
        counted = self._counted if message_id == self._message else 0.0
        if not self._is_late:
            self.dollars += max(0.0, cost - counted)
        self._message, self._counted = message_id, max(cost, counted)

    def _message_cost(self, model: str, usage: dict[str, Any]) -> float:
        price = next((p for p in self._prices if model.startswith(p.model)), None)
        if price is None:
            if model != "<synthetic>":
                self.unpriced.add(model[:60])
            return 0.0
        written = usage.get("cache_creation")
        hour = (
            _token_count(written, "ephemeral_1h_input_tokens") if isinstance(written, dict) else 0
        )
        return (
            _token_count(usage, "input_tokens") * price.input
            + _token_count(usage, "output_tokens") * price.output
            + _token_count(usage, "cache_read_input_tokens") * price.cache_read
            + max(0, _token_count(usage, "cache_creation_input_tokens") - hour) * price.cache_write
            + hour * price.input * 2
        ) / 1_000_000

    def _add_block(self, block: dict[str, Any]) -> None:
        match block.get("type"):
            case "tool_use":
                self.tools += 1
                self._calls[str(block.get("id"))], file = tool_call_summary(block)
                if file and block.get("name") in EDITING_TOOLS:
                    self.edits[file] = self.edits.get(file, 0) + 1
            case "tool_result":
                key = self._calls.get(str(block.get("tool_use_id")), "tool")
                error = ""
                if block.get("is_error") is True:
                    error = cut_at_word(content_text(block.get("content")), 500) or "failed"
                self.outcomes.append(ToolOutcome(key, error))


def _token_count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(value, MAX_TOKENS) if isinstance(value, int) and value > 0 else 0


def tool_call_summary(block: dict[str, Any]) -> tuple[str, str]:
    """A tool call in a few words, and the file that it is about."""
    tool_input = block.get("input")
    if not isinstance(tool_input, dict):
        tool_input = {}
    file = tool_input.get("file_path") or tool_input.get("notebook_path")
    target = tool_input.get("command") or file or ""
    words = cut_at_word(f"{block.get('name')} {target}", 200).rstrip()
    return words, file[:MAX_FILE] if isinstance(file, str) else ""


def content_text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
