"""Runs that outlive the terminal: detached, under nohup, and started again after a reboot."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.drive import stay_awake
from loopwright.store import run_records
from tests.e2e.waiting import until
from tests.support.project import Project
from tests.support.runner import (
    CLAIM,
    DONE,
    SLOW,
    Runner,
    alive,
    command,
    script,
    start_checked_loop,
    wait_until_gone,
)
from tests.torture.size import every

TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])"
LOOP = f"{shlex.quote(sys.executable)} -m loopwright.cli.main"


def waiting_agent(here: Project, tmp_path: Path) -> tuple[str, str]:
    """An agent that works until the test lets it finish, and then proves the criterion."""
    go = str(tmp_path / "go")
    return command(
        here,
        f"while not os.path.exists({go!r}): time.sleep(0.02)\n"
        f"open('done.txt', 'w').close()\nprint({CLAIM!r})",
    )


def open_terminal(here: Project, shell_line: str) -> subprocess.Popen[bytes]:
    """A terminal with a session of its own, in which a shell runs this line."""
    return subprocess.Popen(
        [sys.executable, "-c", TERMINAL, "/bin/sh", "-c", shell_line],
        cwd=here.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for_runner(here: Project) -> int:
    until(lambda: here.loop.lease.pid and here.loop.run, lambda: "no runner")
    return here.loop.lease.pid


def wait_for_proof(here: Project, pid: int) -> None:
    wait_until_gone(pid)
    assert here.ended.verdict is not None
    assert here.ended.verdict.proven


def test_a_detached_run_survives_the_end_of_the_terminals_session(
    checked_project: Project, tmp_path: Path
) -> None:
    words = shlex.join(waiting_agent(checked_project, tmp_path))
    line = f"{LOOP} run --detach {words}; echo $$ >'{tmp_path}/shell'; exec sleep 300"
    terminal = open_terminal(checked_project, line)
    until((tmp_path / "shell").exists, lambda: "the terminal did not get its shell back")
    runner = checked_project.loop.lease.pid
    shell = int((tmp_path / "shell").read_text())
    terminal.kill()
    terminal.wait()
    wait_until_gone(shell)  # SIGHUP ended the session of the terminal

    assert alive(runner)
    (tmp_path / "go").touch()
    wait_for_proof(checked_project, runner)
    assert "The proof: `loop receipt`" in checked_project.run("logs", "--runner").out
    assert run_records.all_records() == []


def test_a_detached_run_is_followed_and_paused_from_elsewhere(
    checked_project: Project, tmp_path: Path
) -> None:
    said = checked_project.run("run", "--detach", "--script", script(checked_project, SLOW))
    runner = checked_project.loop.lease.pid

    assert said.code == 0, said.err
    assert f"Runs in the background (process {runner})" in said.out
    with Runner(checked_project, "-f", "--runner", order="logs") as follower:
        follower.shows("at most: 10 iterations")
        checked_project.run("pause")
        wait_until_gone(runner)
        assert "Paused: asked by a person" in follower.ends().out
    assert checked_project.loop.status == "paused"
    assert checked_project.run("run", "--resume-all").out == "No run was cut off.\n"


def test_a_detached_run_that_cannot_start_says_why_at_once(
    checked_project: Project, tmp_path: Path
) -> None:
    with Runner(checked_project, *waiting_agent(checked_project, tmp_path)) as runner:
        runner.works()
        said = checked_project.run("run", "--detach", "--script", script(checked_project, DONE))

    assert said.code == 1
    assert "another runner drives this loop" in said.err


def test_a_module_in_the_project_is_not_taken_for_one_of_pythons_own(project) -> None:
    here = start_checked_loop(project, files={"argparse.py": "open('imported', 'w').close()\n"})
    here.run("run", "--detach", "--script", script(here, DONE))
    until(lambda: here.folder.read_loop() is None, lambda: here.run("logs", "--runner").out)

    assert not (here.root / "imported").exists()


@pytest.mark.long
def test_one_command_starts_a_loop_and_detaches(project) -> None:
    here = project({"test_it.py": "def test_it():\n    open('done.txt')\n"})
    words = ("fix the failing test in test_it.py", "--check", "done=test -e done.txt")
    said = here.run("run", *words, "--detach", "--json", "--script", script(here, SLOW))
    facts = json.loads(said.out.splitlines()[-1])

    assert (said.code, facts["event"], facts["id"]) == (0, "detached", here.loop.id)
    here.run("cancel")
    wait_until_gone(facts["pid"])


def test_under_nohup_a_closed_terminal_changes_nothing(
    checked_project: Project, tmp_path: Path
) -> None:
    words = shlex.join(waiting_agent(checked_project, tmp_path))
    terminal = open_terminal(checked_project, f"nohup {LOOP} run {words} >'{tmp_path}/out' 2>&1")
    runner = wait_for_runner(checked_project)
    terminal.kill()
    terminal.wait()
    os.kill(runner, signal.SIGHUP)
    (tmp_path / "go").touch()

    wait_for_proof(checked_project, runner)


def test_a_closed_terminal_is_named_with_the_way_to_continue(
    checked_project: Project, tmp_path: Path
) -> None:
    with Runner(checked_project, *waiting_agent(checked_project, tmp_path)) as runner:
        said = runner.works().hears(signal.SIGHUP).ends()

    assert "Paused: the terminal was closed" in said.out
    assert "loop run --continue" in said.out
    assert "loop run --detach" in said.out


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["power cut", "shutdown"])
def test_resume_all_starts_what_a_reboot_cut_off(
    checked_project: Project, tmp_path: Path, end: signal.Signals
) -> None:
    with Runner(checked_project, *waiting_agent(checked_project, tmp_path)) as runner:
        runner.works().hears(end)
        runner.process.wait()
    said = checked_project.run("run", "--resume-all")
    resumed = checked_project.loop.lease.pid

    assert said.code == 0, said.err
    assert f"{checked_project.root}: fix all failing tests" in said.out
    assert (
        checked_project.run("run", "--resume-all").out
        == f"{checked_project.root}: a runner drives it already\n"
    )
    (tmp_path / "go").touch()
    wait_for_proof(checked_project, resumed)


def test_resume_all_leaves_alone_what_a_person_paused_or_that_ended(
    checked_project: Project, tmp_path: Path
) -> None:
    with Runner(checked_project, *waiting_agent(checked_project, tmp_path)) as runner:
        runner.works()
        checked_project.run("pause")
        runner.ends()

    assert checked_project.run("run", "--resume-all").out == "No run was cut off.\n"
    assert checked_project.loop.status == "paused"


def test_a_run_is_resumed_with_the_options_that_were_typed(
    checked_project: Project, tmp_path: Path
) -> None:
    words = ("--turn-minutes", "7", "--until", "23:59", "--leave", "20%", "--commit", "--yes")
    with Runner(checked_project, "--script", script(checked_project, SLOW), *words) as runner:
        runner.works().kill()
    record = run_records.all_records()[0]

    assert record.root == str(checked_project.root)
    assert {"--turn-minutes=7", "--leave=20%", "--commit", "--yes"} <= {*record.words}
    (until,) = (word for word in record.words if word.startswith("--until="))
    assert until.endswith("T23:59")  # the same moment, not the next one


@pytest.mark.parametrize(
    ("platform", "systemd", "program"),
    [
        ("linux", True, "systemd-inhibit"),
        ("linux", False, ""),
        ("darwin", False, "caffeinate"),
        ("win32", False, ""),
    ],
)
def test_what_keeps_the_machine_awake(platform: str, systemd: bool, program: str) -> None:
    argv = stay_awake.awake_argv(platform, 7, systemd)

    assert (argv[0] if argv else "") == program


def test_the_machine_may_sleep_again_when_the_run_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "systemd-inhibit"
    fake.write_text(f"#!/bin/sh\necho $$ >'{tmp_path}/pid'\nexec cat\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(stay_awake, "SYSTEMD", str(tmp_path))
    monkeypatch.setattr(stay_awake.sys, "platform", "linux")
    with stay_awake.keep_awake():
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(), lambda: "")
        pid = int((tmp_path / "pid").read_text())
        assert alive(pid)

    assert wait_until_gone(pid)


def test_until_ends_the_turn_and_pauses(checked_project: Project, tmp_path: Path) -> None:
    from loopwright.drive.runner.until_and_leave import until_text

    soon = until_text(time.time())  # the minute that has begun: its time has come
    said = checked_project.run("run", "--script", script(checked_project, SLOW), "--until", soon)

    assert said.code == 8
    assert checked_project.loop.pause.why.startswith("the time given with --until has come (")
    assert checked_project.events("TurnStarted") == []


@pytest.mark.parametrize("form", every(2, ["--plain", "--json"]))
def test_a_run_outlives_the_reader_of_its_output(
    checked_project: Project, tmp_path: Path, form: str
) -> None:
    argv = [
        sys.executable,
        "-m",
        "loopwright.cli.main",
        "run",
        form,
        *waiting_agent(checked_project, tmp_path),
    ]
    runner = subprocess.Popen(argv, cwd=checked_project.root, stdout=subprocess.PIPE)
    assert runner.stdout is not None
    runner.stdout.readline()
    runner.stdout.close()
    (tmp_path / "go").touch()

    assert runner.wait() == 0
    assert checked_project.ended.verdict is not None
    assert checked_project.ended.verdict.proven
