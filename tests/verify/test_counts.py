"""What tools count, from their own last words."""

from __future__ import annotations

import pytest

from loopwright.verify.counts import (
    count_failures,
    failing_tests,
    reported_counts,
    sums_up_otherwise,
)

COUNTS = {
    "pytest": (
        "===== 2 failed, 3 passed, 1 skipped, 2 deselected in 0.12s =====\n",
        {"tests": 8, "skipped": 3},
    ),
    "pytest -q": ("..s\n2 passed, 1 xfailed in 0.02s\n", {"tests": 3, "skipped": 1}),
    "pytest that lasts": ("= 10 passed in 75.20s (0:01:15) =\n", {"tests": 10, "skipped": 0}),
    "pytest, twice": ("1 passed in 0.1s\n2 passed in 0.1s\n", {"tests": 3, "skipped": 0}),
    "pytest, with words of a plugin": (
        "== 1 failed, 7 passed, 1 skipped, 88 subtests passed in 0.5s ==\n",
        {},  # a subtest that fails is among the failed ones, one that passes is apart
    ),
    "pytest, where only the words of a plugin differ": (
        "2 passed in 0.1s\n3 passed, 1 re-run, 2 soft failures in 0.2s\n",
        {"tests": 5, "skipped": 0},
    ),
    "jest, a file that did not load": (
        "FAIL test/new.test.js\n  ● Test suite failed to run\n\n"
        "Tests:       1 skipped, 1 passed, 2 total\n",
        {"tests": 2, "skipped": 1, "unloaded": 1},
    ),
    "vitest, a file that did not load": (
        " FAIL  test/new.test.js [ test/new.test.js ]\n Tests  1 passed | 1 skipped (2)\n",
        {"tests": 2, "skipped": 1, "unloaded": 1},
    ),
    "unittest": (
        "Ran 5 tests in 0.001s\n\nFAILED (failures=1, skipped=2)\n",
        {"tests": 5, "skipped": 2},
    ),
    "unittest, fine": ("Ran 1 test in 0.001s\n\nOK\n", {"tests": 1, "skipped": 0}),
    "unittest, expected": (
        "Ran 3 tests in 0.001s\n\nOK (expected failures=1)\n",
        {"tests": 3, "skipped": 1},
    ),
    "jest": ("Tests:       1 failed, 2 skipped, 5 passed, 8 total\n", {"tests": 8, "skipped": 2}),
    "vitest": ("      Tests  1 failed | 5 passed | 2 skipped (8)\n", {"tests": 8, "skipped": 2}),
    "mocha": ("\n  5 passing (20ms)\n  1 pending\n  2 failing\n", {"tests": 8, "skipped": 1}),
    "node": ("# tests 5\n# pass 4\n# fail 0\n# skipped 1\n# todo 0\n", {"tests": 5, "skipped": 1}),
    "node, a file that hangs is no test": (
        "ok 1 - a\nnot ok 2 - b\nnot ok 1 - /p/test/a.test.js\n1..3\n# tests 3\n# fail 1\n",
        {"tests": 2, "skipped": 0},
    ),
    "node, the same in words": (
        "✔ a (1.2ms)\n✖ test/a.test.js (4005.2ms)\n  'timed out'\n\nℹ tests 2\nℹ fail 0\n\n"
        "✖ failing tests:\n\n✖ test/a.test.js (4005.2ms)\n",
        {"tests": 1, "skipped": 0},
    ),
    "node, two packages of a workspace": (
        "# tests 5\n# pass 5\n# fail 0\n# skipped 1\n\n> b@1.0.0 test\n# tests 2\n# fail 0\n# todo 1\n",
        {"tests": 7, "skipped": 2},
    ),
    "node, a file without tests": (
        "not ok 1 - /p/test/check.js\nok 2 - /p/test/other.js\n# tests 2\n# fail 1\n",
        {"tests": 2, "skipped": 0},
    ),
    "cargo": (
        "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured\n",
        {"tests": 6, "skipped": 1},
    ),
    "coverage": ("TOTAL      120     12    90%\n", {"coverage": 90, "uncovered": 12}),
    "coverage with branches": (
        "TOTAL   120   12   30   4   88.5%\n",
        {"coverage": 88.5, "uncovered": 16},
    ),
    "istanbul": ("All files      |   85.31 |    70.1 |\n", {"coverage": 85.31}),
    "ruff": ("Found 3 errors.\n", {"problems": 3}),
    "eslint": ("✖ 12 problems (0 errors, 12 warnings)\n", {"problems": 12}),
    "words": ("all is well, 3 passed by in 2s of the night\n", {}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("3 passed in 0.1s\n", False),
        ("3 passed after 2 min\n", True),
        ("     Summary [   0.01s] 7 tests run: 7 passed, 0 skipped\n", True),
        ("12 examples, 0 failures\n", True),
        ("== 7 passed, 88 subtests passed in 0.5s ==\n", True),
        ("SUBFAILED(i=1) test_a.py::test_b\n== 1 failed, 7 passed in 0.5s ==\n", True),
        ("compiled 12 files\nall is well\n", False),
        ("", False),
    ],
)
def test_a_summary_in_words_that_we_do_not_know(text: str, is_other: bool):
    assert sums_up_otherwise(text) is is_other


@pytest.mark.parametrize(("text", "counts"), COUNTS.values(), ids=COUNTS.keys())
def test_counted(text, counts):
    assert dict(reported_counts(text)) == counts


FAILURES = {
    "pytest": ("2 failed, 3 passed, 1 error in 0.12s\n", 3),
    "pytest, green": ("3 passed in 0.12s\n", 0),
    "pytest, with other numbers after it": ("2 failed in 0.1s\nuploaded 40 errors\n", 2),
    "unittest": ("Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=2, skipped=2)\n", 3),
    "jest": ("Tests:       1 failed, 2 skipped, 5 passed, 8 total\n", 1),
    "vitest": ("      Tests  4 failed | 5 passed (9)\n", 4),
    "mocha": ("\n  5 passing (20ms)\n  2 failing\n", 2),
    "node": ("# tests 5\n# pass 4\n# fail 1\n", 1),
    "cargo, two crates": (
        "test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured\n"
        "test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured\n",
        3,
    ),
    "another tool": ("checked 20 files\n7 failures\n", 7),
    "no number": ("no\n", None),
}


@pytest.mark.parametrize(("text", "number"), FAILURES.values(), ids=FAILURES.keys())
def test_the_failures_come_from_the_summary_of_the_runner(text, number):
    assert count_failures(text) == number


NAMES = {
    "pytest": (
        "FAILED tests/test_a.py::test_x - assert 1 == 2\nERROR tests/test_b.py\n",
        ("tests/test_a.py::test_x", "tests/test_b.py"),
    ),
    "unittest": (
        "FAIL: test_x (pkg.Case.test_x)\nERROR: test_y (pkg.Case.test_y)\n",
        ("test_x (pkg.Case.test_x)", "test_y (pkg.Case.test_y)"),
    ),
    "jest": ("  ● cart › adds\n\n    expect(received)\n  ● cart › adds\n", ("cart › adds",)),
    "vitest": (" FAIL  src/cart.test.ts > cart > adds\n", ("src/cart.test.ts > cart > adds",)),
    "go": (
        "--- FAIL: TestAdd (0.00s)\n    --- FAIL: TestAdd/zero (0.00s)\n",
        ("TestAdd", "TestAdd/zero"),
    ),
    "cargo": ("test cart::adds ... FAILED\ntest cart::drops ... ok\n", ("cart::adds",)),
    "cargo -q": ("F.\n---- cart::adds stdout ----\nboom\n", ("cart::adds",)),
    "TAP": ("ok 1 - adds\nnot ok 2 - drops\n", ("drops",)),
    "nothing": ("boom\n", ()),
}


@pytest.mark.parametrize(("text", "names"), NAMES.values(), ids=NAMES.keys())
def test_failing(text, names):
    assert failing_tests(text) == names


def test_a_flood_is_bounded():
    flood = "".join(f"FAILED tests/test_a.py::test_{number}\n" for number in range(50_000))
    assert 0 < len(failing_tests(flood)) <= 2_000
