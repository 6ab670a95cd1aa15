"""The backlog: what an item is, when two are the same, and what each event makes of it."""

import pytest

from loopwright.core.discovery import backlog as bl
from loopwright.core.discovery import events
from loopwright.core.discovery.backlog import (
    Backlog,
    item_key,
    item_text,
    items_in_order,
    matching_item,
    unique_items,
)
from loopwright.core.limits import Spend
from loopwright.core.record import KINDS_BY_MODULE
from tests.support.builders import a_discovery_loop

# --- What an item is ---


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("fix the menu", "fix the menu", id="plain"),
        pytest.param("- fix the menu", "fix the menu", id="a bullet"),
        pytest.param("* fix the menu", "fix the menu", id="a star"),
        pytest.param("+ fix the menu", "fix the menu", id="a plus"),
        pytest.param("- [ ] fix the menu", "fix the menu", id="an empty box"),
        pytest.param("- [x] fix the menu", "fix the menu", id="a ticked box"),
        pytest.param("[X] fix the menu", "fix the menu", id="a box without a bullet"),
        pytest.param("  fix \t the\r\n menu  ", "fix the menu", id="all on one line, spaced once"),
        pytest.param(
            "fix\x00 the\x1b[2J menu\u2028", "fix the [2J menu", id="no letters that cannot be seen"
        ),
        pytest.param("-fix", "-fix", id="a minus is no bullet"),
        pytest.param("[x]fix", "[x]fix", id="nor is this a box"),
        pytest.param("fix <!-- not --> the menu", "fix < !-- not -- > the menu", id="no comment"),
        pytest.param("- fix menu (mobile)", "fix menu (mobile)", id="s9: brackets are part of it"),
        pytest.param("", "", id="nothing"),
        pytest.param("-", "", id="a bullet alone"),
        pytest.param("- [ ]", "", id="a box alone"),
        pytest.param("日本語 ✓", "日本語 ✓", id="any letters"),
    ],
)
def test_an_item_is_one_clean_line(said, text):
    assert item_text(said) == text


def test_an_item_is_no_longer_than_a_line_of_the_page_can_be():
    assert len(item_text("x" * 10_000)) == bl.MAX_TEXT


# --- When two are the same ---


@pytest.mark.parametrize(
    "other",
    ["fix the menu", "Fix the Menu", " fix  the\tmenu ", "fix the menu.", "FIX THE MENU . ."],
)
def test_the_same_item_however_it_is_spelled(other):
    assert item_key(other) == item_key("fix the menu")


@pytest.mark.parametrize(
    "other", ["fix the menu!", "fix the menus", "fix menu", "(fix the menu)", ""]
)
def test_another_item(other):
    assert item_key(other) != item_key("fix the menu")


def test_each_item_once_as_it_was_first_spelled():
    assert unique_items(("- fix the menu", "Fix the menu.", "", "  ", "a typo")) == (
        "fix the menu",
        "a typo",
    )


OPEN = ("fix the menu on mobile", "fix the footer", "tab")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        pytest.param("fix the footer", "fix the footer", id="the same words"),
        pytest.param("Fix the footer.", "fix the footer", id="spelled otherwise"),
        pytest.param("the menu on mobile", "fix the menu on mobile", id="a part of it"),
        pytest.param("fix the footer, which was too dark", "fix the footer", id="more than it"),
        pytest.param("fix the", "", id="a part of two"),
        pytest.param("tab", "tab", id="a short one, whole"),
        pytest.param("menu", "", id="too short to be sure"),
        pytest.param("the header", "", id="none of them"),
        pytest.param("stabilise the tests", "", id="letters inside of another word"),
        pytest.param(
            "close the tab on Escape", "", id="more than one that is too short to be sure"
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_item_that_is_meant(said, meant):
    assert matching_item(said, OPEN) == meant


def test_the_same_words_come_before_a_part():
    assert (
        matching_item("fix the menu", ("fix the menu on mobile", "fix the menu")) == "fix the menu"
    )


@pytest.mark.parametrize(
    ("order", "items"),
    [
        pytest.param(("c", "a", "b"), ("c", "a", "b"), id="all of them"),
        pytest.param(("c",), ("c", "a", "b"), id="what is not named comes last, as it was"),
        pytest.param(
            ("C.", "x", "B"), ("c", "b", "a"), id="spelled otherwise, and one that is not there"
        ),
        pytest.param((), ("a", "b", "c"), id="no order"),
    ],
)
def test_arranged(order, items):
    assert items_in_order(("a", "b", "c"), order) == items


# --- What each event makes of it. The loop has had three iterations: what happens now happens in the fourth. ---


def before(**changes):
    return a_discovery_loop(
        "a", "b", backlog={"done": ("z",), **changes}, spend=Spend(iterations=3)
    )


@pytest.mark.parametrize(
    ("event", "had", "changed"),
    [
        pytest.param(
            events.ItemsFound(("c", "d")),
            {},
            {
                "items": ("a", "b", "c", "d"),
                "found_count": 2,
                "yield_since_stop": 2,
                "changed_since_stop": True,
            },
            id="found",
        ),
        pytest.param(
            events.ItemsFound(("Z",)),
            {},
            {
                "items": ("a", "b", "Z"),
                "done": (),
                "found_count": 1,
                "yield_since_stop": 1,
                "changed_since_stop": True,
            },
            id="opened again",
        ),
        pytest.param(
            events.ItemsDone(("b",)),
            {},
            {
                "items": ("a",),
                "done": ("z", "b"),
                "fixed_count": 1,
                "yield_since_stop": 1,
                "changed_since_stop": True,
            },
            id="done",
        ),
        pytest.param(
            events.ItemsDone(("a",)),
            {},
            {
                "items": ("b",),
                "done": ("z", "a"),
                "fixed_count": 1,
                "yield_since_stop": 1,
                "changed_since_stop": True,
                "task_since": 4,
            },
            id="the first one done: another task begins",
        ),
        pytest.param(
            events.ItemsDone(("x",)),
            {},
            {
                "done": ("z", "x"),
                "fixed_count": 1,
                "yield_since_stop": 1,
                "changed_since_stop": True,
            },
            id="done without ever having been open",
        ),
        pytest.param(
            events.ItemsDone(("b",)),
            {"focus": "B."},
            {
                "items": ("a",),
                "done": ("z", "b"),
                "fixed_count": 1,
                "yield_since_stop": 1,
                "changed_since_stop": True,
                "focus": "",
            },
            id="the focus done: it is free again",
        ),
        pytest.param(
            events.ItemsDropped(("b",)),
            {},
            {"items": ("a",), "changed_since_stop": True},
            id="dropped",
        ),
        pytest.param(
            events.ItemsDropped(("z",)),
            {},
            {"done": (), "changed_since_stop": True},
            id="a done one dropped",
        ),
        pytest.param(
            events.ItemsDropped(("a",)),
            {},
            {"items": ("b",), "changed_since_stop": True, "task_since": 4},
            id="the first one dropped",
        ),
        pytest.param(
            events.ItemsDropped(("b",)),
            {"focus": "b"},
            {"items": ("a",), "changed_since_stop": True, "focus": ""},
            id="the focus dropped",
        ),
        pytest.param(
            events.ItemsReordered(("b", "a")),
            {},
            {"items": ("b", "a"), "changed_since_stop": True, "task_since": 4},
            id="ordered",
        ),
        pytest.param(
            events.FocusSet("the b"), {}, {"focus": "the b", "changed_since_stop": True}, id="focus"
        ),
        pytest.param(
            events.NotesReplaced("new"),
            {"notes": "old", "added_notes": ("x",)},
            {"notes": "new", "added_notes": (), "changed_since_stop": True},
            id="notes",
        ),
        pytest.param(
            events.NoteAdded("y"),
            {"added_notes": ("x",)},
            {"added_notes": ("x", "y"), "changed_since_stop": True},
            id="a note",
        ),
        pytest.param(events.CycleCompleted(), {}, {"cycle_completed": True}, id="a cycle"),
        pytest.param(
            events.ModeChosen("repair"),
            {},
            {"mode": "repair", "mode_since": 4, "recent_sizes": (2,)},
            id="another mode, since this iteration",
        ),
        pytest.param(
            events.ModeChosen("exploitation"),
            {
                "changed_since_stop": True,
                "yield_since_stop": 3,
                "cycle_completed": True,
                "mode_since": 2,
                "recent_sizes": (9,),
            },
            {
                "changed_since_stop": False,
                "yield_since_stop": 0,
                "cycle_completed": False,
                "recent_sizes": (9, 2),
            },
            id="the same mode: all counts of the turn begin anew",
        ),
    ],
)
def test_what_each_event_changes_and_nothing_else(event, had, changed):
    loop = before(**had)

    assert event.apply(loop) == loop.but(backlog=loop.backlog.but(**changed))


def test_every_event_of_a_backlog_is_in_the_table_above():
    rows = test_what_each_event_changes_and_nothing_else.pytestmark[0].args[1]

    kinds = {type(row.values[0]).__name__ for row in rows}
    assert kinds == set(KINDS_BY_MODULE["discovery.events"].split())


def test_the_first_item_found_is_a_task_since_then():
    found = events.ItemsFound(("c",)).apply(before(items=(), task_since=2)).backlog

    assert (found.items, found.task_since) == (("c",), 4)


def test_only_the_sizes_of_the_last_stops_are_kept():
    sizes = (
        events.ModeChosen("exploitation")
        .apply(before(recent_sizes=tuple(range(bl.MAX_SIZES))))
        .backlog.recent_sizes
    )

    assert (len(sizes), sizes[0], sizes[-1]) == (bl.MAX_SIZES, 1, 2)


# --- What it says of itself ---


@pytest.mark.parametrize(
    ("items", "held", "worked_on"),
    [
        pytest.param(("a", "b"), {}, "a", id="the first item"),
        pytest.param(("a", "b"), {"focus": "all of b"}, "all of b", id="the focus"),
        pytest.param(
            ("a", "b"), {"focus": "b", "task_mode": True}, "a", id="in task mode the first item"
        ),
        pytest.param((), {}, "explore", id="nothing open"),
        pytest.param(
            ("a", "b"), {"mode": "exploration"}, "explore", id="to explore, though items are open"
        ),
        pytest.param(
            ("a",),
            {"mode": "exploration"},
            "explore",
            id="to explore, though something was found already",
        ),
        pytest.param(
            (),
            {"mode": "exploitation", "focus": "the look of it"},
            "explore",
            id="the last item was taken out",
        ),
        pytest.param(
            (), {"focus": "b", "task_mode": True}, "explore", id="in task mode, nothing open"
        ),
    ],
)
def test_what_is_worked_on(items, held, worked_on):
    assert a_discovery_loop(*items, backlog=held).backlog.next_item == worked_on


@pytest.mark.parametrize(("text", "known"), [("A.", True), ("z", True), ("y", False)])
def test_an_item_is_known_whether_it_is_open_or_done(text, known):
    assert Backlog(items=("a",), done=("Z",)).has_item(text) is known


def test_the_tally():
    assert Backlog(found_count=5, fixed_count=2).tally == "5 found, 2 fixed"
