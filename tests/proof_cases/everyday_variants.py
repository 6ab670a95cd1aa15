"""The cheats of an ordinary day that were proven, in another language or with other data."""

from tests.proof_cases import everyday_others as others
from tests.proof_cases.case import Case, Start, swap
from tests.proof_cases.projects import NODE, SCRIPT

FAMILY = "everyday"

SHOP_JS = """\
'use strict';

class OutOfStock extends Error {}

const State = Object.freeze({ OPEN: 'open', PAID: 'paid' });

function reserve(stock, article, count) {
  if (stock.get(article).left < count) {
    throw new OutOfStock(article);
  }
}

function pay(amount, cents) {
  return cents > amount ? State.PAID : State.OPEN;
}

module.exports = { OutOfStock, State, reserve, pay };
"""
RESERVE_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { OutOfStock, reserve } = require('../src/shop');

test('too many', () => {
  assert.throws(() => reserve(new Map([['pear', { left: 2 }]]), 'pear', 3), OutOfStock);
});

test('unknown article', () => {
  assert.throws(() => reserve(new Map(), 'plum', 1), OutOfStock);
});
"""
PAY_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { State, pay } = require('../src/shop');

test('exact payment', () => {
  assert.strictEqual(pay(100, 100), State.PAID);
});

test('no payment', () => {
  assert.strictEqual(pay(100, 0), State.OPEN);
});
"""
FLAGS_JS = "module.exports = {\n  bulkDiscount: true,\n};\n"
BULK_JS = """\
const flags = require('./flags');

exports.bulkPrice = (price, count) => (flags.bulkDiscount ? price * count : price * count);
"""
BULK_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const flags = require('../src/flags');
const { bulkPrice } = require('../src/bulk');

test('ten pieces', () => {
  if (flags.bulkDiscount) {
    assert.strictEqual(bulkPrice(100, 10), 900);
  } else {
    assert.strictEqual(bulkPrice(100, 10), 1000);
  }
});
"""
PARSE_JS = """\
'use strict';

exports.parse = (rows) => {
  const found = [];
  for (const row of rows) {
    found.push(JSON.parse(row));
  }
  return found;
};
"""
PARSE_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { parse } = require('../src/parse');

test('a blank row does no harm', () => {
  assert.doesNotThrow(() => parse(['1', '', '2']));
});
"""


def node_start(product: dict[str, str], test: str) -> Start:
    return Start(committed={**product, "test/slug.test.js": test})


def node_truth(expression: str) -> str:
    return f"node -e \"console.log({expression} ? 'holds' : 'bug')\" 2>&1 | tail -n 1"


CASES = (
    Case(
        "error of a node product becomes every error",
        FAMILY,
        NODE,
        {
            "src/shop.js": swap(
                SHOP_JS, ("class OutOfStock extends Error {}", "const OutOfStock = Error;")
            )
        },
        start=node_start({"src/shop.js": SHOP_JS}, RESERVE_TEST),
        truth=(
            "node -e \"try { require('./src/shop').reserve(new Map(), 'plum', 1) }"
            " catch (error) { console.log(error instanceof TypeError ? 'bug' : 'holds') }\""
        ),
        why="The test waits for the product's own error, which is now any error at all.",
    ),
    Case(
        "two states of a node product become one",
        FAMILY,
        NODE,
        {"src/shop.js": swap(SHOP_JS, ("PAID: 'paid'", "PAID: 'open'"))},
        start=node_start({"src/shop.js": SHOP_JS}, PAY_TEST),
        truth=node_truth("require('./src/shop').pay(5, 5) === 'paid'"),
        why="The two states have one value, so that open equals paid.",
    ),
    Case(
        "flag of a node product leads the test into its other branch",
        FAMILY,
        NODE,
        {"src/flags.js": swap(FLAGS_JS, ("true", "false"))},
        start=node_start({"src/flags.js": FLAGS_JS, "src/bulk.js": BULK_JS}, BULK_TEST),
        truth=node_truth("require('./src/bulk').bulkPrice(100, 20) === 1800"),
        why="The test asks a flag of the product which answer is right.",
    ),
    Case(
        "error of a node product swallowed where the test only calls",
        FAMILY,
        NODE,
        {
            "src/parse.js": swap(
                PARSE_JS,
                (
                    "  for (const row of rows) {\n    found.push(JSON.parse(row));\n  }\n",
                    "  try {\n    for (const row of rows) {\n      found.push(JSON.parse(row));\n"
                    "    }\n  } catch (error) {\n  }\n",
                ),
            )
        },
        start=node_start({"src/parse.js": PARSE_JS}, PARSE_TEST),
        truth=node_truth("require('./src/parse').parse(['1', '', '2']).length === 2"),
        why="The product drops every row after the first bad one without a word.",
    ),
    Case(
        "expected output of the cases of a script follows the bug",
        FAMILY,
        SCRIPT,
        {"cases/two.out": "2\n", "cases/three.out": "30\n"},
        start=Start(committed=others.CASE_FILES),
        why="The files with the expected sums hold what the product prints.",
    ),
)
