"""The pipes of an agent process on Windows, which cannot wait for several pipes at once."""

from __future__ import annotations

import queue
import threading
import time
from contextlib import suppress

from .pipes import MAX_STDERR, READ_BYTES, LineSplitter
from .process_guard import Process

PUT_SECONDS = 0.2  # how often a thread that waits for room looks whether the pipes were closed


class ThreadedPipes:
    """A thread for each pipe."""

    def __init__(self, process: Process, prompt: bytes) -> None:
        self._process, self._prompt = process, prompt
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=1000)
        self._errors = b""
        self._closed = False
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._write_prompt, self._read_stdout, self._read_stderr)
        ]
        for thread in self._threads:
            thread.start()

    def next_line(self, seconds: float) -> bytes | None:
        with suppress(queue.Empty):
            return self._lines.get(timeout=seconds)
        return None

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def read_errors(self, seconds: float) -> bytes:
        self._threads[2].join(timeout=seconds)
        return self._errors

    def close(self) -> None:
        """Stop the threads. Each closes its own pipe once it can; we do not wait long for that."""
        self._closed = True
        for thread in self._threads:
            thread.join(timeout=0.5)

    def _write_prompt(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin:  # it may end without reading
            self._process.stdin.write(self._prompt)

    def _read_stdout(self) -> None:
        assert self._process.stdout is not None
        splitter = LineSplitter()
        with suppress(OSError), self._process.stdout as pipe:
            while data := pipe.read1(READ_BYTES):  # type: ignore[attr-defined]
                for line in splitter.split(data):
                    self._put_line(line)
        if last := splitter.end():
            self._put_line(last)
        self._put_line(b"")

    def _put_line(self, line: bytes) -> None:
        while not self._closed:
            with suppress(queue.Full):
                return self._lines.put(line, timeout=PUT_SECONDS)
        return None

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with suppress(OSError), self._process.stderr as pipe:
            while data := pipe.read1(READ_BYTES):  # type: ignore[attr-defined]
                self._errors = (self._errors + data)[-MAX_STDERR:]
