"""The spec policy: when a loop goes on, asks, pauses and ends."""

import pytest

from loopwright.core.directives import Ask, Continue, Stop
from loopwright.core.limits import Limits, Streak
from loopwright.core.prompts.spec import ASSUMED_REASON, NO_EXIT_REASON
from loopwright.core.signals import ToolOutcome
from tests.support.builders import (
    Story,
    a_colleague,
    a_loop,
    a_loop_without_checks,
    an_asking_loop,
    answer,
    block,
    first_line,
    passed,
    turn,
    without_check,
)

SEED = ("tests pass", "lint clean", "no type errors")
ALL_TRUE = dict.fromkeys(SEED, True)


# --- The decision, in its order, with the seeds' own words ---


def test_vector_1_unmet_criteria_are_named_in_their_order():
    story = Story(a_loop_without_checks(*SEED))

    directive = story.tell(
        turn(block({"tests pass": False, "lint clean": True, "no type errors": False}))
    )

    assert first_line(directive) == "unmet criteria: tests pass, no type errors"


def test_vector_2_all_met_without_the_exit_signal_goes_on():
    directive = Story(a_loop_without_checks(*SEED)).tell(turn(block(ALL_TRUE)))

    assert first_line(directive) == "criteria met but exit_signal not set - verify completion"


def test_vector_2_all_met_and_the_exit_signal_ends_the_loop():
    story = Story(a_loop_without_checks(*SEED))

    directive = story.tell(turn(block(ALL_TRUE, exit=True)))

    assert (directive.reason, story.loop.status) == ("complete", "finished")


def test_vector_2_stuck_five_times_opens_the_circuit():
    story = Story(a_loop_without_checks("a", streak=Streak(unmet=(("a",),), stuck=4)))

    directive = story.tell(turn(tree=story.loop.tree))

    assert directive.reason == "circuit breaker triggered after 5 stuck iterations"
    assert story.loop.status == "paused"


@pytest.mark.parametrize("session", ["s1", "s2"])
@pytest.mark.parametrize("status", ["cancelled", "finished"])
def test_vector_2_what_has_ended_is_let_go_in_silence_whatever_the_rest(status, session):
    story = Story(a_loop(status=status, running_since=0.0))

    assert story.tell(turn(block({"tests pass": False}), session=session)) == Stop()
    assert story.events == []


def test_a_paused_loop_lets_the_agent_stop_in_silence():
    story = Story(a_loop(status="paused", running_since=0.0))

    assert story.tell(turn("anything")) == Stop()
    assert story.events == []


def test_an_asking_loop_lets_the_agent_stop_and_asks_again():
    story = Story(an_asking_loop("G1", "Here are 3 steps. Proceed?"))

    assert story.tell(turn("anything")).question == "Here are 3 steps. Proceed?"
    assert story.events == []


def test_vector_3_an_assumption_blocks_the_exit():
    story = Story(a_loop_without_checks("tests pass"))

    directive = story.tell(
        turn(block({"tests pass": {"met": True, "verification": "assumption"}}, exit=True))
    )

    assert (
        first_line(directive)
        == "criterion verified by assumption only - requires actual verification"
    )
    assert '- tests pass: "assumption" does not count' in directive.prompt
    assert story.loop.status == "running"


@pytest.mark.parametrize("kind", ["code review", "observation", "measurement", "execution output"])
def test_vector_3_what_only_the_agent_has_seen_is_reported_at_best_monitor(kind):
    story = Story(a_loop_without_checks("tests pass"))

    directive = story.tell(
        turn(block({"tests pass": {"met": True, "verification": kind}}, exit=True))
    )

    assert (directive.verdict.name, directive.verdict.proven) == ("MONITOR", False)
    assert "reported by the agent, not run" in directive.message


def test_vector_3_an_observation_that_a_person_confirms_is_accepted_not_proven():
    story = Story(a_colleague(criteria=(without_check("tests pass"),)))

    asked = story.tell(
        turn(block({"tests pass": {"met": True, "verification": "observation"}}, exit=True))
    )
    question = 'The agent says "tests pass". No command has run. Accept its word?'
    assert asked == Ask(question, story.directive.message)
    assert f"{question} y = done" in asked.message
    ended = story.tell(answer("yes"))

    verdict = story.loop.verdict
    assert (verdict.name, verdict.proven, verdict.grade) == ("MONITOR", False, "accepted")
    assert "accepted by you, no command has run" in ended.message


def test_the_assumption_is_named_before_the_missing_exit_signal():
    directive = Story(a_loop_without_checks("a")).tell(
        turn(block({"a": {"met": True, "verification": "assumption"}}))
    )

    assert first_line(directive) == ASSUMED_REASON


def test_an_unmet_criterion_is_named_before_an_assumption():
    directive = Story(a_loop_without_checks("a", "b")).tell(
        turn(block({"a": {"met": True, "verification": "assumption"}, "b": False}))
    )

    assert first_line(directive) == "unmet criteria: b"


def test_an_assumption_is_forgotten_once_our_own_run_has_proven_the_criterion():
    story = Story(a_loop())

    story.tell(turn(block({"tests pass": {"met": True, "verification": "assumption"}}, exit=True)))
    story.tell(passed("tests pass"))

    assert story.loop.status == "finished"
    assert story.loop.verdict.name == "SHIP"


def test_m9_success_comes_before_the_circuit_breaker():
    story = Story(
        a_loop_without_checks(
            "a", streak=Streak(unmet=(("a",),), stuck=5), limits=Limits(iterations=1)
        )
    )

    assert story.tell(turn(block({"a": True}, exit=True))).reason == "complete"


def test_a_loop_that_lacks_only_the_exit_signal_is_bounded_all_the_same():
    story = Story(a_loop_without_checks("a", limits=Limits(iterations=2)))

    assert first_line(story.tell(turn(block({"a": True})))) == NO_EXIT_REASON
    assert story.tell(turn(block({"a": True}))).reason == "iteration limit of 2 reached"


def test_being_stuck_is_no_reason_to_pause_when_nothing_is_unmet():
    story = Story(a_loop_without_checks("a", streak=Streak(unmet=((),), stuck=7)))

    assert first_line(story.tell(turn(block({"a": True})))) == NO_EXIT_REASON


def test_m6_a_loop_without_criteria_never_succeeds_and_is_bounded():
    story = Story(a_loop(criteria=(), limits=Limits(iterations=2)))

    assert isinstance(story.tell(turn(block({}, exit=True))), Continue)
    assert story.tell(turn(block({}, exit=True))).reason == "iteration limit of 2 reached"


# --- Errors ---


def test_a_passing_fault_is_retried_once_then_pauses():
    story = Story(a_loop_without_checks("a"))

    assert isinstance(
        story.turn(tree="tree-1", tool_outcomes=(ToolOutcome("curl", "connection reset"),)),
        Continue,
    )
    directive = story.turn(tree="tree-2", tool_outcomes=(ToolOutcome("curl", "request timed out"),))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "transient")
    assert "request timed out" in directive.reason


def test_a_passing_fault_that_passed_is_forgotten():
    story = Story(a_loop_without_checks("a"))
    story.turn(tree="tree-1", tool_outcomes=(ToolOutcome("curl", "connection reset"),))
    story.turn(tree="tree-2", tool_outcomes=(ToolOutcome("curl"),))

    assert isinstance(
        story.turn(tree="tree-3", tool_outcomes=(ToolOutcome("curl", "connection reset"),)),
        Continue,
    )


def test_a_blocking_error_pauses_at_once():
    story = Story(a_loop_without_checks("a"))

    story.turn(tool_outcomes=(ToolOutcome("git push", "Permission denied (publickey)"),))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "trouble")
    assert story.loop.pause.why == "blocked by Permission denied (publickey)"


def test_a_blocking_error_that_the_agent_worked_past_is_no_trouble():
    story = Story(a_loop_without_checks("a"))

    assert isinstance(
        story.turn(tool_outcomes=(ToolOutcome("cp", "permission denied"), ToolOutcome("cp"))),
        Continue,
    )


def test_an_unknown_error_of_a_tool_is_the_agents_to_fix():
    assert isinstance(
        Story(a_loop_without_checks("a")).turn(
            tool_outcomes=(ToolOutcome("make", "frobnication failed"),)
        ),
        Continue,
    )


def test_an_unknown_api_error_pauses_and_asks():
    story = Story(a_loop_without_checks("a"))

    story.tell(turn(api_failure="API Error: 418 teapot"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "trouble")
    assert story.loop.pause.why == "unknown error, guidance needed: API Error: 418 teapot"


def test_a_failed_api_call_is_no_iteration_and_holds_nobody():
    story = Story(a_loop())

    assert story.tell(turn(api_failure="overloaded")) == Stop()
    assert (story.loop.spend.iterations, story.loop.status) == (0, "running")


def test_a_second_failed_api_call_pauses():
    story = Story(a_loop())
    story.tell(turn(api_failure="overloaded"))

    story.tell(turn(api_failure="rate limit"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "transient")


def test_a_full_context_pauses():
    story = Story(a_loop())
    story.tell(turn(api_failure="Prompt is too long"))

    assert story.loop.pause.cause == "trouble"


@pytest.mark.parametrize(
    "facts", [{"busy": True}, {"plan_mode": True}], ids=["background work", "plan mode"]
)
def test_the_stop_is_allowed_and_counts_nothing(facts):
    story = Story(a_loop())

    assert story.tell(turn("<loop-complete>", **facts)) == Stop()
    assert story.loop == a_loop()
