"""What a failing run says: a compile error, a missing name and a time-out are never noticed."""

from __future__ import annotations

import pytest

from loopwright.cleanroom.findings import CheckRun
from loopwright.cleanroom.load_errors import LOAD_ERRORS, Words, is_load_error
from loopwright.core.criteria import Evidence
from loopwright.core.proof.strength import EARLIER_TESTS, INCONCLUSIVE, NOT_NOTICED, NOTICED
from loopwright.strength.outcomes import result_of
from loopwright.verify.test_report import FailedTest, TestReport


def run(detail: str = "", outcome: str = "exit", *messages: str) -> CheckRun:
    failed = tuple(FailedTest(f"t{n}", message=text) for n, text in enumerate(messages))
    evidence = Evidence("tests pass", passed=False, detail=detail, outcome=outcome, code=1)
    return CheckRun(evidence, TestReport(failed=failed))


@pytest.mark.parametrize("words", LOAD_ERRORS, ids=lambda words: words.tool)
def test_each_error_of_loading_is_inconclusive(words: Words) -> None:
    assert result_of(run(words.example))[0] == INCONCLUSIVE


@pytest.mark.parametrize(
    "text",
    [
        "AssertionError: 1 != 2",
        "--- FAIL: TestApply (0.00s)\n    a_test.go:9: wrong",
        "not ok 1 - total",
        "thread 'a' panicked at src/lib.rs:3:5:\nassertion failed: a == b",
    ],
)
def test_an_assertion_is_no_error_of_loading(text: str) -> None:
    assert not is_load_error(text)
    assert result_of(run(text))[0] == NOTICED


def test_a_pass_is_not_noticed_and_a_time_out_is_inconclusive() -> None:
    passed = CheckRun(Evidence("tests pass", passed=True))

    assert result_of(passed) == (NOT_NOTICED, "")
    assert result_of(run(outcome="timeout")) == (INCONCLUSIVE, "time-out")
    assert result_of(run(outcome="missing"))[0] == INCONCLUSIVE


def test_one_test_that_fails_for_another_reason_is_enough() -> None:
    error = "ImportError: cannot import name 'a'"

    assert result_of(run("", "exit", error, error))[0] == INCONCLUSIVE
    assert result_of(run("", "exit", error, "AssertionError: 1 != 2"))[0] == NOTICED


def test_a_name_that_went_with_the_part_shows_nothing() -> None:
    gone = frozenset({"coupon"})
    text = "TypeError: total() got an unexpected keyword argument 'coupon'"

    assert result_of(run("", "exit", text), gone)[0] == INCONCLUSIVE
    assert result_of(run("", "exit", text), frozenset({"other"}))[0] == NOTICED


@pytest.mark.parametrize(
    "text",
    [
        "FAIL Required test coverage of 90% not reached. Total coverage: 81.00%",
        "Coverage failure: total of 81 is less than fail-under=90",
        'Jest: "global" coverage threshold for branches (90%) not met: 81%',
        "ERROR: Coverage for lines (81%) does not meet global threshold (90%)",
    ],
)
def test_a_floor_of_coverage_is_no_test_that_notices(text: str) -> None:
    """It fails for each branch that a change leaves out, also where no test asserts anything."""
    only = run(text)

    assert result_of(only.but(report=TestReport(passed=("test_a",))))[0] == NOT_NOTICED
    assert result_of(run(text, "exit", "AssertionError: 1 != 2"))[0] == NOTICED
    assert result_of(only)[0] == NOTICED, "without names we do not know which tests ran"


@pytest.mark.parametrize(
    ("work_tests", "reason"),
    [
        (("new",), EARLIER_TESTS),
        (("new", "stopped"), ""),  # the run stopped before it, so nobody knows
        (("old",), ""),
        ((), ""),
    ],
)
def test_what_tests_of_the_start_notice_alone_says_so(work_tests, reason) -> None:
    failed = (FailedTest("old", message="AssertionError: 1 != 2"),)
    report = TestReport(passed=("new",), failed=failed)
    noticed = CheckRun(Evidence("tests pass", passed=False, outcome="exit", code=1), report)

    assert result_of(noticed, work_tests=work_tests) == (NOTICED, reason)
