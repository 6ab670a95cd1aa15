"""A question of the real client's session, answered in the page of `loop serve`: it learns it with its next prompt."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import DONE, start_loop
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED
from tests.support.hook import block
from tests.web.serving import Server


@pytest.mark.long
def test_a_session_learns_an_answer_of_the_page_with_its_next_prompt(world, tmux):
    start_loop(world)
    asks = says(block({"tests pass": False}, "ASK: which greeting do you want?"))
    script = [runs("true"), asks, writes(world.path("greet.py"), FIXED), says(DONE)]
    with world.terminal(script, *WITH, env=OWN) as terminal, Server(control=True) as server:
        terminal.submit("go")
        terminal.wait("which greeting do you want")
        until(lambda: world.project.loop.status == "asking", terminal.screen)
        loop_id = world.project.loop.id
        server.sign_in()
        page = server.get(f"/api/loops/{loop_id}").json["page"]
        assert page["answer_reaches"] == "The session learns it with its next prompt."
        assert server.order(loop_id, order="answer", text="with a comma").status == 200
        assert world.project.loop.status == "running"
        assert len(world.model.requests) == 2, "an idle session is not woken"

        terminal.submit("continue")
        terminal.wait("🟢 SHIP")

    assert "with a comma" in world.model.requests[2].news
    assert world.project.ended.status == "finished"
