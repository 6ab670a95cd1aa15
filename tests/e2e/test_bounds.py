"""How long a session is held. As long as it takes when it acts; when it only talks, up to the client's own cap."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, TESTS, WITH, starts
from tests.e2e.session_steps import DONE, person_messages, start_loop, step_answer
from tests.e2e.turn import runs, says, writes
from tests.e2e.world import FIXED

ACT = "run a command or edit a file"
CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


@pytest.mark.long
def test_twelve_iterations_that_act_are_all_held_and_then_proven(world):
    acts = [
        turn
        for number in range(1, 13)
        for turn in (runs(f"echo {number}"), says(step_answer(number)))
    ]
    script = [starts(), *acts, writes(world.path("greet.py"), FIXED), says(DONE)]

    run = world.headless(
        f"/loop:start make the tests pass {TESTS} --iterations=20 --yes", script, *WITH, env=OWN
    )

    assert run.result["terminal_reason"] == "completed"
    asked = [n for n, one in enumerate(run.requests) if "unmet criteria: tests pass" in one.news]
    held = [run.requests[number + 1].news for number in asked]  # with the tool call that follows
    assert len(held) == 12
    assert all(f"[LOOP] Iteration {number}/20 |" in news for number, news in enumerate(held, 2))
    assert not any(ACT in news for news in held)
    assert "🟢 SHIP" in person_messages(run)
    assert (world.project.ended.spend.iterations, world.project.ended.verdict.proven) == (13, True)


@pytest.mark.long
def test_answers_without_a_tool_call_pause_honestly_before_the_client_would_override_us(world):
    start_loop(world, "--iterations=20")

    run = world.headless("go", lambda number, _: says(step_answer(number)), *WITH, env=OWN)

    assert len(run.requests) == 9, "held eight times"
    asked = [ACT in request.news for request in run.requests]
    assert asked == [False] * 6 + [True] * 3, "from the sixth answer on"
    assert (
        "⏸ Paused: 9 answers in a row without a tool call; the client takes no more than 8"
        in person_messages(run)
    )
    assert "Resume: `/loop:continue`" in person_messages(run)
    assert "overriding" not in str(run.events)
    assert (run.rc, run.result["result"]) == (0, step_answer(9))
    assert (world.project.loop.status, world.project.loop.pause.cause) == ("paused", "cap")


@pytest.mark.long
@pytest.mark.parametrize("by", ["the environment", "loop install"])
def test_with_a_higher_cap_all_are_held(world, by):
    start_loop(world, "--iterations=20")
    env = {CAP: "0"} if by == "the environment" else {}
    if by == "loop install":
        said = world.project.process("install", "--block-cap")
        assert f"{CAP} is 50 in" in said.out
    script = [
        *(says(step_answer(number)) for number in range(1, 11)),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    run = world.headless("go", script, *WITH, env={**OWN, **env})

    assert len(run.requests) == 12, "held ten times"
    assert not any(ACT in request.news for request in run.requests)
    assert "overriding" not in str(run.events)
    assert world.project.ended.verdict.proven
