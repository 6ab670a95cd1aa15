"""Runs commands of `loop` as an agent's, each in a process group that can be ended.

A process of its own makes a tool the same as the command, keeps our stdout free of anything but
messages, and lets the end of a client end a check with all that it started.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import threading
from contextlib import suppress

from ..core.record import Record
from ..drive.step import end_orphans
from ..store.folder import LoopFolder
from ..verify.process_groups import NEW_GROUP, end_marked_processes, kill_group
from .results import CommandOutput

GRACE_SECONDS = 2.0
AGENT_NAME = "loopwright-mcp"
# Marks all that a command starts, so that it can be ended wherever it has moved.
MARK = "LOOP_MCP_CALL"


class Running(Record):
    """A command that runs now."""

    process: subprocess.Popen[str]
    mark: str
    root: str
    is_check: bool


class Commands:
    """The commands that run now. `program` are the words that start `loop`."""

    def __init__(self, program: tuple[str, ...]) -> None:
        self._program = program
        self._running: list[Running] = []
        self._lock = threading.Lock()
        self._closed_for: set[bool] = set()  # kinds that may not start: is it a check?

    def run(self, words: tuple[str, ...], root: str, is_check: bool) -> CommandOutput | None:
        """Run the command to its end; None if it was ended before."""
        mark = secrets.token_hex(8)
        with self._lock:
            if is_check in self._closed_for:
                return None
            running = Running(self._start(words, mark), mark, root, is_check)
            self._running.append(running)
        out, err = running.process.communicate()
        with self._lock:
            if is_check in self._closed_for:
                return None
            self._running.remove(running)
        return CommandOutput(running.process.returncode, out, err)

    def _start(self, words: tuple[str, ...], mark: str) -> subprocess.Popen[str]:
        # Whoever calls is an agent and has an agent's rights, also where no client says so.
        return subprocess.Popen(
            (*self._program, *words),
            env={**os.environ, "AI_AGENT": AGENT_NAME, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            creationflags=NEW_GROUP,
        )

    def end(self, checks: bool) -> None:
        """End the checks, or the other commands, with all that they started; none starts later."""
        with self._lock:
            self._closed_for.add(checks)
            ending = [running for running in self._running if running.is_check == checks]
        for running in ending:
            kill_group(running.process.pid, GRACE_SECONDS)
            end_marked_processes(f"{MARK}={running.mark}", running.process.pid)
            with suppress(OSError):
                end_orphans(LoopFolder(running.root))
