"""The results of single tests: the report file that we ask for, and the names in the output."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.verify import test_report
from loopwright.verify.test_report import (
    NODE_REPORT,
    NOT_KEPT,
    PYTEST_REPORT,
    FailedTest,
    counts_by_name,
    read_report,
    rejects_report,
    report_variables,
    set_reports_aside,
    without_passed_tests,
)

JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="5">
<testcase classname="tests.test_a" name="test_one" file="tests/test_a.py" time="0.1" />
<testcase classname="tests.test_a" name="test_two" file="tests/test_a.py">
  <failure message="assert 3 == 4">def test_two(): ...</failure></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">ImportError</error></testcase>
<testcase classname="tests.test_a" name="test_three"><skipped message="later" /></testcase>
<testcase name="top level" />
</testsuite></testsuites>"""


def write_report(folder: Path, text: str, name: str = PYTEST_REPORT) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def test_a_junit_file_names_passed_failed_and_skipped_tests(
    tmp_path: Path,
) -> None:
    report = read_report(write_report(tmp_path, JUNIT), "9 failed in 1s")

    assert report.is_complete
    assert report.passed == ("tests.test_a::test_one", "top level")
    assert report.skipped == ("tests.test_a::test_three",)
    assert report.failed == (
        FailedTest(
            "tests.test_a::test_two", "tests/test_a.py", "assert 3 == 4\ndef test_two(): ..."
        ),
        FailedTest("tests.test_b", "", "collection failure\nImportError"),
    )


GO = """=== RUN   TestSum
=== RUN   TestSum/empty_list
--- PASS: TestSum (0.00s)
    --- PASS: TestSum/empty_list (0.00s)
=== RUN   TestOpen
    open_test.go:7: got 1
--- FAIL: TestOpen (0.00s)
FAIL
FAIL\texample.org/a\t0.003s
"""


def test_go_names_its_tests_and_shows_those_that_fail(tmp_path: Path) -> None:
    report = read_report(str(tmp_path), GO)

    assert (
        report_variables("go test ./...", {"GOFLAGS": "-mod=mod"}, "")["GOFLAGS"] == "-mod=mod -v"
    )
    assert "GOFLAGS" not in report_variables("go vet ./...", {}, "")
    assert (report.passed, report.failed_names) == (
        ("TestSum", "TestSum/empty_list"),
        ("TestOpen",),
    )
    assert report.is_complete
    assert not read_report(str(tmp_path), f"{NOT_KEPT}9 bytes before this]\n{GO}").is_complete
    assert without_passed_tests(GO).startswith("    open_test.go:7: got 1\n--- FAIL: TestOpen")


def test_the_reports_of_two_runners_are_added_up(tmp_path: Path) -> None:
    write_report(tmp_path, '<testsuite><testcase name="from pytest" /></testsuite>')
    node = '<testsuites><testcase name="from node"><failure>no</failure></testcase></testsuites>'
    report = read_report(write_report(tmp_path, node, NODE_REPORT), "")

    assert (report.passed, report.failed_names) == (("from pytest",), ("from node",))


ONE_TEST = '<testsuite><testcase name="{}" /></testsuite>'
TWO_RUNS = {
    PYTEST_REPORT: "2 passed in 0.1s\n1 passed in 0.1s\n",
    NODE_REPORT: "# tests 2\n# tests 1\n",
}


@pytest.mark.parametrize("name", TWO_RUNS)
def test_the_reports_of_several_runs_are_added_up(tmp_path: Path, name: str) -> None:
    for test in ("first", "last"):
        folder = write_report(tmp_path, ONE_TEST.format(test), name)
        set_reports_aside(folder)

    report = read_report(folder, TWO_RUNS[name])
    assert (report.passed, report.is_complete) == (("first", "last"), True)
    assert report.source == name


@pytest.mark.parametrize("name", TWO_RUNS)
def test_the_report_of_the_last_of_several_runs_does_not_name_all_tests(
    tmp_path: Path, name: str
) -> None:
    folder = write_report(tmp_path, ONE_TEST.format("last"), name)

    assert not read_report(folder, TWO_RUNS[name]).is_complete
    assert read_report(folder, TWO_RUNS[name].partition("\n")[0] + "\n").is_complete


def test_a_runner_that_a_test_starts_is_no_run_of_the_check(tmp_path: Path) -> None:
    folder = write_report(
        tmp_path, '<t><testcase name="inner"><failure>no</failure></testcase></t>'
    )
    set_reports_aside(folder)
    write_report(tmp_path, ONE_TEST.format("outer"))

    report = read_report(folder, "1 passed in 0.1s\n")
    assert (report.passed, report.failed_names, report.is_complete) == (("outer",), (), True)


def test_counts_are_those_of_the_names(tmp_path: Path) -> None:
    # Errors after a test, subtests and a file that did not load are no tests.
    output = "1 failed, 2 passed, 1 skipped, 1 deselected, 3 errors, 9 subtests passed in 1s"
    report = read_report(write_report(tmp_path, JUNIT), output)
    counts = (("tests", 8.0), ("skipped", 2.0), ("coverage", 80.0))

    assert counts_by_name(counts, report, output) == (
        ("tests", 5.0),
        ("skipped", 2.0),
        ("coverage", 80.0),
    )
    assert counts_by_name(counts, report.but(is_complete=False), output) == counts


def test_a_name_that_two_crates_have_is_there_twice(tmp_path: Path) -> None:
    output = "test tests::it_works ... ok\ntest tests::it_works ... ok\n"

    assert read_report(str(tmp_path), output).passed == ("tests::it_works", "tests::it_works")


def test_of_a_long_failure_the_message_and_the_end_are_kept(tmp_path: Path) -> None:
    failure = f'<failure message="the message">{"x" * 9000}the end</failure>'
    text = f'<t><testcase name="a">{failure}</testcase></t>'
    (failed,) = read_report(write_report(tmp_path, text), "").failed

    assert len(failed.message) == len("the message\n") + test_report.MAX_MESSAGE
    assert failed.message.startswith("the message\n")
    assert failed.message.endswith("the end")


def test_the_file_of_a_test_of_node_is_that_of_its_outermost_call(tmp_path: Path) -> None:
    stack = (
        "TypeError: a.g is not a function\n    at total (/app/src/a.js:3:1)\n"
        "    at TestContext.anonymous (/app/test/a.test.js:3:47)\n    at Test.run (node:internal:1:2)\n"
    )
    text = f'<t><testcase name="a" classname="test"><failure>{stack}</failure></testcase></t>'
    (failed,) = read_report(write_report(tmp_path, text, NODE_REPORT), "").failed

    assert failed.file == "/app/test/a.test.js"


# A billion laughs, and a file of the machine as the name of a test.
EXPANSION = '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa">{}]><t><testcase name="&j;" /></t>'.format(
    "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
)
EXTERNAL = '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><t><testcase name="&x;" /></t>'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("<testsuite><testcase", id="cut off"),
        pytest.param("{}", id="not XML"),
        pytest.param(EXPANSION, id="entities that expand without end"),
        pytest.param(EXTERNAL, id="a file of the machine"),
    ],
)
def test_a_report_that_cannot_be_read_counts_as_no_report(tmp_path: Path, text: str) -> None:
    report = read_report(write_report(tmp_path, text), "FAILED tests/test_a.py::test_b - no\n")

    assert report.failed_names == ("tests/test_a.py::test_b",)
    assert not report.is_complete


def test_a_huge_report_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_report(tmp_path, JUNIT)
    os.truncate(tmp_path / PYTEST_REPORT, test_report.MAX_REPORT_BYTES + 1)  # sparse

    assert not read_report(folder, "").is_complete


OUTPUTS = {
    "cargo": (
        "running 3 tests\ntest adds ... ok\ntest calc::subtracts ... FAILED\ntest later ... ignored\n",
        ("adds",),
        ("calc::subtracts",),
        ("later",),
    ),
    "go -v": (
        "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n    --- PASS: TestAdd/two (0.00s)\n"
        "--- FAIL: TestSub (0.00s)\n--- SKIP: TestLater (0.00s)\n",
        ("TestAdd", "TestAdd/two"),
        ("TestSub",),
        ("TestLater",),
    ),
    "TAP": (
        "ok 1 - adds\n    ok 2 - two numbers # time=3\nnot ok 3 - subtracts\nok 4 - later # SKIP\n"
        "ok 5 - one day # TODO\n",
        ("adds", "two numbers"),
        ("subtracts",),
        ("later", "one day"),
    ),
    "TAP without numbers": ("ok - adds\nnot ok - subtracts\n", ("adds",), ("subtracts",), ()),
    "unittest -v": (
        "test_add (test_calc.T.test_add) ... ok\n"
        "test_words (test_calc.T.test_words)\nIt has a sentence. ... ok\n"
        "test_warned (test_calc.T.test_warned) ... a.py:3: Warning: old\n  add(1)\n"
        "Traceback (most recent call last):\n  boom\nok\n"
        "test_sub (test_calc.T.test_sub) ... FAIL\n"
        "test_later (test_calc.T.test_later) ... skipped 'later'\n"
        "test_bug (test_calc.T.test_bug)\nIt is known. ... expected failure\n\n"
        "FAIL: test_sub (test_calc.T.test_sub)\n",
        (
            "test_add (test_calc.T.test_add)",
            "test_words (test_calc.T.test_words)",
            "test_warned (test_calc.T.test_warned)",
        ),
        ("test_sub (test_calc.T.test_sub)",),
        ("test_later (test_calc.T.test_later)", "test_bug (test_calc.T.test_bug)"),
    ),
    "pytest, without a report": (
        "FAILED tests/test_a.py::test_b - assert 3 == 4\n1 failed, 2 passed in 0.1s\n",
        (),
        ("tests/test_a.py::test_b",),
        (),
    ),
    "vitest": (" FAIL  src/a.test.ts > adds\n", (), ("src/a.test.ts > adds",), ()),
    "mocha": (
        "  cart\n    ✔ adds\n    1) subtracts\n\n  1 passing (2ms)\n  2 failing\n\n"
        "  1) cart\n       subtracts:\n     Error: no\n"
        "      at sub (lib/cart.js:1:1)\n      at Context.<anonymous> (test/cart.js:4:3)\n\n"
        "  2) cart in one line:\n     Error: no\n\n",
        (),
        ("test/cart.js > cart > subtracts", "cart in one line"),
        (),
    ),
    "a script": ("3 errors recovered\nall is well\n", (), (), ()),
}


@pytest.mark.parametrize("runner", OUTPUTS)
def test_names_in_the_output_of_a_runner(tmp_path: Path, runner: str) -> None:
    output, passed, failed, skipped = OUTPUTS[runner]
    report = read_report(str(tmp_path), output)

    assert (report.passed, report.failed_names) == (passed, failed)
    assert report.skipped == skipped
    assert report.is_complete is bool(passed)


@pytest.mark.parametrize("line", ["ok adds", "ok: adds", "PASS adds", "PASS: adds"])
def test_names_in_a_form_of_its_own_are_found_and_not_compared(tmp_path: Path, line: str) -> None:
    report = read_report(str(tmp_path), f"{line}\nok  \tshop/cart\t0.2s\nFAIL other: 3 is not 4\n")

    assert (report.passed, report.failed, report.is_complete) == (("adds",), (), False)


def test_a_name_with_a_file_gives_the_file(tmp_path: Path) -> None:
    output = "FAILED tests/test_a.py::test_b - no\n FAIL  src/a.test.ts > adds\nnot ok 1 - plain\n"

    files = {test.name: test.file for test in read_report(str(tmp_path), output).failed}

    assert files == {
        "tests/test_a.py::test_b": "tests/test_a.py",
        "src/a.test.ts > adds": "src/a.test.ts",
        "plain": "",
    }


# --- asking for a report ---


def test_pytest_is_asked_through_its_variable_and_keeps_the_options_of_the_person() -> None:
    variables = report_variables("make test", {"PYTEST_ADDOPTS": "-x"}, "/reports")

    assert variables["PYTEST_ADDOPTS"].startswith("-x -o junit_family=xunit1 ")
    assert variables["PYTEST_ADDOPTS"].endswith("--junitxml=/reports/pytest.xml")
    assert "NODE_OPTIONS" not in variables


@pytest.mark.parametrize("command", ["npm test", "node --test", "pnpm run t", "yarn test"])
def test_node_is_asked_where_the_command_may_start_it(command: str) -> None:
    variables = report_variables(command, {"NODE_OPTIONS": "--no-warnings"}, "/reports")

    assert variables["NODE_OPTIONS"].startswith("--no-warnings --test-reporter=tap ")
    assert variables["NODE_OPTIONS"].endswith("--test-reporter-destination=/reports/node.xml")


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        ("pytest --junitxml=own.xml", {}),
        ("pytest", {"PYTEST_ADDOPTS": "--junitxml=own.xml"}),
        ("node --test --test-reporter=spec", {"PYTEST_ADDOPTS": "--junitxml=own.xml"}),
        (
            "npm test",
            {"NODE_OPTIONS": "--test-reporter=dot", "PYTEST_ADDOPTS": "--junitxml=own.xml"},
        ),
    ],
)
def test_a_report_that_the_person_asks_for_is_left_alone(
    command: str, environment: dict[str, str]
) -> None:
    assert report_variables(command, environment, "/reports") == {}


@pytest.mark.parametrize(
    ("output", "rejected"),
    [
        ("error: unrecognized arguments: --junitxml=/tmp/a.xml", True),
        ("error: unrecognized arguments: --continue-on-collection-errors", True),
        ("node: --test-reporter= is not allowed in NODE_OPTIONS", True),
        ("node: bad option: --test-reporter", True),
        ("Error: Cannot find module 'junit'", True),
        ("error: unrecognized arguments: --cov", False),
        ("AssertionError: 3 != 4", False),
        ("unrecognized arguments: --junitxml" + "x" * 30_000, False),
    ],
)
def test_a_runner_that_rejects_our_options_runs_again_without_them(
    output: str, rejected: bool
) -> None:
    assert rejects_report(output) is rejected


def test_assertions_of_a_runner_with_subtests_are_no_tests(tmp_path: Path) -> None:
    """A name such as that of the error would be missing at the end."""
    output = (
        "TAP version 13\n# Subtest: cart.test.js\n    # Subtest: adds\n        ok 1 - should be equal\n"
        "        not ok 2 - price must be a number, but got null\n        1..2\n"
        "    not ok 1 - adds # time=3.1ms\n    # Subtest: sums\n        ok 1 - should be equal\n"
        "    ok 2 - sums # time=1ms\n    # Subtest: \\#77: ends\n    ok 3 - \\#77: ends # time=1ms\n"
        "not ok 1 - cart.test.js # time=9ms\n1..1\n"
    )
    report = read_report(str(tmp_path), output)

    assert report.failed_names == ("adds", "cart.test.js")
    assert report.passed == ("sums", "\\#77: ends")
