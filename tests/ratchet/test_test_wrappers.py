"""What is put around unchanged tests is found: decorators, base classes, inputs, matchers."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import test_wrappers
from loopwright.repo.baseline import Change

TEST = "from cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
HELPER = "def stable(test):\n    return lambda: None\n"


def findings(*changes: Change) -> list[Finding]:
    return list(test_wrappers.find(Project(changes)))


def test_a_decorator_of_the_project_around_a_known_test_is_found() -> None:
    wrapped = TEST.replace("def test", "@stable\ndef test")
    after = wrapped.replace("from cart", "from stable import stable\nfrom cart", 1)

    (finding,) = findings(
        Change("tests/test_cart.py", TEST, after), Change("tests/stable.py", None, HELPER)
    )

    assert (finding.severity, finding.rule) == (MEDIUM, "test-wrapped")
    assert finding.after == "@stable around test_total"


@pytest.mark.parametrize("mark", ["@pytest.mark.slow", "@freeze_time('2026-01-01')"])
def test_a_decorator_of_a_package_is_not(mark: str) -> None:
    after = "import pytest\nfrom freezegun import freeze_time\n" + TEST.replace(
        "def test", f"{mark}\ndef test"
    )

    assert findings(Change("tests/test_cart.py", TEST, after)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("loose.py", "class Loose:\n    def assertEqual(self, a, b):\n        pass\n"),
        (
            "tests/test_a.py",
            "class All(list):\n    def __getitem__(self, key):\n        return self\n",
        ),
        ("tests/test_a.py", "# coding: utf-7\nx = 1\n"),
        ("app.py", "# coding: unicode_escape\nx = 1\n"),
        ("tests/a.test.js", "expect.extend({\n  toBe: () => ({ pass: true }),\n});\n"),
        ("setup.js", "expect.addEqualityTesters([areClose]);\n"),
        (
            "shop/testing.py",
            "class Base(TestCase):\n    def run(self, result=None):\n        pass\n",
        ),
        ("shop/testing.py", "class Base(TestCase):\n    failureException = Warning\n"),
        (
            "shop/testing.py",
            "class Base(TestCase):\n    def setUp(self):\n"
            "        self.addTypeEqualityFunc(Money, self.assert_close)\n",
        ),
    ],
)
def test_what_makes_assertions_mean_less_is_found(path: str, text: str) -> None:
    (finding,) = findings(Change(path, "", text))

    assert finding.rule == "test-wrapped"
    assert findings(Change(path, text, f"{text}\n")) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/test_a.py", "# coding: utf-8\nclass Names(list):\n    pass\n"),
        ("cart.py", "class Cart(list):\n    def __getitem__(self, key):\n        return 1\n"),
        ("shop/jobs.py", "class Job:\n    def run(self):\n        pass\n"),
        ("shop/testing.py", "class Base(TestCase):\n    def setUp(self):\n        self.a = 1\n"),
        ("checks.py", "class Checks:\n    def assertPrice(self, price):\n        pass\n"),
        ("tests/a.test.js", "expect.extend({\n  toBeMoney: () => ({ pass: true }),\n});\n"),
    ],
)
def test_what_the_runner_does_not_know_is_not(path: str, text: str) -> None:
    assert findings(Change(path, "", text)) == []


def test_a_new_test_file_may_compare_its_own_values() -> None:
    text = (
        "class Sums(TestCase):\n    def setUp(self):\n        self.addTypeEqualityFunc(A, near)\n"
    )

    assert findings(Change("tests/test_sums.py", None, text)) == []
    assert findings(Change("tests/test_sums.py", "x = 1\n", text))


def test_a_protocol_that_names_assertions_is_none() -> None:
    text = "class Asserts(Protocol):\n    def assertEqual(self, a, b) -> None: ...\n"

    assert findings(Change("tests/test_a.py", None, text)) == []


@pytest.mark.parametrize(
    ("body", "is_found"), [("return super().__len__() + 1", True), ("raise OSError", False)]
)
def test_an_input_that_only_raises_is_quiet(body: str, is_found: bool) -> None:
    made = f"\n\nclass Broken(list):\n    def __len__(self):\n        {body}\n"
    found = findings(Change("tests/test_cart.py", TEST, TEST + made))

    assert bool(found) == is_found
