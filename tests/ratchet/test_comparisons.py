"""Comparisons of the product that say less than before, or nothing."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.product_rules.comparisons import weaker_comparisons
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


def test_a_data_class_that_leaves_its_comparison_to_a_base_is_found() -> None:
    by_number = "@dataclass(eq=False)\nclass Money(Entity):\n    cents: int\n"

    assert lines("money.py", DATA, by_number) == [2]
    assert lines("money.py", DATA, by_number.replace("(Entity)", "")) == []


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


STOCK = """\
type Item struct {
	SKU   string
	Count int
}

func (i Item) Equal(other Item) bool {
	return i.SKU == other.SKU && i.Count == other.Count
}
"""
SPAN = """\
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub text: String,
    pub minutes: u32,
}
"""
SPAN_EQUAL = """\
#[derive(Debug, Clone)]
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
POINTS = """\
class Points
  def ==(other)
    other.is_a?(Points) && count == other.count
  end

  def +(other)
    Points.new(count + other.count)
  end
end
"""
COIN_RB = """\
class Coin
  def ==(other)
    cents == other.cents && unit == other.unit
  end

  def cents
    @cents
  end

  def to_a
    [cents, unit]
  end
end
"""
ORDER_RB = COIN_RB.replace("class Coin\n", "class Coin\n  include Comparable\n")
STRUCT_RB = "Coin = Struct.new(:cents, :unit) do\n  def to_s\n    unit\n  end\nend\n"
MONEY_PM = """\
package Money;
use overload
    '==' => \\&same,
    '""' => sub { $_[0]->text };

sub same {
    my ($self, $other) = @_;
    return $self->{cents} == $other->{cents};
}
"""
ROUTE = """\
final class Route {
    private final List<String> stops;
    public boolean equals(Object other) {
        return other instanceof Route && ((Route) other).stops.equals(stops);
    }
}
"""
CARD_JS = """\
class Money {
  constructor(cents, unit) {
    this.cents = cents;
    this.unit = unit;
  }

  valueOf() {
    return this.cents;
  }
}
"""
RECORD = "public record Money(int cents, String unit) {\n}\n"
PRICE_PHP = """\
class Price
{
    public function equals(Price $other): bool
    {
        return $this->cents === $other->cents && $this->unit === $other->unit;
    }

    public function unit() { return $this->unit; }
}
"""
PRICE_CS = """\
class Price
{
    public string Unit { get; }
    public bool Equals(Price other) => Cents == other.Cents && Unit == other.Unit;
}
"""
ERRORS_GO = "func (e *Refusal) Error() string { return e.Reason }\n"
METHODS_WEAKER = {
    "go, a field less": ("a.go", STOCK, STOCK.replace(" && i.Count == other.Count", "")),
    "go, new and without a field": (
        "a.go",
        STOCK.partition("func")[0],
        STOCK.replace(" && i.Count == other.Count", ""),
    ),
    "go, an error that is every error": (
        "a.go",
        ERRORS_GO,
        ERRORS_GO + 'func (e *Refusal) Is(target error) bool { return target.Error() != "" }\n',
    ),
    "go, new and rounded": (
        "a.go",
        "",
        "func (a Amount) Equal(b Amount) bool { return a.Cents/1000 == b.Cents/1000 }\n",
    ),
    "rust, a field less": (
        "a.rs",
        SPAN_EQUAL,
        SPAN_EQUAL.replace(" && self.minutes == other.minutes", ""),
    ),
    "rust, instead of a derived one": (
        "a.rs",
        SPAN,
        SPAN_EQUAL.replace(" && self.minutes == other.minutes", ""),
    ),
    "ruby, its class only": (
        "a.rb",
        POINTS,
        POINTS.replace("Points) && count == other.count", "self.class)"),
    ),
    "ruby, an order that knows less instead": (
        "a.rb",
        COIN_RB,
        ORDER_RB.replace("def ==", "def <=>").replace(
            "cents == other.cents && unit == other.unit", "unit <=> other.unit"
        ),
    ),
    "ruby, an order of a struct": (
        "a.rb",
        STRUCT_RB,
        STRUCT_RB.replace(
            "  def to_s",
            "  include Comparable\n  def <=>(other)\n    unit <=> other.unit\n  end\n\n  def to_s",
        ),
    ),
    "ruby, an error that every error is": (
        "a.rb",
        "class Late < StandardError\nend\n",
        "class Late < StandardError\n  def self.===(other)\n    true\n  end\nend\n",
    ),
    "javascript, an error that every error is": (
        "a.js",
        "class Late extends Error {}\n",
        "class Late extends Error {\n  static [Symbol.hasInstance]() {\n    return true;\n  }\n}\n",
    ),
    "perl, the other value is not looked at": (
        "Money.pm",
        MONEY_PM,
        MONEY_PM.replace("== $other->{cents}", "> 0"),
    ),
    "perl, a new one that rounds": (
        "Money.pm",
        MONEY_PM,
        MONEY_PM.replace(
            "    '==' =>", "    'eq' => sub { int($_[0]{x}) == int($_[1]{x}) },\n    '==' =>"
        ),
    ),
    "java, its size only": (
        "A.java",
        ROUTE,
        ROUTE.replace(".stops.equals(stops)", ".stops.size() == stops.size()"),
    ),
    "java, a new one of a record": (
        "A.java",
        RECORD,
        RECORD.replace(
            "{\n",
            "{\n    public boolean equals(Object o) {\n"
            "        return o instanceof Money m && m.cents == cents;\n    }\n",
        ),
    ),
    "php, a field less": (
        "a.php",
        PRICE_PHP,
        PRICE_PHP.replace(" && $this->unit === $other->unit", ""),
    ),
    "c#, a field less": ("a.cs", PRICE_CS, PRICE_CS.replace(" && Unit == other.Unit", "")),
    "javascript, no number any more": (
        "a.js",
        CARD_JS,
        CARD_JS.replace("return this.cents", "return this"),
    ),
    "javascript, JSON without a field": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf", "  toJSON() {\n    return { unit: this.unit };\n  }\n\n  valueOf"
        ),
    ),
    "javascript, a node of a document by its tag": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf",
            "  isEqualNode(other) {\n    return this.unit === other.unit;\n  }\n\n  valueOf",
        ),
    ),
    "javascript, an iterator over nothing": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf",
            "  [Symbol.iterator]() {\n    return [][Symbol.iterator]();\n  }\n\n  valueOf",
        ),
    ),
}
METHODS_AS_STRONG = {
    "go, a field more": (
        "a.go",
        STOCK,
        STOCK.replace("== other.Count", "== other.Count && i.X == other.X"),
    ),
    "go, a field that is gone": (
        "a.go",
        STOCK,
        STOCK.replace(" && i.Count == other.Count", "").replace("\tCount int\n", ""),
    ),
    "go, a new one with every field": ("a.go", STOCK.partition("func")[0], STOCK),
    "go, an error with its own kinds": (
        "a.go",
        ERRORS_GO,
        ERRORS_GO + "func (e *Refusal) Is(target error) bool { return target == ErrRefused }\n",
    ),
    "go, an error by its type": (
        "a.go",
        ERRORS_GO,
        ERRORS_GO
        + "func (e *Refusal) Is(target error) bool {\n\t_, ok := target.(*Refusal)\n\treturn ok\n}\n",
    ),
    "rust, by hand": ("a.rs", SPAN, SPAN_EQUAL),
    "rust, by a key": (
        "a.rs",
        SPAN_EQUAL,
        SPAN_EQUAL.replace(
            "self.text == other.text && self.minutes == other.minutes", "key(self) == key(other)"
        ),
    ),
    "ruby, an order of all instead": (
        "a.rb",
        COIN_RB,
        ORDER_RB.replace("def ==", "def <=>").replace(
            "cents == other.cents && unit == other.unit",
            "[cents, unit] <=> [other.cents, other.unit]",
        ),
    ),
    "ruby, an order by another method": (
        "a.rb",
        COIN_RB,
        ORDER_RB.replace("def ==", "def <=>").replace(
            "cents == other.cents && unit == other.unit", "to_a <=> other.to_a"
        ),
    ),
    "ruby, an order beside the equality": (
        "a.rb",
        COIN_RB,
        ORDER_RB.replace(
            "  def cents", "  def <=>(other)\n    cents <=> other.cents\n  end\n\n  def cents"
        ),
    ),
    "ruby, an order of a struct that is not comparable": (
        "a.rb",
        STRUCT_RB,
        STRUCT_RB.replace(
            "  def to_s",
            "  def <=>(other)\n    unit <=> other.unit\n  end\n\n  def to_s",
        ),
    ),
    "perl, a new one of both values": (
        "Money.pm",
        MONEY_PM,
        MONEY_PM.replace(
            "    '==' =>", "    'eq' => sub { $_[0]->text eq $_[1]->text },\n    '==' =>"
        ),
    ),
    "perl, one field more": (
        "Money.pm",
        MONEY_PM,
        MONEY_PM.replace("$other->{cents}", "$other->{cents} && $self->{unit} eq $other->{unit}"),
    ),
    "java, the size first": (
        "A.java",
        ROUTE,
        ROUTE.replace(
            "        return other",
            "        if (((Route) other).stops.size() != stops.size()) return false;\n        return other",
        ),
    ),
    "java, a cast to a variable": (
        "A.java",
        ROUTE,
        ROUTE.replace(
            "other instanceof Route && ((Route) other).stops.equals(stops)",
            "other instanceof Route that && that.stops.equals(stops)",
        ),
    ),
    "java, a call": (
        "A.java",
        "",
        "boolean same(Tag name) {\n    return tag.equals(name)\n        && isHtml();\n}\n",
    ),
    "kotlin, only declared": (
        "a.kt",
        "",
        "expect class Path {\n    override fun equals(other: Any?): Boolean\n}\n",
    ),
    "javascript, an error of a kind": (
        "a.js",
        "class Late extends Error {}\n",
        "class Late extends Error {\n  static [Symbol.hasInstance](x) {\n"
        "    return x?.code === 'LATE';\n  }\n}\n",
    ),
    "javascript, JSON with every field": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf",
            "  toJSON() {\n    return { unit: this.unit, cents: this.cents };\n  }\n\n  valueOf",
        ),
    ),
    "javascript, a node of a document with every field": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf",
            "  isEqualNode(other) {\n    return this.unit === other.unit && this.cents === other.cents;\n"
            "  }\n\n  valueOf",
        ),
    ),
    "javascript, an iterator over its values": (
        "a.js",
        CARD_JS,
        CARD_JS.replace(
            "  valueOf",
            "  [Symbol.iterator]() {\n    return [this.cents][Symbol.iterator]();\n  }\n\n  valueOf",
        ),
    ),
    "javascript, another class": (
        "a.js",
        "",
        "class A {\n  toJSON() {\n    return { unit: this.unit };\n  }\n}\n",
    ),
}


@pytest.mark.parametrize(
    ("path", "before", "after"), METHODS_WEAKER.values(), ids=METHODS_WEAKER.keys()
)
def test_a_comparison_in_another_language_that_says_less_is_found(
    path: str, before: str, after: str
) -> None:
    assert len(lines(path, before, after)) == 1
    assert lines(path, after, after) == []


@pytest.mark.parametrize(
    ("path", "before", "after"), METHODS_AS_STRONG.values(), ids=METHODS_AS_STRONG.keys()
)
def test_a_comparison_in_another_language_that_says_as_much_is_not(
    path: str, before: str, after: str
) -> None:
    assert lines(path, before, after) == []


def test_it_is_a_finding_in_the_product_and_not_where_it_only_moved() -> None:
    weak = WEAKER["its type only"]
    moved = [Change("money.py", weak, None), Change("shop/money.py", None, weak)]

    (finding,) = findings([Change("money.py", MONEY, weak)], ())

    assert (finding.severity, finding.rule, finding.line) == (MEDIUM, "product-detects-tests", 5)
    assert finding.after == "def __eq__(self, other): return type(self) is type(other)"
    assert findings(moved, ()) == []
