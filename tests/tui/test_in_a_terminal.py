"""`loop watch` as a person starts it: in a real terminal of 80 columns and 24 rows, without colours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.project import Project

PATIENCE_SECONDS = 60
pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="tmux is the terminal, and it is not here"
)


class Tmux:
    """A terminal with one program in it."""

    def __init__(self, socket: Path) -> None:
        self._argv = ["tmux", "-S", str(socket), "-f", os.devnull]

    def call(self, *words: str) -> str:
        done = subprocess.run([*self._argv, *words], capture_output=True, text=True, check=False)
        return done.stdout

    def wait_for(self, text: str) -> str:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            screen = self.call("capture-pane", "-p")
            if text in screen:
                return screen
            time.sleep(0.1)
        raise AssertionError(f"no {text!r} on the screen:\n{screen}")


@pytest.fixture
def tmux() -> Iterator[Tmux]:
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="tmux-") as folder:
        terminal = Tmux(Path(folder, "socket"))
        yield terminal
        terminal.call("kill-server")


def test_a_loop_is_opened_and_paused_by_keys_and_the_terminal_is_left_clean(
    project: Callable[..., Project], tmux: Tmux
) -> None:
    here = project()
    here.start("--check", "tests pass=echo expected 2, got 1; exit 1")
    names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "PATH", "PYTHONPATH")
    env = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    command = ["env", "-i", *env, "NO_COLOR=1", "TERM=xterm-256color", "LANG=C.UTF-8"]
    command += [sys.executable, "-m", "loopwright", "watch"]
    # A shell reports the end: tmux itself loses some of the signals that a child has ended.
    command = ["sh", "-c", '"$@"; echo "ended with $?"; exec cat', "sh", *command]
    place = ["-x", "80", "-y", "24", "-c", str(here.root)]
    tmux.call("new-session", "-d", *place, *command)
    board = tmux.wait_for("1 needs you")
    assert all(len(line) <= 80 for line in board.splitlines())
    tmux.call("send-keys", "Enter")
    tmux.wait_for("expected 2, got 1")
    tmux.call("send-keys", "p")
    tmux.wait_for("paused: asked by a person")
    loop = here.folder.read_loop()
    assert loop is not None
    assert loop.status == "paused"
    tmux.call("send-keys", "q")
    assert "Criteria" not in tmux.wait_for("ended with 0")
