"""A tree that cannot be determined: the file and the fix are named, the loop pauses, no claim is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.support.hook import HOOK_SCRIPT, SESSION, block, stop, stop_event
from tests.support.project import Project
from tests.torture.size import every

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
# Root reads every file, unless it gives that right away.
AS_OTHERS_READ = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
    if IS_ROOT
    else ()
)
needs_modes = pytest.mark.skipif(
    sys.platform == "win32" or (IS_ROOT and not shutil.which("setpriv")),
    reason="modes keep nobody from reading here",
)
DONE = block({"done": True}, exit=True)


def run(*argv: str, here: Project, feed: object = None) -> subprocess.CompletedProcess[str]:
    """A process that may read only what modes allow."""
    source = os.path.dirname(os.path.dirname(os.path.dirname(HOOK_SCRIPT)))
    return subprocess.run(
        (*AS_OTHERS_READ, sys.executable, *argv),
        cwd=here.root,
        env={**os.environ, "PYTHONPATH": source},
        input="" if feed is None else json.dumps(feed),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def loop(here: Project, *words: str) -> subprocess.CompletedProcess[str]:
    return run("-m", "loopwright", *words, here=here)


def stop_message(here: Project, text: str) -> str:
    done = run("-I", "-S", HOOK_SCRIPT, "claude", here=here, feed=stop_event(here, text))
    return str(json.loads(done.stdout or "{}").get("systemMessage", ""))


def a_loop(project) -> Project:
    here: Project = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    here.write({"done.txt": "x"})
    return here


@needs_modes
def test_an_unreadable_file_pauses_at_the_first_stop_and_the_claim_counts_once_it_is_readable(
    project,
):
    here = a_loop(project)
    here.write({"my key.pem": "secret"})
    (here.root / "my key.pem").chmod(0)

    said = stop_message(here, DONE)

    assert said.startswith("[LOOP] ⏸ Paused: my key.pem cannot be read (Permission denied), so")
    assert "`chmod u+r 'my key.pem'`; or let git ignore it" in said
    assert here.events("ClaimRefuted") == []
    assert here.run("status", "--json").json["cause"] == "tree"

    (here.root / "my key.pem").chmod(0o600)
    assert "SHIP" in here.run("continue").out


@needs_modes
def test_start_and_doctor_name_the_unreadable_file_too(project):
    here: Project = project()
    here.write({"key.pem": "secret"})
    (here.root / "key.pem").chmod(0)

    started = loop(here, "start", "fix it", "--check", "done=test -e done.txt", "--yes")
    checked = loop(here, "doctor")

    assert started.returncode == 1
    assert "nothing was started: key.pem cannot be read (Permission denied)" in started.stderr
    assert not (here.root / ".loop").exists()
    assert "key.pem cannot be read (Permission denied)" in checked.stdout
    assert "chmod u+r key.pem" in checked.stdout


@needs_modes
def test_a_check_that_leaves_an_unreadable_file_proves_and_refutes_nothing(project):
    here: Project = project()
    here.start("--check", "done=echo x > out.txt; chmod 0 out.txt; false", "--session", SESSION)
    os.chmod(here.root / "out.txt", 0o600)
    os.remove(here.root / "out.txt")

    said = stop_message(here, DONE)

    assert "Paused: out.txt cannot be read" in said
    assert here.events("ClaimRefuted") == []
    assert here.events("CheckRan") == []


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_a_repository_of_another_owner_is_named_with_the_command_that_trusts_it(project):
    here: Project = project()
    for path in (here.root, here.root / ".git"):
        os.chown(path, 12345, 12345)

    started = here.run("start", "fix it", "--check", "done=test -e done.txt", "--yes")

    command = f"git config --global --add safe.directory {here.root}"
    assert started.code == 1
    assert f"the repository {here.root} belongs to another user" in started.err
    assert command in started.err
    assert command in here.run("doctor").out


def test_a_repository_deleted_in_between_pauses_and_refutes_nothing(project):
    here = a_loop(project)
    (here.root / ".git").rename(here.root.parent / "saved.git")

    said = stop(here, DONE).message

    assert "Paused: .git is gone" in said
    assert "`loop cancel`" in said
    assert ".git is gone" in here.run("doctor").out
    assert here.events("ClaimRefuted") == []

    (here.root.parent / "saved.git").rename(here.root / ".git")
    assert "SHIP" in here.run("continue").out


@pytest.mark.parametrize("committed", every(2, [False, True]))
def test_a_repository_made_inside_a_tracked_folder_does_not_keep_a_loop_from_ending(
    project, committed
):
    here: Project = project({"src/a.py": "A = 1\n"})
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    here.write({"src/b.py": "B = 1\n", "done.txt": "x"})
    here.git("init", "-q", "src")
    if committed:
        here.git("-C", "src", "add", ".")
        here.git("-C", "src", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")

    said = stop(here, DONE)

    assert "SHIP" in said.message, said
    assert here.events("ClaimRefuted") == []
    assert "It holds." in here.run("audit").out
