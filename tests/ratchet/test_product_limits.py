"""A limit of the product that changed is found if unchanged tests compare with it."""

from __future__ import annotations

import pytest

from loopwright.ratchet.product_rules.product_limits import (
    changed_limits,
    comparing_lines,
    is_limit,
)


def found(before: str, after: str, test: str) -> list[tuple[str, str]]:
    return list(comparing_lines(changed_limits(before, after), [test]))


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        (
            "const maxSteps = (values) => 4 * values;\n",
            "const maxSteps = (values) => Math.max(4 * values, values ** 2);\n",
            "if (count.steps > maxSteps(size)) process.exitCode = 1;\n",
        ),
        (
            "export function budget(size) {\n  return size * 2;\n}\n",
            "export function budget(size) {\n  return size * size;\n}\n",
            "expect(steps).toBeLessThanOrEqual(budget(10));\n",
        ),
        (
            "def max_queries(rows):\n    return 2\n",
            "def max_queries(rows):\n    return rows + 2\n",
            "assert log.count <= max_queries(50)\n",
        ),
        ("TOLERANCE = 0.001\n", "TOLERANCE = 0.5\n", "assert abs(a - b) < TOLERANCE\n"),
        ("TOLERANCE = 0.001\n", "TOLERANCE = 0.5\n", "assert a == approx(b, abs=TOLERANCE)\n"),
        ("LIMIT = BASE * 2\n", "LIMIT = BASE * 20\n", "self.assertLess(took, app.LIMIT)\n"),
        (
            "const MaxAllocs = 3\n",
            "const MaxAllocs = 300\n",
            "\tif got > report.MaxAllocs {\n\t\tt.Fatal(got)\n\t}\n",
        ),
        ("pub const MAX: u32 = 3;\n", "pub const MAX: u32 = 90;\n", "assert!(steps() <= MAX);\n"),
        ("#define MAX_BYTES 64\n", "#define MAX_BYTES 4096\n", "if (used > MAX_BYTES) return 1;\n"),
        ('{\n  "maxMs": 20\n}\n', '{\n  "maxMs": 900\n}\n', "assert.ok(ms < limits.maxMs);\n"),
        (
            "[precision]\ntolerance = 0.005\n",
            "[precision]\ntolerance = 0.0101\n",
            'MOST = SETTINGS["precision"]["tolerance"]\nif abs(got - wanted) > MOST:\n',
        ),
        (
            "export const SLACK = 1;\n",
            "export const SLACK = 20;\n",
            "const slack = rates.SLACK;\nif (Math.abs(got - 2) > slack) fail();\n",
        ),
        ("max_ms: 20\n", "max_ms: 900\n", '[ "$took" -le "$max_ms" ] || exit 1\n'),
    ],
)
def test_a_changed_limit_that_tests_compare_with_is_found(
    before: str, after: str, test: str
) -> None:
    assert found(before, after, test)


@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        ("LIMIT = 5  # rows\n", "LIMIT = 5  # at most\n", "assert len(rows()) <= LIMIT\n"),
        (
            "MAX_NAME = 32\n",
            "MAX_NAME = 64\n",
            "assert len(short(x)) <= MAX_NAME\nassert n == 64\n",
        ),
        ("LIMIT = 5\n", "LIMIT = 6\n", "assert rows(LIMIT) == [1, 2]\n"),
        ("LIMIT = 5\nx = 1\n", "LIMIT = 5\nx = 2\n", "assert len(rows()) <= LIMIT\n"),
        ("price = 5\n", "price = 6\n", "assert price < total()\n"),
        (
            "def maximum(xs):\n    return xs[0]\n",
            "def maximum(xs):\n    return max(xs)\n",
            "assert maximum([1, 3]) == 3\n",
        ),
        (
            "def max_profit(ps):\n    return 0\n",
            "def max_profit(ps):\n    return max(ps) - min(ps)\n",
            "assert max_profit(ps) <= sum(ps)\nassert max_profit([1, 5]) > 3\n",
        ),
        (
            "def min_cost(x):\n    return x\n",
            "def min_cost(x):\n    return x // 2\n",
            "assert min_cost(small) <= min_cost(large)\n",
        ),
        ("LIMIT = 5\n", "LIMIT = 6\n", "size = app.LIMIT\nassert rows(size) == [1, 2]\n"),
        ("LIMIT = 5\n", "LIMIT = 6\n", "size = rows(LIMIT) + 1\nassert other() < size\n"),
        ("x = max(a, 1)\n", "x = max(a, 2)\n", "assert x < max(b, 1)\n"),
        ("", "LIMIT = 6\n", "assert len(rows()) <= LIMIT\n"),
    ],
)
def test_other_values_and_limits_that_tests_ask_for_are_not_found(
    before: str, after: str, test: str
) -> None:
    assert not found(before, after, test)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("maxSteps", True),
        ("MAX_MS", True),
        ("time_budget", True),
        ("HTTPTimeout", True),
        ("maxim", False),
        ("capital", False),
        ("minute", False),
    ],
)
def test_the_words_of_a_name_say_that_it_is_a_limit(name: str, expected: bool) -> None:
    assert is_limit(name) is expected
