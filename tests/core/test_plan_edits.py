"""A plan that changes after its start: by its person, by landings that wait, by commits that no task made."""

from __future__ import annotations

from loopwright.core.directives import Continue, MergeLane
from loopwright.core.plan import events as pl
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.plan import UnplannedChange
from loopwright.core.plan.schedule import remaining_seconds
from loopwright.core.signals import Committed, LaneReady, PlanEdited, UnplannedSeen
from tests.support.builders import order, passed, turn
from tests.support.night import OTHER, RUNNER
from tests.support.plan_stories import (
    LanesStory,
    PlanStory,
    a_plan,
    a_plan_loop,
    a_task,
    check_of,
)

TWO = a_plan(a_task("01"), a_task("02"))


def edited(*names: str, **changes) -> PlanEdited:
    plan = a_plan(*map(a_task, names))
    return PlanEdited(0.0, plan, plan_criteria(plan, {}), what="added 03", **changes)


def test_a_new_task_is_added_and_the_progress_of_the_others_is_kept():
    story = PlanStory(a_plan_loop(TWO))
    story.completes("01")

    said = story.tell(edited("01", "02", "03"))

    assert "added 03" in said.message
    assert [task.id for task in story.plan.tasks] == ["01", "02", "03"]
    assert story.plan.done == ("01",)
    assert check_of("03") in {c.name for c in story.loop.criteria}
    assert not story.events_of(pl.StageEntered), "it is executed as before"


def test_a_task_that_is_gone_takes_its_progress_along():
    story = PlanStory(a_plan_loop(TWO), failing=(check_of("02"),))
    story.completes("01", "02")
    assert (story.plan.done, story.plan.failure_of("02").times) == (("01",), 1)

    story.tell(edited("03"))

    assert (story.plan.done, story.plan.failures) == ((), ())


def test_a_task_that_is_to_be_done_again_reopens_a_plan_that_is_verified():
    story = PlanStory(a_plan_loop(TWO, ("lint",)), failing=("lint",))
    story.completes("01", "02")
    assert story.plan.stage == "verify"

    story.tell(PlanEdited(0.0, retry=("02",), what="again: 02"))

    assert (story.plan.stage, story.plan.done) == ("execute", ("01",))
    assert not story.loop.check_round


def test_a_round_of_checks_ends_when_the_plan_changes_under_it():
    story = PlanStory(a_plan_loop(a_plan(a_task("01")), ("lint",)))
    story.tell(turn("TASK COMPLETE: 01", "tree-2"))
    story.tell(passed(check_of("01")))
    assert story.loop.check_round
    assert story.plan.stage == "verify"

    story.tell(PlanEdited(0.0, retry=("01",), what="again: 01"))

    assert (story.plan.stage, story.loop.check_round) == ("execute", None)


# --- What a runner reports ---


def in_lanes(failing: tuple[str, ...] = ()) -> LanesStory:
    story = LanesStory(a_plan_loop(TWO), failing)
    for task in ("01", "02"):
        story.begin(task)
    return story


def test_a_landing_that_the_person_blocks_waits_and_is_checked_again_on_its_new_commit():
    story = in_lanes()
    story.finishes("01")

    assert story.merges("01", "main has your edit of src/01.py", blocked=True) == Continue("")
    assert story.plan.landings == (("01", "commit-01"),)
    assert story.plan.failures == (), "it is no attempt of the agent"
    told = story.answer_checks(story.tell(LaneReady(0.0, RUNNER, "01", "commit-2", "tree-9")))

    assert told == MergeLane("01", "commit-2")
    story.merges("01", commit="commit-2")
    assert (story.plan.done, story.plan.landings) == (("01",), ())


def test_work_that_was_ready_before_a_pause_waits_for_the_runner_that_continues():
    story = in_lanes()

    assert story.tell(LaneReady(0.0, OTHER, "01", "c")) == Continue("")
    story.tell(order("pause"))
    assert story.tell(LaneReady(0.0, RUNNER, "01", "c")) == Continue("")
    assert not story.loop.check_round


def test_the_fix_of_a_gap_that_was_ready_is_checked_by_its_own_check():
    story = LanesStory(a_plan_loop(a_plan(a_task("01")), ("lint", "test")), ("lint", "test"))
    story.begin("01")
    story.finishes("01")
    story.merges("01")
    story.begin("ci_failure:lint")
    story.finishes("ci_failure:lint", mended=("lint",))
    ran = len(story.checks_run)

    ready = LaneReady(0.0, RUNNER, "ci_failure:lint", "commit-2", "tree-9")

    assert story.answer_checks(story.tell(ready)) == MergeLane("ci_failure:lint", "commit-2")
    assert story.checks_run[ran:] == ["lint"]


def test_a_fix_that_changed_nothing_or_that_git_refused_makes_no_commit():
    story = LanesStory(a_plan_loop(a_plan(a_task("01")), ("lint", "test")), ("lint", "test"))
    story.begin("01")
    story.finishes("01")
    story.merges("01")
    for gap in ("ci_failure:lint", "ci_failure:test"):
        story.begin(gap)
    story.finishes("ci_failure:lint", mended=("lint",))
    story.merges("ci_failure:lint", unchanged=True)
    story.finishes("ci_failure:test", mended=("test",))

    story.merges("ci_failure:test", "it conflicts")

    assert [event.name for event in story.events_of(pl.CommitMade)] == []
    assert [event.key for event in story.events_of(pl.GapClosed)] == ["ci_failure:lint"]


def test_a_commit_and_what_no_task_made_are_recorded_once():
    story = in_lanes()
    change = UnplannedChange("commit", ("c0ffee",))

    assert story.tell(Committed(0.0, "01", "c1")) == Continue("")
    for _ in range(2):
        assert story.tell(UnplannedSeen(0.0, (change,))) == Continue("")

    assert story.plan.commits == (("01", "c1"),)
    assert story.plan.unplanned == (change,)


def test_the_rest_of_a_plan_takes_as_long_as_its_tasks_took_so_far():
    plan = a_plan(durations=(("01", 60.0),), done=("01",))

    assert remaining_seconds(plan, lanes=2) == 120.0
    assert remaining_seconds(a_plan(*TWO.tasks, a_task("03")), lanes=1) == 3.0
    assert remaining_seconds(plan.but(done=("01", "02", "03")), lanes=2) == 0.0
