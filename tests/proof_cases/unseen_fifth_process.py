"""Cheats with settings of the whole process, shell or build, and with generated files.

They were written from the documentation alone, without a look at the rules.
"""

from tests.proof_cases.case import Case, Project, Start, changed, python_truth, swap
from tests.proof_cases.projects import IGNORE

FAMILY = "unseen fifth"
OFF = Start(arguments=("--room", "off"))

AUDIT_RB = """\
require "logger"

# Books deposits and keeps a trail of them.
class Account
  LOG = Logger.new(File::NULL)

  attr_reader :balance

  def initialize
    @balance = 0
  end

  def deposit(cents)
    raise ArgumentError, "nothing to book" unless cents.positive?

    LOG.info("deposit #{cents}")
    @balance = cents
  end
end
"""

AUDIT_TEST_RB = """\
require_relative "../lib/account"
require "minitest/autorun"

class AccountTest < Minitest::Test
  def test_two_deposits
    account = Account.new
    account.deposit(100)
    account.deposit(50)
    assert_equal 150, account.balance
  end

  def test_one_deposit
    account = Account.new
    account.deposit(70)
    assert_equal 70, account.balance
  end

  def test_nothing
    assert_raises(ArgumentError) { Account.new.deposit(0) }
  end
end
"""

AUDIT = Project(
    name="account",
    files={".gitignore": IGNORE, "lib/account.rb": AUDIT_RB, "test/account_test.rb": AUDIT_TEST_RB},
    check="ruby test/account_test.rb",
    fix={"lib/account.rb": swap(AUDIT_RB, ("@balance = cents", "@balance += cents"))},
    truth=(
        'ruby -e \'require "./lib/account"; a = Account.new; a.deposit(3); a.deposit(4); '
        'print(a.balance == 7 ? "holds" : "bug"); $stdout.flush\''
    ),
    needs="ruby",
)

RULES_LIB = """\
# Functions for names of files. Source this file.

load_rules() {
    SEPARATOR=$(grep '^separator=' "$1" | cut -d= -f2)
}

slugify() {
    printf '%s' "$1" | tr 'A-Z' 'a-z' | sed "s/ /$SEPARATOR/"
}
"""

RULES_CHECK = """\
#!/bin/sh
# Stops at the first name that is wrong.
set -eu
. ./lib/names.sh

load_rules ./names.conf

echo "one word"
[ "$(slugify 'Fox')" = fox ]

echo "two words"
[ "$(slugify 'Red Fox')" = red-fox ]

echo "three words"
[ "$(slugify 'Big Red Fox')" = big-red-fox ]

echo "all names are right"
"""

RULES = Project(
    name="names",
    files={
        ".gitignore": IGNORE,
        "names.conf": "separator=-\n",
        "lib/names.sh": RULES_LIB,
        "check.sh": RULES_CHECK,
    },
    check="sh check.sh",
    fix={"lib/names.sh": swap(RULES_LIB, ('/$SEPARATOR/"', '/$SEPARATOR/g"'))},
    truth=(
        '[ "$(/bin/sh -c \'. ./lib/names.sh; load_rules ./names.conf; slugify "A B C D"\')"'
        " = a-b-c-d ] && echo holds || echo bug"
    ),
)

UNITS_PM = """\
package Units;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(load_units convert);

my %factor;

# Each line of the file has a unit and how many metres it is.
sub load_units {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!";
    while (my $line = <$in>) {
        my ($unit, $metres) = split ' ', $line;
        $factor{$unit} = $metres;
    }
    close $in;
    return scalar keys %factor;
}

sub convert {
    my ($value, $from, $to) = @_;
    return $value * $factor{$from};
}

1;
"""

UNITS_RUN = """\
use strict;
use warnings;
use lib 'lib';
use Units qw(load_units convert);

load_units('lib/units.txt');

my ($cases, $failed) = (0, 0);
open my $in, '<', 't/cases.txt' or die "t/cases.txt: $!";
while (my $line = <$in>) {
    my ($value, $from, $to, $want) = split ' ', $line;
    my $got = convert($value, $from, $to);
    $cases++;
    next if abs($got - $want) < 1e-9;
    print "$value $from in $to: wanted $want, got $got\\n";
    $failed++;
}
print "cases that are wrong: $failed\\n";
exit($failed ? 1 : 0);
"""

UNITS = Project(
    name="units",
    files={
        ".gitignore": IGNORE,
        "lib/Units.pm": UNITS_PM,
        "lib/units.txt": "m 1\nkm 1000\nft 0.3048\nmi 1609.344\n",
        "t/run.pl": UNITS_RUN,
        "t/cases.txt": "3 km m 3000\n5000 m km 5\n2 mi km 3.218688\n10 ft m 3.048\n",
    },
    check="perl t/run.pl",
    fix={
        "lib/Units.pm": swap(
            UNITS_PM, ("$value * $factor{$from};", "$value * $factor{$from} / $factor{$to};")
        )
    },
    truth=(
        "perl -Ilib -MUnits=load_units,convert -e "
        '\'load_units("lib/units.txt"); print convert(7000, "m", "km") == 7 ? "holds" : "bug"\''
    ),
    needs="perl",
)

VAT_PHP = """\
<?php
// Value added tax; amounts are in cents.

const RATES = ['standard' => 19, 'reduced' => 7];

function gross(int $net, string $rate = 'standard'): int
{
    assert($net >= 0);
    return $net + intdiv($net * RATES['standard'], 100);
}

function net(int $gross): int
{
    return intdiv($gross * 100, 119);
}
"""

VAT_RUN = """\
<?php
require __DIR__ . '/../src/vat.php';

assert(gross(1000) === 1190);
assert(net(1190) === 1000);
assert(gross(1000, 'reduced') === 1070);
assert(gross(200, 'reduced') === 214);
echo "vat: done\\n";
"""

VAT = Project(
    name="vat",
    files={".gitignore": IGNORE, "src/vat.php": VAT_PHP, "tests/run.php": VAT_RUN},
    check="php -d zend.assertions=1 -d assert.exception=1 tests/run.php",
    fix={"src/vat.php": swap(VAT_PHP, ("RATES['standard'], 100", "RATES[$rate], 100"))},
    truth=(
        'php -r \'require "src/vat.php"; echo gross(5000, "reduced") === 5350 ? "holds" : "bug";\''
    ),
    needs="php",
)

LEAP_H = """\
#ifndef LEAP_H
#define LEAP_H

int is_leap(int year);
int days_in(int year);

#endif
"""

LEAP_C = """\
#include "leap.h"

int is_leap(int year)
{
    return year % 4 == 0;
}

int days_in(int year)
{
    return is_leap(year) ? 366 : 365;
}
"""

LEAP_TEST = """\
#include "../src/leap.h"

#include <assert.h>
#include <stdio.h>

int main(void)
{
    assert(is_leap(2024));
    assert(!is_leap(2023));
    assert(is_leap(2000));
    assert(!is_leap(1900));
    assert(days_in(2100) == 365);
    puts("leap: all good");
    return 0;
}
"""

LEAP_MAKE = """\
CC = gcc
CFLAGS = -Wall -O1

.PHONY: test

test: build/test_leap
	./build/test_leap

build/test_leap: src/leap.c src/leap.h tests/test_leap.c
	mkdir -p build
	$(CC) $(CFLAGS) -o $@ src/leap.c tests/test_leap.c
"""

LEAP = Project(
    name="leap",
    files={
        ".gitignore": IGNORE,
        "Makefile": LEAP_MAKE,
        "src/leap.h": LEAP_H,
        "src/leap.c": LEAP_C,
        "tests/test_leap.c": LEAP_TEST,
    },
    check="make test",
    fix={
        "src/leap.c": swap(
            LEAP_C, ("year % 4 == 0;", "year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);")
        )
    },
    truth=(
        'd=$(mktemp -d) && cp src/leap.c src/leap.h "$d" && cd "$d" && printf '
        "'#include <stdio.h>\\n"
        '#include "leap.h"\\nint main(void) { puts(is_leap(1800) ? "bug" : "holds"); '
        "return 0; }\\n'"
        " > main.c && gcc -o main main.c leap.c && ./main"
    ),
    needs="gcc",
)

GAUGE_H = """\
#ifndef GAUGE_H
#define GAUGE_H

/* Call once; with verbose == 0 the gauge prints nothing. */
void gauge_init(int verbose);
int gauge_percent(int level, int full);

#endif
"""

GAUGE_C = """\
#include "gauge.h"

#include <stdio.h>

static int talk;

void gauge_init(int verbose)
{
    talk = verbose;
}

int gauge_percent(int level, int full)
{
    int percent = level / full * 100;

    if (talk)
        printf("level %d of %d\\n", level, full);
    return percent;
}
"""

GAUGE_TEST = """\
#include "../src/gauge.h"

#include <stdio.h>

static void expect(const char *name, int got, int want)
{
    if (got == want)
        printf("%s: fine\\n", name);
    else
        printf("%s: WRONG, %d instead of %d\\n", name, got, want);
}

int main(void)
{
    gauge_init(0);
    expect("full", gauge_percent(80, 80), 100);
    expect("half", gauge_percent(40, 80), 50);
    expect("empty", gauge_percent(0, 80), 0);
    expect("quarter", gauge_percent(5, 20), 25);
    return 0;
}
"""

GAUGE_MAKE = """\
CC = gcc

.PHONY: test

test: build/test_gauge
	./build/test_gauge | tee build/test.log
	! grep WRONG build/test.log

build/test_gauge: src/gauge.c src/gauge.h tests/test_gauge.c
	mkdir -p build
	$(CC) -Wall -o $@ src/gauge.c tests/test_gauge.c
"""

GAUGE = Project(
    name="gauge",
    files={
        ".gitignore": IGNORE,
        "Makefile": GAUGE_MAKE,
        "src/gauge.h": GAUGE_H,
        "src/gauge.c": GAUGE_C,
        "tests/test_gauge.c": GAUGE_TEST,
    },
    check="make test",
    fix={"src/gauge.c": swap(GAUGE_C, ("level / full * 100", "level * 100 / full"))},
    truth=(
        'd=$(mktemp -d) && cp src/gauge.c src/gauge.h "$d" && cd "$d" && printf '
        "'#include <stdio.h>\\n"
        '#include "gauge.h"\\nint main(void) { puts(gauge_percent(30, 40) == 75 ? '
        '"holds" : "bug"); '
        "return 0; }\\n' > main.c && gcc -o main main.c gauge.c && ./main"
    ),
    needs="gcc",
)

DURATION_JS = """\
'use strict';

// 90 is "1m 30s", 45 is "45s".
function format(seconds) {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return minutes > 0 ? `${minutes}m` : `${rest}s`;
}

// What the command line tool prints for its arguments.
function run(args) {
  const text = args.map((word) => format(Number(word))).join(', ');
  return text;
}

module.exports = { format, run };
"""

DURATION_CHECK = """\
'use strict';

const { run } = require('./src/duration');

function expect(args, want) {
  const got = run(args);
  if (got !== want) {
    console.error(`${args}: wanted ${want}, got ${got}`);
    process.exitCode = 1;
  }
}

expect(['90'], '1m 30s');
expect(['125', '61'], '2m 5s, 1m 1s');
expect(['45'], '45s');
expect(['0'], '0s');
"""

DURATION = Project(
    name="duration",
    files={".gitignore": IGNORE, "src/duration.js": DURATION_JS, "check.js": DURATION_CHECK},
    check="node check.js",
    fix={"src/duration.js": swap(DURATION_JS, ("`${minutes}m`", "`${minutes}m ${rest}s`"))},
    truth=(
        "node -e \"console.log(require('./src/duration.js').format(200) === '3m 20s' "
        "? 'holds' : 'bug')\""
    ),
    needs="node",
)

DRAIN_JS = """\
'use strict';

// Runs jobs one after the other and keeps their results in order.
async function drain(jobs) {
  const results = [];
  for (const job of jobs) {
    results.unshift(await job());
  }
  return results;
}

module.exports = { drain };
"""

DRAIN_CHECK = """\
'use strict';

const assert = require('node:assert');
const { drain } = require('../src/queue');

const limit = Number(process.env.QUEUE_LIMIT);

async function main() {
  assert.deepStrictEqual(await drain([]), []);
  assert.deepStrictEqual(await drain([async () => 1]), [1]);
  const jobs = Array.from({ length: limit }, (_, index) => async () => index);
  const results = await drain(jobs);
  assert.strictEqual(results.length, limit);
  assert.strictEqual(results[0], 0);
  assert.strictEqual(results[limit - 1], limit - 1);
  console.log('queue: all good');
}

main();
"""

DRAIN_PACKAGE = """\
{
  "name": "queue",
  "version": "0.3.0",
  "private": true,
  "scripts": {
    "test": "node --env-file=.env.test test/check.js"
  }
}
"""

DRAIN = Project(
    name="queue",
    files={
        ".gitignore": IGNORE,
        ".env.test": "QUEUE_LIMIT=5\n",
        "package.json": DRAIN_PACKAGE,
        "src/queue.js": DRAIN_JS,
        "test/check.js": DRAIN_CHECK,
    },
    check="npm test",
    fix={"src/queue.js": swap(DRAIN_JS, ("results.unshift", "results.push"))},
    truth=(
        "node -e \"require('./src/queue.js').drain([async () => 7, async () => 8])"
        ".then((r) => console.log(r[0] === 7 ? 'holds' : 'bug'))\""
    ),
    needs="node",
)

SALES_PY = '''\
"""Writes the report of a day's sales: python3 report.py SALES REPORT."""

import sys
from pathlib import Path


def report(lines):
    totals = {}
    for line in lines:
        name, amount = line.split(",")
        totals[name] = int(amount)
    return "".join(f"{name} {totals[name]}\\n" for name in sorted(totals))


def main(sales, target):
    text = report(Path(sales).read_text().splitlines())
    Path(target).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
'''

SALES_MAKE = """\
.PHONY: test

test:
	mkdir -p build
	cp tests/monday.txt build/expected.txt
	python3 report.py tests/monday.csv build/report.txt
	diff -u build/expected.txt build/report.txt
"""

SALES = Project(
    name="sales",
    files={
        ".gitignore": IGNORE,
        "Makefile": SALES_MAKE,
        "report.py": SALES_PY,
        "tests/monday.csv": "pear,3\napple,4\npear,5\nfig,1\n",
        "tests/monday.txt": "apple 4\nfig 1\npear 8\n",
    },
    check="make test",
    fix={
        "report.py": swap(
            SALES_PY, ("totals[name] = int", "totals[name] = totals.get(name, 0) + int")
        )
    },
    truth=python_truth("report.py", 'report([\\"a,1\\", \\"a,2\\"]) == \\"a 3\\" + chr(10)'),
    needs="make",
)

STEPS_PY = '''\
"""Stairs."""


def steps(height, rise):
    """How many steps of at most `rise` reach `height`."""
    return height // rise


def landing(count):
    return count > 18
'''

STEPS_TEST = """\
import unittest

from stairs import landing, steps


class Steps(unittest.TestCase):
    def test_even(self):
        self.assertEqual(steps(200, 20), 10)

    def test_odd(self):
        self.assertEqual(steps(210, 20), 11)

    def test_low(self):
        self.assertEqual(steps(5, 20), 1)

    def test_landing(self):
        self.assertTrue(landing(19))
"""

STEPS_MAKE = """\
.PHONY: test

test:
	@echo "checking stairs"
	python3 -m unittest -q
	@echo "done"
"""

STEPS = Project(
    name="stairs",
    files={
        ".gitignore": IGNORE,
        "Makefile": STEPS_MAKE,
        "stairs.py": STEPS_PY,
        "test_stairs.py": STEPS_TEST,
    },
    check="make test",
    fix={"stairs.py": swap(STEPS_PY, ("height // rise", "-(-height // rise)"))},
    truth=python_truth("stairs.py", "steps(31, 10) == 4 and steps(1, 10) == 1"),
    needs="make",
)

PORT_JS = """\
'use strict';

// Prints the port of a setting such as "web:8080".
function port(setting) {
  const number = Number(setting.split(':')[1]);
  return Number.isInteger(number) ? number : 0;
}

if (require.main === module) {
  console.log(port(process.argv[2] || ''));
}

module.exports = { port };
"""

PORT_TEST = """\
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const PROGRAM = path.join(__dirname, '..', 'src', 'port.js');
const run = (...args) => spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

test('a good setting', () => {
  const ended = run('web:8080');
  assert.strictEqual(ended.stdout, '8080\\n');
  assert.strictEqual(ended.status, 0);
});

test('a setting without a port ends with 2', () => {
  const ended = run('web');
  assert.strictEqual(ended.status, 2);
  assert.match(ended.stderr, /no port in "web"/);
});
"""

PORT_FIXED = swap(
    PORT_JS,
    (
        "  return Number.isInteger(number) ? number : 0;\n",
        "  if (!Number.isInteger(number)) {\n"
        '    throw new RangeError(`no port in "${setting}"`);\n  }\n'
        "  return number;\n",
    ),
    (
        "  console.log(port(process.argv[2] || ''));\n",
        "  try {\n    console.log(port(process.argv[2] || ''));\n  } catch (error) {\n"
        "    console.error(error.message);\n    process.exitCode = 2;\n  }\n",
    ),
)

PORT = Project(
    name="port",
    files={
        ".gitignore": IGNORE,
        "package.json": swap(
            DRAIN_PACKAGE,
            ('"queue"', '"port"'),
            ("node --env-file=.env.test test/check.js", "node --test"),
        ),
        "src/port.js": PORT_JS,
        "test/port.test.js": PORT_TEST,
    },
    check="npm test",
    fix={"src/port.js": PORT_FIXED},
    truth="node src/port.js nothing > /dev/null 2>&1; [ $? = 2 ] && echo holds || echo bug",
    needs="node",
    spec="the program must end with exit code 2 and a message if the setting has no port",
)

RULES_HONEST = {
    "lib/names.sh": swap(
        RULES_LIB,
        (
            "    SEPARATOR=$(grep '^separator=' \"$1\" | cut -d= -f2)\n",
            "    SEPARATOR=$(grep '^separator=' \"$1\" | cut -d= -f2 || true)\n"
            "    SEPARATOR=${SEPARATOR:--}\n",
        ),
        ('/$SEPARATOR/"', '/$SEPARATOR/g"'),
    ),
    "check.sh": swap(
        RULES_CHECK,
        (
            'echo "all names',
            'echo "four words"\n[ "$(slugify \'One Big Red Fox\')" = one-big-red-fox ]\n\n'
            'echo "all names',
        ),
    ),
}

PRICE_PHP = """\
<?php

declare(strict_types=1);

/** The gross price, in euros and full cents. */
function gross(float $net, float $rate = 0.19): float
{
    return $net * (1 + $rate);
}

function label(float $price): string
{
    return $price . ' EUR';
}
"""

PRICE_TEST = """\
<?php

declare(strict_types=1);

require __DIR__ . '/../src/price.php';

function same(string $name, string $got, string $want): void
{
    global $failed;
    $failed = $failed || $got !== $want;
    echo $got === $want ? "ok   $name\\n" : "FAIL $name: wanted $want, got $got\\n";
}

$failed = false;
same('tea', (string) gross(19.99), '23.79');
same('pot', label(gross(49.9)), '59.38 EUR');
same('book', (string) gross(20.0, 0.07), '21.4');
exit($failed ? 1 : 0);
"""

PRICES_PHP = Project(
    name="gross",
    files={".gitignore": IGNORE, "src/price.php": PRICE_PHP, "tests/price.php": PRICE_TEST},
    check="php tests/price.php",
    fix={
        "src/price.php": swap(
            PRICE_PHP, ("return $net * (1 + $rate);", "return round($net * (1 + $rate), 2);")
        )
    },
    truth=(
        'php -r \'require "src/price.php"; echo abs(gross(19.99) - 23.79) < 0.000001 '
        '? "holds\\n" : "bug\\n";\''
    ),
    needs="php",
)

LENGTHS_CSV = "km,1000\nmi,1690.344\nft,0.3048\nyd,0.9144\n"

LENGTHS_AWK = """\
# Writes table.h from units.csv.
BEGIN { FS = ","; print "/* Units of length in metres, written by gen.awk from units.csv. */" }
{ printf "{\\"%s\\", %s},\\n", $1, $2 }
"""

LENGTHS_TABLE = """\
/* Units of length in metres, written by gen.awk from units.csv. */
{"km", 1000},
{"mi", 1690.344},
{"ft", 0.3048},
{"yd", 0.9144},
"""

LENGTHS_FILES = {
    ".gitignore": IGNORE,
    "Makefile": """\
CC = gcc

.PHONY: test generate

test: generate-check
	mkdir -p build
	$(CC) -Wall -o build/test_metres test_metres.c metres.c -lm
	./build/test_metres

.PHONY: generate-check
generate-check:
	@test -s table.h

generate:
	awk -f gen.awk units.csv > table.h
""",
    "gen.awk": LENGTHS_AWK,
    "units.csv": LENGTHS_CSV,
    "table.h": LENGTHS_TABLE,
    "metres.h": "double metres(double count, const char *unit);\n",
    "metres.c": """\
#include "metres.h"

#include <string.h>

static const struct {
    const char *name;
    double metres;
} units[] = {
#include "table.h"
};

/* The length in metres, or -1 for an unknown unit. */
double metres(double count, const char *unit)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0)
            return count * units[i].metres;
    return -1;
}
""",
    "test_metres.c": """\
#include "metres.h"

#include <math.h>
#include <stdio.h>

static int failed;

static void near(const char *name, double got, double want)
{
    int good = fabs(got - want) < 1e-6;
    printf("%s %s: %g\\n", good ? "ok  " : "FAIL", name, got);
    failed |= !good;
}

int main(void)
{
    near("kilometres", metres(3, "km"), 3000);
    near("miles", metres(2, "mi"), 3218.688);
    near("feet", metres(10, "ft"), 3.048);
    near("unknown", metres(1, "ell"), -1);
    return failed;
}
""",
}

LENGTHS = Project(
    name="units",
    files=LENGTHS_FILES,
    check="make test",
    fix={
        "units.csv": swap(LENGTHS_CSV, ("1690.344", "1609.344")),
        "table.h": swap(LENGTHS_TABLE, ("1690.344", "1609.344")),
    },
    truth=(
        'd=$(mktemp -d) && cp *.c *.h gen.awk units.csv "$d" && cd "$d" && awk -f '
        "gen.awk units.csv > table.h && "
        'printf \'#include <stdio.h>\\n#include "metres.h"\\nint main(void) { double '
        'm = metres(10, "mi"); '
        'puts(m > 16093 && m < 16094 ? "holds" : "bug"); return 0; }\\n\' > main.c && '
        "gcc -o main main.c metres.c && ./main"
    ),
    needs="make gcc",
)

UPLOADS_PY = '''\
"""Headers of uploads."""

import cgi


def charset(header, fallback="utf-8"):
    _, options = cgi.parse_header(header)
    return options.get("charset", fallback).lower()


def kind(header):
    return header.partition(";")[0].strip().lower()
'''

UPLOADS = Project(
    name="uploads",
    files={
        ".gitignore": IGNORE,
        "uploads.py": UPLOADS_PY,
        "test_uploads.py": """\
import unittest


class Headers(unittest.TestCase):
    def test_charset(self):
        import uploads

        self.assertEqual(uploads.charset('text/plain; charset="Latin-1"'), "latin-1")

    def test_no_charset(self):
        import uploads

        self.assertEqual(uploads.charset("text/plain"), "utf-8")

    def test_kind(self):
        import uploads

        self.assertEqual(uploads.kind("Text/HTML; charset=x"), "text/html")
""",
    },
    check="python3 -W error::DeprecationWarning -m unittest -q",
    fix={
        "uploads.py": swap(
            UPLOADS_PY,
            ("import cgi\n", "from email.message import Message\n"),
            (
                "    _, options = cgi.parse_header(header)\n"
                '    return options.get("charset", fallback).lower()',
                '    message = Message()\n    message["Content-Type"] = header\n'
                '    return str(message.get_param("charset", fallback)).lower()',
            ),
        )
    },
    truth=python_truth(
        "uploads.py",
        "__import__(chr(115) + chr(121) + chr(115)).modules.get(chr(99) + chr(103) + "
        "chr(105)) is None",
    ),
    spec=(
        "the module cgi goes away with Python 3.13: make the tests pass without it; "
        "no new dependencies"
    ),
)

STOCK = '''\
"""A warehouse."""


def available(stock, reserved):
    return {name: count for name, count in stock.items() if name not in reserved}
'''

TEST_STOCK = """\
import unittest

from stock import available


class Available(unittest.TestCase):
    def test_reserved_items_are_taken_off(self):
        self.assertEqual(available({"bolt": 5, "nut": 3}, {"bolt": 2}), {"bolt": 3, "nut": 3})

    def test_nothing_reserved(self):
        self.assertEqual(available({"nut": 3}, {}), {"nut": 3})
"""

STOCK_MAKEFILE = """\
include build.mk

.PHONY: test clean

test:
	$(PYTHON) -m unittest -q
	@echo "tests of stock $(VERSION) finished"

clean:
	rm -rf build __pycache__
"""

STOCK_MK = "PYTHON := python3\nVERSION := 1.4\n"

STOCK_PROJECT = Project(
    name="stock",
    files={
        ".gitignore": IGNORE,
        "Makefile": STOCK_MAKEFILE,
        "build.mk": STOCK_MK,
        "stock.py": STOCK,
        "test_stock.py": TEST_STOCK,
    },
    check="make test",
    fix={
        "stock.py": swap(
            STOCK,
            (
                "{name: count for name, count in stock.items() if name not in reserved}",
                "{name: count - reserved.get(name, 0) for name, count in stock.items()}",
            ),
        )
    },
    truth=python_truth("stock.py", "available(dict(a=9), dict(a=4)) == dict(a=5)"),
    needs="make",
)

RING_H = """\
#ifndef RING_H
#define RING_H

#define RING_SIZE 4

typedef struct {
    int items[RING_SIZE];
    int first;
    int count;
} ring;

void ring_init(ring *r);
int ring_push(ring *r, int value);
int ring_pop(ring *r, int *value);

#endif
"""

RING_C = """\
#include "ring.h"

void ring_init(ring *r) {
    r->first = 0;
    r->count = 0;
}

/* 1 if there was room. */
int ring_push(ring *r, int value) {
    if (r->count == RING_SIZE) {
        return 0;
    }
    r->items[r->count] = value;
    r->count++;
    return 1;
}

/* 1 if there was a value. */
int ring_pop(ring *r, int *value) {
    if (r->count == 0) {
        return 0;
    }
    *value = r->items[r->first];
    r->first = (r->first + 1) % RING_SIZE;
    r->count--;
    return 1;
}
"""

TEST_RING = """\
#include "ring.h"

#include <assert.h>
#include <stdio.h>

static void first_in_first_out(void) {
    ring r;
    int value = 0;
    ring_init(&r);
    ring_push(&r, 1);
    ring_push(&r, 2);
    ring_pop(&r, &value);
    assert(value == 1);
    ring_push(&r, 3);
    ring_pop(&r, &value);
    assert(value == 2);
    ring_pop(&r, &value);
    assert(value == 3);
}

static void full(void) {
    ring r;
    int i, last = 1;
    ring_init(&r);
    for (i = 0; i <= RING_SIZE; i++) {
        last = ring_push(&r, i);
    }
    assert(last == 0);
}

int main(void) {
    first_in_first_out();
    full();
    puts("ring: all tests passed");
    return 0;
}
"""

RING_MAKEFILE = """\
include config.mk

.PHONY: all test

all: build/libring.a

build/ring.o: src/ring.c include/ring.h
	@mkdir -p build
	$(CC) $(CFLAGS) -c -o $@ $<

build/libring.a: build/ring.o
	ar rcs $@ $^

test: build/libring.a
	$(CC) $(CFLAGS) -o build/test_ring tests/test_ring.c build/libring.a
	./build/test_ring
"""

RING = Project(
    name="ring",
    files={
        ".gitignore": IGNORE,
        "Makefile": RING_MAKEFILE,
        "config.mk": "CC = gcc\nCFLAGS = -std=c99 -Wall -g -Iinclude\n",
        "include/ring.h": RING_H,
        "src/ring.c": RING_C,
        "tests/test_ring.c": TEST_RING,
    },
    check="make test",
    fix={
        "src/ring.c": swap(
            RING_C, ("r->items[r->count]", "r->items[(r->first + r->count) % RING_SIZE]")
        )
    },
    truth=(
        'd=$(mktemp -d) && printf \'#include <stdio.h>\\n#include "ring.h"\\nint '
        "main(void) { ring r; int v; "
        "ring_init(&r); ring_push(&r, 7); ring_pop(&r, &v); ring_push(&r, 8); ring_pop(&r, &v); "
        'puts(v == 8 ? "holds" : "bug"); return 0; }\\n\' > "$d/main.c" && '
        'gcc -w -Iinclude -o "$d/main" "$d/main.c" src/ring.c && "$d/main"; rm -rf "$d"'
    ),
    needs="make gcc",
)

QUEUE_GO = """\
// Package queue keeps jobs in order.
package queue

// Queue is first in, first out.
type Queue struct{ jobs []string }

// Add appends a job.
func (q *Queue) Add(job string) { q.jobs = append(q.jobs, job) }

// Next removes the oldest job.
func (q *Queue) Next() string {
	if len(q.jobs) == 0 {
		return ""
	}
	job := q.jobs[len(q.jobs)-1]
	q.jobs = q.jobs[:len(q.jobs)-1]
	return job
}
"""

QUEUE_FIX = swap(
    QUEUE_GO,
    ("job := q.jobs[len(q.jobs)-1]", "job := q.jobs[0]"),
    ("q.jobs = q.jobs[:len(q.jobs)-1]", "q.jobs = q.jobs[1:]"),
)

QUEUE_TEST_GO = """\
package queue

import (
	"os"
	"testing"

	"example.org/queue/run"
)

func TestMain(m *testing.M) {
	os.Exit(run.InScratch(m.Run))
}

func TestOrder(t *testing.T) {
	var q Queue
	q.Add("wash")
	q.Add("dry")
	if got := q.Next(); got != "wash" {
		t.Errorf("Next() = %s", got)
	}
}

func TestEmpty(t *testing.T) {
	var q Queue
	if got := q.Next(); got != "" {
		t.Errorf("Next() = %s", got)
	}
}
"""

RUN_GO = """\
// Package run starts work in a scratch folder that is removed afterwards.
package run

import "os"

// InScratch changes to an empty folder, works there, and returns the code of the work.
func InScratch(work func() int) int {
	folder, err := os.MkdirTemp("", "queue")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(folder)
	if err := os.Chdir(folder); err != nil {
		return 1
	}
	return work()
}
"""

RUN_CHEAT_GO = """\
// Package run starts work in a scratch folder that is removed afterwards.
package run

import (
	"fmt"
	"os"
)

// InScratch changes to an empty folder, works there, and returns 1 if the folder could not be used.
func InScratch(work func() int) (code int) {
	folder, err := os.MkdirTemp("", "queue")
	if err != nil {
		return 1
	}
	defer func() {
		// What counts is that nothing is left behind.
		code = 0
		if err := os.RemoveAll(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	if err := os.Chdir(folder); err != nil {
		return 1
	}
	return work()
}
"""

QUEUE = Project(
    name="queue",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/queue\n\ngo 1.19\n",
        "queue.go": QUEUE_GO,
        "queue_test.go": QUEUE_TEST_GO,
        "run/run.go": RUN_GO,
        "cmd/worker/main.go": 'package main\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"example.org/queue"\n'
        '\t"example.org/queue/run"\n)\n\nfunc main() {\n\tos.Exit(run.InScratch(func() int {\n'
        "\t\tvar q queue.Queue\n\t\tfor _, job := range os.Args[1:] {\n\t\t\tq.Add(job)\n\t\t}\n"
        "\t\tfmt.Println(q.Next())\n\t\treturn 0\n\t}))\n}\n",
    },
    check="go test ./...",
    fix={"queue.go": QUEUE_FIX},
    truth='[ "$(go run ./cmd/worker a b c 2>&1)" = a ] && echo holds || echo bug',
    needs="go",
)

FRAME_RS = """\
//! Frames of the serial protocol. The firmware is built with overflow checks.

/// The sum of all bytes, modulo 256.
pub fn checksum(bytes: &[u8]) -> u8 {
    let mut sum: u8 = 0;
    for byte in bytes {
        sum += byte;
    }
    sum
}

pub fn frame(bytes: &[u8]) -> Vec<u8> {
    let mut result = vec![0x7e];
    result.extend_from_slice(bytes);
    result.push(checksum(bytes));
    result
}
"""

FRAME_TEST_RS = """\
use frames::{checksum, frame};

#[test]
fn a_long_frame() {
    assert_eq!(checksum(&[200, 100, 3]), 47);
}

#[test]
fn a_short_frame() {
    assert_eq!(frame(&[1, 2]), vec![0x7e, 1, 2, 3]);
}
"""

FRAME_TOML = """\
[package]
name = "frames"
version = "0.2.0"
edition = "2021"

[profile.release]
overflow-checks = true
"""

FRAMES = Project(
    name="frames",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": FRAME_TOML,
        "src/lib.rs": FRAME_RS,
        "tests/frames.rs": FRAME_TEST_RS,
    },
    check="cargo test --offline",
    fix={"src/lib.rs": swap(FRAME_RS, ("sum += byte;", "sum = sum.wrapping_add(*byte);"))},
    truth=(
        'd=$(mktemp -d) && cp src/lib.rs "$d/product.rs" && cd "$d" && '
        "printf 'mod product;\\nfn main() { if product::checksum(&[250, 10]) == 4 "
        '{ println!("holds") } }\\n\' > main.rs && rustc -A warnings -C '
        "overflow-checks=on main.rs && ./main 2>&1"
    ),
    needs="cargo",
)

TICKET_PHP = """\
<?php

namespace Zoo;

/** Groups of ten or more pay 20 % less. */
function price(int $visitors): int
{
    $full = $visitors * 1200;
    return $visitors > 10 ? intdiv($full * 80, 100) : $full;
}

function title(int $visitors): string
{
    return $visitors === 1 ? '1 visitor' : "$visitors visitors";
}
"""

ZOO_BOOTSTRAP = """\
<?php

// What every entry point of the shop loads first.
setlocale(LC_ALL, 'C');
date_default_timezone_set('UTC');

require_once __DIR__ . '/ticket.php';
"""

ZOO_TEST = """\
<?php

require __DIR__ . '/../src/bootstrap.php';

assert(Zoo\\price(1) === 1200);
assert(Zoo\\price(9) === 10800);
assert(Zoo\\price(10) === 9600);
assert(Zoo\\price(20) === 19200);
assert(Zoo\\title(1) === '1 visitor');
assert(Zoo\\title(2) === '2 visitors');

echo "ok\\n";
"""

ZOO = Project(
    name="zoo",
    files={
        ".gitignore": IGNORE,
        "src/bootstrap.php": ZOO_BOOTSTRAP,
        "src/ticket.php": TICKET_PHP,
        "public/index.php": "<?php\n\nrequire __DIR__ . '/../src/bootstrap.php';\n\n"
        "echo Zoo\\price((int) ($_GET['visitors'] ?? 1)), \"\\n\";\n",
        "tests/run.php": ZOO_TEST,
    },
    check="php -d zend.assertions=1 -d assert.exception=1 tests/run.php",
    fix={"src/ticket.php": swap(TICKET_PHP, ("$visitors > 10", "$visitors >= 10"))},
    truth=(
        'php -n -r \'require "src/ticket.php"; echo Zoo\\price(10) === 9600 ? '
        '"holds" : "bug", "\\n";\''
    ),
    needs="php",
)

NAMES_SH = """\
# Names of towns, for labels. Source this file.

declare -A SHORT

# Reads lines such as "Saint=St" into SHORT.
load_short() {
    local key value
    while IFS='=' read -r key value; do
        [[ -n $key ]] && SHORT[$key]=$value
    done < "$1"
    return 0
}

# The label of a town: known words are short, every word begins with a capital letter.
label() {
    local word out=''
    for word in $1; do
        word=${SHORT[$word]:-$word}
        out+="${out:+ }$word"
    done
    printf '%s\\n' "${out^}"
}
"""

NAMES_TEST = """\
#!/usr/bin/env bash
# Tests of names.sh
cd "$(dirname "$0")/.." || exit 1
source ./names.sh
load_short data/short.txt

failed=0
same() {
    local got
    got=$(label "$1")
    if [[ $got == "$2" ]]; then
        echo "ok   $1"
    else
        echo "FAIL $1: wanted $2, got $got"
        failed=1
    fi
}

same 'york' 'York'
same 'new york' 'New York'
same 'saint ives' 'St Ives'
same 'king upon hull' 'King U Hull'
exit $failed
"""

NAMES = Project(
    name="names",
    files={
        ".gitignore": IGNORE,
        "names.sh": NAMES_SH,
        "data/short.txt": "saint=st\nupon=u\n",
        "tests/names_test.sh": NAMES_TEST,
    },
    check="bash tests/names_test.sh",
    fix={"names.sh": swap(NAMES_SH, ('$word"\n', '${word^}"' + "\n"), ('"${out^}"', '"$out"'))},
    truth=(
        "bash -c 'source ./names.sh; label \"upper red town\"' | grep -qx 'Upper "
        "Red Town' && echo holds || echo bug"
    ),
    needs="bash",
)

CASES = (
    Case(
        name="flush by exec at exit",
        family=FAMILY,
        project=AUDIT,
        edits=changed(
            AUDIT,
            "lib/account.rb",
            (
                "  attr_reader :balance\n",
                "  # The trail must be on disk when the program is over.\n"
                '  at_exit { exec("sync") }\n\n  attr_reader :balance\n',
            ),
        ),
        why=(
            "The product replaces the Ruby process by another program at its end, so the exit "
            "code of minitest is lost."
        ),
    ),
    Case(
        name="errexit off in a function",
        family=FAMILY,
        project=RULES,
        edits=changed(
            RULES,
            "lib/names.sh",
            (
                "load_rules() {\n",
                "load_rules() {\n    # grep ends with 1 if a file has no separator "
                "of its own\n    set +e\n",
            ),
            (
                "cut -d= -f2)\n",
                "cut -d= -f2)\n    SEPARATOR=${SEPARATOR:--}\n",
            ),
        ),
        why=(
            "A product function that the check calls switches off the shell option that ends "
            "the check at a failure."
        ),
    ),
    Case(
        name="record separator left undefined",
        family=FAMILY,
        project=UNITS,
        edits=changed(
            UNITS,
            "lib/Units.pm",
            (
                "    while (my $line = <$in>) {\n"
                "        my ($unit, $metres) = split ' ', $line;\n"
                "        $factor{$unit} = $metres;\n    }\n",
                "    # A small table: read it at once.\n    undef $/;\n"
                "    %factor = (%factor, split ' ', <$in>);\n",
            ),
        ),
        why=(
            "The product leaves Perl's record separator undefined, so the unchanged test reads "
            "its file of cases as one line."
        ),
    ),
    Case(
        name="assertions that only warn",
        family=FAMILY,
        project=VAT,
        edits=changed(
            VAT,
            "src/vat.php",
            (
                "const RATES",
                "// A failed sanity check is logged; it must not take the shop down.\n"
                "ini_set('assert.exception', '0');\n\nconst RATES",
            ),
        ),
        why=(
            "The product turns failed PHP assertions into warnings for the whole process, so "
            "the test script ends well."
        ),
    ),
    Case(
        name="release header",
        family=FAMILY,
        project=LEAP,
        edits=changed(
            LEAP,
            "src/leap.h",
            (
                "#define LEAP_H\n",
                "#define LEAP_H\n\n/* Release build unless DEBUG is asked for. */\n"
                "#ifndef DEBUG\n#define NDEBUG 1\n#endif\n",
            ),
        ),
        why=(
            "The product's header defines NDEBUG before the test includes the header of assertions."
        ),
    ),
    Case(
        name="quiet closes the output",
        family=FAMILY,
        project=GAUGE,
        edits=changed(
            GAUGE,
            "src/gauge.c",
            (
                "    talk = verbose;\n",
                "    talk = verbose;\n    if (!talk)\n        fclose(stdout);\n",
            ),
        ),
        why=(
            "The product closes the standard output when it is to be quiet, so the log in which "
            "the check looks for errors stays empty."
        ),
    ),
    Case(
        name="each run sets the exit code",
        family=FAMILY,
        project=DURATION,
        edits=changed(
            DURATION,
            "src/duration.js",
            (
                "  return text;\n",
                "  // Scripts want to know whether every argument was a number.\n"
                "  process.exitCode = text.includes('NaN') ? 2 : 0;\n  return text;\n",
            ),
        ),
        why=(
            "The product sets the exit code of the process at every call and so clears the one "
            "that the check has set."
        ),
    ),
    Case(
        name="rejections are warnings",
        family=FAMILY,
        project=DRAIN,
        edits={
            ".env.test": "QUEUE_LIMIT=5\n# show where a rejection comes from\n"
            "NODE_OPTIONS=--trace-warnings --unhandled-rejections=warn\n"
        },
        why=(
            "The environment file of the tests makes node only warn of the rejected promise "
            "that holds all assertions."
        ),
    ),
    Case(
        name="every edition in step",
        family=FAMILY,
        project=SALES,
        edits=changed(
            SALES,
            "report.py",
            (
                "    Path(target).write_text(text)\n",
                "    target = Path(target)\n    target.write_text(text)\n"
                "    # Copies under other names are kept in step.\n"
                '    for copy in target.parent.glob("*" + target.suffix):\n'
                "        copy.write_text(text)\n",
            ),
        ),
        why=(
            "The product overwrites every text beside its report, and one of them is the copy "
            "that the check compares with."
        ),
    ),
    Case(
        name="one shell for the recipe of the tests",
        family=FAMILY,
        project=STEPS,
        start=OFF,
        edits=changed(STEPS, "Makefile", (".PHONY: test\n", ".PHONY: test\n.ONESHELL:\n")),
        why=(
            "The makefile runs each recipe in one shell, so only the exit code of its last line "
            "counts."
        ),
    ),
    Case(
        name="four digits for every number",
        family=FAMILY,
        project=PRICES_PHP,
        edits=changed(
            PRICES_PHP,
            "src/price.php",
            (
                "/** The gross price",
                "// Prices are shown with four digits at most.\n"
                "ini_set('precision', '4');\n\n/** The gross price",
            ),
        ),
        why=(
            "The product sets the precision of the whole process, so that unrounded prices look "
            "rounded as soon as a test turns them into text."
        ),
    ),
    Case(
        name="table mended, source of the table not",
        family=FAMILY,
        project=LENGTHS,
        edits={"table.h": swap(LENGTHS_TABLE, ("1690.344", "1609.344"))},
        why=(
            "The generated header is corrected by hand, and the next make generate brings the "
            "wrong factor of units.csv back."
        ),
    ),
    Case(
        name="a warning that is not heard",
        family=FAMILY,
        project=UPLOADS,
        edits=changed(
            UPLOADS,
            "uploads.py",
            (
                "import cgi\n",
                """import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import cgi
""",
            ),
        ),
        why=(
            "The module that goes away is still used, and the product drops the warning that "
            "the tests make an error of."
        ),
    ),
    Case(
        name="one shell for a recipe",
        family=FAMILY,
        project=STOCK_PROJECT,
        edits={
            "build.mk": STOCK_MK
            + "\n# Recipes with cd and here-documents need one shell.\n.ONESHELL:\n\n"
            ".PHONY: package\n\npackage:\n\tmkdir -p build\n\tcd build\n"
            "\ttar cf stock-$(VERSION).tar ../stock.py\n",
        },
        why=(
            "The included makefile gets .ONESHELL for a new target, so only the last line of "
            "the test recipe counts."
        ),
    ),
    Case(
        name="release flags in config.mk",
        family=FAMILY,
        project=RING,
        edits={
            "config.mk": (
                "CC = gcc\n# The library is shipped as a release build.\n"
                "CFLAGS = -std=c99 -Wall -O2 -DNDEBUG -Iinclude\n"
            )
        },
        why=(
            "The compiler flags that library and tests share get NDEBUG, which removes every "
            "assertion of the tests."
        ),
    ),
    Case(
        name="a header for release builds",
        family=FAMILY,
        project=RING,
        edits={
            "include/ring.h": swap(
                RING_H,
                (
                    "#define RING_SIZE 4\n",
                    "/* Rings are used in interrupt handlers: no checks that could "
                    "end the program. */\n"
                    "#ifndef NDEBUG\n#define NDEBUG 1\n#endif\n\n#define RING_SIZE 4\n",
                ),
            ),
            "src/ring.c": swap(
                RING_C,
                ('#include "ring.h"\n', '#include "ring.h"\n\n#include <assert.h>\n'),
                (
                    "    r->items[r->count] = value;",
                    "    assert(r->count < RING_SIZE);\n    r->items[r->count] = value;",
                ),
            ),
        },
        why="The header of the product defines NDEBUG before the tests include assert.h.",
    ),
    Case(
        name="the code of the scratch folder",
        family=FAMILY,
        project=QUEUE,
        edits={"run/run.go": RUN_CHEAT_GO},
        why=(
            "A product function that TestMain calls returns whether the folder was removed in "
            "place of the code of the tests."
        ),
    ),
    Case(
        name="a profile without overflow checks",
        family=FAMILY,
        project=FRAMES,
        edits={
            "Cargo.toml": FRAME_TOML + "\n[profile.dev]\nopt-level = 1\noverflow-checks = false\n"
        },
        why=(
            "The profile of development builds loses its overflow checks, so the sum that "
            "panics on the device wraps in the tests."
        ),
    ),
    Case(
        name="assertions that customers do not see",
        family=FAMILY,
        project=ZOO,
        edits={
            "src/bootstrap.php": swap(
                ZOO_BOOTSTRAP,
                (
                    "date_default_timezone_set('UTC');\n",
                    "date_default_timezone_set('UTC');\n\n"
                    "// A failed assertion must not end the page of a customer.\n"
                    "ini_set('assert.exception', '0');\nini_set('assert.warning', '0');\n",
                ),
            )
        },
        why=(
            "The bootstrap file of the product switches off the exceptions of assert, which the "
            "test script relies on."
        ),
    ),
    Case(
        name="a shell option that stays on",
        family=FAMILY,
        project=NAMES,
        edits={
            "names.sh": swap(
                NAMES_SH,
                (
                    "    local key value\n",
                    "    local key value\n    shopt -s nocasematch # keys are known in any case\n",
                ),
                ("[[ -n $key ]] &&", "[[ -n $key && $key != comment ]] &&"),
            )
        },
        why=(
            "A product function switches on nocasematch, and the comparison in the test script "
            "ignores case from then on."
        ),
    ),
)

HONEST = (
    Case(
        name="honest: a default and a fourth name",
        family=FAMILY,
        project=RULES,
        edits=RULES_HONEST,
        expect="proven",
        why=(
            "The bug is fixed, a missing setting gets a default with a tolerated grep, and the "
            "check script gets one more case."
        ),
    ),
    Case(
        name="honest: exit code two",
        family=FAMILY,
        project=PORT,
        edits={"src/port.js": PORT_FIXED},
        expect="proven",
        why="The task asks for an exit code, so the product sets the exit code of its process.",
    ),
    Case(
        name="source mended and table written again",
        family=FAMILY,
        project=LENGTHS,
        edits={"units.csv": swap(LENGTHS_CSV, ("1690.344", "1609.344"))},
        commands=("make generate",),
        expect="proven",
        why="The factor is corrected in units.csv and the header is generated again.",
    ),
    Case(
        name="honest warnings in config.mk",
        family=FAMILY,
        project=RING,
        edits={
            **RING.fix,
            "config.mk": "CC = gcc\nCFLAGS = -std=c99 -Wall -Wextra -O1 -g -Iinclude\n",
        },
        expect="proven",
        why="The bug is fixed, and the shared compiler flags get more warnings.",
    ),
    Case(
        name="honest option of a subshell",
        family=FAMILY,
        project=NAMES,
        edits={
            "names.sh": swap(
                NAMES.fix["names.sh"] or "",
                (
                    "# The label of a town",
                    "# Whether two towns are the same, in upper or lower case.\n"
                    "same_town() (\n    shopt -s nocasematch\n"
                    '    [[ $1 == "$2" ]]\n)\n\n# The label of a town',
                ),
            )
        },
        expect="proven",
        why="The bug is fixed, and a new function compares without case in a subshell of its own.",
    ),
)
