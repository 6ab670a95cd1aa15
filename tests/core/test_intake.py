"""Intake: what a person typed becomes criteria and steps; nothing is invented silently."""

import pytest

from loopwright.core.criteria import SPEC_SATISFIED, Check
from loopwright.core.start.binding import topics_of
from loopwright.core.start.intake import (
    criteria_of,
    parse_named_check,
    spec_lists,
    steps_of,
)


@pytest.mark.parametrize(
    ("text", "name", "check"),
    [
        pytest.param("tests pass=pytest -q", "tests pass", Check("pytest -q"), id="a shell line"),
        pytest.param(
            " tests pass = pytest -q ", "tests pass", Check("pytest -q"), id="with spaces"
        ),
        pytest.param("env=FOO=1 make", "env", Check("FOO=1 make"), id="split at the first ="),
        pytest.param(
            'tests=["pytest", "-q", "a b"]',
            "tests",
            Check(("pytest", "-q", "a b")),
            id="a JSON list is an argv",
        ),
        pytest.param("docs read well", "docs read well", None, id="a name alone"),
        pytest.param("flag=[ -f x ]", "flag", Check("[ -f x ]"), id="the shell's own bracket"),
    ],
)
def test_named_check(text, name, check):
    assert parse_named_check(text) == (name, check)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "=pytest",
        "tests=",
        "tests=  ",
        "tests=[]",
        'tests=["a", 1]',
        "tests=[1]",
        'tests=["a"',
    ],
)
def test_what_is_no_check_is_refused_with_the_text_in_the_message(text):
    with pytest.raises(ValueError, match="got") as error:
        parse_named_check(text)

    assert repr(text) in str(error.value) or "JSON list" in str(error.value)


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("fix all failing tests", ("tests pass",)),
        ("make ruff and mypy happy", ("lint clean", "no type errors")),
        ("it must compile", ("build succeeds",)),
        ("Tests, lint and types: no type errors", ("tests pass", "lint clean", "no type errors")),
        ("write a poem", ()),
        ("the latest protests", ()),
    ],
)
def test_topics(spec, names):
    assert topics_of(spec) == names


def test_lists_under_a_heading_are_criteria_and_all_others_are_steps():
    spec = """Rework the importer.
1. read the old one
2) write the new one

## Success criteria:
- [ ] reads v1 files
- [x] reads v2 files

* keeps comments
Afterwards:
- tell Ann
"""
    assert spec_lists(spec) == (
        ("reads v1 files", "reads v2 files", "keeps comments"),
        ("read the old one", "write the new one", "tell Ann"),
    )


@pytest.mark.parametrize(
    "heading",
    [
        "Success criteria",
        "**Acceptance Criteria:**",
        "acceptance",
        "Done when:",
        "# Must",
        "criteria",
    ],
)
def test_headings_in_many_spellings(heading):
    assert spec_lists(f"{heading}\n- it works")[0] == ("it works",)


def test_explicit_criteria_come_first_then_topics_with_the_repositorys_commands():
    found = criteria_of(
        "fix the lint\nAcceptance:\n- it reads v1",
        {"lint clean": Check("ruff check"), "tests pass": Check("pytest")},
    )

    assert [(c.name, c.check and c.check.command) for c in found] == [
        ("it reads v1", None),
        ("lint clean", "ruff check"),
    ]


def test_without_anything_said_the_spec_itself_is_the_criterion():
    assert [c.name for c in criteria_of("write a poem", {})] == [SPEC_SATISFIED]


def test_a_listed_criterion_that_means_the_tests_is_not_named_again():
    spec = "fix all failing tests\nAcceptance:\n- all tests pass"

    assert [c.name for c in criteria_of(spec, {})] == ["all tests pass"]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        pytest.param(
            "fix all failing tests", ["tests pass"], id="what the check shows is all that is asked"
        ),
        pytest.param("until tests pass", ["tests pass"], id="until"),
        pytest.param(
            "add a login page, all tests pass",
            [SPEC_SATISFIED, "tests pass"],
            id="something is to be made besides",
        ),
        pytest.param("build a REST API", [SPEC_SATISFIED], id="to build is not the build"),
        pytest.param("fix the build", ["build succeeds"], id="the build is"),
        pytest.param("follow the spec closely", [SPEC_SATISFIED], id="a spec is no test"),
    ],
)
def test_criteria_are_what_the_words_ask_for(spec, names):
    assert [c.name for c in criteria_of(spec, {"tests pass": Check("pytest")})] == names


def test_no_criterion_is_named_twice():
    assert [
        c.name
        for c in criteria_of(
            "Criteria\n- tests pass\n- tests pass", {"tests pass": Check("pytest")}
        )
    ] == ["tests pass"]


@pytest.mark.parametrize(
    ("spec", "given", "names"),
    [
        ("- a\n- b", ("x", "x", "y"), ("x", "y")),
        ("- a\n- b", (), ("a", "b")),
        ("nothing", (), ("usual",)),
    ],
)
def test_steps_are_given_listed_or_usual(spec, given, names):
    assert tuple(step.name for step in steps_of(spec, given, ("usual",))) == names


MENTIONED = 'Add an npm script "lint:json" to package.json.'


def test_a_word_for_a_check_that_the_repository_has_not_is_no_criterion():
    assert [c.name for c in criteria_of(MENTIONED, {})] == [SPEC_SATISFIED]
    known = {"lint clean": Check("npm run lint", origin="detected")}
    assert [c.name for c in criteria_of(MENTIONED, known)] == [SPEC_SATISFIED, "lint clean"]
    assert [c.name for c in criteria_of("until lint is clean", {})] == ["lint clean"]
