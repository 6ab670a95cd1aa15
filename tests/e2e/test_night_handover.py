"""One loop from hand to hand: a session in the evening, a runner at night, a session in the morning; never two at once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.night import FREELY, FRESH, PAUSING, counted_turns, fixes, is_proven, turn_starts
from tests.e2e.plugin import OWN, TESTS, WITH, starts
from tests.e2e.session_steps import DONE, NOT_YET, Latch, person_messages, start_loop, step_answer
from tests.e2e.terminal import Terminal
from tests.e2e.turn import runs, says
from tests.e2e.waiting import until


def leases(world) -> list[tuple[str, int]]:
    """Who drove it, one after the other, each with the number of their lease; all in one journal."""
    (path,) = world.path(".loop").rglob("journal.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    started = lines[0]["events"][0]["loop"]["lease"]
    taken = [(started["holder"], lines[0]["fence"])] if started.get("pid") else []
    taken += [
        (event["holder"], line["fence"])
        for line in lines
        for event in line["events"]
        if event["is"] == "LeaseTaken"
    ]
    return [
        ("runner" if holder.startswith("runner:") else "session", fence) for holder, fence in taken
    ]


@pytest.mark.long
def test_from_a_session_to_the_night_and_back_to_a_session(world, tmux):
    evening = [
        starts(),
        runs("cat greet.py", "I look."),
        says(step_answer(1)),
        says("never heard", delay=90),
    ]
    with world.terminal(evening, *WITH, env=OWN) as terminal:
        terminal.submit(f"/loop:start make the tests pass {TESTS} --iterations=3 --yes")
        until(lambda: len(world.model.lane()) == 4, terminal.screen)
        terminal.key("Escape")
        terminal.wait("⎿  Interrupted")
        terminal.submit("/loop:detach")
        terminal.wait(r"\[LOOP\] Detached\.")
    left = world.project.loop
    assert (left.status, left.lease.holder, left.spend.iterations) == ("running", "", 1)

    night = [
        runs("cat test_greet.py"),
        says(step_answer(2)),
        runs("cat greet.py"),
        says(step_answer(3)),
    ]
    said = world.loop("run", script=night)
    assert said.code == 3, said.out
    assert "[LOOP] Iteration 2/3 |" in said.out
    assert "[LOOP] ⏸ Paused: iteration limit of 3 reached" in said.out
    assert FRESH in world.model.lane()[4].text
    slept = world.project.loop
    assert (slept.id, slept.spend.iterations) == (left.id, 3)
    assert slept.spend.dollars > left.spend.dollars

    assert world.loop("continue", "--iterations=3").code == 0
    with world.terminal(fixes(world), *WITH, env=OWN) as terminal:
        terminal.submit("/loop:attach")
        terminal.wait("🟢 SHIP")
    morning = world.model.lane()[8].text
    assert "[LOOP] Iteration 4/6 |" in morning
    assert FRESH not in morning

    ended = world.project.ended
    assert (ended.id, [step.name for step in ended.completed_steps]) == (
        left.id,
        ["part 1", "part 2", "part 3"],
    )
    assert ended.spend.dollars > slept.spend.dollars
    assert is_proven(world, iterations=4)
    assert turn_starts(world) == ["claude"] * 2
    (first, one), (second, two), (third, three) = leases(world)
    assert (first, second, third) == ("session", "runner", "session")
    assert one < two < three


@pytest.mark.long
def test_while_a_runner_drives_nobody_else_does(world):
    start_loop(world)
    latch = Latch(world.home)
    running = world.launch_loop("run", *FREELY, script=[latch.turn])
    latch.wait_until_reached(running)
    driver = world.project.loop.lease

    again = world.loop("run")
    assert (again.code, "another runner drives this loop" in again.err) == (1, True), again
    refused = "`loop run` drives this loop now. Stop it first: Ctrl-C there, or: `loop pause`"
    assert refused in world.loop("detach").err
    assert refused in world.loop("attach", "--session", "718ac93d", "--yes").err
    session = world.headless("hello", [says("Hi.")], *WITH, env=OWN)
    assert session.result["result"] == "Hi.", "not held"
    typed = world.headless("/loop:attach --yes", [], *WITH, env=OWN)
    in_session = refused.replace("`loop pause`", "`/loop:pause`")
    assert in_session in person_messages(typed) + str(typed.result)
    assert world.project.loop.lease == driver

    world.model.play([says(NOT_YET), *fixes(world)])
    latch.open()
    assert running.wait().code == 0
    assert leases(world) == [("runner", driver.fence)]
    assert is_proven(world, iterations=2)


@pytest.mark.long
def test_a_runner_takes_the_loop_from_a_session_only_when_told_to(world):
    start_loop(world)
    latch = Latch(world.home)
    session = world.launch("go", [runs("true"), says(NOT_YET), latch.turn], *WITH, env=OWN)
    latch.wait_until_reached(session)

    assert "a session drives this loop. Let go there (/loop:detach)" in world.loop("run").err
    assert "another session drove this loop just now" in world.loop("run", "--attach").err
    assert turn_starts(world) == []

    said = world.loop("run", "--attach", "--yes", script=fixes(world))
    assert said.code == 0, said.out
    world.model.play([says(NOT_YET)])
    latch.open()
    assert session.wait().result["result"] == NOT_YET, "not held any more"
    assert is_proven(world, iterations=2)


# --- what a person sees who looks on ---


def shell(world, script) -> Terminal:
    """A person's own shell on a screen, where `loop` is typed."""
    world.model.play(script)
    env = {**world.environment(), "PS1": "❯ "}
    return Terminal(Path("/bin/sh"), world.model, home=world.home, cwd=world.project.root, env=env)


@pytest.mark.long
def test_on_a_terminal_the_turn_is_seen_as_it_goes_and_ctrl_c_is_heard(world, tmux):
    start_loop(world)
    looks = [
        runs("cat greet.py test_greet.py", "I look at what is there."),
        runs("git log --oneline", "And at what was done."),
    ]
    with shell(world, [*looks, says("never heard", delay=90)]) as terminal:
        terminal.submit("loop run")
        seen = terminal.wait(
            r"(?s)iteration 1/10 \| \$0\.0\d of \$25 .*turn of .*│ And at what was done\.\n +│ → Bash git log"
        )
        terminal.key("C-c")
        terminal.wait(re.escape(PAUSING))
        terminal.key("C-c")
        terminal.wait(r"(?s)⏸ Paused: stopped by a person in mid-turn.*\n❯")
        assert counted_turns(world) == [False]

        world.model.play([says(DONE), *fixes(world)])
        terminal.submit("loop continue && loop run")
        shown = terminal.wait(r"(?s)🟢 SHIP.*\n❯")

    assert "│ I look at what is there." in seen
    assert "turn of" not in shown, "the picture is gone"
    assert is_proven(world, iterations=2)
    report = world.loop("report").out
    assert "**Finished, proven. The checks pass here and in a clean checkout." in report
    assert "cut off: a person stopped it" in report
    assert "claimed done, and was not" in report
