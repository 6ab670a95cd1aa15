"""What must not happen pauses the loop at once, whether a command shows it or the agent says so."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import DONE, person_messages, start_loop
from tests.e2e.turn import says, writes
from tests.e2e.world import FIXED
from tests.support.hook import block

SHAPE = """# Shape: make the tests pass

### Must-NOT Constraints
mustNot:
- "a dependency is added"
- "the public API changes"

### Verification
| Criterion | Verification Type | Command/Method |
|---|---|---|
| a dependency is added | execution output | `test -e requirements.txt` |
"""


@pytest.mark.long
def test_a_constraint_of_the_shape_with_a_command_that_the_person_allowed(world):
    world.project.write({".loop/shape/SHAPE.md": SHAPE})
    start_loop(world)
    allowed = world.project.process("allow", "--yes")
    assert "a dependency is added ← test -e requirements.txt" in allowed.out

    script = [
        writes(world.path("greet.py"), FIXED),
        writes(world.path("requirements.txt"), "requests\n"),
        says(DONE),
    ]
    run = world.headless("go", script, *WITH, env=OWN)

    assert "Must not:\n- a dependency is added\n- the public API changes" in run.requests[0].news
    assert len(run.requests) == 3, "not held, although all criteria are met"
    assert "⏸ Paused: must not: a dependency is added" in person_messages(run)
    assert (world.project.loop.status, world.project.loop.pause.cause) == ("paused", "must-not")


@pytest.mark.long
def test_a_constraint_that_the_agent_says_it_broke(world):
    start_loop(world, "--must-not", "the public API changes")
    broke = block({"tests pass": True}, "MUST_NOT: the public API changes", exit=True)

    run = world.headless("go", [writes(world.path("greet.py"), FIXED), says(broke)], *WITH, env=OWN)

    assert len(run.requests) == 2, "not held"
    assert "⏸ Paused: must not: the public API changes" in person_messages(run)
    assert (world.project.loop.status, world.project.loop.pause.cause) == ("paused", "must-not")
    assert world.project.events("BreakerTripped")[0]["name"] == "must-not"
