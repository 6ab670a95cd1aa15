"""Checks run in a sandbox, in sessions too: what they can reach, and what is asked about those that need more."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.user import needs_bwrap
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import DONE, script

pytestmark = [needs_bwrap, pytest.mark.sandbox]
TESTS = f"{sys.executable} -S -m unittest -v cases"
HEAD = "import socket, unittest\nclass A(unittest.TestCase):\n"


@pytest.fixture
def here(project, monkeypatch) -> Project:
    monkeypatch.delenv("LOOP_SANDBOX")  # the default
    return project()


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def start(here: Project, *words: str, yes: bool = True) -> str:
    given = ("--yes",) if yes else ()
    said = here.run("start", "fix all failing tests in a.py", "--score", "9", *given, *words)
    assert said.code == 0, said.err
    return said.out


def connects(port: int) -> str:
    line = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
    return f'{sys.executable} -c "{line}"'


def test_a_check_can_write_the_project_and_nothing_else(here):
    home = os.environ["HOME"]
    Path(home, ".ssh").mkdir()
    Path(home, ".ssh/id_rsa").write_text("KEY")
    evil = (
        f"echo evil >> {home}/.bashrc; cp {home}/.ssh/id_rsa stolen; touch built; test -e done.txt"
    )

    said = start(here, "--check", f"done={evil}")  # which also runs it outside once: it fails
    for path in (here.root / "stolen", here.root / "built", Path(home, ".bashrc")):
        path.unlink()
    here.run("check")

    assert "Checks run in a sandbox (bwrap) without network." in said
    assert "Failed inside, so run once outside too: done." in said
    assert (here.root / "built").exists()
    assert not (here.root / "stolen").exists()
    assert not Path(home, ".bashrc").exists()
    assert here.loop.check_box.backend == "bwrap"


def test_a_check_cannot_read_held_out_commands(here):
    state = os.environ["XDG_STATE_HOME"]
    look = f"grep -rs secret-words {state} > found; test -e done.txt"
    start(here, "--check", f"done={look}", "--holdout", "hidden=true # secret-words")
    (here.root / "found").unlink()

    here.run("check")

    assert (here.root / "found").read_text() == ""


def test_the_whole_loop_is_proven_in_the_sandbox_with_its_clean_checkout(here):
    (here.root / "a.py").write_text("def total():\n    return 1\n")
    (here.root / "cases.py").write_text(
        f"from a import total\n{HEAD}    def test_a(self):\n        assert total() == 2\n"
    )
    here.git("add", "-A")
    here.git("commit", "-qm", "start")
    start(here, "--check", f"tests={TESTS}")
    fix = {
        "write": {"a.py": "def total():\n    return 2\n"},
        "say": block({"tests": True}, exit=True),
    }

    said = here.run("run", "--script", script(here, fix))

    assert said.code == 0, said.err + said.out
    assert here.ended.verdict.grade == "proven", here.ended.room
    assert here.run("audit").code == 0


def test_processes_that_a_check_leaves_behind_end_with_it(here):
    server = "import os, time; open('pid', 'w').write(os.readlink('/proc/self')); time.sleep(300)"
    (here.root / "server.py").write_text(server)
    line = f"setsid {sys.executable} server.py > /dev/null 2>&1 & sleep 0.5; test -e done.txt"
    start(here, "--check", f"done={line}")

    left = [p for p in Path("/proc").glob("[0-9]*") if b"server.py" in _command_line(p)]

    assert not [p for p in left if os.readlink(p / "cwd") == str(here.root)]


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


# --- what passes only outside ---


def test_a_check_that_needs_the_network_is_named_and_keeps_the_rest_of_its_sandbox(here, port):
    said = start(here, "--check", f"db={connects(port)}")

    assert "except: db (passes only with the network)" in said
    assert here.loop.criteria[0].check.box == "network"
    assert here.loop.criteria[0].check.allowed
    assert here.loop.criteria[0].proof.passed
    assert here.run("check").code == 0


def test_a_check_that_needs_a_file_outside_runs_outside_after_a_yes(here, tmp_path):
    needed = tmp_path / "fixture.txt"
    needed.write_text("x")

    said = start(here, "--check", f"fixture=test -e {needed}")

    assert "except: fixture (passes only outside the sandbox)" in said
    assert here.loop.criteria[0].check.box == "outside"
    assert here.run("check").code == 0


def test_without_a_yes_the_loop_asks_once(here, port):
    said = start(here, "--check", f"db={connects(port)}", yes=False)

    assert here.loop.status == "asking"
    assert "db" in here.loop.gate.question
    assert "passes only with the network" in here.loop.gate.question
    assert here.run("run", "--script", script(here, DONE)).code == 6
    here.run("allow", "--yes")
    assert here.loop.criteria[0].check.allowed
    assert said
    here.run("cancel")

    start(here, "--check", f"db={connects(port)}", yes=False)  # the yes is remembered
    assert here.loop.status == "running"


def test_a_check_that_fails_on_both_sides_needs_nothing(here):
    start(here, "--check", "done=test -e done.txt")

    assert here.loop.criteria[0].check.box == ""
    assert here.loop.status == "running"


def test_one_test_that_needs_the_network_is_noticed_among_failing_ones(here, port):
    (here.root / "cases.py").write_text(
        f"{HEAD}    def test_bug(self):\n        assert 1 == 2\n"
        f"    def test_db(self):\n        socket.create_connection(('127.0.0.1', {port}), 5)\n"
    )

    start(here, "--check", f"tests={TESTS}")

    assert here.loop.criteria[0].check.box == "network"


def test_a_person_lets_a_check_out_later(here):
    start(here, "--check", "done=test -e done.txt")

    said = here.run("allow", "done", "--outside")

    assert said.code == 0, said.err
    assert here.loop.criteria[0].check.box == "outside"
    assert here.run("allow", "nothing", "--outside").code == 1


def test_a_check_that_fails_because_of_the_sandbox_says_so(here, port):
    (here.root / "check.sh").write_text("test -e done.txt\n")
    start(here, "--check", "done=sh check.sh")
    (here.root / "check.sh").write_text(f"{connects(port)}\n")
    claim = {"write": {"x": "x"}, "say": block({"done": True}, exit=True)}

    here.run("run", "--script", script(here, claim, claim, claim))

    detail = here.loop.criteria[0].proof.detail
    assert 'a person lets it out: loop allow "done" --outside' in detail


def test_the_verdict_names_checks_that_ran_outside(here, port, tmp_path):
    needed = tmp_path / "fixture.txt"
    needed.write_text("x")
    start(here, "--check", f"fixture=test -e {needed}", "--check", "done=test -e done.txt")
    claim = {"write": {"done.txt": "x"}, "say": block({"done": True, "fixture": True}, exit=True)}

    here.run("run", "--script", script(here, claim))

    notes = here.ended.verdict.notes
    assert "fixture ran outside the sandbox of the checks, as you allowed" in notes


def test_a_reviewer_reads_the_project_and_cannot_write_it(here):
    (here.root / "review.sh").write_text(
        'touch written; echo \'{"verdict": "approve", "objections": []}\'\n'
    )
    start(here, "--check", "done=test -e done.txt", "--review", "sh review.sh")

    said = here.run("run", "--script", script(here, DONE))

    assert said.code == 0, said.out
    assert not (here.root / "written").exists()


# --- in a session ---


def test_the_check_of_a_session_runs_in_the_sandbox(here):
    from tests.support.hook import stop

    home = os.environ["HOME"]
    start(here, "--check", f"done=touch {home}/escaped; test -e done.txt")
    Path(home, "escaped").unlink()
    (here.root / "done.txt").write_text("x")

    stop(here, block({"done": True}, exit=True))

    assert here.ended.criteria[0].proof.passed
    assert not Path(home, "escaped").exists()


def test_a_loop_without_a_sandbox_does_not_import_it(project):
    import subprocess

    here = project()
    start(here, "--check", "done=test -e done.txt")
    line = (
        "import sys; from loopwright.drive import step, proving, room_runs, final_proof; "
        "sys.exit(any(name.startswith('loopwright.sandbox') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", line], check=False).returncode == 0
