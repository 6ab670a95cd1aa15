"""Ways to weaken a test of JavaScript that leave its assertions in the file, and honest changes that look alike."""

import pytest

from loopwright import ratchet
from loopwright.core.findings import LOW
from loopwright.repo.baseline import Change

TOTAL = """\
import * as cartModule from '../src/cart';
test('adds', async () => {
  expect.assertions(2);
  const cart = fill(3);
  expect(cartModule.total(cart)).toBe(36);
  expect(cart.items).toHaveLength(3);
});
"""
NODE = """\
import test from 'node:test';
import assert from 'node:assert/strict';
test('adds', (t) => {
  assert.equal(total(3), 36);
  assert.throws(() => total(-1), RangeError);
});
test('reads', async (t) => {
  await t.test('one', () => { assert.deepEqual(read('a'), { a: 1 }); });
});
"""
TRIED = """\
test('refuses', t => {
  try {
    total(-1);
    t.fail();
  } catch (error) {
    t.is(error.message, 'negative');
  }
});
"""
CALLBACK = """\
it('loads', (done) => {
  load('a', (err, result) => {
    assert.ifError(err);
    expect(result.name).toBe('a');
    done();
  });
});
"""
THREE = """\
test('one', () => { expect(f(1)).toBe('a'); });
test('two', () => { expect(f(2)).toBe('b'); });
test('three', () => { expect(f(3)).toBe('c'); });
"""


def found(before, after):
    changes = [Change("test/cart.test.ts", before, after)]
    return [finding.rule for finding in ratchet.findings(changes, ()) if finding.severity != LOW]


WEAKER = {
    "no matcher": (TOTAL, ".toBe(36)", ""),
    "compared inside of expect": (TOTAL, ").toBe(36)", " === 36)"),
    "early return": (TOTAL, "  const cart", "  return;\n  const cart"),
    "return under a condition": (
        TOTAL,
        "  const cart",
        "  if (process.env.CI) return;\n  const cart",
    ),
    "the unit is mocked": (TOTAL, "test('adds'", "jest.mock('../src/cart');\ntest('adds'"),
    "the unit is spied on": (
        TOTAL,
        "test('adds'",
        "jest.spyOn(cartModule, 'total').mockReturnValue(36);\ntest('adds'",
    ),
    "a function that nobody calls": (
        TOTAL,
        "  expect(cart.items).toHaveLength(3);",
        "  const check = () => {\n    expect(cart.items).toHaveLength(3);\n  };",
    ),
    "a timer that nobody waits for": (
        TOTAL,
        "  expect(cart.items).toHaveLength(3);",
        "  setTimeout(() => {\n    expect(cart.items).toHaveLength(3);\n  }, 0);",
    ),
    "node skips": (NODE, "test('adds', (t)", "test('adds', { skip: true }, (t)"),
    "node expects a failure": (
        NODE,
        "test('adds', (t)",
        "test('adds', { expectFailure: true }, (t)",
    ),
    "node runs only one": (NODE, "test('reads', async", "test('reads', { only: true }, async"),
    "node takes any error": (NODE, ", RangeError", ""),
    "node compares a part": (
        NODE,
        "deepEqual(read('a'), { a: 1 })",
        "partialDeepStrictEqual(read('a'), {})",
    ),
    "nothing must be thrown": (TRIED, "    t.fail();\n", ""),
    "a row is lost": (
        THREE,
        THREE,
        "test.each([[1, 'a'], [2, 'b']])('%i', (n, c) => { expect(f(n)).toBe(c); });\n",
    ),
}


@pytest.mark.parametrize(("before", "old", "new"), WEAKER.values(), ids=WEAKER.keys())
def test_a_weakened_test_is_found(before, old, new):
    assert old in before
    assert found(before, before.replace(old, new, 1))


HONEST = {
    "assertions are no longer counted": (TOTAL, "  expect.assertions(2);\n", ""),
    "a function that is called": (
        TOTAL,
        "  expect(cart.items).toHaveLength(3);",
        "  const check = () => {\n    expect(cart.items).toHaveLength(3);\n  };\n  check();",
    ),
    "throws instead of try": (
        TRIED,
        TRIED,
        "test('refuses', t => {\n  t.throws(() => total(-1), { message: 'negative' });\n});\n",
    ),
    "await instead of a callback": (
        CALLBACK,
        CALLBACK,
        "it('loads', async () => {\n  const result = await load('a');\n  expect(result.name).toBe('a');\n});\n",
    ),
    "a table instead of three tests": (
        THREE,
        THREE,
        "test.each([[1, 'a'], [2, 'b'], [3, 'c']])('%i', (n, c) => { expect(f(n)).toBe(c); });\n",
    ),
    "a loop instead of three tests": (
        THREE,
        THREE,
        "const cases = { one: [1, 'a'], two: [2, 'b'], three: [3, 'c'] };\n"
        "for (const [name, [n, c]] of Object.entries(cases)) {\n"
        "  test(name, () => { expect(f(n)).toBe(c); });\n}\n",
    ),
}


@pytest.mark.parametrize(("before", "old", "new"), HONEST.values(), ids=HONEST.keys())
def test_an_honest_change_passes(before, old, new):
    assert old in before
    assert found(before, before.replace(old, new, 1)) == []
