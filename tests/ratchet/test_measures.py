"""Parts of the product with which unchanged tests measure, and lists of steps."""

from __future__ import annotations

import pytest

from loopwright.checks.references import is_listed_file, referenced_kind
from loopwright.checks.test_files import DATA
from loopwright.ratchet import findings
from loopwright.ratchet.product_rules.measures import (
    Measures,
    lines_through_program,
    measuring_lines,
    measuring_lines_of_other,
    measuring_lines_of_script,
)
from loopwright.repo.baseline import Change

VALUES = "SIZE = 10\nBULK = True\n"
SAME = "def same(a, b):\n    return a == b\n"
ASSERTS = (
    "class Case(TestCase):\n    def assert_even(self, n):\n        self.assertEqual(n % 2, 0)\n"
)
ASSERTS_LESS = ASSERTS.replace("assertEqual(n % 2, 0)", "assertAlmostEqual(n % 2, 0, delta=1)")
EXPECTS = "def expect_even(n):\n    if n % 2:\n        raise AssertionError(n)\n"
LOOSE = "def same(a, b):\n    return abs(a - b) < 9\n"


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        (
            VALUES,
            VALUES.replace("True", "False"),
            "def test_it():\n    if app.BULK:\n        pass\n",
        ),
        (
            VALUES,
            VALUES.replace("True", "False"),
            "@pytest.mark.skipif(not BULK)\ndef test_it(): ...\n",
        ),
        (VALUES, VALUES.replace("10", "11"), "assert len(page()) == SIZE\n"),
        (VALUES, VALUES.replace("10", "11"), "assert page(rows) == rows[:SIZE]\n"),
        (VALUES, VALUES.replace("10", "11"), "self.assertEqual(page(), app.SIZE)\n"),
        (SAME, LOOSE, "assert same(total([1]), 1)\n"),
        (ASSERTS, ASSERTS_LESS, "self.assert_even(total([1]))\n"),
        (EXPECTS, EXPECTS.replace("n % 2:", "n % 2 and n > 9:"), "expect_even(total([1]))\n"),
    ],
)
def test_a_changed_measure_of_an_unchanged_test_is_found(
    before: str, after: str, test: str
) -> None:
    measures = Measures("app.py", before, after)

    assert list(measuring_lines(measures, measures.is_only_values, test))


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        (VALUES, VALUES.replace("10", "11"), "assert SIZE == 11\n"),
        (VALUES, VALUES.replace("10", "11") + "def page(): ...\n", "assert len(page()) == SIZE\n"),
        (VALUES, VALUES.replace("10", "11"), "if BULK:\n    pass\n"),
        ("VERSION = '1'\n", "VERSION = '2'\n", "assert show() == VERSION\n"),
        (SAME, LOOSE, "assert same(1, 2)\n"),
        (ASSERTS, f"{ASSERTS}        self.assertLess(n, 9)\n", "self.assert_even(total([1]))\n"),
        (ASSERTS, f"{ASSERTS}\n    def assert_odd(self, n): ...\n", "self.assert_even(a())\n"),
        (ASSERTS, ASSERTS_LESS, "with self.assertRaises(Failed):\n    self.assert_even(1)\n"),
        (EXPECTS, EXPECTS.replace("n % 2", "n & 1"), "pytest.raises(Failed, expect_even, 1)\n"),
        (SAME, SAME.replace("a == b", "b == a"), "assert same(total([1]), 1)\n"),
    ],
)
def test_other_changes_of_values_and_comparisons_are_honest(
    before: str, after: str, test: str
) -> None:
    measures = Measures("app.py", before, after)

    assert not list(measuring_lines(measures, measures.is_only_values, test))


FLAGS = "module.exports = {\n  bulk: true,\n  size: 10,\n};\n"


@pytest.mark.parametrize(
    ("after", "test", "is_found"),
    [
        (FLAGS.replace("true", "false"), "if (flags.bulk) {", True),
        (FLAGS.replace("true", "false"), "test.skipIf(!flags.bulk)('x', () => {", True),
        (FLAGS.replace("10", "11"), "expect(page(rows).length).toBe(flags.size);", True),
        (FLAGS.replace("10", "11"), "assert.strictEqual(page(rows).length, flags.size);", True),
        (FLAGS.replace("10", "11"), "assert.strictEqual(flags.size, 11);", False),
        (FLAGS.replace("10", "11"), "if (flags.bulk) {", False),
        (FLAGS.replace("10", "11") + "use(1);\n", "expect(page().length).toBe(size);", False),
    ],
)
def test_a_changed_measure_of_a_test_in_javascript_is_found(
    after: str, test: str, is_found: bool
) -> None:
    measures = Measures("flags.js", FLAGS, after)
    lines = measuring_lines_of_script(measures, measures.is_only_values, test)

    assert bool(list(lines)) == is_found


GO_TEST = "if got := len(Cut(rows)); got != Limits.Rows && got != len(rows) {"


@pytest.mark.parametrize(
    ("path", "before", "after", "test", "is_found"),
    [
        ("limits.json", '{"Rows": 20}\n', '{"Rows": 200}\n', GO_TEST, True),
        ("limits.toml", "Rows = 20\n", "Rows = 200\n", GO_TEST, True),
        ("page.go", "const Rows = 20\n", "const Rows = 200\n", GO_TEST, True),
        (
            "lib.rs",
            "pub const ROWS: usize = 2;\n",
            "pub const ROWS: usize = 9;\n",
            "assert_eq!(cut(9).len(), ROWS);",
            True,
        ),
        (
            "A.java",
            "  static final int ROWS = 2;\n",
            "  static final int ROWS = 9;\n",
            "assertEquals(ROWS, cut(9).size());",
            True,
        ),
        ("a.rb", "ROWS = 2\n", "ROWS = 9\n", "assert_equal ROWS, cut(9).size", True),
        ("page.go", "const Rows = 20\n", "const Rows = 200\n", "if Rows != 200 {", False),
        ("a.rb", "ROWS = 2\n", "ROWS = 9\n", "assert_equal 9, ROWS", False),
        ("page.go", "const Rows = 20\n", "const Rows = 200\nvar x = f()\n", GO_TEST, False),
        (
            "limits.json",
            '{"Rows": 20, "Name": "a"}\n',
            '{"Rows": 20, "Name": "b"}\n',
            GO_TEST,
            False,
        ),
    ],
)
def test_a_changed_measure_of_a_test_in_another_language_is_found(
    path: str, before: str, after: str, test: str, is_found: bool
) -> None:
    measures = Measures(path, before, after)
    lines = measuring_lines_of_other(measures, measures.is_only_values, test)

    assert bool(list(lines)) == is_found


RUST = "/// Says it.\n///\n/// ```\n/// assert_eq!(fare(3), 300);\n/// ```\npub fn fare() {}\n"


@pytest.mark.parametrize(
    ("after", "is_found"),
    [
        (RUST.replace("```\n/// assert", "```no_run\n/// assert"), True),
        (RUST.replace("```\n/// assert", "```ignore\n/// assert"), True),
        ("/// Says it.\npub fn fare() {}\n", True),
        (RUST.replace("fare(3), 300", "fare_of(3), 300"), False),
        (RUST.replace("pub fn fare() {}", "pub fn fare() { }"), False),
    ],
)
def test_an_example_of_rust_that_is_no_longer_run_is_named(after: str, is_found: bool) -> None:
    found = findings([Change("src/lib.rs", RUST, after)], ["cargo test"])

    assert ("expected-data-changed" in {finding.rule for finding in found}) == is_found
    assert not findings([Change("src/lib.rs", RUST, after)], ["cargo build"])


@pytest.mark.parametrize(
    ("makefile", "kind"),
    [
        ("test:\n\tfor name in $$(cat packages.txt); do make -C $$name; done\n", DATA),
        ("NAMES := $(shell cat packages.txt)\n", DATA),
        ("test:\n\tcat packages.txt | xargs -n 1 sh check.sh\n", DATA),
        ("signs.py: packages.txt\n\tpython3 make_signs.py packages.txt\n", ""),
    ],
)
def test_a_list_from_which_a_makefile_takes_its_steps_is_data(makefile: str, kind: str) -> None:
    texts = {"Makefile": makefile}

    assert referenced_kind("packages.txt", "a\nb\n", texts, frozenset()) == kind


def test_cases_that_are_gone_or_changed_may_be_listed_by_a_check() -> None:
    assert is_listed_file("cases/two.in", "1\n", None)
    assert is_listed_file("cases/two.out", "1\n", "2\n")
    assert is_listed_file("cases/new.txt", None, "2\n")
    assert not is_listed_file("config/app.yaml", "a: 1\n", "a: 2\n")
    assert not is_listed_file("src/app.py", "a = 1\n", None)


@pytest.mark.parametrize(
    ("after", "is_found"), [("[[1, 2], [3, 4]]\n", False), ("[[1, 3], [3, 4]]\n", True)]
)
def test_rows_that_join_a_list_on_one_line_take_nothing_away(after: str, is_found: bool) -> None:
    found = findings([Change("testdata/fares.json", "[[1, 2]]\n", after)], ["go test ./..."])

    assert ("expected-data-changed" in {finding.rule for finding in found}) == is_found


THROUGH = """\
def plain(text):
    return run([PYTHON, "tools/normalize.py"], input=text).stdout

def test_sums():
    assert {0} == {1}
"""


@pytest.mark.parametrize(
    ("left", "right", "is_found"),
    [
        ("plain(report())", 'plain(Path("sums.txt").read_text())', True),
        ("plain(report())", "plain(report())", False),  # what the program does with one input
        ("plain(report())", '"a 1"', False),
        ('plain(open("a").read())', 'plain(open("b").read())', False),
    ],
)
def test_a_program_through_which_both_sides_go_is_a_measure(left, right, is_found) -> None:
    test = THROUGH.format(left, right)

    assert bool(list(lines_through_program("normalize.py", test))) == is_found
    assert not list(lines_through_program("report.py", test))
