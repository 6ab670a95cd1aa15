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

from ..core.prompts.phrases import duration
from ..core.record import Record
from .base import Agent, ProcessExit, TurnOutput, TurnRequest

MAX_LINE = 8_000_000  # a longer line is passed over
MAX_STDERR = 4_000
TICK_SECONDS = 0.2  # seconds between two looks at the clocks
DRAIN_SECONDS = 1.0  # seconds that the output of a process that is gone may still be read
if sys.platform == "win32":
    NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    NEW_GROUP = 0  # start_new_session makes it


class TurnTimeouts(Record):
    """Seconds."""

    start: float = 120  # until the first line
    idle: float = 900  # without a line, while no tool call is under way
    tool: float = 3600  # without a line, while one is
    turn: float = 3600  # in all
    exit_grace: float = (
        30  # after it said that it is done, without a line and without background work
    )
    interrupt_grace: float = 3  # after SIGINT, to say what it cost
    kill_grace: float = 5  # between SIGTERM and SIGKILL


class TurnCallbacks(Record):
    """Who looks on: told of each line, asked at every tick for a reason to stop now, and of the group while it lives."""

    on_line: Callable[[TurnOutput, str], None]
    stop_reason: Callable[[], str]
    hold_group: Callable[[int], AbstractContextManager[None]]


def run_agent_process(
    agent: Agent,
    call: TurnRequest,
    root: str,
    env: Mapping[str, str],
    patience: TurnTimeouts,
    witness: TurnCallbacks,
) -> TurnOutput:
    """Run one turn to its end and return what it came to. The whole group ends with it, whatever happens to us."""
    call = call.but(
        prompt=call.prompt.replace("\0", "").encode("utf-8", "replace").decode()
    )  # it may quote any output
    argv = agent.command(call)
    try:
        process = subprocess.Popen(
            [*start_gate_argv(argv, env), *argv],
            cwd=root,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
    except OSError as error:
        return TurnOutput(failure=f"{agent.name} cannot be started: {error}")
    turn = _AgentProcess(process, agent, call, patience, witness)
    try:
        with witness.hold_group(process.pid):
            return turn.run(argv)
    finally:
        end_process_group(process, 0.0)
        turn.close()


def start_gate_argv(argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    """It becomes the agent when it hears a first line from us. If we are killed before anybody knows of it, it never does."""
    if sys.platform == "win32":
        return ()
    if shutil.which(argv[0], path=env.get("PATH")) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    return ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")


class _AgentProcess:
    """One process, read by threads so that no full pipe blocks it, watched by the clocks."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        agent: Agent,
        call: TurnRequest,
        patience: TurnTimeouts,
        witness: TurnCallbacks,
    ) -> None:
        self.process, self.agent, self.call, self.patience, self.witness = (
            process,
            agent,
            call,
            patience,
            witness,
        )
        self.lines: queue.Queue[bytes] = queue.Queue(maxsize=1000)
        self.stdin_data, self.stderr = call.prompt.encode("utf-8", "replace"), b""
        self.started_at = self.last_line_at = time.monotonic()
        self.silent = True
        self.closed = False  # nobody listens any more
        self.threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._write_prompt, self._read_stdout, self._read_stderr)
        ]

    def run(self, argv: tuple[str, ...]) -> TurnOutput:
        if any(self.call.prompt in word for word in argv):
            self.stdin_data = b""
        if sys.platform != "win32":
            self.stdin_data = b"\n" + self.stdin_data
        for thread in self.threads:
            thread.start()
        so_far, cut, left = TurnOutput(), "", False
        while (line := self._next_line()) != b"":
            if line:
                so_far = self._read_line(so_far, line)
            if cut := self.witness.stop_reason() or self._overdue_reason(so_far):
                break
            if self._lingers_after_result(so_far) or (line is None and left):
                break
            left = (
                line is None and self._output_is_orphaned()
            )  # what it said in its last moment is still heard
        if cut:
            so_far = self._interrupt_and_drain(so_far)
        code = end_process_group(self.process, self.patience.kill_grace)
        self.threads[2].join(timeout=1.0)
        return self.agent.judge(
            so_far,
            self.call,
            ProcessExit(code, self.stderr.decode("utf-8", "replace"), cut, time.time()),
        )

    def _interrupt_and_drain(self, heard: TurnOutput) -> TurnOutput:
        """Asked to stop, it may still say what the turn cost."""
        if sys.platform == "win32":
            return heard
        with suppress(ProcessLookupError):
            os.kill(
                self.process.pid, signal.SIGINT
            )  # send_signal would reap it, and its group could be ended no more
        deadline = time.monotonic() + self.patience.interrupt_grace
        while time.monotonic() < deadline and (line := self._next_line()) != b"":
            if line:
                heard = self._read_line(heard, line)
        return heard

    def _read_line(self, heard: TurnOutput, line: bytes) -> TurnOutput:
        self.last_line_at, self.silent = time.monotonic(), False
        text = line.decode("utf-8", "replace")
        heard = self.agent.read(heard, text, self.call)
        self.witness.on_line(heard, text)
        return heard

    def _next_line(self) -> bytes | None:
        """A line; None where none has come for a moment; empty at the end of the output."""
        with suppress(queue.Empty):
            return self.lines.get(timeout=TICK_SECONDS)
        return None

    def _overdue_reason(self, heard: TurnOutput) -> str:
        now, patience = time.monotonic(), self.patience
        quiet, name = now - self.last_line_at, self.agent.name
        if now - self.started_at > patience.turn:
            return f"the turn took longer than {duration(patience.turn)}"
        if self.silent and quiet > patience.start:
            return f"{name} showed no sign of life for {duration(patience.start)}"
        working = bool(heard.open_tool_calls or heard.background_tasks)
        if not self.silent and quiet > (patience.tool if working else patience.idle):
            what = f" in {heard.open_tool_calls[-1][1]}" if heard.open_tool_calls else ""
            return f"{name} showed no sign of life for {duration(quiet)}{what}"
        return ""

    def _lingers_after_result(self, heard: TurnOutput) -> bool:
        """It said that it is done, has nothing under way, and does not go."""
        return (
            bool(heard.results)
            and not heard.open_tool_calls
            and not heard.background_tasks
            and time.monotonic() - self.last_line_at > self.patience.exit_grace
        )

    def _output_is_orphaned(self) -> bool:
        """It is gone, and somebody whom it started holds its output open."""
        return time.monotonic() - self.last_line_at > DRAIN_SECONDS and _wait_for_exit(
            self.process, 0.0
        )

    def close(self) -> None:
        """Each pipe is closed by who reads it, which may take a while where somebody who has left us holds the other end."""
        self.closed = True
        for thread in self.threads:
            if thread.ident:
                thread.join(timeout=0.5)

    def _write_prompt(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError), self.process.stdin:  # it may end without reading
            self.process.stdin.write(self.stdin_data)

    def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        whole = True  # does a line begin here?
        with suppress(OSError), self.process.stdout:
            while piece := self.process.stdout.readline(MAX_LINE):
                ends = piece.endswith(b"\n")
                if whole and (ends or len(piece) < MAX_LINE):
                    self._queue_line(piece)
                whole = ends
        self._queue_line(b"")

    def _queue_line(self, line: bytes) -> None:
        while not self.closed:
            with suppress(queue.Full):
                return self.lines.put(line, timeout=TICK_SECONDS)
        return None

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        with suppress(OSError), self.process.stderr:
            while chunk := self.process.stderr.read1(65536):  # type: ignore[attr-defined]
                self.stderr = (self.stderr + chunk)[-MAX_STDERR:]


def end_process_group(process: subprocess.Popen[bytes], grace: float) -> int:
    """SIGTERM to the group and, after the grace, SIGKILL; the exit code of the process."""
    if process.returncode is not None:
        return process.returncode
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False
        )
        return process.wait()
    if grace and not _wait_for_exit(process, min(grace, 0.5)):  # its output is over, it need not be
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        _wait_for_exit(process, grace)
    with suppress(
        ProcessLookupError, PermissionError
    ):  # not reaped yet, so the number is still ours
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _wait_for_exit(process: subprocess.Popen[bytes], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _has_exited(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """It is left unreaped, so that its group cannot be somebody else's."""
    if process.returncode is not None or sys.platform == "win32":
        return process.poll() is not None
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    argv = ["ps", "-o", "stat=", "-p", str(process.pid)]  # macOS has it since Python 3.13
    return subprocess.run(argv, capture_output=True, check=False).stdout.strip()[:1] in (b"", b"Z")


# Of the client's own variables these are the person's settings. All others are marks of the session that we may run in.
KEPT_VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_MAX_RETRIES",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)


def child_environment(loop_id: str) -> dict[str, str]:
    """A child of ours is marked, so that our own hooks leave it alone, and does not look like a nested session."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("CLAUDE") or name in KEPT_VARIABLES
    }
    return {**env, "LOOP_CHILD": loop_id}
