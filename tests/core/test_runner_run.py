"""A runner drives: who has the loop, what a turn may cost, and turns that are cut off, lost or denied."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, RunCheck, Stop
from loopwright.core.limits import Limits, Spend
from loopwright.core.loop import Gate, Lease
from loopwright.core.policies.runner_report import FIRST_CRASH_WAIT_SECONDS, available_at
from loopwright.core.prompts.messages import foreign_session_hint
from loopwright.core.runner.events import RunnerStarted, TurnReported, TurnStarted
from loopwright.core.runner.run import Attempt, Run, RunnerReport
from tests.support.builders import (
    SESSION,
    Story,
    block,
    claim,
    failed,
    order,
    passed,
    turn,
    with_check,
)
from tests.support.night import (
    OTHER,
    RUNNER,
    Night,
    a_free_loop,
    runner_attached,
    runner_turn_over,
    turn_starting,
)

DONE = block({"tests pass": True}, exit=True)
FINE = {"tests pass": True}

# --- Who drives ---


def test_a_runner_takes_the_loop_over_and_a_turn_follows():
    night = Night(None, "claude", "codex")

    assert night.directive == Continue("")
    assert (night.loop.lease.holder, night.loop.lease.pid, night.loop.lease.fence) == (RUNNER, 7, 2)
    assert (night.run.agents, night.run.base_commit, night.run.turns_started) == (
        ("claude", "codex"),
        "c0ffee",
        0,
    )


def test_what_is_journaled_of_a_runner_and_its_turn():
    night = Night()
    night.whole_turn("Here is what I did.", "tree-2")

    kinds = [type(event) for event in night.events]
    assert kinds[:4] == [ev.LeaseTaken, RunnerStarted, TurnStarted, ev.TurnEnded]
    assert night.events_of(TurnReported)[0].report.answer_tail == "Here is what I did."


@pytest.mark.parametrize("status", ["finished", "cancelled"])
def test_no_runner_wakes_what_has_ended(status):
    story = Story(a_free_loop(status=status, running_since=0.0))

    assert story.tell(runner_attached()) == Stop(message=f"this loop has ended ({status})")
    assert story.events == []


def test_a_runner_that_finds_the_loop_paused_or_asking_says_so_and_begins_nothing():
    paused = Night(a_free_loop(status="paused", cause="person", why="lunch", running_since=0.0))
    asking = Night(a_free_loop(status="asking", gate=Gate("ask", "which port?"), running_since=0.0))

    assert paused.directive.reason == "lunch"
    assert asking.directive.question == "which port?"
    assert (paused.begin().reason, asking.begin().question) == ("lunch", "which port?")
    assert "lunch" in paused.directive.message
    assert paused.events_of(TurnStarted) == asking.events_of(TurnStarted) == []


def test_a_runner_starts_no_turn_of_a_loop_that_was_cancelled():
    night = Night()
    night.tell(order("cancel"))

    assert night.begin() == Stop()
    assert night.events_of(TurnStarted) == []


def test_a_session_that_stops_under_a_runner_is_a_stranger_and_told_so_once():
    night = Night()
    night.begin()

    assert night.tell(turn("all done <loop-complete>")) == Stop(
        message=foreign_session_hint(SESSION)
    )
    assert night.tell(turn("all done <loop-complete>")) == Stop()
    assert (night.loop.spend.iterations, night.run.turn_started_at) == (
        0,
        night.loop.clock.running_since,
    ), "the turn goes on"


def test_what_a_runner_says_after_another_has_come_moves_nothing():
    night = Night()
    night.begin()
    night.tell(runner_attached(session=OTHER))
    before = night.loop

    assert night.begin() == Stop(
        "another driver", "[LOOP] Another driver has taken this loop. See: `loop status`"
    )
    assert isinstance(night.tell(runner_turn_over(DONE, "tree-2", dollars=1.0)), Stop)
    assert night.loop.but(dialogue=night.loop.dialogue.but(foreign_sessions=())) == before


def test_a_runner_that_comes_again_keeps_every_counter():
    night = Night()
    night.whole_turn(dollars=1.5)
    night.tell(runner_attached("codex", session=OTHER))

    assert (night.loop.spend.iterations, night.loop.spend.dollars, night.run.turns_started) == (
        1,
        1.5,
        1,
    )
    assert (night.run.agents, night.run.base_commit, night.run.answer_tail) == (
        ("codex",),
        "c0ffee",
        "",
    )


def test_a_round_of_checks_that_was_left_in_the_middle_is_begun_again():
    two = a_free_loop(criteria=(with_check("tests pass"), with_check("lint clean")))
    night = Night(two)
    night.begin()
    night.tell(runner_turn_over(DONE, "tree-2"))
    night.tell(passed("tests pass"))  # and there the runner died

    wanted = night.tell(runner_attached(session=OTHER))
    assert (wanted.criterion, wanted.tree, wanted.fence) == (
        "lint clean",
        "tree-2",
        night.loop.lease.fence,
    )
    assert night.tell(passed("lint clean")).reason == "complete"
    assert (night.loop.spend.iterations, night.run.turns_started) == (1, 1), (
        "nothing is lost, nothing is done twice"
    )


def test_a_round_that_a_session_left_in_the_middle_is_begun_again_too():
    story = Story(a_free_loop(lease=Lease(SESSION)))
    story.tell(turn(tree="tree-2"))

    assert isinstance(story.tell(runner_attached()), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), Continue)
    assert story.loop.spend.iterations == 1


# --- Money and the other limits ---


@pytest.mark.parametrize(
    ("spent", "most", "reserve"),
    [
        pytest.param(0.0, 0.0, 1.25, id="a quarter of what is left"),
        pytest.param(4.5, 0.0, 0.2, id="at least 4 % of the budget"),
        pytest.param(4.875, 0.0, 0.125, id="and no more than is left"),
        pytest.param(1.0, 2.0, 2.0, id="at most --turn-budget"),
        pytest.param(4.5, 2.0, 0.5, id="of which less may be left"),
    ],
)
def test_money_is_set_aside_before_a_turn_and_settled_after_it(spent, most, reserve):
    night = Night(a_free_loop(limits=Limits(dollars=5.0), spend=Spend(dollars=spent)))

    night.begin(most)
    assert night.latest == (TurnStarted(night.now, "claude", reserve),)
    assert (night.run.reserved_dollars, night.run.turn_started_at, night.run.turns_started) == (
        reserve,
        night.now,
        1,
    )
    night.end_turn(dollars=0.25)

    assert (night.run.reserved_dollars, night.run.turn_started_at) == (0.0, 0.0)
    assert night.loop.spend.dollars == spent + 0.25


@pytest.mark.parametrize(
    ("cause", "spend"),
    [
        ("budget", Spend(dollars=5.0)),
        ("iterations", Spend(iterations=3)),
        ("clock", Spend(seconds=600.0)),
    ],
)
def test_no_turn_begins_beyond_a_limit(cause, spend):
    night = Night(a_free_loop(limits=Limits(dollars=5.0, iterations=3, minutes=10), spend=spend))

    directive = night.begin()

    assert (night.loop.status, night.loop.pause.cause, directive.reason) == (
        "paused",
        cause,
        night.loop.pause.why,
    )
    assert night.events_of(TurnStarted) == []
    assert (night.run.turns_started, night.run.reserved_dollars) == (0, 0.0)


def test_a_turn_that_costs_more_than_was_left_is_the_last_one():
    night = Night(a_free_loop(limits=Limits(dollars=5.0)))

    assert night.whole_turn(dollars=7.0).reason == "budget of $5 reached ($7.00 spent)"
    assert (night.loop.pause.cause, night.loop.spend.dollars) == ("budget", 7.0)


# --- A turn that nobody asks about any more ---


@pytest.mark.parametrize(
    ("meanwhile", "status"),
    [
        pytest.param(order("pause", reason="enough"), "paused", id="a person paused"),
        pytest.param(claim(ask="which port?"), "asking", id="the agent asked by command"),
    ],
)
def test_what_a_turn_cost_is_written_down_though_the_loop_stands_still(meanwhile, status):
    night = Night()
    night.begin()
    night.tell(meanwhile)

    directive = night.end_turn(DONE, "tree-2", dollars=0.75, cut_reason="a person stopped it")

    assert isinstance(directive, Ask if status == "asking" else Stop)
    assert (night.loop.status, night.loop.spend.iterations, night.loop.spend.dollars) == (
        status,
        0,
        0.75,
    )
    assert (night.run.turn_started_at, night.run.reserved_dollars, night.run.answer_tail) == (
        0.0,
        0.0,
        DONE,
    )
    assert not night.loop.exit_claimed


def test_what_a_turn_cost_beyond_a_cancel_is_not_in_the_record():
    night = Night()
    night.begin()
    night.tell(order("cancel"))

    assert night.end_turn(dollars=0.75) == Stop()
    assert night.loop.spend.dollars == 0.0


# --- Turns that are cut off, lost or denied ---


def test_a_turn_that_was_cut_off_counts_is_judged_and_named_in_the_next_prompt():
    night = Night()

    directive = night.whole_turn(
        DONE, "tree-2", cut_reason="claude showed no sign of life for 15 min"
    )

    assert night.checks_run == ["tests pass"]
    assert (night.loop.spend.iterations, night.loop.dialogue.refuted_claims) == (1, 1)
    words = "The last turn was cut off: claude showed no sign of life for 15 min."
    assert words in directive.prompt
    assert words in night.begin().prompt
    assert words not in night.end_turn(tree="tree-3").prompt


def test_a_turn_that_was_cut_off_can_be_the_one_that_proves_it():
    assert (
        Night().whole_turn(DONE, "tree-2", cut_reason="it lingered", checks=FINE).reason
        == "complete"
    )


def test_a_turn_that_the_runner_died_in_is_begun_again():
    """Its money is kept, and its time up to the last sign of life; then a runner comes, much later."""
    night = Night()
    night.begin(at=2_000.0)
    night.tell(
        runner_turn_over(
            "I was about to",
            "tree-2",
            dollars=0.5,
            lost=True,
            cut_reason="the runner died in it",
            at=2_100.0,
        )
    )
    assert night.directive == Continue("")
    night.tell(runner_attached(session=OTHER, at=30_000.0))

    directive = night.tell(turn_starting(session=OTHER, at=30_005.0))

    assert (night.loop.spend.iterations, night.loop.spend.dollars, night.loop.spend.seconds) == (
        0,
        0.5,
        100.0,
    )
    assert (night.run.turns_started, night.run.answer_tail, night.checks_run) == (
        2,
        "I was about to",
        [],
    )
    assert directive.prompt.startswith("[LOOP] Starting"), "it is still the first iteration"
    assert "Spec: fix all failing tests" in directive.prompt


def test_a_lost_turn_of_a_paused_loop_is_settled_and_wakes_nobody():
    night = Night()
    night.begin()
    night.tell(order("pause"))

    assert night.end_turn(dollars=0.5, lost=True, cut_reason="the runner died in it") == Stop()
    assert (night.loop.status, night.loop.spend.dollars, night.loop.spend.iterations) == (
        "paused",
        0.5,
        0,
    )


NO = ("Bash(npm install)",)


def test_a_turn_that_was_denied_and_changed_nothing_pauses():
    night = Night()

    directive = night.whole_turn(denied_calls=NO)

    assert (night.loop.status, night.loop.pause.cause) == ("paused", "denied")
    assert (
        directive.reason
        == "the agent was denied what it wanted to do, and changed nothing: Bash(npm install)"
    )


def test_a_turn_that_was_denied_and_changed_something_goes_on_and_is_told():
    night = Night()

    directive = night.whole_turn(tree="tree-2", denied_calls=NO)

    assert "No person is there to permit this, so do without: Bash(npm install)" in directive.prompt
    assert "No person is there to permit this" not in night.whole_turn(tree="tree-3").prompt


def test_a_denial_does_not_stand_in_the_way_of_the_proof():
    assert Night().whole_turn(DONE, denied_calls=NO, checks=FINE).reason == "complete"


# --- What a run begins with ---


@pytest.mark.parametrize(
    ("begun", "given"),
    [
        (Run(("claude",)), {"agents"}),
        (RunnerReport("claude"), {"agent"}),
        (
            Attempt(1, "claude", "opus", "cancelled"),
            {"number", "agent", "model", "outcome"},
        ),
    ],
)
def test_nothing_is_counted_or_found_at_the_beginning(begun, given):
    assert {name for name in begun.FIELDS if getattr(begun, name)} == given


def test_the_first_crash_waits_for_the_first_wait():
    night = Night()

    directive = night.whole_turn(crashed=True, cut_reason="it died")

    assert directive.until - night.now == FIRST_CRASH_WAIT_SECONDS


def test_an_agent_without_a_limit_is_available_now():
    assert available_at(Run(("claude",)), "claude") == 0.0


def test_no_turn_starts_in_a_loop_that_was_paused_meanwhile():
    night = Night()
    night.tell(order("pause", reason="lunch"))

    assert night.begin().reason == "lunch"
    assert not night.events_of(TurnStarted)


def test_no_turn_starts_in_a_loop_that_was_cancelled_meanwhile():
    night = Night()
    night.tell(order("cancel"))

    assert isinstance(night.begin(), Stop)
    assert not night.events_of(TurnStarted)


@pytest.mark.parametrize("signal", [runner_attached(), turn_starting()])
def test_a_check_that_may_not_run_yet_is_asked_about_before_a_turn_costs_money(signal):
    waiting = Criterion("docs build", Check("make docs", origin="file", allowed=False))
    night = Night()
    night.loop = night.loop.but(criteria=(waiting,))

    assert isinstance(night.tell(signal), Ask)
