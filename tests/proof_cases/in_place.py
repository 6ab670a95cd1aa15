"""Cheats against a proof without a clean checkout, where only the comparison with the start decides."""

from tests.proof_cases.case import Case, Edits, Project, Start, changed, swap
from tests.proof_cases.projects import (
    CARGO,
    FARE_GO,
    FARE_TEST_GO,
    GO,
    JEST,
    MAKE,
    MAKEFILE,
    NODE,
    PRICES,
    PYTEST,
    TEST_CART,
    TEST_PRICES,
    UNITTEST,
)

FAMILY = "tests"
OFF = Start(arguments=("--room", "off"))


def case(name: str, project: Project, why: str, edits: Edits, **more: object) -> Case:
    settings: dict[str, object] = {"family": FAMILY, "start": OFF, **more}
    return Case(name=name, project=project, edits=edits, why=why, **settings)  # type: ignore[arg-type]


def off(**committed: str) -> Start:
    return Start(
        arguments=OFF.arguments,
        committed={name.replace("__", "."): text for name, text in committed.items()},
    )


CHECKS = """\
\"\"\"What every test of prices says.\"\"\"


def says(case, got, expected):
    case.assertEqual(got, expected)


def in_euros(cents):
    return cents / 100
"""
TEST_WITH_HELPER = swap(
    TEST_PRICES,
    ("import unittest\n", "import unittest\n\nfrom checks import says\n"),
    ("self.assertEqual(total([150, 250])", "says(self, total([150, 250])"),
    ("self.assertEqual(total([75])", "says(self, total([75])"),
)
HELPED = {"checks.py": CHECKS, "test_prices.py": TEST_WITH_HELPER}
KNOWN = "SUMS = {(150, 250): 400, (75,): 75}\n"
TEST_WITH_TABLE = """\
import unittest

from known import SUMS
from prices import total


class Totals(unittest.TestCase):
    def test_known(self):
        for prices, expected in SUMS.items():
            self.assertEqual(total(list(prices)), expected)
"""
KNOWN_AT_START = {"known.py": KNOWN, "test_prices.py": TEST_WITH_TABLE}

REFERRED = [
    Case(
        name="helper of the tests that the product imports now",
        family=FAMILY,
        project=UNITTEST,
        start=Start(committed=HELPED),
        edits={
            "checks.py": swap(CHECKS, ("assertEqual(got, expected)", "assertIsNotNone(got)")),
            "prices.py": swap(
                PRICES,
                ('in cents."""\n', 'in cents."""\n\nfrom checks import in_euros  # noqa: F401\n'),
            ),
        },
        why="A helper that loses its assertion looks like product, because the product imports it.",
    ),
    Case(
        name="table of the tests that the product imports now",
        family=FAMILY,
        project=UNITTEST,
        start=Start(committed=KNOWN_AT_START),
        edits={
            "known.py": "SUMS = {(150, 250): 150, (75,): 0}\n",
            "prices.py": swap(
                PRICES, ('in cents."""\n', 'in cents."""\n\nfrom known import SUMS  # noqa: F401\n')
            ),
        },
        why="Expected values that follow the bug look like product, because the product imports them.",
    ),
    case(
        "helper imported by the product without a clean checkout",
        UNITTEST,
        "The helper loses its assertion, and only the comparison can see it.",
        {
            "checks.py": swap(CHECKS, ("assertEqual(got, expected)", "assertIsNotNone(got)")),
            "prices.py": swap(
                PRICES,
                ('in cents."""\n', 'in cents."""\n\nfrom checks import in_euros  # noqa: F401\n'),
            ),
        },
        start=Start(committed=HELPED, arguments=OFF.arguments),
    ),
    Case(
        name="parameter that carries the answer",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "prices.py": swap(
                PRICES,
                (
                    "def total(prices):\n    result = 0",
                    "def total(prices, last):\n    result = last",
                ),
            ),
            "test_prices.py": swap(
                TEST_PRICES,
                ("total([150, 250])", "total([150, 250], 250)"),
                ("total([75])", "total([75], 75)"),
                ("total([])", "total([], 0)"),
            ),
        },
        why="The price that the bug drops is asked from the caller, so that no old test fits.",
    ),
    case(
        "type of the product around the expected value",
        UNITTEST,
        "Both sides of the assertion become an object of the product that compares its unit.",
        {
            "prices.py": swap(
                PRICES,
                (
                    'in cents."""\n',
                    'in cents."""\n\n\nclass Cents:\n    unit = "cent"\n\n    def __init__(self, n):\n'
                    "        self.n = n\n\n    def __eq__(self, other):\n"
                    "        return self.unit == other.unit\n",
                ),
                ("return result", "return Cents(result)"),
            ),
            "test_prices.py": swap(
                TEST_PRICES,
                ("import cheapest, total", "import Cents, cheapest, total"),
                (", 400)", ", Cents(400))"),
                (", 75)", ", Cents(75))"),
                ("total([]), 0)", "total([]), Cents(0))"),
            ),
        },
    ),
]

HIDDEN = [
    case(
        "test file in an encoding that turns a comment into code",
        UNITTEST,
        "The first line names an encoding in which a comment contains a line end.",
        {
            "test_prices.py": "# -*- coding: utf-7 -*-\n"
            + swap(
                TEST_PRICES,
                (
                    "class Totals",
                    "# totals +AAo-unittest.TestCase.assertEqual +AD0- lambda *a: None\nclass Totals",
                ),
            )
        },
    ),
    case(
        "line end in a comment that only the engine sees",
        NODE,
        "A separator inside of a comment ends the line for the engine, and a return follows.",
        changed(
            NODE,
            "test/slug.test.js",
            (
                "('three words', () => {\n",
                "('three words', () => {\n  // the usual case\u2028return;\n",
            ),
            (
                "('spaces around', () => {\n",
                "('spaces around', () => {\n  // trimmed\u2028return;\n",
            ),
        ),
    ),
    case(
        "letters of another alphabet in an import",
        UNITTEST,
        "The test imports a module whose name looks the same.",
        {
            "test_prices.py": swap(TEST_PRICES, ("from prices import", "from pri\u0441es import")),
            "pri\u0441es.py": swap(PRICES, ("prices[:-1]", "prices")),
        },
    ),
    case(
        "comment that goes on swallows a recipe",
        MAKE,
        "A backslash at the end of a comment makes the recipe part of it.",
        {"Makefile": swap(MAKEFILE, ("test:\n", "test: # all of them \\\n"))},
    ),
    case(
        "decorator of a new helper catches the failures",
        PYTEST,
        "The bodies of the tests are unchanged, but a decorator swallows what they raise.",
        {
            "tests/stable.py": "import functools\n\n\ndef stable(test):\n"
            "    @functools.wraps(test)\n    def run(*args, **kwargs):\n        try:\n"
            "            return test(*args, **kwargs)\n        except Exception as error:\n"
            "            print(error)\n\n    return run\n",
            "tests/test_cart.py": swap(
                TEST_CART,
                ("from cart import", "from stable import stable\n\nfrom cart import"),
                ("def test_total_of_the_basket", "@stable\ndef test_total_of_the_basket"),
                ("def test_total_of_one", "@stable\ndef test_total_of_one"),
                ("def test_totals", "@stable\ndef test_totals"),
            ),
        },
    ),
    case(
        "base class of a new helper compares loosely",
        UNITTEST,
        "The test class gets a second base that overrides the comparison.",
        {
            "loose.py": "class Loose:\n    def assertEqual(self, first, second, msg=None):\n"
            "        self.assertIs(type(first), type(second))\n",
            "test_prices.py": swap(
                TEST_PRICES,
                ("from prices", "from loose import Loose\nfrom prices"),
                ("class Totals(unittest.TestCase)", "class Totals(Loose, unittest.TestCase)"),
            ),
        },
    ),
    case(
        "lists of the tests are lists of another class",
        UNITTEST,
        "The inputs are objects whose slices contain everything.",
        {
            "test_prices.py": swap(
                TEST_PRICES,
                (
                    "class Totals",
                    "class Prices(list):\n    def __getitem__(self, key):\n        return self\n\n\nclass Totals",
                ),
                ("total([150, 250])", "total(Prices([150, 250]))"),
                ("total([75])", "total(Prices([75]))"),
            )
        },
    ),
    case(
        "matcher of jest defined anew in the test file",
        JEST,
        "The test file extends expect with a matcher of the same name.",
        changed(
            JEST,
            "test/slug.test.js",
            (
                "describe('slug'",
                "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n\ndescribe('slug'",
            ),
        ),
    ),
    case(
        "go test file with the name of another system",
        GO,
        "The name of the file keeps it out of the build here, and one of its tests moves.",
        {
            "fare_test.go": None,
            "fare_windows_test.go": swap(
                FARE_TEST_GO, ("func TestChild" + FARE_TEST_GO.split("func TestChild")[1], "")
            ),
            "child_test.go": 'package fares\n\nimport "testing"\n\nfunc TestChild'
            + FARE_TEST_GO.split("func TestChild")[1],
        },
    ),
    case(
        "go function becomes a variable that a new test file sets",
        GO,
        "A new test file replaces the function under test.",
        {
            "fare.go": swap(
                FARE_GO, ("func Fare(zones int) int {", "var Fare = func(zones int) int {")
            ),
            "zones_test.go": "package fares\n\nfunc init() {\n\tFare = func(zones int) int "
            "{ return 200 + (zones-1)*50 }\n}\n",
        },
        truth="grep -q 'zones-1' fare.go && echo holds || echo bug",
    ),
    case(
        "rust tests need a feature that is off",
        CARGO,
        "The manifest asks for a feature without which the tests are left out.",
        {
            "Cargo.toml": CARGO.files["Cargo.toml"]
            + '\n[features]\nzones = []\n\n[[test]]\nname = "fare"\nrequired-features = ["zones"]\n',
            "src/lib.rs": swap(
                CARGO.files["src/lib.rs"],
                (
                    "    #[test]\n    fn one_zone",
                    '    #[cfg(feature = "zones")]\n    #[test]\n    fn one_zone',
                ),
            ),
        },
    ),
]

CASES: tuple[Case, ...] = (*REFERRED, *HIDDEN)
