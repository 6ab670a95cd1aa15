"""Lines of tests that are the same but for their strictness or an `await` that is gone."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import loosened_lines
from loopwright.repo.baseline import Change

SCRIPT, PHP, CSHARP, KOTLIN = "cart.test.js", "tests/CartTest.php", "A.Tests/A.cs", "ATest.kt"
HELPER = "\nasync function check(row) {\n  assert.ok(await total(row));\n}\n"

LOOSENED = [
    (SCRIPT, "assert.strictEqual(total(1), two);", "assert.equal(total(1), two);"),
    (SCRIPT, "assert.deepStrictEqual(rows(), [1]);", "assert.deepEqual(rows(), [1]);"),
    (SCRIPT, "expect(rows()).toStrictEqual([1]);", "expect(rows()).toEqual([1]);"),
    (SCRIPT, "assert(total(1) === two);", "assert(total(1) == two);"),
    (SCRIPT, "if (total(1) !== two) throw bad;", "if (total(1) != two) throw bad;"),
    (SCRIPT, "expect(rows()).toEqual([1, 2]);", "expect(rows().sort()).toEqual([1, 2]);"),
    (SCRIPT, "expect(name()).toBe('A');", "expect(name().trim()).toBe('A');"),
    (PHP, "$this->assertSame(0, total(1));", "$this->assertEquals(0, total(1));"),
    (PHP, "$this->assertTrue(total(1) === 0);", "$this->assertTrue(total(1) == 0);"),
    (CSHARP, 'Assert.Equal("a", Name());', 'Assert.Equal("a", Name().ToLower());'),
]
UNAWAITED = [
    (SCRIPT, "await expect(pay()).resolves.toBe(2);", "expect(pay()).resolves.toBe(2);"),
    (SCRIPT, "await expect(pay()).rejects.toThrow();", "expect(pay()).rejects.toThrow();"),
    (SCRIPT, "await assert.rejects(pay());", "assert.rejects(pay());"),
    (SCRIPT, "return pay().then((x) => {", "pay().then((x) => {"),
    (SCRIPT, "await check(1);" + HELPER, "check(1);" + HELPER),
    (SCRIPT, "expect(await pay()).toBe(2);", "pay().then((x) => expect(x).toBe(2));"),
    (
        SCRIPT,
        "for (const row of rows) {\n  expect(await pay(row)).toBe(2);\n}",
        "rows.forEach(async (row) => {\n  expect(await pay(row)).toBe(2);\n});",
    ),
    (CSHARP, "await Assert.ThrowsAsync<E>(() => Pay());", "Assert.ThrowsAsync<E>(() => Pay());"),
    (
        CSHARP,
        "Assert.Equal(2, await Pay());",
        "Task.Run(async () => Assert.Equal(2, await Pay()));",
    ),
    (KOTLIN, "assertEquals(2, pay())", "GlobalScope.launch { assertEquals(2, pay()) }"),
]


def found(path: str, before: str, after: str) -> list[tuple[str, str]]:
    project = Project([Change(path, before, after)])
    return [(f.severity, f.rule) for f in loosened_lines.find(project)]


@pytest.mark.parametrize(("path", "before", "after"), LOOSENED)
def test_a_line_that_is_less_strict_and_nothing_else_is_named(
    path: str, before: str, after: str
) -> None:
    assert found(path, before, after) == [(MEDIUM, "assertion-loosened")]
    assert not found(path, after, before)


@pytest.mark.parametrize(("path", "before", "after"), UNAWAITED)
def test_an_assertion_that_nothing_waits_for_is_named(path: str, before: str, after: str) -> None:
    assert found(path, before, after) == [(MEDIUM, "assertion-cannot-fail")]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (SCRIPT, "await check(1);", "check(1);"),
        (SCRIPT, "expect(await total(1)).toBe(2);", "expect(total(1)).toBe(2);"),
        (SCRIPT, "return total(1);", "total(1);"),
        (SCRIPT, "await pay();", "await Promise.all([pay(), pay()]);"),
        (SCRIPT, "const x = await pay();", "const all = pay().then((x) => expect(x).toBe(2));"),
        (SCRIPT, "await pay();\nexpect(1).toBe(1);", "pay().then((x) => { expect(x); done(); });"),
        (SCRIPT, "await pay();", "pay().then(resolve, reject);\nexpect(await all).toBe(1);"),
        (SCRIPT, "const name = input;", "const name = input.trim();"),
        (SCRIPT, "expect(name()).toBe('A');", "expect(name().trim()).toBe('B');"),
        (
            SCRIPT,
            "const assert = require('assert');\nassert.strictEqual(total(1), two);",
            "const assert = require('node:assert/strict');\nassert.equal(total(1), two);",
        ),
        ("src/test/java/ATest.java", "assertSame(two, total(1));", "assertEquals(two, total(1));"),
        ("src/cart.js", "if (a === b) {", "if (a == b) {"),
    ],
)
def test_other_changes_of_a_line_are_honest(path: str, before: str, after: str) -> None:
    assert not found(path, before, after)


def test_a_new_test_takes_nothing_away() -> None:
    before = "test('a', async () => {\n  expect(await pay()).toBe(2);\n});\n"
    after = f"{before}test('b', () => {{\n  pay().then((x) => expect(x).toBe(2));\n}});\n"

    assert not found(SCRIPT, before, after)
