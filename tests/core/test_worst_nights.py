"""What the worst nights have found in the rules: a story each; and mutants of the rules that nobody had noticed."""

from __future__ import annotations

import pytest

from loopwright.core import events as ev
from loopwright.core import wording
from loopwright.core.engine import evolve
from loopwright.core.loop import Check, Criterion, Gate, Lease, Limits, Spend, Streak, Workflow
from loopwright.core.plan import Lane, MustHave, Place
from loopwright.core.ratchet import Finding
from loopwright.core.running import Run, RunnerCame
from loopwright.core.signals import Began, Compared, Continue, RunCheck, Stop
from loopwright.core.verdict import judge
from loopwright.store import mirror
from tests.support.builders import (
    Story,
    a_loop,
    an_improving_loop,
    answer,
    answer_to,
    block,
    failed,
    order,
    passed,
    proof,
    turn,
    with_check,
)
from tests.support.executing import Executing, a_plan, a_plan_loop, a_task, check_of
from tests.support.night import RUNNER, Night, a_free_loop, began, came, over
from tests.torture.model.test_words import unfenced

DONE = block({"tests pass": True}, exit=True)


def test_a_check_that_moved_the_tree_proves_nothing_if_the_files_come_back():
    """The hook dies before the second round, and the agent puts back what the check has changed."""
    story = Story(a_loop())
    story.tell(turn(DONE, "tree-a"))
    story.tell(passed("tests pass", left="tree-b", moved="x.py"))

    assert isinstance(story.tell(turn(DONE, "tree-a")), RunCheck)
    assert isinstance(story.tell(failed("tests pass")), Continue)


def test_a_check_that_ran_after_one_that_moved_the_tree_proves_nothing_for_the_first_tree():
    story = Story(a_loop(criteria=(with_check("lint"), with_check("tests pass"))))
    story.tell(turn(DONE, "tree-a"))
    story.tell(passed("lint", left="tree-b"))
    story.tell(passed("tests pass", left="tree-b"))
    story.tell(turn(DONE, "tree-a"))

    assert not any(story.loop.is_met(c) for c in story.loop.criteria)


def test_a_person_who_orders_tasks_while_gaps_are_checked_breaks_nothing():
    story = Executing(a_plan_loop(a_plan(a_task("01"), retries=1, rounds=2)))
    story.tell(order("verify"))
    while isinstance(story.directive, RunCheck):
        story.tell(failed(story.directive.criterion))
    asked = story.tell(turn("GAP CLOSED: src/01.py", "tree-2"))

    assert isinstance(story.tell(order("execute")), Continue)
    assert isinstance(story.tell(answer_to(asked, passed(asked.criterion))), Stop)
    assert story.happened(ev.CheckDropped)


def test_the_time_between_two_turns_of_a_runner_counts_before_the_next_begins():
    night = Night(a_free_loop())
    night.begin()
    night.over()

    assert isinstance(night.tell(began(at=night.now + night.loop.limits.minutes * 60)), Stop)
    assert night.loop.cause == "clock"


def test_files_that_were_written_while_a_must_not_was_checked_void_it_too():
    story = Story(a_loop(base="c0ffee", forbidden=(with_check("no debug"),)))
    story.tell(turn(DONE))
    while isinstance(story.directive, RunCheck):
        name = story.directive.criterion
        story.tell(failed(name) if name == "no debug" else passed(name))
    asked = story.directive

    story.tell(Compared(0.0, asked.round, asked.fence, asked.tree, touched=("no debug",), files="debug.py"))

    assert isinstance(story.directive, RunCheck)
    assert story.directive.criterion == "no debug"


def test_what_the_agent_is_taught_stands_outside_of_a_fence_that_was_cut():
    long = tuple(with_check(f"check {n}", proof=proof(f"check {n}", fine=False, detail="x" * 1_400)) for n in range(9))
    loop = a_loop(criteria=long, tree="tree-1")

    assert wording.protocol(loop) in unfenced(wording.go_on(loop))


def test_one_name_that_is_too_long_for_the_block_is_left_out():
    loop = a_loop(criteria=(with_check("x" * 9_000),))

    assert "CRITERIA: {}" in wording.block(loop, "go on")
    assert len(wording.go_on(loop)) <= wording.MOST_PROMPT


# --- Mutants that nobody had noticed, and branches that nobody took ---


def rounds_of(story: Story) -> list[int]:
    return [event.turn.round for event in story.happened(ev.RoundBegan)]


def test_every_round_has_a_number_of_its_own():
    plan = Executing(a_plan_loop(a_plan(a_task("01"), retries=1, rounds=2)))
    plan.turn("TASK COMPLETE: 01", checks=dict.fromkeys((check_of("01"), "artifact src/01.py"), True))
    closing = Story(a_loop(base="c0ffee", last=(Criterion("no leaks", Check("x", origin="holdout")),)))
    closing.turn(DONE, checks={"tests pass": True})
    asked = closing.directive
    closing.tell(Compared(0.0, asked.round, asked.fence, "another tree"))
    night = Night(a_free_loop())
    night.begin()
    night.tell(over("done"))
    night.tell(came())

    for story in (plan, closing, night):
        rounds = rounds_of(story)
        assert len(rounds) >= 2
        assert rounds == sorted(set(rounds))


def test_a_runner_is_not_strict_and_has_no_lanes_unless_it_says_so():
    assert not Night(a_free_loop()).run.strict
    assert (Run(("claude",)).lanes, Run(("claude",)).turns) == (0, 0)


def test_a_finding_is_known_by_eight_letters():
    assert len(Finding("high", "test deleted", "t.py").key) == 8


def test_what_a_check_found_outside_of_a_round_is_kept():
    assert evolve(a_loop(), ev.CheckRan(proof("tests pass"), "tree-1")).criteria[0].proof == proof("tests pass")


def test_a_must_not_that_waits_for_a_person_is_named_in_the_verdict():
    forbidden = (Criterion("no debug", Check("grep", origin="file", allowed=False)),)
    loop = a_loop(
        criteria=(with_check("tests pass", proof=proof("tests pass"), guard=False),), forbidden=forbidden, tree="tree-1"
    )

    assert judge(loop).name == "MONITOR"
    assert "must-not was never checked" in judge(loop).why


@pytest.mark.parametrize("stage", ["execute", "verify"])
def test_the_yes_to_the_start_of_a_plan_begins_with_its_tasks_or_with_looking(stage):
    plan = a_plan(a_task("01"))
    plan = plan.but(done=("01",), stage=stage) if stage == "verify" else plan
    story = Story(a_plan_loop(plan, gates=True).but(status="asking", gate=Gate("G1", "Begin?"), plan=plan))

    assert isinstance(story.tell(answer("yes")), RunCheck if stage == "verify" else Continue)


def test_the_mirror_of_a_plan_shows_its_tasks():
    shown = mirror.fields(a_plan_loop(a_plan(a_task("01"), a_task("02"))))

    assert "01" in str(shown)


def in_lanes(iterations: int, **run):
    """Three tasks side by side, the first of them under way."""
    plan = a_plan(a_task("01"), a_task("02"), a_task("03"))
    lanes = (Lane("01", 1.0, "claude", 5.0, 1),)
    limits = Limits(iterations=iterations, dollars=25.0)
    loop = a_plan_loop(plan, limits=limits, lease=Lease(RUNNER), run=Run(("claude",), **run), spend=Spend(1))
    return Story(loop.but(plan=loop.plan.but(lanes=lanes)))


def test_a_lane_begins_only_if_a_turn_is_left_beside_those_that_are_under_way():
    begins = Began(0.0, RUNNER, place=Place("02", "lanes/02", "loop/02", "c0ffee"))

    assert in_lanes(2, lanes=2).tell(begins) == Stop("not now")
    assert isinstance(in_lanes(3, lanes=2).tell(begins), Continue)


def test_the_last_lane_that_is_free_may_spend_all_that_is_left():
    story = in_lanes(9, lanes=2)
    story.tell(Began(0.0, RUNNER, place=Place("02", "lanes/02", "loop/02", "c0ffee")))

    assert [lane.reserve for lane in story.loop.plan.lanes] == [5.0, 20.0]


def test_talk_about_what_is_only_claimed_pauses_a_plan():
    plan = a_plan(a_task("01"), must_haves=(MustHave("it looks good"),))
    story = Executing(a_plan_loop(plan.but(done=("01",), stage="verify"), limits=Limits(stuck=9, idle=3)))
    fine = dict.fromkeys((c.name for c in story.loop.criteria), True)
    for _ in range(4):
        if story.loop.status == "running":
            Story.turn(story, "hm", checks=fine, tools=0)

    assert (story.loop.status, story.loop.cause) == ("paused", "idle")


@pytest.mark.parametrize(("known", "moves"), [(0, 1), (7, 0)], ids=["not known yet", "known"])
def test_the_pid_of_a_client_is_learned_once(known, moves):
    story = Story(a_loop(lease=Lease("s1", known)))
    story.tell(turn(pid=8))

    assert len(story.happened(ev.LeaseTaken)) == moves


def test_to_record_the_first_step_is_not_idle_talk():
    story = Story(a_loop(tree="tree-1", workflow=Workflow("B", "the cause")))
    story.turn(block({}, "GATE: a race"), tools=0, checks={"tests pass": False})

    assert story.loop.streak.idle == 0


def test_work_that_ends_blocked_was_not_idle():
    story = Story(an_improving_loop("an item", streak=Streak(idle=2)))
    story.tell(turn(block({}, "BLOCKED: no key"), "tree-2"))

    assert story.loop.streak.idle == 0


def test_while_nobody_drives_the_clock_stands_still():
    story = Story(a_loop())
    story.tell(order("detach"))

    assert story.loop.since == 0.0


def test_a_look_back_that_finds_something_grave_ends_the_round():
    story = Story(a_loop(base="c0ffee"))
    asked = story.turn(DONE, checks={"tests pass": True})
    story.tell(Compared(0.0, asked.round, asked.fence, asked.tree, (Finding("high", "test deleted", "t.py"),)))

    assert story.loop.turn is None


@pytest.mark.parametrize(("seconds", "status"), [(60.0, "running"), (60.5, "paused")])
def test_a_runner_waits_for_as_long_as_its_limit_says(seconds, status):
    night = Night(a_free_loop(limits=Limits(wait=1)))
    night.begin()
    night.over(limited=True, until=night.now + 10.0 + seconds)

    assert night.loop.status == status


def test_a_runner_that_says_no_more_works_in_place_and_is_patient():
    assert RunnerCame(("claude",)) == RunnerCame(("claude",), "", 0, False)
    assert Run(("claude",)) == Run(("claude",), "", "", 0, False, 0.0, 0.0, 0)
    assert Run(("claude",)).waited == Run(("claude",)).until == 0.0
