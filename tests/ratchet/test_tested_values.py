"""Types of the product that tell less of their values, in the way in which tests ask for it."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.tested_values import TestedValues, inline_tests

TEXTS = "product-tells-less-apart"
MEASURES = "measure-of-tests-changed"


def rules(path: str, before: str, after: str, test: str, others: dict[str, str]) -> list[str]:
    product = {path: (before, after)}
    values = TestedValues(product)
    tests = {f"tests/it{path[path.rindex('.') :]}": test, **inline_tests(product)}
    found = list(values.findings({**others, **tests}, tests))
    assert all(finding.severity == MEDIUM for finding in found)
    return [finding.rule for finding in found]


SHIFT_GO = "package a\n\ntype Shift struct {\n\tStart, End int\n}\n\nfunc Merge(a, b Shift) Shift {\n\treturn a\n}\n"
GO_PAIR = "if fmt.Sprint(Merge(a, b)) != fmt.Sprint(Shift{1, 2}) {\n"
STRING_GO = (
    '{0}\nfunc (s Shift) String() string {{\n\treturn fmt.Sprintf("%d-%d", s.Start{1})\n}}\n'
)
SPAN_RS = "pub struct Span {\n    pub from: u32,\n    pub to: u32,\n}\n\npub fn join() -> Span { todo() }\n"
DEBUG_RS = (
    "\nimpl fmt::Debug for Span {{\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {{\n"
    '        write!(f, "{{}}", {0})\n    }}\n}}\n'
)
MONEY_PY = "class Money:\n    def __init__(self, cents, unit):\n        self.cents = cents\n        self.unit = unit\n"
REPR_PY = '\n    def __repr__(self):\n        return f"Money({0})"\n'
POINT_RB = "class Point\n  attr_reader :x, :y\n  def initialize(x, y)\n    @x = x\n    @y = y\n  end\n{0}end\n"
MONEY_JS = "class Money {{\n  constructor(cents, unit) {{\n    this.cents = cents;\n    this.unit = unit;\n  }}\n\n{0}}}\n"
STRING_JS = "  toString() {{\n    return `{0}`;\n  }}\n"
PAIR_JAVA = (
    "class Pair {{\n    private final int left;\n    private final int right;\n\n"
    '    public String toString() {{\n        return "" + {0};\n    }}\n}}\n'
)
TEXT_CASES = {
    "go, a new text without a field": (
        "a.go",
        SHIFT_GO,
        STRING_GO.format(SHIFT_GO, ""),
        GO_PAIR,
    ),
    "go, texts under a name": (
        "a.go",
        SHIFT_GO,
        STRING_GO.format(SHIFT_GO, ""),
        "got := fmt.Sprint(Merge(a, b))\nwant := fmt.Sprint(c)\nif got != want {\n",
    ),
    "rust, a text by hand": (
        "a.rs",
        f"#[derive(Debug)]\n{SPAN_RS}",
        SPAN_RS + DEBUG_RS.format("self.from"),
        'assert_eq!(format!("{:?}", join()), format!("{:?}", Span { from: 1, to: 2 }));\n',
    ),
    "python, a field less": (
        "a.py",
        MONEY_PY + REPR_PY.format("{self.cents}, {self.unit}"),
        MONEY_PY + REPR_PY.format("{self.unit}"),
        "assert repr(total()) == repr(Money(5, 'EUR'))\n",
    ),
    "python, a field of a data class": (
        "a.py",
        "@dataclass\nclass Money:\n    cents: int\n",
        "@dataclass\nclass Money:\n    cents: int = field(repr=False)\n",
        "self.assertEqual(str(total()), str(Money(5)))\n",
    ),
    "ruby, in whole numbers": (
        "a.rb",
        POINT_RB.format(""),
        POINT_RB.format('  def to_s\n    "#{x.to_i}, #{y.to_i}"\n  end\n'),
        "assert_equal Point.new(1, 2).to_s, moved.to_s\n",
    ),
    "javascript, a field less": (
        "a.js",
        MONEY_JS.format(STRING_JS.format("${this.cents} ${this.unit}")),
        MONEY_JS.format(STRING_JS.format("${this.unit}")),
        "expect(String(total())).toBe(String(new Money(5, 'EUR')));\n",
    ),
    "java, a field less": (
        "A.java",
        PAIR_JAVA.format("left + right"),
        PAIR_JAVA.format("left"),
        "assertEquals(new Pair(1, 2).toString(), swapped().toString());\n",
    ),
}
HONEST_TEXTS = {
    "every field": ("a.go", SHIFT_GO, STRING_GO.format(SHIFT_GO, ", s.End"), GO_PAIR),
    "a text that the test writes out": (
        "a.go",
        SHIFT_GO,
        STRING_GO.format(SHIFT_GO, ""),
        'if got := fmt.Sprint(Merge(a, Shift{1, 2})); got != "from 1" {\n',
    ),
    "texts in a message": (
        "a.go",
        SHIFT_GO,
        STRING_GO.format(SHIFT_GO, ""),
        'if Merge(a, b) != c {\n\tt.Errorf("%s is not %s", a.String(), Shift{1, 2}.String())\n',
    ),
    "fields in another method": (
        "a.py",
        MONEY_PY,
        MONEY_PY
        + REPR_PY.format("{self.parts()}")
        + "\n    def parts(self):\n        return self.cents, self.unit\n",
        "assert repr(total()) == repr(Money(5, 'EUR'))\n",
    ),
    "the other way to write it": (
        "a.rs",
        f"#[derive(Debug)]\n{SPAN_RS}",
        f"#[derive(Debug)]\n{SPAN_RS}" + DEBUG_RS.format("self.from").replace("Debug", "Display"),
        'assert_eq!(format!("{:?}", join()), format!("{:?}", Span { from: 1, to: 2 }));\n',
    ),
    "the whole value, by a function of elsewhere": (
        "a.py",
        MONEY_PY,
        MONEY_PY + REPR_PY.format("{shown(self)}"),
        "assert repr(total()) == repr(Money(5, 'EUR'))\n",
    ),
    "another type": (
        "a.js",
        MONEY_JS.format(""),
        MONEY_JS.format(STRING_JS.format("${this.unit}")),
        "expect(String(total())).toBe(String(new Points(5)));\n",
    ),
}


@pytest.mark.parametrize(
    ("path", "before", "after", "test"), TEXT_CASES.values(), ids=TEXT_CASES.keys()
)
def test_a_text_that_leaves_out_a_part_is_found_where_tests_compare_texts(
    path: str, before: str, after: str, test: str
) -> None:
    assert rules(path, before, after, test, {}) == [TEXTS]
    assert rules(path, after, after, test, {}) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "test"), HONEST_TEXTS.values(), ids=HONEST_TEXTS.keys()
)
def test_another_text_of_a_value_is_not_found(
    path: str, before: str, after: str, test: str
) -> None:
    assert rules(path, before, after, test, {}) == []


SUB_RS = (
    "pub struct Cents(pub i64);\n\nimpl Sub for Cents {{\n    type Output = Cents;\n"
    "    fn sub(self, other: Cents) -> Cents {{\n        {0}\n    }}\n}}\n"
)
PLAIN_RS = SUB_RS.format("Cents(self.0 - other.0)")
TEST_RS = "let off = grown(5) - Cents(7);\nassert!(off.0 <= 1);\n"
SUB_PY = "class Length:\n    def __init__(self, metres):\n        self.metres = metres\n\n    def __sub__(self, other):\n        {0}\n"
PLAIN_PY = SUB_PY.format("return self.metres - other.metres")
TEST_PY = "assert abs(walk() - Length(5)) < 0.1\n"
MINUS_KT = (
    "data class Grams(val value: Double) {{\n    operator fun minus(other: Grams) = {0}\n}}\n"
)
TEST_KT = "assertTrue((weigh() - Grams(3.0)).value < 0.01)\n"
TRACK_RB = "class Track\n  def size\n    Metres.new(@sum)\n  end\nend\n\nclass Metres\n  attr_reader :value\n{0}end\n"
COERCE_RB = "\n  def coerce(other)\n    [{0}]\n  end\n"
TEST_RB = "assert_in_delta 5.0, Track.new.size, 0.1\n"
OPERATOR_CPP = (
    "Metres operator-(const Metres& a, const Metres& b) {{\n    return Metres({0});\n}}\n"
)
TEST_CPP = "assert(std::abs((length(x) - Metres(5)).value) < 0.1);\n"
DISTANCE_GO = "func (p Point) Distance(q Point) float64 {{\n\treturn {0}\n}}\n"
TEST_GO = "if d := Move(p).Distance(Point{1, 2}); d > 0.1 {\n"
VALUE_JS = "class Money {{\n  valueOf() {{\n    return {0};\n  }}\n}}\nfunction total() {{\n  return new Money();\n}}\n"
TEST_JS = "assert.ok(Math.abs(total() - 500) < 1);\n"
MEASURE_CASES = {
    "rust, no less than nothing": (
        "a.rs",
        SUB_RS.format("Cents(self.0.abs_diff(other.0))"),
        SUB_RS.format("Cents(self.0.saturating_sub(other.0))"),
        TEST_RS,
    ),
    "rust, in steps": (
        "a.rs",
        PLAIN_RS,
        SUB_RS.format("Cents((self.0 - other.0) / STEP * STEP)"),
        TEST_RS,
    ),
    "rust, one side": ("a.rs", PLAIN_RS, SUB_RS.format("Cents(self.0)"), TEST_RS),
    "python, rounded": (
        "a.py",
        PLAIN_PY,
        SUB_PY.format("return round(self.metres - other.metres)"),
        TEST_PY,
    ),
    "python, small ones are none": (
        "a.py",
        PLAIN_PY,
        SUB_PY.format(
            "off = self.metres - other.metres\n        return off if abs(off) > 9 else 0"
        ),
        TEST_PY,
    ),
    "kotlin, at least nothing": (
        "a.kt",
        MINUS_KT.format("Grams(value - other.value)"),
        MINUS_KT.format("Grams((value - other.value).coerceAtLeast(0.0))"),
        TEST_KT,
    ),
    "ruby, the other side twice": (
        "a.rb",
        TRACK_RB.format(""),
        TRACK_RB.format(COERCE_RB.format("Float(other), Float(other)")),
        TEST_RB,
    ),
    "c++, smaller": (
        "a.cpp",
        OPERATOR_CPP.format("a.value - b.value"),
        OPERATOR_CPP.format("(a.value - b.value) / 1000"),
        TEST_CPP,
    ),
    "go, a distance that is cut off": (
        "a.go",
        DISTANCE_GO.format("p.X - q.X"),
        DISTANCE_GO.format("math.Floor(p.X - q.X)"),
        TEST_GO,
    ),
    "javascript, in whole euros": (
        "a.js",
        VALUE_JS.format("this.cents"),
        VALUE_JS.format("Math.round(this.cents / 1000) * 1000"),
        TEST_JS,
    ),
    "rust, tests in the file": (
        "a.rs",
        f"{PLAIN_RS}#[cfg(test)]\nmod tests {{\n    {TEST_RS}\n}}\n",
        SUB_RS.format("Cents((self.0 - other.0).max(0))")
        + f"#[cfg(test)]\nmod tests {{\n    {TEST_RS}\n}}\n",
        "",
    ),
}
HONEST_MEASURES = {
    "the right sign": (
        "a.rs",
        SUB_RS.format("Cents(other.0 - self.0)"),
        PLAIN_RS,
        TEST_RS,
    ),
    "written in another way": (
        "a.rs",
        PLAIN_RS,
        SUB_RS.format("Self(self.0 - other.0)"),
        TEST_RS,
    ),
    "a test of the difference itself": (
        "a.rs",
        PLAIN_RS,
        SUB_RS.format("Cents(self.0.saturating_sub(other.0))"),
        "assert_eq!(Cents(5) - Cents(7), Cents(0));\n",
    ),
    "other types are refused": (
        "a.py",
        PLAIN_PY,
        SUB_PY.format(
            "if not isinstance(other, Length):\n            return NotImplemented\n"
            "        return self.metres - other.metres"
        ),
        TEST_PY,
    ),
    "a unit that must be the same": (
        "a.rs",
        PLAIN_RS,
        SUB_RS.format("assert!(self.1 == other.1);\n        Cents(self.0 - other.0)"),
        TEST_RS,
    ),
    "both sides": (
        "a.rb",
        TRACK_RB.format(""),
        TRACK_RB.format(COERCE_RB.format("Metres.new(other), self")),
        TEST_RB,
    ),
    "a difference to another type": (
        "a.rs",
        PLAIN_RS,
        PLAIN_RS
        + SUB_RS.partition("\n\n")[2]
        .format("Cents(self.0.saturating_sub(other.whole()))")
        .replace("Sub for", "Sub<Euros> for")
        .replace("other: Cents", "other: Euros"),
        TEST_RS,
    ),
    "a method that is only declared": (
        "a.kt",
        MINUS_KT.format("Grams(value - other.value)"),
        "expect class Grams {\n    operator fun minus(other: Grams): Grams\n}\n",
        TEST_KT,
    ),
    "a size with a decision": (
        "a.rs",
        PLAIN_RS,
        PLAIN_RS
        + "\nimpl Cents {\n    pub fn abs(self) -> i64 {\n        if self.0 < 0 { -self.0 } else { self.0 }\n    }\n}\n",
        TEST_RS,
    ),
    "a size that is quick for a positive number": (
        "a.go",
        "func (d Cents) Abs() Cents {\n\treturn Cents(math.Abs(d.value))\n}\n",
        "func (d Cents) Abs() Cents {\n\tif !d.IsNegative() {\n\t\treturn d\n\t}\n"
        "\treturn Cents(math.Abs(d.value))\n}\n",
        "if Total().Sub(Cents(3)).Abs() > 1 {\n",
    ),
    "another type": (
        "a.py",
        PLAIN_PY,
        SUB_PY.format("return max(0, self.metres - other.metres)"),
        "assert abs(weight() - 5.0) < 0.1\n",
    ),
}


@pytest.mark.parametrize(
    ("path", "before", "after", "test"), MEASURE_CASES.values(), ids=MEASURE_CASES.keys()
)
def test_a_difference_that_became_smaller_is_found_where_tests_measure_with_it(
    path: str, before: str, after: str, test: str
) -> None:
    assert rules(path, before, after, test, {}) == [MEASURES]
    assert rules(path, after, after, test, {}) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "test"), HONEST_MEASURES.values(), ids=HONEST_MEASURES.keys()
)
def test_another_difference_is_not_found(path: str, before: str, after: str, test: str) -> None:
    assert rules(path, before, after, test, {}) == []


ERROR_GO = """\
package port

var (
	ErrSyntax = errors.New("syntax")
	ErrRange  = errors.New("range")
)

type Error struct {
	Text string
	Kind error
}

func (e *Error) Unwrap() error { return e.Kind }

func Parse(text string) error {
	return &Error{text, ErrSyntax}
}
"""
CARD_GO = """\
package card

type Error struct {
	Code string
}

func Check() error { return &Error{"declined"} }
"""
CARDS_GO = (
    'package card\n\nvar (\n\tErrOld = &Error{Code: "old"}\n\tErrLimit = &Error{Code: "limit"}\n)\n'
)
IS_GO = "\nfunc (e *Error) Is(target error) bool {{\n\t{0}\n}}\n"
KINDS_TEST = "if !errors.Is(err, ErrSyntax) {\n}\nassert.ErrorIs(t, other, port.ErrRange)\n"
CARDS_TEST = "if !errors.Is(a, ErrOld) || !errors.Is(b, ErrLimit) {\n"
BY_TYPE = "_, ok := target.(*Error)\n\treturn ok"
ERROR_CASES = {
    "both kinds": (ERROR_GO, "return target == ErrSyntax || ErrRange == target", KINDS_TEST),
    "both kinds of a switch": (
        ERROR_GO,
        "switch target {\n\tcase ErrSyntax, ErrRange:\n\t\treturn true\n\t}\n\treturn false",
        KINDS_TEST,
    ),
    "all kinds beside its own": (
        ERROR_GO,
        "return target == ErrRange || target == ErrSyntax || target == e.Kind",
        KINDS_TEST,
    ),
    "one that it does not wrap": (ERROR_GO, "return target == ErrRange", KINDS_TEST),
    "every one of its type": (CARD_GO, BY_TYPE, CARDS_TEST),
}
HONEST_ERRORS = {
    "by what it holds": (
        ERROR_GO,
        "other, ok := target.(*Error)\n\treturn ok && other.Kind == e.Kind",
        KINDS_TEST,
    ),
    "by its code": (
        ERROR_GO,
        "switch e.Text {\n\tcase `a`:\n\t\treturn target == ErrSyntax\n\t}\n\treturn target == ErrRange",
        KINDS_TEST,
    ),
    "one kind that tests ask for": (
        ERROR_GO,
        "return target == ErrRange || target == fs.ErrInvalid",
        "if !errors.Is(err, ErrRange) {\n",
    ),
    "its type, and tests ask for one": (CARD_GO, BY_TYPE, "if !errors.Is(a, ErrOld) {\n"),
}


@pytest.mark.parametrize(("before", "body", "test"), ERROR_CASES.values(), ids=ERROR_CASES.keys())
def test_an_error_that_is_of_several_kinds_is_found_where_tests_tell_them_apart(
    before: str, body: str, test: str
) -> None:
    after = before + IS_GO.format(body)

    assert rules("a.go", before, after, test, {"kinds.go": CARDS_GO}) == [TEXTS]
    assert rules("a.go", after, after, test, {"kinds.go": CARDS_GO}) == []


@pytest.mark.parametrize(
    ("before", "body", "test"), HONEST_ERRORS.values(), ids=HONEST_ERRORS.keys()
)
def test_an_error_that_says_what_it_is_is_not_found(before: str, body: str, test: str) -> None:
    after = before + IS_GO.format(body)

    assert rules("a.go", before, after, test, {"kinds.go": CARDS_GO}) == []


def test_the_words_by_which_tests_are_searched() -> None:
    after = STRING_GO.format(SHIFT_GO, "")

    assert TestedValues({"a.go": (SHIFT_GO, SHIFT_GO)}).words == set()
    assert {"Shift", "Merge", "a"} <= TestedValues({"a.go": (SHIFT_GO, after)}).words


JOINED_GO = {
    "a list": "errors.Join(ErrSyntax, ErrRange)",
    "two verbs": 'fmt.Errorf("%w and %w", ErrSyntax, port.ErrRange)',
    "a method": "&Many{}\n}\n\nfunc (m *Many) Unwrap() []error {\n\treturn []error{ErrSyntax, ErrRange}",
}


@pytest.mark.parametrize("made", JOINED_GO.values(), ids=JOINED_GO.keys())
def test_an_error_that_wraps_several_kinds_is_found(made: str) -> None:
    after = ERROR_GO.replace("&Error{text, ErrSyntax}", made)

    assert rules("a.go", ERROR_GO, after, KINDS_TEST, {}) == [TEXTS]
    assert rules("a.go", after, after, KINDS_TEST, {}) == []


@pytest.mark.parametrize(
    "made", ["errors.Join(ErrSyntax, err)", 'fmt.Errorf("%w: %w", ErrRange, err)']
)
def test_an_error_that_wraps_one_kind_and_its_cause_is_not(made: str) -> None:
    after = ERROR_GO.replace("&Error{text, ErrSyntax}", made)

    assert rules("a.go", ERROR_GO, after, KINDS_TEST, {}) == []


def test_a_type_that_moved_to_another_file_is_not_found() -> None:
    text, error = STRING_GO.format(SHIFT_GO, ""), ERROR_GO + IS_GO.format(BY_TYPE)
    product = {"a.go": (text, None), "b.go": (None, text), "c.go": (error, ""), "d.go": ("", error)}
    values = TestedValues(product)

    assert (values.texts, values.differences, values.errors.methods) == ([], [], [])


PARCEL = """\
<?php
final class Parcel
{
    private string $to;
    private int $grams;

    public function label(): string
    {
        return "To: {$this->to}";
    }
}
"""
SHOWN = "    public function {0}(): array\n    {{\n        return {1};\n    }}\n\n"
TEST_PHP = """\
$want = {0}(new Parcel('Ada', 5), true);
$got = {0}(Parcel::parse('Ada; 5'), true);
if ($want !== $got) {{
    $failed++;
}}
"""
PARTLY, FULLY = "['label' => $this->label()]", "['to' => $this->to, 'grams' => $this->grams]"


@pytest.mark.parametrize(
    ("method", "value", "function", "is_found"),
    [
        ("__debugInfo", PARTLY, "print_r", True),
        ("__serialize", PARTLY, "serialize", True),
        ("jsonSerialize", PARTLY, "json_encode", True),
        ("__debugInfo", FULLY, "print_r", False),
        ("jsonSerialize", PARTLY, "print_r", False),
        ("__debugInfo", PARTLY, "serialize", False),
    ],
)
def test_what_php_shows_of_an_object(
    method: str, value: str, function: str, is_found: bool
) -> None:
    shown = SHOWN.format(method, value)
    after = PARCEL.replace("    public function label", f"{shown}    public function label")
    values = TestedValues({"src/Parcel.php": (PARCEL, after)})

    rows = list(values.findings({}, {"tests/parcel.php": TEST_PHP.format(function)}))
    assert [row.rule for row in rows] == ["product-tells-less-apart"] * is_found
