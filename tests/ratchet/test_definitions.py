"""Definitions are found in every language, with and without its parser, and compared by name."""

from __future__ import annotations

import pytest

from loopwright.ratchet.readers.definition_heads import places_in_text
from loopwright.ratchet.readers.definitions import assemble, changed_definitions, definitions

# A file of each language, and what it defines: kind, owner, name, first and last line.
FILES = {
    "a.py": (
        '''\
LIMIT = 3


@dataclass(eq=False)
class Total:
    step: int = 2

    def __eq__(self, other):
        """Compare."""

        return self.sum == other.sum

    async def add(self): return 1


def ünder(
    first,
) -> int:
    local = 1
    return local
''',
        """
        constant . LIMIT 1-1
        class . Total 4-13
        constant Total step 6-6
        method Total __eq__ 8-11
        method Total add 13-13
        function . ünder 16-20
        """,
    ),
    "a.js": (
        """\
const LIMIT = 3;
export class Total {
  #sum = 0;
  static of(a, b) {
    if (a) {
      return b;
    }
  }
  get size() { return '}'; }
  [Symbol.iterator]() {
    return 1;
  }
  half = () => this.sum / 2;
}
function plain(a) {
  const local = 1;
  return describe('x', () => { it(1); });
}
export const arrow = async (a) => {
  return a;
};
const short = (a) => a + 1
Total.prototype.double = function () {
  return 2;
};
module.exports.last = () => 1;
const table = {
  total(a) {
    return a;
  },
  other: function () { return 2; },
};
let later;
const { first } = table;
module.exports = () => 1;
""",
        """
        constant . LIMIT 1-1
        class . Total 2-14
        constant Total #sum 3-3
        method Total of 4-8
        method Total size 9-9
        method Total [Symbol.iterator] 10-12
        method Total half 13-13
        function . plain 15-18
        function . arrow 19-21
        function . short 22-22
        method Total double 23-25
        function . last 26-26
        constant . table 27-32
        method table total 28-30
        method table other 31-31
        function . exports 35-35
        """,
    ),
    "a.ts": (
        """\
export interface Shape {
  area: number;
}
export type Name = string;
abstract class Box<T> implements Shape {
  private readonly size: number = 3;
  constructor(public area: number) {
    super();
  }
  public async open(key: string): Promise<T> {
    return this.get(key);
  }
}
export function total<T>(values: T[]): number {
  return values.length;
}
const sum = (a: number, b: number): number => a + b;
function pair(): { a: number } {
  return { a: 1 };
}
""",
        """
        class . Shape 1-3
        class . Name 4-4
        class . Box 5-13
        constant Box size 6-6
        method Box constructor 7-9
        method Box open 10-12
        function . total 14-16
        function . sum 17-17
        function . pair 18-20
        """,
    ),
    "a.go": (
        """\
package total

const Limit = 3

var (
\tErrEmpty = errors.New("empty {")
)

type Point struct {
\tX int
}

func (p *Point) Equal(o Point) bool {
\tvar local = 1
\treturn p.X == o.X
}

func Total(values []int) int { return len(values) }

const lineEnd = "\\n"

var last = 1
""",
        """
        constant . Limit 3-3
        constant . ErrEmpty 6-6
        class . Point 9-11
        method Point Equal 13-16
        function . Total 18-18
        constant . lineEnd 20-20
        constant . last 22-22
        """,
    ),
    "a.rs": (
        """\
pub const LIMIT: u32 = 3;

#[derive(PartialEq)]
pub struct Point<'a> {
    x: &'a str,
}

impl<'a> fmt::Display for Point<'a> {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "{}", self.x)
    }
}

pub(crate) fn total(values: &[u32]) -> u32
where
    u32: Sum,
{
    values.iter().sum()
}

trait Shape {
    fn area(&self) -> u32;
}
""",
        """
        constant . LIMIT 1-1
        class . Point 3-6
        class . Point 8-12
        method Point fmt 9-11
        function . total 14-19
        class . Shape 21-23
        method Shape area 22-22
        """,
    ),
    "A.java": (
        """\
package total;

public final class Point extends Base {
    private static final int LIMIT = 3;

    public Point(int x) {
        this.x = x;
    }

    @Override
    public boolean equals(Object other) throws Error {
        int local = 1;
        return call(other);
    }

    record Pair(int a, int b) {
        Map<String, Integer> sums() { return null; }
    }
}
""",
        """
        class . Point 3-19
        constant Point LIMIT 4-4
        method Point Point 6-8
        method Point equals 10-14
        class Point Pair 16-18
        method Pair sums 17-17
        """,
    ),
    "a.kt": (
        """\
const val LIMIT = 3

data class Point(val x: Int) : Base() {
    override fun equals(other: Any?): Boolean {
        val local = 1
        return other is Point
    }

    fun half(): Int = x / 2
}

object Sums {
    fun total(values: List<Int>) = values.sum()
}
""",
        """
        constant . LIMIT 1-1
        class . Point 3-10
        method Point equals 4-7
        method Point half 9-9
        class . Sums 12-14
        method Sums total 13-13
        """,
    ),
    "a.cs": (
        """\
namespace Total
{
    public class Point : IEquatable<Point>
    {
        private const int Limit = 3;

        public int Half => X / 2;

        public bool Equals(Point other)
        {
            var local = Call(other);
            return local;
        }

        public static bool operator ==(Point a, Point b) => a.Equals(b);
    }
}
""",
        """
        class . Point 3-16
        constant Point Limit 5-5
        method Point Half 7-7
        method Point Equals 9-13
        method Point == 15-15
        """,
    ),
    "a.rb": (
        """\
LIMIT = 3
Pair = Struct.new(:a, :b) do
  def sum = a + b
end

module Sums
  class Point < Base
    def ==(other)
      local = 1
      other.x == x
    end

    def self.empty?
      true
    end
  end
end
""",
        """
        constant . LIMIT 1-1
        constant . Pair 2-4
        method Pair sum 3-3
        class . Sums 6-17
        class Sums Point 7-16
        method Point == 8-11
        method Point empty? 13-15
        """,
    ),
    "a.php": (
        """\
<?php
const LIMIT = 3;

final class Point extends Base
{
    private int $half = 2;

    public function equals(Point $other): bool
    {
        $local = 1;
        return $this->x === $other->x;
    }
}

function total(array $values): int { return count($values); }
""",
        """
        constant . LIMIT 2-2
        class . Point 4-13
        constant Point half 6-6
        method Point equals 8-12
        function . total 15-15
        """,
    ),
    "a.c": (
        """\
#define LIMIT 3
#define MAX(a, b) \\
    ((a) > (b) ? (a) : (b))
static const char *NAME = "a";

struct point {
    int x;
};

static struct point *make(int x, int y)
{
    int local = call(x);
    if (x) { return 0; }
    return local;
}

int declared(void);
""",
        """
        constant . LIMIT 1-1
        function . MAX 2-3
        constant . NAME 4-4
        class . point 6-8
        function . make 10-15
        """,
    ),
    "a.cpp": (
        """\
class Point : public Base {
 public:
    Point(int x) : x_(x) {}
    bool operator==(const Point& other) const { return x_ == other.x_; }
    int declared() const;
};

int Point::total(const std::vector<int>& values) const {
    return std::accumulate(values.begin(), values.end(), 0);
}
""",
        """
        class . Point 1-6
        method Point Point 3-3
        method Point == 4-4
        method Point total 8-10
        """,
    ),
    "a.sh": (
        """\
LIMIT=3
total() {
  local sum=1
  echo "${#sum}"
}
function other {
  true
}
""",
        """
        constant . LIMIT 1-1
        function . total 2-5
        function . other 6-8
        """,
    ),
    "A.pm": (
        """\
package Sums::Point;
our $LIMIT = 3;

sub equals {
    my ($self, $other) = @_;
    return $#{$other} == 1;
}

sub half { $_[0] / 2 }

package Sums::Pair;

sub sum { 1 }
""",
        """
        class . Point 1-10
        constant Point LIMIT 2-2
        method Point equals 4-7
        method Point half 9-9
        class . Pair 11-14
        method Pair sum 13-13
        """,
    ),
}


def described(found):
    return [
        f"{each.kind} {each.owner or '.'} {each.name} {each.first}-{each.last}" for each in found
    ]


@pytest.mark.parametrize("path", FILES)
def test_a_file_shows_what_it_defines(path):
    text, expected = FILES[path]
    assert described(definitions(path, text)) == expected.strip().split("\n        ")


@pytest.mark.parametrize("path", FILES)
def test_without_a_parser_the_text_shows_the_same(path):
    text, expected = FILES[path]
    found = [*assemble(places_in_text(path, text), text)]
    assert described(found) == expected.strip().split("\n        ")


def test_names_that_get_one_value_are_beside_each_other():
    found = definitions("a.py", "first = second = 0\n")
    assert [(each.name, each.owner) for each in found] == [("first", ""), ("second", "")]


CHANGES = {
    "a body changed": (
        "def a():\n    return 1\n\n\ndef b():\n    return 1\n",
        "def a():\n    return 2\n\n\ndef b():\n    return 1\n",
        [("return 1", "return 2")],
    ),
    "a decorator went": (
        "@cache\ndef a():\n    return 1\n",
        "def a():\n    return 1\n",
        [("@cache", "def a")],
    ),
    "it came": ("", "def a():\n    return 1\n", [(None, "def a")]),
    "it is gone": ("def a():\n    return 1\n", None, [("def a", None)]),
    "it moved": ("A = 1\nB = 2\n", "B = 2\nA = 1\n", []),
    "it broke": ("def a():\n    return 1\n", "def a(:\n    return 2\n", [("return 1", "return 2")]),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_changed_definition_comes_with_what_it_was(case):
    before, after, expected = CHANGES[case]
    pairs = [*changed_definitions("a.py", before, after)]
    assert len(pairs) == len(expected)
    for sides, words in zip(pairs, expected, strict=True):
        for side, word in zip(sides, words, strict=True):
            assert (side is None and word is None) or word in side.text


def test_overloads_are_paired_by_their_heads_and_then_in_order():
    before = "class A {\n  int f(int a) { return 1; }\n  int f(String a) { return 1; }\n}\n"
    after = before.replace("(int a)", "(long a)").replace(
        "(String a) { return 1;", "(String a) { return 2;"
    )
    pairs = [pair for pair in changed_definitions("A.java", before, after) if pair[0].name == "f"]
    assert [(old.head, new.head) for old, new in pairs] == [
        ("int f(int a) { return 1; }", "int f(long a) { return 1; }"),
        ("int f(String a) { return 1; }", "int f(String a) { return 2; }"),
    ]


@pytest.mark.parametrize("path", [*FILES, "a.unknown", "a"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "{" * 5000,
        ")" * 5000,
        "'",
        "class A {",
        "def f(\r\r",
        "\ud800 é = 1",
        "a\f\u2028",
        "([)",
    ],
)
def test_broken_text_never_raises(path, text):
    for found in (assemble(places_in_text(path, text), text), definitions(path, text)):
        assert all(1 <= each.first <= each.last and each.text for each in found)


LONG_TEXTS = {
    "nested": "function a() {\n" * 4000,
    "one line": "function a() {} " * 8000,
    "heads": "class a\n" * 8000,
    "words": "a " * 60000,
    "brackets": "(" * 60000 + "]" * 60000,
    "marks": "@a\n" * 40000,
    "calls": "  a(\n" * 8000,
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
@pytest.mark.parametrize("path", ["a.js", "a.cpp", "a.php", "A.pm"])
def test_a_long_text_is_read_in_linear_time(path, text):
    """In quadratic time each of these would take minutes."""
    found = assemble(places_in_text(path, text), text)
    assert all(each.first <= each.last for each in found)
