"""A client of `loop mcp`: the real process, and messages over its pipes."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
from threading import Thread
from typing import Any

from loopwright.mcp.protocol import VERSION_KEY
from tests.support.project import Project

SECONDS = 60.0


class Client:
    """Sends lines and takes the answers in any order. All that the server prints must be JSON."""

    def __init__(self, project: Project, *words: str, at: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loopwright.cli.main", "mcp", *words],
            cwd=project.root / at,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[Any] = queue.Queue()
        self._answers: list[Any] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as stream:
            for line in stream:
                self._lines.put(json.loads(line))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.send_line(json.dumps(message).encode())

    def begin(self, number: Any, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def begin_call(self, number: Any, tool: str, **arguments: Any) -> None:
        """A call of 2026-07-28, which needs no handshake."""
        meta = {VERSION_KEY: "2026-07-28"}
        self.begin(number, "tools/call", name=f"loop_{tool}", arguments=arguments, _meta=meta)

    def next_answer(self) -> Any:
        return self._lines.get(timeout=SECONDS)

    def answer(self, number: Any) -> Any:
        """The answer to this request; others are kept for later."""
        while True:
            for answer in self._answers:
                if answer["id"] == number:
                    self._answers.remove(answer)
                    return answer
            self._answers.append(self.next_answer())

    def ask(self, method: str, **params: Any) -> Any:
        self.begin("ask", method, **params)
        return self.answer("ask")

    def call(self, tool: str, **arguments: Any) -> Any:
        self.begin_call("call", tool, **arguments)
        return self.answer("call")["result"]

    def close(self) -> str:
        """Close stdin and wait for the end; what the server wrote to stderr."""
        assert self.process.stdin
        assert self.process.stderr
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(SECONDS)
        finally:
            self.process.kill()
        self._reader.join(SECONDS)
        if self.process.stderr.closed:
            return ""
        with self.process.stderr as stream:
            return stream.read().decode()

    @property
    def left_over(self) -> list[Any]:
        """The answers that nobody has taken."""
        found = list(self._answers)
        while not self._lines.empty():
            found.append(self._lines.get())
        return found


def text_of(result: Any) -> str:
    (part,) = result["content"]
    return str(part["text"])
