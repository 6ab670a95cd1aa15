"""The pipes of an agent process: its prompt goes in, its lines and errors come out.

Where the system can wait for several pipes at once no thread is needed; Windows has
`threaded_pipes.py`.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from typing import IO, Protocol

from .process_guard import Process

MAX_LINE = 8_000_000  # bytes; a longer line is skipped
MAX_STDERR = 4_000
READ_BYTES = 65_536


class Pipes(Protocol):
    """What a turn needs of the pipes. No full pipe blocks the agent while one of these waits."""

    def next_line(self, seconds: float) -> bytes | None:
        """A line; None when none came within this time; empty at the end of the output."""
        ...

    def wait(self, seconds: float) -> None:
        """Let the time pass, once no line is needed any more."""
        ...

    def read_errors(self, seconds: float) -> bytes:
        """The end of what it wrote to its error output, which may take this long to end."""
        ...

    def close(self) -> None: ...


class LineSplitter:
    """Splits a stream into lines, and skips those that are too long."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # of the line that has not ended
        self._length = 0
        self._skips = False

    def split(self, data: bytes) -> list[bytes]:
        """The lines that end in this data."""
        *ended, rest = data.split(b"\n")
        lines = [line for part in ended if (line := self._end_line(part + b"\n"))]
        self._add(rest)
        return lines

    def end(self) -> bytes:
        """The last line, which has no line end; empty without one."""
        return self._end_line(b"")

    def _end_line(self, part: bytes) -> bytes:
        self._add(part)
        line = b"" if self._skips else b"".join(self._pieces)
        self._pieces, self._length, self._skips = [], 0, False
        return line

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > MAX_LINE:
            self._pieces, self._skips = [], True
        elif part:
            self._pieces.append(part)


class PolledPipes:
    """Waits for all three pipes at once, in the thread that asks for lines."""

    def __init__(self, process: Process, prompt: bytes) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._prompt = memoryview(prompt)
        self._lines: deque[bytes] = deque()
        self._splitter = LineSplitter()
        self._errors = b""
        self._poll = select.poll()
        for pipe, event in (
            (self._stdin, select.POLLOUT),
            (self._stdout, select.POLLIN),
            (self._stderr, select.POLLIN),
        ):
            os.set_blocking(pipe.fileno(), False)
            self._poll.register(pipe.fileno(), event)

    def next_line(self, seconds: float) -> bytes | None:
        deadline = time.monotonic() + seconds
        while not self._lines:
            if self._stdout.closed:
                return b""
            if not self._serve(deadline):
                return None
        return self._lines.popleft()

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._serve(deadline):
            self._lines.clear()  # nobody asks for them any more

    def read_errors(self, seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        while not self._stderr.closed and self._serve(deadline):
            self._lines.clear()
        return self._errors

    def close(self) -> None:
        for pipe in (self._stdin, self._stdout, self._stderr):
            self._close(pipe)

    def _serve(self, deadline: float) -> bool:
        """Wait until a pipe is ready, and read or write it; False when the time is over."""
        seconds = deadline - time.monotonic()
        if seconds < 0:
            return False
        ready = self._poll.poll(seconds * 1000)
        for number, _ in ready:
            if not self._stdin.closed and number == self._stdin.fileno():
                self._write_prompt()
            elif not self._stdout.closed and number == self._stdout.fileno():
                self._read_stdout()
            else:
                self._read_stderr()
        return bool(ready)

    def _write_prompt(self) -> None:
        try:
            self._prompt = self._prompt[os.write(self._stdin.fileno(), self._prompt) :]
        except BlockingIOError:
            return
        except OSError:  # it has ended without reading
            self._prompt = self._prompt[:0]
        if not self._prompt:
            self._close(self._stdin)

    def _read_stdout(self) -> None:
        data = _read_now(self._stdout)
        if data:
            self._lines += self._splitter.split(data)
        elif data is not None:
            if last := self._splitter.end():
                self._lines.append(last)
            self._close(self._stdout)

    def _read_stderr(self) -> None:
        data = _read_now(self._stderr)
        if data:
            self._errors = (self._errors + data)[-MAX_STDERR:]
        elif data is not None:
            self._close(self._stderr)

    def _close(self, pipe: IO[bytes]) -> None:
        if not pipe.closed:
            self._poll.unregister(pipe.fileno())
            pipe.close()


def _read_now(pipe: IO[bytes]) -> bytes | None:
    """What the pipe holds; empty at its end; None if it holds nothing yet."""
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
