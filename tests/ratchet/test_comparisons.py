"""Comparisons, errors and fields of the product with which tests compare."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import comparisons, hidden_fields
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change
from tests.ratchet.baseline import baseline_of

MONEY = (
    "class Money:\n    def __init__(self, cents, code):\n        self.cents = cents\n\n"
    "    def __eq__(self, other):\n        return self.cents == other.cents\n"
)
ROUTE = (
    "class Route {\n    public boolean equals(Object other) {\n"
    "        return ((Route) other).stops.equals(stops);\n    }\n}\n"
)
RUST = "impl PartialEq for Fare {\n    fn eq(&self, other: &Self) -> bool {\n        {}\n    }\n}\n"
FARE = (
    "class Fare {\n  toJSON() {\n    const all: any[] =\n      this.parts\n    return all\n  }\n}\n"
)
RUBY = "class Fare\n  def ==(other)\n    cents == other.cents\n  end\nend\n"


def rules(path: str, before: str | None, after: str | None) -> list[tuple[str, str]]:
    found = comparisons.find(Project([Change(path, before, after)]))
    return [(finding.severity, finding.rule) for finding in found]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("money.py", MONEY, MONEY.replace("self.cents == other.cents", "True")),
        ("money.py", MONEY, MONEY.replace("==", "<=")),
        (
            "money.py",
            "class Cents(int):\n    pass\n",
            "class Cents(int):\n    __eq__ = int.__le__\n",
        ),
        ("text.py", None, "class Text(str):\n    def __contains__(self, part): return True\n"),
        ("src/Route.java", ROUTE, ROUTE.replace(".equals(stops)", ".size() == stops.size()")),
        (
            "src/fare.rs",
            RUST.replace("{}", "self.cents == other.cents"),
            RUST.replace("{}", "self.cents / 10 == 1"),
        ),
        ("lib/fare.rb", RUBY, RUBY.replace("cents == other.cents", "true")),
        ("src/fare.ts", FARE, FARE.replace("this.parts", "[]")),
    ],
)
def test_a_changed_comparison_of_the_product_is_a_question(path, before, after) -> None:
    assert rules(path, before, after) == [(MEDIUM, "comparison-says-less")]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "cache.py",
            "class Cache:\n    def __contains__(self, key): return key in self.entries\n",
            "class Cache:\n    def __contains__(self, key): return self.live(key) is not None\n",
        ),
        (
            "money.py",
            MONEY,
            MONEY.replace("other.cents", "other.cents and self.code == other.code"),
        ),
        (
            "money.py",
            MONEY,
            MONEY.replace("        return", "        # Only cents.\n        return"),
        ),
        ("money.py", MONEY, MONEY.replace("self.cents = cents", "self.cents = int(cents)")),
        ("src/fare.ts", FARE, FARE.replace("any[]", "unknown[]")),
        ("money.py", None, MONEY),
        ("money.py", MONEY, None),
        ("tests/money.py", MONEY, MONEY.replace("==", "<=")),
        (
            "equals.py",
            "def equals(a, b):\n    return a == b\n",
            "def equals(a, b):\n    return a\n",
        ),
    ],
)
def test_a_comparison_that_says_more_or_is_new_is_honest(path, before, after) -> None:
    assert rules(path, before, after) == []


ERROR = "class Gone(Exception):\n    pass\n"
GO = 'var (\n\tErrGone = errors.New("gone")\n)\n\nvar ErrLate = fmt.Errorf("late")\n'


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("app.py", ERROR, "Gone = Exception\n"),
        ("app.py", ERROR, "Gone = (KeyError, BaseException)\n"),
        ("src/app.js", "class Gone extends Error {}\n", "const Gone = Error;\n"),
        ("a.go", GO, GO.replace('ErrGone = errors.New("gone")', "ErrGone error")),
        ("a.go", GO, GO.replace('ErrLate = fmt.Errorf("late")', "ErrLate error = nil")),
    ],
)
def test_an_error_that_stands_for_every_error_or_for_none_is_found(path, before, after) -> None:
    assert rules(path, before, after) == [(MEDIUM, "product-tells-less-apart")]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("app.py", ERROR, "class Shop(Exception):\n    pass\n\n\nclass Gone(Shop):\n    pass\n"),
        ("app.py", ERROR, ERROR + "\nMissing = Gone\n"),
        ("app.py", ERROR, "Gone = TimeoutError\n"),
        ("src/app.ts", "class Gone extends Error {}\n", "class Gone extends ShopError {}\n"),
        ("a.go", GO, GO.replace('New("gone")', 'New("it is gone")')),
        ("a.go", GO, GO + "func f() {\n\tvar err error\n}\n"),
    ],
)
def test_other_changes_of_errors_are_honest(path, before, after) -> None:
    assert rules(path, before, after) == []


VECTOR = "class Vector {\n  constructor(x) {\n    this.x = x;\n  }\n}\n"
DEEP_TEST = {
    "test/vector.test.js": "const v = require('../src/vector');\nassert.deepEqual(a, b);\n"
}


@pytest.mark.parametrize(
    "field",
    [
        "this.#x = x;",
        "Object.defineProperty(this, 'x', { value: x });",
        "Object.defineProperties(this, { x: { value: x } });",
        "values.set(this, x);\n  }\n  get x() { return values.get(this);",
    ],
)
def test_a_field_that_a_deep_comparison_no_longer_sees_is_found(field: str) -> None:
    change = Change("src/vector.js", VECTOR, VECTOR.replace("this.x = x;", field))

    (found,) = hidden_fields.find(Project([change], baseline=baseline_of(DEEP_TEST, change)))

    assert (found.severity, found.rule, found.before) == (MEDIUM, "fields-hidden", "x")
    loose = {"test/vector.test.js": "const v = require('../src/vector');\nassert.equal(v.x, 1);\n"}
    assert not list(hidden_fields.find(Project([change], baseline=baseline_of(loose, change))))


@pytest.mark.parametrize("field", ["this.x = Number(x);", "this.left = x;"])
def test_a_field_with_another_value_or_name_is_honest(field: str) -> None:
    change = Change("src/vector.js", VECTOR, VECTOR.replace("this.x = x;", field))
    other = Change("src/vector.py", "x = 1\n", "x = 2\n")
    start = baseline_of(DEEP_TEST, change, other)

    assert not list(hidden_fields.find(Project([change, other], baseline=start)))
