"""Where the client offers the model a task list, the steps are mirrored there; where it does not, nobody speaks of it."""

from __future__ import annotations

import pytest

from loopwright.core.prompts.parts import TASK_LIST_HINT
from tests.e2e.plugin import OWN, TESTS, WITH, starts
from tests.e2e.session_steps import DONE, NOT_YET
from tests.e2e.turn import runs, says, writes
from tests.e2e.world import FIXED


@pytest.mark.long
@pytest.mark.parametrize(
    "offered",
    [
        pytest.param(True, id="offered"),
        pytest.param(False, id="not offered"),
    ],
)
def test_the_prompts_speak_of_the_task_list_only_where_there_is_one(world, offered):
    env = {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"} if offered else {}
    script = [
        starts(),
        runs("cat greet.py"),
        says(NOT_YET),
        writes(world.path("greet.py"), FIXED),
        says(DONE),
    ]

    run = world.headless(
        f"/loop:start make the tests pass {TESTS} --yes", script, *WITH, env={**OWN, **env}
    )

    opening, held = run.requests[1].news, run.requests[3].news
    assert "It runs, and you drive it. Begin now." in opening
    assert "unmet criteria: tests pass" in held
    assert (TASK_LIST_HINT in opening) == offered
    assert TASK_LIST_HINT not in held, "its context holds it"
    assert all(("TaskCreate" in request.text) == offered for request in run.requests)
    assert world.project.ended.settings.has_task_list == offered
