"""Breakers: each trips exactly at its limit and not before."""

import pytest

from loopwright.core import events as ev
from loopwright.core.directives import Continue, RunCheck, Stop
from loopwright.core.limits import Limits, Spend, Streak, price_of
from loopwright.core.pausing import breakers
from loopwright.core.prices import PRICES
from loopwright.core.proof.state import CheckRound
from loopwright.core.signals import Ordered, ToolOutcome
from tests.support.builders import (
    Story,
    a_loop,
    a_loop_without_checks,
    block,
    failed,
    passed,
    prompt,
    turn,
    with_check,
)


@pytest.mark.parametrize(
    ("loop", "breaker"),
    [
        pytest.param(a_loop(), None, id="a fresh loop is fine"),
        pytest.param(a_loop(streak=Streak(stuck=4)), None, id="stuck four times is still fine"),
        pytest.param(a_loop(streak=Streak(stuck=5)), "stuck", id="stuck five times"),
        pytest.param(
            a_loop(criteria=(), streak=Streak(stuck=5)), None, id="stuck on nothing is not stuck"
        ),
        pytest.param(a_loop(streak=Streak(same_error=2)), None, id="the same error twice"),
        pytest.param(
            a_loop(streak=Streak(same_error=3)), "same-error", id="the same error three times"
        ),
        pytest.param(a_loop(streak=Streak(same_file=4)), None, id="four edits of a file"),
        pytest.param(a_loop(streak=Streak(same_file=5)), "same-file", id="five edits of a file"),
        pytest.param(a_loop(streak=Streak(idle=2)), None, id="two turns of talk"),
        pytest.param(a_loop(streak=Streak(idle=3)), "idle", id="three turns of talk"),
        pytest.param(
            a_loop(streak=Streak(toolless=8, toolless_cap=8)),
            None,
            id="as many answers without a tool as the client takes",
        ),
        pytest.param(
            a_loop(streak=Streak(held=6, hold_cap=7, host="copilot")),
            None,
            id="one hold is left before the cap of the client",
        ),
        pytest.param(
            a_loop(streak=Streak(held=7, hold_cap=7, host="copilot")),
            "cap",
            id="the client would ignore the next hold",
        ),
        pytest.param(
            a_loop(streak=Streak(held=1, hold_cap=1, host="copilot")),
            "cap",
            id="the client takes one hold",
        ),
        pytest.param(
            a_loop(streak=Streak(toolless=9, toolless_cap=8)),
            "cap",
            id="one more than the client takes",
        ),
        pytest.param(
            a_loop(streak=Streak(toolless=2, toolless_cap=1)),
            "cap",
            id="a client that takes only one",
        ),
        pytest.param(a_loop(streak=Streak(toolless=99)), None, id="a client without a cap"),
        pytest.param(a_loop(streak=Streak(transient=1)), None, id="one passing fault"),
        pytest.param(a_loop(streak=Streak(transient=2)), "transient", id="two passing faults"),
        pytest.param(
            a_loop(streak=Streak(blocking_error="blocked by x")), "trouble", id="a blocking error"
        ),
        pytest.param(a_loop(spend=Spend(dollars=24.99)), None, id="a cent below the budget"),
        pytest.param(a_loop(spend=Spend(dollars=25.0)), "budget", id="the budget"),
        pytest.param(a_loop(spend=Spend(iterations=9)), None, id="nine iterations"),
        pytest.param(a_loop(spend=Spend(iterations=10)), "iterations", id="ten iterations"),
        pytest.param(a_loop(spend=Spend(seconds=14_399)), None, id="a second below four hours"),
        pytest.param(a_loop(spend=Spend(seconds=14_400)), "clock", id="four hours"),
        pytest.param(
            a_loop(streak=Streak(stuck=5, idle=3), spend=Spend(dollars=99)),
            "stuck",
            id="the first in the table wins",
        ),
    ],
)
def test_tripped(loop, breaker):
    found = breakers.tripped(loop)

    assert (found and found[0]) == breaker


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        pytest.param(
            a_loop(streak=Streak(stuck=5)),
            "circuit breaker triggered after 5 stuck iterations",
            id="stuck",
        ),
        pytest.param(
            a_loop(streak=Streak(same_error=3, error_text="boom")),
            "the same error 3 times in a row: boom",
            id="same error",
        ),
        pytest.param(
            a_loop(streak=Streak(same_file=5, most_edited_file="a.py")),
            "a.py edited 5 times in one iteration, likely thrashing",
            id="same file",
        ),
        pytest.param(
            a_loop(streak=Streak(idle=3)),
            "3 turns of talk: no tool used, no file changed, nothing claimed that holds",
            id="idle",
        ),
        pytest.param(
            a_loop(spend=Spend(dollars=26.5)), "budget of $25 reached ($26.50 spent)", id="budget"
        ),
        pytest.param(
            a_loop(spend=Spend(iterations=10)), "iteration limit of 10 reached", id="iterations"
        ),
        pytest.param(
            a_loop(spend=Spend(seconds=14_400)), "time limit of 240 minutes reached", id="clock"
        ),
    ],
)
def test_every_breaker_says_why(loop, why):
    assert breakers.tripped(loop)[1] == why


def test_pausing_is_journaled_said_and_names_the_way_on():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=1)))

    directive = story.tell(turn())

    assert directive.message == (
        "[LOOP] ⏸ Paused: iteration limit of 1 reached\n"
        "Progress: 0 steps complete, 0 remaining\n"
        "Look: `loop why`. Resume: `loop continue --iterations=10`"
    )
    assert [type(event) for event in story.latest[-2:]] == [ev.BreakerTripped, ev.LoopPaused]


# --- Stuck ---


def stuck_counts(*rounds: dict[str, bool]) -> list[int]:
    """The stuck counter after each round of checks, every round on a tree of its own."""
    story = Story(
        a_loop(criteria=tuple(map(with_check, rounds[0])), limits=Limits(iterations=50, stuck=99))
    )
    counts = []
    for number, checks in enumerate(rounds):
        story.turn(tree=f"tree-{number}", checks=checks)
        counts.append(story.loop.streak.stuck)
    return counts


@pytest.mark.parametrize(
    ("rounds", "counts"),
    [
        pytest.param(
            [{"a": False}] * 6, [0, 1, 2, 3, 4, 5], id="unmet a five further times is five"
        ),
        pytest.param(
            [{"a": False, "b": True}, {"a": False, "b": True}, {"a": True, "b": False}],
            [0, 1, 0],
            id="another set is progress",
        ),
        pytest.param(
            [{"a": False, "b": False}, {"a": False, "b": False}, {"a": True, "b": False}],
            [0, 1, 0],
            id="a smaller set is progress",
        ),
        pytest.param(
            [{"a": True, "b": False}, {"a": False, "b": True}] * 4,
            [0, 0, 1, 2, 3, 4, 5, 6],
            id="going to and fro is stuck",
        ),
        pytest.param(
            [
                {"a": False, "b": False},
                {"a": True, "b": False},
                {"a": False, "b": False},
                {"a": True, "b": False},
            ],
            [0, 0, 1, 0],
            id="shrinking again is progress again",
        ),
    ],
)
def test_vector_4_stuck_is_counted_on_the_set_of_unmet_criteria(rounds, counts):
    assert stuck_counts(*rounds) == counts


def test_a_set_that_equals_none_of_the_last_six_is_new():
    seen = tuple((f"set {n}",) for n in range(5))
    recent = Story(a_loop_without_checks("a", streak=Streak(unmet=(("a",), *seen), stuck=1)))
    older = Story(
        a_loop_without_checks("a", streak=Streak(unmet=(("a",), *seen, ("set 5",))[-6:], stuck=1))
    )

    recent.tell(turn(tree=recent.loop.tree))
    older.tell(turn(tree=older.loop.tree))

    assert (recent.loop.streak.stuck, older.loop.streak.stuck) == (2, 0)


def test_only_six_sets_are_remembered():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=50, stuck=99)))
    for number in range(9):
        story.turn(tree=f"tree-{number}")

    assert story.loop.streak.unmet == (("a",),) * 6


def test_a_finished_step_is_progress():
    story = Story(a_loop_without_checks("a", streak=Streak(unmet=(("a",),), stuck=4)))

    assert isinstance(story.tell(turn(block({}, "STEP_DONE: something"))), Continue)
    assert story.loop.streak.stuck == 0


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        pytest.param([9, 8, 7], [0, 0, 0], id="fewer failures each time"),
        pytest.param([9, 9, 9], [0, 1, 2], id="as many as before"),
        pytest.param([9, 7, 8], [0, 0, 1], id="more again"),
        pytest.param([9, 7, 9, 8], [0, 0, 1, 2], id="fewer than the last but not than the best"),
        pytest.param([None, 7, 6], [0, 1, 0], id="no number at first"),
    ],
)
def test_a_better_number_is_progress(numbers, counts):
    story = Story(a_loop(limits=Limits(iterations=50)))
    seen = []
    for round_number, number in enumerate(numbers):
        story.tell(turn(tree=f"tree-{round_number}"))
        story.tell(failed("tests pass", failures=number))
        seen.append(story.loop.streak.stuck)

    assert seen == counts


def test_as_many_passed_tests_are_no_progress_whether_or_not_skipped_ones_are_counted():
    story = Story(a_loop(limits=Limits(iterations=50)))
    for round_number, skipped in enumerate([(), (("skipped", 0),)]):
        story.tell(turn(tree=f"tree-{round_number}"))
        story.tell(failed("tests pass", failures=2, counts=(("tests", 10), *skipped)))

    assert story.loop.streak.stuck == 1


def counted(*turns, loop=None):
    """The stuck count after each turn, in halves. A turn is its tree and what its check prints."""
    story = Story(loop or a_loop(limits=Limits(iterations=50, stuck=99), tree="a"))
    halves = []
    for tree, facts in turns:
        directive = story.tell(turn(block({"tests pass": True}), tree=tree))
        if isinstance(directive, RunCheck):
            story.tell(failed("tests pass", **facts))
        halves.append(2 * story.loop.streak.stuck + story.loop.streak.stuck_half)
    return halves


SILENT, TWO = {"failures": None}, {"failures": 2}


@pytest.mark.parametrize(
    ("turns", "halves"),
    [
        pytest.param([("b", SILENT), ("c", SILENT), ("d", SILENT)], [0, 1, 2], id="files only"),
        pytest.param([("b", SILENT), ("b", SILENT), ("b", SILENT)], [0, 2, 4], id="no file"),
        pytest.param([("b", TWO), ("c", TWO), ("d", TWO)], [0, 2, 4], id="the same number"),
        pytest.param(
            [("b", SILENT), ("c", SILENT), ("c", SILENT), ("d", SILENT)],
            [0, 1, 3, 4],
            id="half and whole steps add up",
        ),
        pytest.param(
            [("b", SILENT), ("c", SILENT), ("d", {"failures": 3}), ("e", {"failures": 1})],
            [0, 1, 3, 0],
            id="progress takes the half away too",
        ),
    ],
)
def test_a_turn_that_only_changes_files_is_half_a_stuck_iteration(turns, halves):
    assert counted(*turns) == halves


def numbers(**counts):
    failures = counts.pop("failures", None)
    return {"failures": failures, "counts": tuple(counts.items())}


@pytest.mark.parametrize(
    ("first", "second", "progress"),
    [
        pytest.param(numbers(coverage=80.0), numbers(coverage=80.5), True, id="coverage rose"),
        pytest.param(numbers(coverage=80.0), numbers(coverage=79.0), False, id="coverage fell"),
        pytest.param(numbers(problems=3), numbers(problems=2), True, id="fewer problems"),
        pytest.param(numbers(problems=3), numbers(problems=4), False, id="more problems"),
        pytest.param(
            numbers(failures=1, tests=4, skipped=0),
            numbers(failures=1, tests=9, skipped=0),
            True,
            id="more tests pass before the first failure",
        ),
        pytest.param(
            numbers(failures=1, tests=4, skipped=0),
            numbers(failures=1, tests=9, skipped=5),
            False,
            id="more tests are skipped",
        ),
    ],
)
def test_every_number_of_a_failing_check_can_show_progress(first, second, progress):
    assert counted(("b", first), ("c", second)) == [0, 0 if progress else 2]


def test_twelve_turns_of_real_work_on_one_criterion_are_not_stuck():
    turns = [(f"tree {left}", {"failures": left}) for left in range(12, 0, -1)]

    assert counted(*turns) == [0] * 12


def test_a_half_count_does_not_pause_and_continue_takes_it_away():
    streak = Streak(unmet=(("tests pass",),), stuck=4, fewest_failures=(("tests pass", 1),))
    story = Story(a_loop(streak=streak, tree="a"))
    story.tell(turn(tree="b"))
    assert isinstance(story.tell(failed("tests pass", failures=None)), Continue)
    assert (story.loop.streak.stuck, story.loop.streak.stuck_half) == (4, True)

    story.tell(turn(tree="c"))
    assert isinstance(story.tell(failed("tests pass", failures=None)), Stop)
    story.tell(turn(tree="c"))
    story.tell(Ordered(0.0, "continue"))

    assert (story.loop.streak.stuck, story.loop.streak.stuck_half) == (0, False)


def test_a_change_of_approach_is_asked_for_at_three_and_the_loop_pauses_at_five():
    story = Story(a_loop())
    directives = [story.turn(tree=f"tree-{n}", checks={"tests pass": False}) for n in range(6)]

    assert ["Change approach" in d.prompt for d in directives[:5]] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert directives[5].reason == "circuit breaker triggered after 5 stuck iterations"
    assert story.loop.pause.cause == "stuck"


def test_going_to_and_fro_between_two_criteria_pauses():
    story = Story(a_loop(criteria=(with_check("a"), with_check("b")), limits=Limits(iterations=50)))
    for number in range(6):
        directive = story.turn(
            tree=f"tree-{number}", checks={"a": number % 2 == 0, "b": number % 2 == 1}
        )
        assert isinstance(directive, Continue)

    assert story.turn(tree="tree-6", checks={"a": True, "b": False}).reason.startswith(
        "circuit breaker triggered after 5"
    )


# --- The same error ---

SAME = [
    "FAILED tests/test_a.py:12 at 12:30:01 in /tmp/tmpab1/x object at 0x7f3a (3 of 9)",
    "FAILED tests/test_a.py:98 at 23:59:59 in /tmp/tmpzz9/x object at 0x1b2c (4 of 10)",
    "failed tests/test_b.py:1 at 00:00:00 in /var/tmp/q/x object at 0xffff1 (5 of 11)",
]


def test_the_same_error_three_times_pauses_whatever_its_numbers_paths_and_times():
    story = Story(a_loop_without_checks("a"))
    directives = [
        story.turn(tree=f"tree-{n}", tool_outcomes=(ToolOutcome("pytest", text),))
        for n, text in enumerate(SAME)
    ]

    assert [type(d) for d in directives] == [Continue, Continue, Stop]
    assert story.loop.pause.cause == "same-error"


@pytest.mark.parametrize(
    ("outcomes", "count"),
    [
        pytest.param([("pytest", "boom"), ("pytest", "boom")], 2, id="twice"),
        pytest.param(
            [("pytest", "boom"), ("pytest", "bang"), ("pytest", "boom")],
            1,
            id="another error in between",
        ),
        pytest.param(
            [("pytest", "boom"), ("pytest", ""), ("pytest", "boom")],
            1,
            id="a success of it in between",
        ),
        pytest.param(
            [("pytest", "boom"), ("make", "boom")], 1, id="the same words from another command"
        ),
        pytest.param(
            [("pytest", "boom"), ("ls", ""), ("pytest", "boom")],
            2,
            id="a success of something else in between",
        ),
        pytest.param([("pytest", "boom"), ("pytest", "")], 0, id="mended"),
    ],
)
def test_the_same_error_is_counted_in_a_row(outcomes, count):
    streak = breakers.count_turn(
        Streak(), turn(tool_outcomes=tuple(ToolOutcome(*o) for o in outcomes))
    )

    assert streak.same_error == count


def test_an_error_is_remembered_once():
    story = Story(a_loop_without_checks("a"))
    story.turn(tree="tree-1", tool_outcomes=(ToolOutcome("make", "boom"),))
    story.turn(tree="tree-2", tool_outcomes=(ToolOutcome("make", "boom"),))

    assert story.loop.dialogue.errors == ("boom",)


def test_an_error_is_told_in_one_line_without_rulers():
    error = "Exit code 1\n=====\nFAIL: test_total (a.TestA)\n-----\nTraceback"
    streak = breakers.count_turn(Streak(), turn(tool_outcomes=(ToolOutcome("make", error),)))

    assert streak.error_text == "Exit code 1: FAIL: test_total (a.TestA)"


def test_a_success_of_a_very_long_command_ends_its_error():
    command = "pytest " + "x" * 300
    streak = breakers.count_turn(
        Streak(), turn(tool_outcomes=(ToolOutcome(command, "boom"), ToolOutcome(command)))
    )

    assert (streak.error_signature, streak.same_error) == ("", 0)


LONG = "x" * 999
BROKEN = {"tool_outcomes": (ToolOutcome("make", f"boom {LONG}"),)}
PASSING, BLOCKED = (
    {"api_failure": f"overloaded {LONG}"},
    {"api_failure": f"permission denied {LONG}"},
)
FINE = {"tool_outcomes": (ToolOutcome("ls"),)}


@pytest.mark.parametrize(
    ("facts", "error", "trouble"),
    [(BROKEN, 200, 0), (PASSING, 200, 0), (BLOCKED, 200, 311), ({}, 0, 0)],
)
def test_only_the_beginning_of_an_error_is_kept(facts, error, trouble):
    streak = breakers.count_turn(Streak(), turn(**facts))

    assert (len(streak.error_text), len(streak.blocking_error)) == (error, trouble)


@pytest.mark.parametrize(
    "facts",
    [{}, FINE, BROKEN, BLOCKED],
    ids=["no tool used", "it went well", "to be mended", "blocked"],
)
def test_passing_faults_count_in_a_row_and_edits_in_one_turn_only(facts):
    streak = breakers.count_turn(
        Streak(transient=1, blocking_error="blocked by x", most_edited_file="a.py", same_file=4),
        turn(**facts),
    )

    assert (streak.transient, streak.most_edited_file, streak.same_file) == (0, "", 0)
    assert bool(streak.blocking_error) == ("api_failure" in facts)


def test_what_progress_is_told_by_is_kept_of_the_last_six_turns():
    loop = a_loop(tree="0123456789abcdef")
    for _ in range(7):
        loop = loop.but(streak=breakers.count_progress(loop, CheckRound(1, "")))

    assert loop.streak.trees == ("0123456789ab",) * 6
    assert loop.streak.scores == ((1, 0),) * 6
    assert (loop.streak.stuck, loop.streak.idle) == (6, 7)


# --- The same file ---


@pytest.mark.parametrize(("edits", "kind"), [(4, Continue), (5, Stop)])
def test_five_edits_of_one_file_in_one_iteration_pause(edits, kind):
    story = Story(a_loop_without_checks("a"))

    assert isinstance(story.turn(edits=(("README.md", 2), ("src/a.py", edits))), kind)
    assert (story.loop.pause.cause == "same-file") == (kind is Stop)


# --- Idle talk ---


def quiet(**facts):
    return {"tool_calls": 0, **facts}


def test_three_turns_of_talk_pause():
    story = Story(a_loop_without_checks("a", tree="tree-1"))
    directives = [story.turn("I wonder", **quiet()) for _ in range(3)]

    assert [type(d) for d in directives] == [Continue, Continue, Stop]
    assert story.loop.pause.cause == "idle"


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(quiet(tool_calls=1), id="a tool was used"),
        pytest.param(quiet(tree="tree-2"), id="a file changed"),
        pytest.param(quiet(text=block({"a": True, "b": False})), id="something new was claimed"),
        pytest.param(quiet(text=block({}, "STEP_DONE: x")), id="a step was finished"),
    ],
)
def test_a_turn_that_is_not_idle_starts_the_count_anew(facts):
    story = Story(a_loop_without_checks("a", "b", tree="tree-1", streak=Streak(idle=2)))

    story.turn(**facts)

    assert story.loop.streak.idle == 0


def test_without_a_transcript_a_turn_is_idle_only_if_nothing_else_changed():
    story = Story(a_loop_without_checks("a", tree="tree-1", streak=Streak(idle=1)))
    story.turn(tool_calls=None)
    assert story.loop.streak.idle == 2

    story.turn(tree="tree-2", tool_calls=None)
    assert story.loop.streak.idle == 0


def test_saying_the_same_again_is_no_new_claim():
    story = Story(a_loop_without_checks("a", "b", tree="tree-1"))
    story.turn(block({"a": True, "b": False}), **quiet())
    for _ in range(3):
        story.turn(block({"a": True, "b": False}), **quiet())

    assert story.loop.pause.cause == "idle"


def test_a_person_who_speaks_ends_the_idle_talk():
    story = Story(a_loop_without_checks("a", streak=Streak(idle=2)))
    story.tell(prompt("try this"))

    assert story.loop.streak.idle == 0


# --- Money, iterations, time ---


def test_an_unknown_price_is_said_and_stops_nothing():
    story = Story(a_loop_without_checks("a"))

    assert "Cost: unknown/$25" in story.turn(unpriced=("gpt-9",)).prompt


def test_a_model_without_a_price_is_named_once_and_iterations_bound_it():
    assert price_of("gpt-6-sol", PRICES) is None
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=3)))

    first, second, last = (story.turn(tree=f"t{n}", unpriced=("gpt-6-sol",)) for n in range(3))

    assert "The cost is unknown (gpt-6-sol), so the budget cannot end the loop: 3 iterations" in (
        first.message
    )
    assert "`loop config prices.gpt-6-sol IN/OUT/READ/WRITE`" in first.message
    assert "unknown (" not in second.message
    assert last.reason == "iteration limit of 3 reached"


def test_a_client_that_bills_otherwise_gets_no_hint_about_a_price():
    words = "copilot, which bills requests and not tokens"

    message = Story(a_loop_without_checks("a")).turn(unpriced=(words,)).message

    assert f"The cost is unknown ({words})" in message
    assert "loop config prices" not in message


def test_the_clock_trips_exactly_at_its_limit():
    story = Story(
        a_loop_without_checks(
            "a", limits=Limits(minutes=1), started_at=1000.0, running_since=1000.0
        )
    )

    assert isinstance(story.turn(tree="tree-1", at=1059.0), Continue)
    assert story.turn(tree="tree-2", at=1060.0).reason == "time limit of 1 minutes reached"


def test_the_turn_is_evaluated_before_the_limits():
    story = Story(a_loop(limits=Limits(iterations=1, dollars=1.0)))
    story.tell(turn("<loop-complete>", dollars=9.0))

    assert story.tell(passed("tests pass")).reason == "complete"


def test_m7_a_loop_past_its_limits_is_paused_not_held():
    story = Story(a_loop_without_checks("a", spend=Spend(iterations=999, dollars=1000.0)))

    assert isinstance(story.tell(turn()), Stop)
    assert story.loop.status == "paused"


def talks(story, number):
    """A turn without a tool call that still brings something new, so it is not idle."""
    return story.turn(
        block({"a": False}, f"STEP_DONE: step {number}"), tool_calls=0, toolless_cap=8
    )


def test_the_agent_is_asked_to_act_before_the_cap_and_the_loop_pauses_at_it():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=30)))

    said = [talks(story, number) for number in range(1, 10)]

    assert [isinstance(directive, Continue) for directive in said] == [True] * 8 + [False]
    assert ["run a command or edit a file" in directive.prompt for directive in said[:8]] == [
        False
    ] * 5 + [True] * 3
    assert story.loop.pause.cause == "cap"
    assert (
        story.loop.pause.why
        == "9 answers in a row without a tool call; the client takes no more than 8"
    )


def test_a_tool_call_a_prompt_or_a_go_on_begins_the_count_of_the_cap_anew():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=30)))
    for number in range(1, 9):
        talks(story, number)
    assert story.loop.streak.toolless == 8

    story.turn("worked", tool_calls=1, toolless_cap=8)
    assert story.loop.streak.toolless == 0
    talks(story, 10)
    story.tell(prompt("go on, but slowly"))
    assert story.loop.streak.toolless == 0
    for number in range(11, 20):
        talks(story, number)
    assert story.loop.pause.cause == "cap"
    story.tell(Ordered(0.0, "continue"))
    assert (story.loop.status, story.loop.streak.toolless) == ("running", 0)


def test_every_hold_counts_for_a_client_with_a_cap_on_holds_and_a_prompt_begins_anew():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=30)))
    facts = {"hold_cap": 3, "host": "copilot"}
    story.turn("one", "tree-2", begins_turn=True, **facts)
    story.turn("two", "tree-3", **facts)
    assert (story.loop.streak.held, story.loop.status) == (2, "running")

    story.turn("one again", "tree-4", begins_turn=True, **facts)
    assert story.loop.streak.held == 1
    for number in (5, 6):
        story.turn("more", f"tree-{number}", **facts)

    assert story.loop.pause.cause == "cap"
    assert "--agent copilot" in story.loop.pause.why


def test_a_client_without_a_cap_on_holds_takes_over_with_a_count_of_zero():
    story = Story(a_loop_without_checks("a"))
    story.turn("one", "tree-2", hold_cap=3, host="copilot", begins_turn=True)

    story.turn("two", "tree-3", host="claude")

    assert (story.loop.streak.held, story.loop.streak.hold_cap) == (0, 0)


def test_unknown_tools_count_for_nothing():
    story = Story(
        a_loop_without_checks("a", limits=Limits(iterations=30), streak=Streak(toolless=5))
    )

    story.turn(block({"a": False}, "STEP_DONE: x"), tool_calls=None, toolless_cap=8)

    assert story.loop.streak.toolless == 0
