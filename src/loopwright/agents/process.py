"""The only place that spawns a coding agent: its own session and process group, no terminal, four clocks, output by the line."""

from __future__ import annotations

import errno
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress

from ..core.record import Record
from ..core.wording import duration
from .base import Agent, Call, Ending, Heard

MOST_LINE = 8_000_000  # a longer line is passed over
MOST_STDERR = 4_000
TICK = 0.2  # seconds between two looks at the clocks
LEFT = 1.0  # seconds that the output of a process that is gone may still be read
if sys.platform == "win32":
    NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    NEW_GROUP = 0  # start_new_session makes it


class Patience(Record):
    """Seconds."""

    start: float = 120  # until the first line
    idle: float = 900  # without a line, while no tool call is under way
    tool: float = 3600  # without a line, while one is
    turn: float = 3600  # in all
    grace: float = 30  # after it said that it is done, without a line and without background work
    words: float = 3  # after SIGINT, to say what it cost
    term: float = 5  # between SIGTERM and SIGKILL


class Witness(Record):
    """Who looks on: told of each line, asked at every tick for a reason to stop now, and of the group while it lives."""

    line: Callable[[Heard, str], None]
    stop: Callable[[], str]
    lives: Callable[[int], AbstractContextManager[None]]


def take_turn(agent: Agent, call: Call, root: str, env: Mapping[str, str], patience: Patience, witness: Witness) -> Heard:
    """Run one turn to its end and return what it came to. The whole group ends with it, whatever happens to us."""
    call = call.but(prompt=call.prompt.replace("\0", "").encode("utf-8", "replace").decode())  # it may quote any output
    argv = agent.command(call)
    try:
        process = subprocess.Popen(
            [*held_back(argv, env), *argv],
            cwd=root,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
    except OSError as error:
        return Heard(failure=f"{agent.name} cannot be started: {error}")
    turn = _Turn(process, agent, call, patience, witness)
    try:
        with witness.lives(process.pid):
            return turn.heard(argv)
    finally:
        end(process, 0.0)
        turn.close()


def held_back(argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    """It becomes the agent when it hears a first line from us. If we are killed before anybody knows of it, it never does."""
    if sys.platform == "win32":
        return ()
    if shutil.which(argv[0], path=env.get("PATH")) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    return ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")


class _Turn:
    """One process, read by threads so that no full pipe blocks it, watched by the clocks."""

    def __init__(self, process: subprocess.Popen[bytes], agent: Agent, call: Call, patience: Patience, witness: Witness) -> None:
        self.process, self.agent, self.call, self.patience, self.witness = process, agent, call, patience, witness
        self.lines: queue.Queue[bytes] = queue.Queue(maxsize=1000)
        self.given, self.stderr = call.prompt.encode("utf-8", "replace"), b""
        self.began = self.last = time.monotonic()
        self.silent = True
        self.over = False  # nobody listens any more
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read, self._listen)]

    def heard(self, argv: tuple[str, ...]) -> Heard:
        if any(self.call.prompt in word for word in argv):
            self.given = b""
        if sys.platform != "win32":
            self.given = b"\n" + self.given
        for thread in self.threads:
            thread.start()
        so_far, cut, left = Heard(), "", False
        while (line := self._next()) != b"":
            if line:
                so_far = self._take(so_far, line)
            if cut := self.witness.stop() or self._overdue(so_far):
                break
            if self._lingers(so_far) or (line is None and left):
                break
            left = line is None and self._left()  # what it said in its last moment is still heard
        if cut:
            so_far = self._last_words(so_far)
        code = end(self.process, self.patience.term)
        self.threads[2].join(timeout=1.0)
        return self.agent.judge(so_far, self.call, Ending(code, self.stderr.decode("utf-8", "replace"), cut, time.time()))

    def _last_words(self, heard: Heard) -> Heard:
        """Asked to stop, it may still say what the turn cost."""
        if sys.platform == "win32":
            return heard
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGINT)  # send_signal would reap it, and its group could be ended no more
        deadline = time.monotonic() + self.patience.words
        while time.monotonic() < deadline and (line := self._next()) != b"":
            if line:
                heard = self._take(heard, line)
        return heard

    def _take(self, heard: Heard, line: bytes) -> Heard:
        self.last, self.silent = time.monotonic(), False
        text = line.decode("utf-8", "replace")
        heard = self.agent.read(heard, text, self.call)
        self.witness.line(heard, text)
        return heard

    def _next(self) -> bytes | None:
        """A line; None where none has come for a moment; empty at the end of the output."""
        with suppress(queue.Empty):
            return self.lines.get(timeout=TICK)
        return None

    def _overdue(self, heard: Heard) -> str:
        now, patience = time.monotonic(), self.patience
        quiet, name = now - self.last, self.agent.name
        if now - self.began > patience.turn:
            return f"the turn took longer than {duration(patience.turn)}"
        if self.silent and quiet > patience.start:
            return f"{name} showed no sign of life for {duration(patience.start)}"
        working = bool(heard.calls or heard.tasks)
        if not self.silent and quiet > (patience.tool if working else patience.idle):
            what = f" in {heard.calls[-1][1]}" if heard.calls else ""
            return f"{name} showed no sign of life for {duration(quiet)}{what}"
        return ""

    def _lingers(self, heard: Heard) -> bool:
        """It said that it is done, has nothing under way, and does not go."""
        return bool(heard.results) and not heard.calls and not heard.tasks and time.monotonic() - self.last > self.patience.grace

    def _left(self) -> bool:
        """It is gone, and somebody whom it started holds its output open."""
        return time.monotonic() - self.last > LEFT and _gone(self.process, 0.0)

    def close(self) -> None:
        """Each pipe is closed by who reads it, which may take a while where somebody who has left us holds the other end."""
        self.over = True
        for thread in self.threads:
            if thread.ident:
                thread.join(timeout=0.5)

    def _write(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError), self.process.stdin:  # it may end without reading
            self.process.stdin.write(self.given)

    def _read(self) -> None:
        assert self.process.stdout is not None
        whole = True  # does a line begin here?
        with suppress(OSError), self.process.stdout:
            while piece := self.process.stdout.readline(MOST_LINE):
                ends = piece.endswith(b"\n")
                if whole and (ends or len(piece) < MOST_LINE):
                    self._pass_on(piece)
                whole = ends
        self._pass_on(b"")

    def _pass_on(self, line: bytes) -> None:
        while not self.over:
            with suppress(queue.Full):
                return self.lines.put(line, timeout=TICK)
        return None

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with suppress(OSError), self.process.stderr:
            while chunk := self.process.stderr.read1(65536):  # type: ignore[attr-defined]
                self.stderr = (self.stderr + chunk)[-MOST_STDERR:]


def end(process: subprocess.Popen[bytes], grace: float) -> int:
    """SIGTERM to the group and, after the grace, SIGKILL; the exit code of the process."""
    if process.returncode is not None:
        return process.returncode
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        return process.wait()
    if grace and not _gone(process, min(grace, 0.5)):  # its output is over, it need not be
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        _gone(process, grace)
    with suppress(ProcessLookupError, PermissionError):  # not reaped yet, so the number is still ours
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _gone(process: subprocess.Popen[bytes], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _ended(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """It is left unreaped, so that its group cannot be somebody else's."""
    if process.returncode is not None or sys.platform == "win32":
        return process.poll() is not None
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    argv = ["ps", "-o", "stat=", "-p", str(process.pid)]  # macOS has it since Python 3.13
    return subprocess.run(argv, capture_output=True, check=False).stdout.strip()[:1] in (b"", b"Z")


# Of the client's own variables these are the person's settings. All others are marks of the session that we may run in.
KEPT = (
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def child_environment(loop_id: str) -> dict[str, str]:
    """A child of ours is marked, so that our own hooks leave it alone, and does not look like a nested session."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE") or name in KEPT}
    return {**env, "LOOP_CHILD": loop_id}
