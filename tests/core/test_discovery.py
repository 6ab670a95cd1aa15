"""The discovery policy: explore, work the backlog off, mend what breaks; and the ways it ends."""

import pytest

from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.discovery import events
from loopwright.core.limits import Limits, Streak
from tests.support.builders import (
    TREE,
    Story,
    a_discovery_loop,
    at_work,
    block,
    claim,
    cycle,
    edit_backlog,
    failed,
    order,
    passed,
    prompt,
    proof,
    session,
    turn,
    with_check,
)

GREEN = (with_check("tests pass", proof=proof("tests pass")),)
BROKEN = (with_check("tests pass", proof=proof("tests pass", fine=False)),)
MENDED, BREAKS = {"tests pass": True}, {"tests pass": False}


# --- What the next turn is for ---


@pytest.mark.parametrize(
    ("loop", "text", "mode"),
    [
        pytest.param(a_discovery_loop(), "", "exploration", id="nothing open: explore"),
        pytest.param(a_discovery_loop("a"), "", "exploitation", id="something open: work on it"),
        pytest.param(
            a_discovery_loop("fix menu (mobile)"),
            "",
            "exploitation",
            id="s9: an item with brackets is an item",
        ),
        pytest.param(
            a_discovery_loop("a", "b"),
            cycle("a"),
            "exploration",
            id="a cycle is complete, though items are left",
        ),
        pytest.param(
            a_discovery_loop("a"),
            cycle(),
            "exploration",
            id="a cycle that says nothing is complete too",
        ),
        pytest.param(
            a_discovery_loop("a"),
            cycle(found="b"),
            "exploration",
            id="a cycle of work that only found something",
        ),
        pytest.param(
            a_discovery_loop(),
            cycle(found="b"),
            "exploitation",
            id="an exploration that reports its finds",
        ),
        pytest.param(
            a_discovery_loop(),
            cycle("a", "b"),
            "exploration",
            id="an exploration that also fixed something",
        ),
        pytest.param(
            a_discovery_loop("a", backlog={"mode": "exploration"}),
            "",
            "exploitation",
            id="explored: now the work",
        ),
        pytest.param(
            a_discovery_loop("a", backlog={"done": ("z",)}),
            cycle("z"),
            "exploitation",
            id="an earlier cycle, said again",
        ),
        pytest.param(
            a_discovery_loop("a", "b", backlog={"task_mode": True}),
            cycle("a"),
            "exploitation",
            id="the next task",
        ),
        pytest.param(
            a_discovery_loop("a", backlog={"task_mode": True}),
            cycle("a"),
            "exploration",
            id="the last task is done",
        ),
        pytest.param(
            a_discovery_loop("a"),
            "I shall end with `<cycle_complete>`.",
            "exploitation",
            id="s4: the tag is quoted",
        ),
        pytest.param(
            a_discovery_loop("a"),
            f"```\n{cycle('a')}\n```",
            "exploitation",
            id="s31: the tag is in a fence",
        ),
    ],
)
def test_the_mode_of_the_next_turn(loop, text, mode):
    story = Story(loop)

    assert isinstance(story.turn(text, "tree-2"), Continue)
    assert story.loop.backlog.mode == mode
    assert story.loop.dialogue.turn_continued, "a person who speaks now interrupts"


def test_s4_one_cycle_is_not_complete_for_ever():
    story = Story(a_discovery_loop("a", "b"))
    at_work(story, cycle("a"), "looked round", "at work")

    assert [event.mode for event in story.events_of(events.ModeChosen)] == [
        "exploration",
        "exploitation",
        "exploitation",
    ]


def test_a_broken_guard_comes_before_everything_else():
    story = Story(a_discovery_loop("a", "b", criteria=GREEN))
    at_work(story, cycle("a", "c"), checks=BREAKS)
    assert (story.loop.backlog.mode, story.loop.backlog.items) == ("repair", ("b", "c")), (
        "what was found is kept"
    )

    at_work(story, "mended it", checks=MENDED)
    assert story.loop.backlog.mode == "exploration", "the cycle that was complete is not forgotten"


def test_guards_run_when_the_tree_changed_and_a_broken_one_at_every_stop():
    story = Story(a_discovery_loop("a", criteria=GREEN))
    ran = []
    for tree, fine in [
        (TREE, True),
        ("tree-2", True),
        ("tree-2", True),
        ("tree-3", False),
        ("tree-3", False),
        ("tree-3", True),
    ]:
        story.turn(tree=tree, checks={"tests pass": fine})
        ran.append(len(story.checks_run))

    assert ran == [0, 1, 1, 2, 3, 4], "nobody has to claim that a guard holds again"


def test_a_slow_guard_is_no_exception():
    slow = (with_check("tests pass", proof=proof("tests pass", seconds=900.0)),)

    assert isinstance(
        Story(a_discovery_loop("a", criteria=slow)).tell(turn(tree="tree-2")), RunCheck
    )


def test_a_guard_that_stays_broken_pauses_as_stuck():
    story = Story(a_discovery_loop("a", criteria=GREEN))
    said = at_work(story, *[cycle(found=f"item {n}") for n in range(6)], checks=BREAKS)

    assert [type(one) for one in said] == [Continue] * 5 + [Stop]
    assert story.loop.pause.cause == "stuck"


@pytest.mark.parametrize(
    ("outputs", "turns"),
    [
        pytest.param(["broken, 3 ms", "broken, 4 ms"], 6, id="the same but for a time"),
        pytest.param(["no such name", "no such file"], 11, id="another one each time"),
    ],
)
def test_a_guard_that_says_the_same_is_stuck_though_files_change(outputs: list[str], turns: int):
    guard = with_check("tests pass", proof=proof("tests pass", fine=False))
    story = Story(a_discovery_loop(criteria=(guard,), limits=Limits(iterations=30)))
    for number in range(1, 20):
        story.tell(turn(cycle(f"item {number}"), f"tree-{number}"))
        story.tell(failed("tests pass", detail=outputs[number % 2], failures=None, counts=()))
        if story.loop.status == "paused":
            break

    assert (number, story.loop.pause.cause) == (turns, "stuck")


def test_a_long_loop_with_whole_guards_is_never_stuck():
    story = Story(a_discovery_loop("a", criteria=GREEN))
    at_work(story, *["at work"] * 20, checks=MENDED)

    assert (story.loop.status, story.loop.streak.stuck) == ("running", 0)


# --- Dry ---


def test_three_explorations_that_find_nothing_finish_the_loop():
    story = Story(a_discovery_loop())
    said = at_work(story, "looked", "looked again", "and again")

    assert [type(one) for one in said] == [Continue, Continue, Stop]
    assert (story.loop.status, said[-1].reason, said[-1].verdict.proven) == (
        "finished",
        "complete",
        False,
    )
    assert said[-1].message.startswith(
        "[LOOP] ✓ Finished: 3 explorations in a row found nothing more to do."
    )


@pytest.mark.parametrize(
    ("criteria", "proven"),
    [
        pytest.param(GREEN, True, id="guards that hold on the last tree"),
        pytest.param((), False, id="no guards"),
        pytest.param(
            (Criterion("x", Check("make", allowed=False)),), False, id="a guard that may not run"
        ),
    ],
)
def test_a_finished_loop_is_proven_only_by_guards(criteria, proven):
    story = Story(a_discovery_loop(criteria=criteria, unproven=True))
    at_work(story, "", "", "", checks=MENDED)

    assert (story.loop.status, story.loop.verdict.proven) == ("finished", proven)


def test_a_guard_that_fails_when_it_is_run_again_at_the_end_is_repaired():
    story = Story(a_discovery_loop(guards=("tests pass",), streak=Streak(dry=1)))
    story.tell(turn("a look", "tree-2"))
    story.tell(passed("tests pass"))
    story.tell(turn("one more look", "tree-2"))

    story.tell(failed("tests pass"))

    assert (story.loop.status, story.loop.backlog.mode) == ("running", "repair")


@pytest.mark.parametrize("dry", [2, 3])
def test_what_the_guards_proved_on_an_older_tree_finishes_nothing(dry):
    story = Story(a_discovery_loop(criteria=GREEN, streak=Streak(dry=dry)))

    at_work(story, "one more look", checks=BREAKS)

    assert (story.loop.status, story.loop.backlog.mode, story.loop.streak.dry) == (
        "running",
        "repair",
        dry,
    )


@pytest.mark.parametrize(
    ("between", "text"),
    [
        pytest.param(edit_backlog(found=("b",)), "", id="found by command, or in the page"),
        pytest.param(edit_backlog(done=("b",)), "", id="done by command"),
        pytest.param(edit_backlog(), cycle(found="b"), id="found in the cycle"),
        pytest.param(edit_backlog(), cycle("b"), id="found and fixed in one go"),
    ],
)
def test_s27_vector_12_what_the_third_exploration_finds_is_not_thrown_away(between, text):
    story = Story(a_discovery_loop(streak=Streak(dry=2)))

    assert isinstance(story.tell(between, turn(text, "tree-2")), Continue)
    assert story.loop.streak.dry == 0


def test_an_exploration_beside_open_items_is_not_dry():
    story = Story(a_discovery_loop("a", backlog={"mode": "exploration"}, streak=Streak(dry=2)))

    at_work(story, "found nothing else")

    assert (story.loop.status, story.loop.streak.dry) == ("running", 0), "there is work to do"


def test_dry_explorations_count_in_a_row_only():
    story = Story(a_discovery_loop())
    at_work(story, "", "", cycle(found="a"), cycle("a"), "", "")

    assert (story.loop.status, story.loop.streak.dry) == ("running", 2)


def test_a_turn_of_mending_is_no_exploration():
    story = Story(a_discovery_loop(criteria=GREEN, streak=Streak(dry=2)))
    at_work(story, "", checks=BREAKS)
    at_work(story, "mended", checks=MENDED)
    assert (story.loop.status, story.loop.streak.dry) == ("running", 2)

    at_work(story, "looked", checks=MENDED)
    assert story.loop.status == "finished"


def test_the_first_turn_of_a_loop_that_begins_broken_is_no_exploration():
    story = Story(a_discovery_loop(criteria=BROKEN, backlog={"mode": "repair"}))

    at_work(story, "mended", checks=MENDED)

    assert story.loop.streak.dry == 0, "it was told to mend"


@pytest.mark.parametrize(
    "limits", [Limits(iterations=1), Limits(dollars=1.0), Limits(minutes=0.1), Limits(idle=1)]
)
def test_c19_the_turn_is_evaluated_before_the_limits(limits):
    story = Story(a_discovery_loop(streak=Streak(dry=2), limits=limits))

    assert story.turn(dollars=2.0).reason == "complete"


# --- Strangers, questions, other ends ---


def test_s18_another_session_is_left_alone_and_told_once():
    story = Story(a_discovery_loop("a"))
    said = [story.tell(turn(cycle("a"), "tree-2", session="s2")) for _ in range(2)]

    assert "Take it over" in said[0].message
    assert said[1] == Stop()
    assert story.loop.but(
        dialogue=story.loop.dialogue.but(foreign_sessions=())
    ) == a_discovery_loop("a")


def test_s25_a_question_is_let_through_to_the_person():
    story = Story(a_discovery_loop("a"))

    assert isinstance(story.turn(block({}, "ASK: which colour?")), Ask)
    assert "The person says: red" in story.tell(prompt("red")).prompt
    assert story.loop.status == "running"


def test_blocked_pauses_and_says_why():
    story = Story(a_discovery_loop("a"))

    assert (
        "the agent says it is blocked: no network"
        in story.turn(block({}, "BLOCKED: no network")).message
    )
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "blocked")


@pytest.mark.parametrize(
    "line", ["ASK: which colour?", "BLOCKED: no network", "MUST_NOT: touch the API"]
)
def test_what_was_found_and_done_before_a_question_is_kept(line):
    story = Story(a_discovery_loop("a"))

    story.turn(f"{cycle('a', 'b')}\n{block({}, line)}")

    assert (story.loop.backlog.items, story.loop.backlog.done) == (("b",), ("a",))


@pytest.mark.parametrize(
    "said", ["<loop-complete>", block({}, exit=True)], ids=["the tag", "the block"]
)
def test_there_is_no_done_to_claim(said):
    story = Story(a_discovery_loop("a", criteria=GREEN))
    story.tell(claim(exit=True))

    assert isinstance(story.turn(said, "tree-2", checks=MENDED), Continue)
    assert not story.loop.exit_claimed


def test_cancel_reports_and_nothing_follows():
    story = Story(a_discovery_loop("a", backlog={"found_count": 3, "fixed_count": 2}))
    said = story.tell(order("cancel"))

    assert said.message.splitlines()[:3] == [
        "Loop cancelled.",
        "Scope was: polish the settings page",
        "Final stats: 3 found, 2 fixed, 1 open | 0 iterations, $0.00",
    ]
    assert story.tell(turn(cycle("a")), edit_backlog(found=("b",)), session("start")) == Stop()
    assert story.latest == ()
