"""Methods of the product that compare or show less than before."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import comparisons
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change

BOTH = "self.cents == other.cents and self.unit == other.unit"
MONEY = f"""\
class Money:
    def __init__(self, cents, unit):
        self.cents = cents
        self.unit = unit

    def __eq__(self, other):
        return {BOTH}

    def __str__(self):
        return f"{{self.cents}} {{self.unit}}"
"""
GO = """\
type Item struct {
	SKU   string
	Count int
}

func (i Item) Equal(other Item) bool {
	return i.SKU == other.SKU && i.Count == other.Count
}
"""
RUST = """\
pub struct Span {
    pub text: String,
    pub minutes: u32,
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.minutes == other.minutes
    }
}
"""
JAVA = """\
class Route {
    private final List<String> stops;
    private final int price;

    @Override
    public boolean equals(Object other) {
        return other instanceof Route r && r.stops.equals(stops) && r.price == price;
    }
}
"""
RUBY = """\
class Points
  def initialize(count, day)
    @count = count
    @day = day
  end

  def ==(other)
    other.is_a?(Points) && count == other.count && day == other.day
  end
end
"""
SCRIPT = """\
class Money {
  constructor(cents, unit) {
    this.cents = cents;
    this.unit = unit;
  }

  equals(other) {
    return this.cents === other.cents && this.unit === other.unit;
  }
}
"""
PHP = """\
<?php
class Money {
    private int $cents;
    private string $unit;

    public function equals($other): bool {
        return $this->cents === $other->cents && $this->unit === $other->unit;
    }
}
"""
CPP = """\
struct Point { int x; int y; };

bool operator==(const Point& a, const Point& b) {
    return a.x == b.x && a.y == b.y;
}
"""
TEXTS = {
    "a.py": MONEY,
    "a.go": GO,
    "a.rs": RUST,
    "A.java": JAVA,
    "a.rb": RUBY,
    "a.js": SCRIPT,
    "a.php": PHP,
    "a.cpp": CPP,
}
WEAKER = [
    ("a.py", BOTH, "self.cents == other.cents"),
    ("a.py", BOTH, "True"),
    ("a.py", BOTH, "self.cents > 0"),
    ("a.py", BOTH, "type(self) is type(other)"),
    ("a.py", "self.cents ==", "round(self.cents) =="),
    ("a.py", "self.cents == other.cents", "self.cents // 100 == other.cents // 100"),
    ("a.py", " and self", " or self"),
    ("a.py", "{self.cents} {self.unit}", "{self.unit}"),
    ("a.go", " && i.Count == other.Count", ""),
    ("a.go", "i.SKU == other.SKU && i.Count == other.Count", "true"),
    ("a.go", "i.Count == other.Count", "i.Count/10 == other.Count/10"),
    ("a.rs", " && self.minutes == other.minutes", ""),
    ("a.rs", "self.text == other.text && self.minutes == other.minutes", "true"),
    ("A.java", " && r.price == price", ""),
    ("A.java", "r.stops.equals(stops)", "r.stops.size() == stops.size()"),
    ("a.rb", " && day == other.day", ""),
    ("a.rb", "other.is_a?(Points) && count == other.count && day == other.day", "true"),
    ("a.js", " && this.unit === other.unit", ""),
    ("a.js", "this.unit === other.unit", "this.unit.length === other.unit.length"),
    ("a.php", " && $this->unit === $other->unit", ""),
    ("a.cpp", " && a.y == b.y", ""),
]
AS_STRONG = [
    ("a.py", BOTH, "(self.cents, self.unit) == (other.cents, other.unit)"),
    ("a.py", BOTH, "key(self) == key(other)"),
    ("a.py", BOTH, f"{BOTH} and self.day == other.day"),
    ("a.py", f"        return {BOTH}", f"        if other is None:\n            return NotImplemented\n        return {BOTH}"),
    ("a.py", "    def __eq__", "    def is_zero(self):\n        return True\n\n    def __eq__"),
    ("a.go", "i.SKU == other.SKU && i.Count == other.Count", "i.Count == other.Count && i.SKU == other.SKU"),
    ("a.rs", "self.text == other.text &&", "self.text.eq(&other.text) &&"),
    ("A.java", "r.stops.equals(stops)", "Objects.equals(r.stops, stops)"),
    ("a.js", "this.cents === other.cents", "Object.is(this.cents, other.cents)"),
]  # fmt: skip


def found(path: str, before: str | None, after: str) -> list[str]:
    rows = list(comparisons.find(Project([Change(path, before, after)])))
    assert all((row.severity, row.rule) == (MEDIUM, "comparison-says-less") for row in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(("path", "old", "new"), WEAKER)
def test_a_comparison_that_says_less_is_found(path: str, old: str, new: str) -> None:
    text = TEXTS[path]
    assert old in text
    after = text.replace(old, new, 1)

    assert len(found(path, text, after)) == 1
    assert found(path, after, after) == []


@pytest.mark.parametrize(("path", "old", "new"), AS_STRONG)
def test_a_comparison_that_says_as_much_is_not(path: str, old: str, new: str) -> None:
    text = TEXTS[path]
    assert old in text
    assert found(path, text, text.replace(old, new, 1)) == []


@pytest.mark.parametrize("path", TEXTS)
def test_a_new_type_that_compares_all_it_holds_is_honest(path: str) -> None:
    assert found(path, None, TEXTS[path]) == []


@pytest.mark.parametrize(
    "text",
    [
        "class Any(int):\n    def __eq__(self, other):\n        return True\n",
        "class Any(int):\n    __eq__ = int.__le__\n",
        "class Text(str):\n    def __contains__(self, part):\n        return True\n",
        "class Some(list):\n    def __bool__(self):\n        return False\n",
        "class Doc:\n    def __copy__(self):\n        return self\n",
        "class Id:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\n"
        "    def __eq__(self, other):\n        return self.a == other.a\n",
    ],
)
def test_a_new_type_that_looks_at_nothing_or_at_a_part_is_found(text: str) -> None:
    assert len(found("a.py", None, text)) == 1


def test_fields_that_a_data_class_leaves_out_of_its_comparison() -> None:
    data = "@dataclass\nclass Money:\n    cents: int\n"
    left_out = data.replace("cents: int", "cents: int = field(compare=False)")
    note = f"{data}    note: str = field(default='', compare=False)\n"
    by_base = data.replace("@dataclass", "@dataclass(eq=False)")

    assert found("a.py", data, left_out)
    assert found("a.py", data, by_base)
    assert found("a.py", data, note) == []


def test_a_comparison_that_moved_to_another_file_is_not_found() -> None:
    weak = "class Any(int):\n    def __eq__(self, other):\n        return True\n"
    moved = [Change("a.py", weak, "x = 1\n"), Change("b.py", None, weak)]
    assert list(comparisons.find(Project(moved))) == []


def test_tests_may_compare_as_they_like() -> None:
    assert found("tests/test_a.py", MONEY, MONEY.replace(BOTH, "True")) == []
