"""Comparisons of the product that say less than before, or nothing."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.comparisons import weaker_comparisons
from loopwright.repo.baseline import Change

MONEY = """\
class Money:
    def __init__(self, cents, unit):
        self.cents, self.unit = cents, unit

    def __eq__(self, other):
        return self.cents == other.cents and self.unit == other.unit
"""
DATA = "@dataclass\nclass Money:\n    cents: int\n"
WEAKER = {
    "a field less": MONEY.replace(" and self.unit == other.unit", ""),
    "its type only": MONEY.replace(
        "self.cents == other.cents and self.unit == other.unit", "type(self) is type(other)"
    ),
    "rounded": MONEY.replace("self.cents == other.cents", "round(self.cents) == other.cents"),
    "in whole euros": MONEY.replace("self.cents ==", "self.cents // 100 =="),
    "or something else": MONEY.replace(" and self", " or self"),
    "another operator": "class Money(int):\n    __eq__ = int.__le__\n",
    "a value of the class": "class Money:\n    unit = 'c'\n\n    def __init__(self, n):\n        self.n = n\n\n"
    "    def __eq__(self, other):\n        return self.unit == other.unit\n",
}
AS_STRONG = {
    "other types": MONEY.replace(
        "        return self.cents",
        "        if not isinstance(other, Money):\n            return NotImplemented\n        return self.cents",
    ),
    "a field more": MONEY.replace("other.unit", "other.unit and self.day == other.day"),
    "as tuples": MONEY.replace(
        "self.cents == other.cents and self.unit == other.unit",
        "(self.cents, self.unit) == (other.cents, other.unit)",
    ),
    "by a function": MONEY.replace(
        "self.cents == other.cents and self.unit == other.unit", "key(self) == key(other)"
    ),
    "no comparison": MONEY.partition("    def __eq__")[0],
}


def lines(path: str, before: str, after: str) -> list[int]:
    return [number for number, _ in weaker_comparisons(path, before, after)]


@pytest.mark.parametrize("after", WEAKER.values(), ids=WEAKER.keys())
def test_a_comparison_that_says_less_is_found(after: str) -> None:
    assert len(lines("money.py", MONEY, after)) == 1
    assert lines("money.py", after, after) == []


@pytest.mark.parametrize("after", AS_STRONG.values(), ids=AS_STRONG.keys())
def test_a_comparison_that_says_as_much_is_not(after: str) -> None:
    assert lines("money.py", MONEY, after) == []


def test_a_known_field_of_a_data_class_that_is_left_out_is_found() -> None:
    left_out = DATA.replace("cents: int", "cents: int = field(compare=False)")
    note = f"{DATA}    note: str = field(default='', compare=False)\n"

    assert lines("money.py", DATA, left_out) == [3]
    assert lines("money.py", DATA, note) == []


DEAF = {
    "lib.rs": "impl PartialEq for A {\n    fn eq(&self, _o: &A) -> bool {\n        true\n    }\n}\n",
    "a.go": "func (a A) Equal(b A) bool {\n\treturn true\n}\n",
    "A.java": "class A {\n    public boolean equals(Object o) {\n        return true;\n    }\n}\n",
    "A.kt": "class A {\n    override fun equals(other: Any?): Boolean = true\n}\n",
    "a.rb": "class A\n  def ==(other)\n    true\n  end\nend\n",
    "a.cpp": "bool operator==(const A& a, const A& b) {\n    return a.ok();\n}\n",
}


@pytest.mark.parametrize(("path", "text"), DEAF.items(), ids=DEAF.keys())
def test_a_comparison_that_never_names_the_other_value_is_found(path: str, text: str) -> None:
    names = {"_o": "_o.x", "b)": "b.x"}
    other = next((v for k, v in names.items() if k in text), "other.x")
    heard = text.replace("true", "o == 1" if "Object o" in text else f"{other} == 1")
    heard = heard.replace("a.ok()", "a.ok() && b.ok()").replace(
        "b A) bool {\n\treturn", "b A) bool {\n\treturn b.x +"
    )

    assert len(lines(path, "", text)) == 1
    assert lines(path, text, text) == []
    assert lines(path, "", heard) == []


def test_it_is_a_finding_in_the_product_and_not_where_it_only_moved() -> None:
    weak = WEAKER["its type only"]
    moved = [Change("money.py", weak, None), Change("shop/money.py", None, weak)]

    (finding,) = findings([Change("money.py", MONEY, weak)], ())

    assert (finding.severity, finding.rule, finding.line) == (MEDIUM, "product-detects-tests", 5)
    assert finding.after == "def __eq__(self, other): return type(self) is type(other)"
    assert findings(moved, ()) == []
