"""Claims that do not hold: they are no activity, and files changed beside them are no progress."""

from __future__ import annotations

from loopwright.core.limits import Limits
from tests.support.builders import Story, a_loop, block, failed, turn

LIE = block({"tests pass": True}, exit=True)
RED = {"tests pass": False}


def turns_until_pause(text: str, **facts: object) -> tuple[int, str]:
    story = Story(a_loop(limits=Limits(iterations=50)))
    for number in range(1, 30):
        tree = f"tree-{number}" if facts.get("changes") else "tree-1"
        story.tell(turn(text, tree, tool_calls=facts.get("tools", 0)))
        if story.loop.check_round:  # a check that prints no number
            story.tell(failed("tests pass", failures=None))
        if story.loop.status == "paused":
            return number, story.loop.pause.cause
    return 0, ""


def test_a_liar_who_does_nothing_else_is_idle_from_the_second_turn_on() -> None:
    """The first turn finds another tree than the one at the start."""
    assert turns_until_pause(LIE) == (4, "idle")


def test_a_liar_who_changes_nothing_from_the_start_is_paused_after_three_turns() -> None:
    story = Story(a_loop(limits=Limits(iterations=50), tree="tree-1"))
    for _ in range(3):
        story.turn(LIE, "tree-1", checks=RED, tool_calls=0)

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "idle")


def test_where_nobody_tells_the_tool_calls_a_claim_is_activity() -> None:
    assert turns_until_pause(LIE, tools=None) == (6, "stuck")


def test_a_busy_liar_is_stuck_after_six_turns() -> None:
    assert turns_until_pause(LIE, tools=3, changes=True) == (6, "stuck")


def test_who_changes_files_and_claims_no_end_gets_twice_as_long() -> None:
    assert turns_until_pause("on it", tools=3, changes=True) == (11, "stuck")
