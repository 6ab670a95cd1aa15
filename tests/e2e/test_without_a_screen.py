"""Story 1: `claude -p` with the plugin. A false done is refuted, a killed session is resumed, the end is proven."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, TESTS, WITH, starts
from tests.e2e.session_steps import NOT_YET, person_messages
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FAILURE, FIXED
from tests.support.hook import block

DONE = block(
    {"tests pass": True},
    "CONFIDENCE: 90",
    "POINTS: 3",
    "ALT: rewrite it",
    "RISK: none seen",
    exit=True,
)


def happened(world) -> list[str]:
    return [event["is"] for event in world.project.events()]


def test_two_failing_iterations_a_false_done_and_then_the_proof(world):
    script = [
        starts(),
        runs("cat greet.py"),
        says(NOT_YET),
        writes(world.path("notes.txt"), "the comma is missing\n"),
        says(DONE),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    run = world.headless(f"/loop:start make the tests pass {TESTS} --yes", script, *WITH, env=OWN)

    assert (run.rc, run.result["terminal_reason"]) == (0, "completed")
    assert [request.lane for request in run.requests] == ["main"] * 7, (
        "no model call but the agent's own"
    )
    assert "It runs, and you drive it. Begin now." in run.requests[1].news
    held, refuted = run.requests[3], run.requests[5]
    for shown in (held, refuted):
        line = shown.news.partition("unmet criteria: tests pass")[2].partition("\n")[0]
        assert line == ". What failed and what to do comes with your next tool call."
        assert "[LOOP] Iteration" not in shown.news, "a person reads it: one line is enough"
    assert "[LOOP] Iteration 2/10 | Cost: $0.0" in run.requests[4].news, "with the next tool call"
    assert FAILURE in run.requests[6].news, "the false done is answered by the failing output"
    assert "Stop hook blocking error" not in run.requests[5].news, "no error label"
    assert "✓ tests pass ← " in person_messages(run)
    assert "🟢 SHIP" in person_messages(run)
    assert "Agent 90% sure · quick to undo · effort 3 points" in person_messages(run)
    events = happened(world)
    assert events.count("TurnEnded") == 3
    assert events.count("ClaimRefuted") == 1
    assert events[-1] == "LoopFinished"
    assert not world.path(".loop/journal.jsonl").exists()


@pytest.mark.long
def test_a_killed_session_is_resumed_with_the_announcement_and_then_proven(world):
    script = [
        starts('--step "Mend the greeting"', '--step "Verify"'),
        runs("cat greet.py"),
        says(NOT_YET),
        says("…", delay=60),
    ]
    launched = world.launch(
        f"/loop:start make the tests pass {TESTS} --yes", script, *WITH, env=OWN
    )
    until(lambda: len(launched.requests) == 4, lambda: f"{launched.events}")
    killed = launched.kill()
    assert world.project.loop.spend.iterations == 1

    again = [writes(world.path("greet.py"), FIXED), says(DONE)]
    run = world.headless("go on", again, *WITH, env=OWN, resume=killed.session)

    heard = run.requests[0].text
    assert "[LOOP RESUME] Active loop detected" in heard
    assert "Spec: make the tests pass" in heard
    assert "Progress: 0/2 steps | Iteration: 2" in heard
    assert "Unmet criteria: tests pass" in heard
    assert "Next: Mend the greeting" in heard
    assert "🟢 SHIP" in person_messages(run)
    assert happened(world)[-1] == "LoopFinished"


def test_where_no_loop_is_nothing_is_said_and_nothing_is_left(world):
    run = world.headless("hello", [runs("true"), says("Hi.")], *WITH, env=OWN)

    assert (run.rc, run.result["result"], person_messages(run)) == (0, "Hi.", "")
    assert not world.path(".loop").exists()
    assert "LOOP" not in run.requests[-1].news
    data = world.home / ".claude/plugins/data"
    assert not list(data.rglob("python")), "no Python was looked for"
