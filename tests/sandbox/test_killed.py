"""kill -9 in each phase: nothing that ran inside a sandbox survives, and no mount is left."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.waiting import until
from tests.sandbox.user import needs_bwrap
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import Runner, script

pytestmark = needs_bwrap
WORKED = {"write": {"worked": "x", "done.txt": "x"}, "say": block({"done": True}, exit=True)}
# When the check hangs: at the start, after the turn, and in the clean checkout of the final proof.
PHASES = {
    "the checks of the start": "true",
    "the check after a turn": "test -e worked",
    "the check in the clean checkout": "test -e worked && ! test -e .loop",
}


@pytest.fixture
def here(project, monkeypatch) -> Project:
    monkeypatch.setenv("LOOP_SANDBOX", "auto")
    here = project()
    (here.root / ".gitignore").write_text(".loop/\n")
    return here


def marked(token: str) -> list[int]:
    """Every process with the token in its command line, ourselves excepted."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if token.encode() in words and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


@pytest.mark.parametrize("phase", PHASES)
def test_a_kill_leaves_nothing_behind(here, phase):
    token = f"3{secrets.randbelow(10**9):09d}"  # seconds, and a mark
    hangs = f"if {PHASES[phase]}; then exec sleep {token}; fi; test -e done.txt"
    mounts = Path("/proc/mounts").read_text()
    words = ("start", "fix a", "--score", "9", "--yes", "--check", f"done={hangs}")
    if phase == "the checks of the start":
        started = subprocess.Popen(
            [sys.executable, "-m", "loopwright.cli.main", *words],
            cwd=here.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        own = started
    else:
        assert here.run(*words).code == 0
        own = Runner(here, "--script", script(here, WORKED)).process
    until(lambda: is_sleeping(token), lambda: "the check does not run")

    own.kill()
    own.wait()

    until(lambda: not marked(token), lambda: f"left: {marked(token)}", seconds=20)
    assert Path("/proc/mounts").read_text() == mounts


def is_sleeping(token: str) -> bool:
    for pid in marked(token):
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == "sleep":
                return True
        except OSError:
            continue
    return False
