"""The real client, and a model that names the criterion in its own words: failing tests never ship."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH, starts
from tests.e2e.turn import says, writes
from tests.e2e.world import FIXED
from tests.support.hook import block

FIVE = dict.fromkeys(("Outcome", "Scope", "Constraints", "Success", "Done"), "1 (why)")
LIE = block({"all tests pass": True}, exit=True)


@pytest.mark.long
def test_failing_tests_do_not_ship_when_the_model_names_the_criterion(world, tmux):
    script = [
        starts('--criterion "all tests pass" --step "Fix them"', five=FIVE),
        says("That is the plan."),
        says(LIE),
        writes(world.path("greet.py"), FIXED, "Now really."),
        says(LIE),
        says("Thank you."),
    ]
    with world.terminal(script, *WITH, size=(120, 60), env=OWN) as terminal:
        terminal.submit("/loop:start fix all failing tests")
        terminal.wait("y = start")
        (criterion,) = world.project.loop.criteria
        assert criterion.check is not None
        assert (criterion.name, criterion.check.origin) == ("all tests pass", "detected")

        terminal.submit("y")
        screen = terminal.wait("All criteria met")
        assert "The agent said done;" in screen, "the lie was refuted before the question"
        assert "SHIP" not in screen
        assert "unmet criteria: all tests pass" in world.model.lane()[3].news

        terminal.submit("y")
        terminal.wait("SHIP")
    assert world.project.ended.verdict is not None
    assert world.project.ended.verdict.grade == "proven"
