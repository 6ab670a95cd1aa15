"""Idle: a turn of a discovery loop that changed nothing; and how it goes on after a pause."""

import pytest

from loopwright.core.directives import Continue, Stop
from loopwright.core.discovery.backlog import DISCOVERY_LIMITS
from loopwright.core.limits import Streak
from tests.support.builders import (
    Story,
    a_discovery_loop,
    answer,
    at_work,
    block,
    claim,
    cycle,
    edit_backlog,
    mirror_lost,
    order,
    turn,
)
from tests.support.night import Night


def test_vector_11_five_stops_without_a_change_pause_and_are_said_once():
    story = Story(a_discovery_loop("a"))
    said = [story.turn("I wonder") for _ in range(7)]

    assert [type(one) for one in said[:5]] == [Continue] * 4 + [Stop]
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "idle")
    assert said[4].message.startswith(
        "[LOOP] ⏸ Paused: 5 idle turns: no file, commit, backlog item, focus or note has changed\n"
    )
    assert said[5:] == [Stop(), Stop()], "later stops are silent"


CHANGES = [
    pytest.param({"tree": "tree-2"}, edit_backlog(), id="s2: a file, tracked or not"),
    pytest.param({"head": "another"}, edit_backlog(), id="s2: a commit, or something staged"),
    pytest.param({"text": cycle("a")}, edit_backlog(), id="something done in the cycle"),
    pytest.param({"text": cycle(found="c")}, edit_backlog(), id="something found in the cycle"),
    pytest.param({}, edit_backlog(found=("c",)), id="s1: an item added"),
    pytest.param({}, edit_backlog(done=("a",)), id="s1: an item done"),
    pytest.param({}, edit_backlog(dropped=("a",)), id="s1: an item taken out"),
    pytest.param({}, edit_backlog(item_order=("b", "a")), id="s1: items arranged"),
    pytest.param({}, edit_backlog(focus="the look of it"), id="s1: a focus"),
    pytest.param({}, edit_backlog(notes="the colours are in tokens.css"), id="s1: the notes"),
    pytest.param(
        {}, edit_backlog(new_note="the colours are in tokens.css"), id="s1: one more note"
    ),
]


@pytest.mark.parametrize(("facts", "between"), CHANGES)
def test_s28_a_change_in_the_last_moment_is_not_idle(facts, between):
    story = Story(a_discovery_loop("a", "b", streak=Streak(idle=4)))

    assert isinstance(story.tell(between, turn(**facts)), Continue)
    assert story.loop.streak.idle == 0


@pytest.mark.parametrize(
    ("facts", "between"),
    [
        pytest.param({"tool_calls": 9}, edit_backlog(), id="tools that changed nothing"),
        pytest.param(
            {"text": cycle("z", "a")}, edit_backlog(), id="a cycle that says what is known"
        ),
        pytest.param(
            {},
            edit_backlog(tampered_fields=("max_iterations",)),
            id="numbers that are not the agent's to write",
        ),
        pytest.param({}, claim({"x": True}, exit=True), id="a claim"),
    ],
)
def test_all_else_is_idle(facts, between):
    story = Story(a_discovery_loop("a", backlog={"done": ("z",)}, streak=Streak(idle=1)))

    story.tell(between, turn(**facts))

    assert story.loop.streak.idle == 2


@pytest.mark.parametrize(("tools", "idle"), [(1, 0), (0, 2), (None, 2)])
def test_where_no_tree_can_be_told_a_tool_is_a_sign_of_life(tools, idle):
    story = Story(a_discovery_loop("a", tree="", streak=Streak(idle=1)))

    story.turn(tree="", tool_calls=tools)

    assert story.loop.streak.idle == idle


def test_a_change_in_a_turn_that_ended_with_a_question_is_a_change():
    story = Story(a_discovery_loop("a", streak=Streak(idle=4)))
    story.turn(block({}, "ASK: which colour?"), "tree-2")
    story.tell(answer("red"))

    assert isinstance(story.turn("red it is", "tree-2"), Continue), (
        "five in a row are idle, and no fewer"
    )


# --- Going on after a pause ---


def test_after_idle_a_go_on_begins_the_count_anew():
    story = Story(a_discovery_loop("a", streak=Streak(idle=4)))
    story.turn()
    assert isinstance(story.tell(order("continue")), Continue)

    assert [type(story.turn()) for _ in range(5)] == [Continue] * 4 + [Stop]


def test_s7_the_last_iteration_is_said_and_only_a_raise_goes_on():
    story = Story(a_discovery_loop("a", limits=DISCOVERY_LIMITS.but(iterations=2)))
    said = at_work(story, "", "")[-1]
    assert said.message == (
        "[LOOP] ⏸ Paused: iteration limit of 2 reached\n"
        "Scope was: polish the settings page\n"
        "Final stats: 0 found, 0 fixed, 1 open | 2 iterations, $0.00\n"
        "Guards: none\n"
        "Look: `loop why`. Resume: `loop continue --iterations=10`"
    )
    assert "Raise it" in story.tell(order("continue")).message

    assert isinstance(story.tell(order("continue", iterations=1)), Continue)
    assert story.turn(tree="tree-9").reason == "iteration limit of 3 reached"


def test_a_page_that_was_deleted_pauses_and_nothing_is_forgotten():
    story = Story(a_discovery_loop("a", backlog={"done": ("z",), "notes": "x"}))
    before = story.loop.backlog
    said = story.tell(mirror_lost("deleted"), turn(tree="tree-2"))
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "person")
    assert "deleted by hand" in said.message

    assert isinstance(story.tell(order("continue")), Continue)
    assert story.loop.backlog == before


def test_what_is_tended_during_a_pause_counts_for_the_turn_after_it():
    story = Story(a_discovery_loop(streak=Streak(dry=2)))
    story.tell(order("pause"))
    story.tell(edit_backlog(found=("a",)))
    story.tell(order("continue"))

    at_work(story, "at work")

    assert (story.loop.status, story.loop.backlog.mode) == ("running", "exploitation")


def test_a_hang_is_not_called_talk():
    night = Night()
    for _ in range(3):
        last = night.whole_turn(
            cut_reason="claude hangs: it printed nothing for 15 min", tool_calls=0
        )

    assert isinstance(last, Stop)
    assert (night.loop.pause.cause, night.loop.pause.why) == (
        "idle",
        "3 turns in a row did nothing; the last was cut off: "
        "claude hangs: it printed nothing for 15 min",
    )
