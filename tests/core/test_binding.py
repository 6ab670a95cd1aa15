"""Binding: which of the repository's own checks a criterion means."""

import pytest

from loopwright.core.criteria import Check, Criterion
from loopwright.core.start.binding import (
    bind_criteria,
    checks_wanted_by_spec,
    commands_of_spec,
    is_only_a_run,
    meant_checks,
    repository_checks_beside,
)

TESTS = Check("pytest -q", origin="detected")
LINT = Check("ruff check .", origin="detected")
DETECTED = {"tests pass": TESTS, "lint clean": LINT}


def command_for(name: str) -> str | None:
    (bound,) = bind_criteria((Criterion(name),), DETECTED)
    return bound.check.command_line if bound.check else None


@pytest.mark.parametrize(
    "name",
    [
        "tests pass",
        "all tests pass",
        "All Tests Pass!",
        "the failing tests are fixed",
        "the test suite is green",
        "tests are passing",
        "pytest is green",
        "no failing tests",
        "no test fails",
        "0 failed tests",
        "tests do not fail",
        "tests pass and stay green",
        "every unit test succeeds",
        "tests",
        "pytest",
    ],
)
def test_a_topic_with_a_state_is_bound_to_the_repositorys_tests(name):
    assert command_for(name) == "pytest -q"


@pytest.mark.parametrize(
    "name",
    [
        "add tests for the parser",
        "tests for the parser are written and pass",
        "new tests pass",
        "tests cover the parser and pass",
        "the e2e tests pass",
        "integration tests are green",
        "test coverage is above 80%",
        "no tests are deleted",
        "docs read well",
        "the password is hashed",
        "README is updated and all tests pass",
        "the parser accepts quotes, tests pass",
        "no type errors",
    ],
)
def test_whatever_a_passing_run_does_not_show_is_not_bound(name):
    assert command_for(name) is None


def test_a_criterion_about_two_checks_runs_both():
    assert command_for("tests and lint are clean") == "(pytest -q) && (ruff check .)"


def test_half_of_what_a_criterion_means_is_not_enough():
    assert command_for("tests and mypy are clean") is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("README is updated and all tests pass", ("tests pass",)),
        ("add tests for the parser", ()),
        ("add tests for the parser, all tests pass", ("tests pass",)),
        ("lint and type errors are fixed", ("lint clean", "no type errors")),
    ],
)
def test_a_criterion_may_mean_a_check_among_other_things(name, meant):
    assert meant_checks(name) == meant
    assert not is_only_a_run(name) or meant


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("fix all failing tests", ("tests pass",)),
        ("make the build green and fix the lint errors", ("build succeeds", "lint clean")),
        ("add a login page; do not touch the tests", ()),
        ("add tests for the parser", ()),
        pytest.param("test_total in shop.py fails", ["tests pass"], id="a test by its name"),
        pytest.param("make cart_test.go pass", ["tests pass"], id="a file of tests"),
        pytest.param(
            "fix all failing tests and the lint errors",
            ["tests pass", "lint clean"],
            id="a second object of the verb",
        ),
        pytest.param(
            "fix the failing tests and update the eslint config", ["tests pass"], id="another verb"
        ),
    ],
)
def test_the_persons_own_words_name_checks_too(spec, wanted):
    assert set(checks_wanted_by_spec(spec)) == set(wanted)


@pytest.mark.parametrize(
    ("spec", "offered"),
    [
        ("add types so that `ruff check --select ANN .` passes", ["ruff check --select ANN ."]),
        ("add an option that `ruff check --select ANN .` knows", []),
        ("make `ruff check .` pass", []),  # it runs anyway
        ("make `rm -rf build` pass", []),  # no check of the repository uses this program
    ],
)
def test_a_command_of_the_spec_is_offered(spec, offered):
    found = commands_of_spec((), DETECTED, spec)

    assert [(each.name, each.command) for each in found] == [("lint clean", c) for c in offered]


def test_a_command_of_the_spec_belongs_to_the_closest_check():
    detected = {"tests pass": Check("go test ./..."), "lint clean": Check("go vet ./...")}
    (offer,) = commands_of_spec((), detected, "`go vet -all ./...` must pass")

    assert offer.name == "lint clean"


def beside(*criteria: Criterion, spec: str = "do it") -> tuple[list[str], list[str]]:
    asked_for, others = repository_checks_beside(criteria, DETECTED, spec)
    return [c.name for c in asked_for], [c.name for c in others]


def test_what_no_criterion_runs_runs_beside_them():
    assert beside(Criterion("docs read well")) == ([], ["tests pass", "lint clean"])
    assert beside(Criterion("unit", TESTS)) == ([], ["lint clean"])
    assert beside(Criterion("both", LINT.but(command="(pytest -q) && (ruff check .)"))) == ([], [])


@pytest.mark.parametrize(
    ("spec", "asked_for"),
    [
        ("`ruff check .` fails. Add what is missing.", ["lint clean"]),
        ("ruff check . must not fail", ["lint clean"]),
        ("Fix the unused names. `ruff check .` lists them.", ["lint clean"]),
        ("Let bin/ruff check .github, it fails", []),
        ("Add an option to what runs ruff check .", []),
    ],
)
def test_a_command_that_the_spec_calls_failing_is_required(spec, asked_for):
    assert beside(spec=spec)[0] == asked_for


def test_what_a_criterion_or_the_spec_names_is_required():
    assert beside(Criterion("README is updated and tests pass")) == (["tests pass"], ["lint clean"])
    assert beside(Criterion("x"), spec="fix the lint") == (["lint clean"], ["tests pass"])


def test_only_the_persons_own_command_replaces_the_repositorys():
    typed, proposed = Check("pytest unit"), Check("true", origin="proposed", allowed=False)

    assert beside(Criterion("tests pass", typed)) == ([], ["lint clean"])
    assert beside(Criterion("tests pass", proposed)) == (
        ["tests pass (repository)"],
        ["lint clean"],
    )
    assert beside(Criterion("x", proposed.but(command="true || (pytest -q)")))[1] == [
        "tests pass",
        "lint clean",
    ]
