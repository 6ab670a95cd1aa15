"""The rubric: five dimensions of 0 to 2, and the shape that follows."""

import pytest

from loopwright.core.loop import Point
from loopwright.core.start.rubric import (
    QUESTIONS,
    names_document,
    open_questions,
    score_spec,
    shape_for,
)

EXAMPLE = "refactor all API routes to use validation middleware"
ZOD = (
    "Add zod validation to src/api/users.ts: reject invalid emails with status 400, "
    "no new dependencies, all tests pass and tsc builds"
)


def points(spec, checks=0):
    return [point.points for point in score_spec(spec, checks)]


def test_vector_6_the_seeds_worked_example_is_seven_and_a_colleague():
    scored = score_spec(EXAMPLE)

    assert [point.dimension for point in scored] == [
        "Outcome",
        "Scope",
        "Constraints",
        "Success",
        "Done",
    ]
    assert points(EXAMPLE) == [2, 2, 1, 1, 1]
    assert shape_for(scored).name == "colleague"


@pytest.mark.parametrize(
    ("spec", "starts"),
    [
        pytest.param(ZOD, True, id="files, limits and methods are named"),
        pytest.param("fix all failing tests", True, id="rule 26: fix all failing tests"),
        pytest.param("until tests pass", True, id="rule 26: until tests pass"),
        pytest.param("make better", False, id="rule 26: make better"),
        pytest.param("make it better", False, id="make it better"),
        pytest.param("make the code nicer and clean", False, id="vague words"),
        pytest.param("", False, id="nothing"),
        pytest.param("hello", False, id="a greeting"),
    ],
)
def test_a_loop_starts_from_five_points(spec, starts):
    assert (shape_for(score_spec(spec)) is not None) == (sum(points(spec)) >= 5) == starts


@pytest.mark.parametrize(
    ("spec", "starts"),
    [
        ("Delete the dead code in src/ledger/text.py.", True),
        ("Add a flag --currency to the CLI; the total is printed with it. Default EUR.", True),
        (
            "Change the message of deposit's ValueError to 'the amount must be more than zero'.",
            True,
        ),
        ("tax() throws nothing for an unknown country. It should throw an Error.", True),
        ("Rename load_all to read_all everywhere.", True),
        ("make lint is red. Fix what it reports.", True),
        ("Annotate tags.py so that mypy --strict is clean.", True),
        ("Please port the tests from unittest.TestCase to plain pytest functions.", True),
        ("Document the two aliases of bashrc in README.md, as a table.", True),
        ("Rename temp.Conv to CelsiusToFahrenheit everywhere, no alias for the old name.", True),
        ("make the app better", False),
        ("improve everything", False),
        ("fix it", False),
        ("hello there", False),
    ],
)
def test_with_tests_in_the_repository_a_spec_that_names_the_work_is_enough(spec, starts):
    scored = score_spec(spec)
    assert (shape_for(scored, needs_no_check=True) is not None) == starts
    # Somebody who scored it knows more than the words.
    assert shape_for(scored, total=4, needs_no_check=True) is None


def test_a_document_needs_no_check() -> None:
    assert names_document("Document the aliases in README.md")
    assert names_document("the changelog")
    assert not names_document("Add a reader of sound files to app.py")


def test_vector_6_the_zod_sentence_scores_eight_or_more():
    assert sum(points(ZOD)) >= 8


def test_an_app_that_shall_just_get_better_is_never_a_tool():
    assert sum(points("Make the app better and fix all the problems")) < 8


@pytest.mark.parametrize(
    "spec",
    ["", "make better", EXAMPLE, ZOD, "x" * 10_000, "日本語", "1\n2\n3", "((((", "\\b[a-z]+"],
)
def test_every_point_is_between_zero_and_two_and_has_a_reason(spec):
    for point in score_spec(spec):
        assert 0 <= point.points <= 2
        assert point.reason


def test_given_checks_score_success_and_done_and_make_it_a_colleague_at_least():
    scored = score_spec("make better", checks=1)

    assert [(p.dimension, p.points) for p in scored if p.dimension in ("Success", "Done")] == [
        ("Success", 2),
        ("Done", 2),
    ]
    assert shape_for(scored, checks=1).name == "colleague"


@pytest.mark.parametrize(
    ("total", "name"),
    [(10, "tool"), (8, "tool"), (7, "colleague"), (5, "colleague"), (4, None), (0, None)],
)
def test_the_thresholds(total, name):
    found = shape_for((), total)

    assert (found.name if found else None) == name


@pytest.mark.parametrize("wanted", ["tool", "colleague"])
def test_a_person_may_choose_the_shape(wanted):
    assert shape_for(score_spec("make better"), wanted=wanted).name == wanted


def test_at_most_five_questions_those_that_scored_least_first():
    scored = (
        Point("Outcome", 1, ""),
        Point("Scope", 2, ""),
        Point("Constraints", 0, ""),
        Point("Success", 1, ""),
        Point("Done", 0, ""),
    )

    assert list(open_questions(scored)) == ["Constraints", "Done", "Outcome", "Success"]
    assert open_questions(scored)["Done"] == QUESTIONS["Done"]
    assert len(open_questions(score_spec(""))) == 5


@pytest.mark.parametrize(
    "reference",
    [
        "(#4711)",
        "closes issue #12",
        "see GH-99",
        "see https://example.org/issues/12",
        "since 2019",
        "\n1. the first line",
        "\nCo-authored-by: Ann <ann1@example.org>",
    ],
)
def test_a_reference_is_no_measurable_target(reference):
    spec = "tidy the greeting"

    assert [p.points for p in score_spec(f"{spec} {reference}")] == [
        p.points for p in score_spec(spec)
    ]


def test_a_request_in_any_common_verb_names_an_outcome() -> None:
    points = score_spec("Give Lru a __len__ and a clear() method, with tests.")

    assert (points[0].points, points[0].reason) == (1, "a request")
    assert shape_for(points, needs_no_check=True) is not None
    assert score_spec("the parser")[0].points == 0
