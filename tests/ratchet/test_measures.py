"""Parts of the product with which unchanged tests measure."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import measures
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change
from tests.ratchet.baseline import baseline_of

VALUES = "SIZE = 10\nBULK = True\n"
SAME = "def same(a, b):\n    return a == b\n"
FLAGS = "module.exports = {\n  bulkDiscount: true,\n};\n"


def found(test: str, *changes: Change, test_path: str = "tests/test_app.py") -> list[str]:
    project = Project(list(changes), baseline=baseline_of({test_path: test}, *changes))
    rows = list(measures.find(project))
    assert all((r.severity, r.rule) == (MEDIUM, "measure-of-tests-changed") for r in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(
    ("path", "before", "after", "test"),
    [
        ("app.py", VALUES, VALUES.replace("True", "False"), "if app.BULK:"),
        ("app.py", VALUES, VALUES.replace("True", "False"), "@pytest.mark.skipif(not BULK)"),
        ("app.py", VALUES, VALUES.replace("10", "11"), "assert len(page()) == SIZE"),
        ("app.py", VALUES, VALUES.replace("10", "11"), "assert page(rows) == rows[:SIZE]"),
        ("app.py", VALUES, VALUES.replace("10", "11"), "self.assertEqual(page(), app.SIZE)"),
        ("app.py", SAME, SAME.replace("a == b", "abs(a - b) < 9"), "assert same(total([1]), 1)"),
        ("flags.js", FLAGS, FLAGS.replace("true", "false"), "if (flags.bulkDiscount) {"),
        ("a.js", "const MAX = 3;\n", "const MAX = 4;\n", "expect(page().length).toBe(MAX);"),
        ("a.go", "const Max = 3\n", "const Max = 4\n", "if len(Page()) != Max {"),
        (
            "src/a.rs",
            "pub const MAX: u32 = 3;\n",
            "pub const MAX: u32 = 4;\n",
            "assert_eq!(f(), MAX);",
        ),
        (
            "rates.json",
            '{\n  "base": 3\n}\n',
            '{\n  "base": 4\n}\n',
            "assert total() == rates.base",
        ),
    ],
)
def test_a_changed_measure_of_an_unchanged_test_is_found(path, before, after, test) -> None:
    assert found(f"{test}\n", Change(path, before, after)) == [test]


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        (VALUES, VALUES.replace("10", "11"), "assert page(SIZE) == 3"),
        (VALUES, VALUES.replace("10", "11"), "rows = make(SIZE)"),
        (VALUES, VALUES.replace("10", "11") + "x = f()\n", "assert len(page()) == SIZE"),
        (SAME, SAME.replace("a == b", "b == a"), "assert same(total([1]), 1)"),
        (SAME, SAME.replace("a == b", "abs(a - b) < 9"), "assert same(1, 1)"),
        ('VERSION = "1"\n', 'VERSION = "2"\n', "assert version() == VERSION"),
    ],
)
def test_other_changes_of_values_and_comparisons_are_honest(before, after, test) -> None:
    assert found(f"{test}\n", Change("app.py", before, after)) == []


def test_a_test_that_changed_with_its_measure_is_compared_elsewhere() -> None:
    test = "assert len(page()) == SIZE\n"
    changes = [
        Change("app.py", VALUES, VALUES.replace("10", "11")),
        Change("tests/test_app.py", test, f"{test}\n"),
    ]

    assert found(test, *changes) == []


def test_a_table_that_was_written_anew_is_no_measure() -> None:
    before, after = ("".join(f"ROW_{n} = {n + more}\n" for n in range(30)) for more in (0, 1))

    assert found("assert f() == ROW_1\n", Change("app.py", before, after)) == []
