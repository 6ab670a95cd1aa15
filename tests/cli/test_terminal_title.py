"""The window title and the progress of `loop run`: on a terminal only, and put back at the end."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable

from loopwright.cli.terminal_title import title_text
from tests.support.project import Project


def run_on_a_terminal(here: Project, *words: str, **env: str) -> str:
    """What the command writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "loopwright", *words]
    process = subprocess.Popen(
        argv, cwd=here.root, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, **env}
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the terminal is closed
            break
        if not data:
            break
        parts.append(data)
    process.wait()
    os.close(ours)
    return b"".join(parts).decode("utf-8", "replace")


def test_a_run_shows_its_iteration_in_the_title_and_puts_the_old_one_back(
    project: Callable[..., Project],
) -> None:
    here = project()
    here.start("--check", "done=test -e done.txt", "--room", "off")
    shown = run_on_a_terminal(here, "run", "--agent-command", "touch done.txt", TERM="xterm")
    assert "\x1b]2;loop 1/10 $0.00 fix all failing tests in readme.md\x07" in shown
    assert "\x1b]9;4;1;0\x07" in shown
    assert shown.index("\x1b[22;0t") < shown.index("\x1b]2;") < shown.rindex("\x1b[23;0t")
    assert shown.rindex("\x1b]9;4;0;0\x07") > shown.rindex("\x1b]9;4;1;")


def test_a_pipe_and_a_dumb_terminal_get_no_sequence(project: Callable[..., Project]) -> None:
    here = project()
    here.start("--check", "done=test -e done.txt", "--room", "off")
    assert "\x1b]" not in run_on_a_terminal(here, "run", "--agent-command", "true", TERM="dumb")
    assert "\x1b]" not in here.process("run", "--agent-command", "touch done.txt").out


def test_a_spec_cannot_end_the_title(project: Callable[..., Project]) -> None:
    here = project()
    said = here.run(
        "start", "fix\x07\x1b]0;mine\x07 it", "--score", "9", "--yes", "--check", "x=true"
    )
    assert said.code == 0, said.err
    loop = here.folder.read_loop()
    assert loop is not None
    assert "\x07" not in title_text(loop)
    assert "\x1b" not in title_text(loop)
