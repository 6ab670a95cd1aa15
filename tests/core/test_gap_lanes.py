"""Gaps of a verification that a runner fixes side by side: each in a lane of its own, landed only when its check passes."""

from __future__ import annotations

import pytest

from loopwright.core.directives import Continue, MergeLane, Stop
from loopwright.core.limits import Limits
from loopwright.core.plan import events as pl
from loopwright.core.plan.plan import Gap
from loopwright.core.signals import Ordered
from tests.support.night import RUNNER
from tests.support.plan_stories import LanesStory, a_plan, a_plan_loop, a_task

LINT, TEST = "ci_failure:lint", "ci_failure:test"


def with_gaps(*failing: str, plan=None, **changes) -> LanesStory:
    """A plan with one task, which has landed; these checks of the project then fail."""
    loop = a_plan_loop(plan or a_plan(a_task("01")), ("lint", "test"), **changes)
    story = LanesStory(loop, failing)
    story.begin("01")
    story.finishes("01")
    story.merges("01")
    return story


def test_each_gap_begins_in_a_lane_of_its_own():
    story = with_gaps("lint", "test")

    prompts = [story.begin(LINT).prompt, story.begin(TEST).prompt]

    assert [lane.task for lane in story.plan.lanes] == [LINT, TEST]
    assert [event.key for event in story.events_of(pl.GapTaken)] == [LINT, TEST]
    assert all('<gap type="ci_failure"' in prompt for prompt in prompts)
    assert story.begin(LINT) == Stop("not now")


def test_a_fix_that_its_check_proves_lands_and_after_the_last_everything_is_verified_again():
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.begin(TEST)

    ran = len(story.checks_run)
    assert isinstance(story.finishes(LINT, mended=("lint",)), MergeLane)
    assert story.checks_run[ran:] == ["lint"]
    assert story.merges(LINT) == Continue("")
    story.finishes(TEST, mended=("test",))

    assert story.merges(TEST).reason == "complete"
    assert [entry.result for entry in story.plan.history] == ["gaps_found", "passed"]


def test_a_fix_whose_check_still_fails_is_a_failed_try_and_the_other_lanes_work_on():
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.begin(TEST)

    assert story.finishes(LINT) == Continue("")
    assert story.plan.gap(LINT).tries == 1
    assert isinstance(story.finishes(TEST, mended=("test",)), MergeLane)


@pytest.mark.parametrize("facts", [{"commit": ""}, {"problem": "it changed files of another task"}])
def test_a_lane_without_usable_work_runs_no_check(facts):
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.begin(TEST)
    ran = len(story.checks_run)

    assert story.finishes(LINT, **facts) == Continue("")
    assert story.checks_run[ran:] == []
    assert story.plan.gap(LINT).tries == 1


def verify_in_main() -> Ordered:
    return Ordered(0.0, "verify", tree="main-2", by=RUNNER)


def test_a_failed_last_try_verifies_nothing_in_its_lane_but_in_main_when_the_runner_asks():
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.begin(TEST)
    story.finishes(TEST, mended=("test",))
    story.merges(TEST)
    rounds = len(story.plan.history)

    assert story.finishes(LINT) == Continue("")
    assert len(story.plan.history) == rounds, "the files of a lane are not those of main"
    assert story.plan.awaits_verification

    story.answer_checks(story.tell(verify_in_main()))
    assert story.loop.tree == "main-2"
    assert [entry.gaps for entry in story.plan.history] == [(LINT, TEST), (LINT,)]


def test_gaps_whose_lanes_died_with_their_runner_are_verified_again_before_a_turn_is_paid():
    story = with_gaps("lint", "test")
    for gap in (LINT, TEST):
        story.begin(gap)
    for gap in (LINT, TEST):
        story.says("", task=gap, lost=True)

    assert story.plan.awaits_verification
    story.answer_checks(story.tell(verify_in_main()))
    assert story.plan.queue == (LINT, TEST)


def test_the_order_of_a_runner_does_not_resume_what_a_person_paused():
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.finishes(LINT)
    story.tell(Ordered(0.0, "pause"))

    assert isinstance(story.tell(verify_in_main()), Stop)
    assert story.loop.status == "paused"


def test_a_fix_that_waits_for_a_person_is_over_once_it_has_landed():
    story = with_gaps("lint", "test")
    for gap, check in ((LINT, "lint"), (TEST, "test")):
        story.begin(gap)
        story.finishes(gap, mended=(check,))
    story.merges(LINT, problem="your changes are in the way", blocked=True)
    assert story.plan.landings == ((LINT, f"commit-{LINT}"),)
    assert story.merges(TEST) == Continue("")

    assert story.merges(LINT).reason == "complete"
    assert story.plan.landings == ()


def test_a_lane_whose_gap_a_verification_found_closed_meanwhile_has_nothing_to_judge():
    story = with_gaps("lint", "test")
    story.begin(LINT)
    story.failing.remove("lint")
    story.answer_checks(story.tell(verify_in_main()))
    assert story.plan.gap(LINT) is None

    assert story.finishes(LINT) == Continue("")
    assert story.merges(LINT) == Continue("")


def test_a_limit_that_is_reached_pauses_between_two_gaps():
    story = with_gaps("lint", "test", limits=Limits(iterations=2))
    story.begin(LINT)

    story.finishes(LINT)

    assert story.loop.pause.cause == "iterations"


REPORTED = Gap("stub", "src/01.py", "it returns nothing")


def with_reported_gap() -> LanesStory:
    """Two gaps of checks, and one that an agent reported, which is in a lane now."""
    story = with_gaps("lint", "test")
    plan = story.plan
    plan = plan.but(gaps=(*plan.gaps, REPORTED), queue=(*plan.queue, REPORTED.key))
    story.loop = story.loop.but(plan=plan)
    story.begin(REPORTED.key)
    return story


@pytest.mark.parametrize("line", ["GAP CLOSED: src/01.py", "GAP CLOSED"])
def test_a_gap_without_a_check_lands_when_the_agent_reports_it_closed(line):
    story = with_reported_gap()

    assert story.says(line, task=REPORTED.key, commit="c1") == MergeLane(REPORTED.key, "c1")


def test_a_gap_without_a_check_that_nobody_reports_closed_is_a_failed_try():
    story = with_reported_gap()

    assert story.says("I looked.", task=REPORTED.key, commit="c1") == Continue("")
    assert story.plan.gap(REPORTED.key).tries == 1
