"""A message that the person types while the agent works, without Esc."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import DONE, NOT_YET, start_loop
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED


@pytest.mark.long
def test_a_message_typed_while_the_agent_works_reaches_it_and_the_loop_continues(world, tmux):
    start_loop(world)
    script = [
        says(NOT_YET),
        runs("sleep 3", "I work."),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    with world.terminal(script, *WITH, env=OWN) as terminal:
        terminal.submit("go")
        until(lambda: len(world.model.lane()) == 2, terminal.screen)
        terminal.wait(r"Bash\(sleep 3\)")
        terminal.submit("please mind the README")
        screen = terminal.wait("🟢 SHIP")

    assert "Your turn" not in screen
    assert "please mind the README" in world.model.lane()[2].text
    assert not [told for told in world.project.events("PersonSpoke") if told.get("takes_turn")]
