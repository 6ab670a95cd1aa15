"""All criteria are met and the agent never claims the end: the loop asks or finishes, it does not go on and on."""

from __future__ import annotations

import pytest

from loopwright.core.directives import Ask, Continue
from loopwright.core.findings import LOW, MEDIUM, Finding
from loopwright.core.limits import Limits
from loopwright.core.loop import Step
from loopwright.core.prompts.spec import EXIT_REQUEST, NO_EXIT_REASON
from loopwright.core.prompts.workflow_steps import USUAL_STEPS
from tests.support.builders import (
    Story,
    a_colleague,
    a_loop,
    answer,
    block,
    first_line,
    passed,
    proof,
    with_check,
    without_check,
)

QUESTION = "All criteria are proven; the agent has not claimed the end. Finish?"
NOTE = "the agent did not claim the end"
GREEN = {"tests pass": True}


def a_watched_story(**facts) -> Story:
    """Six turns without a claim; the last of them is at the stuck limit."""
    story = Story(a_colleague(limits=Limits(iterations=50)))
    for _ in range(6):
        story.turn("It works.", checks=GREEN, **facts)
    return story


def test_at_the_stuck_limit_the_person_is_asked_and_nothing_is_called_stalled():
    story = a_watched_story()

    assert isinstance(story.directive, Ask)
    assert story.loop.gate.question == QUESTION
    assert story.loop.status == "asking"
    assert "stalled" not in story.directive.message


def test_before_the_limit_it_only_asks_the_agent_for_the_exit():
    story = Story(a_colleague(limits=Limits(iterations=50)))
    for _ in range(5):
        directive = story.turn("It works.", checks=GREEN)
        assert isinstance(directive, Continue)
        assert first_line(directive) == NO_EXIT_REASON
        assert EXIT_REQUEST in directive.prompt
        assert "without progress" not in directive.prompt


def test_a_no_pauses_and_gives_the_agent_as_many_turns_again():
    story = a_watched_story()

    story.tell(answer("no, the docs are missing"))

    assert (story.loop.status, story.loop.pause.cause) == ("paused", "person")
    assert (story.loop.streak.stuck, story.loop.streak.unclaimed) == (0, 0)


def test_a_check_that_passed_before_the_work_ends_nothing_while_files_change():
    guard = a_loop().criteria[0].but(guard=True)
    story = Story(a_loop(criteria=(guard,), limits=Limits(iterations=50)))
    kinds = [type(story.turn("refactoring", f"tree-{n}", checks=GREEN)) for n in range(4)]

    assert kinds == [Continue] * 4
    assert story.turn("I think so.", "tree-3", checks=GREEN).reason == "complete"


@pytest.mark.parametrize("turns", [40])
def test_forty_turns_that_change_files_and_never_claim_do_not_happen(turns):
    story = Story(a_loop(limits=Limits(iterations=50)))
    for number in range(turns):
        directive = story.turn("polishing", f"tree-{number}", checks=GREEN)
        if not isinstance(directive, Continue):
            break

    assert (directive.reason, number) == ("complete", 1)
    assert NOTE in story.loop.verdict.notes


def test_while_steps_are_left_turns_that_change_files_go_on():
    story = Story(a_loop(steps=(Step("write the docs"),), limits=Limits(iterations=50)))
    kinds = [type(story.turn("on it", f"tree-{n}", checks=GREEN)) for n in range(4)]

    assert kinds == [Continue] * 4
    assert story.turn("That is all.", "tree-3", checks=GREEN).reason == "complete"
    assert NOTE in story.loop.verdict.notes


def test_proven_work_is_finished_where_no_turn_is_left_for_a_reminder():
    story = Story(a_loop(limits=Limits(iterations=1)))

    assert story.turn("It works.", checks=GREEN).reason == "complete"
    assert NOTE in story.loop.verdict.notes


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"steps": (Step("write the docs"),)}, id="it still works"),
        pytest.param({"guard": True}, id="the checks passed before"),
    ],
)
def test_but_not_where_the_checks_do_not_show_that_it_is_done(changes):
    loop = a_loop(limits=Limits(iterations=1), steps=changes.get("steps", ()))
    loop = loop.but(criteria=(loop.criteria[0].but(guard=changes.get("guard", False)),))
    story = Story(loop)

    assert story.turn("on it", "tree-9", checks=GREEN).reason == "iteration limit of 1 reached"


def test_after_a_yes_a_criterion_that_rests_on_the_agents_word_is_accepted_by_the_person():
    seen = {"met": True, "verification": "observation", "evidence": "I read them"}
    criteria = (without_check("docs read well"),)
    story = Story(a_colleague(criteria=criteria, limits=Limits(iterations=50)))
    for _ in range(6):
        story.turn(block({"docs read well": seen}))
    assert story.loop.gate.question == QUESTION

    story.tell(answer("yes"))

    assert story.loop.gate.name == "G3"


@pytest.mark.parametrize(("severity", "status"), [(MEDIUM, "asking"), (LOW, "finished")])
def test_after_a_yes_only_a_finding_that_needs_a_person_is_shown_before_the_end(severity, status):
    finding = Finding(severity, "expected-value-changed", "tests/test_cart.py", 7, "== 7", "== 8")
    story = a_watched_story()
    story.loop = story.loop.but(baseline=story.loop.baseline.but(findings=(finding,)))

    story.tell(answer("yes"))
    story.tell(passed("tests pass"))

    assert story.loop.status == status


def test_an_objection_is_answered_before_anybody_is_reminded_of_the_end():
    review = with_check("review", "./review.sh", proof=proof("review", tree="tree-2", fine=False))
    story = Story(a_loop(final_checks=(review,), limits=Limits(iterations=50)))

    directive = story.turn("looking", "tree-2", checks=GREEN)

    assert isinstance(directive, Continue)
    assert story.loop.streak.unclaimed == 0


def test_the_usual_steps_of_a_workflow_let_nobody_polish_for_ever():
    usual = tuple(map(Step, USUAL_STEPS["B"]))
    story = Story(a_loop(steps=usual, limits=Limits(iterations=50)))
    assert isinstance(story.turn("here it is", "tree-1", checks=GREEN), Continue)

    assert story.turn("a little nicer", "tree-2", checks=GREEN).reason == "complete"
    assert NOTE in story.loop.verdict.notes
