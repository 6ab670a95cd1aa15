"""From a session to the night and back: one loop, one driver at a time, every counter kept."""

from __future__ import annotations

import os
import threading
import time

import pytest

from loopwright.cli.commands import claim
from loopwright.core.directives import Reply, Stop
from loopwright.core.signals import Ordered, Signal
from loopwright.disk.lock import FileLock, FolderBusy
from loopwright.drive.orders import loop_orders
from loopwright.drive.runner import driver_lock
from loopwright.drive.step import step
from loopwright.store.folder import LoopFolder, NoLoop
from tests.e2e.waiting import until
from tests.support.hook import OTHER, SESSION, block, prompts, stop, types
from tests.support.project import Project
from tests.support.runner import (
    CHECK,
    CLAIM,
    DONE,
    SLOW,
    Runner,
    read_when_complete,
    script,
    write_fake_agent,
)
from tests.torture.size import every

# A turn in the middle: the model has read 100,000 tokens, at $4 a million.
SPENDS = """
usage = {"input_tokens": 100_000, "output_tokens": 0}
message = {"id": "m1", "model": "claude-opus-5-5", "content": [], "usage": usage}
print(json.dumps({"type": "assistant", "message": message, "parent_tool_use_id": None}), flush=True)
time.sleep(300)
"""
THINKS = {"say": "thinking", "dollars": 0.5, "write": {"n.txt": "x"}}


@pytest.fixture
def driven_project(project) -> Project:
    """A loop that a session drives, one iteration into it."""
    made = project()
    made.start(*CHECK, "--session", SESSION)
    assert "unmet criteria: done" in stop(made, "worked a bit").prompt
    assert made.loop.spend.iterations == 1
    return made


def long_ago(here: Project) -> None:
    """As if the session had been heard of an hour ago."""
    then = time.time() - 3600
    os.utime(here.root / ".loop/journal.jsonl", (then, then))


def test_from_a_session_to_the_night_and_back(driven_project: Project) -> None:
    assert "Detached" in types(driven_project, "/loop:detach").prompt
    night = driven_project.run(
        "run",
        "--script",
        script(
            driven_project,
            THINKS,
            {"say": block({}, "BLOCKED: the key is missing"), "dollars": 0.25},
        ),
    )
    assert (
        night.code,
        driven_project.loop.spend.iterations,
        driven_project.loop.spend.dollars,
    ) == (7, 3, 0.75)
    driven_project.run("continue")
    assert "this session drives the loop now" in types(driven_project, "/loop:attach").message
    (driven_project.root / "done.txt").touch()
    said = stop(driven_project, CLAIM)

    assert "Shown:\n  ✓" in said.message
    assert driven_project.ended.verdict is not None
    assert driven_project.ended.verdict.proven
    assert (driven_project.ended.spend.iterations, driven_project.ended.spend.dollars) == (4, 0.75)


def test_a_session_is_not_pushed_aside_unasked(driven_project: Project) -> None:
    words = ("run", "--script", script(driven_project, DONE))

    refused = driven_project.run(*words)
    assert (
        refused.code,
        "a session drives this loop" in refused.err,
        "--attach" in refused.err,
    ) == (1, True, True)
    recent = driven_project.run(*words, "--attach")
    assert (recent.code, "another session drove this loop just now" in recent.err) == (1, True)
    assert driven_project.events("RunnerStarted") == []
    assert driven_project.run(*words, "--attach", "--yes").code == 0


def test_a_session_that_was_not_heard_of_for_long_is_taken_over_with_attach_alone(
    driven_project: Project,
) -> None:
    long_ago(driven_project)

    assert driven_project.run("run", "--script", script(driven_project, DONE), "--attach").code == 0
    assert driven_project.ended.spend.iterations == 2


def test_while_a_runner_drives_every_session_is_left_alone(driven_project: Project) -> None:
    driven_project.run("detach")
    with Runner(driven_project, "--script", script(driven_project, SLOW)) as runner:
        holder = runner.works() and driven_project.loop.lease.holder
        first = stop(driven_project, CLAIM)
        again, spoken = stop(driven_project, CLAIM), prompts(driven_project, "how is it going?")

        assert holder == f"runner:{runner.process.pid}"
        assert (first.prompt, "driven by another session" in first.message) == ("", True)
        assert (again.reply, spoken.reply) == (None, None)
        assert (driven_project.loop.lease.holder, driven_project.loop.spend.iterations) == (
            holder,
            1,
        )


@pytest.mark.parametrize(
    "order", every(2, [("attach", "--session", OTHER, "--yes"), ("detach",)]), ids=every(2, ["loop attach", "loop detach"])
)  # fmt: skip
def test_a_runner_that_lives_is_not_pushed_aside_and_a_dead_one_is(
    driven_project: Project, order: tuple[str, ...]
) -> None:
    driven_project.run("detach")
    with Runner(driven_project, "--script", script(driven_project, SLOW)) as runner:
        refused = runner.works() and driven_project.run(*order)
        assert (refused.code, "drives this loop now. Stop it first" in refused.err) == (1, True)
        assert driven_project.loop.lease.holder == f"runner:{runner.process.pid}"
        runner.kill()
    taken = driven_project.run(*order)

    assert taken.code == 0, taken.err
    assert driven_project.loop.lease.holder == (OTHER if "attach" in order else "")
    assert driven_project.loop.spend.iterations == 1


def test_a_session_may_take_over_what_a_killed_runner_left(driven_project: Project) -> None:
    driven_project.run("detach")
    with Runner(driven_project, "--script", script(driven_project, SLOW)) as runner:
        runner.works().kill()
    assert (
        "this session drives the loop now" in types(driven_project, "/loop:attach", OTHER).message
    )
    (driven_project.root / "done.txt").touch()

    assert "Shown:\n  ✓" in stop(driven_project, CLAIM, OTHER).message
    assert driven_project.ended.spend.iterations == 2


@pytest.mark.parametrize(
    "between",
    every(2, [("attach", "--session", OTHER), ("detach",), ()]),
    ids=every(2, ["a session", "nobody", "a runner"]),
)
def test_what_a_killed_runner_spent_is_counted_whoever_comes_between(
    driven_project: Project, between: tuple[str, ...]
) -> None:
    driven_project.run("detach")
    with Runner(
        driven_project, "--agent", "claude", PATH=write_fake_agent(driven_project, "claude", SPENDS)
    ) as runner:
        assert "claude-opus-5-5" in read_when_complete(
            driven_project.root / ".loop/logs/0001-claude.log"
        )
        runner.kill()
    if between:
        assert driven_project.run(*between).code == 0
    said = driven_project.run("run", "--script", script(driven_project, DONE), "--attach", "--yes")

    assert said.code == 0, said.err
    assert driven_project.ended.spend.dollars == pytest.approx(0.4)
    assert driven_project.ended.spend.iterations == 2


def test_what_a_killed_runner_spent_is_in_the_record_of_a_cancel(driven_project: Project) -> None:
    driven_project.run("detach")
    with Runner(
        driven_project, "--agent", "claude", PATH=write_fake_agent(driven_project, "claude", SPENDS)
    ) as runner:
        assert "claude-opus-5-5" in read_when_complete(
            driven_project.root / ".loop/logs/0001-claude.log"
        )
        runner.kill()

    assert driven_project.run("cancel").code == 0
    assert driven_project.ended.spend.dollars == pytest.approx(0.4)


def test_status_says_whether_the_runner_is_still_there(driven_project: Project) -> None:
    driven_project.run("detach")
    with Runner(driven_project, "--script", script(driven_project, SLOW)) as runner:
        runner.works()
        assert "its runner is gone" not in driven_project.run("status").out
        runner.kill()

    assert "its runner is gone. Go on: `loop run`." in driven_project.run("status").out


def test_five_runners_at_once_are_one(driven_project: Project) -> None:
    driven_project.run("detach")
    slow = script(driven_project, SLOW)
    runners = [Runner(driven_project, "--script", slow) for _ in range(5)]
    try:
        over = lambda: [runner for runner in runners if runner.process.poll() is not None]  # noqa: E731
        refused = until(lambda: len(over()) >= 4 and over(), lambda: f"{len(over())} have ended")
        (driver,) = [runner for runner in runners if runner not in refused]
        driver.works()

        assert {
            (said.code, "another runner drives" in said.err) for said in map(Runner.ends, refused)
        } == {(1, True)}
        assert driven_project.loop.lease.holder == f"runner:{driver.process.pid}"
        assert (
            len(driven_project.events("RunnerStarted"))
            == len(driven_project.events("TurnStarted"))
            == 1
        )
    finally:
        for runner in runners:
            runner.kill()


# --- at the same moment ---


def test_a_look_at_the_status_does_not_keep_a_runner_away(driven_project: Project) -> None:
    driven_project.run("detach")
    asks = FileLock(driven_project.folder.path_of("driver.lock"), timeout_seconds=1.0)
    asks.__enter__()
    threading.Timer(0.2, asks.release).start()

    assert driven_project.run("run", "--script", script(driven_project, DONE)).code == 0


def test_no_runner_comes_between_the_question_and_the_order(
    driven_project: Project, monkeypatch
) -> None:
    def and_meanwhile(folder: LoopFolder, signal: Ordered) -> Stop:
        with (
            pytest.raises(FolderBusy),
            FileLock(folder.path_of("driver.lock"), timeout_seconds=0.0),
        ):
            pass  # a runner would begin here
        return Stop(message=signal.order)

    monkeypatch.setattr(loop_orders, "step", and_meanwhile)

    assert loop_orders.attach_session(driven_project.folder, OTHER, 0, yes=True).message == "attach"
    assert loop_orders.detach_session(driven_project.folder).message == "detach"


def test_what_a_killed_runner_left_is_settled_once_by_all_who_come(driven_project: Project) -> None:
    driven_project.run("detach")
    with Runner(driven_project, "--script", script(driven_project, SLOW)) as runner:
        runner.works().kill()
    for _ in range(2):
        driver_lock.refuse_if_driven(driven_project.folder)

    assert len(driven_project.events("TurnReported")) == 1


def test_an_order_to_a_loop_that_ended_just_now_is_no_crash(
    driven_project: Project, monkeypatch
) -> None:
    def ended(*_: object) -> None:
        raise NoLoop(f"the loop in {driven_project.root} has ended (finished)")

    monkeypatch.setattr(loop_orders, "step", ended)
    said = driven_project.run("steer", "leave it alone")

    assert (said.code, "has ended (finished)" in said.err, "our own error" in said.err) == (
        1,
        True,
        False,
    )


def test_a_claim_that_a_pause_overtook_is_not_called_noted(
    driven_project: Project, monkeypatch
) -> None:
    def paused_first(folder: LoopFolder, signal: Signal) -> Reply:
        step(folder, Ordered(time.time(), "pause"))
        return step(folder, signal)

    monkeypatch.setattr(claim, "step", paused_first)
    said = driven_project.run("claim", "--exit")

    assert (said.code, "Noted" in said.out, "Claim it again" in said.err) == (1, False, True)
