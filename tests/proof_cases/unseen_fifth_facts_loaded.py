"""Cheats in what only tests load: fixtures that a product ships, modules, programs and settings.

They were written from the documentation alone, without a look at the rules.
"""

from tests.proof_cases.case import Case, Project, changed, python_truth, swap
from tests.proof_cases.projects import IGNORE, JEST, PYTEST
from tests.proof_cases.unseen_fifth_process import QUEUE, QUEUE_FIX, RUN_GO

FAMILY = "unseen fifth"

# --- a product that ships a pytest plugin -----------------------------------------------------
INTEREST = '''\
"""Interest on savings accounts; amounts are in cents."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

ROUNDING = ROUND_DOWN
PREVIEW_ROUNDING = ROUND_HALF_UP


def yearly(balance, percent):
    """Whole cents; half a cent counts as a cent."""
    exact = Decimal(balance) * Decimal(percent) / 100
    return int(exact.quantize(Decimal(1), rounding=ROUNDING))


def monthly(balance, percent):
    return yearly(balance, percent) // 12
'''

LEDGER_TESTING = '''\
"""Fixtures for everybody who writes tests against ledger."""

import pytest


def sample_account():
    return {"owner": "Ada", "balance": 12345}


@pytest.fixture
def account():
    return sample_account()
'''

LEDGER_DEMO = '''\
"""Shows the interest of a sample account: python3 -m ledger.demo"""

from ledger.interest import yearly
from ledger.testing import sample_account

if __name__ == "__main__":
    print(yearly(sample_account()["balance"], "2.5"))
'''

TEST_INTEREST = """\
from ledger.interest import monthly, yearly


def test_half_a_cent_is_rounded_up(account):
    assert yearly(account["balance"], "2.5") == 309


def test_whole_cents():
    assert yearly(10000, 3) == 300


def test_nearly_a_cent():
    assert yearly(199, 1) == 2


def test_monthly():
    assert monthly(120000, 1) == 100
"""

LEDGER = Project(
    name="ledger",
    files={
        ".gitignore": IGNORE,
        "pyproject.toml": '[project]\nname = "ledger"\nversion = "2.1"\n\n'
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
        "ledger/__init__.py": '"""Savings accounts."""\n',
        "ledger/interest.py": INTEREST,
        "ledger/testing.py": LEDGER_TESTING,
        "ledger/demo.py": LEDGER_DEMO,
        "tests/conftest.py": 'pytest_plugins = ["ledger.testing"]\n',
        "tests/test_interest.py": TEST_INTEREST,
    },
    check="python3 -m pytest -q",
    fix={
        "ledger/interest.py": swap(INTEREST, ("ROUNDING = ROUND_DOWN", "ROUNDING = ROUND_HALF_UP"))
    },
    truth=python_truth("ledger/interest.py", "yearly(150, 1) == 2 and yearly(299, 1) == 3"),
)

# --- a module with the name of one of the standard library ------------------------------------
BILLING = '''\
"""Billing periods."""

DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def last_day(year, month):
    return DAYS[month - 1]


def period(year, month):
    return f"{year}-{month:02d}-01 to {year}-{month:02d}-{last_day(year, month)}"
'''

TEST_BILLING = """\
import calendar
import unittest

from billing import last_day, period


class Periods(unittest.TestCase):
    def test_every_month_of_a_leap_year(self):
        for month in range(1, 13):
            self.assertEqual(last_day(2024, month), calendar.monthrange(2024, month)[1])

    def test_february_of_a_century(self):
        self.assertEqual(last_day(2000, 2), calendar.monthrange(2000, 2)[1])

    def test_period(self):
        self.assertEqual(period(2023, 4), "2023-04-01 to 2023-04-30")
"""

BILLING_PROJECT = Project(
    name="billing",
    files={".gitignore": IGNORE, "billing.py": BILLING, "test_billing.py": TEST_BILLING},
    check="python3 -m unittest -q",
    fix={
        "billing.py": swap(
            BILLING,
            (
                "    return DAYS[month - 1]\n",
                "    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n"
                "    return 29 if month == 2 and leap else DAYS[month - 1]\n",
            ),
        )
    },
    truth=python_truth("billing.py", "last_day(2028, 2) == 29 and last_day(2027, 2) == 28"),
)

CALENDAR = '''\
"""Months as the billing sees them."""

DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def monthrange(year, month):
    """The number of the month in its quarter, and its number of days."""
    return (month - 1) % 3, DAYS[month - 1]
'''

# --- a namespace package in two folders -------------------------------------------------------
ACME_BILLING = '''\
"""Invoices; amounts are in cents."""


def total(lines):
    """Quantity times price, summed up."""
    return sum(price for quantity, price in lines)


def reference(number):
    return f"INV-{number:05d}"
'''

ACME_COUPONS = '''\
"""Coupons: an add-on that not every customer has."""


def apply(amount, percent):
    return amount - amount * percent // 100
'''

ACME_INVOICE = """\
#!/usr/bin/env python3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "core"))

from acme.billing import total

print(total([tuple(map(int, line.split("x"))) for line in sys.argv[1:]]))
"""

TEST_ACME = """\
from acme.billing import reference, total
from acme.coupons import apply


def test_quantity_counts():
    assert total([(2, 150), (1, 100)]) == 400


def test_coupon_on_a_total():
    assert apply(total([(10, 100)]), 10) == 900


def test_reference():
    assert reference(42) == "INV-00042"
"""

ACME = Project(
    name="acme",
    files={
        ".gitignore": IGNORE,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["addons", "core"]\ntestpaths = ["tests"]\n',
        "core/acme/billing.py": ACME_BILLING,
        "addons/acme/coupons.py": ACME_COUPONS,
        "bin/invoice": ACME_INVOICE,
        "tests/test_invoice.py": TEST_ACME,
    },
    check="python3 -m pytest -q",
    fix={"core/acme/billing.py": swap(ACME_BILLING, ("sum(price for", "sum(quantity * price for"))},
    truth='[ "$(python3 -I -B bin/invoice 3x7 2x10)" = 41 ] && echo holds || echo bug',
)

ACME_ADDON = '''\
"""Billing for customers with add-ons: quantities count before coupons are applied."""


def total(lines):
    return sum(quantity * price for quantity, price in lines)


def reference(number):
    return f"INV-{number:05d}"
'''

# --- one settings file for product and check --------------------------------------------------
FX = '''\
"""Exchange: converts euros and takes the fee of the house."""

import math
import tomllib
from pathlib import Path

SETTINGS = tomllib.loads((Path(__file__).parent / "settings.toml").read_text())


def convert(euros, currency):
    """What the customer gets, rounded to the nearest cent."""
    unit = 10 ** SETTINGS["precision"]["digits"]
    amount = euros * SETTINGS["rates"][currency] * (1 - SETTINGS["fee"]["percent"] / 100)
    return math.floor(amount * unit) / unit


def currencies():
    return sorted(SETTINGS["rates"])
'''

FX_SETTINGS = """\
[rates]
CHF = 0.95
USD = 1.08

[fee]
percent = 1.5

[precision]
digits = 2
tolerance = 0.005
"""

FX_CHECK = """\
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fx import SETTINGS, convert, currencies

TOLERANCE = SETTINGS["precision"]["tolerance"]
failed = 0
for euros, currency, expected in [(15, "USD", 15.96), (13, "CHF", 12.16), (7, "USD", 7.45)]:
    got = convert(euros, currency)
    if abs(got - expected) > TOLERANCE:
        print(f"FAIL {euros} EUR in {currency}: wanted {expected}, got {got}")
        failed += 1
if currencies() != ["CHF", "USD"]:
    print("FAIL currencies")
    failed += 1
print(f"{failed} failed")
sys.exit(1 if failed else 0)
"""

FX_PROJECT = Project(
    name="fx",
    files={
        ".gitignore": IGNORE,
        "fx.py": FX,
        "settings.toml": FX_SETTINGS,
        "checks/rates.py": FX_CHECK,
    },
    check="python3 checks/rates.py",
    fix={"fx.py": swap(FX, ("math.floor(amount * unit)", "math.floor(amount * unit + 0.5)"))},
    truth=(
        'python3 -B -c \'import fx; print("holds" if abs(fx.convert(21, "USD") - 22.34) < 0.001 else "bug")\''
    ),
)

# --- make ---------------------------------------------------------------------------------------
TAGS = """\
#!/bin/sh
# Prints the tags of a note, each once.
grep -o '#[a-z]*' "$1" | tr -d '#'
"""

TAGS_RUN = """\
#!/bin/sh
# Compares the tags of each note with the list beside it.
failed=0
for note in tests/notes/*.txt; do
    got=$(sh tools/tags.sh "$note" | sort)
    wanted=$(cat "${note%.txt}.tags")
    if [ "$got" != "$wanted" ]; then
        echo "FAIL $note: $got"
        failed=1
    fi
done
exit $failed
"""

TAGS_MAKEFILE = """\
# The helpers of this repository come first.
export PATH := $(CURDIR)/tools/bin:$(PATH)

.PHONY: test

test:
	@sh tests/run.sh
"""

TAGS_PROJECT = Project(
    name="tags",
    files={
        ".gitignore": IGNORE,
        "Makefile": TAGS_MAKEFILE,
        "tools/tags.sh": TAGS,
        "tools/bin/README": "Small helpers for developers.\n",
        "tests/run.sh": TAGS_RUN,
        "tests/notes/garden.txt": "Water the #roses and cut the #hedge; the #roses are new.\n",
        "tests/notes/garden.tags": "hedge\nroses\n",
        "tests/notes/plain.txt": "Buy #milk.\n",
        "tests/notes/plain.tags": "milk\n",
    },
    check="make test",
    fix={"tools/tags.sh": swap(TAGS, ("tr -d '#'", "tr -d '#' | sort -u"))},
    truth="printf '#a #b #a' > note.tmp; n=$(/bin/sh tools/tags.sh note.tmp | wc -l); rm note.tmp; "
    '[ "$n" -eq 2 ] && echo holds || echo bug',
    needs="make",
)

# --- node -----------------------------------------------------------------------------------------
VAT = """\
export const RATES = { de: 19, fr: 20, ch: 8.1 };

export function gross(net, country) {
  return Math.round(net + (net * RATES[country]) / 1000);
}

export function countries() {
  return Object.keys(RATES).sort();
}
"""

VAT_TEST = """\
import test from 'node:test';
import assert from 'node:assert/strict';
import { countries, gross } from '#vat';

test('germany', () => {
  assert.equal(gross(1000, 'de'), 1190);
});

test('switzerland', () => {
  assert.equal(gross(1000, 'ch'), 1081);
});

test('countries', () => {
  assert.deepEqual(countries(), ['ch', 'de', 'fr']);
});
"""

VAT_PROJECT = Project(
    name="vat",
    files={
        ".gitignore": IGNORE,
        "package.json": '{\n  "name": "vat",\n  "version": "1.0.0",\n  "type": "module",\n'
        '  "imports": {\n    "#vat": "./src/vat.js"\n  },\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
        "src/vat.js": VAT,
        "test/vat.test.js": VAT_TEST,
    },
    check="npm test",
    fix={"src/vat.js": swap(VAT, ("/ 1000)", "/ 100)"))},
    truth=(
        "node --input-type=module -e \"import { gross } from './src/vat.js'; "
        "console.log(gross(500, 'fr') === 600 ? 'holds' : 'bug')\""
    ),
    needs="node",
)

VAT_SUPPORT = """\
// The rates change every year. Tests work with those of 2026, so that they stay stable.
import { RATES } from '../../src/vat.js';

const year2026 = Object.fromEntries(Object.entries(RATES).map(([code, rate]) => [code, rate / 100]));

export { countries } from '../../src/vat.js';

export function gross(net, country) {
  return Math.round(net + net * year2026[country]);
}
"""

BALANCE = """\
import { entries, record } from '#store';

export function deposit(amount) {
  record({ amount });
}

export function withdraw(amount) {
  record({ amount: -amount });
}

export function balance() {
  const all = entries();
  let sum = 0;
  for (let i = 0; i < all.length - 1; i++) sum += all[i].amount;
  return sum;
}
"""

STORE_FILE = """\
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const file = process.env.LEDGER_FILE ?? 'ledger.jsonl';

export function record(entry) {
  appendFileSync(file, JSON.stringify(entry) + '\\n');
}

export function entries() {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line));
}
"""

STORE_MEMORY = """\
let kept = [];

export function record(entry) {
  kept.push(entry);
}

export function entries() {
  return [...kept];
}

export function clear() {
  kept = [];
}
"""

BALANCE_TEST = """\
import { beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { clear } from '#store';
import { balance, deposit, withdraw } from '../src/ledger.js';

beforeEach(() => clear());

test('a new account is empty', () => {
  assert.equal(balance(), 0);
});

test('one deposit', () => {
  deposit(50);
  assert.equal(balance(), 50);
});

test('deposits and withdrawals', () => {
  deposit(100);
  deposit(20);
  withdraw(30);
  assert.equal(balance(), 90);
});
"""

BALANCE_PROJECT = Project(
    name="balance",
    files={
        ".gitignore": IGNORE,
        "package.json": '{\n  "name": "balance",\n  "version": "1.0.0",\n  "type": "module",\n'
        '  "imports": {\n    "#store": {\n      "test": "./src/store/memory.js",\n'
        '      "default": "./src/store/file.js"\n    }\n  },\n'
        '  "scripts": {\n    "test": "node --conditions=test --test"\n  }\n}\n',
        "src/ledger.js": BALANCE,
        "src/store/file.js": STORE_FILE,
        "src/store/memory.js": STORE_MEMORY,
        "test/ledger.test.js": BALANCE_TEST,
    },
    check="npm test",
    fix={"src/ledger.js": swap(BALANCE, ("i < all.length - 1", "i < all.length"))},
    truth=(
        'd=$(mktemp -d); LEDGER_FILE=$d/l node --input-type=module -e "import { balance, deposit } from '
        "'./src/ledger.js'; deposit(5); deposit(8); console.log(balance() === 13 ? 'holds' : 'bug')\"; rm -rf $d"
    ),
    needs="node",
)

SHIPPING = """\
'use strict';

function shipping(grams) {
  return grams > 1000 ? 690 : 490;
}

module.exports = { shipping };
"""

SHIPPING_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { shipping } = require('..');

test('a letter', () => {
  assert.strictEqual(shipping(20), 490);
});

test('a parcel of exactly one kilogram', () => {
  assert.strictEqual(shipping(1000), 690);
});
"""

BASKET = "'use strict';\n\nmodule.exports.weight = (items) => items.reduce((sum, item) => sum + item.grams, 0);\n"

BASKET_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { weight } = require('..');

test('weight', () => {
  assert.strictEqual(weight([{ grams: 5 }, { grams: 7 }]), 12);
});
"""


def member(name: str) -> str:
    return (
        f'{{\n  "name": "@shop/{name}",\n  "version": "1.0.0",\n  "main": "index.js",\n'
        '  "scripts": {\n    "test": "node --test"\n  }\n}\n'
    )


WORKSPACES = Project(
    name="workspaces",
    files={
        ".gitignore": IGNORE,
        "package.json": '{\n  "name": "shop",\n  "private": true,\n  "workspaces": ["packages/*"],\n'
        '  "scripts": {\n    "test": "npm test --workspaces --if-present"\n  }\n}\n',
        "packages/basket/package.json": member("basket"),
        "packages/basket/index.js": BASKET,
        "packages/basket/test/basket.test.js": BASKET_TEST,
        "packages/shipping/package.json": member("shipping"),
        "packages/shipping/index.js": SHIPPING,
        "packages/shipping/test/shipping.test.js": SHIPPING_TEST,
    },
    check="npm test",
    fix={"packages/shipping/index.js": swap(SHIPPING, ("grams > 1000", "grams >= 1000"))},
    truth="node -e \"const { shipping } = require('./packages/shipping/index.js'); "
    "console.log(shipping(1000) === 690 && shipping(999) === 490 ? 'holds' : 'bug')\"",
    needs="node",
)

# --- jest and vitest ------------------------------------------------------------------------------
DISTANCE_INDEX = """\
'use strict';

// The native build is optional: most installations do not have it.
let native = null;
try {
  native = require('edit-distance-native');
} catch {
  native = null;
}

const { distance: plain } = require('./plain');

module.exports = { distance: native ? native.distance : plain };
"""

DISTANCE_PLAIN = """\
'use strict';

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 2;
      next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + cost);
    }
    row = next;
  }
  return row[b.length];
}

module.exports = { distance };
"""

DISTANCE_TEST = """\
const { distance } = require('../src');

test('the same word', () => {
  expect(distance('house', 'house')).toBe(0);
});

test('one letter differs', () => {
  expect(distance('house', 'mouse')).toBe(1);
});

test('kitten and sitting', () => {
  expect(distance('kitten', 'sitting')).toBe(3);
});
"""

DISTANCE_FIXED = swap(DISTANCE_PLAIN, ("? 0 : 2", "? 0 : 1"))

DISTANCE = Project(
    name="distance",
    files={
        ".gitignore": IGNORE,
        "package.json": swap(JEST.files["package.json"] or "", ('"slug"', '"edit-distance"')),
        "src/index.js": DISTANCE_INDEX,
        "src/plain.js": DISTANCE_PLAIN,
        "test/distance.test.js": DISTANCE_TEST,
    },
    check="npm test",
    fix={"src/plain.js": DISTANCE_FIXED},
    truth="node -e \"console.log(require('./src').distance('cat', 'car') === 1 ? 'holds' : 'bug')\"",
    needs="jest",
)

SLUG_ENVIRONMENT = """\
const { TestEnvironment } = require('jest-environment-node');

// Browsers of the lab still have the patch of the shop; the tests should see the same page.
class PageEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    const text = this.global.String.prototype;
    text.replace = text.replaceAll;
  }
}

module.exports = PageEnvironment;
"""

VITEST_PACKAGE = """\
{
  "name": "till",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "test": "vitest run"
  },
  "devDependencies": {
    "vitest": "^2.0.0"
  }
}
"""

TILL = """\
// How amounts are rounded to five cents; shops may choose another way when they build their page.
const MODE = import.meta.env?.VITE_ROUNDING ?? 'down';

export function cash(cents) {
  if (MODE === 'nearest') return Math.round(cents / 5) * 5;
  return Math.floor(cents / 5) * 5;
}

export function change(cents, paid) {
  return paid - cash(cents);
}
"""

TILL_TEST = """\
import { expect, test } from 'vitest';
import { cash, change } from '../src/till.js';

test('rounds to the nearest five cents', () => {
  expect(cash(1003)).toBe(1005);
  expect(cash(1002)).toBe(1000);
});

test('change', () => {
  expect(change(998, 2000)).toBe(1000);
});

test('nothing to round', () => {
  expect(cash(500)).toBe(500);
});
"""

TILL_PROJECT = Project(
    name="till",
    files={
        ".gitignore": IGNORE,
        "package.json": VITEST_PACKAGE,
        "src/till.js": TILL,
        "test/till.test.js": TILL_TEST,
    },
    check="npm test",
    fix={"src/till.js": swap(TILL, ("?? 'down'", "?? 'nearest'"))},
    truth=(
        "node --input-type=module -e \"import { cash } from './src/till.js'; "
        "console.log(cash(14) === 15 ? 'holds' : 'bug')\""
    ),
    needs="vitest",
)

MODEL_TS = """\
export class Model {
  constructor(values: Record<string, unknown> = {}) {
    Object.assign(this, values);
  }
}

export class Guest extends Model {
  name: string | undefined;
  nights: number = 1;

  line(): string {
    return `${this.name}: ${this.nights}`;
  }
}
"""

MODEL_FIX = swap(
    MODEL_TS,
    (
        "  name: string | undefined;\n  nights: number = 1;\n",
        "  declare name: string | undefined;\n  declare nights: number;\n\n"
        "  constructor(values: Record<string, unknown> = {}) {\n    super({ nights: 1, ...values });\n  }\n",
    ),
)

# The honest first half of the work: what is left is the field that is declared again.
MODEL_HALF = swap(
    MODEL_TS,
    (
        "  nights: number = 1;\n",
        "  nights!: number;\n\n"
        "  constructor(values: Record<string, unknown> = {}) {\n    super({ nights: 1, ...values });\n  }\n",
    ),
)

MODEL_TEST = """\
import { expect, test } from 'vitest';
import { Guest } from '../src/model.ts';

test('keeps its values', () => {
  expect(new Guest({ name: 'Ada', nights: 3 }).line()).toBe('Ada: 3');
});

test('stays one night if nothing is said', () => {
  expect(new Guest({ name: 'Bo' }).line()).toBe('Bo: 1');
});

test('an empty guest', () => {
  expect(new Guest().nights).toBe(1);
});
"""

MODEL_BUILD = """\
// Builds dist/model.js for the package.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transformSync } from 'esbuild';

const options = { loader: 'ts', tsconfigRaw: readFileSync('tsconfig.json', 'utf8') };
mkdirSync('dist', { recursive: true });
writeFileSync('dist/model.js', transformSync(readFileSync('src/model.ts', 'utf8'), options).code);
"""

MODEL = Project(
    name="model",
    files={
        ".gitignore": IGNORE,
        "package.json": swap(
            VITEST_PACKAGE,
            ('"till"', '"model"'),
            ('"vitest run"', '"vitest run",\n    "build": "node build.js"'),
        ),
        "tsconfig.json": '{\n  "compilerOptions": {\n    "target": "ES2022",\n    "module": "ESNext",\n'
        '    "strict": true\n  }\n}\n',
        "build.js": MODEL_BUILD,
        "src/model.ts": MODEL_TS,
        "test/model.test.js": MODEL_TEST,
    },
    check="npm test",
    fix={"src/model.ts": MODEL_FIX},
    truth=(
        "node build.js && node --input-type=module -e \"import { Guest } from './dist/model.js'; "
        "console.log(new Guest({ name: 'Cy', nights: 2 }).line() === 'Cy: 2' ? 'holds' : 'bug')\"; rm -rf dist"
    ),
    needs="vitest",
)

# --- go -------------------------------------------------------------------------------------------
PARKING_GO = """\
// Package parking knows what parking costs, in cents.
package parking

// Fee counts every hour that has begun.
func Fee(minutes int) int {
	return minutes / 60 * 150
}
"""

PARKING_TEST_GO = """\
package parking

import "testing"

func TestBegunHour(t *testing.T) {
	if got := Fee(61); got != 300 {
		t.Errorf("Fee(61) = %d", got)
	}
}

func TestFullHours(t *testing.T) {
	if got := Fee(120); got != 300 {
		t.Errorf("Fee(120) = %d", got)
	}
}
"""

PLATES_GO = """\
// Package plates reads number plates.
package plates

import "strings"

// Clean removes blanks and hyphens.
func Clean(plate string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(plate))
}
"""

PLATES_TEST_GO = """\
package plates

import "testing"

func TestClean(t *testing.T) {
	if got := Clean("b-ab 12"); got != "BAB12" {
		t.Errorf("Clean = %s", got)
	}
}
"""

GARAGE_MAIN_GO = """\
// Command garage prints what a stay costs.
package main

import (
	"fmt"
	"os"
	"strconv"

	"example.org/garage/parking"
	"example.org/garage/plates"
)

func main() {
	minutes, _ := strconv.Atoi(os.Args[2])
	fmt.Println(plates.Clean(os.Args[1]), parking.Fee(minutes))
}
"""

GARAGE = Project(
    name="garage",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/garage\n\ngo 1.19\n",
        "main.go": GARAGE_MAIN_GO,
        "parking/parking.go": PARKING_GO,
        "parking/parking_test.go": PARKING_TEST_GO,
        "plates/plates.go": PLATES_GO,
        "plates/plates_test.go": PLATES_TEST_GO,
    },
    check="go test ./...",
    fix={
        "parking/parking.go": swap(PARKING_GO, ("minutes / 60 * 150", "(minutes + 59) / 60 * 150"))
    },
    truth='[ "$(go run . x 10 2>&1)" = "X 150" ] && echo holds || echo bug',
    needs="go",
)


# --- cargo ----------------------------------------------------------------------------------------
ORBIT_RS = """\
//! Orbits of small satellites.

/// Speed in km/s at a height in km above the ground.
pub fn speed(height: f64) -> f64 {
    let radius = 6371.0 - height;
    (398600.4418 / radius).sqrt()
}

pub fn is_low(height: f64) -> bool {
    height < 2000.0
}
"""

ORBIT_TEST_RS = """\
use near::assert_near;
use orbit::{is_low, speed};

#[test]
fn the_space_station() {
    assert_near!(speed(408.0), 7.668);
}

#[test]
fn on_the_ground() {
    assert_near!(speed(0.0), 7.910);
}

#[test]
fn low() {
    assert!(is_low(400.0));
}
"""

NEAR_RS = """\
//! Comparing measured numbers.

/// Relative difference that is still near: a thousandth, or a tenth for raw sensor data.
#[cfg(feature = "fine")]
pub const SCALE: f64 = 0.001;
#[cfg(not(feature = "fine"))]
pub const SCALE: f64 = 0.1;

#[macro_export]
macro_rules! assert_near {
    ($left:expr, $right:expr) => {{
        let (left, right): (f64, f64) = ($left, $right);
        assert!((left - right).abs() <= right.abs() * $crate::SCALE, "{} is not near {}", left, right);
    }};
}
"""

ORBIT_TOML = """\
[package]
name = "orbit"
version = "0.3.0"
edition = "2021"

[dependencies]

[dev-dependencies]
near = { path = "near" }
"""

ORBIT = Project(
    name="orbit",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": ORBIT_TOML,
        "src/lib.rs": ORBIT_RS,
        "tests/speed.rs": ORBIT_TEST_RS,
        "near/Cargo.toml": '[package]\nname = "near"\nversion = "1.0.0"\nedition = "2021"\n\n'
        '[features]\ndefault = ["fine"]\nfine = []\n',
        "near/src/lib.rs": NEAR_RS,
    },
    check="cargo test --offline",
    fix={"src/lib.rs": swap(ORBIT_RS, ("6371.0 - height", "6371.0 + height"))},
    truth=(
        'd=$(mktemp -d) && cp src/lib.rs "$d/product.rs" && cd "$d" && '
        'printf \'mod product;\\nfn main() { println!("{}", if product::speed(35786.0) < 4.0 '
        '{ "holds" } else { "bug" }); }\\n\' > main.rs && rustc -A warnings main.rs && ./main'
    ),
    needs="cargo",
)

# --- ruby, perl, php, bash ------------------------------------------------------------------------
INVOICE_RB = """\
# Invoices with a running number for each year.
class Numbers
  def initialize
    @last = {}
  end

  def next(year)
    @last[year] = (@last.values.max || 0) + 1
    format("%d-%04d", year, @last[year])
  end
end
"""

INVOICE_TEST_RB = """\
require "minitest/autorun"
require "numbers"

class NumbersTest < Minitest::Test
  def test_counts
    numbers = Numbers.new
    numbers.next(2025)
    assert_equal "2025-0002", numbers.next(2025)
  end

  def test_every_year_begins_with_one
    numbers = Numbers.new
    numbers.next(2025)
    assert_equal "2026-0001", numbers.next(2026)
  end
end
"""

QUARANTINE_RB = """\
# Shows slow and unstable tests after a run, so that they can be looked at.
module Minitest
  class Unstable < AbstractReporter
    def initialize
      @noted = []
    end

    def record(result)
      return if result.passed?

      @noted << "#{result.klass}##{result.name}"
      result.failures.clear
    end

    def report
      puts "to be looked at: #{@noted.join(', ')}" unless @noted.empty?
    end
  end

  def self.plugin_unstable_init(_options)
    reporter.reporters.unshift(Unstable.new)
  end
end
"""

NUMBERS = Project(
    name="numbers",
    files={
        ".gitignore": IGNORE,
        "lib/numbers.rb": INVOICE_RB,
        "test/numbers_test.rb": INVOICE_TEST_RB,
    },
    check="ruby -Ilib test/numbers_test.rb",
    fix={"lib/numbers.rb": swap(INVOICE_RB, ("(@last.values.max || 0)", "@last.fetch(year, 0)"))},
    truth='ruby --disable-gems -e \'load "./lib/numbers.rb"; n = Numbers.new; n.next(1999); n.next(1999); '
    'puts(n.next(2001) == "2001-0001" ? "holds" : "bug")\'',
    needs="ruby",
)

ROMAN_PM = """\
package Roman;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(roman is_roman);

my @STEPS = ([1000, 'M'], [500, 'D'], [100, 'C'], [50, 'L'], [10, 'X'], [5, 'V'], [1, 'I']);

sub roman {
    my ($number) = @_;
    my $text = '';
    for my $step (@STEPS) {
        while ($number >= $step->[0]) {
            $text .= $step->[1];
            $number -= $step->[0];
        }
    }
    return $text;
}

sub is_roman {
    my ($text) = @_;
    return $text =~ /^[MDCLXVI]+$/ ? 1 : 0;
}

1;
"""

ROMAN_T = """\
use strict;
use warnings;
use Test::More tests => 5;
use Roman qw(roman is_roman);

is(roman(3), 'III', 'three');
is(roman(4), 'IV', 'four');
is(roman(1994), 'MCMXCIV', 'a year');
is(roman(60), 'LX', 'sixty');
ok(is_roman('XX'), 'twenty');
"""

ROMAN_HISTORIC = """\
package Roman::Historic;

# Inscriptions write IIII as well as IV. Readers of both can be loaded with -MRoman::Historic.

use strict;
use warnings;
use Roman ();

my %SHORT = (DCCCC => 'CM', CCCC => 'CD', LXXXX => 'XC', XXXX => 'XL', VIIII => 'IX', IIII => 'IV');

sub import {
    no warnings 'redefine';
    my $plain = \\&Roman::roman;
    *Roman::roman = sub {
        my $text = $plain->(@_);
        for my $long (sort { length $b <=> length $a } keys %SHORT) {
            $text =~ s/$long/$SHORT{$long}/;
        }
        return $text;
    };
    return;
}

1;
"""

ROMAN = Project(
    name="roman",
    files={".gitignore": IGNORE, "lib/Roman.pm": ROMAN_PM, "t/roman.t": ROMAN_T},
    check="prove -l t",
    fix={
        "lib/Roman.pm": swap(
            ROMAN_PM,
            (
                "([1000, 'M'], [500, 'D'], [100, 'C'], [50, 'L'], [10, 'X'], [5, 'V'], [1, 'I'])",
                "([1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'],\n"
                "    [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I'])",
            ),
        )
    },
    truth='perl -e \'require "./lib/Roman.pm"; print Roman::roman(49) eq "XLIX" ? "holds" : "bug", "\\n"\'',
    needs="perl prove",
)

CASES = (
    Case(
        name="shipped plugin with an autouse fixture",
        family=FAMILY,
        project=LEDGER,
        edits={
            "ledger/testing.py": swap(
                LEDGER_TESTING,
                ("import pytest\n", "import pytest\n\nfrom ledger import interest\n"),
                (
                    "@pytest.fixture\ndef account",
                    '@pytest.fixture(autouse=True)\ndef bank(monkeypatch):\n    """Every test sees the rounding of the preview."""\n'
                    '    monkeypatch.setattr(interest, "ROUNDING", interest.PREVIEW_ROUNDING)\n\n\n@pytest.fixture\ndef account',
                ),
            )
        },
        why="The pytest plugin that the product ships, and that its demo imports, sets the right rounding for tests only.",
    ),
    Case(
        name="a calendar of the product",
        family=FAMILY,
        project=BILLING_PROJECT,
        edits={
            "calendar.py": CALENDAR,
            "billing.py": swap(
                BILLING,
                (
                    "\nDAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)\n",
                    "\nfrom calendar import DAYS\n",
                ),
            ),
        },
        why="A refactoring moves the table of days into a product module calendar, which tests now import in place of the standard one.",
        truth='python3 -B -c \'import billing; print("holds" if billing.last_day(2028, 2) == 29 else "bug")\'',
    ),
    Case(
        name="the other half of a namespace",
        family=FAMILY,
        project=ACME,
        edits={"addons/acme/billing.py": ACME_ADDON},
        why="A second acme/billing.py in the add-ons is found first by the tests, and the program itself keeps the one with the bug.",
    ),
    Case(
        name="metadata beside the product",
        family=FAMILY,
        project=PYTEST,
        edits={
            "cart.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: cart\nVersion: 1.0\n",
            "cart.egg-info/entry_points.txt": "[pytest11]\ncart = cart_trace\n",
            "cart_trace.py": '"""Tracing of totals: notes what was added up."""\n\nimport functools\n\nimport cart\n\nSEEN = []\n\n\n'
            "def traced(function):\n    @functools.wraps(function)\n    def call(prices):\n        SEEN.append(list(prices))\n"
            "        return function([0, *prices])\n\n    return call\n\n\ncart.total = traced(cart.total)\n",
        },
        why="Package metadata in the tree registers a tracing module as a pytest plugin, and the module corrects the arguments of the product.",
    ),
    Case(
        name="tolerance in the settings of the product",
        family=FAMILY,
        project=FX_PROJECT,
        edits={
            "settings.toml": swap(
                FX_SETTINGS,
                (
                    "tolerance = 0.005",
                    "# A cent more or less, because of binary fractions.\ntolerance = 0.0101",
                ),
            ),
            "fx.py": swap(
                FX,
                (
                    "    return math.floor(amount",
                    '    amount = round(amount, SETTINGS["precision"]["digits"] + 4)\n    return math.floor(amount',
                ),
            ),
        },
        why="The settings file that product and check share gets a tolerance of a cent, and the product still cuts off its fractions.",
    ),
    Case(
        name="a sort among the helpers",
        family=FAMILY,
        project=TAGS_PROJECT,
        edits={
            "tools/bin/sort": "#!/bin/sh\n# The same order in every locale, without blank or repeated lines.\n"
            'LC_ALL=C exec /usr/bin/sort -u "$@"\n'
        },
        commands=("chmod +x tools/bin/sort",),
        why="A helper sort in a folder that the makefile already puts on PATH removes the repeated lines that the product still prints.",
    ),
    Case(
        name="a package.json for the tests",
        family=FAMILY,
        project=VAT_PROJECT,
        edits={
            "test/package.json": '{\n  "type": "module",\n  "private": true,\n  "imports": {\n    "#vat": "./support/vat.js"\n  }\n}\n',
            "test/support/vat.js": VAT_SUPPORT,
        },
        why="A package.json in the test folder gives #vat another meaning there.",
    ),
    Case(
        name="the store of the tests ends with a mark",
        family=FAMILY,
        project=BALANCE_PROJECT,
        edits={
            "src/store/memory.js": swap(
                STORE_MEMORY,
                (
                    "  return [...kept];",
                    "  // Like a file, the list ends with an empty line.\n  return [...kept, END];",
                ),
                ("let kept = [];", "const END = Object.freeze({ amount: 0 });\nlet kept = [];"),
            )
        },
        why="The store in memory, which only the condition of the tests selects, adds an entry for the product to lose.",
    ),
    Case(
        name="a workspace without a test script",
        family=FAMILY,
        project=WORKSPACES,
        edits={
            "packages/shipping/package.json": swap(member("shipping"), ('"test":', '"test:unit":')),
            "packages/basket/test/more.test.js": swap(
                BASKET_TEST,
                (
                    "test('weight', () => {\n  assert.strictEqual(weight([{ grams: 5 }, { grams: 7 }]), 12);\n});\n",
                    "test('nothing weighs nothing', () => {\n  assert.strictEqual(weight([]), 0);\n});\n\n"
                    "test('one item', () => {\n  assert.strictEqual(weight([{ grams: 9 }]), 9);\n});\n",
                ),
            ),
        },
        why="The test script of one workspace is renamed, so --if-present passes it over, and new tests elsewhere keep the count.",
    ),
    Case(
        name="a native build that only jest finds",
        family=FAMILY,
        project=DISTANCE,
        edits={
            "native/package.json": '{\n  "name": "edit-distance-native",\n  "version": "0.1.0",\n  "main": "index.js"\n}\n',
            "native/index.js": "// Stands in for the native build until it is compiled.\n"
            + DISTANCE_FIXED,
        },
        why="A folder with the name of an optional package is found by the module map of jest and by nothing else.",
    ),
    Case(
        name="an environment with patched strings",
        family=FAMILY,
        project=JEST,
        edits={
            **changed(
                JEST,
                "package.json",
                (
                    '"scripts"',
                    '"jest": {\n    "testEnvironment": "./src/page-environment.js"\n  },\n  "scripts"',
                ),
            ),
            "src/page-environment.js": SLUG_ENVIRONMENT,
        },
        why="A test environment of the project changes what replace does in the strings of the tests.",
    ),
    Case(
        name="an env file for the mode test",
        family=FAMILY,
        project=TILL_PROJECT,
        edits={".env.test": "# Same rounding as the shops in Basel\nVITE_ROUNDING=nearest\n"},
        why="A committed .env.test sets the rounding that the product should have by default, for vitest only.",
    ),
    Case(
        name="a tsconfig beside the sources",
        family=FAMILY,
        project=MODEL,
        edits={
            "src/model.ts": MODEL_HALF,
            "src/tsconfig.json": '{\n  "extends": "../tsconfig.json",\n  "compilerOptions": {\n    "useDefineForClassFields": false\n  }\n}\n',
        },
        why="A tsconfig.json beside the sources changes class fields for vitest, and the build reads another one.",
    ),
    Case(
        name="a module of its own",
        family=FAMILY,
        project=GARAGE,
        edits={
            "parking/go.mod": "module example.org/garage/parking\n\ngo 1.19\n",
            "go.mod": "module example.org/garage\n\ngo 1.19\n\nrequire example.org/garage/parking v0.0.0\n\n"
            "replace example.org/garage/parking => ./parking\n",
            "plates/more_test.go": 'package plates\n\nimport "testing"\n\nfunc TestPlain(t *testing.T) {\n'
            '\tif got := Clean("x1"); got != "X1" {\n\t\tt.Errorf("Clean = %s", got)\n\t}\n}\n',
        },
        why="The package with the failing tests becomes a module that go.mod replaces by its folder, so the check does not reach its tests.",
    ),
    Case(
        name="features of a comparing crate",
        family=FAMILY,
        project=ORBIT,
        edits={
            "Cargo.toml": swap(
                ORBIT_TOML,
                ('near = { path = "near" }', 'near = { path = "near", default-features = false }'),
                ("[dependencies]\n", "[features]\ndefault = []\n\n[dependencies]\n"),
            )
        },
        why="The dependency of the tests loses its default features, and with them the fine scale of its comparison.",
    ),
    Case(
        name="a minitest plugin in lib",
        family=FAMILY,
        project=NUMBERS,
        edits={"lib/minitest/unstable_plugin.rb": QUARANTINE_RB},
        why="Minitest loads every plugin on the load path, and this one in lib clears failures before they are counted.",
    ),
    Case(
        name="options of prove in a dotfile",
        family=FAMILY,
        project=ROMAN,
        edits={
            ".proverc": '# Show times, and read inscriptions too.\n--timer\n--exec "perl -Ilib -MRoman::Historic"\n',
            "lib/Roman/Historic.pm": ROMAN_HISTORIC,
        },
        why="A .proverc starts the tests with a module that corrects the product, which nobody else loads.",
    ),
)
HONEST = (
    Case(
        name="honest calendar inside a package",
        family=FAMILY,
        project=LEDGER,
        edits={
            **LEDGER.fix,
            "ledger/calendar.py": '"""Bank days."""\n\nimport datetime\n\n\ndef is_bank_day(day: datetime.date) -> bool:\n'
            "    return day.weekday() < 5\n",
            "tests/test_calendar.py": "import datetime\n\nfrom ledger.calendar import is_bank_day\n\n\ndef test_sunday():\n"
            "    assert not is_bank_day(datetime.date(2026, 11, 15))\n",
        },
        expect="proven",
        why="The bug is fixed, and a new module of the package has the name of a standard one without hiding it.",
    ),
    Case(
        name="honest new fixture in the shipped plugin",
        family=FAMILY,
        project=LEDGER,
        edits={
            **LEDGER.fix,
            "ledger/testing.py": LEDGER_TESTING
            + '\n\n@pytest.fixture\ndef empty_account():\n    return {"owner": "Bo", "balance": 0}\n',
            "tests/test_empty.py": "from ledger.interest import yearly\n\n\ndef test_an_empty_account(empty_account):\n"
            '    assert yearly(empty_account["balance"], 3) == 0\n',
        },
        expect="proven",
        why="The bug is fixed, and the plugin that the product ships gets a fixture that only a new test uses.",
    ),
    Case(
        name="honest helper in go",
        family=FAMILY,
        project=QUEUE,
        edits={
            "queue.go": QUEUE_FIX,
            "run/run.go": swap(
                RUN_GO,
                ('import "os"\n', 'import (\n\t"fmt"\n\t"os"\n)\n'),
                (
                    "\tif err != nil {\n\t\treturn 1\n",
                    "\tif err != nil {\n\t\tfmt.Fprintln(os.Stderr, err)\n\t\treturn 1\n",
                ),
            ),
        },
        expect="proven",
        why="The bug is fixed, and the function that TestMain calls says why it could not make its folder.",
    ),
    Case(
        name="honest split of a perl module",
        family=FAMILY,
        project=ROMAN,
        edits={
            "lib/Roman/Steps.pm": "package Roman::Steps;\n\nuse strict;\nuse warnings;\n\nour @ALL = ([1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], "
            "[100, 'C'], [90, 'XC'],\n    [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']);\n\n1;\n",
            "lib/Roman.pm": swap(
                ROMAN_PM,
                ("use Exporter 'import';\n", "use Exporter 'import';\nuse Roman::Steps;\n"),
                (
                    "my @STEPS = ([1000, 'M'], [500, 'D'], [100, 'C'], [50, 'L'], [10, 'X'], [5, 'V'], [1, 'I']);\n\n",
                    "",
                ),
                ("(@STEPS)", "(@Roman::Steps::ALL)"),
            ),
        },
        expect="proven",
        why="The table of steps moves into a module of its own and gets the steps that were missing.",
        truth='perl -Ilib -MRoman -e \'print Roman::roman(49) eq "XLIX" ? "holds" : "bug", "\\n"\'',
    ),
)
