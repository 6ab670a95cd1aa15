"""A required check that cannot run here: no work can turn it green, so a person must act."""

from __future__ import annotations

import pytest

from tests.support.builders import Story, a_loop, block, failed, turn

DONE = block({"tests pass": True}, exit=True)
NO_DJANGO = "ModuleNotFoundError: No module named 'django'"


def play(output: str, spec: str = "add a page") -> Story:
    story = Story(a_loop(spec=spec))
    for number in (1, 2):
        story.tell(turn(DONE, f"tree-{number}"))
        story.tell(failed("tests pass", detail=output, failures=None))
    return story


def test_the_second_claim_beside_a_check_that_cannot_run_pauses_with_the_fix() -> None:
    story = play(NO_DJANGO)

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "last")
    assert '"tests pass" cannot run here (cannot import: django). Fix: ' in story.loop.pause.why


@pytest.mark.parametrize(
    ("output", "spec"),
    [
        pytest.param("AssertionError: 3 != 2", "add a page", id="a failing test"),
        pytest.param(
            "ModuleNotFoundError: No module named 'store'", "write store.py", id="the work"
        ),
    ],
)
def test_what_the_work_can_turn_green_goes_back_to_the_agent(output: str, spec: str) -> None:
    assert play(output, spec).loop.status == "running"
