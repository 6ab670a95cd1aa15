"""A runner at work: scripts and small programs as its agents, the real `loop run` as a process, and who lives after it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopwright.agents.base import Agent, TurnOutput, TurnRequest
from loopwright.agents.process import (
    TurnCallbacks,
    TurnTimeouts,
    child_environment,
    run_agent_process,
)
from loopwright.agents.process_guard import ProcessGuard
from loopwright.agents.registry import load_agent
from tests.e2e.waiting import until
from tests.support.hook import block
from tests.support.project import CommandResult, Project

CLAIM = block({"done": True}, exit=True)
DONE: dict[str, Any] = {
    "write": {"done.txt": "x"},
    "say": CLAIM,
}  # proves the criterion of `started`
SLOW: dict[str, Any] = {"seconds": 300, "say": "never said"}  # a turn that somebody ends
CHECK = ("--check", "done=test -e done.txt")
# Lines of small programs.
SLEEPING = "time.sleep(60)\n"
IGNORING_SIGNALS = "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
LONG_TIMEOUTS = TurnTimeouts(
    start=60, idle=60, tool=60, turn=60, exit_grace=60, interrupt_grace=0.1, kill_grace=1
)


def start_checked_loop(project: Callable[..., Project], *words: str, **given: Any) -> Project:
    """A project with a loop whose one criterion holds when done.txt is there."""
    here = project(**given)
    here.start(*CHECK, *words)
    return here


def script(here: Project, *turns: dict[str, Any]) -> str:
    """A script for the scripted agent, beside the project: no tree, commit or worktree sees it."""
    path = here.root.parent / f"{here.root.name}.script.json"
    path.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    return str(path)


def program(folder: Path, text: str, name: str = "agent.py") -> tuple[str, ...]:
    """A small program as an agent: its argv."""
    path = folder / name
    path.write_text(f"import json, os, signal, subprocess, sys, time\n{text}", encoding="utf-8")
    return (sys.executable, "-I", "-S", str(path))


def command(here: Project, text: str) -> tuple[str, str]:
    """The words of `loop run` for a small program as an agent."""
    return "--agent-command", shlex.join(
        program(here.root.parent, text, f"{here.root.name}.agent.py")
    )


def write_fake_agent(here: Project, name: str, text: str, version: str = "1.0") -> str:
    """A small program under the name of a real agent: the PATH on which it is found first."""
    bin = here.root.parent / "bin"
    bin.mkdir(exist_ok=True)
    argv = shlex.join(program(here.root.parent, text, f"{here.root.name}.{name}.py"))
    answer = f"echo {shlex.quote(version)}" if version else "exit 3"
    (bin / name).write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && {answer} && exit\nexec {argv} "$@"\n'
    )
    (bin / name).chmod(0o755)
    known = os.environ["PATH"]
    return known if known.startswith(str(bin)) else f"{bin}{os.pathsep}{known}"


class Turn:
    """One turn of a small program, in a folder of its own: what was heard, every line of it, and the group that lived."""

    def __init__(
        self,
        folder: Path,
        text: str,
        of: Agent | None = None,
        prompt: str = "hello",
        words: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.of, self.group = folder, of or load_agent("command"), 0
        self.lines: list[str] = []
        self.guard = ProcessGuard()
        self.call = TurnRequest(1, agent_command=words or program(folder, text), prompt=prompt)

    def take(self, stop: Callable[[], str] = lambda: "", **patience: float) -> TurnOutput:
        witness = TurnCallbacks(
            lambda heard, line: self.lines.append(line), stop, self._watch_group
        )
        return run_agent_process(
            self.of,
            self.call,
            str(self.folder),
            child_environment("loop-1", self.of.about),
            LONG_TIMEOUTS.but(**patience),
            witness,
            self.guard,
        )

    @contextmanager
    def _watch_group(self, group: int) -> Iterator[None]:
        self.group = group
        yield
        assert not alive(group)


class Runner:
    """`loop run`, or another order, as a process in a session of its own, with all it prints in files."""

    program: tuple[str, ...] = ("-m", "loopwright.cli.main")

    def __init__(self, here: Project, *words: str, order: str = "run", **env: str) -> None:
        self.here = here
        names = [
            f"{here.root.name}.{len(list(here.root.parent.glob('*.out')))}{end}"
            for end in (".out", ".err")
        ]
        self._out, self._err = (here.root.parent / name for name in names)
        argv = [sys.executable, *self.program, order, *words]
        with open(self._out, "wb") as out, open(self._err, "wb") as err:
            self.process = subprocess.Popen(
                argv,
                cwd=here.root,
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def out(self) -> str:
        return self._out.read_text(encoding="utf-8")

    def shows(self, words: str) -> Runner:
        """Waits until it has printed this."""
        until(
            lambda: words in self.out or self._has_ended(),
            lambda: f"{words!r} is not in {self.out!r}",
        )
        assert words in self.out, (
            f"it ended with {self.process.returncode}: {self.out} {self._err.read_text()}"
        )
        return self

    def works(self, turn: int = 1) -> Runner:
        """Waits until the agent of this turn is at work."""
        until(lambda: self._at(turn) or self._has_ended(), lambda: f"no turn {turn}: {self.out}")
        assert not self._has_ended(), (
            f"it ended with {self.process.returncode}: {self.out} {self._err.read_text()}"
        )
        return self

    def _at(self, turn: int) -> bool:
        loop = self.here.folder.read_loop()
        if not (loop and loop.run and loop.run.turn_started_at and loop.run.turns_started >= turn):
            return False
        try:
            return bool(os.listdir(self.here.root / ".loop/running"))  # its group is recorded
        except FileNotFoundError:
            return False

    def hears(self, number: int = signal.SIGINT) -> Runner:
        self.process.send_signal(number)
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def ends(self) -> CommandResult:
        until(self._has_ended, lambda: f"it goes on: {self.out}")
        return CommandResult(
            self.process.returncode, self.out, self._err.read_text(encoding="utf-8")
        )

    def _has_ended(self) -> bool:
        return self.process.poll() is not None


def read_when_complete(path: Path) -> str:
    """What somebody else writes into a file, once a line of it is whole."""
    until(
        lambda: path.exists() and path.read_text(encoding="utf-8").endswith("\n"),
        lambda: f"nothing in {path}",
    )
    return path.read_text(encoding="utf-8").rstrip("\n")


def alive(pid: int) -> bool:
    """Running, and no zombie that nobody has waited for."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()[:1] not in ("", "Z")


def wait_until_gone(*pids: int) -> bool:
    """Waits until none of them is left."""
    return until(
        lambda: not any(map(alive, pids)),
        lambda: f"of {pids} live {[*filter(alive, pids)]}",
        seconds=20,
    )
