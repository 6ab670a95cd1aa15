"""The plugin with a judge. A model is asked at every stop too: it may add a reason to go on, and decides nothing alone."""

from __future__ import annotations

import json

import pytest

from tests.e2e.plugin import OWN
from tests.e2e.session_steps import DONE, person_messages, start_loop, step_answer
from tests.e2e.turn import says, writes
from tests.e2e.world import FIXED

GO_ON = json.dumps({"ok": False, "reason": "next: add the comma"})
OK = json.dumps({"ok": True, "reason": "no active loop"})
TALKED = "The judge talked around its answer"


@pytest.fixture
def judged(world) -> tuple[str, str]:
    """The plugin built with the other stop hook, as the client is given it."""
    folder = str(world.home / "judged")
    said = world.project.process("plugin", "build", "--out", folder, "--stop-hook", "prompt")
    assert said.code == 0, said.err
    return "--plugin-dir", folder


@pytest.mark.long
def test_the_judges_reason_stands_beside_our_own_and_cannot_keep_what_we_let_go(world, judged):
    start_loop(world)
    script = [
        *(says(step_answer(number)) for number in (1, 2, 3)),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]
    answers = [says(GO_ON), says(f"Sure: {GO_ON}"), says(GO_ON), says(GO_ON)]

    run = world.headless("go", script, *judged, env=OWN, aux=answers)

    assert [request.lane for request in run.requests] == ["main", "aux"] * 3 + [
        "main",
        "main",
        "aux",
    ]
    held = [run.requests[number].news for number in (2, 4, 6)]
    assert ["next: add the comma" in news for news in held] == [True, False, True], (
        "the client throws the second away"
    )
    assert all("unmet criteria: tests pass" in news for news in held), "we hold all the same"
    assert "🟢 SHIP" in person_messages(run)
    assert world.project.ended.spend.iterations == 4
    assert (
        f"{TALKED}, which the client does not take; it meant: go on (next: add the comma)."
        in person_messages(run)
    )
    assert person_messages(run).count(TALKED) == 1, "reported at the next stop, and only there"


@pytest.mark.long
def test_without_a_loop_a_judge_that_says_ok_lets_go(world, judged):
    run = world.headless("hello", [says("Hi.")], *judged, env=OWN, aux=[says(OK)])

    assert (run.rc, run.result["result"], person_messages(run)) == (0, "Hi.", "")
    assert [request.lane for request in run.requests] == ["main", "aux"]
