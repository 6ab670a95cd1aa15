"""Who drives the loop. One session does; others are left alone, forks too; a cleared or interrupted one drives on."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import DONE, NOT_YET, Latch, person_messages, start_loop
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED

STRANGER = "A loop runs in this folder, driven by another session. Take it over: `/loop:attach"


@pytest.mark.long
def test_a_second_session_is_left_alone_until_it_takes_over(world):
    start_loop(world)
    first, second = Latch(world.home, "first"), Latch(world.home, "second")
    driver = world.launch("go", [runs("true"), says(NOT_YET), first.turn], *WITH, env=OWN)
    first.wait_until_reached(driver)
    driving = world.project.loop.lease.holder

    other = world.headless("hello", [runs("true"), says("Hi.")], *WITH, env=OWN)
    assert (other.result["result"], len(other.requests)) == ("Hi.", 2), "not held"
    assert person_messages(other).count(STRANGER) == 1
    assert "[LOOP" not in other.requests[-1].text, "its model hears nothing of it"
    again = world.headless("hello again", [says("Hi.")], *WITH, env=OWN, resume=other.session)
    assert (len(again.requests), person_messages(again)) == (1, ""), "told once"
    loop = world.project.loop
    assert (loop.lease.holder, loop.spend.iterations, loop.dialogue.foreign_sessions) == (
        driving,
        1,
        (other.session,),
    )

    taken = world.launch("/loop:attach --yes", [second.turn], *WITH, env=OWN, resume=other.session)
    second.wait_until_reached(taken)
    assert "unmet criteria: tests pass" in taken.requests[0].text
    assert world.project.loop.lease.holder == other.session

    world.model.play([says(NOT_YET)])
    first.open()
    left = driver.wait()
    assert left.result["result"] == NOT_YET, "not held any more"
    assert person_messages(left).count(STRANGER) == 1
    assert world.project.loop.spend.iterations == 1

    world.model.play([writes(world.path("greet.py"), FIXED), says(DONE)])
    second.open()
    assert "🟢 SHIP" in person_messages(taken.wait())
    assert world.project.ended.spend.iterations == 2


@pytest.mark.long
def test_a_one_shot_run_beside_a_free_loop_is_left_alone(world):
    start_loop(world)

    asked = world.headless("what is 2+2?", [says("4")], *WITH, env=OWN, takes_loop=False)

    assert (asked.result["result"], len(asked.requests)) == ("4", 1), "not held"
    assert "[LOOP" not in person_messages(asked)
    assert world.project.loop.lease.holder == ""


@pytest.mark.long
def test_a_fork_is_a_stranger_and_a_plan_is_not_an_iteration(world):
    start_loop(world)
    plan = world.headless(
        "go", [says("This is the plan.")], *WITH, "--permission-mode", "plan", freely=False, env=OWN
    )
    assert plan.result["result"] == "This is the plan.", "not held"
    assert (world.project.loop.lease.holder, world.project.loop.spend.iterations) == (
        plan.session,
        0,
    )
    assert world.project.events("TurnEnded") == []

    fork = world.headless(
        "and this?", [says("A fork.")], *WITH, "--fork-session", env=OWN, resume=plan.session
    )
    assert fork.session != plan.session
    assert (fork.result["result"], person_messages(fork).count(STRANGER)) == ("A fork.", 1)
    assert "[LOOP RESUME]" not in fork.requests[0].text
    assert world.project.loop.lease.holder == plan.session

    script = [says(NOT_YET), writes(world.path("greet.py"), FIXED), says(DONE)]
    run = world.headless("go on", script, *WITH, env=OWN, resume=plan.session)
    assert "[LOOP RESUME] Active loop detected" in run.requests[0].text
    assert "🟢 SHIP" in person_messages(run)
    assert world.project.ended.spend.iterations == 2


@pytest.mark.long
def test_esc_and_clear_leave_the_loop_with_the_person_who_typed_them(world, tmux):
    start_loop(world)
    script = [
        says(NOT_YET),
        says("never heard", delay=60),
        says("It is 4."),
        runs("true"),
        says(NOT_YET),
        says("nor this", delay=60),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    def asked(number: int) -> None:
        until(lambda: len(world.model.lane()) == number, terminal.screen)

    def interrupts(number: int) -> None:
        terminal.key("Escape")
        until(
            lambda: terminal.screen(history=True).count("⎿  Interrupted") == number, terminal.screen
        )

    with world.terminal(script, *WITH, env=OWN) as terminal:
        terminal.submit("go")
        asked(2)
        interrupts(1)
        loop = world.project.loop
        assert (loop.status, loop.spend.iterations) == ("running", 1)

        terminal.submit("what is 2+2?")
        terminal.wait("It is 4.")
        terminal.wait("Your turn: the loop waits")
        assert world.project.loop.spend.iterations == 1, "neither held nor counted"
        assert "waits for you" in world.project.run("status").out

        terminal.submit("continue: look at greet.py")
        asked(6)
        spoken = world.project.events("PersonSpoke")
        assert [event.get("takes_turn", False) for event in spoken] == [False, True, False]
        assert world.project.loop.spend.iterations == 2, "the interrupted turn is no iteration"
        interrupts(2)
        terminal.submit("/clear")
        until(lambda: len(world.project.events("LeaseTaken")) == 2, terminal.screen)
        cleared = world.project.loop.lease

        terminal.submit("go on")
        terminal.wait("🟢 SHIP")

    assert cleared.holder != loop.lease.holder
    assert cleared.pid == loop.lease.pid == terminal.pid
    heard = world.model.lane()[6].text
    assert "look at greet.py" not in heard, "the conversation is gone"
    assert "[LOOP RESUME] Active loop detected" in heard
    spent = world.project.ended.spend
    assert (spent.iterations, round(spent.dollars, 3)) == (3, 0.03), (
        "five answers were heard, at $0.006 each"
    )
