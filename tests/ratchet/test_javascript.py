"""What a JavaScript test file says."""

import time

import pytest

from loopwright.core.findings import HIGH, MEDIUM
from loopwright.ratchet.readers.languages import language_of
from loopwright.ratchet.readers.suite import EXACT, LOOSE, NEVER, PARTIAL
from loopwright.ratchet.test_rules import compare, suite_marks
from tests.support.pairs import known_pairs, sides

RULES = {words: name for name, words in vars(compare).items() if isinstance(words, str)}


def read(path, text):
    return language_of(path).read(path, text)


def found(before, after, path="src/cart.test.ts"):
    """Severity, rule and line of what became weaker; texts are files of one path, mappings several."""
    both = [files if isinstance(files, dict) else {path: files} for files in (before, after)]
    suites = [{name: read(name, text) for name, text in files.items()} for files in both]
    assert None not in (*suites[0].values(), *suites[1].values())
    return [
        (one.severity, RULES.get(one.rule, one.rule), one.line)
        for one in compare.compare_suites(*suites)
    ]


@pytest.mark.parametrize("path", known_pairs("javascript"), ids=lambda path: path.stem)
def test_the_known_pairs(path):
    severities = {severity for severity, _, _ in found(*sides(path))}

    assert (
        (HIGH in severities) if path.stem.startswith("weaker") else not severities & {HIGH, MEDIUM}
    )


TOTAL = """\
describe('total', () => {
  it('adds', () => {
    const cart = fill(3);
    expect(total(cart)).toBe(36);
    expect(cart.items).toHaveLength(3);
  });
  it('is empty at first', () => {
    expect(total(fill(0))).toBe(0);
  });
});
"""
ASKS = """\
test('asks the server', async () => {
  const send = vi.fn();
  const answer = await ask(send, 'a');
  expect(send).toHaveBeenCalledWith('a', { retry: 2 });
  expect(answer).toEqual({ id: 7, name: 'Ann' });
});
"""
REFUSES = """\
it('refuses', async () => {
  await expect(pay(-1)).rejects.toThrow(RangeError);
  expect(() => check(null)).toThrow('no order');
});
"""
TABLE = """\
test.each([
  [1, 'one'],
  [2, 'two'],
  [3, 'three'],
])('%i is %s', (given, name) => {
  expect(spell(given)).toBe(name);
});
"""
NODE = """\
import { test } from 'node:test';
import assert from 'node:assert/strict';

test('reads a line', async (t) => {
  const line = await first('a,b');
  assert.equal(line.length, 2);
  assert.deepEqual(line, ['a', 'b']);
});
"""
CHAI = """\
describe('Store', function () {
  it('keeps an entry', function () {
    const store = make();
    expect(store.get('a')).to.equal(1);
    store.size.should.equal(1);
    assert.strictEqual(store.first(), 'a');
  });
});
"""
PAGE = """\
import { test, expect } from '@playwright/test';

test.describe('checkout', () => {
  test('shows the sum', async ({ page }) => {
    await page.goto('/cart');
    await expect(page.getByTestId('sum')).toHaveText('36 EUR');
  });
});
"""
SPEED = """\
it('is fast', () => {
  expect(elapsed()).toBeLessThan(200);
  expect(ratio()).toBeCloseTo(0.25, 4);
});
"""

STATUS = "it('a', () => request(app).get('/a').expect(200).expect('Type', /json/));\n"
AWAITED = "it('a', async () => {\n  await request(app).get('/b').expect(404);\n});\n"
COSTS = "const costs = (cart, sum) => expect(total(cart)).toBe(sum);\ndescribe("
OBJECTS = [
    ("[3, 'three']", "{ g: 3, n: 'three' }"),
    ("(given, name)", "(row)"),
    ("(given)", "(row.g)"),
    ("(name)", "(row.n)"),
]
MOCKED = [("describe(", "vi.mock('./cart', () => ({ total: () => 36 }));\ndescribe(")]
UNHEARD = [
    ("  expect(answer)", "  later.then(() => expect(answer)"),
    ("'Ann' });", "'Ann' })).catch(() => {});"),
]
ONE_BY_ONE = "it('a', async () => {\n  const ann = await load(1);\n  expect(ann.id).toBe(1);\n  expect(ann.tags).toEqual([]);\n});\n"
ANNS = ("it(", "const ANN = { id: 1, tags: [] };\nit(")
COMPARED = "it('a', () => {\n  const q = make(2);\n  assert(q.size === 2 && !q.full);\n});\n"
TEMPLATE = [
    (
        TABLE[TABLE.index("([") : TABLE.index("('%i")],
        "`\n  given | name\n  ${1} | ${'one'}\n  ${2} | ${'two'}\n  ${3} | ${'three'}\n`",
    ),
    ("(given, name)", "({ given, name })"),
]


def changed(text, *changes):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


TRICK = suite_marks.MARK_RULES["tricks"]
WEAKER = [  # what, the file, what is changed in it, and what is found: severity, rule, line
    ("a test is skipped", TOTAL, [("it('adds'", "it.skip('adds'")], (HIGH, "SKIPPED", 2)),
    ("a block is skipped", TOTAL, [("describe(", "describe.skip(")], (HIGH, "SKIPPED", 2)),
    ("xit", TOTAL, [("it('adds'", "xit('adds'")], (HIGH, "SKIPPED", 2)),
    ("todo", TOTAL, [("it('adds'", "it.todo('adds'")], (HIGH, "SKIPPED", 2)),
    ("expected to fail", ASKS, [("test(", "test.failing(")], (HIGH, "SKIPPED", 1)),
    (
        "fixme in the body",
        PAGE,
        [("    await page.goto", "    test.fixme();\n    await page.goto")],
        (HIGH, "SKIPPED", 4),
    ),
    ("skip by an option", NODE, [("async (t)", "{ skip: true }, async (t)")], (HIGH, "SKIPPED", 4)),
    (
        "mocha's this.skip",
        CHAI,
        [("    const store", "    this.skip();\n    const store")],
        (HIGH, "SKIPPED", 2),
    ),
    (
        "skipIf",
        ASKS,
        [("test(", "test.skipIf(process.env.CI)(")],
        (MEDIUM, "SKIPPED_UNDER_CONDITION", 1),
    ),
    (
        "tests under a condition",
        TOTAL,
        [("describe(", "if (process.env.FULL) describe(")],
        (MEDIUM, "SKIPPED_UNDER_CONDITION", 2),
    ),
    ("only", TOTAL, [("it('is", "it.only('is")], (HIGH, "only-some-tests-run", 7)),
    ("a test is deleted", TOTAL, [(TOTAL[TOTAL.index("  it('is") : -4], "")], (HIGH, "DELETED", 0)),
    (
        "early return",
        TOTAL,
        [("    const", "    if (process.env.CI) return;\n    const")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "nothing after return",
        TOTAL,
        [("    const", "    return;\n    const")],
        (HIGH, "POINTLESS", 5),
    ),
    (
        "if (false)",
        TOTAL,
        [("    expect(total(cart)", "    if (false) expect(total(cart)")],
        (HIGH, "POINTLESS", 4),
    ),
    (
        "an assertion under a condition",
        ASKS,
        [("  expect(answer)", "  if (answer) expect(answer)")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "an assertion behind &&",
        ASKS,
        [("  expect(answer)", "  answer && expect(answer)")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "an assertion is removed",
        TOTAL,
        [("    expect(cart.items).toHaveLength(3);\n", "")],
        (HIGH, "REMOVED", 2),
    ),
    ("equality to truth", TOTAL, [(".toBe(36)", ".toBeTruthy()")], (HIGH, "LOOSENED", 4)),
    ("equality to a bound", TOTAL, [(".toBe(36)", ".toBeGreaterThan(0)")], (HIGH, "LOOSENED", 4)),
    (
        "equality to a part",
        ASKS,
        [("toEqual({ id: 7, name: 'Ann' })", "toMatchObject({ id: 7 })")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "a value to anything",
        ASKS,
        [("name: 'Ann'", "name: expect.any(String)")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "a snapshot instead of values",
        ASKS,
        [("toEqual({ id: 7, name: 'Ann' })", "toMatchSnapshot()")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "called with to called",
        ASKS,
        [("toHaveBeenCalledWith('a', { retry: 2 })", "toHaveBeenCalled()")],
        (HIGH, "LOOSENED", 4),
    ),
    (
        "any error will do",
        REFUSES,
        [("toThrow(RangeError)", "toThrow(Error)")],
        (HIGH, "LOOSENED", 2),
    ),
    ("whatever is thrown", REFUSES, [("toThrow('no order')", "toThrow()")], (HIGH, "LOOSENED", 3)),
    (
        "the failure of a promise is caught",
        REFUSES,
        [("(RangeError)", "(RangeError).catch(() => {})")],
        (HIGH, "POINTLESS", 2),
    ),
    (
        "swallowed",
        TOTAL,
        [("    expect(total", "    try { expect(total"), ("(36);", "(36); } catch {}")],
        (HIGH, "POINTLESS", 4),
    ),
    (
        "or true",
        NODE,
        [("assert.equal(line.length, 2)", "assert.ok(line.length === 2 || true)")],
        (HIGH, "REMOVED", 4),
    ),
    (
        "true is true",
        TOTAL,
        [("expect(total(cart)).toBe(36)", "expect(true).toBe(true)")],
        (HIGH, "REMOVED", 2),
    ),
    (
        "what is expected is computed by the same code",
        TOTAL,
        [("toBe(36)", "toBe(total(cart))")],
        (HIGH, "LOOSENED", 4),
    ),
    (
        "expect is replaced",
        TOTAL,
        [("describe(", "global.expect = () => anything;\ndescribe(")],
        (HIGH, TRICK, 1),
    ),
    (
        "the process ends well",
        TOTAL,
        [("describe(", "afterAll(() => process.exit(0));\ndescribe(")],
        (HIGH, TRICK, 1),
    ),
    ("a row is taken out", TABLE, [("  [2, 'two'],\n", "")], (HIGH, "CASES_REMOVED", 1)),
    (
        "an empty table",
        TABLE,
        [("  [1, 'one'],\n  [2, 'two'],\n  [3, 'three'],\n", "")],
        (HIGH, "REMOVED", 1),
    ),
    (
        "a table from elsewhere",
        TABLE,
        [("[\n  [1, 'one'],\n  [2, 'two'],\n  [3, 'three'],\n]", "rows")],
        (MEDIUM, "UNREADABLE", 1),
    ),
    ("another value is expected", TOTAL, [("toBe(36)", "toBe(35)")], (MEDIUM, "CHANGED", 4)),
    ("another value is expected of a row", TABLE, [("'two'", "'zwei'")], (MEDIUM, "CHANGED", 6)),
    ("a bound is raised", SPEED, [("(200)", "(20_000)")], (HIGH, "WIDENED", 2)),
    ("fewer digits", SPEED, [(", 4)", ", 1)")], (HIGH, "WIDENED", 3)),
    (
        "more time",
        TOTAL,
        [("toHaveLength(3);\n  });", "toHaveLength(3);\n  }, 60_000);")],
        (MEDIUM, "TIMEOUT_RAISED", 2),
    ),
    (
        "more time for all",
        ASKS,
        [("test(", "jest.setTimeout(90000);\ntest(")],
        (MEDIUM, "TIMEOUT_RAISED", 2),
    ),
    (
        "should loosened",
        CHAI,
        [("store.size.should.equal(1)", "store.size.should.be.ok")],
        (HIGH, "LOOSENED", 5),
    ),
    (
        "a page's text to visible",
        PAGE,
        [("toHaveText('36 EUR')", "toBeVisible()")],
        (HIGH, "LOOSENED", 6),
    ),
    ("a matcher that is not called", TOTAL, [("toBe(36)", "toBe")], (HIGH, "REMOVED", 2)),
    ("the opposite of something else", TOTAL, [("toBe(36)", "not.toBe(0)")], (HIGH, "LOOSENED", 4)),
    ("a status is no longer asked for", STATUS, [(".expect(200)", "")], (HIGH, "REMOVED", 1)),
    (
        "skipped before each",
        CHAI,
        [("  it(", "  beforeEach(function () { this.skip(); });\n  it(")],
        (HIGH, "SKIPPED", 3),
    ),
    (
        "a row is passed over",
        TABLE,
        [("  expect", "  if (name === 'two') return;\n  expect")],
        (HIGH, "POINTLESS", 7),
    ),
    (
        "a runner chosen by a flag",
        ASKS,
        [("test(", "const stable = process.env.CI ? it.skip : it;\nstable(")],
        (MEDIUM, "SKIPPED_UNDER_CONDITION", 2),
    ),
    (
        "more tries for a block",
        PAGE,
        [("  test(", "  test.describe.configure({ retries: 5 });\n  test(")],
        (MEDIUM, "TIMEOUT_RAISED", 5),
    ),
    (
        "what the file is named after is mocked",
        f"import {{ total }} from './cart';\n{TOTAL}",
        MOCKED,
        (HIGH, TRICK, 2),
    ),
    ("a promise that nobody hears", ASKS, UNHEARD, (HIGH, "POINTLESS", 5)),
    (
        "a chosen runner",
        TOTAL,
        [("describe(", "(process.env.CI ? describe.skip : describe)(")],
        (MEDIUM, "SKIPPED_UNDER_CONDITION", 2),
    ),
]


@pytest.mark.parametrize(
    ("text", "changes", "finding"), [pytest.param(*case, id=name) for name, *case in WEAKER]
)
def test_what_became_weaker(text, changes, finding):
    weaker = found(text, changed(text, *changes))

    assert finding in weaker
    assert {one[:2] for one in weaker} == {finding[:2]}


@pytest.mark.parametrize(
    "line",
    [
        "assert.foo(total)(36);",
        "expect(total).toBeCloseTo(36, -400);",
    ],
)
def test_an_odd_line_does_not_break_the_reader(line):
    assert read("src/cart.test.ts", f"it('adds', () => {{ {line} }});") is not None


def test_not_false_is_true():
    text = "it('adds', () => { expect(a && b).not.toBe(false); });"

    assert found(text, text.replace("not.toBe(false)", "toBe(true)")) == []


HONEST = [  # why it is fine, the file, what is changed in it
    (
        "a test is added",
        TOTAL,
        [("  it('is", "  it('sums', () => { expect(total(fill(2))).toBe(24); });\n  it('is")],
    ),
    ("a test is renamed", TOTAL, [("'adds'", "'adds all that is in the cart'")]),
    ("test for it", TOTAL, [("it('adds'", "test('adds'"), ("it('is", "test('is")]),
    ("a function instead of an arrow", TOTAL, [("it('adds', () => {", "it('adds', function () {")]),
    ("toEqual for toBe", TOTAL, [("toBe(36)", "toEqual(36)")]),
    ("a stricter matcher", ASKS, [("toEqual(", "toStrictEqual(")]),
    ("a bound becomes a value", SPEED, [("toBeLessThan(200)", "toBe(17)")]),
    ("a lower bound", SPEED, [("(200)", "(150)")]),
    ("more digits", SPEED, [(", 4)", ", 6)")]),
    (
        "length by its name",
        TOTAL,
        [("expect(cart.items).toHaveLength(3)", "expect(cart.items.length).toBe(3)")],
    ),
    ("await instead of resolves", ASKS, [("expect(answer)", "expect(await answer)")]),
    (
        "an assertion more",
        ASKS,
        [("  expect(answer)", "  expect(send).toHaveBeenCalledTimes(1);\n  expect(answer)")],
    ),
    (
        "a message is added",
        NODE,
        [("assert.equal(line.length, 2)", "assert.equal(line.length, 2, 'two fields')")],
    ),
    (
        "assert for expect",
        TOTAL,
        [("expect(total(cart)).toBe(36)", "assert.equal(total(cart), 36)")],
    ),
    (
        "an expected value gets a name",
        TOTAL,
        [("describe(", "const SUM = 36;\ndescribe("), ("toBe(36)", "toBe(SUM)")],
    ),
    (
        "what is looked at gets a name",
        TOTAL,
        [("    expect(total(cart))", "    const sum = total(cart);\n    expect(sum)")],
    ),
    (
        "a helper",
        TOTAL,
        [("describe(", COSTS), ("expect(total(cart)).toBe(36)", "costs(cart, 36)")],
    ),
    (
        "types",
        TOTAL,
        [
            ("fill(3)", "fill(3) as Cart"),
            ("cart.items", "cart!.items"),
            ("total(cart)", "total<Cart>(cart)"),
        ],
    ),
    (
        "finally",
        TOTAL,
        [("    expect(total", "    try { expect(total"), ("(36);", "(36); } finally { close(); }")],
    ),
    (
        "a catch that throws",
        TOTAL,
        [
            ("    expect(total", "    try { expect(total"),
            ("(36);", "(36); } catch (e) { throw e; }"),
        ],
    ),
    (
        "what was asserted holds",
        ASKS,
        [
            (
                "  expect(answer)",
                "  expect(answer).toBeTruthy();\n  if (!answer) return;\n  expect(answer)",
            )
        ],
    ),
    ("a wrapped body", ASKS, [("async () => {", "withServer(async () => {"), ("\n});", "\n}));")]),
    ("a name for the answer", ASKS, [("answer =", "reply ="), ("expect(answer)", "expect(reply)")]),
    (
        "words in strings",
        TOTAL,
        [("    const", "    // it.skip('no')\n    log('it.only( expect(1) }');\n    const")],
    ),
    (
        "a table of objects",
        TABLE,
        [("[1, 'one']", "{ g: 1, n: 'one' }"), ("[2, 'two']", "{ g: 2, n: 'two' }"), *OBJECTS],
    ),
    ("a row more", TABLE, [("  [3, 'three'],\n", "  [3, 'three'],\n  [4, 'four'],\n")]),
    (
        "a table with a name",
        TABLE,
        [("test.each([", "const rows = ["), ("])('", "];\ntest.each(rows)('")],
    ),
    (
        "a loop",
        TABLE,
        [
            ("test.each([", "for (const [given, name] of ["),
            ("])('%i is %s', (given, name)", "]) test(`${given}`, ()"),
        ],
    ),
    (
        "a new test is skipped",
        TOTAL,
        [("  it('is", "  it.skip('later', () => { expect(total(fill(9))).toBe(1); });\n  it('is")],
    ),
    ("keys in another order", ASKS, [("{ id: 7, name: 'Ann' }", "{ name: 'Ann', id: 7 }")]),
    (
        "values in one object",
        ONE_BY_ONE,
        [
            (ONE_BY_ONE[ONE_BY_ONE.index("  expect") : -4], "  expect(ann).toMatchObject(ANN);\n"),
            ANNS,
        ],
    ),
    (
        "a comparison becomes a matcher",
        COMPARED,
        [
            (
                "assert(q.size === 2 && !q.full)",
                "assert.equal(q.size, 2);\n  assert.equal(q.full, false)",
            )
        ],
    ),
    ("a duplicate is removed", f"{ASKS}{ASKS.replace('asks', 'does ask')}", [(ASKS, "")]),
    ("a table in a template", TABLE, TEMPLATE),
    (
        "a status by its name",
        AWAITED,
        [("await ", "const res = await "), (".expect(404)", ";\n  expect(res.status).toBe(404)")],
    ),
    (
        "no semicolons",
        TOTAL,
        [("fill(3);", "fill(3)"), ("(36);", "(36)"), ("(3);", "(3)"), ("(0);", "(0)")],
    ),
]


@pytest.mark.parametrize(
    ("text", "changes"), [pytest.param(*case, id=name) for name, *case in HONEST]
)
def test_what_is_as_strong_as_before(text, changes):
    assert found(text, changed(text, *changes)) == []


def test_a_test_moves_to_another_file():
    moved = {"test/cart.spec.ts": "describe('cart', () => {});\n", "test/total.spec.ts": TOTAL}

    assert found({"test/cart.spec.ts": TOTAL}, moved) == []


def test_a_helper_in_another_file_asserts():
    helper = "export function expectAnn(res) {\n  expect(res.status).toBe(200);\n}\n"
    after = {
        "test/a.test.js": "it('a', () => {\n  expectAnn(res);\n});\n",
        "test/helpers.js": helper,
    }

    assert (
        found({"test/a.test.js": "it('a', () => {\n  expect(res.status).toBe(200);\n});\n"}, after)
        == []
    )


def test_a_file_is_gone():
    assert found({"test/cart.spec.ts": ASKS}, {}) == [(HIGH, "DELETED", 0)]


@pytest.mark.parametrize(
    ("code", "text", "strength", "slack"),
    [
        ("expect(a.b).to.be.an('array')", "a.b an 'array'", LOOSE, 0),
        ("expect(a).to.have.lengthOf(3)", "a.length == 3", EXACT, 0),
        ("expect(a).toBeCloseTo(3, 3)", "a toBeCloseTo 3, 3", EXACT, 0.0005),
        ("expect(a).to.be.within(1, 3)", "a within 1, 3", PARTIAL, 2),
        ("expect(a).not.toHaveBeenCalled()", "not a toHaveBeenCalled", EXACT, 0),
        ("expect(a).not.toBeNull()", "not a == null", LOOSE, 0),
        ("expect(a.length).toBeGreaterThanOrEqual(0)", "a.length >= 0", NEVER, 0),
        ("expect(1).toBe(1)", "1 == 1", NEVER, 0),
        ("assert.notStrictEqual(a, 1)", "not a == 1", PARTIAL, 0),
        ("assert.rejects(f(1), TypeError, 'why')", "f(1) toThrow TypeError", PARTIAL, 0),
        ("t.deepEqual(a, [1,])", "a == [1]", EXACT, 0),
    ],
)
def test_what_an_assertion_can_tell(code, text, strength, slack):
    suite = read("test/a.test.js", f"test('a', async (t) => {{\n  {code};\n}});\n")

    (one,) = suite.tests[0].assertions
    assert (one.text, one.line, one.strength, one.slack) == (text, 2, strength, slack)


NAMED_VALUES = {  # a body of a test → what it asserts, with the values of names put in
    "for (const { a, b: c, d = 1 } of [{ a: 1, b: 2, d: 3 }]) expect(f(a, c, d)).toBe(0);": (
        "f(1, 2, 3) == 0"
    ),
    "for (const { a } of [1]) expect(f(a)).toBe(0);": "f(a) == 0",
    "for (const a of [...rows, 1]) expect(f(a)).toBe(0);": "f(a) == 0",
    "for (const a of rows) expect(f(a)).toBe(0);": "f(a) == 0",
    "[[1, 2]].forEach(([a, b]) => { expect(f(a)).toBe(b); });": "f(1) == 2",
    "[1].forEach(() => { expect(f()).toBe(0); });": "f() == 0",
    "Object.entries({ x: 1 }).forEach(([k, v]) => expect(f(k)).toBe(v));": "f('x') == 1",
    "Object.entries({ x: 1 }).forEach((pair) => expect(f(pair)).toBe(0));": "f(pair) == 0",
    "Object.entries(made).forEach(([k, v]) => expect(f(k)).toBe(v));": "f(k) == v",
    "rows.forEach(check);\nfunction check(v) { expect(f(v)).toBe(0); }": "f(v) == 0",
    "run(check);\nfunction check(v) { expect(f(v)).toBe(0); }": "f(v) == 0",
    "const check = ({ a }, [b] = []) => { expect(f(a)).toBe(b); };\ncheck({ a: 1 }, [2]);": (
        "f(1) == 2"
    ),
    "const check = ([b]) => { expect(f(b)).toBe(0); };\ncheck(made);": "f(b) == 0",
    "const check = (make) => expect(f(make())).toBe(0);\ncheck(plain);": "f(plain()) == 0",
    "const check = () => expect(f()).toBe(0);\ncheck(1);": "f() == 0",
    "await Promise.all([expect(f()).resolves.toBe(0)]);": "f() == 0",
    "await request(app).get('/a').expect(200, { a: 1 });": (
        "response.status == 200; response.body == {a: 1}"
    ),
    "await request(app).get('/a').expect('A', 'b').expect(done);": "response.headers['a'] == 'b'",
    "const plan = tspl(t, { plan: 1 });\nplan.equal(f(), 0);": "f() == 0",
    "let line;\nline = read('a');\nexpect(line.size).toBe(1);": "read('a').size == 1",
    "load((err) => { if (err) throw err; assert.ifError(err); t.is(f(), 0); });": "f() == 0",
    "switch (a) { case 1: expect(f()).toBe(0); }": "f() == 0",
    "class Page { check() { expect(f()).toBe(0); } }": "f() == 0",
    "if (a) { return done(b); }\nexpect(f()).toBe(0);": "f() == 0",
}


@pytest.mark.parametrize("code", NAMED_VALUES)
def test_names_stand_for_their_values(code):
    suite = read("test/a.test.js", f"test('a', async (t) => {{\n  {code}\n}});\n")
    assert "; ".join(each.text for each in suite.tests[0].assertions) == NAMED_VALUES[code]


def test_a_macro_of_a_runner_is_read_with_its_arguments():
    text = "function macro(t, given) { t.is(f(given), 0); }\ntest('a', macro, 1);\ntest.each`a`('b', () => {});\n"
    suite = read("test/a.test.js", text)
    assert [each.text for each in suite.tests[0].assertions] == ["f(1) == 0"]


def test_a_loop_with_thousands_of_assertions_is_read_once():
    rows = ", ".join(map(str, range(400)))
    lines = "expect(f(n)).toBe(1); " * 4
    suite = read(
        "test/a.test.js", f"test('a', () => {{ for (const n of [{rows}]) {{ {lines} }} }});"
    )
    assert len(suite.tests[0].assertions) == 4


def test_names_tables_and_subtests():
    table = "it.each([1, 2])('%i', (n) => { expect(f(n)).toBe(n); });"
    text = f"describe('a', () => {{\n  describe(`b ${{c}}`, () => {{\n    {table}\n  }});\n}});\n"
    suite = read(
        "a.spec.js",
        f"{text}test('d', async (t) => {{ await t.test('e', () => {{ assert.equal(f(), 1); }}); }});\n",
    )

    assert [(one.name, one.cases) for one in suite.tests] == [
        ("a > `b ${c}` > %i", 2),
        ("d > e", 1),
        ("d", 1),
    ]
    assert [one.text for one in suite.tests[0].assertions] == ["f(1) == 1", "f(2) == 2"]


@pytest.mark.parametrize(
    "text",
    ["it('a', () => {", "(" * 100_000, "x" * 1_000_001, "]"],
    ids=["open", "deep", "long", "closed"],
)
def test_what_cannot_be_read_is_none(text):
    assert read("a.test.ts", text) is None


@pytest.mark.parametrize(
    "text",
    ["(<a " * 9999, "`${" * 300, "/[" * 9999, "'\\" * 9999, "a<b<" * 9999, "it(" * 200 + ")" * 200],
)
def test_a_hostile_file_takes_no_time(text):
    begin = time.process_time()  # what else the machine does is not counted

    read("a.test.tsx", text)

    assert time.process_time() - begin < 10


def large_suite(assertion: str, *calls: str) -> str:
    """A function with 900 tests that is called for each variant."""
    tests = "\n".join(f"  it('case {n}', () => expect(f{n}(make())).toBe({n}))" for n in range(900))
    body = f"function suite(make) {{\n{tests}\n  it('last', () => {assertion})\n}}\n"
    return body + "".join(f"suite({call})\n" for call in calls)


def test_a_large_suite_for_several_variants_is_read_once():
    before = large_suite("expect(last(make())).toBe(1)", "plain", "frozen", "lazy")

    def severities(after):
        return {severity for severity, _, _ in found(before, after)} & {HIGH, MEDIUM}

    assert severities(before.replace("toBe(1)", "toBe( 1 )")) == set()
    assert severities(before.replace("suite(lazy)\n", "")) == {HIGH}
    assert severities(before.replace("toBe(1)", "toBeDefined()")) == {HIGH}
