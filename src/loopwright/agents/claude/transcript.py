"""What a Claude Code transcript tells about a turn: its cost, its tools and its errors.

A transcript may have a gigabyte, and sub-agents have transcripts of their own, so this file opens
them itself and chooses what to read.
"""

from __future__ import annotations

import time

from ...core.json_text import json_object
from ...core.limits import Cursor, Price
from ...core.loop import Loop
from ...core.prompts.phrases import cut_at_word
from ...core.signals import TurnOver
from ...disk.light_os import os
from ..session_log import (
    MAX_BYTES,
    MAX_FILE,
    POLL_SECONDS,
    PROBE_BYTES,
    WAIT_SECONDS,
    SessionLog,
    Tokens,
    answer_mark,
    first_offset,
    next_string,
    next_timestamp,
    read_from,
    timestamp,
    token_count,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TASK_NOTICE = b"<task-notification>"
SYNTHETIC = "<synthetic>"  # the model of a message that no model wrote
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
    needle = answer_mark(text)
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
            return next_string(end.rpartition(b'"version"')[2])[:20].decode("ascii", "ignore")
        time.sleep(POLL_SECONDS)


def read_turn_facts(turn: TurnOver, loop: Loop) -> TurnOver:
    """The turn with its cost, outcomes and edits, from the transcripts of it and its sub-agents."""
    log = TranscriptLog(loop.settings.prices, loop.dialogue.person_turn_since)
    old_cursors = {cursor.file: cursor for cursor in loop.spend.cursors}
    bytes_left, unread_bytes = MAX_BYTES, 0
    new_cursors: list[Cursor] = []
    has_transcript = False
    earlier_files = _previous_transcripts(turn.transcript, old_cursors)
    for path in (*earlier_files, *_transcript_files(turn.transcript)):
        try:
            cursor = old_cursors.get(path)
            if cursor is None:
                cursor = Cursor(path, first_offset(path, loop.clock.started_at))
            data, size = read_from(path, cursor.offset, bytes_left)
        except (OSError, ValueError):
            continue
        has_transcript = True
        bytes_left -= len(data)
        unread_bytes += max(0, size - cursor.offset - len(data))
        lines = _whole_lines(data)
        log.begin_file(cursor)
        log.add_lines(lines)
        if lines or path not in old_cursors:
            offset = cursor.offset + len(lines)
            new_cursors.append(Cursor(path, offset, log.message, log.counted))
    if not has_transcript:
        return turn
    turn = turn.but(api_failure=turn.api_failure or log.failure, busy=turn.busy or log.notices > 0)
    return log.add_to(turn, new_cursors, unread_bytes)


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


class TranscriptLog(SessionLog):
    """Sums over transcript lines. Lines may repeat the usage of one message, which counts once."""

    def __init__(self, prices: tuple[Price, ...], until: float = 0.0) -> None:
        """`until`: what later messages cost is not counted."""
        super().__init__(prices)
        self._until = timestamp(until) if until else b""
        self.failure = ""
        self.notices = 0  # finished background work that the client will wake the model for

    def add_lines(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            if b'"queue-operation"' in line:
                self._add_queue_operation(line)
            if b'"message"' not in line:
                continue
            # The person took this turn.
            self.costs_nothing = bool(self._until) and next_timestamp(line) >= self._until
            entry = json_object(line)
            if entry and isinstance(entry.get("message"), dict):
                self._add_entry(entry, entry["message"])

    def _add_queue_operation(self, line: bytes) -> None:
        change = (TASK_NOTICE in line) if b'"enqueue"' in line else -1
        self.notices = max(0, self.notices + change)

    def _add_entry(self, entry: dict[str, Any], message: dict[str, Any]) -> None:
        if entry.get("type") == "assistant":
            is_failure = entry.get("isApiErrorMessage") is True
            self.failure = cut_at_word(str(message.get("content")), 500) if is_failure else ""
            if isinstance(message.get("usage"), dict) and message.get("model") != SYNTHETIC:
                tokens = _tokens(message["usage"])
                self.use(str(message.get("id")), tokens, str(message.get("model")))
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

    def _add_block(self, block: dict[str, Any]) -> None:
        match block.get("type"):
            case "tool_use":
                words, file = tool_call_summary(block)
                is_edit = block.get("name") in EDITING_TOOLS
                self.call(str(block.get("id")), words, edited_file=file if is_edit else "")
            case "tool_result":
                is_error = block.get("is_error") is True
                error = (content_text(block.get("content")) or "failed") if is_error else ""
                self.finish(str(block.get("tool_use_id")), error)


def _tokens(usage: dict[str, Any]) -> Tokens:
    written = usage.get("cache_creation")
    hour = token_count(written, "ephemeral_1h_input_tokens") if isinstance(written, dict) else 0
    return Tokens(
        input=token_count(usage, "input_tokens"),
        output=token_count(usage, "output_tokens"),
        cache_read=token_count(usage, "cache_read_input_tokens"),
        cache_write=max(0, token_count(usage, "cache_creation_input_tokens") - hour),
        cache_write_hour=hour,
    )


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
