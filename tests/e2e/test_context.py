"""What else happens in a session while a loop runs: compactions, background work, sub-agents, failures of the API."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import CHECK_FLAGS, DONE, NOT_YET, Latch, person_messages, start_loop
from tests.e2e.turn import delegates, fails, runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED

RESUME = "[LOOP RESUME] Active loop detected"
NOTIFICATION = "<task-notification>"


@pytest.mark.long
def test_after_a_compaction_the_loop_is_announced_again(world):
    start_loop(world)
    full = {"input_tokens": 99_500}
    script = [
        runs("true"),
        says(NOT_YET, usage=full),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    run = world.headless("go", script, *WITH, "--autocompact", "100k", env=OWN)

    assert [request.lane for request in run.requests] == ["main", "main", "summary", "main", "main"]
    assert RESUME not in run.requests[1].text
    heard = run.requests[3].text
    assert "What was done so far." in heard
    assert RESUME in heard
    assert "Unmet criteria: tests pass" in heard
    assert len(world.project.events("ContextCompacted")) == 1
    assert "🟢 SHIP" in person_messages(run)
    assert world.project.ended.spend.iterations == 2


@pytest.mark.long
def test_a_stop_while_work_goes_on_in_the_background_is_no_iteration(world):
    start_loop(world)
    latch = Latch(world.home)
    script = [
        latch.background_turn,
        says("I wait."),
        says(NOT_YET),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    launched = world.launch("go", script, *WITH, env=OWN)
    until(
        lambda: any(event["type"] == "result" for event in launched.events),
        lambda: f"{launched.events}",
    )
    assert len(launched.requests) == 2, "not held"
    assert world.project.events("TurnEnded") == []
    latch.open()
    run = launched.wait()

    assert 'begin a prompt with "continue"' in person_messages(run)
    assert NOTIFICATION in run.requests[2].news, "the client prompts itself"
    assert "unmet criteria: tests pass" in run.requests[3].news, "held again"
    assert "🟢 SHIP" in person_messages(run)
    assert world.project.ended.spend.iterations == 2


@pytest.mark.long
def test_a_notification_is_no_answer_to_a_question(world):
    latch = Latch(world.home)
    started = world.project.run(
        "start", "make the tests pass", *CHECK_FLAGS, "--shape", "colleague"
    )
    assert started.code == 0, started.err
    assert world.project.loop.gate.name == "G1"

    launched = world.launch(
        "hello", [latch.background_turn, says("I wait."), says("It is over.")], *WITH, env=OWN
    )
    until(
        lambda: any(event["type"] == "result" for event in launched.events),
        lambda: f"{launched.events}",
    )
    latch.open()
    run = launched.wait()

    assert NOTIFICATION in run.requests[2].news
    assert person_messages(run).count("Here are") == 3, "asked at the prompt, and at both stops"
    assert world.project.loop.status == "asking"

    script = [writes(world.path("greet.py"), FIXED), says(DONE)]
    answered = world.headless("yes", script, *WITH, env=OWN, resume=run.session)
    assert "[LOOP] Starting | Shape: Colleague" in answered.requests[0].news
    assert world.project.loop.gate.name == "G3"


@pytest.mark.long
def test_sub_agents_are_not_held_and_their_cost_counts(world):
    start_loop(world)
    dear = {"output_tokens": 50_000}  # a dollar
    script = [
        delegates("count the files"),
        says(NOT_YET),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    run = world.headless(
        "go", script, *WITH, env=OWN, agent=[runs("ls"), says("Three files.", usage=dear)]
    )

    assert [request.lane for request in run.requests] == [
        "main",
        "agent",
        "agent",
        "main",
        "main",
        "main",
    ]
    assert not any("[LOOP" in request.text for request in world.model.lane("agent"))
    assert "[LOOP] Iteration 2/10 | Cost: $1.0" in run.requests[5].news
    assert world.project.ended.spend.iterations == 2
    assert round(world.project.ended.spend.dollars, 3) == round(run.result["total_cost_usd"], 3)


@pytest.mark.long
def test_a_failure_of_the_api_is_journaled_and_is_no_iteration(world):
    start_loop(world)

    run = world.headless(
        "go", lambda number, _: says(NOT_YET) if number == 1 else fails(400), *WITH, env=OWN
    )

    assert run.result["terminal_reason"] == "api_error"
    failed = until(
        lambda: world.project.events("TurnEnded")[1:], lambda: f"{world.project.events()}", 5
    )
    assert [event["counts_as_iteration"] for event in failed] == [False], (
        "although the client was gone at once"
    )
    loop = world.project.loop
    assert (loop.spend.iterations, loop.status, loop.pause.cause) == (1, "paused", "trouble")
    assert "API Error: 400" in loop.pause.why
