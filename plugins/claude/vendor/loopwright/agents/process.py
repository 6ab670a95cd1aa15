"""The only place that spawns a coding agent: its own session and process group, no terminal, output read line by line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress

from .base import Agent, Heard

MOST_LINE = 1_000_000
if sys.platform == "win32":
    NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    NEW_GROUP = 0  # start_new_session makes it


def take_turn(agent: Agent, turn: int, prompt: str, root: str, env: Mapping[str, str]) -> Heard:
    """Run one turn to its end and return what was heard. The whole group ends with it, whatever happens to us."""
    with subprocess.Popen(
        agent.command(turn),
        cwd=root,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=NEW_GROUP,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            return _converse(process, agent, prompt)
        finally:
            _end(process.pid)


def _end(group: int) -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True, check=False)
        else:
            os.killpg(group, signal.SIGKILL)


def _converse(process: subprocess.Popen[str], agent: Agent, prompt: str) -> Heard:
    assert process.stdin is not None
    assert process.stdout is not None
    heard = Heard()
    with suppress(OSError):  # it may end without reading; Windows does not call that a broken pipe
        process.stdin.write(prompt)
        process.stdin.close()
    while line := process.stdout.readline(MOST_LINE):
        heard = agent.read(heard, line)
    if process.wait() and not heard.text:
        return heard.but(failure=f"{agent.name} ended with exit code {process.returncode} and no answer")
    return heard


def child_environment(loop_id: str) -> dict[str, str]:
    """A child of ours is marked, so that our own hooks leave it alone, and does not look like a nested session."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    return {**env, "LOOP_CHILD": loop_id}
