"""What a changed test says: its lines before and after, and how much that weighs."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.test_rules.changed_tests import count_lost_tests, count_new_skips
from loopwright.repo.baseline import Change

Found = tuple[str, str, str, str]


def found(path: str, before: str | None, after: str | None) -> list[Found]:
    rows = findings([Change(path, before, after)], ())
    return [(row.severity, row.rule, row.before, row.after) for row in rows if row.severity != LOW]


def python(body: str, head: str = "", name: str = "test_it") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{head}def {name}():\n{lines}\n"


LOOSENED, REMOVED = "assertion-loosened", "assertion-removed"
CHANGED, NEVER = "expected-value-changed", "assertion-cannot-fail"
EXACT = "assert total([1, 2]) == 3"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (EXACT, "assert total([1, 2]) == 4", [(MEDIUM, CHANGED)]),
        ("self.assertEqual(find('x'), None)", "assert find('x') is None", []),
        ("self.assertIsNone(find('x'), 'why')", "assert find('x') == None", []),
        ("assert find('x') is None", "assert find('x') is not None", [(HIGH, LOOSENED)]),
        (EXACT, "assert total([1, 2])", [(HIGH, LOOSENED)]),
        (EXACT, "assert total([1, 2]) is not None", [(HIGH, LOOSENED)]),
        (EXACT, "assert isinstance(total([1, 2]), int)", [(HIGH, LOOSENED)]),
        (EXACT, "assert total([1, 2]) > 0", [(HIGH, LOOSENED)]),
        (EXACT, "assert total([1, 2]) == 3 or total", [(HIGH, LOOSENED)]),
        (EXACT, "assert True", [(HIGH, REMOVED)]),
        (EXACT, "assert total([1, 2]) == 3 or True", [(HIGH, NEVER)]),
        (EXACT, "total([1, 2])", [(HIGH, REMOVED)]),
        (EXACT, f"return\n{EXACT}", [(HIGH, NEVER)]),
        (EXACT, f"if False:\n    {EXACT}", [(HIGH, NEVER)]),
        (EXACT, f"if slow:\n    {EXACT}", [(MEDIUM, LOOSENED)]),
        (EXACT, f"if slow:\n    return\n{EXACT}", [(MEDIUM, LOOSENED)]),
        (EXACT, f"try:\n    {EXACT}\nexcept AssertionError:\n    pass", [(HIGH, NEVER)]),
        (EXACT, f"with suppress(AssertionError):\n    {EXACT}", [(HIGH, NEVER)]),
        (EXACT, f"def inner():\n    {EXACT}", [(HIGH, NEVER)]),
        ("assert near(x) == approx(1, abs=0.1)", "assert near(x) == approx(1, abs=9.0)",
         [(HIGH, "assertion-widened")]),
        ("with raises(KeyError):\n    go()", "with raises(Exception):\n    go()", [(HIGH, LOOSENED)]),
        (f"{EXACT}\nassert tax(1) == 2", f"{EXACT}\nassert tax(1) == 5\nassert tax(7) == 8",
         [(MEDIUM, CHANGED)]),
        # The same in other words.
        (EXACT, "result = total([1, 2])\nassert result == 3", []),
        (EXACT, "assert 3 == total([1, 2])", []),
        (EXACT, "assert total([1, 2]) == 3, 'three'", []),
        (EXACT, "self.assertEqual(total([1, 2]), 3)", []),
        (EXACT, f"if True:\n    {EXACT}", []),
        (EXACT, f"try:\n    {EXACT}\nfinally:\n    close()", []),
        (EXACT, f"try:\n    {EXACT}\nexcept E:\n    fail()", []),
        ("assert len(rows) == 2\nassert 'a' in rows", "assert rows == ['a', 'b']", []),
        ("assert old_name(1) == 2", "assert new_name(1) == 2", []),
        (f"{EXACT}\nassert total([5]) == 5",
         "for many, all in [([1, 2], 3), ([5], 5)]:\n    assert total(many) == all", []),
    ],
)  # fmt: skip
def test_a_changed_assertion(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    rows = found("tests/test_a.py", python(before), python(after))

    assert [row[:2] for row in rows] == expected


def test_a_finding_shows_the_line_before_and_after() -> None:
    rows = found("tests/test_a.py", python(EXACT), python("assert total([1, 2])"))

    assert rows == [(HIGH, LOOSENED, EXACT, "assert total([1, 2])")]


OTHER = python("assert other(7) == 8", name="test_other")
TABLE = "@pytest.mark.parametrize('a', [{rows}])\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (python(EXACT) + OTHER, OTHER, [(HIGH, "test-deleted")]),
        (python("go()") + OTHER, OTHER, []),  # it asserted nothing
        (python(EXACT) + OTHER, OTHER + python(EXACT, name="test_new"), []),
        (python(EXACT), python(EXACT, "@pytest.mark.skip\n"), [(HIGH, "test-switched-off")]),
        (python(EXACT), python(EXACT, "@pytest.mark.xfail\n"), [(HIGH, "test-switched-off")]),
        (python(EXACT), f"pytestmark = pytest.mark.skip\n{python(EXACT)}",
         [(HIGH, "test-switched-off")]),
        (python(EXACT), python(f"pytest.skip('later')\n{EXACT}"), [(HIGH, "test-switched-off")]),
        (python(EXACT), python(EXACT, "@pytest.mark.skipif(slow, reason='x')\n"),
         [(MEDIUM, "test-skipped-under-condition")]),
        (python(EXACT), python(f"if slow:\n    pytest.skip('x')\n{EXACT}"),
         [(MEDIUM, "test-skipped-under-condition")]),
        (python(EXACT), python(EXACT, "@pytest.mark.skipif(sys.platform == 'win32')\n"), []),
        (python(EXACT, "@pytest.mark.timeout(5)\n"), python(EXACT, "@pytest.mark.timeout(50)\n"),
         [(MEDIUM, "test-patience-raised")]),
        (python("assert f(a)", TABLE.format(rows="1, 2, 3")),
         python("assert f(a)", TABLE.format(rows="1, 2")), [(HIGH, "test-cases-removed")]),
        (python("assert f(a)", TABLE.format(rows="1, 2, 3")),
         python("assert f(a)", TABLE.format(rows="1, 2, 4")), [(MEDIUM, CHANGED)]),
        (python("assert f(a)", TABLE.format(rows="1, 2")),
         python("assert f(a)", TABLE.format(rows="1, 2, 3")), []),
        # A helper that asserts or compares is part of its tests.
        (python("check(3)") + python(EXACT, name="check"), python("check(3)")
         + python("total([1, 2])", name="check"), [(HIGH, REMOVED)]),
        (python(EXACT), python("check()") + python(EXACT, name="check"), []),
        (python(EXACT) + "def close(a, b):\n    return abs(a - b) < 0.1\n",
         python(EXACT) + "def close(a, b):\n    return a - b < 0.1\n", [(MEDIUM, CHANGED)]),
        # A test without its mark is a function that nobody calls.
        (python(EXACT), python(EXACT, name="it"), [(HIGH, "test-deleted")]),
        (python(EXACT), python(EXACT) + "self.assertEqual = print\n",
         [(HIGH, "test-runner-tampered-with")]),
        (python(EXACT), "def (:", [(MEDIUM, "tests-unreadable")]),
        (None, python("assert f(1)"), []),
    ],
)  # fmt: skip
def test_a_changed_test(before: str | None, after: str, expected: list[tuple[str, str]]) -> None:
    assert [row[:2] for row in found("tests/test_a.py", before, after)] == expected


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.test.js", "it('a', () => { expect(f(1)).toBe(2) })",
         "it('a', () => { expect(f(1)).toBeDefined() })", [(HIGH, LOOSENED)]),
        ("a.test.js", "it('a', () => { expect(f(1)).toBe(2) })",
         "it.skip('a', () => { expect(f(1)).toBe(2) })", [(HIGH, "test-switched-off")]),
        ("a.test.js", "it('a', () => { expect(f(1)).toBe(2) })",
         "it.only('a', () => { expect(f(1)).toBe(2) })", [(HIGH, "only-some-tests-run")]),
        ("a.test.js", "it('a', () => { expect(f(1)).toBe(2) })",
         "it('a', () => { expect(f(1)).toBe(2) }, 9000)", [(MEDIUM, "test-patience-raised")]),
        ("a.test.js", "it('a', () => { expect(f(1)).toBe(2) })",
         "it('a', () => { expect(f(1)).toBe(2).catch(() => {}) })", [(HIGH, NEVER)]),
        ("a_test.go", 'func TestA(t *testing.T) {\n\tif f(1) != 2 {\n\t\tt.Error("x")\n\t}\n}\n',
         'func TestA(t *testing.T) {\n\tif f(1) == 0 {\n\t\tt.Error("x")\n\t}\n}\n',
         [(HIGH, LOOSENED)]),
        ("a_test.go", 'func TestA(t *testing.T) {\n\tif f(1) != "a is greater" {\n\t\tt.Error("x")\n\t}\n}\n',
         'func TestA(t *testing.T) {\n\tif f(1) != `"a" is greater` {\n\t\tt.Error("x")\n\t}\n}\n',
         [(MEDIUM, CHANGED)]),
        ("a.test.js", "const assert = require('node:assert');\nit('a', () => { assert.equal(f(1), 2) })",
         "import assert from 'node:assert';\nit('a', () => { assert.equal(f(1), 2) })", []),
        ("a_test.go", "package a\n", "//go:build never\n\npackage a\n", [(HIGH, "tests-skipped")]),
        ("tests/a.rs", "#[test]\nfn a() { assert_eq!(f(1), 2); }",
         "#[test]\n#[ignore]\nfn a() { assert_eq!(f(1), 2); }", [(HIGH, "test-switched-off")]),
        ("src/a.rs", "fn p() {}\n#[cfg(test)]\nmod tests {\n#[test]\nfn a() { assert_eq!(f(1), 2); }\n}",
         "fn p() {}\n#[cfg(test)]\nmod tests {\n#[test]\nfn a() { assert!(f(1) > 0); }\n}",
         [(HIGH, LOOSENED)]),
        ("ATest.java", "class A {\n@Test void a() { assertEquals(2.5, f(1), 0.1); }\n}",
         "class A {\n@Test void a() { assertEquals(2.5, f(1), 5.0); }\n}", [(MEDIUM, CHANGED)]),
        ("ATest.php", "<?php class A { #[Test] function a() { $this->assertSame(2, f(1)); } }",
         "<?php class A { #[Test] function a() { $this->assertNotNull(f(1)); } }",
         [(HIGH, LOOSENED)]),
        ("tests/ATest.php", "<?php it('a', function () { expect(f(1))->toBe(2); });",
         "<?php it('a', function () { expect(f(1))->toBe(2); })->skip();",
         [(HIGH, "test-switched-off")]),
        ("a_spec.rb", "it 'a' do\n  expect(f(1)).to eq(2)\nend\n",
         "it 'a' do\n  expect(f(1)).to be_truthy\nend\n", [(HIGH, LOOSENED)]),
        ("t/a.t", "is(f(1), 2, 'a');\nok(1);\n", "ok(1);\n", [(HIGH, REMOVED)]),
        ("ATests.cs", "class A { [Theory] [InlineData(1, 2)] [InlineData(2, 3)]\n"
         "public void B(int a, int b) { Assert.Equal(b, F(a)); } }",
         "class A { [Theory] [InlineData(1, 2)]\n"
         "public void B(int a, int b) { Assert.Equal(b, F(a)); } }",
         [(HIGH, "test-cases-removed")]),
    ],
)  # fmt: skip
def test_a_changed_test_of_another_language(
    path: str, before: str, after: str, expected: list[tuple[str, str]]
) -> None:
    assert [row[:2] for row in found(path, before, after)] == expected


def test_a_test_may_move_to_another_file() -> None:
    moved = [
        Change("tests/test_a.py", python(EXACT), None),
        Change("tests/test_b.py", None, python(EXACT)),
    ]

    assert findings(moved, ()) == []


def test_tests_that_are_gone_are_counted_with_their_cases() -> None:
    table = python("assert f(a)", TABLE.format(rows="1, 2, 3"))

    assert count_lost_tests([Change("tests/test_a.py", table + OTHER, OTHER)]) == 3
    assert count_lost_tests([Change("tests/test_a.py", OTHER, table + OTHER)]) == 0


def test_a_deleted_test_of_removed_code_asks_a_person() -> None:
    product = Change("shop/cart.py", "def total(rows):\n    return 1\n", "")
    test = Change("tests/test_a.py", python(EXACT) + OTHER, OTHER)

    rows = findings([product, test], ())

    assert (MEDIUM, "total was removed") in [(row.severity, row.after) for row in rows]


def test_an_expected_text_that_the_product_changed_too_is_no_doubt() -> None:
    product = Change("shop/cart.py", "NAME = 'cart'\n", "NAME = 'basket'\n")
    before, after = python("assert name() == 'cart'"), python("assert name() == 'basket'")

    rows = findings([product, Change("tests/test_a.py", before, after)], ())

    assert [(row.severity, row.rule) for row in rows] == [(LOW, CHANGED)]


GUARD = (
    "def parse(value):\n    if not value:\n        raise {error}(value)\n    return int(value)\n"
)


def test_a_product_that_raises_other_errors_too_asserts_nothing_for_tests() -> None:
    product = (
        "def never(x):\n    raise AssertionError(x)\n\n\ndef other(x):\n    raise KeyError(x)\n"
    )
    before = product + GUARD.format(error="ValueError")
    helper = GUARD.format(error="AssertionError")
    without_guard = "def parse(value):\n    return int(value)\n"
    assert found("shop/fields.py", before, product + without_guard) == []
    assert [row[0] for row in found("shop/claims.py", helper, without_guard)] == [HIGH]


NEW_SKIPS = """
test('runs', () => expect(two()).toBe(2));
test.skip('later', () => expect(two()).toBe(3));
test.skipIf(process.platform !== 'win32')('on windows', () => expect(two()).toBe(4));
test.todo('one more');
"""


def test_new_tests_that_are_skipped_are_counted_by_name():
    old = "test('later', () => expect(two()).toBe(3));\n"

    assert count_new_skips([Change("test/a.test.js", None, NEW_SKIPS)]) >= 2
    # One that was there before is worse, and explains nothing.
    both = [Change("test/a.test.js", old, NEW_SKIPS), Change("test/b.test.js", None, OTHER)]
    assert count_new_skips(both) == count_new_skips([Change("test/a.test.js", None, NEW_SKIPS)]) - 1


def test_a_value_that_was_replaced_on_every_line_is_one_finding():
    def tests(folder: str, *results: str) -> str:
        rows = enumerate(results)
        lines = (f"def test_{n}(get):\n    assert get('/{folder}/{n}') == '{r}'\n" for n, r in rows)
        return "".join(lines)

    before = tests("users", "ann", "bob", "cid")
    moved = [Change("tests/test_a.py", before, tests("people", "ann", "bob", "cid"))]
    other = [Change("tests/test_a.py", before, tests("users", "eve", "fay", "gil"))]

    assert [(each.rule, each.line) for each in findings(moved, ())] == [(CHANGED, 2)]
    # Different values are different changes.
    assert [each.rule for each in findings(other, ())] == [CHANGED] * 3


def test_the_reason_why_a_test_can_no_longer_be_read_is_named():
    before = "def test_a():\n    assert a() == 1\n"
    (broken,) = findings([Change("tests/test_a.py", before, before + "def test_b(:\n")], ())
    rows = "\tif got := fare(1); got != 2 { t.Fatal(got) }\n"
    go = f"package a\nfunc TestA(t *testing.T) {{\n{rows}}}\n"
    (long,) = findings([Change("a_test.go", go, go + f"// {'x' * 600_000}\n")], ())

    assert (broken.rule, broken.line) == ("tests-unreadable", 3)
    assert broken.after.startswith("invalid syntax (read as Python 3.")
    assert long.after.endswith("characters; at most 600,000 are read")


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("expect = chai.expect;", False),
        ("assert = require('node:assert');", False),
        ("expect = fake.expect;", True),
        ("expect = () => ({ toBe: () => {} });", True),
    ],
)
def test_an_assertion_comes_from_its_library_or_is_replaced(line: str, is_found: bool) -> None:
    test = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"

    found = findings([Change("test/a.test.js", test, f"{line}\n{test}")], ())

    assert [f.rule for f in found] == ["test-runner-tampered-with"] * is_found


@pytest.mark.parametrize(
    ("path", "test", "row"),
    [
        (
            "key_test.go",
            "func TestKey(t *testing.T) {\n\tkeys := []string{%s}\n\tif f(keys) != 3 {\n"
            "\t\tt.Fail()\n\t}\n}\n",
            "`C:\\`, ",
        ),
        ("tests/key.rs", "#[test]\nfn key() {\n    assert_eq!(f(&[%s]), 3);\n}\n", 'r"C:\\", '),
        ("KeyTest.cs", "[Fact]\npublic void Key() {\n  Assert.Equal(3, F(%s1));\n}\n", '@"C:\\", '),
    ],
)
def test_a_backslash_ends_no_raw_string(path: str, test: str, row: str) -> None:
    found = findings([Change(path, test % "", test % row)], ())

    assert not [f for f in found if f.rule in ("test-deleted", "tests-unreadable")]
