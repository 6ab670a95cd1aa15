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
PYTEST = f"{sys.executable} -m pytest -v test_cases.py"
HAS_PASSED = "test_passed_inside PASSED"
HEAD = "import socket, unittest\nclass A(unittest.TestCase):\n"


@pytest.fixture
def sandboxed_project(project, monkeypatch) -> Project:
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


def write_pytest_cases(here: Project, body: str) -> None:
    passing = "def test_passed_inside():\n    pass\n"
    (here.root / "test_cases.py").write_text(f"import socket\n{passing}def test_other():\n{body}")


def connects(port: int) -> str:
    line = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
    return f'{sys.executable} -c "{line}"'


def test_each_check_finds_the_caches_of_the_start_and_none_of_another_run(sandboxed_project):
    cache = Path(os.environ["HOME"], ".npm")
    cache.mkdir()
    seen = sandboxed_project.root / "seen"

    start(sandboxed_project, "--check", "built=cp ~/.npm/built seen; echo yes >> ~/.npm/built")
    assert not seen.exists()
    for _ in range(2):
        sandboxed_project.run("check")
        assert seen.read_text() == "yes\n"

    assert list(cache.iterdir()) == []  # the cache of the user


def test_a_check_can_write_the_project_and_nothing_else(sandboxed_project):
    home = os.environ["HOME"]
    Path(home, ".ssh").mkdir()
    Path(home, ".ssh/id_rsa").write_text("KEY")
    evil = (
        f"echo evil >> {home}/.bashrc; cp {home}/.ssh/id_rsa stolen; touch built; test -e done.txt"
    )

    said = start(
        sandboxed_project, "--check", f"done={evil}"
    )  # which also runs it outside once: it fails
    for path in (
        sandboxed_project.root / "stolen",
        sandboxed_project.root / "built",
        Path(home, ".bashrc"),
    ):
        path.unlink()
    sandboxed_project.run("check")

    assert "Checks run in a sandbox (bwrap) without network." in said
    assert '"done" failed in it, so it ran once outside too.' in said
    assert (sandboxed_project.root / "built").exists()
    assert not (sandboxed_project.root / "stolen").exists()
    assert not Path(home, ".bashrc").exists()
    assert sandboxed_project.loop.check_box.backend == "bwrap"


def test_a_check_cannot_read_held_out_commands(sandboxed_project):
    state = os.environ["XDG_STATE_HOME"]
    look = f"grep -rs secret-words {state} > found; test -e done.txt"
    start(sandboxed_project, "--check", f"done={look}", "--holdout", "hidden=true # secret-words")
    (sandboxed_project.root / "found").unlink()

    sandboxed_project.run("check")

    assert (sandboxed_project.root / "found").read_text() == ""


def test_the_whole_loop_is_proven_in_the_sandbox_with_its_clean_checkout(sandboxed_project):
    (sandboxed_project.root / "a.py").write_text("def total():\n    return 1\n")
    (sandboxed_project.root / "cases.py").write_text(
        f"from a import total\n{HEAD}    def test_a(self):\n        assert total() == 2\n"
    )
    sandboxed_project.git("add", "-A")
    sandboxed_project.git("commit", "-qm", "start")
    start(sandboxed_project, "--check", f"tests={TESTS}")
    fix = {
        "write": {"a.py": "def total():\n    return 2\n"},
        "say": block({"tests": True}, exit=True),
    }

    said = sandboxed_project.run("run", "--script", script(sandboxed_project, fix))

    assert said.code == 0, said.err + said.out
    assert sandboxed_project.ended.verdict.grade == "proven", sandboxed_project.ended.room
    assert sandboxed_project.run("audit").code == 0


def test_processes_that_a_check_leaves_behind_end_with_it(sandboxed_project):
    server = "import os, time; open('pid', 'w').write(os.readlink('/proc/self')); time.sleep(300)"
    (sandboxed_project.root / "server.py").write_text(server)
    line = f"setsid {sys.executable} server.py > /dev/null 2>&1 & sleep 0.5; test -e done.txt"
    start(sandboxed_project, "--check", f"done={line}")

    left = [p for p in Path("/proc").glob("[0-9]*") if b"server.py" in _command_line(p)]

    assert not [p for p in left if os.readlink(p / "cwd") == str(sandboxed_project.root)]


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


# --- what passes only outside ---


def test_a_check_that_needs_the_network_is_named_and_keeps_the_rest_of_its_sandbox(
    sandboxed_project, port
):
    said = start(sandboxed_project, "--check", f"db={connects(port)}")

    assert "except: db (passes only with the network)" in said
    assert sandboxed_project.loop.criteria[0].check.box == "network"
    assert sandboxed_project.loop.criteria[0].check.allowed
    assert sandboxed_project.loop.criteria[0].proof.passed
    assert sandboxed_project.run("check").code == 0


def test_a_check_that_needs_a_file_outside_runs_outside_after_a_yes(sandboxed_project, tmp_path):
    needed = tmp_path / "fixture.txt"
    needed.write_text("x")

    said = start(sandboxed_project, "--check", f"fixture=test -e {needed}")

    assert "except: fixture (passes only outside the sandbox)" in said
    assert sandboxed_project.loop.criteria[0].check.box == "outside"
    assert sandboxed_project.run("check").code == 0


def test_without_a_yes_the_loop_asks_once(sandboxed_project, port):
    said = start(sandboxed_project, "--check", f"db={connects(port)}", yes=False)

    assert sandboxed_project.loop.status == "asking"
    assert "db" in sandboxed_project.loop.gate.question
    assert "passes only with the network" in sandboxed_project.loop.gate.question
    assert sandboxed_project.run("run", "--script", script(sandboxed_project, DONE)).code == 6
    sandboxed_project.run("allow", "--yes")
    assert sandboxed_project.loop.criteria[0].check.allowed
    assert said
    sandboxed_project.run("cancel")

    start(sandboxed_project, "--check", f"db={connects(port)}", yes=False)  # the yes is remembered
    assert sandboxed_project.loop.status == "running"


def test_a_check_that_fails_on_both_sides_needs_nothing(sandboxed_project):
    start(sandboxed_project, "--check", "done=test -e done.txt")

    assert sandboxed_project.loop.criteria[0].check.box == ""
    assert sandboxed_project.loop.status == "running"


def test_a_red_check_whose_program_is_not_there_inside_runs_outside(sandboxed_project, tmp_path):
    runner = tmp_path / "runner"
    runner.write_text('#!/bin/sh\necho "FAILED cases.py::test_bug"\nexit 1\n')
    runner.chmod(0o755)

    start(sandboxed_project, "--check", f"tests={runner}")

    assert sandboxed_project.loop.criteria[0].check.box == "outside"


def test_one_test_that_needs_the_network_is_noticed_among_failing_ones(sandboxed_project, port):
    (sandboxed_project.root / "cases.py").write_text(
        f"{HEAD}    def test_bug(self):\n        assert 1 == 2\n"
        f"    def test_db(self):\n        socket.create_connection(('127.0.0.1', {port}), 5)\n"
    )

    start(sandboxed_project, "--check", f"tests={TESTS}")

    assert sandboxed_project.loop.criteria[0].check.box == "network"


def test_tests_of_pytest_that_passed_in_the_sandbox_do_not_run_outside(sandboxed_project):
    write_pytest_cases(sandboxed_project, "    assert 1 == 2\n")

    start(sandboxed_project, "--check", f"cases={PYTEST}")

    assert sandboxed_project.loop.criteria[0].check.box == ""
    logs = (sandboxed_project.root / ".loop" / "evidence").glob("*-cases.log")
    # In place and in the clean checkout, and between them outside.
    assert [HAS_PASSED in log.read_text() for log in sorted(logs)] == [True, False, True]


def test_a_test_of_pytest_that_needs_the_network_is_noticed(sandboxed_project, port):
    write_pytest_cases(
        sandboxed_project, f"    socket.create_connection(('127.0.0.1', {port}), 5)\n"
    )

    start(sandboxed_project, "--check", f"tests={PYTEST}")

    criterion = sandboxed_project.loop.criteria[0]
    assert (criterion.check.box, criterion.guard) == ("network", True)


def test_a_person_lets_a_check_out_later(sandboxed_project):
    start(sandboxed_project, "--check", "done=test -e done.txt")

    said = sandboxed_project.run("allow", "done", "--outside")

    assert said.code == 0, said.err
    assert sandboxed_project.loop.criteria[0].check.box == "outside"
    assert sandboxed_project.run("allow", "nothing", "--outside").code == 1


def test_a_check_that_fails_because_of_the_sandbox_says_so(sandboxed_project, port):
    (sandboxed_project.root / "check.sh").write_text("test -e done.txt\n")
    start(sandboxed_project, "--check", "done=sh check.sh")
    (sandboxed_project.root / "check.sh").write_text(f"{connects(port)}\n")
    claim = {"write": {"x": "x"}, "say": block({"done": True}, exit=True)}

    sandboxed_project.run("run", "--script", script(sandboxed_project, claim, claim, claim))

    detail = sandboxed_project.loop.criteria[0].proof.detail
    assert 'a person lets it out: loop allow "done" --outside' in detail


def test_the_verdict_names_checks_that_ran_outside(sandboxed_project, port, tmp_path):
    needed = tmp_path / "fixture.txt"
    needed.write_text("x")
    start(
        sandboxed_project,
        "--check",
        f"fixture=test -e {needed}",
        "--check",
        "done=test -e done.txt",
    )
    claim = {"write": {"done.txt": "x"}, "say": block({"done": True, "fixture": True}, exit=True)}

    sandboxed_project.run("run", "--script", script(sandboxed_project, claim))

    notes = sandboxed_project.ended.verdict.notes
    assert "fixture ran outside the sandbox of the checks, as you allowed" in notes


def test_a_reviewer_reads_the_project_and_cannot_write_it(sandboxed_project):
    (sandboxed_project.root / "review.sh").write_text(
        'touch written; echo \'{"verdict": "approve", "objections": []}\'\n'
    )
    start(sandboxed_project, "--check", "done=test -e done.txt", "--review", "sh review.sh")

    said = sandboxed_project.run("run", "--script", script(sandboxed_project, DONE))

    assert said.code == 0, said.out
    assert not (sandboxed_project.root / "written").exists()


# --- in a session ---


def test_the_check_of_a_session_runs_in_the_sandbox(sandboxed_project):
    from tests.support.hook import stop

    home = os.environ["HOME"]
    start(sandboxed_project, "--check", f"done=touch {home}/escaped; test -e done.txt")
    Path(home, "escaped").unlink()
    (sandboxed_project.root / "done.txt").write_text("x")

    stop(sandboxed_project, block({"done": True}, exit=True))

    assert sandboxed_project.ended.criteria[0].proof.passed
    assert not Path(home, "escaped").exists()


def test_a_loop_without_a_sandbox_does_not_import_it(project):
    import subprocess

    here = project()
    start(here, "--check", "done=test -e done.txt")
    line = (
        "import sys; from loopwright.drive import step; "
        "from loopwright.drive.proof import comparison, parts_of_proof; "
        "from loopwright.cleanroom import runs; "
        "sys.exit(any(name.startswith('loopwright.sandbox') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", line], check=False).returncode == 0


def test_a_check_of_go_begins_with_the_newest_of_the_users_cache(sandboxed_project):
    cache = Path(os.environ["HOME"], ".cache/go-build")
    (cache / "aa").mkdir(parents=True)
    for name in ("used-d", "unused-d"):
        (cache / "aa" / name).write_text("compiled")
    (sandboxed_project.root / "go.mod").write_text("module a\n")
    seen = sandboxed_project.root / "seen"

    build, look = "touch ~/.cache/go-build/aa/used-d", "ls ~/.cache/go-build/aa > seen"
    start(sandboxed_project, "--check", f"built={build}", "--check", f"seen={look}")

    assert seen.read_text() == "used-d\n"
