"""The bare /loop. It is the client's own, unless the person has made it ours."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, TESTS, WITH, starts
from tests.e2e.session_steps import DONE, person_messages, start_loop
from tests.e2e.turn import says, writes
from tests.e2e.world import FIXED

OURS = "Iterate on a spec until every criterion is **proven**"
OWN_OF_THE_CLIENT = "# /loop — schedule a recurring or self-paced prompt"


@pytest.mark.long
def test_with_the_alias_it_is_ours(world):
    said = world.project.process("install", "--alias", "--project")
    assert said.code == 0, said.err
    start_loop(world)

    status = world.headless("/loop status", [], *WITH, env=OWN)
    assert "make the tests of greet.py pass" in status.result["result"]
    assert status.requests == [], "no model call"

    spec = 'fix all tests, it\'s "the comma" & $(touch pwned)'
    script = [starts(), writes(world.path("greet.py"), FIXED), says(DONE)]
    run = world.headless(f"/loop {spec} {TESTS} --replace --yes", script, *WITH, env=OWN)

    assert OURS in run.requests[0].text
    assert OWN_OF_THE_CLIENT not in run.requests[0].text
    assert "It runs, and you drive it. Begin now." in run.requests[1].news
    assert "🟢 SHIP" in person_messages(run)
    assert (world.project.ended.spec, world.project.ended.status) == (spec, "finished")
    assert not world.path("pwned").exists()


@pytest.mark.long
def test_without_it_and_without_a_loop_it_is_the_clients(world):
    run = world.headless("/loop status", [says("There is nothing to schedule.")], *WITH, env=OWN)

    assert OWN_OF_THE_CLIENT in run.requests[0].text
    assert OURS not in run.requests[0].text
    assert (run.result["result"], person_messages(run)) == ("There is nothing to schedule.", "")
