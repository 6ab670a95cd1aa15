"""What the worst nights have found in the rules: a story each; and mutants of the rules that nobody had noticed."""

from __future__ import annotations

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import Continue, RunCheck, Stop, Wait
from loopwright.core.discovery.backlog import MAX_ITEMS
from loopwright.core.draft import Draft
from loopwright.core.engine import policy_of
from loopwright.core.findings import Finding
from loopwright.core.limits import Limits, Spend, Streak
from loopwright.core.loop import Gate, Lease, Workflow
from loopwright.core.plan.plan import Gap, Lane, MustHave, TaskWorktree
from loopwright.core.policies import assignments
from loopwright.core.policies.plan import fail_task
from loopwright.core.policies.runner_report import FIRST_WAIT_SECONDS
from loopwright.core.prompts import messages, parts
from loopwright.core.proof.verdict import verdict_of
from loopwright.core.runner.events import AgentLimited, RunnerStarted, TurnReported
from loopwright.core.runner.run import Run, RunnerReport, with_wait_ended
from loopwright.core.signals import BaselineComparison, TurnStarting
from loopwright.store import mirror
from tests.support.builders import (
    Story,
    a_discovery_loop,
    a_loop,
    answer,
    answer_to,
    at_work,
    block,
    edit_backlog,
    failed,
    order,
    passed,
    proof,
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
from tests.support.plan_stories import PlanStory, a_plan, a_plan_loop, a_task, check_of
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
    story = PlanStory(a_plan_loop(a_plan(a_task("01"), retries=1, max_fix_rounds=2)))
    story.tell(order("verify"))
    while isinstance(story.directive, RunCheck):
        story.tell(failed(story.directive.criterion))
    asked = story.tell(turn("GAP CLOSED: src/01.py", "tree-2"))

    assert isinstance(story.tell(order("execute")), Continue)
    assert isinstance(story.tell(answer_to(asked, passed(asked.criterion))), Stop)
    assert story.events_of(ev.CheckResultDropped)


def test_the_time_between_two_turns_of_a_runner_counts_before_the_next_begins():
    night = Night(a_free_loop())
    night.begin()
    night.end_turn()

    assert isinstance(
        night.tell(turn_starting(at=night.now + night.loop.limits.minutes * 60)), Stop
    )
    assert night.loop.pause.cause == "clock"


def test_files_that_were_written_while_a_must_not_was_checked_void_it_too():
    story = Story(a_loop(tree_id="c0ffee", must_not=(with_check("no debug"),)))
    story.tell(turn(DONE))
    while isinstance(story.directive, RunCheck):
        name = story.directive.criterion
        story.tell(failed(name) if name == "no debug" else passed(name))
    asked = story.directive

    story.tell(
        BaselineComparison(
            0.0,
            asked.round,
            asked.fence,
            asked.tree,
            raced_checks=("no debug",),
            written_files="debug.py",
        )
    )

    assert isinstance(story.directive, RunCheck)
    assert story.directive.criterion == "no debug"


def test_what_the_agent_is_taught_stands_outside_of_a_fence_that_was_cut():
    long = tuple(
        with_check(f"check {n}", proof=proof(f"check {n}", fine=False, detail="x" * 1_400))
        for n in range(9)
    )
    loop = a_loop(criteria=long, tree="tree-1", protocol_due=True)

    assert messages.reply_protocol(loop) in unfenced(messages.continue_prompt(loop))


def test_one_name_that_is_too_long_for_the_block_is_left_out():
    loop = a_loop(criteria=(with_check("x" * 9_000),))

    assert "CRITERIA: {}" in parts.status_block(loop, "go on")
    assert len(messages.continue_prompt(loop)) <= parts.MAX_PROMPT


# --- Mutants that nobody had noticed, and branches that nobody took ---


def rounds_of(story: Story) -> list[int]:
    return [event.check_round.number for event in story.events_of(ev.CheckRoundStarted)]


def test_every_round_has_a_number_of_its_own():
    plan = PlanStory(a_plan_loop(a_plan(a_task("01"), retries=1, max_fix_rounds=2)))
    plan.turn(
        "TASK COMPLETE: 01", checks=dict.fromkeys((check_of("01"), "artifact src/01.py"), True)
    )
    closing = Story(
        a_loop(
            tree_id="c0ffee", final_checks=(Criterion("no leaks", Check("x", origin="holdout")),)
        )
    )
    closing.turn(DONE, checks={"tests pass": True})
    asked = closing.directive
    closing.tell(BaselineComparison(0.0, asked.round, asked.fence, "another tree"))
    night = Night(a_free_loop())
    night.begin()
    night.tell(runner_turn_over("done"))
    night.tell(runner_attached())
    voided = Story(a_loop(tree_id="c0ffee"))
    asked = voided.turn(DONE, checks={"tests pass": True})
    voided.tell(
        BaselineComparison(0.0, asked.round, asked.fence, asked.tree, raced_checks=("tests pass",))
    )
    improving = Story(a_discovery_loop("an item", guards=("lint",)))
    at_work(improving, "one", "two", checks={"lint": True})
    last = PlanStory(a_plan_loop(a_plan(a_task("01")), ("lint", "e2e")))
    last.completes("01")

    for story in (plan, closing, night, voided, improving, last):
        rounds = rounds_of(story)
        assert len(rounds) >= 2
        assert rounds == [*range(1, len(rounds) + 1)]


def test_a_runner_is_not_strict_and_has_no_lanes_unless_it_says_so():
    assert not Night(a_free_loop()).run.strict
    assert (Run(("claude",)).lanes, Run(("claude",)).turns_started) == (0, 0)


def test_a_finding_is_known_by_eight_letters_and_fifty_are_enough():
    finding = Finding("low", "test-deleted", "t.py")
    story = Story(a_loop(tree_id="c0ffee"))
    asked = story.turn(DONE, checks={"tests pass": True})
    story.tell(BaselineComparison(0.0, asked.round, asked.fence, asked.tree, (finding,) * 51))

    assert (len(finding.key), finding.place, len(story.loop.baseline.findings)) == (8, "t.py", 50)


def test_what_a_check_found_outside_of_a_round_is_kept():
    assert ev.CheckRan(proof("tests pass"), "tree-1").apply(a_loop()).criteria[0].proof == proof(
        "tests pass"
    )


def test_a_must_not_that_waits_for_a_person_is_named_in_the_verdict():
    forbidden = (Criterion("no debug", Check("grep", origin="file", allowed=False)),)
    loop = a_loop(
        criteria=(with_check("tests pass", proof=proof("tests pass"), guard=False),),
        must_not=forbidden,
        tree="tree-1",
    )

    assert verdict_of(loop).name == "MONITOR"
    assert "must-not was never checked" in verdict_of(loop).why


@pytest.mark.parametrize("stage", ["execute", "verify"])
def test_the_yes_to_the_start_of_a_plan_begins_with_its_tasks_or_with_looking(stage):
    plan = a_plan(a_task("01"))
    plan = plan.but(done=("01",), stage=stage) if stage == "verify" else plan
    story = Story(
        a_plan_loop(plan, gates_enabled=True).but(
            status="asking", gate=Gate("G1", "Begin?"), plan=plan
        )
    )
    directive = story.tell(answer("yes", "tree-2"))

    assert isinstance(directive, RunCheck if stage == "verify" else Continue)
    assert getattr(directive, "tree", "tree-2") == "tree-2"


def test_the_mirror_of_a_plan_shows_its_tasks():
    shown = mirror.mirror_fields(a_plan_loop(a_plan(a_task("01"), a_task("02"))))

    assert "01" in str(shown)


def in_lanes(iterations: int, **run):
    """Three tasks side by side, the first of them under way."""
    plan = a_plan(a_task("01"), a_task("02"), a_task("03"))
    lanes = (Lane("01", 1.0, "claude", 5.0, 1),)
    limits = Limits(iterations=iterations, dollars=25.0)
    loop = a_plan_loop(
        plan, limits=limits, lease=Lease(RUNNER), run=Run(("claude",), **run), spend=Spend(1)
    )
    return Story(loop.but(plan=loop.plan.but(lanes=lanes)))


def test_a_lane_begins_only_if_a_turn_is_left_beside_those_that_are_under_way():
    begins = TurnStarting(0.0, RUNNER, worktree=TaskWorktree("02", "lanes/02", "loop/02", "c0ffee"))

    assert in_lanes(2, lanes=2).tell(begins) == Stop("not now")
    assert isinstance(in_lanes(3, lanes=2).tell(begins), Continue)


def test_tasks_in_lanes_are_given_to_nobody_else():
    draft = Draft(in_lanes(9, lanes=2).loop, policy_of)
    assignments.assign_work(draft)

    assert draft.loop.plan.assigned == ()


@pytest.mark.parametrize("lanes", [2, 1], ids=["one is free", "fewer were asked for since"])
def test_the_last_lane_that_is_free_may_spend_what_any_turn_may(lanes):
    story = in_lanes(9, lanes=lanes)
    story.tell(
        TurnStarting(0.0, RUNNER, worktree=TaskWorktree("02", "lanes/02", "loop/02", "c0ffee"))
    )

    assert [lane.reserved_dollars for lane in story.loop.plan.lanes] == [5.0, 5.0]


def test_talk_about_what_is_only_claimed_pauses_a_plan():
    plan = a_plan(a_task("01"), must_haves=(MustHave("it looks good"),))
    story = PlanStory(
        a_plan_loop(plan.but(done=("01",), stage="verify"), limits=Limits(stuck=9, idle=3))
    )
    fine = dict.fromkeys((c.name for c in story.loop.criteria), True)
    counted = []
    while story.loop.status == "running":
        Story.turn(story, "hm", checks=fine, tool_calls=0)
        counted.append((story.loop.streak.idle, story.loop.streak.stuck))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "idle")
    assert counted == [(1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize(
    ("known", "moves"),
    [(0, 1), (8, 0), (7, 1)],
    ids=["not known yet", "known", "resumed in another client"],
)
def test_the_pid_of_a_client_is_learned_once(known, moves):
    story = Story(a_loop(lease=Lease("s1", known)))
    story.tell(turn(pid=8))

    assert len(story.events_of(ev.LeaseTaken)) == moves


def test_to_record_the_first_step_is_not_idle_talk():
    story = Story(a_loop(tree="tree-1", workflow=Workflow("B", "the cause")))
    story.turn(block({}, "GATE: a race"), tool_calls=0, checks={"tests pass": False})

    assert story.loop.streak.idle == 0


def test_work_that_ends_blocked_was_not_idle():
    story = Story(a_discovery_loop("an item", streak=Streak(idle=2)))
    story.tell(turn(block({}, "BLOCKED: no key"), "tree-2"))

    assert story.loop.streak.idle == 0


def test_while_nobody_drives_the_clock_stands_still():
    story = Story(a_loop())
    story.tell(order("detach"))

    assert story.loop.clock.running_since == 0.0


def test_a_look_back_that_finds_something_grave_ends_the_round():
    story = Story(a_loop(tree_id="c0ffee"))
    asked = story.turn(DONE, checks={"tests pass": True})
    story.tell(
        BaselineComparison(
            0.0, asked.round, asked.fence, asked.tree, (Finding("high", "test-deleted", "t.py"),)
        )
    )

    assert story.loop.check_round is None


@pytest.mark.parametrize(("seconds", "status"), [(60.0, "running"), (60.5, "paused")])
def test_a_runner_waits_for_as_long_as_its_limit_says(seconds, status):
    night = Night(a_free_loop(limits=Limits(wait=1)))
    night.begin()
    night.end_turn(usage_limited=True, limit_reset_at=night.now + 10.0 + seconds)

    assert night.loop.status == status


def test_a_runner_that_says_no_more_works_in_place_and_is_patient():
    assert RunnerStarted(("claude",)) == RunnerStarted(("claude",), "", 0, False)
    assert Run(("claude",)) == Run(("claude",), "", "", 0, False, 0.0, 0.0, 0)
    assert (
        Run(("claude",)).waited_seconds
        == Run(("claude",)).waiting_until
        == Run(("claude",)).waiting_since
        == Run(("claude",)).consecutive_faults
        == 0
    )
    assert not Run(("claude",)).blocked_by_denials
    assert RunnerReport("claude") == RunnerReport(
        "claude", "", (), "", "", False, False, (), False, 0.0, ""
    )
    assert TurnReported(RunnerReport("claude")) == TurnReported(
        RunnerReport("claude"), False, False
    )


def test_a_runner_that_comes_in_the_middle_of_a_turn_has_none_under_way():
    night = Night()
    night.begin()
    night.tell(runner_attached(session=OTHER))

    assert (
        night.run.turn_started_at,
        night.run.reserved_dollars,
        night.loop.clock.running_since,
    ) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("after", "waits"),
    [(0.5, 0.5), (0.0, FIRST_WAIT_SECONDS), (-5.0, FIRST_WAIT_SECONDS)],
    ids=["soon", "now", "passed"],
)
def test_an_agent_is_limited_until_its_reset_or_for_the_first_wait(after, waits):
    night = Night()
    night.begin()
    night.end_turn(usage_limited=True, limit_reset_at=night.now + 10.0 + after)

    assert night.directive == Wait(
        night.now + waits, night.run.waiting_reason, night.directive.message
    )
    assert night.events_of(AgentLimited) == [AgentLimited("claude", night.now + waits, after > 0)]


def test_where_no_agent_can_work_yet_the_first_one_is_asked_all_the_same():
    night = Night(None, "claude", "codex")
    night.whole_turn(usage_limited=True, limit_reset_at=8_000.0)
    night.whole_turn(usage_limited=True, limit_reset_at=9_000.0)
    night.begin()

    assert night.run.agent == "claude"


@pytest.mark.parametrize(
    ("until", "at", "seconds"),
    [(10.5, 99.0, 0.5), (99.0, 10.5, 0.5), (99.0, 9.0, 0.0), (0.0, 99.0, 0.0)],
)
def test_what_was_waited_is_counted_to_its_end_or_until_somebody_works(until, at, seconds):
    assert with_wait_ended(Run(("claude",), waiting_until=until, waiting_since=10.0), at) == Run(
        ("claude",), waited_seconds=seconds
    )


def test_at_its_very_reset_an_agent_can_work():
    night = Night(None, "claude", "codex")
    night.whole_turn(usage_limited=True, limit_reset_at=2_000.0)
    night.begin()
    directive = night.end_turn(usage_limited=True, limit_reset_at=9_000.0, at=2_000.0)

    assert directive.message.endswith("claude continues.")
    night.begin(at=2_000.0 + 10.0)
    night.end_turn(usage_limited=True, limit_reset_at=3_000.0)
    assert night.tell(runner_attached("claude", "codex", at=3_000.0)) == Continue("")


def test_what_is_remembered_of_a_task_that_failed_has_an_end():
    draft = Draft(a_plan_loop(a_plan(a_task("01"))), policy_of)
    fail_task(draft, "01", "e" * 9_000, "a" * 9_000, "f" * 9_000)
    failure = draft.loop.plan.failure_of("01")

    assert (len(failure.error), len(failure.analysis), len(failure.fix)) == (4_000, 1_000, 1_000)


@pytest.mark.parametrize(
    ("gaps", "closed"), [(1, True), (2, False)], ids=["the only one", "one of two"]
)
def test_closed_without_a_name_is_the_only_gap_that_was_given(gaps, closed):
    story = PlanStory(a_plan_loop(a_plan(a_task("01")), ("lint",)), failing=("lint",))
    story.completes("01")
    reported = tuple(Gap("orphan", f"src/{n}.py", "nobody imports it") for n in range(gaps))
    story.says("I looked around.", reported_gaps=reported, mended=("lint",))
    story.says("GAP CLOSED")

    assert (story.loop.status == "finished") == closed


def test_who_goes_on_in_the_middle_of_a_round_of_fixing_begins_no_other():
    story = PlanStory(a_plan_loop(a_plan(a_task("01")), ("lint",)), failing=("lint",))
    story.completes("01")
    story.tell(order("pause"))
    story.tell(order("continue"))

    assert (story.plan.fix_rounds, story.plan.assigned, story.loop.dialogue.turn_continued) == (
        1,
        ("ci_failure:lint",),
        True,
    )


@pytest.mark.parametrize(("retries", "tries"), [(0, 1), (1, 1), (2, 2)])
def test_a_gap_is_parked_at_its_last_try_and_has_one_in_any_case(retries, tries):
    story = PlanStory(
        a_plan_loop(a_plan(a_task("01"), retries=retries), ("lint",)), failing=("lint",)
    )
    story.completes("01")
    while story.loop.status == "running":
        story.says("GAP FAILED: it will not")

    assert (story.loop.pause.cause, story.plan.gaps[0].tries) == ("parked", tries)


def test_a_backlog_that_began_over_full_takes_no_more():
    story = Story(a_discovery_loop(*map(str, range(MAX_ITEMS + 3))))
    story.tell(edit_backlog(found=("one more", "and another")))

    assert len(story.loop.backlog.items) == MAX_ITEMS + 3


def test_a_note_by_command_stays_though_somebody_edited_the_page_without_it():
    story = Story(a_discovery_loop("an item", backlog={"added_notes": ("seen", "not seen")}))
    story.tell(edit_backlog(notes="theirs", notes_on_page=("seen",)))

    assert (story.loop.backlog.notes, story.loop.backlog.added_notes) == ("theirs", ("not seen",))


def test_after_a_task_that_is_done_nobody_is_idle_or_stuck():
    story = PlanStory()
    story.completes("01")

    assert (story.loop.streak.idle, story.loop.streak.stuck) == (0, 0)
