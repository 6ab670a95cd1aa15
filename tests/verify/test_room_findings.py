"""The judgement of runs in a clean checkout: when do they agree, and what does a difference mean?"""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.cleanroom.findings import (
    ChangedTests,
    CheckRun,
    belongs_to_changed,
    calibration_problem,
    cause_finding,
    fails_for_types_of,
    flaky_finding,
    green_finding,
    inapplicable_finding,
    no_names_finding,
    printed_failure_findings,
    red_test_findings,
    removed_interface,
    replay_suspects,
    revert_findings,
    room_findings,
    settled_tests,
    unshown_tests,
)
from loopwright.cleanroom.hollow_tests import FinalTests
from loopwright.cleanroom.tests_of_start import compare_skipped_tests, unmet_tests
from loopwright.cleanroom.work_tests import work_tests
from loopwright.core.criteria import Evidence
from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.verify.test_report import FailedTest, TestReport

pytestmark = pytest.mark.room

NAME = "tests pass"
PATHS = ("/state/rooms/loop-1/room-x/app", "/home/me/app")


def a_run(
    fine: bool = False,
    detail: str = "",
    failed: tuple[str, ...] = (),
    passed: tuple[str, ...] = (),
    **facts: Any,
) -> CheckRun:
    code = 0 if fine else 1
    evidence = Evidence(NAME, fine, detail=detail, **{"code": code, **facts})
    tests = tuple(FailedTest(name) for name in failed)
    return CheckRun(evidence, TestReport(passed, tests, is_complete=bool(passed or failed)))


AGREEMENT = {
    "green in both": (a_run(fine=True), a_run(fine=True), ""),
    "green in place alone": (
        a_run(fine=True),
        a_run(detail="No module named 'yaml'"),
        "passes in place, but not in the room",
    ),
    "red in place alone": (a_run(), a_run(fine=True), "fails in place, but not in the room"),
    "the same test fails": (a_run(failed=("t.a",)), a_run(failed=("t.a",), detail="slower"), ""),
    "more tests fail in the room": (
        a_run(failed=("t.a",)),
        a_run(failed=("t.a", "t.b", "t.c", "t.d", "t.e")),
        "other tests fail in the room: t.b, t.c, t.d",
    ),
    "fewer tests fail in the room": (
        a_run(failed=("t.a", "t.b")),
        a_run(failed=("t.a",)),
        "other tests fail in the room: t.b",
    ),
    "names in place alone": (
        a_run(failed=("t.a",)),
        a_run(detail="ImportError"),
        "other tests fail in the room: t.a",
    ),
    "the same error, without names": (
        a_run(detail="/home/me/app/calc.py:3: AssertionError in 0.12s at 0x7fa0"),
        a_run(detail="/state/rooms/loop-1/room-x/app/calc.py:3: AssertionError in 9s at 0x1b"),
        "",
    ),
    "another error, without names": (
        a_run(detail="AssertionError: 3 != 4"),
        a_run(detail="ModuleNotFoundError: No module named 'yaml'"),
        "fails with another error in the room",
    ),
    "npm tells of a newer version once": (
        a_run(detail="wanted 3, got 2\nnpm notice\nnpm notice New minor version of npm: 11.21.1"),
        a_run(detail="wanted 3, got 2"),
        "",
    ),
    "pip tells of a newer version once": (
        a_run(detail="wanted 3, got 2"),
        a_run(detail="wanted 3, got 2\n[notice] A new release of pip is available: 26.1"),
        "",
    ),
    "npm cannot find a package": (
        a_run(detail="wanted 3, got 2"),
        a_run(detail="npm error Missing script: test"),
        "fails with another error in the room",
    ),
    "no output at all": (
        a_run(detail=""),
        a_run(detail=""),
        "fails without output, so a missing package would look the same",
    ),
}


@pytest.mark.parametrize("case", AGREEMENT)
def test_a_room_is_trusted_when_the_start_gives_the_same_results(case: str) -> None:
    in_place, in_room, problem = AGREEMENT[case]

    assert calibration_problem(in_place, in_room, PATHS) == problem


def test_a_check_that_only_asks_about_files_fails_for_one_reason() -> None:
    silent = a_run(detail="")
    assert calibration_problem(silent, silent, PATHS, one_reason=True) == ""


# --- the final tree ---

UNCHANGED = ChangedTests()


def red(*names: str, source: str = "") -> TestReport:
    """The tests that failed at the start."""
    failed = tuple(FailedTest(name) for name in names)
    return TestReport(failed=failed, is_complete=True, source=source)


def severities(findings: list[Any]) -> list[tuple[str, str]]:
    return [(finding.severity, finding.rule) for finding in findings]


def test_a_failure_in_a_trusted_room_refutes_and_quotes_the_end_of_the_output() -> None:
    run = a_run(detail="x" * 900 + "the end")
    (finding,) = room_findings(NAME, run, TestReport(), UNCHANGED)

    assert (finding.severity, finding.rule, finding.file) == (HIGH, "fails-in-clean-room", NAME)
    assert len(finding.after) == 300
    assert finding.after.endswith("the end")


def test_a_test_that_was_red_must_be_among_the_passed_ones() -> None:
    run = a_run(fine=True, passed=("tests.test_a::test_one",))

    assert room_findings(NAME, run, red("tests.test_a::test_one"), UNCHANGED) == []
    (finding,) = room_findings(NAME, run, red("tests.test_a::test_two"), UNCHANGED)
    assert (finding.severity, finding.rule) == (HIGH, "test-missing")
    assert finding.after == "tests.test_a::test_two"


def test_a_hand_written_runner_adds_to_the_name_what_was_wrong() -> None:
    run = a_run(fine=True, passed=("output directory", "dry run"))

    assert room_findings(NAME, run, red("output directory: want [3], got []"), UNCHANGED) == []
    assert room_findings(NAME, run, red("dry run (nothing)"), UNCHANGED) == []
    assert room_findings(NAME, run, red("dry run: [3]"), UNCHANGED) == []
    for name in ("output directory: packs", "verify: want [3], got []", "output directory"):
        at_start = red(name).but(passed=("output directory",) if "packs" in name else ())
        found = room_findings(NAME, run, at_start, UNCHANGED)
        assert bool(found) == (name != "output directory"), name


def test_a_missing_red_test_of_a_changed_file_is_for_a_person() -> None:
    run = a_run(fine=True, passed=("tests.test_a::test_one",))
    at_start = red("tests.test_a::test_two", "tests.test_b::test_three")
    changed = ChangedTests(("tests/test_a.py",))

    assert severities(room_findings(NAME, run, at_start, changed)) == [
        (HIGH, "test-missing"),
        (MEDIUM, "test-missing"),
    ]


def test_a_red_test_that_moved_to_another_file_keeps_its_name() -> None:
    run = a_run(fine=True, passed=("tests.test_new::test_one",))
    changed = ChangedTests(("tests/test_old.py",))

    assert room_findings(NAME, run, red("tests.test_old::test_one"), changed) == []


def test_reports_of_two_sources_name_tests_in_two_ways() -> None:
    run = a_run(fine=True, passed=("tests.test_a::test_one",))
    at_start = red("test_one (tests.test_a)", source="output")

    assert room_findings(NAME, run, at_start, UNCHANGED) == []


def test_a_file_that_could_not_be_imported_counts_by_the_tests_in_it() -> None:
    for one in ("tests.test_a::test_one", "tests.test_a.OfAClass::test_one"):
        run = a_run(fine=True, passed=(one,))
        assert room_findings(NAME, run, red("::tests.test_a"), UNCHANGED) == []
    other = a_run(fine=True, passed=("tests.test_ab::test_one",))
    assert room_findings(NAME, other, red("::tests.test_a"), UNCHANGED) != []


UNITTEST_GROUPS = {
    "a file that does not load": ("tests.test_a (unittest.loader._FailedTest.tests.test_a)", True),
    "as older versions print it": ("tests.test_a (unittest.loader._FailedTest)", True),
    "named without its folder": ("test_a (unittest.loader._FailedTest.test_a)", True),
    "the setup of a class": ("setUpClass (tests.test_a.OfAClass)", True),
    "the setup of a file": ("setUpModule (tests.test_a)", True),
    "another file": ("tests.test_b (unittest.loader._FailedTest.tests.test_b)", False),
    "a file with a longer name": ("tests.test_ab (unittest.loader._FailedTest.x)", False),
    "the setup of another class": ("setUpClass (tests.test_a.Other)", False),
}


@pytest.mark.parametrize(("group", "has_run"), UNITTEST_GROUPS.values(), ids=UNITTEST_GROUPS.keys())
@pytest.mark.parametrize("name", ["one (tests.test_a.OfAClass.one)", "one (tests.test_a.OfAClass)"])
def test_a_name_of_unittest_for_several_tests_means_these_tests(
    group: str, has_run: bool, name: str
) -> None:
    run = a_run(fine=True, passed=(name,))

    assert (room_findings(NAME, run, red(group), UNCHANGED) == []) is has_run


def test_without_names_of_passed_tests_none_can_be_missing() -> None:
    run = CheckRun(Evidence(NAME, True, code=0), TestReport())

    assert room_findings(NAME, run, red("tests.test_a::test_one"), UNCHANGED) == []


# --- every test of the start ---


def test_a_test_of_the_start_that_fails_or_does_not_run_is_named() -> None:
    start = TestReport(("t::a", "t::b", "t::c"), (FailedTest("::new"),), is_complete=True)
    failed = (FailedTest("t::b", message="DID NOT RAISE\n  line 3"),)
    run = CheckRun(Evidence(NAME, False), TestReport(("t::a",), failed, is_complete=True))

    assert unmet_tests(run, start) == [
        "t::b fails (DID NOT RAISE)",
        "t::c did not run",
        "::new did not run",
    ]
    assert unmet_tests(a_run(fine=True, passed=("t::a", "t::b", "t::c", "new::d")), start) == []


# --- skipped tests ---

START = a_run(passed=("t::a",), failed=("t::b", "::new"))
SKIPPED = {
    "a test that passed": (START, ("t::a",), ("t::a",), 0),
    "a test that failed": (START, ("t::b",), ("t::b",), 0),
    "new tests, and those of a file that did not load": (START, ("t::c", "new::d"), (), 2),
    "one that was skipped before": (
        CheckRun(START.evidence, START.report.but(skipped=("t::w",))),
        ("t::w", "t::c"),
        (),
        1,
    ),
    "a new one with the name of one that runs": (
        a_run(passed=("tests::works", "tests::other")),
        ("tests::works",),
        (),
        1,
    ),
    "one of two with the same name": (
        a_run(passed=("tests::works", "tests::works")),
        ("tests::works",),
        ("tests::works",),
        0,
    ),
    "names of another report": (
        CheckRun(START.evidence, START.report.but(source="pytest.xml")),
        ("t::a",),
        (),
        0,
    ),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_worse_is_a_test_that_ran_at_the_start_and_is_skipped_now(case: str) -> None:
    start, skipped, newly_skipped, excused = SKIPPED[case]
    now = a_run(fine=True, passed=("t::other", "tests::works"))

    evidence = compare_skipped_tests(start, CheckRun(now.evidence, now.report.but(skipped=skipped)))

    assert (evidence.newly_skipped, evidence.excused_skips) == (newly_skipped, excused)


# --- the replay ---


def test_suspects_are_unchanged_tests_that_fail_with_the_surroundings_of_the_start() -> None:
    replay = a_run(failed=("tests.test_a::one", "tests.test_b::two", "tests.test_c::three"))
    room = a_run(failed=("tests.test_c::three",))

    suspects = replay_suspects(replay, room, ChangedTests(("tests/test_b.py",)))

    assert [test.name for test in suspects] == ["tests.test_a::one"]


def test_a_red_test_whose_file_no_longer_loads_is_not_shown_to_pass() -> None:
    at_start = red("tests.test_a::one", "tests.test_b::two")
    replay = a_run(failed=("::tests.test_a",), passed=("tests.test_b::two",))

    assert unshown_tests(replay, at_start) == ["tests.test_a::one"]


def test_unittest_names_a_file_that_does_not_load() -> None:
    failed = (FailedTest("test_a (unittest.loader._FailedTest.test_a)"),)
    replay = CheckRun(Evidence(NAME, False, code=1), TestReport(failed=failed))
    other = CheckRun(Evidence(NAME, False, code=1), TestReport(failed=(FailedTest("b (t.B.b)"),)))

    assert unshown_tests(replay, red("one (test_a.A.one)")) == ["one (test_a.A.one)"]
    assert unshown_tests(other, red("one (test_a.A.one)")) == []


BELONGS: dict[str, tuple[FailedTest, tuple[str, ...], str, bool]] = {
    "by its file": (FailedTest("x", "tests/test_a.py"), ("tests/test_a.py",), "", True),
    "by its absolute file": (FailedTest("x", "/r/tests/test_a.py"), ("tests/test_a.py",), "", True),
    "by a file of Windows": (
        FailedTest("x", "C:\\r\\tests\\test_a.py"),
        ("tests/test_a.py",),
        "",
        True,
    ),
    "another file": (FailedTest("test_a", "tests/test_b.py"), ("tests/test_a.py",), "", False),
    "a file of the same name in another folder": (
        FailedTest("x", "two/tests/test_a.py"),
        ("one/tests/test_a.py",),
        "",
        False,
    ),
    "by its module": (FailedTest("tests.test_a::one"), ("tests/test_a.py",), "", True),
    "by its class": (FailedTest("tests.test_a.TestX::one"), ("tests/test_a.py",), "", True),
    "another module": (FailedTest("tests.test_ab::one"), ("tests/test_a.py",), "", False),
    "by the end of its module": (FailedTest("one (test_a.T.one)"), ("tests/test_a.py",), "", True),
    "by the text of the file": (
        FailedTest("adds two"),
        ("calc.test.js",),
        'test("adds two")',
        True,
    ),
    "not in the text of the file": (FailedTest("adds two"), ("calc.test.js",), "other", False),
    "a name with a module is not looked for": (
        FailedTest("tests.test_b::one"),
        ("tests/test_a.py",),
        "def one(): ...",
        False,
    ),
    "a subtest of Go, by the function that runs it": (
        FailedTest("TestParse/With_v1.2_in_front"),
        ("parse_test.go",),
        "func TestParse(t *testing.T) {",
        True,
    ),
    "a title with a dot, as a group of mocha has": (
        FailedTest("picks > .scan > should detect braces"),
        ("scan.test.js",),
        "it('should detect braces', () => {",
        True,
    ),
    "a subtest of Go, of another function": (
        FailedTest("TestScan/TestParse"),
        ("parse_test.go",),
        "func TestParse(t *testing.T) {",
        False,
    ),
    "nothing changed": (FailedTest("tests.test_a::one"), (), "", False),
}


@pytest.mark.parametrize("case", BELONGS)
def test_whether_a_test_belongs_to_a_changed_file(case: str) -> None:
    test, paths, text, belongs = BELONGS[case]

    assert belongs_to_changed(test, ChangedTests(paths, text)) is belongs


INTERFACE_ERRORS = {
    "ImportError: cannot import name 'parse' from 'app'": "parse",
    "ModuleNotFoundError: No module named 'app.old_parser'": "old_parser",
    "AttributeError: module 'app' has no attribute 'parse'": "parse",
    "TypeError: Cart.add() got an unexpected keyword argument 'price'": "add",
    "TypeError: add() takes 1 positional argument but 2 were given": "add",
    "TypeError: add() missing 1 required positional argument: 'b'": "add",
    "TypeError: cart.add is not a function": "add",
    "TypeError: Cart is not a constructor": "Cart",
    "The requested module './a.js' does not provide an export named 'add'": "add",
    "./calc_test.go:8:5: undefined: calc.Add": "Add",
    "./calc_test.go:8:19: not enough arguments in call to c.check": "check",
    "./calc_test.go:8:19: too many arguments in call to calc.Add": "Add",
    "./calc_test.go:8:7: assignment mismatch: 1 variable but calc.Add returns 2 values": "Add",
    "./calc_test.go:8:7: assignment mismatch: 2 variables but add(1) returns 1 values": "add",
    "vet: ./calc_test.go:8:5: undeclared name: Add": "Add",
    "vet: ./main.go:8:5: Add not declared by package calc": "Add",
    "error[E0425]: cannot find function `add` in this scope": "add",
    "error[E0412]: cannot find type `Cart` in module `shop`": "Cart",
    "AssertionError: assert 3 == 4": "",
    "TypeError: unsupported operand type(s) for +": "",
    "": "",
}


@pytest.mark.parametrize("message", INTERFACE_ERRORS)
def test_the_name_of_an_interface_that_is_gone(message: str) -> None:
    assert removed_interface(message) == INTERFACE_ERRORS[message]


def test_settings_that_tests_need_refute_and_helpers_are_for_a_person() -> None:
    tests = [FailedTest(f"t{number}") for number in range(7)]

    grave = cause_finding(NAME, True, ["pytest.ini", "conftest.py"], tests)
    mild = cause_finding(NAME, False, ["tests/helper.py"], [])

    assert (grave.severity, grave.rule) == (HIGH, "passes-only-with-new-settings")
    assert grave.file == "conftest.py, pytest.ini"
    assert grave.after == f"{NAME}: t0, t1, t2, t3, t4 and 2 more"
    assert (mild.severity, mild.rule) == (MEDIUM, "passes-only-with-new-helpers")
    assert (mild.file, mild.after) == ("tests/helper.py", NAME)


def test_a_cause_without_a_file_is_named_by_its_check() -> None:
    assert cause_finding(NAME, False, [], []).file == NAME


def test_findings_of_the_replay_that_do_not_refute() -> None:
    tests = [FailedTest("t1")]

    assert red_test_findings(NAME, []) == []
    assert severities(red_test_findings(NAME, ["t1"])) == [(MEDIUM, "fails-with-baseline-tests")]
    assert severities([no_names_finding(NAME)]) == [(MEDIUM, "fails-with-baseline-tests")]
    assert severities([flaky_finding(NAME)]) == [(MEDIUM, "flaky-in-room")]
    assert severities([inapplicable_finding(NAME, tests)]) == [(LOW, "test-no-longer-applies")]


# --- the revert test ---


@pytest.mark.parametrize(
    ("fine", "findings"), [(True, [("medium", "passes-without-the-work")]), (False, [])]
)
def test_the_final_tests_must_fail_on_the_product_of_the_start(
    fine: bool, findings: list[tuple[str, str]]
) -> None:
    assert severities(revert_findings(NAME, a_run(fine=fine))) == findings


def test_a_check_that_is_green_on_the_tree_of_the_start_is_for_a_person() -> None:
    finding = green_finding(NAME)

    assert (finding.severity, finding.rule) == (MEDIUM, "passes-without-the-work")


OLD_TEST = "def test_sum(): ...\n"
SETTLED = {
    "a test of pytest": ("tests/test_a.py", "tests.test_a::test_sum", True),
    "a case of a table": ("tests/test_a.py", "tests.test_a.TestIt::test_sum[1-2]", True),
    "a test of unittest": ("test_a.py", "test_sum (test_a.Sums.test_sum)", True),
    "a test of node": ("test/a.test.js", "test::test_sum", True),
    "a test of go": ("a_test.go", "test_sum", True),
    "a test of another file": ("tests/test_a.py", "tests.test_b::test_sum", False),
    "another test": ("tests/test_a.py", "tests.test_a::test_product", False),
}


@pytest.mark.parametrize(("path", "name", "is_settled"), SETTLED.values(), ids=SETTLED.keys())
def test_a_changed_test_whose_former_version_passes_is_settled(
    path: str, name: str, is_settled: bool
) -> None:
    texts = {path: OLD_TEST}

    assert settled_tests([a_run(fine=True, passed=(name,))], texts, []) == (
        (path,) if is_settled else ()
    )


def test_nothing_is_settled_by_a_run_that_fails_or_that_names_no_tests() -> None:
    texts, name = {"tests/test_a.py": OLD_TEST}, "tests.test_a::test_sum"

    assert settled_tests([a_run(passed=(name,))], texts, []) == ()
    assert settled_tests([a_run(fine=True, passed=(name,)), a_run()], texts, []) == ()
    assert settled_tests([a_run(fine=True)], texts, []) == ()
    # A test that failed at the start may still fail, if the person said so.
    assert settled_tests([a_run(fine=True, failed=(name,), passed=(name,))], texts, []) == ()


def test_tests_of_other_files_may_fail_if_all_tests_of_the_file_ran() -> None:
    texts = {"tests/test_a.py": "def test_sum(): ...\ndef test_product(): ...\n"}
    names = ("tests.test_a::test_sum", "tests.test_a::test_product")
    other = "tests.test_b::test_rate"
    at_start = [a_run(fine=True, passed=(*names, other)).report]

    assert settled_tests([a_run(failed=(other,), passed=names)], texts, at_start) == tuple(texts)
    assert settled_tests([a_run(failed=(other,), passed=names[:1])], texts, at_start) == ()
    assert settled_tests([a_run(failed=(other,), passed=names)], texts, []) == ()


INNER = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one_zone() {}\n}\n"


def test_a_test_that_leaves_a_product_file_keeps_its_name() -> None:
    changed = ChangedTests(("tests/fare.rs",), inner_text=INNER)
    at_start = red("tests::one_zone")

    run = a_run(fine=True, passed=("three_zones", "one_zone"))
    assert room_findings(NAME, run, at_start, changed) == []
    run = a_run(fine=True, passed=("inner_tests::one_zone",))
    assert room_findings(NAME, run, at_start, changed) == []


def test_a_test_that_was_there_does_not_stand_for_one_that_left_a_product_file() -> None:
    changed = ChangedTests(("tests/fare.rs",), inner_text=INNER)
    at_start = red("tests::one_zone").but(passed=("other::one_zone",))
    run = a_run(fine=True, passed=("other::one_zone",))

    assert severities(room_findings(NAME, run, at_start, changed)) == [(HIGH, "test-missing")]
    run = a_run(fine=True, passed=("one_zone",))
    elsewhere = changed.but(inner_text="")
    assert severities(room_findings(NAME, run, at_start, elsewhere)) == [(HIGH, "test-missing")]


DIFFERENCES = "zones 3: wanted 300, got 350\nzones 4: wanted 350, got 400\n"


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        (DIFFERENCES, f"zones 2: wanted 250, got 300\n{DIFFERENCES}", True),
        ("expected: 3\tactual: 4", "expected: 3\tactual: 4", True),
        (DIFFERENCES, "", False),
        (DIFFERENCES, DIFFERENCES.splitlines()[0], False),
        ("wanted 3, got 3", "wanted 3, got 3", False),
        ("FAIL: fare", "FAIL: fare", True),
        ("grow(2) is 11, not 12\n3 of 4", "grow(2) is 11, not 12\n3 of 4\n", True),
        ("FAIL: fare\nmake: Error 1", "FAIL: fare", False),
        ("reading fares", "reading fares", False),
    ],
    ids=[
        *("more of them", "the same", "none", "fewer", "no difference"),
        *("all of the output", "other words", "a part of the output", "no failure"),
    ],
)
def test_a_check_that_passes_and_prints_the_failures_of_the_start(
    before: str, after: str, is_found: bool
) -> None:
    start, end = a_run(detail=before), a_run(fine=True, detail=after)

    rows = printed_failure_findings(NAME, start, end)
    assert severities(rows) == [(MEDIUM, "passes-with-failures")] * is_found
    assert printed_failure_findings(NAME, end, end) == []
    assert printed_failure_findings(NAME, start, start) == []


WEAK_FAILURES = {
    "the function is not there": ("ImportError: cannot import name 'coupon' from 'shop'", True),
    "hasattr": ("assert False\n +  where False = hasattr(<module 'shop'>, 'coupon')", True),
    "typeof": ("Expected values to be strictly equal:\n'undefined' !== 'function'", True),
    "the name alone is true": (
        "The expression evaluated to a falsy value:\n\n  assert.ok(coupon)",
        True,
    ),
    "a new script": ("./test.sh: 9: ./restore.sh: not found", True),
    "another value": ("assert 50 == 45", False),
    "another text": ("'undefined' !== 'HALF'", False),
    "hasattr in the product beside it": (
        "Invalid: no\n    if hasattr(key, 'msg'):\n>   raise Invalid\nE   Invalid: no",
        False,
    ),
}


@pytest.mark.parametrize(("message", "is_weak"), WEAK_FAILURES.values(), ids=WEAK_FAILURES)
def test_a_new_test_that_only_asks_for_a_name_is_weak_evidence(message, is_weak):
    reverted = a_run(detail=message).but(
        report=TestReport((), (FailedTest("t.new", message),), is_complete=True)
    )

    found = work_tests(
        a_run(fine=True, passed=("t.new",)), reverted, TestReport(), ChangedTests(("t.py",), "")
    )

    assert (found.names, found.missing) == (("t.new",), ("t.new",) if is_weak else ())


REPORTED_ERRORS = {
    "the error that the spec reports": ("fails (cp: cannot stat 'my')", True),
    "another file": ("fails (cp: cannot stat 'your')", False),
    "no error": ("copies files with spaces", False),
}


@pytest.mark.parametrize(("spec", "is_fault"), REPORTED_ERRORS.values(), ids=REPORTED_ERRORS)
def test_an_error_that_the_spec_reports_is_the_fault_and_no_missing_name(spec, is_fault):
    reverted = a_run(detail="cp: cannot stat '/tmp/t.1/my': No such file or directory")

    found = work_tests(a_run(fine=True), reverted, TestReport(), ChangedTests(), spec=spec)

    assert found.names
    assert not found.missing if is_fault else found.missing == found.names


def test_an_attribute_that_the_spec_says_is_not_there_is_the_fault() -> None:
    error = "AttributeError: 'NoneType' object has no attribute 'strip'"
    reverted = a_run(detail=error)

    found = work_tests(
        a_run(fine=True), reverted, TestReport(), ChangedTests(), spec=f"main() ends with {error}"
    )

    assert (found.names, found.missing) == (("tests pass",), ())


RUST_ERRORS = """error[E0599]: no method named `size` found for enum `Result<T, E>` in the current scope
67 |         assert_eq!(parse("a").size(), 4);
   |                               ^^^^ method not found in `Result<Network, ParseError>`
"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (RUST_ERRORS, True),
        (RUST_ERRORS.replace("ParseError", "OtherError"), False),
        (f"{RUST_ERRORS}error[E0425]: cannot find value `net` in this scope", False),
        ("assertion `left == right` failed", False),
    ],
)
def test_errors_about_a_type_that_the_spec_names(output: str, expected: bool) -> None:
    spec = "parse() should return Result<Network, ParseError> instead."
    assert fails_for_types_of(spec, output) == expected


HOLLOW_FAILURES = {
    "only the name was missing": ("ImportError: cannot import name 'coupon' from 'shop'", ()),
    "it raises no more": ("ZeroDivisionError", ("t.new",)),
    "a name that only the product uses": ("'Shop' object has no attribute 'totl'", ("t.new",)),
}


@pytest.mark.parametrize(("message", "shown"), HOLLOW_FAILURES.values(), ids=HOLLOW_FAILURES)
def test_a_test_without_an_assertion_shows_no_more_than_that_nothing_is_raised(message, shown):
    reverted = a_run(detail=message).but(
        report=TestReport((), (FailedTest("t.new", message),), is_complete=True)
    )

    found = work_tests(
        a_run(fine=True, passed=("t.new",)),
        reverted,
        TestReport(),
        ChangedTests(("t.py",), ""),
        FinalTests(frozenset({"t.new", "new"}), frozenset({"coupon"})),
    )

    assert found.names == shown


@pytest.mark.parametrize("has_data", [True, False])
def test_a_test_whose_data_changed_shows_the_work(has_data) -> None:
    """It passed at the start, and fails on the same product with the data of the end."""
    reverted = a_run().but(
        report=TestReport((), (FailedTest("t.report", "assert 1 == 2"),), is_complete=True)
    )
    changed = ChangedTests(has_data=has_data)

    found = work_tests(
        a_run(fine=True, passed=("t.report",)), reverted, TestReport(("t.report",)), changed
    )

    assert found.names == (("t.report",) if has_data else ())


def test_a_file_that_node_cannot_load_is_named_by_its_path() -> None:
    test = FailedTest("test::/tmp/p/test/xml.test.js")
    assert belongs_to_changed(test, ChangedTests(("test/xml.test.js",), ""))
    assert not belongs_to_changed(test, ChangedTests(("test/csv.test.js",), ""))
