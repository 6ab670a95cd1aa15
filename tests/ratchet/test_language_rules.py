"""Changes of tests in the other languages: the honest one is quiet, its weaker neighbour is not."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change


class Pair(NamedTuple):
    path: str
    before: str
    honest: str
    weaker: str


def severities(path: str, before: str, after: str) -> set[str]:
    return {found.severity for found in findings([Change(path, before, after)], ())} - {LOW}


def go_test(body: str, above: str = "") -> str:
    return f"package cart\n\n{above}\n\nfunc TestTotal(t *testing.T) {{\n{body}\n}}\n"


def java_test(body: str, above: str = "", mark: str = "") -> str:
    return f"class CartTest {{\n{above}\n{mark}\n@Test\nvoid total() {{\n{body}\n}}\n}}\n"


def php_test(body: str, above: str = "") -> str:
    return (
        f"<?php\nclass CartTest extends TestCase\n{{\n{above}\n"
        f"public function testTotal(): void\n{{\n{body}\n}}\n}}\n"
    )


def ruby_test(body: str, above: str = "") -> str:
    return (
        f"class CartTest < Minitest::Test\n{above}\n  def test_total\n    {body}\n  end\n"
        "  def test_owner\n    assert_equal 'Ann', cart.owner\n  end\nend\n"
    )


def rust_test(body: str, above: str = "") -> str:
    return f"{above}\n#[test]\nfn total() {{\n    {body}\n}}\n"


PAIRS = {
    "a constant of a Go file": Pair(
        "cart_test.go",
        go_test("\tassert.Equal(t, 3, Total())"),
        go_test("\tassert.Equal(t, want, Total())", "const want = 3"),
        go_test("\tassert.Equal(t, want, Total())", "const want = 4"),
    ),
    "a constant of a Java class": Pair(
        "src/test/java/CartTest.java",
        java_test("assertEquals(WANT, total());", "static final int WANT = 3;"),
        java_test("assertEquals(3, total());"),
        java_test("assertEquals(WANT, total());", "static final int WANT = 4;"),
    ),
    "a constant of a PHP class": Pair(
        "tests/CartTest.php",
        php_test("$this->assertSame(self::WANT, total());", "private const WANT = 3;"),
        php_test("$this->assertSame(3, total());"),
        php_test("$this->assertSame(self::WANT, total());", "private const WANT = 4;"),
    ),
    "a constant of a Ruby class": Pair(
        "test/cart_test.rb",
        ruby_test("assert_equal WANT, cart.total", "  WANT = 3"),
        ruby_test("assert_equal 3, cart.total"),
        ruby_test("assert_equal WANT, cart.total", "  WANT = 4"),
    ),
    "a constant of a Rust file": Pair(
        "tests/cart.rs",
        rust_test("assert_eq!(total(), WANT);", "const WANT: u32 = 3;"),
        rust_test("assert_eq!(total(), 3);"),
        rust_test("assert_eq!(total(), WANT);", "const WANT: u32 = 4;"),
    ),
    "a copy of a field of a table": Pair(
        "cart_test.go",
        go_test(
            "\tfor _, tc := range []struct{ n int; want bool }{{1, true}, {2, false}} {\n"
            "\t\twant := tc.want\n\t\tassert.Equal(t, want, IsOpen(tc.n))\n\t}"
        ),
        go_test(
            "\tfor _, tc := range []struct{ n int; want bool }{{1, true}, {2, false}} {\n"
            "\t\tassert.Equal(t, tc.want, IsOpen(tc.n))\n\t}"
        ),
        go_test(
            "\tfor _, tc := range []struct{ n int; want bool }{{1, true}, {2, true}} {\n"
            "\t\tassert.Equal(t, tc.want, IsOpen(tc.n))\n\t}"
        ),
    ),
    "an empty list and its length": Pair(
        "tests/cart.rs",
        rust_test("assert_eq!(cart.items().len(), 0);"),
        rust_test("assert!(cart.items().is_empty());"),
        rust_test("assert_ne!(cart.items().len(), 7);"),
    ),
    "a type of Go, and a value of it": Pair(
        "cart_test.go",
        go_test('\tassert.IsType(t, err, NotFound{"", 0})'),
        go_test('\tassert.IsType(t, NotFound{name: "", code: 0}, err)'),
        go_test("\tassert.IsType(t, AnyError{}, err)"),
    ),
    "a variable for an error of Go": Pair(
        "cart_test.go",
        go_test("\tassert.ErrorAs(t, Buy(), &err)"),
        go_test("\tassert.ErrorAs(t, Buy(), &notFound)"),
        go_test("\tassert.Error(t, Buy())"),
    ),
    "an error and its message": Pair(
        "tests/CartTest.php",
        php_test(
            "$this->expectException(NotFound::class);\n"
            "$this->expectExceptionMessage('no cart');\nbuy();"
        ),
        php_test(
            "$this->expectExceptionMessage('no cart');\n"
            "$this->expectException(NotFound::class);\nbuy();"
        ),
        php_test(
            "$this->expectException(\\Throwable::class);\n"
            "$this->expectExceptionMessage('no cart');\nbuy();"
        ),
    ),
    "the message of an error, completed": Pair(
        "src/test/java/CartTest.java",
        java_test('assertThat(e).hasMessageThat().isEqualTo("the cart was not found");'),
        java_test('assertThat(e).hasMessageThat().isEqualTo("the cart was not found here");'),
        java_test("assertThat(e).hasMessageThat().isNotEmpty();"),
    ),
    "the message of an error in another library": Pair(
        "src/test/java/CartTest.java",
        java_test('assertThat(e).hasMessage("no cart");'),
        java_test('assertThat(e).hasMessageThat().isEqualTo("no cart");'),
        java_test('assertThat(e).hasMessageThat().contains("no");'),
    ),
    "a text of Ruby that may be changed": Pair(
        "test/cart_test.rb",
        ruby_test("assert_equal 'Ann'.b, cart.name"),
        ruby_test("assert_equal +'Ann'.dup.b, cart.name"),
        ruby_test("assert_equal 'Bob'.b, cart.name"),
    ),
    "a skip in the set-up of PHP": Pair(
        "tests/CartTest.php",
        php_test("$this->assertSame(3, total());", "public function setUp(): void { prepare(); }"),
        php_test("$this->assertSame(3, total());", "public function setUp(): void { start(); }"),
        php_test(
            "$this->assertSame(3, total());",
            "public function setUp(): void { $this->markTestSkipped('later'); }",
        ),
    ),
    "a skip in the set-up of JUnit": Pair(
        "src/test/java/CartTest.java",
        java_test("assertEquals(3, total());", "@BeforeEach void prepare() { open(); }"),
        java_test("assertEquals(3, total());", "@BeforeEach void prepare() { start(); }"),
        java_test("assertEquals(3, total());", "@BeforeEach void prepare() { assumeTrue(false); }"),
    ),
    "a mark that is in a comment": Pair(
        "src/test/java/CartTest.java",
        java_test("assertEquals(3, total());"),
        java_test("assertEquals(3, total());", mark="// @Disabled"),
        java_test("assertEquals(3, total());", mark="@Disabled"),
    ),
    "a mark that was in a comment": Pair(
        "src/test/java/CartTest.java",
        java_test("assertEquals(3, total());", mark="// @Ignore until it is open"),
        java_test("assertEquals(3, total());"),
        java_test("open();", mark="// @Ignore until it is open"),
    ),
}


def is_quiet(pair: Pair, after: str) -> bool:
    found = findings([Change(pair.path, pair.before, after)], ())
    return all(finding.severity == LOW for finding in found)


@pytest.mark.parametrize("name", PAIRS)
def test_the_honest_change_is_quiet(name: str) -> None:
    assert is_quiet(PAIRS[name], PAIRS[name].honest)


@pytest.mark.parametrize("name", PAIRS)
def test_its_weaker_neighbour_is_found(name: str) -> None:
    assert not is_quiet(PAIRS[name], PAIRS[name].weaker)


def test_a_test_with_the_name_of_a_helper_is_not_read_where_the_helper_is_called() -> None:
    test = "    @Test fun {} {{\n        assertEquals(3, awaitItem())\n    }}\n"
    before = "class CartTest {\n" + test.format("first()") + test.format("expectItem()") + "}\n"
    change = Change("src/test/kotlin/CartTest.kt", before, before.replace("expect", "await"))

    assert not findings([change], ())


def test_a_new_signature_of_a_helper_of_the_tests_replaces_no_unit() -> None:
    helper = 'func read(t *testing.T) string {\n\treturn "a"\n}'
    without, before = (go_test('\tassert.Equal(t, "a", read(t))', above) for above in ("", helper))
    after = before.replace("read(t *testing.T)", "read(t testing.TB)")

    assert not findings([Change("cart_test.go", before, after)], ())
    assert findings([Change("cart_test.go", without, before)], ())


SUBTESTS_OF_GO = """\
package cart

func TestCart(t *testing.T) {
	t.Run("Total", testTotal)
}

func testTotal(t *testing.T) {
	tests := []struct{ in, want string }{
		{in: "a", want: "1"},
		{in: "b", want: "2"},
	}
	for _, tt := range tests {
		if got := Total(tt.in); got != tt.want {
			t.Errorf("got %v", got)
		}
	}
}
"""


def test_a_subtest_runs_whose_caller_did_not_change() -> None:
    after = SUBTESTS_OF_GO.replace("\t}\n\tfor", '\t\t{in: "c", want: "3"},\n\t}\n\tfor')
    not_called = after.replace('\tt.Run("Total", testTotal)\n', "")
    was_test = SUBTESTS_OF_GO.replace("testTotal", "TestTotal")

    assert not findings([Change("cart_test.go", SUBTESTS_OF_GO, after)], ())
    assert findings([Change("cart_test.go", SUBTESTS_OF_GO, not_called)], ())
    assert findings([Change("cart_test.go", was_test, not_called)], ())


def test_a_field_of_a_table_in_go_that_is_a_function_replaces_no_unit() -> None:
    before = go_test('\tt.Run("a", func(t *testing.T) { assert.Equal(t, 3, Total()) })')
    after = before + "\nvar table = []struct {\n\tfn func() error\n}{{fn: Buy}}\n"

    assert not findings([Change("cart_test.go", before, after)], ())
    assert findings(
        [Change("cart_test.go", before, before + "\nfunc Total() int { return 3 }\n")], ()
    )


def test_the_entries_of_a_map_in_go_are_no_cases() -> None:
    assertion = "\tassert.Equal(t, 3, Total(in))"
    before = go_test('\tin := map[string][]string{"a": {"1"}, "b": {"2"}}\n' + assertion)
    after = before.replace(', "b": {"2"}', "")

    assert not findings([Change("cart_test.go", before, after)], ())


def test_a_condition_stays_the_same_when_its_brackets_go() -> None:
    body = '\tif (string(data) == "a") {{\n\t\tassert.Equal(t, 3, Total({}))\n\t}}'
    before = go_test(body.format("cart"))
    after = before.replace('(string(data) == "a")', 'string(data) == "a"')

    assert not findings([Change("cart_test.go", before, after)], ())
    assert findings([Change("cart_test.go", before, after.replace('"a"', '"b"'))], ())


def test_subtests_take_over_what_their_test_asserted() -> None:
    before = go_test('\tassert.Equal(t, "1 a", Total("a"))')
    inner = '\tt.Run("b", func(t *testing.T) {{\n\t\tassert.{}\n\t}})'
    after, weaker = (
        go_test(inner.format(a)) for a in ('Equal(t, "2 b", Total("b"))', "True(t, b)")
    )

    assert severities("cart_test.go", before, after) == {MEDIUM}
    assert severities("cart_test.go", before, weaker) == {HIGH}


MOCHA_TEST = (
    "describe('add', () => {\n  it('adds', () => {\n    expect(add(1)).to.be(2)\n  })\n})\n"
)


@pytest.mark.parametrize(
    ("head", "expected"), [("it('does not fit here'", set()), ("fit('adds two'", {HIGH})]
)
def test_a_word_in_a_title_leaves_no_other_test_out(head: str, expected: set[str]) -> None:
    new = f"  {head}, () => {{\n    expect(add(3)).to.be(4)\n  }})\n}})\n"

    assert severities("add.test.js", MOCHA_TEST, MOCHA_TEST.removesuffix("})\n") + new) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("expect(add).to.throwError()", "expect(add).toThrowError()", set()),
        ("expect(add).to.throwError()", "expect(add).to.be.ok()", {HIGH}),
        ("", "expect = require('expect.js')", set()),
        ("", "expect = require('./expect.js')", {HIGH}),
    ],
)
def test_the_words_of_expect_js(before: str, after: str, expected: set[str]) -> None:
    sides = (
        f"{line}\n{MOCHA_TEST}".replace("to.be(2)", f"to.be(2)\n    {line}")
        for line in (before, after)
    )

    assert severities("add.test.js", *sides) == expected


@pytest.mark.parametrize(("maker", "expected"), [("slugWithCounter", set()), ("fake", {MEDIUM})])
def test_what_the_unit_makes_may_have_its_name_in_a_test(maker: str, expected: set[str]) -> None:
    before = "import slug from './index.js'\ntest('a', t => { t.is(slug('A'), 'a') })\n"
    after = (
        f"{before.replace('slug from', 'slug, {slugWithCounter} from')}"
        f"test('b', t => {{\n  const slug = {maker}()\n  t.is(slug('A'), 'a-2')\n}})\n"
    )

    assert severities("test.js", before, after) == expected


@pytest.mark.parametrize(("module", "is_quiet"), [("../", True), ("../other", False)])
def test_the_package_may_give_what_a_module_in_it_gave(module: str, is_quiet: bool) -> None:
    path, files = "lib/copy/tests/copy.test.js", ("copy.js", "index.js", "other.js")
    before = "const copy = require('../copy')\nit('copies', () => { ok(copy()) })\n"
    change = Change(path, before, before.replace("../copy", module))
    texts = {f"lib/copy/{name}": "module.exports = copy\n" for name in files}

    assert (not findings([change], (), texts.get)) == is_quiet


def test_a_type_of_the_product_may_annotate_a_value() -> None:
    test = (
        "import { total, Options } from '../src/cart.js'\n"
        "test('total', () => {\n  const o: Options = { tax: 1 }\n  expect(total(o)).toBe(3)\n})\n"
    )
    replaced = test.replace("o: Options =", "total =")

    assert not findings([Change("test/cart.test.ts", None, test)], ())
    assert findings([Change("test/cart.test.ts", None, replaced)], ())


@pytest.mark.parametrize("folder", ["src/main/kotlin", "src/jvmMain/kotlin/specs"])
def test_a_file_of_the_product_is_no_test_whatever_its_name(folder: str) -> None:
    before, after = "val a = if (b == c) 1 else 2\n", "val a =\n  if (b == c) 1 else 2\n"

    assert not findings([Change(f"{folder}/FileSpec.kt", before, after)], ())
