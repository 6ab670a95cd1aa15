"""What a measurement means: thin, measured, and its words."""

from __future__ import annotations

import pytest

from loopwright.core.prompts.strength import strength_block
from loopwright.core.proof.strength import (
    BUDGET_SPENT,
    CANNOT_RUN,
    FILE,
    INCONCLUSIVE,
    LINE,
    MUTANT,
    NO_DIFFERENCE,
    NOT_NOTICED,
    NOTICED,
    PART,
    THE_WORK,
    Strength,
    StrengthItem,
    Unmeasured,
)
from loopwright.core.record import decode, encode
from loopwright.views.strength_sarif import strength_sarif


def items(kind: str, *results: str) -> tuple[StrengthItem, ...]:
    return tuple(
        StrengthItem(kind, "a.py", n, "`x`", result) for n, result in enumerate(results, 1)
    )


LINES = StrengthItem(kind=LINE, file="a.py", line=3, taken="`x`", result=NOT_NOTICED, lines=6)


@pytest.mark.parametrize(
    ("strength", "is_thin"),
    [
        pytest.param(Strength(), False, id="nothing is known"),
        pytest.param(
            Strength(items(PART, *[NOT_NOTICED] * 3)), False, id="three items say nothing"
        ),
        pytest.param(Strength(items(PART, *[NOT_NOTICED] * 3, NOTICED)), True, id="one of four"),
        pytest.param(
            Strength(
                items(PART, NOT_NOTICED, NOTICED) + items(MUTANT, NOTICED, NOTICED, NOT_NOTICED)
            ),
            True,
            id="three of five",
        ),
        pytest.param(
            Strength(items(PART, *[NOT_NOTICED] * 2, *[NOTICED] * 4)), False, id="two thirds"
        ),
        pytest.param(
            Strength(
                (*items(MUTANT, NOT_NOTICED, *[NOTICED] * 3), LINES, LINES), measured_lines=99
            ),
            True,
            id="a place that no check runs is not noticed either",
        ),
        pytest.param(
            Strength(
                (*items(PART, NOT_NOTICED, *[NOTICED] * 4), LINES, LINES),
                (Unmeasured("8 mutants", BUDGET_SPENT),),
                measured_lines=99,
            ),
            False,
            id="what the budget cut off may be noticed",
        ),
        pytest.param(
            Strength(items(PART, *[NO_DIFFERENCE] * 9, NOTICED)),
            False,
            id="the old part is as good",
        ),
        pytest.param(
            Strength(items(MUTANT, *[INCONCLUSIVE] * 9, NOT_NOTICED)),
            False,
            id="inconclusive is not judged",
        ),
        pytest.param(
            Strength(items(MUTANT, *[CANNOT_RUN] * 9, NOTICED)), False, id="what cannot run here"
        ),
        pytest.param(Strength(items(FILE, NOT_NOTICED)), True, id="a new file that nothing uses"),
        pytest.param(Strength((LINES,), measured_lines=11), True, id="more than half do not run"),
        pytest.param(Strength((LINES,), measured_lines=12), False, id="half of the lines run"),
    ],
)
def test_thin(strength: Strength, is_thin: bool) -> None:
    assert strength.is_thin is is_thin
    assert bool(strength.thin_reasons) is is_thin


def test_nothing_judged_is_not_measured_and_never_good_news() -> None:
    reasons = (Unmeasured("tests pass", "it is red"), Unmeasured(THE_WORK, "nothing changed"))
    nothing = Strength(items(PART, INCONCLUSIVE), reasons)

    assert not nothing.is_measured
    assert not nothing.is_thin
    assert strength_block(nothing)[0] == "Strength: not measured."
    assert "  · not measured: tests pass: it is red" in strength_block(nothing)
    assert "  · not measured: nothing changed" in strength_block(nothing)


def test_every_number_has_its_reach() -> None:
    late = StrengthItem(PART, "b.py", 9, "`y`", INCONCLUSIVE, "time-out")
    strength = Strength(
        (*items(PART, NOTICED, NOT_NOTICED), late, *items(MUTANT, CANNOT_RUN)),
        measured_lines=20,
        other_lines=4,
        selection="2 test files",
    )

    assert strength_block(strength) == [
        "Strength: too little to judge. 1 of 2 changes of the work are noticed.",
        "  tests that ran: 2 test files",
        "  parts taken away: 1 of 2 noticed; 1 inconclusive (time-out)",
        "  small changes: none could be judged; 1 cannot run here",
        "  lines: 20 of 20 changed lines are run by a check; not measured for 4 more",
        "  ✗ a.py:2: `x`",
        "  · cannot run here: a.py:1: `x`",
    ]


def test_a_journal_can_hold_it() -> None:
    strength = Strength((LINES,), (Unmeasured("a", "b"),), measured_lines=11, control=NOTICED)

    assert decode(encode(strength)) == strength


def test_sarif_names_what_is_weak_with_file_and_line() -> None:
    report = strength_sarif(Strength((LINES, *items(PART, NOTICED))), "1.0")

    (run,) = report["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "strength-line"
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("a.py", 3)
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
