"""Tending the backlog: by command, in the page, at the end of a cycle; and one item a cycle in task mode."""

import pytest

from loopwright.core import events as ev
from loopwright.core.directives import Stop
from loopwright.core.discovery import backlog as bl
from tests.support.builders import (
    Story,
    a_discovery_loop,
    a_loop_without_checks,
    at_work,
    cycle,
    edit_backlog,
    turn,
)

ONE_TASK = {"task_mode": True}


# --- Cycles and tending ---


def test_a_cycle_moves_what_is_done_and_keeps_what_is_found():
    story = Story(
        a_discovery_loop("the menu overlaps on small screens", "b", backlog={"done": ("z",)})
    )

    at_work(story, cycle("The menu overlaps; c", "d; B.; z; d"))

    b = story.loop.backlog
    assert (b.items, b.done) == (("b", "d"), ("z", "the menu overlaps on small screens", "c"))
    assert (b.found_count, b.fixed_count) == (2, 2), (
        "each once, nothing that is known; c was found and fixed in one go"
    )


def test_a_cycle_that_names_none_of_the_open_items_leaves_them_open():
    story = Story(a_discovery_loop("a", "b"))

    at_work(story, cycle("something else"))

    assert (story.loop.backlog.items, story.loop.backlog.done) == (("a", "b"), ("something else",))


def test_what_a_cycle_both_found_and_fixed_is_done():
    story = Story(a_discovery_loop("a"))

    at_work(story, cycle("a typo", "a typo"))

    assert (story.loop.backlog.items, story.loop.backlog.done) == (("a",), ("a typo",))


def test_a_cycle_that_is_said_once_more_is_no_other_cycle():
    story = Story(a_discovery_loop("a", "b", "c", backlog=ONE_TASK))
    at_work(story, cycle("a", "d"), f"As I said:\n{cycle('a', 'd')}")

    assert (story.loop.backlog.items, story.loop.backlog.done) == (("b", "c", "d"), ("a",))


def test_an_edit_of_the_page_is_taken_as_a_whole():
    story = Story(a_discovery_loop("a", "b", "c", backlog={"done": ("z",)}))
    said = edit_backlog(
        found=("d", "z"),
        done=("b",),
        dropped=("c",),
        item_order=("d", "z", "a"),
        focus="d",
        notes="- x",
        new_note="y",
    )

    assert story.tell(said) == Stop()

    b = story.loop.backlog
    assert (b.items, b.done, b.focus, b.notes, b.added_notes) == (
        ("d", "z", "a"),
        ("b",),
        "d",
        "- x",
        ("y",),
    )
    assert (b.found_count, b.fixed_count) == (2, 1)


def test_what_the_page_shows_in_place_of_the_focus_does_not_become_the_focus():
    story = Story(a_discovery_loop("a", "b", backlog={"task_mode": True}))

    story.tell(edit_backlog(focus="a\nthe colours"))

    assert story.loop.backlog.focus == "the colours"


def test_a_line_that_is_written_into_completed_finishes_no_other_that_reads_alike():
    story = Story(a_discovery_loop("fix the menu on mobile"))

    story.tell(edit_backlog(done=("fix the menu",)))

    assert story.loop.backlog.items == ("fix the menu on mobile",)


def test_numbers_that_were_tampered_with_are_said_and_put_back():
    story = Story(a_discovery_loop("a"))

    assert story.tell(edit_backlog(tampered_fields=("max_iterations", "iteration"))).message == (
        "[LOOP] .claude/loop-state.local.md was edited where it is not the agent's to write: max_iterations, iteration. Put back."
    )
    assert story.latest == (ev.TamperingSeen(("max_iterations", "iteration")),)


def test_a_backlog_that_is_full_takes_no_more():
    story = Story(a_discovery_loop(*(f"item {n}" for n in range(bl.MAX_ITEMS - 1))))

    story.tell(edit_backlog(found=("x", "y")))

    assert story.loop.backlog.items[-2:] == (f"item {bl.MAX_ITEMS - 2}", "x")
    assert story.loop.backlog.found_count == 1


def test_an_item_can_be_done_however_many_are_done_already():
    story = Story(
        a_discovery_loop("a", backlog={"done": tuple(f"item {n}" for n in range(bl.MAX_DONE))})
    )

    at_work(story, cycle("a"))

    assert story.loop.backlog.items == ()
    assert len(story.loop.backlog.done) <= bl.MAX_DONE


def test_a_loop_with_a_spec_has_no_backlog_to_tend():
    story = Story(a_loop_without_checks("a"))

    assert story.tell(edit_backlog(found=("x",), new_note="y")) == Stop()
    assert story.latest == ()


NO_NEWS = [
    pytest.param(edit_backlog(found=("A.",)), id="an item that is open already"),
    pytest.param(edit_backlog(done=("Z",)), id="an item that is done already"),
    pytest.param(edit_backlog(dropped=("y",)), id="an item that is not there"),
    pytest.param(edit_backlog(item_order=("a", "b")), id="the order it has"),
    pytest.param(edit_backlog(focus="all of b"), id="the focus it has"),
    pytest.param(edit_backlog(notes="- x"), id="the notes it has"),
    pytest.param(edit_backlog(new_note="jotted down"), id="a note that is taken already"),
    pytest.param(edit_backlog(), id="nothing"),
]


@pytest.mark.parametrize("between", NO_NEWS)
@pytest.mark.parametrize("task_mode", [False, True], ids=["any item", "one task"])
def test_what_is_said_again_is_no_news(task_mode, between):
    known = {
        "done": ("z",),
        "focus": "all of b",
        "notes": "- x",
        "added_notes": ("jotted down",),
        "task_mode": task_mode,
    }
    story = Story(a_discovery_loop("a", "b", backlog=known))

    assert story.tell(between) == Stop()
    assert story.latest == ()


# --- Task mode: one item a cycle ---


def test_one_task_after_the_other():
    story = Story(a_discovery_loop("a", "b", "c", backlog=ONE_TASK))
    seen = []
    for text in ("at work", cycle("what you asked for"), "at work", cycle(), cycle("c")):
        at_work(story, text)
        seen.append((story.loop.backlog.next_item, story.loop.backlog.task_since))

    assert seen == [("a", 1), ("b", 3), ("b", 3), ("c", 5), ("explore", 6)]
    assert story.loop.backlog.done == ("a", "b", "c"), (
        "under their own names, whatever the agent calls them"
    )


def test_a_cycle_that_names_another_open_item_finishes_that_one():
    story = Story(a_discovery_loop("a", "the footer is too dark", backlog=ONE_TASK))

    at_work(story, cycle("the footer is too dark."))

    assert (story.loop.backlog.items, story.loop.backlog.done) == (
        ("a",),
        ("the footer is too dark",),
    )


def test_an_exploration_has_no_task_to_finish():
    story = Story(a_discovery_loop(backlog=ONE_TASK))

    story.tell(edit_backlog(found=("a", "b")), turn(cycle(found="c"), "tree-2"))

    assert (story.loop.backlog.items, story.loop.backlog.fixed_count) == (("a", "b", "c"), 0), (
        "found is not done"
    )
