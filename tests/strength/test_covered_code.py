"""Tests as the work: hollow ones run the code and assert nothing, and are thin."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.strength.covered_code import (
    _new_words,
    changed_tests,
    covered_code,
    has_only_new_tests,
)
from tests.strength.measured import PYTHON, changed, measure, reasons

CART = """\
def total(prices, coupon=None):
    if coupon == "HALF":
        return sum(prices) / 2
    return sum(prices)


def shipping(weight, express=False):
    if weight <= 0:
        raise ValueError(weight)
    cost = 4 + weight * 2
    if express:
        cost += 10
    return cost
"""
HEAD = "import unittest\n\nimport cart\n\n\nclass Cart(unittest.TestCase):\n"
TOTAL = f"{HEAD}    def test_total(self):\n        self.assertEqual(cart.total([1, 2]), 3)\n"
HOLLOW = f"""{HEAD}
    def test_shipping(self):
        self.assertIsNotNone(cart.shipping(3))
        cart.shipping(3, express=True)

    def test_weight(self):
        try:
            cart.shipping(0)
        except ValueError:
            pass
"""
HONEST = f"""{HEAD}
    def test_shipping(self):
        self.assertEqual([cart.shipping(3), cart.shipping(3, express=True)], [10, 20])

    def test_weight(self):
        for weight in (0, -1):
            with self.assertRaises(ValueError):
                cart.shipping(weight)
"""
BEFORE = {"cart.py": CART, "test_cart.py": TOTAL}
RUN_BOTH = """import unittest
import test_cart

for name in dir(test_cart):
    if name.startswith("test_"):
        getattr(test_cart, name)()
suite = unittest.defaultTestLoader.loadTestsFromModule(test_cart)
assert unittest.TextTestRunner().run(suite).wasSuccessful()
"""


@pytest.mark.parametrize(("tests", "is_thin"), [(HOLLOW, True), (HONEST, False)])
def test_tests_without_assertions_are_thin(tmp_path: Path, tests: str, is_thin: bool) -> None:
    strength = measure(tmp_path, BEFORE, {"test_shipping.py": tests})

    assert strength.is_measured, reasons(strength)
    assert (strength.is_thin, strength.of_tests) == (is_thin, True), strength.items
    lines = {item.line for item in strength.items}
    assert lines <= set(range(7, 14)), "what no test names is not asked for"
    assert strength.measured_lines == 0


def test_what_the_tests_of_the_start_notice_says_nothing_about_new_ones(tmp_path: Path) -> None:
    before = {"cart.py": CART, "test_shipping.py": HONEST}

    strength = measure(tmp_path, before, {"test_more.py": HOLLOW})

    assert not strength.is_measured
    assert "the tests of the start notice them too" in reasons(strength)


IN_PYTEST = """import cart


def test_shipping():
    assert (cart.shipping(3), cart.shipping(3, express=True)) == (10, 20)


def test_weight():
    for weight in (0, -1):
        try:
            cart.shipping(weight)
        except ValueError:
            continue
        assert False, weight
"""
# What the former tests noticed and these do not is the problem, and nothing else.
HALF = IN_PYTEST.replace(" == (10, 20)", "[0] == 10")


@pytest.mark.parametrize(("tests", "is_thin"), [(IN_PYTEST, False), (HALF, True)])
def test_tests_in_another_form_notice_as_much_as_before(
    tmp_path: Path, tests: str, is_thin: bool
) -> None:
    before = {"cart.py": CART, "test_cart.py": HONEST, "run.py": RUN_BOTH}
    command, spec = f"{PYTHON} -B run.py", "Convert test_cart.py from unittest to pytest."

    strength = measure(tmp_path, before, {"test_cart.py": tests}, command, spec=spec)

    assert strength.is_measured, reasons(strength)
    assert strength.has_enough_judged
    assert strength.is_thin is is_thin, strength.items
    assert "of the product that the former tests notice are noticed" in strength.noticed_text


def test_all_of_a_changed_test_says_what_it_asks_about() -> None:
    before = f"{HEAD}    def test_a(self):\n        cart.shipping(3)\n        self.assertTrue(1)\n"
    (tests,) = changed_tests({"test_a.py": (before, before.replace("(1)", "(2)"))})

    assert "shipping" in _new_words(tests)
    assert "Cart" not in _new_words(tests), "only the test itself"


def test_tests_that_name_no_function_are_not_measured(tmp_path: Path) -> None:
    loops = f"{HEAD}    def test_all(self):\n        for name in dir(cart):\n            getattr(cart, name)\n"

    strength = measure(tmp_path, BEFORE, {"test_all.py": loops})

    assert not strength.is_measured
    assert "name no function of the product" in reasons(strength)


def test_what_the_spec_names_is_what_counts(tmp_path: Path) -> None:
    texts = {"a.py": "def go():\n    return 1\n", "b.py": "def go():\n    return 2\n"}
    test = "import a, b\n\n\ndef test_go():\n    assert a.go() + b.go() == 3\n"
    measure(tmp_path, texts, {"test_go.py": test}, "true")
    (tests,) = changed_tests({"test_go.py": (None, test)})

    def names(spec: str) -> list[str]:
        return [file.path for file in covered_code(str(tmp_path), [tests], spec).files]

    assert names("raise the coverage") == ["a.py", "b.py"]
    assert names("write tests for b.py") == ["b.py"]


def test_a_deleted_test_is_no_former_test_that_can_be_put_back(tmp_path: Path) -> None:
    sides = {"test_cart.py": (TOTAL, None), "test_shipping.py": (None, HONEST)}
    strength_of = covered_code(str(tmp_path), changed_tests(sides), "")

    assert strength_of.former_tests == (("test_shipping.py", None),)


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.rs", "fn a() {}\n", "fn a() {}\n#[cfg(test)]\nmod t {\n}\n", True),
        ("a.rs", "fn a() {}\n", "fn b() {}\n#[cfg(test)]\nmod t {\n}\n", False),
        ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", False),
    ],
)
def test_only_tests_inside_of_a_product_file_changed(
    path: str, before: str, after: str, expected: bool
) -> None:
    assert has_only_new_tests(changed(path, after, before)) is expected
