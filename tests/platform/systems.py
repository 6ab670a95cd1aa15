"""The systems that a test can run on here: this one as it is, and Windows as far as it can be shown (see disguise.py)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.hook import HOOK_SCRIPT, SESSION, Answer, stop_event
from tests.support.project import CommandResult, Project

HERE = Path(__file__).parent
START = (
    "start",
    "fix all failing tests in readme.md",
    "--score",
    "9",
    "--yes",
    "--session",
    SESSION,
)
LOOP = "import sys; from loopwright.cli.main import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True)
class System:
    """How a Python program is started there, and what its environment adds to ours."""

    disguised: bool
    env: dict[str, str] = field(default_factory=dict)
    before: str = ""  # code that a program of ours begins with

    def begin(
        self, program: str, *words: str, cwd: Path | str = "/", **env: str
    ) -> subprocess.Popen[bytes]:
        """A program, code or file, as a process; its arguments follow."""
        argv = ["-I", "-S", str(HERE / "disguise.py"), program]
        if not self.disguised:
            argv = (
                ["-I", "-S", program] if program.endswith(".py") else ["-c", self.before + program]
            )
        return subprocess.Popen(
            [sys.executable, *argv, *words],
            cwd=cwd,
            env={**os.environ, **self.env, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(
        self, program: str, *words: str, stdin: bytes = b"", cwd: Path | str = "/", **env: str
    ) -> CommandResult:
        with self.begin(program, *words, cwd=cwd, **env) as process:
            out, err = process.communicate(stdin, timeout=600)
        return CommandResult(
            process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        )

    def code(self, program: str, *words: str, **env: str) -> str:
        """What some code prints; it must not fail."""
        said = self.run(program, *words, **env)
        assert (said.code, said.err) == (0, "")
        return said.out.replace("\r\n", "\n").strip()

    def loop(self, here: Project | Path, *words: str, **env: str) -> CommandResult:
        """The command line, standing in a project."""
        said = self.run(LOOP, *words, cwd=here.root if isinstance(here, Project) else here, **env)
        assert "Traceback" not in said.err, said.err
        return said

    def run_hook(self, data: bytes, cwd: Path | str = "/", **env: str) -> Answer:
        """The door. It says one JSON object or nothing, and nothing to stderr."""
        said = self.run(HOOK_SCRIPT, "claude", stdin=data, cwd=cwd, **env)
        assert (said.code, said.err) == (0, "")
        assert "\r" not in said.out
        return Answer(said.out, said.err)

    def stop(
        self, here: Project | Path, text: str = "", cwd: Path | str = "/", **fields: Any
    ) -> Answer:
        """The agent has stopped talking. Fields in capitals are environment variables."""
        env = {name: fields.pop(name) for name in list(fields) if name.isupper()}
        return self.run_hook(json.dumps(stop_event(here, text, **fields)).encode(), cwd, **env)


# As on macOS.
NO_PROC = """
import builtins
def look(path, *more, really=open, **others):
    if str(path).startswith("/proc/"):
        raise FileNotFoundError(path)
    return really(path, *more, **others)
builtins.open = look
"""

# A process that shows that it lives, and one that starts it and waits: their pids need not be known, which a shell on
# Windows would not tell us.
HEARTBEAT = "import sys, time\nfor _ in range(2000):\n    open(sys.argv[1], 'a').write('.'); time.sleep(0.03)"
PARENT = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-ISc', *sys.argv[1:]]); time.sleep(60)"


def a_family(heart: Path) -> tuple[str, ...]:
    """The argv of a process with a child that beats."""
    return (sys.executable, "-ISc", PARENT, HEARTBEAT, str(heart))


def beats(heart: Path, seconds: float = 0.3) -> bool:
    before = heart.stat().st_size if heart.exists() else 0
    time.sleep(seconds)
    return heart.exists() and heart.stat().st_size > before


def soon(condition: Any, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False
