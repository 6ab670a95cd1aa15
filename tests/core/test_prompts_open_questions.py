"""What a person can still decide after the end, and with which command."""

from __future__ import annotations

from loopwright.core.criteria import Criterion
from loopwright.core.findings import MEDIUM, Finding
from loopwright.core.prompts.open_questions import MAX_QUESTIONS, open_questions
from loopwright.core.proof.disputes import Dispute
from loopwright.core.proof.state import Verdict
from tests.support.builders import a_loop

REPORTED = Verdict("MONITOR", proven=False, grade="reported")


def commands_of(loop) -> list[tuple[str, ...]]:
    return [question.commands for question in open_questions(loop)]


def test_a_dispute_is_kept_or_dropped_with_its_name_as_one_word() -> None:
    loop = a_loop(
        criteria=(Criterion("it's $(old)"),),
        disputes=(Dispute("it's $(old)", "it asserts\n1 == 2"),),
        verdict=REPORTED,
    )
    (question,) = open_questions(loop)

    name = "'it'\"'\"'s $(old)'"
    assert question.commands == (f"loop rule {name} keep", f"loop rule {name} drop")
    assert "it asserts 1 == 2" in question.line


def test_a_criterion_that_no_command_has_shown_is_taken_with_the_whole_result() -> None:
    loop = a_loop(criteria=(Criterion("it reads well"),), verdict=REPORTED)

    assert commands_of(loop) == [("loop accept --all",)]


def test_what_is_found_in_one_file_is_one_question() -> None:
    data = Finding(MEDIUM, "expected-data-changed", "golden.txt", before="a: 1", after="a:  1")
    found = (data, Finding(MEDIUM, "passes-only-with-new-helpers", "golden.txt"))
    loop = a_loop(criteria=(), verdict=REPORTED, findings=found)
    (question,) = open_questions(loop)

    assert question.commands == (f"loop accept {found[0].key} {found[1].key}",)
    assert question.text.count("golden.txt") == 1


def test_a_proven_loop_asks_nothing() -> None:
    verdict = Verdict("SHIP", proven=True, grade="proven")

    assert commands_of(a_loop(criteria=(Criterion("it reads well"),), verdict=verdict)) == []


def test_many_questions_are_counted_and_the_command_lists_them() -> None:
    names = [f"part {number}" for number in range(MAX_QUESTIONS + 3)]
    loop = a_loop(criteria=tuple(map(Criterion, names)), verdict=REPORTED)
    questions = open_questions(loop)

    assert len(questions) == MAX_QUESTIONS + 1
    assert questions[-1].line == "And 3 more: `loop accept`"


def test_a_loop_that_only_kept_its_guards_says_what_can_be_decided() -> None:
    verdict = REPORTED.but(why="every check passed before the work began")
    (question,) = open_questions(a_loop(criteria=(), verdict=verdict))

    assert question.line == (
        "every check passed before the work began. To take the whole result as it is: "
        "`loop accept --all`"
    )
