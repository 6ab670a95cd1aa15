"""Helpers of tests that compare less strictly than before, by the text of their comparisons."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import helper_comparisons
from loopwright.repo.baseline import Change

PHP = """\
<?php
function same(mixed $want, mixed $got, string $what): void
{
    global $failures;
    if ($got !== $want) {
        $failures++;
        echo "wrong: $what\\n";
    }
}
"""
RUST = """\
pub fn close(left: f64, right: f64) -> bool {
    let distance = (left - right).abs();
    distance < 0.005
}
"""
MATCHER = """\
expect.extend({
  toCost(offer, cents) {
    const pass = offer.cents === cents;
    return { pass, message: () => `expected ${cents}, got ${offer.cents}` };
  },
});
"""
PYTHON = """\
EPSILON = 0.001


def close(left, right):
    return abs(left - right) < EPSILON


def same(got, want):
    if got != want:
        raise AssertionError(f"{got!r} is not {want!r}")


def same_rows(got, want):
    return all(a.name == b.name and a.cents == b.cents for a, b in zip(got, want, strict=True))


def is_answer(got, want):
    return got is want
"""
GO = """\
package fares

import "math"

func near(got, want float64) bool {
	return math.Abs(got-want) <= 0.01
}

func check(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
"""
JAVA = """\
class Same {
    static boolean close(double left, double right, double tolerance) {
        return Math.abs(left - right) <= tolerance;
    }

    static boolean text(String left, String right) {
        return left.equals(right);
    }
}
"""
CSHARP = """\
public static class Same
{
    public static bool Close(double left, double right) => Math.Abs(left - right) < 0.01;

    public static void Text(string left, string right)
    {
        if (left != right)
        {
            throw new Exception("other text");
        }
    }
}
"""
KOTLIN = "fun close(left: Double, right: Double) = abs(left - right) < 0.01\n"
RUBY = """\
def close?(left, right)
  (left - right).abs < 0.01
end

def same(want, got)
  raise "got #{got}" unless want == got
end
"""
C_HELPER = """\
#define NEAR(got, want) (fabs((got) - (want)) < 1e-6)

static int close_to(double got, double want)
{
    return fabs(got - want) < 1e-6;
}
"""
PERL = """\
sub near {
    my ($got, $want) = @_;
    return abs($got - $want) < 1e-9;
}
"""
INLINE_RUST = """\
pub fn mean(left: f64, right: f64) -> f64 {
    if left == right { return left; }
    (left + right) / 2.0
}

#[cfg(test)]
mod tests {
    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 0.005
    }
}
"""
FILES = {
    "tests/helper.php": PHP,
    "tests/common/mod.rs": RUST,
    "test/matchers.js": MATCHER,
    "tests/helpers.py": PYTHON,
    "near_test.go": GO,
    "src/test/java/Same.java": JAVA,
    "Shop.Tests/Same.cs": CSHARP,
    "src/test/kotlin/Close.kt": KOTLIN,
    "test/helper.rb": RUBY,
    "tests/near.h": C_HELPER,
    "tests/lib/Near.pm": PERL,
    "src/lib.rs": INLINE_RUST,
}

LOOSER = [
    ("tests/helper.php", "$got !== $want", "($got <=> $want) !== 0"),
    ("tests/helper.php", "$got !== $want", "$got != $want"),
    ("tests/helper.php", "$got !== $want", "trim($got) !== trim($want)"),
    ("tests/common/mod.rs", "(left - right).abs()", "left - right"),
    ("tests/common/mod.rs", "0.005", "0.5"),
    ("tests/common/mod.rs", "distance < 0.005", "distance / right < 0.005"),
    ("tests/common/mod.rs", "distance < 0.005", "distance < 0.005 * right"),
    ("test/matchers.js", "offer.cents === cents", "offer.cents == cents"),
    ("test/matchers.js", "offer.cents === cents", "offer.cents >= cents"),
    ("test/matchers.js", "offer.cents === cents", "Math.abs(offer.cents - cents) < 50"),
    ("test/matchers.js", "offer.cents === cents", "Math.round(offer.cents) === cents"),
    ("tests/helpers.py", "EPSILON = 0.001", "EPSILON = 1.0"),
    ("tests/helpers.py", "abs(left - right)", "(left - right)"),
    ("tests/helpers.py", "    if got != want:", "    if sorted(got) != sorted(want):"),
    ("tests/helpers.py", "    if got != want:", "    if got < want:"),
    ("tests/helpers.py", "    if got != want:", "    got = got.lower()\n    if got != want:"),
    ("tests/helpers.py", " and a.cents == b.cents", ""),
    ("tests/helpers.py", " and a.cents", " or a.cents"),
    ("tests/helpers.py", "got is want", "got == want"),
    ("near_test.go", "math.Abs(got-want)", "(got - want)"),
    ("near_test.go", "<= 0.01", "<= 10"),
    ("near_test.go", "if got != want {", "if got > want {"),
    ("src/test/java/Same.java", "Math.abs(left - right) <=", "left - right <="),
    ("src/test/java/Same.java", "left.equals(right)", "left.equalsIgnoreCase(right)"),
    ("src/test/java/Same.java", "left.equals(right)", "left.startsWith(right)"),
    ("Shop.Tests/Same.cs", "Math.Abs(left - right)", "left - right"),
    ("Shop.Tests/Same.cs", "left != right", "left.Trim() != right.Trim()"),
    ("src/test/kotlin/Close.kt", "abs(left - right)", "left - right"),
    ("test/helper.rb", "(left - right).abs", "left - right"),
    ("test/helper.rb", "want == got", "want === got"),
    ("test/helper.rb", "want == got", "want.downcase == got.downcase"),
    ("tests/near.h", "return fabs(got - want)", "return got - want"),
    ("tests/near.h", "(fabs((got) - (want)) < 1e-6)", "((got) - (want) < 1e-6)"),
    ("tests/lib/Near.pm", "abs($got - $want)", "$got - $want"),
    ("tests/lib/Near.pm", "1e-9", "0.5"),
    ("src/lib.rs", "(left - right).abs() <", "left - right <"),
]


@pytest.mark.parametrize(("path", "old", "new"), LOOSER)
def test_a_helper_that_compares_less_strictly_is_named(path: str, old: str, new: str) -> None:
    assert old in FILES[path]
    change = Change(path, FILES[path], FILES[path].replace(old, new, 1))

    (finding,) = helper_comparisons.find(Project([change]))

    assert (finding.severity, finding.rule, finding.file) == (MEDIUM, "assertion-loosened", path)


AS_STRICT = [
    ("tests/helper.php", "$got !== $want", "$want !== $got"),
    ("tests/helper.php", 'echo "wrong: $what\\n";', 'echo "wrong: " . trim($what) . "\\n";'),
    ("tests/common/mod.rs", "0.005", "0.001"),
    ("tests/common/mod.rs", "(left - right).abs()", "f64::abs(left - right)"),
    (
        "tests/common/mod.rs",
        "    let distance = (left - right).abs();\n    distance < 0.005\n",
        "    left - right < 0.005 && right - left < 0.005\n",
    ),
    ("test/matchers.js", "offer.cents === cents", "Object.is(offer.cents, cents)"),
    ("test/matchers.js", "offer.cents === cents", "offer !== undefined && offer.cents === cents"),
    ("tests/helpers.py", "EPSILON = 0.001", "EPSILON = 0.0001"),
    ("tests/helpers.py", "abs(left - right) < EPSILON", "left == right"),
    ("tests/helpers.py", "    if got != want:\n", "    if not got == want:\n"),
    ("tests/helpers.py", "{got!r} is not", "{str(got).lower()} is not"),
    ("tests/helpers.py", "a.name == b.name and a.cents == b.cents", "a == b"),
    ("near_test.go", 't.Errorf("got %d, want %d", got, want)', 't.Fatalf("got %d", got)'),
    ("near_test.go", "<= 0.01", "< 0.01"),
    ("src/test/java/Same.java", "left.equals(right)", "Objects.equals(left, right)"),
    ("Shop.Tests/Same.cs", "left != right", "!left.Equals(right)"),
    ("Shop.Tests/Same.cs", '"other text"', '$"{left.Trim()} is other text"'),
    ("test/helper.rb", 'raise "got #{got}" unless want == got', "assert_equal want, got"),
    ("tests/near.h", "return fabs(got - want) < 1e-6;", "return fabs(want - got) < 1e-6;"),
    ("src/lib.rs", "left == right { return left; }", "(left - right) < 1.0 { return right; }"),
]


@pytest.mark.parametrize(("path", "old", "new"), AS_STRICT)
def test_a_helper_that_compares_as_strictly_is_honest(path: str, old: str, new: str) -> None:
    assert old in FILES[path]
    change = Change(path, FILES[path], FILES[path].replace(old, new, 1))

    assert not list(helper_comparisons.find(Project([change])))


def test_a_comparison_that_moves_into_a_helper_of_its_own_is_honest() -> None:
    moved = MATCHER.replace("offer.cents === cents", "sameCents(offer, cents)")
    helper = "const sameCents = (offer, cents) => offer.cents === cents;\n\n"
    change = Change("test/matchers.js", MATCHER, helper + moved)

    assert not list(helper_comparisons.find(Project([change])))


def test_a_tolerance_in_a_new_file_of_helpers_is_found() -> None:
    moved = MATCHER.replace("offer.cents === cents", "sameCents(offer.cents, cents)")
    helper = "exports.sameCents = (left, right) => Math.abs(left - right) / right < 1;\n"
    changes = [
        Change(
            "test/matchers.js", MATCHER, f"const {{ sameCents }} = require('./cents');\n{moved}"
        ),
        Change("test/cents.js", None, helper),
    ]

    (finding,) = helper_comparisons.find(Project(changes))

    assert finding.file == "test/matchers.js"


FAKE = """\
class FakeShop:
    def get(self, url):
        if url == self.url:
            return self.page
        return self.missing

    def by_name(self, name):
        for item in self.items:
            if item.name == name:
                return item
        return None
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if url == self.url:", "if url.startswith(self.url):"),
        ("if item.name == name:", "if item.name.lower() == name:"),
        ("if url == self.url:", "if url in self.pages:"),
    ],
)
def test_a_stand_in_that_answers_in_more_cases_judges_nothing(old: str, new: str) -> None:
    change = Change("tests/fakes.py", FAKE, FAKE.replace(old, new))

    assert not list(helper_comparisons.find(Project([change])))


def test_a_test_is_read_elsewhere() -> None:
    test = "def test_total():\n    assert total([1, 2]) == expected\n"
    change = Change("tests/test_cart.py", test, test.replace("== expected", ">= expected"))

    assert not list(helper_comparisons.find(Project([change])))


def test_a_program_of_the_checks_counts_as_a_helper() -> None:
    check = (
        "function expect_(got, want) {\n  if (got !== want) {\n    process.exitCode = 1;\n  }\n}\n"
    )
    change = Change("check.js", check, check.replace("!==", "!="))

    assert not list(helper_comparisons.find(Project([change])))
    assert list(helper_comparisons.find(Project([change], commands=("node check.js",))))
