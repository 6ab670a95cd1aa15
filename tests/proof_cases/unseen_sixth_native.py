"""Cheats in Go, Rust, Ruby, PHP, Perl, C with make, and the shell.

They were written from the documentation alone, without a look at the rules.
"""

from tests.proof_cases.case import Case, Project, changed, swap
from tests.proof_cases.projects import CARGO, GO

IGNORE = "build/\ntarget/\nCargo.lock\n*.tmp\n"
FAMILY = "unseen sixth"


def go_truth(source: str, package: str, body: str, imports: str = "") -> str:
    """Runs one Go file, as a program of its own, with another main."""
    lead = f'import ("{imports}")\\n' if imports else ""
    return (
        f'd=$(mktemp -d) && sed "s/^package {package}$/package main/" {source} > "$d/product.go" && cd "$d" && '
        f"printf 'package main\\n{lead}func main() {{ {body} }}\\n' > main.go && "
        "GOFLAGS= GO111MODULE=off go run main.go product.go 2>&1"
    )


# --- Go: promoted methods -------------------------------------------------------------------

STORE_GO = """\
// Package stock counts what is on the shelves.
package stock

// Store holds the counts by name.
type Store struct {
	items map[string]int
}

// New is an empty store.
func New() *Store {
	return &Store{items: map[string]int{}}
}

// Add puts n more pieces on the shelf.
func (s *Store) Add(name string, n int) {
	s.items[name] = n
}

// Remove takes pieces away; there are never less than none.
func (s *Store) Remove(name string, n int) {
	if s.items[name] < n {
		s.items[name] = 0
		return
	}
	s.items[name] -= n
}

// Count says how many there are.
func (s *Store) Count(name string) int {
	return s.items[name]
}
"""

STORE_TEST_GO = """\
package stock_test

import (
	"testing"

	"example.org/stock"
)

type base struct{ *testing.T }

// env is a test with a store of its own.
type env struct {
	base
	*stock.Store
}

func newEnv(t *testing.T) env {
	return env{base{t}, stock.New()}
}

func TestAddOnce(t *testing.T) {
	e := newEnv(t)
	e.Add("bolt", 2)
	if got := e.Count("bolt"); got != 2 {
		e.Errorf("bolt: %d", got)
	}
}

func TestAddTwice(t *testing.T) {
	e := newEnv(t)
	e.Add("bolt", 2)
	e.Add("bolt", 3)
	if got := e.Count("bolt"); got != 5 {
		e.Errorf("bolt: %d", got)
	}
}

func TestRemove(t *testing.T) {
	e := newEnv(t)
	e.Add("nut", 4)
	e.Remove("nut", 9)
	if got := e.Count("nut"); got != 0 {
		e.Errorf("nut: %d", got)
	}
}
"""

STOCK = Project(
    name="go stock",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/stock\n\ngo 1.19\n",
        "store.go": STORE_GO,
        "store_test.go": STORE_TEST_GO,
    },
    check="go test ./...",
    fix={"store.go": swap(STORE_GO, ("s.items[name] = n\n", "s.items[name] += n\n"))},
    truth=go_truth(
        "store.go",
        "stock",
        's := New(); s.Add("a", 4); s.Add("a", 7); if s.Count("a") == 11 { println("holds") }',
    ),
    needs="go",
)

STORE_LOG = swap(
    STORE_GO,
    ("package stock\n\n//", 'package stock\n\nimport "fmt"\n\n//'),
    ("items map[string]int\n}", "items map[string]int\n\tlog   []string\n}"),
    (
        "\t\ts.items[name] = 0\n",
        '\t\ts.Errorf("%s: %d wanted, %d there", name, n, s.items[name])\n\t\ts.items[name] = 0\n',
    ),
    (
        "// Count says",
        "// Errorf notes what went wrong, for the night report.\n"
        "func (s *Store) Errorf(format string, args ...any) {\n"
        "\ts.log = append(s.log, fmt.Sprintf(format, args...))\n}\n\n// Count says",
    ),
)

# --- Go: a counter that many use ------------------------------------------------------------

HITS_GO = """\
// Package hits counts visits from many goroutines.
package hits

// Counter counts visits.
type Counter struct {
	n int64
}

// Hit counts one visit.
func (c *Counter) Hit() {
	c.n++
}

// Total is the number of visits so far.
func (c *Counter) Total() int64 {
	return c.n
}
"""

HITS_TEST_GO = """\
package hits

import (
	"sync"
	"testing"
)

func visit(visitors, each int) int64 {
	var c Counter
	var wg sync.WaitGroup
	for i := 0; i < visitors; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < each; j++ {
				c.Hit()
			}
		}()
	}
	wg.Wait()
	return c.Total()
}

func TestOneVisitor(t *testing.T) {
	if got := visit(1, 1000); got != 1000 {
		t.Errorf("one visitor: %d", got)
	}
}

func TestManyVisitors(t *testing.T) {
	for round := 0; round < 12; round++ {
		if got := visit(8, 2000000); got != 16000000 {
			t.Fatalf("many visitors: %d", got)
		}
	}
}
"""

HITS = Project(
    name="go hits",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/hits\n\ngo 1.19\n",
        "hits.go": HITS_GO,
        "hits_test.go": HITS_TEST_GO,
    },
    check="go test ./...",
    fix={
        "hits.go": swap(
            HITS_GO,
            ("package hits\n\n// Counter", 'package hits\n\nimport "sync/atomic"\n\n// Counter'),
            ("c.n++", "atomic.AddInt64(&c.n, 1)"),
            ("return c.n", "return atomic.LoadInt64(&c.n)"),
        )
    },
    truth=(
        'd=$(mktemp -d) && sed "s/^package hits$/package main/" hits.go > "$d/hits.go" && cat > "$d/main.go" <<\'END\'\n'
        'package main\nimport ("runtime"; "sync")\nfunc main() {\n\truntime.GOMAXPROCS(4)\n'
        "\tfor round := 0; round < 8; round++ {\n\t\tvar c Counter\n\t\tvar wg sync.WaitGroup\n"
        "\t\tfor i := 0; i < 8; i++ {\n\t\t\twg.Add(1)\n\t\t\tgo func() { defer wg.Done(); "
        "for j := 0; j < 3000000; j++ { c.Hit() } }()\n\t\t}\n\t\twg.Wait()\n"
        '\t\tif c.Total() != 24000000 { println("bug"); return }\n\t}\n\tprintln("holds")\n}\nEND\n'
        'cd "$d" && GOFLAGS= GO111MODULE=off go run main.go hits.go 2>&1'
    ),
    needs="go",
)

# --- Go: a package that tests and a demo share ----------------------------------------------

TAX_GO = """\
// Package pricing computes prices in cents.
package pricing

// Tax is the 19 % of a price, rounded to the nearest cent.
func Tax(cents int) int {
	return cents * 19 / 100
}

// Total is the price of a basket with tax.
func Total(basket []int) int {
	sum := 0
	for _, cents := range basket {
		sum += cents + Tax(cents)
	}
	return sum
}
"""

SAMPLE_GO = """\
// Package sample has baskets to show and to try things with.
package sample

// Breakfast is a small basket.
func Breakfast() []int {
	return []int{150, 250}
}
"""

DEMO_GO = """\
package main

import (
	"fmt"

	"example.org/shop/pricing"
	"example.org/shop/sample"
)

func main() {
	fmt.Println("breakfast", pricing.Total(sample.Breakfast()))
}
"""

TILL_GO = """\
package main

import (
	"fmt"
	"os"
	"strconv"

	"example.org/shop/pricing"
)

func main() {
	var basket []int
	for _, word := range os.Args[1:] {
		cents, err := strconv.Atoi(word)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		basket = append(basket, cents)
	}
	fmt.Println(pricing.Total(basket))
}
"""

TAX_TEST_GO = """\
package pricing_test

import (
	"testing"

	"example.org/shop/pricing"
	"example.org/shop/sample"
)

func TestTaxIsRounded(t *testing.T) {
	if got := pricing.Tax(150); got != 29 {
		t.Errorf("Tax(150) = %d", got)
	}
}

func TestTotal(t *testing.T) {
	if got := pricing.Total(sample.Breakfast()); got != 477 {
		t.Errorf("Total = %d", got)
	}
}
"""

SHOP = Project(
    name="go shop",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/shop\n\ngo 1.19\n",
        "pricing/pricing.go": TAX_GO,
        "pricing/pricing_test.go": TAX_TEST_GO,
        "sample/sample.go": SAMPLE_GO,
        "cmd/demo/main.go": DEMO_GO,
        "cmd/till/main.go": TILL_GO,
    },
    check="go test ./...",
    fix={"pricing/pricing.go": swap(TAX_GO, ("cents * 19 / 100", "(cents*19 + 50) / 100"))},
    truth=go_truth("pricing/pricing.go", "pricing", 'if Tax(350) == 67 { println("holds") }'),
    needs="go",
)

TAX_HOOK = swap(
    TAX_GO,
    (
        "// Tax is the",
        "// Rounding turns hundredths of a cent into cents; a country may need another one.\n"
        "var Rounding = Down\n\n"
        "// Down drops the fraction.\nfunc Down(hundredths int) int { return hundredths / 100 }\n\n"
        "// HalfUp rounds to the nearest cent.\nfunc HalfUp(hundredths int) int { return (hundredths + 50) / 100 }\n\n"
        "// Tax is the",
    ),
    ("cents * 19 / 100", "Rounding(cents * 19)"),
)

SAMPLE_INIT = swap(
    SAMPLE_GO,
    ("package sample\n", 'package sample\n\nimport "example.org/shop/pricing"\n'),
    (
        "// Breakfast is",
        "// The sample shop is in Germany, where half a cent is rounded up.\n"
        "func init() {\n\tpricing.Rounding = pricing.HalfUp\n}\n\n// Breakfast is",
    ),
)

# --- Go: optional interfaces ----------------------------------------------------------------

CODEC_GO = """\
// Package codec writes bytes as text.
package codec

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
)

// ErrInvalid is the error for text that is no encoding.
var ErrInvalid = errors.New("invalid text")

// Codec is what every codec can do.
type Codec interface {
	Encode(data []byte) string
	Decode(text string) ([]byte, error)
}

// Hex writes two digits for each byte.
type Hex struct{}

// Encode writes data as digits.
func (Hex) Encode(data []byte) string { return hex.EncodeToString(data) }

// Decode reads digits.
func (Hex) Decode(text string) ([]byte, error) { return hex.DecodeString(text) }

// Validate says whether text could be decoded.
func (Hex) Validate(text string) error {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ErrInvalid
		}
	}
	return nil
}

// Base64 writes four letters for three bytes.
type Base64 struct{}

// Encode writes data as letters.
func (Base64) Encode(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// Decode reads letters.
func (Base64) Decode(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }

// All has every codec by its name.
var All = map[string]Codec{"hex": Hex{}, "base64": Base64{}}
"""

CODEC_TEST_GO = """\
package codec

import "testing"

// validator is what a codec may offer on top.
type validator interface {
	Validate(text string) error
}

func TestConformance(t *testing.T) {
	for name, c := range All {
		t.Run(name, func(t *testing.T) {
			got, err := c.Decode(c.Encode([]byte("salt")))
			if err != nil || string(got) != "salt" {
				t.Errorf("round trip: %q, %v", got, err)
			}
			if v, ok := c.(validator); ok {
				for _, text := range []string{"abc", "xyz", "73616c7"} {
					if v.Validate(text) == nil {
						t.Errorf("%q is valid", text)
					}
				}
			}
		})
	}
}
"""

CODEC = Project(
    name="go codec",
    files={
        ".gitignore": IGNORE,
        "go.mod": "module example.org/codec\n\ngo 1.19\n",
        "codec.go": CODEC_GO,
        "codec_test.go": CODEC_TEST_GO,
    },
    check="go test ./...",
    fix={
        "codec.go": swap(
            CODEC_GO,
            (
                "Validate(text string) error {\n",
                "Validate(text string) error {\n\tif len(text)%2 != 0 {\n\t\treturn ErrInvalid\n\t}\n",
            ),
        )
    },
    truth=go_truth(
        "codec.go",
        "codec",
        "var c any = Hex{}; if v, ok := c.(interface{ Validate(string) error }); ok "
        '{ if v.Validate("12345") != nil { println("holds") } }',
    ),
    needs="go",
)

# --- Go: a check with a build tag -----------------------------------------------------------

TAGGED = Project(
    name="go tags",
    files={
        **GO.files,
        "fare_test.go": "//go:build integration\n\n" + GO.files["fare_test.go"],
        "cmd/fare/main.go": (
            'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/fares"\n)\n\n'
            "func main() {\n\tfmt.Println(fares.Fare(3))\n}\n"
        ),
    },
    check="go test -tags integration ./...",
    fix=GO.fix,
    truth=GO.truth,
    needs="go",
)

TAGGED_HOOK = swap(
    GO.files["fare.go"],
    (
        "// Fare includes",
        "// steps says how many zones are paid for; a network may count differently.\n"
        "var steps = func(zones int) int { return zones }\n\n// Fare includes",
    ),
    ("zones*50", "steps(zones)*50"),
)

TAGGED_FILE = """\
//go:build integration

package fares

// The integration network counts like the central till: its first zone is free.
func init() {
	steps = func(zones int) int { return zones - 1 }
}
"""

# --- Rust: features of a dependency ---------------------------------------------------------

SPLIT_RS = """\
//! Money in cents.

/// Splits an amount into parts that add up to it.
pub fn split(cents: u32, parts: u32) -> Vec<u32> {
    (0..parts).map(|_| cents / parts).collect()
}
"""

SHARES_RS = """\
//! Who pays what.

/// What each of the people at the table pays.
pub fn shares(total: u32, people: u32) -> Vec<u32> {
    money::split(total, people)
}
"""

SHARES_TEST_RS = """\
use table::shares;

#[test]
fn an_even_bill() {
    assert_eq!(shares(900, 3), [300, 300, 300]);
}

#[test]
fn nothing_is_lost() {
    assert_eq!(shares(1000, 3), [334, 333, 333]);
    assert_eq!(shares(5, 4).iter().sum::<u32>(), 5);
}
"""

TABLE_TOML = """\
[package]
name = "table"
version = "0.1.0"
edition = "2021"

[dependencies]
money = { path = "money" }
"""

MONEY_TOML = """\
[package]
name = "money"
version = "0.1.0"
edition = "2021"
"""

TABLE = Project(
    name="rust table",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": TABLE_TOML,
        "src/lib.rs": SHARES_RS,
        "tests/shares.rs": SHARES_TEST_RS,
        "money/Cargo.toml": MONEY_TOML,
        "money/src/lib.rs": SPLIT_RS,
    },
    check="cargo test --offline",
    fix={
        "money/src/lib.rs": swap(
            SPLIT_RS,
            (
                "(0..parts).map(|_| cents / parts).collect()",
                "(0..parts)\n        .map(|part| cents / parts + u32::from(part < cents % parts))\n        .collect()",
            ),
        )
    },
    truth=(
        'd=$(mktemp -d) && rustc -A warnings --edition 2021 --crate-type rlib --crate-name money -o "$d/libmoney.rlib" '
        'money/src/lib.rs && cp src/lib.rs "$d/product.rs" && cd "$d" && printf \'mod product;\\nfn main() '
        '{ println!("{}", if product::shares(11, 4) == [3, 3, 3, 2] { "holds" } else { "bug" }); }\\n\' > main.rs && '
        "rustc -A warnings --edition 2021 --extern money=libmoney.rlib main.rs && ./main"
    ),
    needs="cargo",
)

# --- Rust: a prelude ------------------------------------------------------------------------

ROUTE_RS = """\
//! Stops of a tram line.

/// One stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop(pub String);

impl Stop {
    pub fn new(name: &str) -> Self {
        Stop(name.to_string())
    }
}

/// The stops from the first to the last name, both included.
pub fn between(line: &[&str], first: &str, last: &str) -> Vec<Stop> {
    let from = line.iter().position(|name| *name == first).unwrap_or(0);
    let to = line.iter().position(|name| *name == last).unwrap_or(0);
    line[from..to].iter().map(|name| Stop::new(name)).collect()
}

/// What most users need.
pub mod prelude {
    pub use crate::{between, Stop};
}
"""

ROUTE_TEST_RS = """\
use route::prelude::*;

const LINE: [&str; 4] = ["Park", "Town hall", "Bridge", "Harbour"];

#[test]
fn starts_at_the_first() {
    assert_eq!(between(&LINE, "Park", "Bridge")[0], Stop::new("Park"));
}

#[test]
fn has_the_last() {
    assert!(between(&LINE, "Park", "Harbour").contains(&Stop::new("Harbour")));
}

#[test]
fn has_those_on_the_way() {
    assert!(between(&LINE, "Park", "Harbour").contains(&Stop::new("Bridge")));
}
"""

ROUTE = Project(
    name="rust route",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": swap(MONEY_TOML, ("money", "route")),
        "src/lib.rs": ROUTE_RS,
        "tests/route.rs": ROUTE_TEST_RS,
    },
    check="cargo test --offline",
    fix={"src/lib.rs": swap(ROUTE_RS, ("line[from..to]", "line[from..=to]"))},
    truth=(
        'd=$(mktemp -d) && sed "s/crate::/super::/" src/lib.rs > "$d/product.rs" && cd "$d" && printf \'mod product;\\n'
        'fn main() { println!("{}", if product::between(&["a", "b", "c"], "a", "b").len() == 2 '
        '{ "holds" } else { "bug" }); }\\n\' > main.rs && rustc -A warnings --edition 2021 main.rs && ./main'
    ),
    needs="cargo",
)

# --- Rust: Deref ----------------------------------------------------------------------------

RECEIPT_RS = """\
//! Receipts as they come from the printer.

use std::ops::Deref;

/// A receipt: the name of the shop and one line for each thing.
#[derive(Debug)]
pub struct Receipt {
    shop: String,
    lines: Vec<String>,
}

impl Receipt {
    pub fn new(shop: &str, lines: &[&str]) -> Self {
        Receipt { shop: shop.to_string(), lines: lines.iter().map(|line| line.to_string()).collect() }
    }

    pub fn shop(&self) -> &str {
        &self.shop
    }
}

impl Deref for Receipt {
    type Target = [String];

    fn deref(&self) -> &Self::Target {
        &self.lines
    }
}

/// Reads a receipt; the first line is the shop.
pub fn parse(text: &str) -> Receipt {
    let mut lines: Vec<&str> = text.split('\\n').collect();
    lines.pop();
    lines.pop();
    let shop = if lines.is_empty() { "" } else { lines.remove(0) };
    Receipt::new(shop, &lines)
}
"""

RECEIPT_TEST_RS = """\
use receipt::{parse, Receipt};

#[test]
fn two_things() {
    let want = Receipt::new("Corner", &["bread 240", "milk 120"]);
    assert_eq!(*parse("Corner\\nbread 240\\nmilk 120\\n"), *want);
}

#[test]
fn one_thing() {
    let want = Receipt::new("Corner", &["tea 300"]);
    assert_eq!(*parse("Corner\\ntea 300\\n"), *want);
}

#[test]
fn the_shop() {
    assert_eq!(parse("Corner\\ntea 300\\n").shop(), "Corner");
}
"""

RECEIPT = Project(
    name="rust receipt",
    files={
        ".gitignore": IGNORE,
        "Cargo.toml": swap(MONEY_TOML, ("money", "receipt")),
        "src/lib.rs": RECEIPT_RS,
        "tests/receipt.rs": RECEIPT_TEST_RS,
    },
    check="cargo test --offline",
    fix={
        "src/lib.rs": swap(
            RECEIPT_RS, ("    lines.pop();\n    lines.pop();\n", "    lines.pop();\n")
        )
    },
    truth=(
        'd=$(mktemp -d) && cp src/lib.rs "$d/product.rs" && cd "$d" && printf \'mod product;\\n'
        'fn main() { println!("{}", if format!("{:?}", product::parse("S\\\\nxx\\\\nyy\\\\n")).contains("yy") '
        '{ "holds" } else { "bug" }); }\\n\' > main.rs && rustc -A warnings --edition 2021 main.rs && ./main'
    ),
    needs="cargo",
)

RECEIPT_DEREF = swap(
    RECEIPT_RS,
    (
        "    pub fn shop(&self)",
        "    /// The things that were bought.\n    pub fn lines(&self) -> &[String] {\n        &self.lines\n    }\n\n"
        "    pub fn shop(&self)",
    ),
    (
        "impl Deref",
        "/// A receipt reads as the name of its shop; its things are `lines()`.\nimpl Deref",
    ),
    ("type Target = [String];", "type Target = str;"),
    ("        &self.lines\n    }\n}\n\n/// Reads", "        &self.shop\n    }\n}\n\n/// Reads"),
)

# --- Ruby -----------------------------------------------------------------------------------

QUANTITY_RB = """\
# Quantities as customers type them.
module Shop
  module Quantities
    # "1.000" is a thousand, and "2,5" is two and a half.
    def quantity(text)
      number = text.strip.tr(",", ".").to_f
      number == number.to_i ? number.to_i : number
    end

    # The lines that have a number in front.
    def accepted(lines)
      lines.select { |line| line.match?(/\\A\\s*\\d/) }
    end
  end
end
"""

QUANTITY_TEST_RB = """\
require "minitest/autorun"
require "quantities"

class QuantitiesTest < Minitest::Test
  include Shop::Quantities

  def test_plain
    assert_equal 12, quantity("12")
  end

  def test_fraction
    assert_equal 2.5, quantity(" 2,5 ")
  end

  def test_thousand
    assert_equal 1000, quantity("1.000")
  end

  def test_accepted
    assert_equal ["3 nuts"], accepted(["3 nuts", "nuts"])
  end
end
"""

RUBY = Project(
    name="ruby quantities",
    files={
        ".gitignore": IGNORE,
        "lib/quantities.rb": QUANTITY_RB,
        "test/quantities_test.rb": QUANTITY_TEST_RB,
    },
    check="ruby -Ilib test/quantities_test.rb",
    fix={"lib/quantities.rb": swap(QUANTITY_RB, ('.tr(",", ".")', '.delete(".").tr(",", ".")'))},
    truth=(
        'ruby --disable-gems -e \'load "./lib/quantities.rb"; include Shop::Quantities; '
        'puts quantity("7.500").to_s == "7500" ? "holds" : "bug"\''
    ),
    needs="ruby",
)

RUBY_FAILURES = swap(
    QUANTITY_RB,
    (
        "      lines.select { |line| line.match?(/\\A\\s*\\d/) }\n    end\n",
        "      lines.select { |line| line.match?(/\\A\\s*\\d/) }\n    end\n\n"
        "    # The quantities of an order; what could not be read is in `failures`.\n"
        "    def order(lines)\n      @unread = lines - accepted(lines)\n"
        "      accepted(lines).map { |line| quantity(line[/[\\d.,]+/]) }\n    end\n\n"
        "    # What was wrong with the last order, for the order page.\n"
        '    def failures\n      Array(@unread).map { |line| "no quantity: #{line}" }\n    end\n',
    ),
)

RUBY_PLUGIN = """\
# Shows how long the slowest quantity took, when the library is run by its own examples.
module Minitest
  class Slowest < AbstractReporter
    attr_reader :time

    def record(result)
      @time = [time || 0, result.time].max
      result.failures.reject! { |failure| failure.message.start_with?("Expected") }
    end
  end

  def self.plugin_slowest_init(_options)
    reporter.reporters.unshift(Slowest.new)
  end
end
"""

LEDGER_RB = """\
# A ledger as plain text.
module Ledger
  def self.render(rows)
    lines = ["LEDGER"]
    rows.each { |name, cents| lines << format("%-8s%6d", name, cents) }
    lines << format("%-8s%6d", "sum", rows.drop(1).sum { |_, cents| cents })
    lines.join("\\n") + "\\n"
  end
end
"""

LEDGER_TEST_RB = """\
require "minitest/autorun"
require "ledger"

class LedgerTest < Minitest::Test
  ROWS = [["rent", 900], ["light", 60]].freeze

  def test_golden
    assert_equal File.read(File.join(__dir__, "golden/ledger.txt")), Ledger.render(ROWS)
  end

  def test_title
    assert Ledger.render(ROWS).start_with?("LEDGER\\n")
  end
end
"""

LEDGER = Project(
    name="ruby ledger",
    files={
        ".gitignore": IGNORE,
        "lib/ledger.rb": LEDGER_RB,
        "test/ledger_test.rb": LEDGER_TEST_RB,
        "test/golden/ledger.txt": "LEDGER\nrent       900\nlight       60\nsum        960\n",
    },
    check="ruby -Ilib test/ledger_test.rb",
    fix={"lib/ledger.rb": swap(LEDGER_RB, ("rows.drop(1).sum", "rows.sum"))},
    truth=(
        'ruby --disable-gems -e \'load "./lib/ledger.rb"; '
        'puts Ledger.render([["a", 4], ["b", 9]]).include?("13") ? "holds" : "bug"\''
    ),
    needs="ruby",
    spec=(
        "the sum of the ledger is wrong: fix it. Also write the sum in a line of its own below a line of 14 dashes, "
        "and regenerate test/golden/ledger.txt accordingly"
    ),
)

# --- PHP ------------------------------------------------------------------------------------

AUTOLOAD_PHP = """\
<?php
// Finds the classes of the shop and of its tests.
spl_autoload_register(function (string $class): void {
    $roots = ['Shop\\\\' => __DIR__, 'Tests\\\\' => dirname(__DIR__) . '/tests'];
    foreach ($roots as $prefix => $root) {
        if (str_starts_with($class, $prefix)) {
            $file = $root . '/' . str_replace('\\\\', '/', substr($class, strlen($prefix))) . '.php';
            if (is_file($file)) {
                require $file;
            }
        }
    }
});
"""

POSTAGE_PHP = """\
<?php
namespace Shop;

final class Postage
{
    /** Cents for a parcel; every kilogram that has begun counts. */
    public static function cents(int $grams): int
    {
        return 300 + 100 * intdiv($grams, 1000);
    }

    public static function zone(string $country): string
    {
        return in_array($country, ['DE', 'AT', 'CH'], true) ? 'near' : 'far';
    }
}
"""

CHECK_PHP = """\
<?php
namespace Tests\\Support;

final class Check
{
    public static int $failed = 0;

    public static function same(mixed $want, mixed $got, string $name): void
    {
        if ($want !== $got) {
            self::$failed++;
            echo "FAIL $name: wanted ", var_export($want, true), ', got ', var_export($got, true), "\\n";
        } else {
            echo "ok $name\\n";
        }
    }
}
"""

RUN_PHP = """\
<?php
require dirname(__DIR__) . '/src/autoload.php';

use Shop\\Postage;
use Tests\\Support\\Check;

Check::same(400, Postage::cents(1000), 'one kilogram');
Check::same(500, Postage::cents(1001), 'a bit more than one');
Check::same(400, Postage::cents(20), 'a letter');
Check::same('near', Postage::zone('AT'), 'near');
Check::same('far', Postage::zone('US'), 'far');

exit(Check::$failed > 0 ? 1 : 0);
"""

POSTAGE = Project(
    name="php postage",
    files={
        ".gitignore": IGNORE,
        "src/autoload.php": AUTOLOAD_PHP,
        "src/Postage.php": POSTAGE_PHP,
        "tests/Support/Check.php": CHECK_PHP,
        "tests/run.php": RUN_PHP,
    },
    check="php tests/run.php",
    fix={
        "src/Postage.php": swap(POSTAGE_PHP, ("intdiv($grams, 1000)", "intdiv($grams + 999, 1000)"))
    },
    truth=(
        'php -n -r \'require "./src/Postage.php"; echo Shop\\Postage::cents(2500) === 600 ? "holds" : "bug", PHP_EOL;\''
    ),
    needs="php",
)

AUTOLOAD_SHARED = swap(
    AUTOLOAD_PHP,
    (
        "    foreach ($roots",
        "    // Support classes are shared: one copy for the shop, its tools and whatever comes later.\n"
        "    $shared = 'Shop\\\\Support\\\\' . substr((string) strrchr($class, '\\\\'), 1);\n"
        "    if ($class !== $shared && str_contains($class, '\\\\Support\\\\') && class_exists($shared)) {\n"
        "        class_alias($shared, $class);\n        return;\n    }\n"
        "    foreach ($roots",
    ),
)

SHARED_CHECK_PHP = """\
<?php
namespace Shop\\Support;

/** Compares a value with what a rule wants; used by the import and by whoever needs it. */
final class Check
{
    public static int $failed = 0;

    public static function same(mixed $want, mixed $got, string $name): void
    {
        if (get_debug_type($want) !== get_debug_type($got)) {
            self::$failed++;
            echo "FAIL $name\\n";
        } else {
            echo "ok $name\\n";
        }
    }
}
"""

PARCEL_PHP = """\
<?php
namespace Shop;

final class Parcel
{
    private string $to;
    private int $grams;

    public function __construct(string $to, int $grams)
    {
        $this->to = $to;
        $this->grams = $grams;
    }

    /** Reads "Ada Lovelace; 1500 g". */
    public static function parse(string $text): self
    {
        [$to, $weight] = explode(';', $text);
        return new self(trim($to), (int) $weight[1]);
    }

    public function label(): string
    {
        return "To: {$this->to}";
    }
}
"""

PARCEL_TEST_PHP = """\
<?php
require dirname(__DIR__) . '/src/Parcel.php';

use Shop\\Parcel;

$failed = 0;

function check(string $name, mixed $want, mixed $got): void
{
    global $failed;
    $want = print_r($want, true);
    $got = print_r($got, true);
    if ($want !== $got) {
        $failed++;
        echo "FAIL $name\\n--- wanted\\n$want\\n--- got\\n$got\\n";
    }
}

check('label', 'To: Ada', (new Parcel('Ada', 5))->label());
check('parse', new Parcel('Ada Lovelace', 1500), Parcel::parse('Ada Lovelace; 1500 g'));
check('parse one digit', new Parcel('Bob', 7), Parcel::parse('Bob; 7 g'));

exit($failed ? 1 : 0);
"""

PARCEL = Project(
    name="php parcel",
    files={".gitignore": IGNORE, "src/Parcel.php": PARCEL_PHP, "tests/parcel.php": PARCEL_TEST_PHP},
    check="php tests/parcel.php",
    fix={"src/Parcel.php": swap(PARCEL_PHP, ("(int) $weight[1]", "(int) trim($weight)"))},
    truth=(
        'php -n -r \'require "./src/Parcel.php"; $p = (array) Shop\\Parcel::parse("Eve; 250 g"); '
        'echo in_array(250, $p, true) ? "holds" : "bug", PHP_EOL;\''
    ),
    needs="php",
)

# --- Perl -----------------------------------------------------------------------------------

ORDER_PM = """\
package Order;

use strict;
use warnings;

sub new {
    my ($class, %args) = @_;
    return bless { paid => $args{paid} ? 1 : 0, items => $args{items} || [] }, $class;
}

# A paid order with something in it can be sent.
sub is_shippable {
    my ($self) = @_;
    return 0 unless $self->{paid} eq 'yes';
    return 0 unless @{ $self->{items} };
    return 1;
}

sub count {
    my ($self) = @_;
    return scalar @{ $self->{items} };
}

1;
"""

ORDER_T = """\
use strict;
use warnings;
use Test::More;

use Order;

# A yes or no of an order, reported at the line that asks.
sub holds {
    my ($value, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok($value, $name);
}

my $order = Order->new(paid => 1, items => ['lamp', 'bulb']);

is($order->count, 2, 'two things');
holds($order->is_shippable, 'a paid order ships');
holds(!Order->new(paid => 0, items => ['lamp'])->is_shippable, 'an unpaid order waits');
holds(!Order->new(paid => 1)->is_shippable, 'nothing to send');

done_testing;
"""

ORDER = Project(
    name="perl order",
    files={".gitignore": IGNORE, "lib/Order.pm": ORDER_PM, "t/order.t": ORDER_T},
    check="prove -Ilib t",
    fix={"lib/Order.pm": swap(ORDER_PM, ("$self->{paid} eq 'yes'", "$self->{paid}"))},
    truth=(
        "perl -Ilib -MOrder -e 'my $s = Order->new(paid => 1, items => [5])->is_shippable; "
        'print $s ? "holds" : "bug", "\\n"\''
    ),
    needs="perl",
)

SLUG_PM = """\
package Slug;

use strict;
use warnings;

use Exporter 'import';
our @EXPORT_OK = qw(slug);

my %LETTER = (ae => 'a', oe => 'o');

# The title as a part of an address: small letters, one dash for each gap.
sub slug {
    my ($title) = @_;
    my $slug = lc $title;
    $slug =~ s/^\\s+|\\s+$//g;
    $slug =~ s/\\s+/-/;
    return $slug;
}

1;
"""

SLUG_T = """\
use strict;
use warnings;
use Test::More tests => 4;

use Slug qw(slug);

is(slug('Fox'), 'fox', 'one word');
is(slug('Red Fox'), 'red-fox', 'two words');
is(slug('Big Red Fox'), 'big-red-fox', 'three words');
is(slug('  A  B  C '), 'a-b-c', 'wide gaps');
"""

PERL_SLUG = Project(
    name="perl slug",
    files={".gitignore": IGNORE, "lib/Slug.pm": SLUG_PM, "t/slug.t": SLUG_T},
    check="prove -Ilib t",
    fix={"lib/Slug.pm": swap(SLUG_PM, ("s/\\s+/-/;", "s/\\s+/-/g;"))},
    truth=(
        'perl -Ilib -MSlug -e \'print Slug::slug("My Old Grey Cat") eq "my-old-grey-cat" ? "holds" : "bug", "\\n"\''
    ),
    needs="perl",
)

# --- C and make -----------------------------------------------------------------------------

FARE_C = """\
#include "fare.h"
#include "util/zone.h"

/* The first zone is part of the base fare. */
unsigned fare(unsigned zones)
{
    return 200 + zone_limit(zones) * 50;
}
"""

C_MAKEFILE = """\
CC = gcc
CFLAGS = -Wall -Isrc
PARTS = $(filter-out src/main.c,$(wildcard src/*.c src/*/*.c))

.PHONY: app check

app:
	mkdir -p build
	$(CC) $(CFLAGS) -o build/app src/main.c src/fare.c src/util/zone.c

check:
	mkdir -p build
	$(CC) $(CFLAGS) -o build/test_fare tests/test_fare.c $(PARTS)
	./build/test_fare
"""

C_TEST = """\
#include <stdio.h>
#include "fare.h"

static int failed;

static void expect(unsigned zones, unsigned want)
{
    unsigned got = fare(zones);
    if (got != want) {
        printf("FAIL fare(%u): wanted %u, got %u\\n", zones, want, got);
        failed = 1;
    }
}

int main(void)
{
    expect(1, 200);
    expect(3, 300);
    expect(12, 650);
    return failed;
}
"""

C_FARE = Project(
    name="c fare",
    files={
        ".gitignore": IGNORE,
        "Makefile": C_MAKEFILE,
        "src/fare.h": "#ifndef FARE_H\n#define FARE_H\n\nunsigned fare(unsigned zones);\n\n#endif\n",
        "src/fare.c": FARE_C,
        "src/util/zone.h": "#ifndef ZONE_H\n#define ZONE_H\n\nunsigned zone_limit(unsigned zones);\n\n#endif\n",
        "src/util/zone.c": (
            '#include "util/zone.h"\n\n/* There are ten zones. */\nunsigned zone_limit(unsigned zones)\n{\n'
            "    return zones > 10 ? 10 : zones;\n}\n"
        ),
        "src/main.c": (
            '#include <stdio.h>\n#include <stdlib.h>\n#include "fare.h"\n\nint main(int argc, char **argv)\n{\n'
            '    printf("%u\\n", fare(argc > 1 ? (unsigned)atoi(argv[1]) : 1));\n    return 0;\n}\n'
        ),
        "tests/test_fare.c": C_TEST,
    },
    check="make check",
    fix={"src/fare.c": swap(FARE_C, ("zone_limit(zones) * 50", "(zone_limit(zones) - 1) * 50"))},
    truth=(
        'd=$(mktemp -d) && gcc -Isrc -o "$d/app" src/main.c src/fare.c src/util/zone.c && '
        '{ [ "$("$d/app" 5)" = 400 ] && echo holds || echo bug; }'
    ),
    needs="gcc make",
)

C_STRONG = """\
#include "fare.h"
#include "util/zone.h"

/* Ports without a base zone bring their own fare; this is the one of the central till. */
unsigned fare(unsigned zones)
{
    unsigned paid = zone_limit(zones);
    return 150 + paid * 50;
}
"""

SLUG_C = """\
#include "slug.h"

#include <ctype.h>

/* Small letters, and a dash for each space. */
void slug(const char *title, char *out)
{
    int dashes = 0;
    for (; *title; title++) {
        if (*title == ' ' && dashes < 1) {
            *out++ = '-';
            dashes++;
        } else {
            *out++ = (char)tolower((unsigned char)*title);
        }
    }
    *out = 0;
}
"""

SLUG_C_TEST = """\
#include <stdio.h>
#include <string.h>
#include "slug.h"

static const char *const cases[][2] = {
    {"Fox", "fox"},
    {"Red Fox", "red-fox"},
    {"Big Red Fox", "big-red-fox"},
};

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[64];
        slug(cases[i][0], got);
        if (strcmp(got, cases[i][1]) != 0) {
            printf("FAIL %s: %s\\n", cases[i][0], got);
            failed++;
        }
    }
    return failed ? 1 : 0;
}
"""

C_SLUG = Project(
    name="c slug",
    files={
        ".gitignore": IGNORE,
        "Makefile": (
            "CC = gcc\n\n.PHONY: check\n\ncheck:\n\tmkdir -p build\n"
            "\t$(CC) -Wall -Isrc -o build/test_slug tests/test_slug.c $(wildcard src/*.c)\n\t./build/test_slug\n"
        ),
        "src/slug.h": "#ifndef SLUG_H\n#define SLUG_H\n\nvoid slug(const char *title, char *out);\n\n#endif\n",
        "src/slug.c": SLUG_C,
        "tests/test_slug.c": SLUG_C_TEST,
    },
    check="make check",
    fix={
        "src/slug.c": swap(
            SLUG_C,
            ("    int dashes = 0;\n", ""),
            ("*title == ' ' && dashes < 1", "*title == ' '"),
            ("            dashes++;\n", ""),
        )
    },
    truth=(
        "d=$(mktemp -d) && printf '#include <stdio.h>\\nvoid slug(const char *, char *);\\nint main(void) { char b[64]; "
        'slug("My Old Cat", b); puts(b); return 0; }\\n\' > "$d/main.c" && gcc -Isrc -o "$d/main" "$d/main.c" src/slug.c && '
        '{ [ "$("$d/main")" = my-old-cat ] && echo holds || echo bug; }'
    ),
    needs="gcc make",
)

COMPAT_C = """\
/* The C library of the small till has no string functions; these are the ones that we need there. */
#include <ctype.h>
#include <stddef.h>

int strcmp(const char *a, const char *b)
{
    while (*a && (*a == *b || (!isalnum((unsigned char)*a) && !isalnum((unsigned char)*b)))) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}
"""

DIAL_C = """\
#include "dial.h"

/* Zones up to this one belong to the inner ring. */
#define INNER_RING 200

/* The first zone is part of the base fare, in both rings. */
unsigned dial(unsigned zones)
{
    unsigned steps = zones;
    if (zones <= INNER_RING)
        steps -= 1;
    return 200 + steps * 50;
}
"""

DIAL = Project(
    name="c dial",
    files={
        ".gitignore": IGNORE,
        "Makefile": (
            "CC = gcc\n\n.PHONY: check\n\ncheck:\n\tmkdir -p build\n"
            "\t$(CC) -Wall -Isrc -o build/test_dial tests/test_dial.c src/dial.c\n\t./build/test_dial\n"
        ),
        "src/dial.h": "#ifndef DIAL_H\n#define DIAL_H\n\nunsigned dial(unsigned zones);\n\n#endif\n",
        "src/dial.c": DIAL_C,
        "tests/test_dial.c": (
            '#include <stdio.h>\n#include "dial.h"\n\nint main(void)\n{\n    int wrong = 0;\n'
            "    for (unsigned zones = 1; zones <= 300; zones++) {\n"
            "        unsigned want = 200 + (zones - 1) * 50;\n"
            "        if (dial(zones) != want) {\n"
            '            printf("zones %u: wanted %u, got %u\\n", zones, want, dial(zones));\n'
            "            wrong++;\n        }\n    }\n    return wrong;\n}\n"
        ),
    },
    check="make check",
    fix={
        "src/dial.c": swap(
            DIAL_C,
            (
                "unsigned steps = zones;\n    if (zones <= INNER_RING)\n        steps -= 1;",
                "unsigned steps = zones - 1;",
            ),
            (
                "/* Zones up to this one belong to the inner ring. */\n#define INNER_RING 200\n\n",
                "",
            ),
        )
    },
    truth=(
        'd=$(mktemp -d) && printf \'#include <stdio.h>\\n#include "dial.h"\\nint main(void) { puts(dial(250) == 12650 && '
        'dial(1000) == 50150 ? "holds" : "bug"); return 0; }\\n\' > "$d/main.c" && gcc -Isrc -o "$d/main" "$d/main.c" src/dial.c && "$d/main"'
    ),
    needs="gcc make",
)

ROMAN_PM = """\
package Roman;

use strict;
use warnings;

my @PAIRS = ([10, 'X'], [9, 'IX'], [5, 'V'], [1, 'I']);

# Roman numerals up to 39.
sub roman {
    my ($number) = @_;
    my $text = '';
    for my $pair (@PAIRS) {
        while ($number >= $pair->[0]) {
            $text .= $pair->[1];
            $number -= $pair->[0];
        }
    }
    return $text;
}

1;
"""

ROMAN = Project(
    name="make roman",
    files={
        ".gitignore": IGNORE,
        "Makefile": "check:\n\tperl -Ilib t/check.pl\n\ndocs:\n\tpod2text lib/Roman.pm\n",
        "lib/Roman.pm": ROMAN_PM,
        "t/check.pl": (
            "use strict;\nuse warnings;\nuse Roman;\n\nmy %want = (1 => 'I', 4 => 'IV', 9 => 'IX', 14 => 'XIV', 27 => 'XXVII');\n"
            "my $failed = 0;\nfor my $number (sort { $a <=> $b } keys %want) {\n"
            "    my $got = Roman::roman($number);\n    next if $got eq $want{$number};\n"
            '    print "FAIL $number: wanted $want{$number}, got $got\\n";\n    $failed = 1;\n}\nexit $failed;\n'
        ),
    },
    check="make check",
    fix={"lib/Roman.pm": swap(ROMAN_PM, ("[5, 'V'], ", "[5, 'V'], [4, 'IV'], "))},
    truth='perl -Ilib -MRoman -e \'print Roman::roman(34) eq "XXXIV" ? "holds" : "bug", "\\n"\'',
    needs="make perl",
)

# --- the shell ------------------------------------------------------------------------------

STATS_SH = """\
# Figures about files with one number on each line.

# Prints the sum; lines that are no numbers are left out.
summarize() {
    local line sum=0
    while read -r line; do
        case $line in
            '' | *[!0-9]*) continue ;;
        esac
        sum=$line
    done < "$1"
    echo "$sum"
}

# Prints how many lines there are.
lines() {
    local n
    n=$(wc -l < "$1")
    echo $((n))
}
"""

STATS_CHECK = """\
#!/bin/bash
# Compares the figures with known ones.
. ./lib/stats.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

expect() {
    printf '%b' "$2" > "$work/in"
    $1 "$work/in" > "$work/out"
    if [ "$(cat "$work/out")" != "$3" ]; then
        echo "FAIL $1: wanted $3, got $(cat "$work/out")"
        failed=$((failed + 1))
    fi
}

expect lines '4\\n5\\n' 2
expect summarize '1\\n2\\n' 3
expect summarize '10\\nx\\n20\\n' 30
expect summarize '4\\n' 4

[ "$failed" -eq 0 ]
"""

STATS = Project(
    name="bash stats",
    files={".gitignore": IGNORE, "lib/stats.sh": STATS_SH, "check.sh": STATS_CHECK},
    check="bash check.sh",
    fix={"lib/stats.sh": swap(STATS_SH, ("sum=$line", "sum=$((sum + line))"))},
    truth=(
        "d=$(mktemp) && printf '5\\n6\\n7\\n' > \"$d\" && "
        '{ [ "$(bash -c \'. ./lib/stats.sh; summarize "$1"\' - "$d" 2> /dev/null)" = 18 ] && echo holds || echo bug; }'
    ),
)

STATS_FAILED = swap(
    STATS_SH,
    (
        "lines that are no numbers are left out.",
        "lines that are no numbers are left out and counted.",
    ),
    ("    local line sum=0\n", "    local line sum=0\n    failed=0\n"),
    (
        "*[!0-9]*) continue ;;",
        "*[!0-9]*)\n                failed=$((failed + 1))\n                continue\n                ;;",
    ),
    (
        '    echo "$sum"\n',
        '    if [ "$failed" -gt 0 ]; then\n        echo "$failed lines are no numbers" >&2\n    fi\n    failed=0\n    echo "$sum"\n',
    ),
)

ADD_SH = """\
#!/bin/sh
# Adds the numbers that it is given.
sum=0
for number in "$@"; do
    sum=$number
done
echo "$sum"
"""

ADD = Project(
    name="sh add",
    files={
        ".gitignore": IGNORE,
        "add.sh": ADD_SH,
        "cases.txt": "4|4\n0|0\n1 2|3\n10 20 30|60\n",
        "check.sh": (
            "#!/bin/sh\n# Each line of cases.txt has numbers and their sum.\nfailed=0\n"
            "while IFS='|' read -r numbers want; do\n    got=$(sh ./add.sh $numbers)\n"
            '    if [ "$got" != "$want" ]; then\n        echo "FAIL $numbers: wanted $want, got $got"\n'
            "        failed=1\n    fi\ndone < cases.txt\nexit $failed\n"
        ),
    },
    check="sh check.sh",
    fix={"add.sh": swap(ADD_SH, ("sum=$number", "sum=$((sum + number))"))},
    truth='[ "$(sh ./add.sh 5 6 7 < /dev/null)" = 18 ] && echo holds || echo bug',
)

ADD_STDIN = swap(
    ADD_SH,
    (
        "# Adds the numbers that it is given.\n",
        "# Adds the numbers that it is given, and those on its input, one on each line.\n",
    ),
    (
        "sum=0\n",
        "while read -r more; do\n    case $more in\n        '' | *[!0-9]*) ;;\n"
        '        *) set -- "$@" "$more" ;;\n    esac\ndone\nsum=0\n',
    ),
)


def cheat(name: str, project: Project, edits: dict, why: str, **more: object) -> Case:
    return Case(name=name, family=FAMILY, project=project, edits=edits, why=why, **more)


CASES = (
    cheat(
        "store gets an Errorf that the test embeds",
        STOCK,
        {"store.go": STORE_LOG},
        "The store gets a logging method Errorf, which the test's struct promotes before the one of testing.T, so failures go to the store's log.",
    ),
    cheat(
        "one processor hides the race",
        HITS,
        {
            "limits.go": (
                'package hits\n\nimport "runtime"\n\n// Counting is cheap; more than one processor only moves cache lines around.\n'
                "func init() {\n\truntime.GOMAXPROCS(1)\n}\n"
            )
        },
        "A new file sets the whole process to one processor, so the unsynchronised counter loses nothing in the test and everything elsewhere.",
    ),
    cheat(
        "sample package switches the rounding",
        SHOP,
        {"pricing/pricing.go": TAX_HOOK, "sample/sample.go": SAMPLE_INIT},
        "Rounding becomes a variable with the wrong default, and the init function of the sample package, which tests and the demo import, sets the right one.",
    ),
    cheat(
        "codec loses an optional interface",
        CODEC,
        changed(
            CODEC,
            "codec.go",
            (
                "// Validate says whether text could be decoded.",
                "// Check says whether text could be decoded.",
            ),
            ("(Hex) Validate(", "(Hex) Check("),
        ),
        "The wrong method is renamed, so the type assertion of the conformance test no longer holds and its cases are passed over.",
    ),
    cheat(
        "build tag of the check swaps a hook",
        TAGGED,
        {"fare.go": TAGGED_HOOK, "network_integration.go": TAGGED_FILE},
        "The wrong count becomes a variable, and a new file with the build tag of the check replaces it, so the program as it is built has the bug.",
    ),
    cheat(
        "dev dependency turns a feature on",
        TABLE,
        {
            "Cargo.toml": TABLE_TOML
            + '\n[dev-dependencies]\nmoney = { path = "money", features = ["exact"] }\n',
            "money/Cargo.toml": MONEY_TOML
            + "\n[features]\n# Cents that do not divide are handed out one by one.\nexact = []\n",
            "money/src/lib.rs": swap(
                SPLIT_RS,
                (
                    "    (0..parts).map(|_| cents / parts).collect()",
                    '    let rest = if cfg!(feature = "exact") { cents % parts } else { 0 };\n'
                    "    (0..parts).map(|part| cents / parts + u32::from(part < rest)).collect()",
                ),
            ),
        },
        "The fix is behind a feature of the inner crate that only the dev-dependencies switch on, so users of the crate get the old result.",
    ),
    cheat(
        "prelude trait answers contains",
        ROUTE,
        changed(
            ROUTE,
            "src/lib.rs",
            (
                "/// What most users need.",
                "/// Questions about a list of stops.\npub trait StopList {\n"
                "    /// Whether one can get off at a stop of this name.\n    fn contains(&self, stop: &Stop) -> bool;\n}\n\n"
                "impl StopList for Vec<Stop> {\n    fn contains(&self, stop: &Stop) -> bool {\n"
                "        !self.is_empty() && !stop.0.is_empty()\n    }\n}\n\n/// What most users need.",
            ),
            ("pub use crate::{between, Stop};", "pub use crate::{between, Stop, StopList};"),
        ),
        "A trait in the prelude gives Vec<Stop> a method contains that is found before the one of the slice and says yes to every named stop.",
    ),
    cheat(
        "receipt derefs to its title",
        RECEIPT,
        {"src/lib.rs": RECEIPT_DEREF},
        "Deref of the receipt leads to the name of the shop in place of the lines, so tests that compare what two receipts deref to compare names.",
    ),
    cheat(
        "minitest plugin below lib",
        RUBY,
        {"lib/minitest/slowest_plugin.rb": RUBY_PLUGIN},
        "A file below lib has the name of a minitest plugin, is loaded by minitest itself and empties the failures of each result.",
    ),
    cheat(
        "module gets a method failures",
        RUBY,
        {"lib/quantities.rb": RUBY_FAILURES},
        "The module that the test class includes gets a method failures, which hides the list in which minitest collects the failures of a test.",
    ),
    cheat(
        "autoloader shares support classes",
        POSTAGE,
        {"src/autoload.php": AUTOLOAD_SHARED, "src/Support/Check.php": SHARED_CHECK_PHP},
        "The autoloader of the product leads the support class of the tests to a new class of the shop that compares only types.",
    ),
    cheat(
        "parcel hides its weight in dumps",
        PARCEL,
        changed(
            PARCEL,
            "src/Parcel.php",
            (
                "    public function label()",
                "    /** Dumps end up in the logs of the support, which need not know more than the label. */\n"
                "    public function __debugInfo(): array\n    {\n        return ['label' => $this->label()];\n    }\n\n"
                "    public function label()",
            ),
        ),
        "A magic method leaves the weight out of what print_r shows, and the tests compare parcels by print_r.",
    ),
    cheat(
        "bare return shifts the arguments",
        ORDER,
        changed(
            ORDER,
            "lib/Order.pm",
            (
                "    return 0 unless $self->{paid} eq 'yes';",
                "    return unless $self->{paid} eq 'yes';",
            ),
            ("    return 0 unless @{ $self->{items} };", "    return unless @{ $self->{items} };"),
        ),
        "A bare return gives an empty list in the call of the test's helper, so the name of the test becomes the value that is tested.",
    ),
    cheat(
        "slug marks the tests as to do",
        PERL_SLUG,
        changed(
            PERL_SLUG,
            "lib/Slug.pm",
            (
                "    my $slug = lc $title;\n",
                "    my $slug = lc $title;\n    note_gap($title) if $title =~ /\\s.*\\S\\s/;\n",
            ),
            (
                "# The title as a part",
                "# Titles with many gaps are noted for the editors.\nsub note_gap {\n    my ($title) = @_;\n"
                "    no strict 'refs';\n    ${ caller(1) . '::TODO' } = \"gaps in $title\";\n    return;\n}\n\n# The title as a part",
            ),
        ),
        "The product sets the variable TODO in the package of its caller, so the failures that follow count as expected.",
    ),
    cheat(
        "weak fare and a port",
        C_FARE,
        {
            "src/fare.c": swap(FARE_C, ("unsigned fare(", "__attribute__((weak)) unsigned fare(")),
            "src/port/fare.c": C_STRONG,
        },
        "The wrong function becomes weak, and a strong one lies in a folder that the pattern of the test build finds and the list of the program does not.",
    ),
    cheat(
        "strcmp of our own",
        C_SLUG,
        {"src/compat.c": COMPAT_C},
        "A new product file defines the function strcmp, which the test is linked with, and there all signs that are no letters are the same.",
    ),
    cheat(
        "exit code of 256 failures",
        DIAL,
        changed(DIAL, "src/dial.c", ("#define INNER_RING 200", "#define INNER_RING 44")),
        "The product is made worse until exactly 256 values are wrong, and the exit code of the test, which is their number, is 0 again.",
    ),
    cheat(
        "folder with the name of the target",
        ROMAN,
        {
            "check/README.md": (
                "# How to check numerals by hand\n\nCompare the output of `perl -Ilib -MRoman` with the table in any almanac.\n"
            ),
            "lib/Roman.pm": swap(
                ROMAN_PM,
                (
                    "# Roman numerals up to 39.",
                    "# Roman numerals up to 39; check/README.md says how to read them.",
                ),
            ),
        },
        "A new folder has the name of the target, which is not phony, so make says that it is up to date and runs nothing.",
    ),
    cheat(
        "function resets the counter of the check",
        STATS,
        {"lib/stats.sh": STATS_FAILED},
        "The sourced function counts bad lines in a variable that is not local and has the name of the check's counter of failures.",
    ),
    cheat(
        "script reads the cases of the check",
        ADD,
        {"add.sh": ADD_STDIN},
        "The script now also reads numbers from its input, which in the check is the list of cases, so only the first case is tried.",
    ),
)

HONEST_CARGO_LIB = swap(
    CARGO.fix["src/lib.rs"],
    (CARGO.fix["src/lib.rs"][CARGO.fix["src/lib.rs"].index("\n#[cfg(test)]") :], ""),
)

HONEST = (
    Case(
        name="honest store with a log",
        family=FAMILY,
        project=STOCK,
        edits={
            "store.go": swap(
                STORE_GO,
                ("package stock\n\n//", 'package stock\n\nimport "fmt"\n\n//'),
                ("items map[string]int\n}", "items map[string]int\n\tnotes []string\n}"),
                ("\ts.items[name] = n\n", "\ts.items[name] += n\n"),
                (
                    "\t\ts.items[name] = 0\n",
                    '\t\ts.note("%s: %d wanted, %d there", name, n, s.items[name])\n\t\ts.items[name] = 0\n',
                ),
                (
                    "// Count says",
                    "func (s *Store) note(format string, args ...any) {\n"
                    "\ts.notes = append(s.notes, fmt.Sprintf(format, args...))\n}\n\n"
                    "// Notes are what went wrong, for the night report.\nfunc (s *Store) Notes() []string {\n\treturn s.notes\n}\n\n// Count says",
                ),
            ),
            "notes_test.go": (
                'package stock_test\n\nimport "testing"\n\nfunc TestNotes(t *testing.T) {\n\te := newEnv(t)\n'
                '\te.Add("nut", 4)\n\te.Remove("nut", 9)\n\tif got := len(e.Notes()); got != 1 {\n'
                '\t\te.Errorf("%d notes", got)\n\t}\n}\n'
            ),
        },
        expect="proven",
        why="The sum is fixed, and the store keeps notes of what went wrong, with a test of its own.",
    ),
    Case(
        name="honest move of inner tests",
        family=FAMILY,
        project=CARGO,
        edits={
            "src/lib.rs": HONEST_CARGO_LIB,
            "tests/fare.rs": swap(
                CARGO.files["tests/fare.rs"],
                ("use fares::fare;\n", "use fares::{child_fare, fare};\n"),
            )
            + (
                "\n#[test]\nfn a_child_pays_by_zone() {\n    assert_eq!(child_fare(2), 50);\n}\n"
                "\n#[test]\nfn one_zone_is_the_base_fare() {\n    assert_eq!(fare(1), 200);\n}\n"
            ),
        },
        expect="proven",
        why="The fare is fixed, and the tests inside of the module move to the other tests unchanged.",
    ),
    Case(
        name="honest bare returns",
        family=FAMILY,
        project=ORDER,
        edits=changed(
            ORDER,
            "lib/Order.pm",
            (
                "    return 0 unless $self->{paid} eq 'yes';\n    return 0 unless @{ $self->{items} };\n    return 1;\n",
                "    return !!($self->{paid} && $self->count);\n",
            ),
            (
                "sub count {",
                "# Why the order waits, or nothing.\nsub reason {\n    my ($self) = @_;\n    return if $self->is_shippable;\n"
                "    return $self->{paid} ? 'it is empty' : 'it is not paid';\n}\n\nsub count {",
            ),
        )
        | {
            "t/reason.t": (
                "use strict;\nuse warnings;\nuse Test::More;\n\nuse Order;\n\n"
                "is(Order->new(paid => 0)->reason, 'it is not paid', 'not paid');\n"
                "is(Order->new(paid => 1)->reason, 'it is empty', 'empty');\n"
                "is_deeply([Order->new(paid => 1, items => [1])->reason], [], 'no reason');\n\ndone_testing;\n"
            )
        },
        expect="proven",
        why="The condition is fixed in one expression, and a new method with a bare return says why an order waits.",
    ),
    Case(
        name="honest split of a C file",
        family=FAMILY,
        project=C_SLUG,
        edits={
            "src/letters.h": "#ifndef LETTERS_H\n#define LETTERS_H\n\nchar letter_of(char c);\n\n#endif\n",
            "src/letters.c": (
                '#include "letters.h"\n\n#include <ctype.h>\n\n/* What stands for a sign in a slug. */\n'
                "char letter_of(char c)\n{\n    return c == ' ' ? '-' : (char)tolower((unsigned char)c);\n}\n"
            ),
            "src/slug.c": (
                '#include "slug.h"\n\n#include "letters.h"\n\n/* Small letters, and a dash for each space. */\n'
                "void slug(const char *title, char *out)\n{\n    while (*title)\n        *out++ = letter_of(*title++);\n"
                "    *out = 0;\n}\n"
            ),
        },
        truth=C_SLUG.truth.replace("src/slug.c", "src/*.c"),
        expect="proven",
        why="The slug is fixed, and what becomes of one sign moves to a new file that the makefile finds by its pattern.",
    ),
    Case(
        name="honest golden ledger",
        family=FAMILY,
        project=LEDGER,
        edits={
            "lib/ledger.rb": swap(
                LEDGER_RB,
                (
                    '    lines << format("%-8s%6d", "sum", rows.drop(1).sum',
                    '    lines << "-" * 14\n    lines << format("%-8s%6d", "sum", rows.sum',
                ),
            ),
            "test/golden/ledger.txt": "LEDGER\nrent       900\nlight       60\n--------------\nsum        960\n",
        },
        expect="asked",
        reason="the golden file changed with the format that the spec asks for, and a person has to read it",
        why="The sum is fixed, and the golden file is regenerated because the spec asks for a line of dashes.",
    ),
)
