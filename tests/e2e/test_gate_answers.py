"""A person at the first question, and /loop:allow, on the real client."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH, starts
from tests.e2e.session_steps import Latch
from tests.e2e.test_on_a_screen import FIVE, STEPS, TALL
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED
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
        terminal.wait(r"Paused: you answered cancel")
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


@pytest.mark.long
def test_a_yes_typed_while_the_agent_works_starts_nothing_and_a_one_shot_run_answers_later(
    world, tmux
):
    latch = Latch(world.home)
    script = [starts(*STEPS, five=FIVE), latch.turn, says("That is the plan.")]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        until(latch.begun.exists, terminal.screen)
        terminal.submit("y")
        until(lambda: world.project.events("QuestionShown"), terminal.screen)
        latch.open()
        terminal.wait(r"(?s)Here are 2 steps.*\"y\" came while the agent works")
        assert world.project.loop.status == "asking"
        assert "y" not in world.model.lane()[-1].news.split(), "the agent has not seen it"
        session = world.project.loop.lease.holder

    script = [
        runs("cat greet.py", "I look."),
        says(block({"tests pass": False}, "BLOCKED: nothing more in this script")),
    ]
    run = world.headless("y", script, *WITH, env=OWN, resume=session)

    assert "[LOOP] Starting | Shape: Colleague" in run.requests[0].news
    assert world.project.events("OrderRefused") == []
    assert world.project.loop.spend.iterations == 1


def test_after_the_last_yes_the_input_box_is_empty(world, tmux):
    script = [
        starts(*STEPS, five=FIVE),
        says("That is the plan."),
        writes(world.path("greet.py"), FIXED, "Now the comma."),
        says(block({"tests pass": True}, exit=True)),
    ]
    with world.terminal(script, *WITH, size=TALL, env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        terminal.wait(r"Here are 2 steps\. Start\? y = start")
        terminal.submit("y")
        terminal.wait(r"All criteria met\. Confirm done\?")
        calls = len(world.model.requests)
        terminal.submit("y")
        terminal.wait(r"(?ms)🟢 SHIP.*^❯\s*$")
        terminal.submit("/loop:status")
        terminal.wait(r"finished, proven")
        assert len(world.model.requests) == calls, "no model call"
