"""What the person reads when the agent said more than the checks show."""

import pytest

from loopwright.core.directives import Continue
from loopwright.core.limits import Spend, Streak
from loopwright.core.loop import Step
from loopwright.core.prompts import messages, refutation
from tests.support.builders import (
    Story,
    a_colleague,
    a_loop,
    block,
    failed,
    proof,
    turn,
    with_check,
    without_check,
)

FAILED = {"failures": 2, "counts": (("tests", 14.0), ("skipped", 0.0))}


def test_a_refuted_done_names_the_command_the_failures_and_that_the_loop_continues():
    story = Story(a_loop(criteria=(with_check("tests pass", "python3 -m unittest"),)))
    story.tell(turn(block({"tests pass": True}, exit=True), dollars=0.14))

    directive = story.tell(failed("tests pass", **FAILED))

    assert directive.message == (
        "The agent said done; `python3 -m unittest` still fails (2 of 14). Iteration 2/10, $0.14."
    )


def test_no_step_is_shown_as_complete_after_a_lie():
    steps = (Step("fix it"), Step("verify it"))
    story = Story(a_loop(steps=steps))
    story.tell(turn(block({"tests pass": True}, "STEP_DONE: fix it", exit=True)))

    directive = story.tell(failed("tests pass"))

    assert isinstance(directive, Continue)
    assert directive.message.startswith("The agent said done; `pytest -q` still fails (")
    assert "✓" not in directive.message
    assert "complete" not in directive.message


def test_before_a_question_the_person_reads_of_the_lie_first():
    story = Story(a_colleague(steps=(Step("fix it"), Step("verify it"))))
    story.tell(turn(block({"tests pass": True}, "STEP_DONE: fix it")))

    message = story.tell(failed("tests pass")).message

    assert message.startswith('The agent said "tests pass" is met; `pytest -q` still fails')
    assert "✓" not in message


def test_an_honest_step_is_shown_as_complete():
    story = Story(a_loop(steps=(Step("fix it"), Step("verify it"))))
    story.tell(turn(block({"tests pass": False}, "STEP_DONE: fix it")))

    assert story.tell(failed("tests pass")).message == (
        "[LOOP] ✓ fix it complete | Progress: 1/2 | Next: verify it"
    )


def test_done_without_a_word_about_a_criterion_is_reported_too():
    criteria = (without_check("docs"), without_check("logo"))
    story = Story(a_loop(criteria=criteria))

    message = story.tell(turn(block({"docs": True}, exit=True))).message

    assert message.startswith("The agent said done; not shown yet: logo. Iteration 2")


@pytest.mark.parametrize(
    ("evidence", "shown"),
    [
        ({"failures": 2, "counts": (("tests", 14.0),)}, "2 of 14"),
        ({"failures": 2}, "2 failing"),
        ({"failures": 20, "counts": (("tests", 14.0),)}, "20 failing"),
        ({"code": 3}, "exit 3"),
        ({"outcome": "timeout", "code": None}, "timeout"),
        ({"outcome": "changes files"}, "changes files"),
    ],
)
def test_how_much_fails_is_said_as_precisely_as_the_tool_does(evidence, shown):
    assert refutation.failure_count(proof("a", fine=False, **evidence)) == shown


def test_a_check_that_had_passed_fails_again():
    criterion = with_check("a", proof=proof("a", fine=False))
    loop = a_loop(criteria=(criterion,), tree="tree-1", streak=Streak(ever_proven=("a",)))

    assert "`pytest -q` fails again (exit 1)" in messages.turn_note(loop, "", said_done=True)


def test_the_note_stays_one_line_however_many_checks_fail():
    criteria = tuple(
        with_check(f"c{n}", f"make\n{n}", proof=proof(f"c{n}", fine=False)) for n in range(9)
    )
    loop = a_loop(criteria=criteria, tree="tree-1", spend=Spend(iterations=1))
    note = messages.turn_note(loop, "", said_done=True)

    assert "`make 2` still fails (exit 1); 6 more fail. Iteration 2/10" in note
    assert len(note.splitlines()) == 1
