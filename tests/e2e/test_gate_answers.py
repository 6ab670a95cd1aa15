"""A person at the first question, and /loop:allow, on the real client."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH, starts
from tests.e2e.test_on_a_screen import FIVE, STEPS, TALL
from tests.e2e.turn import runs, says
from tests.support.hook import block

PROPOSED = '--check "greets=grep -q , greet.py"'


@pytest.mark.long
def test_a_question_is_answered_and_asked_again_and_cancel_starts_nothing(world, tmux):
    script = [
        starts(*STEPS, PROPOSED, five=FIVE),
        says("That is the plan."),
        says("The second step puts the comma back."),
        runs("cat greet.py", "I look."),
        says(block({"tests pass": False}, "BLOCKED: nothing more in this script")),
    ]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        terminal.wait(r"Start\? y = start")

        terminal.submit("what does the second step do?")
        terminal.wait(r"(?s)puts the comma back.*Start\? y = start")
        assert world.project.loop.status == "asking"
        assert "neither a yes nor a no" in world.model.lane()[2].news

        calls = len(world.model.requests)
        terminal.submit("cancel")
        terminal.wait(r"Paused: G1 answered cancel")
        assert world.project.loop.status == "paused"
        assert len(world.model.requests) == calls, "no model call"
    assert any(not c.check.allowed for c in world.project.loop.criteria if c.check)


def test_sure_go_ahead_starts_and_allow_lets_the_listed_commands_run_without_a_model_call(
    world, tmux
):
    script = [
        starts(*STEPS, PROPOSED, five=FIVE),
        says("That is the plan."),
        runs("cat greet.py", "I look."),
        says(block({"tests pass": False}, "BLOCKED: nothing more in this script")),
    ]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        terminal.wait(r"Start\? y = start")
        assert world.project.loop.waiting_checks

        calls = len(world.model.requests)
        terminal.submit("/loop:allow")
        terminal.wait(r"1 check allowed")
        assert len(world.model.requests) == calls, "no model call"
        assert not world.project.loop.waiting_checks
        assert world.project.loop.status == "asking"

        terminal.submit("sure, go ahead")
        terminal.wait(r"Paused: ")
        assert world.project.loop.spend.iterations == 1
