"""Reads messages from a client, runs the tools that it calls, and writes the answers.

Each call has a thread, so that a check does not hold up a status. When stdin closes, a running
check is ended with all that it started; other commands are quick and finish.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import BinaryIO

from ..core.prompts.mcp_tools import TOO_MANY_CALLS
from ..disk.lock import LocksUnsupported
from ..disk.problems import disk_problem
from ..disk.user_folders import NoHomeFolder
from ..drive.errors import UserError
from ..verify.redact import redact_text
from .check_runs import run_or_share
from .commands import Commands
from .messages import (
    MAX_LINE_BYTES,
    Message,
    MessageId,
    Problem,
    Request,
    error_message,
    read_message,
    result_message,
    written_line,
)
from .protocol import (
    Call,
    Cancellation,
    Session,
    batch_problem,
    complete_result,
    handle_request,
)
from .results import text_result, tool_result
from .tools import TOOLS, WrongArguments, command_words

MAX_CALLS = 16
LAST_CALLS_SECONDS = 10.0  # how long quick commands may take once stdin is closed
Deliver = Callable[[Message | None], None]


class Server:
    """One client on two streams. `find_root` says which project the loop here belongs to."""

    def __init__(
        self,
        incoming: BinaryIO,
        outgoing: BinaryIO,
        program: tuple[str, ...],
        find_root: Callable[[], str],
    ) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._commands = Commands(program)
        self._find_root = find_root
        self._session = Session()
        self._writing = threading.Lock()
        self._calls: dict[MessageId, CallInProgress] = {}
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()

    def serve(self) -> None:
        """Answer until stdin closes or a signal ends us; no process of ours is left then."""
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), _leave)
        try:
            while (line := read_line(self._incoming)) is not None:
                self._take_line(line)
        finally:
            self._close()

    def _take_line(self, line: bytes) -> None:
        incoming = read_message(line)
        deliver: Deliver = self._write
        if incoming.is_batch:
            if problem := batch_problem(self._session):
                self._write(problem)
                return
            # The answers of a batch are written together, once the last of them is there.
            deliver = BatchAnswers(len(incoming.messages), self._write).deliver
        for message in incoming.messages:
            self._take_message(message, deliver)

    def _take_message(self, message: Request | Problem, deliver: Deliver) -> None:
        if isinstance(message, Problem):
            deliver(error_message(message.id, message.code, message.text))
            return
        self._session, outcome = handle_request(self._session, message)
        if isinstance(outcome, Call):
            self._start_call(outcome, deliver)
        elif isinstance(outcome, Cancellation):
            if call := self._calls.get(outcome.id):
                call.cancelled = True  # its command goes on: a check finishes and keeps its result
            deliver(None)
        else:
            deliver(outcome)

    def _start_call(self, call: Call, deliver: Deliver) -> None:
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= MAX_CALLS:
            text = TOO_MANY_CALLS.format(most=MAX_CALLS)
            result = complete_result(text_result(text, is_error=True), call.version)
            deliver(result_message(call.id, result))
            return
        progress = CallInProgress(call, deliver)
        self._calls[call.id] = progress
        thread = threading.Thread(target=self._run_call, args=(progress,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run_call(self, progress: CallInProgress) -> None:
        call = progress.call
        try:
            result = self._result_of(progress)
        except WrongArguments as error:
            result = text_result(f"{error}.", is_error=True)
        except Exception as error:  # one call must not end the others
            result = text_result(_error_text(error), is_error=True)
        if self._calls.get(call.id) is progress:
            del self._calls[call.id]
        if result is None or progress.cancelled:
            progress.deliver(None)
        else:
            complete = complete_result(result, call.version)
            progress.deliver(result_message(call.id, complete))

    def _result_of(self, progress: CallInProgress) -> Message | None:
        """The result of the call's command; None if it was ended."""
        tool = TOOLS[progress.call.tool]
        words, root = command_words(tool, progress.call.arguments), self._find_root()
        if tool.name == "loop_check":
            output = run_or_share(
                root,
                words,
                run=lambda: self._commands.run(words, root, is_check=True),
                is_cancelled=lambda: progress.cancelled,
                is_closing=self._closing.is_set,
            )
        else:
            output = self._commands.run(words, root, is_check=False)
        return tool_result(tool, output, progress.call.version) if output else None

    def _write(self, message: Message | list[Message] | None) -> None:
        if message is None:
            return
        with self._writing, suppress(OSError, ValueError):  # the client is gone
            self._outgoing.write(written_line(message))
            self._outgoing.flush()

    def _close(self) -> None:
        for name in ("SIGTERM", "SIGHUP", "SIGINT"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        self._closing.set()
        self._commands.end(checks=True)
        deadline = time.monotonic() + LAST_CALLS_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._commands.end(checks=False)
        for thread in self._threads:
            thread.join(1.0)


class CallInProgress:
    """A call that works now; the client may cancel it meanwhile."""

    def __init__(self, call: Call, deliver: Deliver) -> None:
        self.call, self.deliver = call, deliver
        self.cancelled = False


class BatchAnswers:
    """Collects the answers of a batch; notifications and cancelled calls have none."""

    def __init__(self, missing: int, write: Callable[[list[Message]], None]) -> None:
        self._missing, self._write_batch = missing, write
        self._answers: list[Message] = []
        self._lock = threading.Lock()

    def deliver(self, answer: Message | None) -> None:
        with self._lock:
            self._missing -= 1
            if answer is not None:
                self._answers.append(answer)
            if not self._missing and self._answers:
                self._write_batch(self._answers)


def read_line(stream: BinaryIO) -> bytes | None:
    """The next line, at most one byte longer than we take; None at the end of the stream."""
    line = stream.readline(MAX_LINE_BYTES + 1)
    if not line:
        return None
    rest = line
    while len(line) > MAX_LINE_BYTES and rest and not rest.endswith(b"\n"):
        rest = stream.readline(MAX_LINE_BYTES)
    return line


def _error_text(error: Exception) -> str:
    """What went wrong, and the way out."""
    if isinstance(error, UserError | LocksUnsupported | NoHomeFolder):
        return f"{error}."
    problem, way_out = disk_problem(error)
    if problem:
        return f"{problem}. {way_out}, then call again."
    return (
        f"our own error: {redact_text(repr(error))[:1000]}. The loop is untouched. See: loop doctor"
    )


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
