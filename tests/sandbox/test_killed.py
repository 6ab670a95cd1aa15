"""kill -9 in each phase: nothing that ran inside a sandbox survives, and no mount is left."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.waiting import until
from tests.sandbox.user import needs_bwrap
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import Runner, script
from tests.torture.size import every

pytestmark = [needs_bwrap, pytest.mark.sandbox]
WORKED = {"write": {"worked": "x", "done.txt": "x"}, "say": block({"done": True}, exit=True)}
# When the check hangs: at the start, after the turn, and in the clean checkout of the final proof.
CHECKS = {
    "the checks of the start": "true",
    "the check after a turn": "test -e worked",
    "the check in the clean checkout": "test -e worked && ! test -e .loop",
}
# The real bubblewrap, whose command sleeps first if it is the probe.
SLOW_PROBE = """\
import os, sys
words = sys.argv[1:]
if any("read-state" in word for word in words):
    at = words.index("--") + 1
    words[at:at] = ["/bin/sh", "-c", 'sleep {token}; exec "$@"', "sh"]
os.execv({bwrap!r}, ["bwrap", *words])
"""


@pytest.fixture
def sandboxed_ignoring_project(project, monkeypatch) -> Project:
    monkeypatch.delenv("LOOP_SANDBOX")  # the default
    here = project()
    (here.root / ".gitignore").write_text(".loop/\n")
    return here


@pytest.fixture
def token() -> str:
    return f"3{secrets.randbelow(10**9):09d}"  # seconds, and a mark


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


def kill_while_it_sleeps(own: subprocess.Popen[bytes], token: str) -> None:
    """Kill our process in the phase that sleeps, and look at what is left."""
    mounts = Path("/proc/mounts").read_text()
    until(lambda: is_sleeping(token), lambda: "nothing sleeps")

    own.kill()
    own.wait()

    until(lambda: not marked(token), lambda: f"left: {marked(token)}", seconds=20)
    assert Path("/proc/mounts").read_text() == mounts


def start(here: Project, check: str = "test -e done.txt") -> None:
    said = here.run("start", "fix a", "--score", "9", "--yes", "--check", f"done={check}")
    assert said.code == 0, said.err


@pytest.mark.parametrize("phase", every(3, [*CHECKS]))
def test_a_kill_in_a_check_leaves_nothing_behind(sandboxed_ignoring_project, token, phase):
    hangs = f"if {CHECKS[phase]}; then exec sleep {token}; fi; test -e done.txt"
    if phase == "the checks of the start":
        words = ("start", "fix a", "--score", "9", "--yes", "--check", f"done={hangs}")
        own = subprocess.Popen(
            [sys.executable, "-m", "loopwright.cli.main", *words],
            cwd=sandboxed_ignoring_project.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    else:
        start(sandboxed_ignoring_project, hangs)
        own = Runner(
            sandboxed_ignoring_project, "--script", script(sandboxed_ignoring_project, WORKED)
        ).process

    kill_while_it_sleeps(own, token)


def test_a_runner_that_is_told_to_end_in_a_check_removes_what_the_check_made(
    sandboxed_ignoring_project, token
):
    git = sandboxed_ignoring_project.root / ".git"
    made = "ln -s /tmp .git/rr-cache; mkfifo .git/x; echo junk > .git/HEAD; chmod 600 .git/refs"
    start(
        sandboxed_ignoring_project, f"if test -e worked; then {made}; exec sleep {token}; fi; false"
    )
    own = Runner(
        sandboxed_ignoring_project, "--script", script(sandboxed_ignoring_project, WORKED)
    ).process
    until(lambda: is_sleeping(token), lambda: "nothing sleeps")

    own.terminate()
    own.wait()

    assert not [name for name in ("rr-cache", "x", "commondir") if os.path.lexists(git / name)]
    assert (git / "refs").stat().st_mode & 0o700 == 0o700
    assert sandboxed_ignoring_project.git("status", "--porcelain", "done.txt") == "?? done.txt\n"


def test_the_next_run_removes_what_a_killed_one_left_in_the_git_folder(
    sandboxed_ignoring_project, token
):
    git, theirs = (
        sandboxed_ignoring_project.root / ".git",
        sandboxed_ignoring_project.root.parent / "theirs",
    )
    (git / "mine").symlink_to(theirs)
    start(sandboxed_ignoring_project)
    made = f"ln -s {theirs} .git/rr-cache; mkfifo .git/x; echo junk > .git/HEAD"
    turn = {"run": [f"{made}; exec sleep {token}"], "say": "never said"}
    own = Runner(
        sandboxed_ignoring_project, "--script", script(sandboxed_ignoring_project, turn)
    ).process
    kill_while_it_sleeps(own, token)

    said = sandboxed_ignoring_project.run(
        "run", "--script", script(sandboxed_ignoring_project, WORKED)
    )

    assert "the agent put a link or a pipe where git expects a file" in said.out, said.err
    assert not [name for name in ("rr-cache", "x", "commondir") if os.path.lexists(git / name)]
    assert (git / "mine").is_symlink()
    assert not (sandboxed_ignoring_project.root / ".loop/git-before.json").exists()
    assert sandboxed_ignoring_project.git("status", "--porcelain", "done.txt") == "?? done.txt\n"


@pytest.mark.long
def test_a_kill_in_a_turn_leaves_nothing_behind(sandboxed_ignoring_project, token):
    """Not even a server that the agent started in a session of its own."""
    start(sandboxed_ignoring_project)
    turn = {"run": [f"setsid sleep {token} & setsid sleep {token}; true"], "say": "never said"}

    kill_while_it_sleeps(
        Runner(
            sandboxed_ignoring_project, "--script", script(sandboxed_ignoring_project, turn)
        ).process,
        token,
    )


@pytest.mark.long
def test_a_kill_in_the_probe_leaves_nothing_behind(sandboxed_ignoring_project, token):
    start(sandboxed_ignoring_project)
    folder = sandboxed_ignoring_project.root.parent / "slow"
    folder.mkdir()
    program = folder / "bwrap"
    text = SLOW_PROBE.format(token=token, bwrap=shutil.which("bwrap"))
    program.write_text(f"#!{sys.executable} -IS\n{text}")
    program.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    secrets_of_probe = Path(os.environ["XDG_STATE_HOME"], "loopwright/sandbox")

    kill_while_it_sleeps(
        Runner(
            sandboxed_ignoring_project,
            "--script",
            script(sandboxed_ignoring_project, WORKED),
            PATH=path,
        ).process,
        token,
    )
    left = list(secrets_of_probe.iterdir())
    said = sandboxed_ignoring_project.run(
        "run", "--script", script(sandboxed_ignoring_project, WORKED)
    )

    assert len(left) == 1  # the file that the probe was to read; the next probe removes it
    assert said.code == 0, said.err
    assert "sandbox: bwrap, enforced" in said.out
    assert not list(secrets_of_probe.iterdir())


def is_sleeping(token: str) -> bool:
    for pid in marked(token):
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == "sleep":
                return True
        except OSError:
            continue
    return False
