"""A recorded loop under other limits: earlier, later, or as it was."""

from __future__ import annotations

from loopwright.core.events import LoopStarted
from loopwright.core.limits import Limits
from loopwright.views.replay import ReplayResult, replay_moves
from tests.support.builders import Story, a_loop, answer, block, order, turn
from tests.support.night import Night, a_free_loop

TRY, CLAIM = "trying", block({"tests pass": True}, exit=True)


def tries(story: Story, times: int, checks: bool = False, **facts: object) -> None:
    for _ in range(times):
        story.turn(
            CLAIM if checks else TRY,
            f"tree-{story.now}",
            checks={"tests pass": checks},
            **{"dollars": 1.0, **facts},
        )


def replayed(story: Story, first: object, **limits: float) -> ReplayResult:
    return replay_moves([(LoopStarted(first),), tuple(story.events)], limits)  # type: ignore[arg-type]


def a_story(**limits: float) -> tuple[Story, object]:
    story = Story(a_loop(limits=Limits(**{"stuck": 50, "iterations": 50, **limits})))  # type: ignore[arg-type]
    return story, story.loop


def test_without_other_limits_it_is_the_record() -> None:
    story, first = a_story()
    tries(story, 3)
    tries(story, 1, checks=True)
    assert replayed(story, first) == ReplayResult(story.loop)
    assert replayed(story, first, dollars=20.0).diverged_at == 0


def test_a_lower_limit_stops_it_earlier_and_says_where() -> None:
    story, first = a_story()
    tries(story, 5)
    tries(story, 1, checks=True)
    other = replayed(story, first, dollars=2.0)
    assert (other.loop.status, other.loop.pause.cause, other.diverged_at) == ("paused", "budget", 2)
    assert (other.loop.spend.iterations, other.loop.spend.dollars) == (2, 2.0)


def test_a_proof_in_the_last_turn_that_was_paid_for_still_counts() -> None:
    story, first = a_story()
    tries(story, 2)
    tries(story, 1, checks=True)
    assert replayed(story, first, dollars=3.0).loop.status == "finished"


def test_a_pause_that_would_not_have_been_leaves_the_rest_unknown() -> None:
    story, first = a_story(dollars=3.0)
    tries(story, 3)
    assert story.loop.pause.cause == "budget"
    other = replayed(story, first, dollars=10.0)
    assert (other.outcome_known, other.diverged_at, other.loop.status) == (False, 3, "running")
    story.tell(order("cancel"))
    assert replayed(story, first, dollars=10.0).outcome_known is False, (
        "who cancels a paused loop says nothing of one that works"
    )


def test_where_a_person_went_on_the_record_tells_the_rest() -> None:
    story, first = a_story(dollars=3.0)
    tries(story, 3)
    story.tell(order("continue", dollars=5.0).but(at=90_000.0))
    tries(story, 1)
    tries(story, 1, checks=True)
    assert story.loop.status == "finished"
    other = replayed(story, first, dollars=10.0)
    assert (other.outcome_known, other.diverged_at, other.loop.status) == (True, 3, "finished")
    assert other.loop.spend == story.loop.spend, "the hours of the pause are nobody's work"


def test_a_named_limit_is_final_even_where_somebody_raised_it() -> None:
    story, first = a_story(dollars=3.0)
    tries(story, 3)
    story.tell(order("continue", dollars=5.0))
    tries(story, 1, checks=True)
    same = replayed(story, first, dollars=3.0)
    assert (same.loop.status, same.loop.spend.iterations, same.diverged_at) == ("paused", 3, 0)


def test_a_pause_with_another_reason_stays_and_so_does_the_answer_to_it() -> None:
    story, first = a_story()
    tries(story, 2)
    story.tell(turn("---LOOP_STATUS---\nASK: which port?\n---END_STATUS---"))
    story.tell(answer("8080"))
    story.tell(order("pause"))
    story.tell(order("continue"))
    tries(story, 1, checks=True)
    assert replayed(story, first, stuck=40) == ReplayResult(
        story.loop.but(limits=story.loop.limits.but(stuck=40))
    )


def test_another_breaker_may_stand_behind_the_one_that_was_lifted() -> None:
    story, first = a_story(dollars=3.0, iterations=3)
    tries(story, 3)
    assert story.loop.pause.cause == "budget"
    other = replayed(story, first, dollars=10.0)
    assert (other.loop.pause.cause, other.outcome_known) == ("iterations", True)


def test_an_hour_that_passes_before_the_next_turn_of_a_runner_counts() -> None:
    night = Night(a_free_loop())
    night.whole_turn(TRY, "tree-2", dollars=1.0)
    night.whole_turn(TRY, "tree-3", begun=night.now + 3600, dollars=1.0)
    assert night.loop.status == "running"
    other = replay_moves(night.journal, {"minutes": 30.0})
    assert (
        other.loop.pause.cause,
        other.loop.spend.iterations,
        other.loop.spend.seconds > 3600,
    ) == ("clock", 1, True)
