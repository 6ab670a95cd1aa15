"""A person stops a runner in mid-turn, here or from elsewhere: the agent ends, the money is counted, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.waiting import until
from tests.support.project import Project
from tests.support.runner import (
    CLAIM,
    DONE,
    SLOW,
    Runner,
    alive,
    command,
    read_when_complete,
    script,
    wait_until_gone,
    write_fake_agent,
)
from tests.torture.size import every

# On SIGINT it says what the turn has cost so far, as the real ones do.
COSTLY = """
def say(*_):
    print(json.dumps({"type": "result", "is_error": False, "result": "stopped", "total_cost_usd": 0.75}), flush=True)
    os._exit(1)
signal.signal(signal.SIGINT, say)
print(json.dumps({"type": "system", "subtype": "init", "session_id": "s1"}), flush=True)
open(PID, "w").write(f"{os.getpid()}\\n")
time.sleep(300)
"""
# A terminal of its own around a command; and an agent that would not begin if it had one.
TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])"
NO_TERMINAL = """
try: open("/dev/tty")
except OSError: pass
else: sys.exit("there is a terminal")
"""


@pytest.fixture
def costly(checked_project: Project, tmp_path: Path) -> Callable[..., tuple[Runner, int]]:
    """A runner in the middle of a turn that has cost something, and its agent."""

    def begin(*words: str) -> tuple[Runner, int]:
        path = write_fake_agent(
            checked_project, "claude", COSTLY.replace("PID", repr(str(tmp_path / "pid")))
        )
        return Runner(checked_project, "--agent", "claude", *words, PATH=path), int(
            read_when_complete(tmp_path / "pid")
        )

    return begin


def test_ctrl_c_once_pauses_after_the_turn(checked_project: Project, tmp_path: Path) -> None:
    wait = f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.02)\nprint('worked')"
    with Runner(checked_project, *command(checked_project, wait)) as runner:
        runner.works().hears(signal.SIGINT).shows("Pausing after this turn")
        assert runner.process.poll() is None
        (tmp_path / "go").touch()
        said = runner.ends()

    assert said.code == 8, said.err
    assert (
        checked_project.loop.status,
        checked_project.loop.pause.cause,
        checked_project.loop.spend.iterations,
    ) == (
        "paused",
        "person",
        1,
    )
    assert "worked" in said.out


def test_ctrl_c_once_counts_what_the_turn_cost(checked_project: Project, tmp_path: Path) -> None:
    turn = {
        "run": [f"while [ ! -e '{tmp_path / 'go'}' ]; do sleep 0.02; done"],
        "say": "worked",
        "dollars": 0.5,
    }
    with Runner(checked_project, "--script", script(checked_project, turn)) as runner:
        runner.works().hears(signal.SIGINT).shows("Pausing after this turn")
        (tmp_path / "go").touch()

        assert runner.ends().code == 8
    assert (checked_project.loop.spend.iterations, checked_project.loop.spend.dollars) == (1, 0.5)


def test_a_turn_that_proves_it_all_ends_the_loop_whatever_was_pressed(
    checked_project: Project, tmp_path: Path
) -> None:
    turn = {**DONE, "run": [f"while [ ! -e '{tmp_path / 'go'}' ]; do sleep 0.02; done"]}
    with Runner(checked_project, "--script", script(checked_project, turn)) as runner:
        runner.works().hears(signal.SIGINT).shows("Pausing after this turn")
        (tmp_path / "go").touch()

        assert runner.ends().code == 0
    assert checked_project.ended.verdict is not None


@pytest.mark.parametrize(
    "signals",
    [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), (signal.SIGHUP,)],
    ids=["Ctrl-C twice", "SIGTERM", "SIGHUP"],
)
def test_stopped_now_the_agent_ends_and_what_it_cost_is_kept(
    checked_project: Project, costly, signals: tuple[int, ...]
) -> None:
    runner, agent = costly()
    with runner:
        for number in signals:
            runner.hears(number)
            if number == signal.SIGINT:
                runner.shows("Pausing after this turn")
        said = runner.ends()

    assert said.code == 8, said.err
    assert (checked_project.loop.status, checked_project.loop.pause.cause) == ("paused", "person")
    assert (checked_project.loop.spend.iterations, checked_project.loop.spend.dollars) == (0, 0.75)
    assert wait_until_gone(agent)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (lambda here: here.run("pause", "tired"), "tired"),
        (lambda here: (here.root / ".loop/STOP").touch(), ".loop/STOP was found"),
    ],
    ids=["loop pause", ".loop/STOP"],
)
def test_stopped_from_elsewhere_the_agent_ends_and_what_it_cost_is_kept(
    checked_project: Project, costly, order, why: str
) -> None:
    runner, agent = costly()
    with runner:
        order(checked_project)
        said = runner.ends()

    assert said.code == 8, said.err
    assert (checked_project.loop.status, checked_project.loop.pause.why) == ("paused", why)
    assert (checked_project.loop.spend.iterations, checked_project.loop.spend.dollars) == (0, 0.75)
    assert f"Paused: {why}" in said.out
    assert wait_until_gone(agent)
    assert not (checked_project.root / ".loop/STOP").exists()


def test_after_a_pause_it_goes_on_where_it_was(checked_project: Project, costly) -> None:
    runner, _ = costly()
    with runner:
        checked_project.run("pause")
        runner.ends()
    assert checked_project.run("continue").code == 0
    said = checked_project.run("run", "--script", script(checked_project, DONE))

    assert said.code == 0, said.err
    assert (checked_project.ended.spend.iterations, checked_project.ended.spend.dollars) == (
        1,
        0.75,
    )


def test_cancelled_from_elsewhere_the_agent_ends_and_what_it_cost_is_told(
    checked_project: Project, costly
) -> None:
    runner, agent = costly()
    with runner:
        checked_project.run("cancel")
        said = runner.ends()

    assert said.code == 8, said.err
    assert checked_project.ended.status == "cancelled"
    assert "cost $0.75, beyond what the record says" in said.out
    assert wait_until_gone(agent)


def test_a_loop_whose_files_are_deleted_in_mid_turn_is_restored_by_its_runner(
    checked_project: Project, costly
) -> None:
    runner, agent = costly()
    with runner:
        before = checked_project.loop.id
        checked_project.git("clean", "-fdxq")
        until(lambda: "It is restored" in runner.out, lambda: runner.out)
        restored = checked_project.loop.id
        checked_project.run("cancel")
        said = runner.ends()

    assert (restored, said.code, checked_project.ended.status) == (before, 8, "cancelled")
    assert wait_until_gone(agent)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_stopped_during_a_check_it_pauses_too(project, tmp_path: Path, number: int) -> None:
    here = project()
    here.start("--check", f"done=test -e slow && echo $$ >'{tmp_path / 'pid'}' && sleep 300")
    with Runner(
        here, "--script", script(here, {"write": {"slow": ""}, "say": CLAIM, "dollars": 0.5})
    ) as runner:
        check = int(read_when_complete(tmp_path / "pid"))
        until(lambda: (here.root / f".loop/running/{check}").exists(), lambda: runner.out)
        said = runner.hears(number).ends()

    assert (said.code, here.loop.status, here.loop.pause.cause) == (8, "paused", "person")
    assert here.loop.spend.dollars == 0.5
    assert wait_until_gone(check)


@pytest.mark.parametrize(
    ("number", "words"),
    every(
        3,
        [
            (signal.SIGINT, ("run", "--continue")),
            (signal.SIGTERM, ("run", "--continue")),
            (signal.SIGTERM, ("run", "--resume-all")),
            (signal.SIGTERM, ("continue",)),
        ],
    ),
    ids=every(
        3, ["Ctrl-C twice", "SIGTERM", "SIGTERM and --resume-all", "SIGTERM and loop continue"]
    ),
)
def test_a_proof_that_was_stopped_is_completed_before_any_turn(
    project, tmp_path: Path, number: int, words: tuple[str, ...]
) -> None:
    """The one iteration is used up, and the agent has nothing to do."""
    here = project()
    seen, go = tmp_path / "seen", tmp_path / "go"
    wait = f"{{ test -e '{go}' || {{ echo x >>'{seen}'; sleep 300; }}; }}"
    here.start("--check", f"done=test -e done.txt && {wait}", "--iterations", "1")
    turn = {**DONE, "run": [f"while [ ! -e '{tmp_path / 'begin'}' ]; do sleep 0.02; done"]}
    with Runner(here, "--script", script(here, turn)) as runner:
        if number == signal.SIGINT:  # the first one
            runner.works().hears(number).shows("Pausing after this turn")
        (tmp_path / "begin").touch()
        read_when_complete(seen)
        said = runner.hears(number).ends()
    assert (said.code, here.loop.status) == (8, "paused")
    assert "Resume: `loop run --continue`" in said.out
    go.touch()
    said = here.run(*words)
    until(lambda: here.folder.read_loop() is None, lambda: f"{said.out} {said.err}")

    assert (said.code, here.ended.status, here.ended.spend.iterations) == (0, "finished", 1)
    assert len(here.events("TurnStarted")) == 1


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param("--plain", id="lines", marks=pytest.mark.long),
        pytest.param("", id="a live view"),
    ],
)
def test_a_terminal_that_goes_away_stops_it_now(
    checked_project: Project, tmp_path: Path, picture: str
) -> None:
    """Nobody is there to print to any more; what the turn cost is kept all the same, and who wants to know is told."""
    path = write_fake_agent(
        checked_project,
        "claude",
        f"{NO_TERMINAL}{COSTLY}".replace("PID", repr(str(tmp_path / "pid"))),
    )
    words = (
        "--agent",
        "claude",
        "--notify",
        f"echo $LOOP_WHY >'{tmp_path}/notified'",
        *filter(None, [picture]),
    )
    argv = [
        sys.executable,
        "-c",
        TERMINAL,
        sys.executable,
        "-m",
        "loopwright.cli.main",
        "run",
        *words,
    ]
    env = {**os.environ, "PATH": path, "TERM": "xterm"}
    terminal = subprocess.Popen(
        argv, cwd=checked_project.root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    agent = int(read_when_complete(tmp_path / "pid"))
    runner = checked_project.loop.lease.pid
    terminal.kill()
    terminal.wait()

    assert wait_until_gone(agent, runner)
    assert (
        checked_project.loop.status,
        checked_project.loop.pause.cause,
        checked_project.loop.spend.dollars,
    ) == (
        "paused",
        "person",
        0.75,
    )
    assert read_when_complete(tmp_path / "notified").startswith("the terminal was closed ")
    assert (checked_project.root / ".loop/summary.md").exists()


def test_ctrl_c_while_it_waits_for_a_limit_pauses_at_once(checked_project: Project) -> None:
    with Runner(
        checked_project, "--script", script(checked_project, {"fail": "usage limit", "limit": 3000})
    ) as runner:
        runner.shows("left, until").hears(signal.SIGINT)

        assert runner.ends().code == 8
    assert checked_project.loop.status == "paused"
    assert checked_project.loop.spend.iterations == 0


@pytest.mark.parametrize(
    ("order", "status"),
    every(
        2,
        [
            (lambda here: here.run("pause"), "paused"),
            (lambda here: here.run("cancel"), "cancelled"),
            (lambda here: (here.root / ".loop/STOP").touch(), "paused"),
        ],
    ),
    ids=every(2, ["loop pause", "loop cancel", ".loop/STOP"]),
)
def test_an_order_while_it_waits_for_a_limit_starts_nobody(
    checked_project: Project, order, status: str
) -> None:
    with Runner(
        checked_project, "--script", script(checked_project, {"fail": "usage limit", "limit": 3000})
    ) as runner:
        runner.shows("left, until")
        order(checked_project)
        said = runner.ends()

    assert (said.code, said.err) == (8, "")
    assert (checked_project.folder.read_loop() or checked_project.ended).status == status
    assert len(checked_project.events("TurnStarted")) == 1


def test_a_runner_that_was_stopped_leaves_nobody_behind(checked_project: Project) -> None:
    with Runner(checked_project, "--script", script(checked_project, SLOW)) as runner:
        runner.works()
        group = int(os.listdir(checked_project.root / ".loop/running")[0])
        assert alive(group)
        runner.hears(signal.SIGTERM).ends()

    assert wait_until_gone(group)
    assert os.listdir(checked_project.root / ".loop/running") == []
