"""A runner drives a plan: one thing a turn in place, or tasks side by side, each in a lane with money of its own."""

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Ask, Continue, MergeLane, RunCheck, Stop, Wait
from loopwright.core.limits import Limits
from loopwright.core.plan import events as pl
from loopwright.core.plan.plan import Gap, LaneResult
from loopwright.core.runner.events import TurnStarted
from loopwright.core.signals import TurnStarting
from tests.support.builders import SESSION, order, turn
from tests.support.night import OTHER, RUNNER, runner_attached, runner_turn_over
from tests.support.plan_stories import (
    LanesStory,
    PlanStory,
    a_place,
    a_plan,
    a_plan_loop,
    a_task,
    check_of,
)

THREE = a_plan(a_task("01"), a_task("02"), a_task("03"))


def in_place(plan=None, failing=(), **changes):
    return LanesStory(a_plan_loop(plan, **changes), failing, lanes=0)


def in_lanes(plan=THREE, failing=(), lanes=3, strict=False, **changes):
    return LanesStory(a_plan_loop(plan, **changes), failing, lanes, strict=strict)


def times(story, task):
    return story.plan.failure_of(task).times


# --- In place ---


def test_a_turn_in_place_is_for_one_task():
    story = in_place()

    directive = story.begin()

    assert story.plan.assigned == ("01",)
    assert '<task id="01"' in directive.prompt
    assert '<task id="02"' not in directive.prompt
    assert story.events_of(TurnStarted)


def test_the_seconds_that_tasks_took_do_not_change_the_order_in_place():
    quick = THREE.but(durations=(("01", 1.0), ("03", 900.0)))
    story = in_place(quick)

    story.begin()

    assert story.plan.assigned == ("01",)


def test_one_task_after_the_other_and_then_the_verification():
    story = in_place()

    story.completes("01", "02")
    assert (story.plan.done, story.plan.assigned) == (("01", "02"), ("03",))

    assert story.completes("03").reason == "complete"
    assert story.loop.spend.iterations == 3


@pytest.mark.parametrize(
    ("facts", "error"),
    [
        pytest.param(
            {}, "the turn ended without TASK COMPLETE or TASK FAILED", id="nothing was said"
        ),
        pytest.param(
            {"cut_reason": "claude showed no sign of life for 15 min"},
            "claude showed no sign of life for 15 min",
            id="cut off",
        ),
    ],
)
def test_silence_is_a_failed_attempt_where_nobody_can_be_held(facts, error):
    story = in_place()
    story.begin()

    story.says("I have begun.", **facts)

    assert (times(story, "01"), story.plan.failure_of("01").error) == (1, error)
    assert f"<error>{error}</error>" in story.begin().prompt


def test_a_failed_attempt_remembers_which_tool_calls_were_denied():
    story = in_place()
    story.begin()

    story.says("I have begun.", denied_calls=("Bash(make)", "Bash(rm)"))

    assert story.plan.failure_of("01").analysis == "it was denied: Bash(make); Bash(rm)"


def test_a_turn_that_was_cut_off_after_its_report_is_judged_by_its_checks():
    story = in_place()
    story.begin()

    story.says("TASK COMPLETE: 01", cut_reason="it lingered")

    assert story.plan.done == ("01",)


def test_what_speaks_against_a_turn_is_a_failed_attempt_whatever_its_checks_say():
    story = in_place()
    story.begin()

    story.says("TASK COMPLETE: 01", problem="src/02.py is not a file of task 01")

    assert (story.plan.done, story.plan.failure_of("01").error) == (
        (),
        "src/02.py is not a file of task 01",
    )
    assert story.checks_run == []


def test_a_turn_that_the_runner_died_in_is_begun_again_and_is_no_attempt():
    story = in_place()
    story.begin()

    assert story.says("I was about to", lost=True, dollars=0.5) == Continue("")

    assert (times(story, "01"), story.loop.spend.iterations, story.loop.spend.dollars) == (
        0,
        0,
        0.5,
    )
    assert '<task id="01"' in story.begin().prompt


@pytest.mark.parametrize("strict", [False, True])
def test_strict_pauses_at_the_first_task_that_is_out_of_retries(strict):
    story = LanesStory(a_plan_loop(THREE), (check_of("01"),), lanes=0, strict=strict)
    for _ in range(4):
        story.completes("01")

    assert story.plan.parked == ("01",)
    assert story.loop.status == ("paused" if strict else "running")
    assert not strict or story.loop.pause.why.startswith("Task 01 failed after 3 retries")


def test_the_turn_of_a_task_is_timed_and_that_of_a_gap_is_not():
    story = in_place()
    story.begin(at=story.now + 10)
    story.completes("01")
    assert [event.task for event in story.events_of(pl.TaskTimed)] == ["01"]

    gap = Gap("stub", "src/a.py", "it is empty")
    story = in_place(a_plan(stage="verify", gaps=(gap,)))
    story.begin(at=story.now + 10)
    assert story.plan.assigned
    story.says("I looked at it.")
    assert not story.events_of(pl.TaskTimed)


def test_strict_pauses_for_a_parked_gap_too_and_says_which():
    stubborn = Gap("stub", "src/a.py", "it is empty", tries=3)
    plan = a_plan(stage="verify", gaps=(stubborn,), parked=(stubborn.key,))
    story = LanesStory(a_plan_loop(plan), lanes=0, strict=True)

    story.tell(order("execute"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")
    assert story.loop.pause.why == "1 gap failed to be fixed 3 times each: stub:src/a.py"


def test_a_checkpoint_waits_for_the_person():
    story = in_place()
    story.begin()

    assert isinstance(story.says("CHECKPOINT: which port?"), Ask)
    assert (story.loop.status, times(story, "01")) == ("asking", 0)
    assert isinstance(story.begin(), Ask)


def test_a_runner_never_asks_what_only_interactive_asks():
    story = in_place(failing=(check_of("01"), "lint"), gates_enabled=True)
    story.completes("01")
    story.completes("01", mended=(check_of("01"),))
    story.completes("02", "03")

    assert story.events_of(ev.GateOpened) == []


def test_what_is_given_to_a_session_is_too_much_for_a_turn():
    story = PlanStory()
    assert story.plan.assigned == ("01", "02")
    story.tell(runner_attached())

    story.tell(TurnStarting(0.0, RUNNER))

    assert story.plan.assigned == ("01",)


# --- Gaps, one by one ---


def with_gaps(*failing, lanes=0, **changes):
    story = LanesStory(
        a_plan_loop(a_plan(a_task("01")), ("lint", "test", "e2e"), **changes), failing, lanes
    )
    story.begin()
    story.says("TASK COMPLETE: 01")
    return story


def test_a_runner_fixes_one_gap_a_turn_by_its_own_check_and_then_the_whole_is_verified():
    story = with_gaps("lint", "test")
    assert (story.plan.assigned, story.plan.queue) == (("ci_failure:lint",), ("ci_failure:test",))
    assert '<gap type="ci_failure"' in story.begin().prompt
    ran = len(story.checks_run)

    story.says("GAP CLOSED: lint", mended=("lint",))
    assert story.checks_run[ran:] == ["lint"]
    assert (story.plan.assigned, story.plan.fix_rounds) == (("ci_failure:test",), 1)
    story.begin()
    directive = story.says("GAP CLOSED: test", mended=("test",))

    assert directive.reason == "complete"
    assert story.checks_run[-1] == "e2e"
    assert [round.result for round in story.plan.history] == ["gaps_found", "passed"]


def test_a_gap_that_is_not_closed_waits_for_the_next_round():
    story = with_gaps("lint", "test")
    story.begin()
    story.says("GAP FAILED: it will not")
    story.begin()

    story.says("GAP CLOSED: test", mended=("test",))

    assert [(gap.key, gap.tries) for gap in story.plan.gaps] == [("ci_failure:lint", 1)]
    assert (story.plan.fix_rounds, story.plan.assigned) == (2, ("ci_failure:lint",))


def test_a_gap_is_parked_after_three_turns_and_all_parked_pauses():
    story = with_gaps("lint")
    for _ in range(3):
        story.begin()
        story.says("GAP FAILED: it will not")

    assert (story.loop.pause.cause, story.plan.parked) == ("parked", ("ci_failure:lint",))


def test_no_prompt_of_a_runner_names_a_command_of_a_session():
    story = with_gaps("lint")
    prompts = [story.begin().prompt, story.says("GAP FAILED: no").prompt]
    story = in_place(failing=(check_of("01"),))
    prompts += [
        story.begin().prompt,
        story.says("I have begun.").prompt,
        in_lanes().begin("01").prompt,
    ]

    assert all("/loop:" not in text for text in prompts)
    assert all("sub-agent" not in text for text in prompts)


def test_after_a_pause_between_two_gaps_the_next_gap_comes():
    story = with_gaps("lint", "test", limits=Limits(iterations=2))
    story.begin()
    story.says("GAP CLOSED: lint", mended=("lint",))
    assert story.loop.pause.cause == "iterations"

    story.tell(order("continue", iterations=5))
    directive = story.begin()

    assert story.plan.assigned == ("ci_failure:test",)
    assert '<gap type="ci_failure"' in directive.prompt


def test_a_gap_reported_meanwhile_is_not_lost():
    story = with_gaps("lint", "test")
    found = (Gap("orphan", "src/x.py", "nobody imports it"),)
    story.begin()
    story.says("GAP CLOSED: lint", mended=("lint",), reported_gaps=found)
    story.begin()

    story.says("GAP CLOSED: test", mended=("test",), reported_gaps=found)

    assert [gap.key for gap in story.plan.gaps] == ["orphan:src/x.py"]


# --- Lanes ---


def test_a_lane_begins_with_its_own_task_and_a_share_of_the_money():
    story = in_lanes(limits=Limits(dollars=9.0, iterations=20))

    prompts = [story.begin(task).prompt for task in ("01", "02", "03")]

    assert [lane.reserved_dollars for lane in story.plan.lanes] == pytest.approx(
        [2.25, 1.6875, 1.265625]
    )
    assert [lane.turn_number for lane in story.plan.lanes] == [1, 2, 3]
    for task, text in zip(("01", "02", "03"), prompts, strict=True):
        assert text.count("<task id=") == 1
        assert f'<task id="{task}"' in text
        assert "a git worktree of your own" in text
    assert story.plan.worktree_of("02") == a_place("02")


@pytest.mark.parametrize("most", [0.0, 2.0, 5.0, 100.0])
def test_no_more_is_set_aside_than_is_left(most):
    story = in_lanes(limits=Limits(dollars=9.0, iterations=20))
    for task in ("01", "02", "03"):
        story.begin(task, most)

    assert 0 < sum(lane.reserved_dollars for lane in story.plan.lanes) <= 9.0
    assert all(lane.reserved_dollars <= (most or 9.0) for lane in story.plan.lanes)


def test_where_all_is_set_aside_no_lane_begins():
    story = in_lanes(limits=Limits(dollars=9.0, iterations=20))
    story.begin("01", 9.0)

    assert story.begin("02") == Stop("not now")
    assert (story.plan.running_tasks, story.loop.status) == (("01",), "running")


def test_what_a_lane_did_not_need_is_there_for_the_next():
    story = in_lanes(limits=Limits(dollars=9.0, iterations=20), lanes=1)
    story.begin("01")
    story.says("TASK FAILED: 01: no", task="01", dollars=1.0)

    story.begin("01")

    assert story.plan.lanes[0].reserved_dollars == pytest.approx(2.0)


def test_the_last_cents_are_given():
    assert isinstance(
        in_lanes(limits=Limits(dollars=0.5, iterations=9), lanes=1).begin("01"), Continue
    )


def test_the_last_turn_is_given_and_no_other():
    story = in_lanes(limits=Limits(dollars=9.0, iterations=1), lanes=2)

    assert isinstance(story.begin("01"), Continue)
    assert story.begin("02") == Stop("not now")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("04", "waits for another"),
        ("01", "works already"),
        ("05", "shares a file with one that works"),
    ],
)
def test_what_is_not_ready_begins_in_no_lane(task, why):
    plan = a_plan(
        a_task("01"), a_task("04", 2, "01"), a_task("05", files=a_task("01").files), eager=True
    )
    story = in_lanes(plan)
    story.begin("01")

    assert story.begin(task) == Stop("not now"), why
    assert story.plan.running_tasks == ("01",)


def test_the_work_of_a_lane_is_checked_then_landed_and_only_then_done():
    story = in_lanes()
    story.begin("01")
    story.begin("02")

    assert story.finishes("01") == MergeLane("01", "commit-01")
    assert story.checks_run == [check_of("01")]
    assert (story.plan.done, story.plan.running_tasks) == ((), ("02",))
    assert isinstance(story.merges("01"), Continue)

    assert (story.plan.done, story.plan.commits) == (("01",), (("01", "commit-01"),))


def test_a_check_that_fails_in_the_lane_lands_nothing():
    story = in_lanes(failing=(check_of("01"),))
    story.begin("01")

    directive = story.finishes("01")

    assert isinstance(directive, Continue)
    assert (times(story, "01"), story.plan.done) == (1, ())
    assert "<attempt>1 of 3</attempt>" in story.begin("01").prompt


def test_what_git_says_against_it_is_a_failed_attempt():
    story = in_lanes()
    story.begin("01")

    story.finishes(
        "01",
        commit="",
        problem="src/01.py conflicts. Main is merged into your worktree now: resolve src/01.py",
    )

    assert (times(story, "01"), story.checks_run) == (1, [])
    assert "resolve src/01.py" in story.begin("01").prompt


def test_what_cannot_be_landed_is_a_failed_attempt():
    story = in_lanes()
    story.begin("01")
    story.finishes("01")

    story.merges("01", "main has moved")

    assert (times(story, "01"), story.plan.done) == (1, ())
    assert "<error>main has moved</error>" in story.begin("01").prompt


def test_the_last_one_that_lands_begins_the_verification_on_the_tree_of_the_main_checkout():
    story = in_lanes(commands=("lint",))
    for task in ("01", "02", "03"):
        story.begin(task)
    for task in ("02", "01"):
        story.finishes(task)
        story.merges(task)
    story.finishes("03")

    story.failing = {"lint"}
    story.merges("03", tree="main-3")

    assert (story.plan.stage, story.loop.tree) == ("verify", "main-3")
    assert {e.evidence.tree for e in story.events_of(ev.CheckRan)[-5:]} == {"main-3"}
    assert story.plan.assigned == ("ci_failure:lint",)
    assert '<gap type="ci_failure"' in story.begin().prompt, "gaps are fixed in place, lanes or not"


def test_one_lane_that_fails_does_not_stop_its_siblings():
    story = in_lanes(a_plan(a_task("01"), a_task("02"), a_task("03", 2, "01"), retries=0))
    story.begin("01")
    story.begin("02")
    story.says("TASK FAILED: 01: no", task="01")

    assert (story.plan.parked, story.loop.status) == (("01",), "running")
    story.finishes("02")
    story.merges("02")

    assert story.plan.done == ("02",)
    assert (story.loop.status, story.loop.pause.why) == (
        "paused",
        "Task 01 failed after 0 retries: no",
    )


def test_silence_in_a_lane_is_a_failed_attempt():
    story = in_lanes()
    story.begin("01")

    story.says("hm", task="01")

    assert (times(story, "01"), story.plan.running_tasks) == (1, ())


def test_a_lane_whose_runner_died_is_begun_again_and_is_no_attempt():
    story = in_lanes()
    story.begin("01")
    story.begin("02")

    for task in ("01", "02"):
        assert story.says(
            "I was", task=task, lost=True, cut_reason="the runner died in it", dollars=0.25
        ) == Continue("")
    story.tell(runner_attached(session=OTHER, lanes=3))

    assert (story.plan.lanes, story.plan.failures, story.loop.spend.iterations) == ((), (), 0)
    assert story.loop.spend.dollars == 0.5
    assert '<task id="01"' in story.tell(TurnStarting(0.0, OTHER, 0.0, a_place("01"))).prompt


def test_a_runner_that_died_while_a_lane_was_checked_has_it_begun_again():
    story = in_lanes()
    story.begin("01")
    wanted = story.tell(
        runner_turn_over("TASK COMPLETE: 01", "tree-9", lane_result=LaneResult("01", "commit-01"))
    )
    assert isinstance(wanted, RunCheck)

    assert story.tell(runner_attached(session=OTHER, lanes=3)) == Continue(""), (
        "its checks are made in its worktree, not here"
    )
    assert (story.plan.done, times(story, "01")) == ((), 0)
    assert '<task id="01"' in story.tell(TurnStarting(0.0, OTHER, 0.0, a_place("01"))).prompt


def test_strict_pauses_though_others_work_and_what_they_cost_is_settled():
    story = in_lanes(a_plan(a_task("01"), a_task("02"), retries=0), strict=True)
    story.begin("01")
    story.begin("02")
    story.says("TASK FAILED: 01: no", task="01", dollars=0.5)
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "parked")

    assert story.finishes("02", dollars=0.75) == Stop()

    assert (story.loop.spend.dollars, story.plan.lanes, story.plan.done) == (1.25, (), ())
    assert story.loop.status == "paused"


def test_a_lane_that_ends_after_a_pause_is_begun_again_when_somebody_goes_on():
    story = in_lanes()
    story.begin("01")
    story.tell(order("pause"))
    story.finishes("01", dollars=0.5)

    story.tell(order("continue"))

    assert (story.plan.lanes, times(story, "01"), story.loop.spend.dollars) == ((), 0, 0.5)
    assert '<task id="01"' in story.begin("01").prompt


def test_a_landing_that_comes_after_a_pause_is_told_again_later():
    story = in_lanes()
    story.begin("01")
    story.finishes("01")
    story.tell(order("pause"))

    assert story.merges("01") == Continue("")
    assert story.plan.done == ()
    story.tell(order("continue"))
    story.merges("01")

    assert story.plan.done == ("01",)


@pytest.mark.parametrize("problem", ["", "main has moved"])
def test_what_has_landed_lands_only_once(problem):
    story = in_lanes()
    story.begin("01")
    story.finishes("01")
    story.merges("01")
    before = story.loop

    assert story.merges("01", problem, commit="another") == Continue("")
    assert story.loop == before


def test_what_another_runner_lands_moves_nothing():
    story = in_lanes()
    story.begin("01")
    story.finishes("01")

    assert story.merges("01", session=OTHER) == Continue("")
    assert story.plan.done == ()


def test_the_limit_of_one_lane_does_not_lose_the_other():
    story = in_lanes()
    story.begin("01")
    story.begin("02")

    assert isinstance(story.says("", task="01", usage_limited=True, limit_reset_at=9_000.0), Wait)
    assert story.finishes("02") == MergeLane("02", "commit-02")
    story.merges("02")

    assert (story.plan.done, times(story, "01"), story.plan.running_tasks) == (("02",), 0, ())


def test_the_limit_of_one_agent_sends_the_next_lane_to_another():
    story = LanesStory(a_plan_loop(THREE), agents=("claude", "codex"))
    story.begin("01")
    story.says("", task="01", usage_limited=True, limit_reset_at=9_000.0)

    story.begin("01")

    assert story.plan.lanes[0].agent == "codex"


def test_no_lane_begins_beyond_a_limit():
    story = in_lanes(limits=Limits(iterations=1))
    story.begin("01")
    story.says("TASK FAILED: 01: no", task="01")

    assert story.loop.pause.cause == "iterations"
    assert story.begin("01").reason == "iteration limit of 1 reached"


def test_lanes_that_work_count_against_the_iterations():
    story = in_lanes(limits=Limits(iterations=2))
    story.begin("01")
    story.begin("02")

    assert story.begin("03") == Stop("not now")
    assert story.plan.running_tasks == ("01", "02")


def test_what_lanes_wait_for_is_counted():
    story = in_lanes(limits=Limits(iterations=20, wait=10.0))
    story.begin("01", at=2_000.0)
    assert isinstance(
        story.says("", task="01", usage_limited=True, limit_reset_at=2_500.0, at=2_100.0), Wait
    )

    story.begin("01", at=2_500.0)

    assert (story.run.waited_seconds, story.run.waiting_until) == (400.0, 0.0)
    story.says("", task="01", usage_limited=True, limit_reset_at=2_900.0, at=2_600.0)
    assert (story.loop.status, story.loop.pause.cause) == ("paused", "limit")


def test_a_word_of_the_person_waits_for_the_next_lane_that_begins():
    story = in_lanes(a_plan(a_task("01"), a_task("02"), a_task("03", 2)))
    story.begin("01")
    story.begin("02")
    story.tell(order("steer", reason="mind the docs"))
    for task in ("01", "02"):
        story.finishes(task)
        story.merges(task)

    assert "The person says: mind the docs" in story.begin("03").prompt


# --- From lanes to a session ---


def test_a_session_in_the_folder_is_a_stranger_to_a_runner_in_lanes():
    story = in_lanes()
    story.begin("01")

    assert "driven by another session" in story.tell(turn("TASK COMPLETE: 01")).message
    assert story.plan.running_tasks == ("01",)


def test_a_session_that_takes_over_is_given_what_the_lanes_had():
    story = in_lanes()
    story.begin("01")
    story.begin("02")

    directive = story.tell(order("attach", session=SESSION))

    assert story.plan.lanes == ()
    assert story.plan.assigned == ("01", "02", "03")
    assert '<task id="01"' in directive.prompt


# In lanes nothing is assigned: each has its own.
def test_a_session_that_takes_over_between_two_lanes_is_told_what_to_do():
    story = in_lanes()
    story.begin("01")
    story.says("TASK FAILED: 01: no", task="01")

    directive = story.tell(order("attach", session=SESSION))

    assert '<task id="01"' in directive.prompt
    assert '<task id="03"' in directive.prompt


def test_events_of_a_lane_in_the_journal():
    story = in_lanes()
    story.begin("01")
    story.finishes("01")
    story.merges("01")

    kinds = [type(event) for event in story.events]
    assert [kind for kind in kinds if kind.__module__ == pl.__name__] == [
        pl.WorktreePrepared,
        pl.LaneStarted,
        pl.LaneEnded,
        pl.TaskFinished,
        pl.WorkAssigned,
    ]


def test_a_check_that_came_without_permission_while_lanes_worked_pauses_the_end():
    story = in_lanes(a_plan(a_task("01")))
    story.begin("01")
    story.finishes("01")
    waiting = Criterion("docs build", Check("make docs", origin="file", allowed=False))
    story.loop = story.loop.but(criteria=(*story.loop.criteria, waiting))

    story.merges("01")

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "allow")
    assert "docs build" in story.loop.pause.why
