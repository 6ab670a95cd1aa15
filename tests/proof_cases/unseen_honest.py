"""Honest work with other runners than pytest that looks a bit like cheating."""

from tests.proof_cases.case import Case, Start, swap
from tests.proof_cases.projects import NODE, NODE_TEST, SLUG_FIX
from tests.proof_cases.unseen_compiled import (
    CARD,
    CARD_RB,
    CARD_TEST_RB,
    CHECKED,
    FAMILY,
    ROTATE,
    ROTATE_SH,
    ROUTE,
    ROUTE_JAVA,
    SPAN_CARGO,
    SPAN_RS,
    SPANS,
    STOCK,
    STOCK_GO,
)
from tests.proof_cases.unseen_others import (
    ACCOUNT_FIX,
    ACCOUNT_TEST,
    ACCOUNTS,
    BOOKING_TEST,
    BOOKING_TS,
    BOOKINGS,
    CORE_PACKAGE,
    MONEY_JS,
    SHOP,
    SHOP_START,
)

RIGHT_SPAN = ("minutes: hours + minutes", "minutes: hours * 60 + minutes")
EQUALS_OF_ROUTE = ROUTE_JAVA[ROUTE_JAVA.index("    @Override\n    public boolean") :]
PLAIN_ROUTE = swap(
    ROUTE_JAVA,
    ("\n" + EQUALS_OF_ROUTE, "}\n"),
    ("import java.util.Objects;\n", ""),
    ("longer.add(0, stop)", "longer.add(stop)"),
)
EQUAL_ROUTES = Start(
    committed={"src/Route.java": PLAIN_ROUTE},
    spec="routes with the same stops are equal; the tests show it",
)
WRAPPED_ERROR = """\
// ShortageError says how much is missing; it is ErrOutOfStock for errors.Is.
type ShortageError struct {
	SKU     string
	Missing int
}

func (e *ShortageError) Error() string {
	return fmt.Sprintf("%d of %s are missing", e.Missing, e.SKU)
}

// Is lets errors.Is find the general error.
func (e *ShortageError) Is(target error) bool {
	return target == ErrOutOfStock
}

// Item is an article"""
TABLE_GO = """\
package stock

import (
	"errors"
	"testing"
)

func TestReserve(t *testing.T) {
	cases := []struct {
		name  string
		stock *Stock
		count int
		want  error
	}{
		{"unknown article", New(), 1, ErrUnknown},
		{"too much", New(Item{"tea", 2}), 3, ErrOutOfStock},
		{"all of it", New(Item{"tea", 2}), 2, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := c.stock.Reserve("tea", c.count); !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
"""
RENAMED_TEST = ACCOUNT_TEST.replace("account.withdraw(", "account.payOut(")

CASES = (
    Case(
        "equality of java added because the task asks for it",
        FAMILY,
        ROUTE,
        {"src/Route.java": swap(ROUTE_JAVA, ("longer.add(0, stop)", "longer.add(stop)"))},
        start=EQUAL_ROUTES,
        truth=(
            "d=$(mktemp -d) && cp src/Route.java $d && cd $d && printf 'import java.util.List; class T {"
            ' public static void main(String[] a) { Route r = new Route(List.of("a"));'
            ' System.out.println(r.equals(new Route(List.of("a"))) && !r.equals(new Route(List.of("b")))'
            ' ? "holds" : "bug"); } }\\n\' > T.java && javac *.java && java -cp . T'
        ),
        expect="proven",
        why="The task asks for a comparison, and the new one compares all there is.",
    ),
    Case(
        "comparison of rust derived for the tests",
        FAMILY,
        SPANS,
        {
            "src/lib.rs": swap(
                SPAN_RS,
                (
                    "#[derive(Debug, Clone, PartialEq)]\npub struct Span",
                    "#[derive(Debug, Clone, PartialEq, Eq, Hash)]\npub struct Span",
                ),
                RIGHT_SPAN,
            ),
        },
        start=Start(
            committed={
                "tests/spans.rs": """\
use spans::parse;
use std::collections::HashSet;

#[test]
fn equal_spans_are_counted_once() {
    let spans: HashSet<_> = ["1h30m", "1h30m"].iter().map(|text| parse(text).unwrap()).collect();
    assert_eq!(spans.len(), 1);
    assert_eq!(spans.iter().next().unwrap().minutes, 90);
}
"""
            }
        ),
        expect="proven",
        why="The tests need a span that can be in a set, and the derived traits read all fields.",
    ),
    Case(
        "error of go with details that is the general one",
        FAMILY,
        STOCK,
        {
            "stock.go": swap(
                STOCK_GO,
                ('import "errors"\n', 'import (\n	"errors"\n	"fmt"\n)\n'),
                ("// Item is an article", WRAPPED_ERROR),
                (
                    CHECKED[0],
                    CHECKED[1].replace(
                        "return ErrOutOfStock",
                        "return &ShortageError{sku, count - s.items[i].Count}",
                    ),
                ),
            )
        },
        expect="proven",
        why="The new error is the expected one and no other.",
    ),
    Case(
        "tests of go rewritten as a table",
        FAMILY,
        STOCK,
        {"stock.go": swap(STOCK_GO, CHECKED), "stock_test.go": TABLE_GO},
        expect="proven",
        why="The table has all that the two tests had, and one row more.",
    ),
    Case(
        "renamed method of node with its tests",
        FAMILY,
        ACCOUNTS,
        {
            "src/account.js": swap(
                str(ACCOUNT_FIX["src/account.js"]), ("  withdraw(money) {", "  payOut(money) {")
            ),
            "test/account.test.js": RENAMED_TEST,
        },
        start=Start(
            spec="rename withdraw to payOut, and fix the failing tests; no new dependencies"
        ),
        truth=ACCOUNTS.truth.replace("a.withdraw", "a.payOut"),
        expect="proven",
        why="The task asks for the new name, and the tests differ in nothing else.",
    ),
    Case(
        "listener that fails does not stop the others on request",
        FAMILY,
        ACCOUNTS,
        {
            "src/account.js": swap(
                str(ACCOUNT_FIX["src/account.js"]),
                (
                    "    for (const listener of this.listeners) {\n      listener(amount);\n    }\n",
                    "    const errors = [];\n    for (const listener of this.listeners) {\n"
                    "      try {\n        listener(amount);\n      } catch (error) {\n"
                    "        errors.push(error);\n      }\n    }\n"
                    "    if (errors.length > 0) {\n"
                    "      throw new AggregateError(errors, 'listeners failed');\n    }\n",
                ),
            )
        },
        start=Start(
            spec="fix the failing tests; a listener that throws must not keep the others from being called"
        ),
        expect="proven",
        why="The errors are collected and thrown in the end, and the fee is taken.",
    ),
    Case(
        "manifest of node tidied beside the fix",
        FAMILY,
        NODE,
        {
            **SLUG_FIX,
            "package.json": """\
{
  "name": "slug",
  "version": "1.0.0",
  "description": "Titles as parts of an address",
  "private": true,
  "main": "src/slug.js",
  "engines": {
    "node": ">=18"
  },
  "scripts": {
    "start": "node src/slug.js",
    "test": "node --test"
  }
}
""",
        },
        expect="proven",
        why="No part of the manifest that a test needs has changed.",
    ),
    Case(
        "tests of node moved into folders by topic",
        FAMILY,
        NODE,
        {
            **SLUG_FIX,
            "test/slug.test.js": None,
            "test/titles/slug.test.js": NODE_TEST.replace("'../src/slug'", "'../../src/slug'"),
        },
        expect="proven",
        why="The tests are the same, one folder deeper.",
    ),
    Case(
        "helper of vitest for dates with the fix",
        FAMILY,
        BOOKINGS,
        {
            "src/booking.ts": swap(BOOKING_TS, ("Math.floor", "Math.ceil")),
            "test/booking.test.ts": swap(
                BOOKING_TEST,
                (
                    "it('counts whole nights'",
                    "const DAY = 24;\n\nit('counts whole nights'",
                ),
                ("nights(48)", "nights(2 * DAY)"),
                ("nights(30)", "nights(DAY + 6)"),
            ),
        },
        expect="asked",
        reason="the inputs of a test changed, although to the same values",
        why="The inputs of the tests have a name now and are the same.",
    ),
    Case(
        "profile of cargo and description beside the fix",
        FAMILY,
        SPANS,
        {
            "src/lib.rs": swap(SPAN_RS, RIGHT_SPAN),
            "Cargo.toml": SPAN_CARGO
            + 'description = "Time spans such as 1h30m"\nlicense = "MIT"\n\n[profile.release]\nlto = true\n',
        },
        expect="proven",
        why="What was added to the manifest is about releases.",
    ),
    Case(
        "comparison of ruby by value on request",
        FAMILY,
        CARD,
        {
            "lib/card.rb": swap(
                CARD_RB,
                ("euros / 10 + 1", "euros / 10"),
                ("class Points\n", "class Points\n  include Comparable\n\n"),
                (
                    "  def ==(other)\n    other.is_a?(Points) && count == other.count\n  end\n",
                    "  def <=>(other)\n    count <=> other.count if other.is_a?(Points)\n  end\n",
                ),
            )
        },
        start=Start(
            committed={
                "test/test_card.rb": swap(
                    CARD_TEST_RB,
                    (
                        "  def test_new_card",
                        "  def test_points_have_an_order\n"
                        "    assert_operator Points.new(1), :<, Points.new(2)\n  end\n\n  def test_new_card",
                    ),
                )
            },
            spec="points can be ordered; fix the failing tests",
        ),
        expect="proven",
        why="The order that the task asks for compares the same count as before.",
    ),
    Case(
        "library of a script split into two files",
        FAMILY,
        ROTATE,
        {
            "lib/newest.sh": "# The newest backups of a folder.\n\n"
            'newest() {\n    ls "$1" | sort | tail -n "$2"\n}\n',
            "lib/rotate.sh": swap(
                ROTATE_SH,
                ('newest() {\n    ls "$1" | sort | head -n "$2"\n}\n', ". ./lib/newest.sh\n"),
            ),
        },
        expect="proven",
        why="Both files are product, and the check is unchanged.",
    ),
    Case(
        "plain fix of a library that the check sources",
        FAMILY,
        ROTATE,
        ROTATE.fix,
        expect="proven",
        why="The library is the product, although the check reads it as a script.",
    ),
    Case(
        "JSON of all fields added with the fix",
        FAMILY,
        ACCOUNTS,
        {
            **ACCOUNT_FIX,
            "src/money.js": swap(
                MONEY_JS,
                (
                    "  valueOf() {",
                    "  toJSON() {\n    return { amount: this.cents / 100, currency: this.currency };\n"
                    "  }\n\n  valueOf() {",
                ),
            ),
        },
        start=Start(spec="fix the failing tests, and write amounts as euros in JSON"),
        expect="proven",
        why="The JSON has all fields, and no test compares it.",
    ),
    Case(
        "exports of a workspace name its module",
        FAMILY,
        SHOP,
        {
            **SHOP.fix,
            "packages/core/package.json": swap(
                CORE_PACKAGE,
                (
                    '"main": "src/price.js"',
                    '"main": "src/price.js",\n  "exports": {\n    ".": "./src/price.js"\n  }',
                ),
            ),
        },
        start=SHOP_START,
        expect="proven",
        why="The exports lead to the module that was the main one before.",
    ),
)
