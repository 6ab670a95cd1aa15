"""Starts processes below a supervisor, which ends all that they started when the runner is gone.

The supervisor (`supervisor.py`) is a process between the runner and the agent. It ends everything
below it when the runner has died, or when the lease of the runner was not renewed before its end.
Both speak in lines. From here:

    COUNT LENGTH DEADLINE   the start: how many words, how many bytes of words and variables follow
    until DEADLINE          the lease is renewed
    terminate               SIGTERM to the agent's process group
    end-group               SIGKILL to the group; what left the group lives on, and stays known
    end-all                 SIGKILL to everything below the supervisor
    leave                   let live what is left

From there: `started PID`, `failed ERRNO`, `exited`, `expired`, `ended CODE` when nothing is left,
and `left CODE` when the group has ended and something else lives on.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Protocol

from ..disk.programs import own_environment
from ..verify.process_groups import NEW_GROUP, kill_group, process_start_time
from . import supervisor

POLL_SECONDS = 0.005
EXIT_SECONDS = 0.5  # that a process whose output has ended may need to exit by itself
END_SECONDS = 10.0  # for a supervisor that ends something
NO_LEASE = float("inf")


class LeaseExpired(Exception):
    """The lease was not renewed in time, so the agent and all that it started were ended."""


class Process(Protocol):
    """A process that was started for a runner. Its number is that of its process group."""

    pid: int
    is_expired: bool  # ended because the lease was not renewed
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    stderr: IO[bytes] | None

    def has_exited(self) -> bool: ...

    def send_signal(self, number: int) -> None: ...

    def end(
        self, grace: float, wait: Callable[[float], None] = time.sleep, everything: bool = True
    ) -> int:
        """End it, after SIGTERM and the grace if it still lives; its exit code.

        `everything`: what left its group too. `wait` lets a moment pass.
        """
        ...


def lease_clock() -> float:
    """The clock of leases. It counts the time in which the machine sleeps, where it can."""
    if sys.platform == "win32":
        return time.monotonic()
    return time.clock_gettime(supervisor.CLOCK)


class ProcessGuard:
    """The processes of one runner. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: list[GuardedProcess] = []
        self._deadline = NO_LEASE

    def start(
        self, words: Sequence[str], cwd: str, env: Mapping[str, str], **pipes: Any
    ) -> Process:
        """Start a program in a session of its own; `words[0]` is its path. May raise OSError."""
        if sys.platform == "win32":
            return PlainProcess(words, cwd, env, pipes)
        process = GuardedProcess(words, cwd, env, pipes, self._deadline)
        with self._lock:
            self._processes = [one for one in self._processes if not one.is_over()]
            self._processes.append(process)
            process.send(f"until {self._deadline!r}")  # it may have been renewed meanwhile
        return process

    def renew(self, deadline: float) -> None:
        """The processes may live until then, by the clock of leases."""
        with self._lock:
            self._deadline = deadline
            for process in self._processes:
                process.send(f"until {deadline!r}")

    def end_all(self) -> None:
        """End all that the processes of this runner started and that is left."""
        for process in self._left():
            process.end(0.0)

    def close(self) -> None:
        """Let live what left its process group in an orderly turn: it may be a server in use."""
        for process in self._left():
            process.leave()

    def _left(self) -> list[GuardedProcess]:
        with self._lock:
            return [process for process in self._processes if not process.is_over()]


class GuardedProcess:
    """A process below a supervisor."""

    def __init__(
        self,
        words: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        pipes: Mapping[str, Any],
        deadline: float,
    ) -> None:
        self.pid = 0
        self.is_expired = False
        self._failure = 0  # the number of the error that kept it from starting
        self._has_exited = False
        self._code: int | None = None
        self._is_left = False  # the process has ended, and something that left its group has not
        self._is_gone = False  # the supervisor
        self._received = b""
        self._reading = threading.Lock()
        self._control, theirs = socket.socketpair()
        with theirs:
            try:
                self._supervisor = subprocess.Popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, str(theirs.fileno())],
                    cwd=cwd,
                    env=own_environment(),
                    start_new_session=True,
                    pass_fds=(theirs.fileno(),),
                    **pipes,
                )
            except OSError:
                self._control.close()
                raise
        self.stdin = self._supervisor.stdin
        self.stdout = self._supervisor.stdout
        self.stderr = self._supervisor.stderr
        self._start(words, env, deadline)
        self._started = process_start_time(self.pid) if self.pid else ""

    def _start(self, words: Sequence[str], env: Mapping[str, str], deadline: float) -> None:
        # Not as the supervisor's own words and variables: with the mark of an agent it would be
        # taken for one that was left.
        variables = [f"{name}={value}" for name, value in env.items()]
        blob = b"\0".join(os.fsencode(part) for part in (*words, *variables))
        with suppress(OSError):  # its supervisor has died
            self._control.sendall(f"{len(words)} {len(blob)} {deadline!r}\n".encode() + blob)
        while not (self.pid or self._is_gone):
            self._read_lines(END_SECONDS)
        if self.pid or self.is_expired:
            return
        self.is_over()
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe:
                pipe.close()
        why = os.strerror(self._failure) if self._failure else "its supervisor has ended"
        raise OSError(self._failure, why, words[0])

    def has_exited(self) -> bool:
        self._read_lines(0.0)
        return self._has_exited or self._code is not None or self._is_gone

    def is_over(self) -> bool:
        """Is nothing left of it, and of all that it started?"""
        self._read_lines(0.0)
        if self._is_gone:
            self._supervisor.wait()
        return self._is_gone

    def send_signal(self, number: int) -> None:
        """To the process alone. Its number is its own until `end`: nobody else reaps it."""
        if self.pid and self._code is None and not self._is_gone:
            with suppress(OSError):
                os.kill(self.pid, number)

    def end(
        self, grace: float, wait: Callable[[float], None] = time.sleep, everything: bool = True
    ) -> int:
        if grace and not self._waits_for_exit(min(grace, EXIT_SECONDS), wait):
            self.send("terminate")
            self._waits_for_exit(grace, wait)
        self.send("end-all" if everything else "end-group")
        deadline = time.monotonic() + END_SECONDS
        while not (self._is_gone or (self._is_left and not everything)):
            if time.monotonic() > deadline:
                break
            self._read_lines(END_SECONDS)
        if self._code is None:
            self._code = self._end_orphan()
        self.is_over()
        return self._code

    def _waits_for_exit(self, seconds: float, wait: Callable[[float], None]) -> bool:
        deadline = time.monotonic() + seconds
        while not self.has_exited():
            if time.monotonic() > deadline:
                return False
            wait(POLL_SECONDS)
        return True

    def _end_orphan(self) -> int:
        """Its supervisor was killed, so the kernel has killed the process itself."""
        if self.pid and process_start_time(self.pid) == self._started:
            kill_group(self.pid, 0.0)
        return -signal.SIGKILL

    def leave(self) -> None:
        """Let live what is left of it."""
        self.send("leave")
        while not self.is_over():
            self._read_lines(END_SECONDS)

    def send(self, line: str) -> None:
        # A supervisor that does not read must not hold up its runner.
        with suppress(OSError):
            self._control.send(f"{line}\n".encode("ascii"), socket.MSG_DONTWAIT)

    def _read_lines(self, seconds: float) -> None:
        """Take in what the supervisor says, and wait so long for something."""
        with self._reading:
            if self._is_gone:
                return
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            if not poll.poll(seconds * 1000):
                return
            try:
                data = self._control.recv(4096)
            except OSError:
                data = b""
            *lines, self._received = (self._received + data).split(b"\n")
            for line in lines:
                self._note_line(*line.decode("ascii").split())
            if not data:
                self._is_gone = True
                self._control.close()

    def _note_line(self, kind: str, value: str = "") -> None:
        match kind:
            case "started":
                self.pid = int(value)
            case "failed":
                self._failure = int(value)
            case "exited":
                self._has_exited = True
            case "ended" | "left":
                self._code, self._is_left = int(value), kind == "left"
            case "expired":
                self.is_expired = True


class PlainProcess:
    """A process on Windows, which has no supervisor of ours."""

    is_expired = False

    def __init__(
        self, words: Sequence[str], cwd: str, env: Mapping[str, str], pipes: Mapping[str, Any]
    ) -> None:
        self._process = subprocess.Popen(
            words, cwd=cwd, env=dict(env), creationflags=NEW_GROUP, **pipes
        )
        self.pid = self._process.pid
        self.stdin = self._process.stdin
        self.stdout = self._process.stdout
        self.stderr = self._process.stderr

    def has_exited(self) -> bool:
        return self._process.poll() is not None

    def send_signal(self, number: int) -> None:
        self._process.send_signal(number)

    def end(
        self, grace: float, wait: Callable[[float], None] = time.sleep, everything: bool = True
    ) -> int:
        kill_group(self.pid, grace)
        return self._process.wait()
