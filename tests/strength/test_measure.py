"""The measurement on real files: what refuses to measure, and what tells thin from thorough."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from loopwright.core.proof.strength import (
    CANNOT_RUN,
    FILE,
    INCONCLUSIVE,
    LINE,
    NOT_NOTICED,
    NOTICED,
    PART,
)
from tests.strength.measured import PYTHON, UNITTEST, measure, reasons

CART = "def total(prices):\n    return sum(prices)\n"
COUPONS = """\
def total(prices, coupon=None):
    amount = sum(prices)
    if coupon:
        amount = reduced(amount, coupon)
    return amount


def reduced(amount, coupon):
    if coupon == "HALF" and amount >= 100:
        return amount / 2
    if coupon == "TEN":
        return max(0, amount - 10)
    raise ValueError(coupon)
"""
FEW_TESTS = """\
import unittest
from cart import total


class Cart(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
MORE_TESTS = f"""{FEW_TESTS}
    def test_half(self):
        self.assertEqual(total([100], "HALF"), 50)
        with self.assertRaises(ValueError):
            total([99], "HALF")

    def test_ten(self):
        self.assertEqual([total([15], "TEN"), total([5], "TEN")], [5, 0])
"""
BEFORE = {"cart.py": CART, "test_cart.py": FEW_TESTS}


def test_tests_that_look_at_the_work_notice_what_is_taken_away(tmp_path: Path) -> None:
    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS, "test_cart.py": MORE_TESTS})

    assert strength.control == NOTICED
    assert not strength.is_thin
    assert strength.is_measured
    assert strength.unrun_lines == 0
    assert len(strength.noticed) == len(strength.judged) >= 6


def test_work_that_no_test_looks_at_is_thin_with_file_and_line(tmp_path: Path) -> None:
    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS})

    assert strength.is_thin
    places = [(item.kind, item.file, item.line) for item in strength.weak_items]
    assert (LINE, "cart.py", 9) in places
    assert (PART, "cart.py", 9) in places


def test_lines_are_known_where_the_command_sets_the_path_itself(tmp_path: Path) -> None:
    before = {"src/cart.py": CART, "test_cart.py": FEW_TESTS}
    command = f"PYTHONPATH=src {UNITTEST}"

    strength = measure(tmp_path, before, {"src/cart.py": COUPONS}, command)

    assert (strength.unrun_lines, strength.measured_lines) == (6, 9)


def test_a_control_that_is_not_noticed_measures_nothing(tmp_path: Path) -> None:
    command = f'{PYTHON} -c "assert 1"'

    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS}, command)

    assert strength.control == NOT_NOTICED
    assert not strength.is_measured
    assert "does not look at this code" in reasons(strength)


def test_a_red_baseline_measures_nothing(tmp_path: Path) -> None:
    red = FEW_TESTS.replace("3)", "4)")

    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS, "test_cart.py": red})

    assert strength.items == ()
    assert not strength.is_measured
    assert "fails in the clean checkout already" in reasons(strength)


def test_a_flaky_check_measures_nothing(tmp_path: Path) -> None:
    flaky = f"{FEW_TESTS}\n\nimport os\nif not os.path.exists('seen'):\n    open('seen', 'w')\n    raise SystemExit(1)\n"

    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS, "test_cart.py": flaky})

    assert strength.items == ()
    assert "it is flaky" in reasons(strength)


def test_a_check_that_stays_red_after_a_change_shows_nothing(tmp_path: Path) -> None:
    """The first failure leaves a file behind, and from then on every run fails."""
    command = f"test ! -e broken && {{ {UNITTEST} || {{ test -e first && touch broken; touch first; false; }}; }}"

    strength = measure(tmp_path, BEFORE, {"cart.py": COUPONS, "test_cart.py": MORE_TESTS}, command)

    assert strength.noticed == ()
    assert not strength.is_measured
    assert "also fails without a change now" in reasons(strength)


def test_a_time_out_is_never_noticed(tmp_path: Path) -> None:
    before = {"wait.py": "def steps():\n    return [1]\n", "test_wait.py": ""}
    after = {
        "wait.py": "def steps():\n    left = 3\n    found = []\n    while left:\n        left -= 1\n        found.append(left)\n    return found\n",
        "test_wait.py": "import unittest\nfrom wait import steps\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(steps(), [2, 1, 0])\n",
    }

    strength = measure(tmp_path, before, after, timeout=6)

    late = [item for item in strength.inconclusive if item.reason == "time-out"]
    assert [item.line for item in late] == [5]
    assert late[0] not in strength.judged


def test_a_part_of_which_only_the_name_is_missing_is_inconclusive(tmp_path: Path) -> None:
    before = {"shop.py": "def a():\n    return 1\n", "test_shop.py": ""}
    after = {
        "shop.py": "def a(tax=0):\n    return 1 + tax\n",
        "test_shop.py": "import unittest\nfrom shop import a\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(a(tax=2), 3)\n",
    }

    strength = measure(tmp_path, before, after)

    parts = [item for item in strength.items if item.kind == PART]
    assert [item.result for item in parts] == [INCONCLUSIVE]
    assert "a name is missing" in parts[0].reason


def test_a_check_that_writes_the_file_itself_is_inconclusive(tmp_path: Path) -> None:
    command = f"cp cart.py.good cart.py; {UNITTEST}"
    work = {"cart.py": COUPONS, "test_cart.py": MORE_TESTS, "cart.py.good": COUPONS}

    strength = measure(tmp_path, BEFORE | {"cart.py.good": COUPONS}, work, command)

    assert not strength.is_measured
    assert "the positive control is inconclusive" in reasons(strength)


def test_the_budget_is_a_wall_and_says_what_did_not_fit(tmp_path: Path) -> None:
    strength = measure(
        tmp_path, BEFORE, {"cart.py": COUPONS, "test_cart.py": MORE_TESTS}, budget=0.01
    )

    assert strength.runs <= 1
    assert not strength.is_measured
    assert strength.unmeasured


@pytest.mark.parametrize(
    ("after", "can_be"),
    [
        pytest.param({"cart.py": COUPONS}, True, id="new code"),
        pytest.param({"cart.py": f'VERSION = "0.9"\n\n\n{CART}'}, False, id="a version number"),
        pytest.param({"site.yml": "nav:\n- a.md\n- b.md\n"}, False, id="settings"),
        pytest.param({"cart.py": CART}, False, id="less code"),
    ],
)
def test_whether_tests_can_show_the_work(
    tmp_path: Path, after: dict[str, str], can_be: bool
) -> None:
    before = {
        "cart.py": f'VERSION = "0.8"\n\n\n{CART}',
        "site.yml": "nav:\n- a.md\n",
        "test_cart.py": FEW_TESTS,
    }
    assert measure(tmp_path, before, after).can_be_tested is can_be


def test_nothing_is_undone_in_a_refactoring(tmp_path: Path) -> None:
    work = {"cart.py": COUPONS, "test_cart.py": MORE_TESTS}

    strength = measure(tmp_path, BEFORE, work, is_refactoring=True)

    assert not [item for item in strength.items if item.kind == PART]
    assert strength.noticed


def test_a_cache_of_compiled_code_does_not_hide_an_overlay(tmp_path: Path) -> None:
    """Same size and same second: Python would take the compiled file of before."""
    command = f"{PYTHON} -m unittest -q"
    before = {"m.py": "def f(a):\n    return a < 3\n", "test_m.py": ""}
    test = "import unittest\nfrom m import f\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual([f(2), f(3), f(4)], [True, True, False])\n"

    strength = measure(
        tmp_path, before, {"m.py": "def f(a):\n    return a <= 3\n", "test_m.py": test}, command
    )

    assert {item.result for item in strength.judged} == {NOTICED}
    assert len(strength.judged) >= 2


def test_code_for_another_machine_is_listed_and_not_counted(tmp_path: Path) -> None:
    other = "win32" if sys.platform != "win32" else "linux"
    after = (
        "import sys\n\n\ndef total(prices):\n"
        f"    if sys.platform == '{other}':\n"
        "        a = 1\n        b = 2\n        c = 3\n        return a + b + c\n"
        "    return sum(prices) + 0\n"
    )
    test = FEW_TESTS.replace("3)", "3)\n        self.assertEqual(total([]), 0)")

    strength = measure(tmp_path, BEFORE, {"cart.py": after, "test_cart.py": test})

    assert strength.unrun_lines == 0
    assert [item.lines for item in strength.cannot_run if item.kind == LINE] == [4]
    assert not any("run by no check" in reason for reason in strength.thin_reasons)


def test_declared_types_cannot_run_here(tmp_path: Path) -> None:
    types = "export type Options = {\n  readonly tax?: number\n}\n"
    new = "export type Rates = {\n  readonly low: number\n  readonly high: number\n}\n"
    before = {**BEFORE, "cart.d.ts": types}
    after = {"cart.py": COUPONS, "test_cart.py": MORE_TESTS, "cart.d.ts": types + new}

    strength = measure(tmp_path, before, after)

    assert {item.result for item in strength.items if item.file == "cart.d.ts"} == {CANNOT_RUN}


def test_a_module_for_want_of_a_package_cannot_run_here(tmp_path: Path) -> None:
    backend = "import no_such_package\n\n\ndef store(value):\n    value = value + 1\n    return no_such_package.put(value)\n"
    shop = f"{CART}\n\ndef store(value):\n    from backend import store as put\n    return put(value)\n"
    before = {**BEFORE, "cart.py": CART.replace("sum(prices)", "sum( prices )")}

    strength = measure(tmp_path, before, {"cart.py": shop, "backend.py": backend})

    own = [item for item in strength.items if item.file == "backend.py"]
    assert {item.result for item in own} == {CANNOT_RUN}
    assert "no_such_package" in own[0].reason


def test_a_new_module_that_nothing_imports_is_thin(tmp_path: Path) -> None:
    test = "import unittest\nfrom coupon import half\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(half(4), 2)\n"
    after = {"coupon.py": "def half(amount):\n    return amount / 2\n", "test_coupon.py": test}

    strength = measure(tmp_path, BEFORE, after)

    assert [(item.kind, item.file) for item in strength.unused_files] == [(FILE, "coupon.py")]
    assert strength.is_thin


@pytest.mark.parametrize("path", ["readme.md", ".github/workflows/ci.yml"])
def test_without_a_product_file_there_is_nothing_to_measure(tmp_path: Path, path: str) -> None:
    strength = measure(tmp_path, BEFORE, {path: "words\n"})

    assert not strength.is_measured
    assert "no file of the product changed" in reasons(strength)
