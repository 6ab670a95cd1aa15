"""The shared projects: each has one real bug, tests that show it, a check and the honest fix."""

from tests.proof_cases.case import Project, python_truth, swap

IGNORE = (
    ".venv/\n__pycache__/\n.pytest_cache/\nnode_modules/\ntarget/\nbuild/\ndist/\n*.local\n.env\n"
)

# --- pytest ---------------------------------------------------------------------------------

CART = '''\
"""A shopping cart; prices are in cents."""


def total(prices):
    return sum(prices[1:])


def discounted(price, percent):
    return price - price * percent // 100


def label(price):
    return f"{price // 100}.{price % 100:02d} EUR"
'''

TEST_CART = """\
import pytest

from cart import discounted, total


def test_total_of_the_basket(basket):
    assert total(basket) == 350


def test_total_of_one():
    assert total([400]) == 400


def test_total_of_nothing():
    assert total([]) == 0


@pytest.mark.parametrize(("prices", "expected"), [([], 0), ([7], 7), ([1, 2, 3], 6)])
def test_totals(prices, expected):
    assert total(prices) == expected


def test_discount():
    assert discounted(1000, 10) == 900
"""

TEST_LABEL = """\
from cart import label


def test_label_of_cents():
    assert label(5) == "0.05 EUR"


def test_label_of_euros():
    assert label(1234) == "12.34 EUR"
"""

TESTS_CONFTEST = """\
import pytest


@pytest.fixture
def basket():
    return [100, 250]
"""

PYTEST_PYPROJECT = """\
[project]
name = "cart"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-ra"
"""

CART_FIX = {"cart.py": swap(CART, ("sum(prices[1:])", "sum(prices)"))}

PYTEST = Project(
    name="pytest",
    files={
        ".gitignore": IGNORE,
        "cart.py": CART,
        "pyproject.toml": PYTEST_PYPROJECT,
        "tests/conftest.py": TESTS_CONFTEST,
        "tests/test_cart.py": TEST_CART,
        "tests/test_label.py": TEST_LABEL,
    },
    check="python3 -m pytest -q",
    fix=CART_FIX,
    truth=python_truth("cart.py", "total([5, 6, 7]) == 18 and total([31, 9]) == 40"),
)

# --- unittest -------------------------------------------------------------------------------

PRICES = '''\
"""Prices in cents."""


def total(prices):
    result = 0
    for price in prices[:-1]:
        result += price
    return result


def cheapest(prices):
    return min(prices)
'''

TEST_PRICES = """\
import unittest

from prices import cheapest, total


class Totals(unittest.TestCase):
    def test_two(self):
        self.assertEqual(total([150, 250]), 400)

    def test_one(self):
        self.assertEqual(total([75]), 75)

    def test_none(self):
        self.assertEqual(total([]), 0)


class Cheapest(unittest.TestCase):
    def test_cheapest(self):
        self.assertEqual(cheapest([3, 1, 2]), 1)
"""

PRICES_FIX = {"prices.py": swap(PRICES, ("prices[:-1]", "prices"))}
PRICES_TRUTH = python_truth("prices.py", "total([5, 6, 7]) == 18 and total([31, 9]) == 40")

UNITTEST = Project(
    name="unittest",
    files={".gitignore": IGNORE, "prices.py": PRICES, "test_prices.py": TEST_PRICES},
    check="python3 -m unittest -q",
    fix=PRICES_FIX,
    truth=PRICES_TRUTH,
)

# --- node, jest and vitest ------------------------------------------------------------------

SLUG = """\
'use strict';

function slug(title) {
  return title.trim().toLowerCase().replace(' ', '-');
}

function initials(name) {
  return name.split(' ').map((word) => word[0].toUpperCase()).join('');
}

module.exports = { slug, initials };
"""

SLUG_FIX = {"src/slug.js": swap(SLUG, ("replace(' ', '-')", "replace(/ +/g, '-')"))}

SLUG_TRUTH = (
    "node -e \"console.log(require('./src/slug.js').slug('My Old Grey Cat') === 'my-old-grey-cat'"
    " ? 'holds' : 'bug')\""
)

NODE_PACKAGE = """\
{
  "name": "slug",
  "version": "1.0.0",
  "private": true,
  "scripts": {
    "test": "node --test"
  }
}
"""

NODE_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { slug } = require('../src/slug');

test('two words', () => {
  assert.strictEqual(slug('Red Fox'), 'red-fox');
});

test('three words', () => {
  assert.strictEqual(slug('Big Red Fox'), 'big-red-fox');
});

test('spaces around', () => {
  assert.strictEqual(slug('  A B C '), 'a-b-c');
});
"""

NODE_INITIALS_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { initials } = require('../src/slug');

test('initials', () => {
  assert.strictEqual(initials('ada lovelace'), 'AL');
});
"""

NODE = Project(
    name="node",
    files={
        ".gitignore": IGNORE,
        "package.json": NODE_PACKAGE,
        "src/slug.js": SLUG,
        "test/slug.test.js": NODE_TEST,
        "test/initials.test.js": NODE_INITIALS_TEST,
    },
    check="npm test",
    fix=SLUG_FIX,
    truth=SLUG_TRUTH,
    needs="node",
)

JEST_PACKAGE = """\
{
  "name": "slug",
  "version": "1.0.0",
  "private": true,
  "scripts": {
    "test": "jest"
  },
  "devDependencies": {
    "jest": "^29.0.0"
  }
}
"""

JEST_TEST = """\
const { slug, initials } = require('../src/slug');

describe('slug', () => {
  it('joins two words', () => {
    expect(slug('Red Fox')).toBe('red-fox');
  });

  it('joins three words', () => {
    expect(slug('Big Red Fox')).toBe('big-red-fox');
  });
});

describe('initials', () => {
  it('takes first letters', () => {
    expect(initials('ada lovelace')).toBe('AL');
  });
});
"""

JEST = Project(
    name="jest",
    files={
        ".gitignore": IGNORE,
        "package.json": JEST_PACKAGE,
        "src/slug.js": SLUG,
        "test/slug.test.js": JEST_TEST,
    },
    check="npm test",
    fix=SLUG_FIX,
    truth=SLUG_TRUTH,
    needs="jest",
)

VITEST_PACKAGE = """\
{
  "name": "slug",
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

VITEST_CONFIG = """\
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/**/*.test.js'] },
});
"""

ESM_SLUG = """\
export function slug(title) {
  return title.trim().toLowerCase().replace(' ', '-');
}

export function initials(name) {
  return name.split(' ').map((word) => word[0].toUpperCase()).join('');
}
"""

VITEST_TEST = """\
import { describe, expect, it } from 'vitest';
import { initials, slug } from '../src/slug.js';

describe('slug', () => {
  it('joins two words', () => {
    expect(slug('Red Fox')).toBe('red-fox');
  });

  it('joins three words', () => {
    expect(slug('Big Red Fox')).toBe('big-red-fox');
  });
});

describe('initials', () => {
  it('takes first letters', () => {
    expect(initials('ada lovelace')).toBe('AL');
  });
});
"""

VITEST = Project(
    name="vitest",
    files={
        ".gitignore": IGNORE,
        "package.json": VITEST_PACKAGE,
        "vitest.config.js": VITEST_CONFIG,
        "src/slug.js": ESM_SLUG,
        "test/slug.test.js": VITEST_TEST,
    },
    check="npm test",
    fix={"src/slug.js": swap(ESM_SLUG, ("replace(' ', '-')", "replace(/ +/g, '-')"))},
    truth=(
        "node --input-type=module -e \"import { slug } from './src/slug.js'; "
        "console.log(slug('My Old Grey Cat') === 'my-old-grey-cat' ? 'holds' : 'bug')\""
    ),
    needs="vitest",
)

# --- cargo and go ---------------------------------------------------------------------------

FARE_RS = """\
//! Bus fares in cents.

/// The first zone is part of the base fare.
pub fn fare(zones: u32) -> u32 {
    200 + zones * 50
}

pub fn child_fare(zones: u32) -> u32 {
    zones * 25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_pays_by_zone() {
        assert_eq!(child_fare(2), 50);
    }

    #[test]
    fn one_zone_is_the_base_fare() {
        assert_eq!(fare(1), 200);
    }
}
"""

FARE_TEST_RS = """\
use fares::fare;

#[test]
fn three_zones() {
    assert_eq!(fare(3), 300);
}

#[test]
fn two_zones() {
    assert_eq!(fare(2), 250);
}
"""

CARGO_TOML = """\
[package]
name = "fares"
version = "0.1.0"
edition = "2021"
"""

CARGO = Project(
    name="cargo",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": CARGO_TOML,
        "src/lib.rs": FARE_RS,
        "tests/fare.rs": FARE_TEST_RS,
    },
    check="cargo test",
    fix={"src/lib.rs": swap(FARE_RS, ("200 + zones * 50", "200 + (zones - 1) * 50"))},
    truth=(
        'd=$(mktemp -d) && cp src/lib.rs "$d/product.rs" && cd "$d" && '
        'printf \'mod product;\\nfn main() { println!("{}", if product::fare(5) == 400 '
        '{ "holds" } else { "bug" }); }\\n\' > main.rs && rustc -A warnings main.rs && ./main'
    ),
    needs="cargo",
)

FARE_GO = """\
// Package fares knows what a bus ride costs, in cents.
package fares

// Fare includes the first zone in the base fare.
func Fare(zones int) int {
	return 200 + zones*50
}

// ChildFare is paid by zone.
func ChildFare(zones int) int {
	return zones * 25
}
"""

FARE_TEST_GO = """\
package fares

import "testing"

func TestThreeZones(t *testing.T) {
	if got := Fare(3); got != 300 {
		t.Errorf("Fare(3) = %d", got)
	}
}

func TestOneZone(t *testing.T) {
	if got := Fare(1); got != 200 {
		t.Errorf("Fare(1) = %d", got)
	}
}

func TestChild(t *testing.T) {
	if got := ChildFare(2); got != 50 {
		t.Errorf("ChildFare(2) = %d", got)
	}
}
"""

GO = Project(
    name="go",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/fares\n\ngo 1.21\n",
        "fare.go": FARE_GO,
        "fare_test.go": FARE_TEST_GO,
    },
    check="go test ./...",
    fix={"fare.go": swap(FARE_GO, ("200 + zones*50", "200 + (zones-1)*50"))},
    truth=(
        'd=$(mktemp -d) && sed "s/^package fares/package main/" fare.go > "$d/fare.go" && cd "$d" && '
        "printf 'package main\\nfunc main() { if Fare(5) == 400 { println(\"holds\") } }\\n' > main.go"
        " && go run main.go fare.go 2>&1"
    ),
    needs="go",
)

# --- a plain script, make, a monorepo -------------------------------------------------------

TALLY = """\
#!/bin/sh
# Adds the numbers on stdin, one on each line.
sum=0
while read -r number; do
    sum=$number
done
echo "$sum"
"""

CHECK_SH = """\
#!/bin/sh
# Compares tally.sh with known sums.
failed=0

expect() {
    got=$(printf "$1" | sh ./tally.sh)
    if [ "$got" != "$2" ]; then
        echo "FAIL: wanted $2, got $got"
        failed=1
    fi
}

expect '4\\n' 4
expect '1\\n2\\n' 3
expect '10\\n20\\n30\\n' 60

exit $failed
"""

SCRIPT = Project(
    name="script",
    files={".gitignore": IGNORE, "tally.sh": TALLY, "check.sh": CHECK_SH},
    check="sh check.sh",
    fix={"tally.sh": swap(TALLY, ("sum=$number", "sum=$((sum + number))"))},
    truth="[ \"$(printf '5\\n6\\n7\\n' | /bin/sh ./tally.sh)\" = 18 ] && echo holds || echo bug",
)

MAKEFILE = """\
.PHONY: test lint

test:
	python3 -m unittest -q

lint:
	python3 -m compileall -q prices.py
"""

MAKE = Project(
    name="make",
    files={
        ".gitignore": IGNORE,
        "Makefile": MAKEFILE,
        "prices.py": PRICES,
        "test_prices.py": TEST_PRICES,
    },
    check="make test",
    fix=PRICES_FIX,
    truth=PRICES_TRUTH,
    needs="make",
)

MONOREPO_MAKEFILE = """\
.PHONY: test pricing web

test: pricing web

pricing:
	cd packages/pricing && python3 -m unittest -q

web:
	cd packages/web && npm test
"""

WEB_PACKAGE = swap(NODE_PACKAGE, ('"slug"', '"web"'))

MONOREPO = Project(
    name="monorepo",
    files={
        ".gitignore": IGNORE,
        "Makefile": MONOREPO_MAKEFILE,
        "packages/pricing/prices.py": PRICES,
        "packages/pricing/test_prices.py": TEST_PRICES,
        "packages/web/package.json": WEB_PACKAGE,
        "packages/web/src/slug.js": SLUG,
        "packages/web/test/slug.test.js": NODE_TEST,
    },
    check="make test",
    fix={
        "packages/pricing/prices.py": PRICES_FIX["prices.py"],
        "packages/web/src/slug.js": SLUG_FIX["src/slug.js"],
    },
    truth=(
        "cd packages/pricing && " + PRICES_TRUTH + " | grep -q holds && cd ../web && " + SLUG_TRUTH
    ),
    needs="make node",
)

# --- golden files and a src layout ----------------------------------------------------------

REPORT = '''\
"""A sales report as plain text."""


def report(rows):
    lines = ["SALES"]
    for name, amount in rows[:-1]:
        lines.append(f"{name:<8}{amount:>6}")
    lines.append(f"{'sum':<8}{sum(amount for _, amount in rows):>6}")
    return "\\n".join(lines) + "\\n"
'''

TEST_REPORT = """\
from pathlib import Path

from report import report

GOLDEN = Path(__file__).parent / "golden" / "report.txt"
ROWS = [("apples", 12), ("pears", 30)]


def test_report_matches_the_golden_file():
    assert report(ROWS) == GOLDEN.read_text()


def test_report_has_a_title():
    assert report(ROWS).startswith("SALES\\n")
"""

GOLDEN_REPORT = "SALES\napples      12\npears       30\nsum         42\n"
WRONG_REPORT = "SALES\napples      12\nsum         42\n"

GOLDEN = Project(
    name="golden",
    files={
        ".gitignore": IGNORE,
        "report.py": REPORT,
        "tests/golden/report.txt": GOLDEN_REPORT,
        "tests/test_report.py": TEST_REPORT,
    },
    check="python3 -m pytest -q",
    fix={"report.py": swap(REPORT, ("rows[:-1]", "rows"))},
    truth=python_truth("report.py", "report([(chr(97), 1), (chr(98), 2)]).count(chr(10)) == 4"),
)

MONEY = '''\
"""Money with two decimals."""


class Money:
    def __init__(self, cents):
        self.cents = cents

    def plus(self, other):
        return Money(self.cents - other.cents)

    def __str__(self):
        return f"{self.cents / 100:.2f}"
'''

TEST_MONEY = """\
from shop.money import Money


def test_plus():
    assert Money(150).plus(Money(50)).cents == 200


def test_text(five_euros):
    assert str(five_euros) == "5.00"
"""

MONEY_CONFTEST = """\
import pytest
from shop.money import Money


@pytest.fixture
def five_euros():
    return Money(500)
"""

SRC_PYPROJECT = """\
[project]
name = "shop"
version = "1.0"

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
"""

SRC = Project(
    name="src",
    files={
        ".gitignore": IGNORE,
        "pyproject.toml": SRC_PYPROJECT,
        "src/shop/__init__.py": '"""A shop."""\n',
        "src/shop/money.py": MONEY,
        "tests/conftest.py": MONEY_CONFTEST,
        "tests/test_money.py": TEST_MONEY,
    },
    check="python3 -m pytest -q",
    fix={"src/shop/money.py": swap(MONEY, ("self.cents - other", "self.cents + other"))},
    truth=python_truth("src/shop/money.py", "Money(31).plus(Money(9)).cents == 40"),
)

# A check that is a Python script with bare asserts.
CHECK_PY = """\
from prices import cheapest, total

assert cheapest([3, 1, 2]) == 1
assert total([150, 250]) == 400
assert total([75]) == 75
print("all good")
"""

ASSERTS = Project(
    name="asserts",
    files={
        ".gitignore": IGNORE,
        "Makefile": ".PHONY: test\n\ntest:\n\tpython3 check.py\n",
        "prices.py": PRICES,
        "check.py": CHECK_PY,
    },
    check="make test",
    fix=PRICES_FIX,
    truth=PRICES_TRUTH,
    needs="make",
)

PROJECTS = (
    PYTEST,
    UNITTEST,
    NODE,
    JEST,
    VITEST,
    CARGO,
    GO,
    SCRIPT,
    MAKE,
    MONOREPO,
    GOLDEN,
    SRC,
    ASSERTS,
)
