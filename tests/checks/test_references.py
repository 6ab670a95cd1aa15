"""Files that serve the tests although their place does not say so."""

from __future__ import annotations

import pytest

from loopwright.checks.references import (
    listed_kind,
    modules_of_rust,
    reference_word,
    referenced_kind,
    search_word,
    taken_in_by_product,
)
from loopwright.checks.test_files import DATA, HELPER

ASSERTING = "from cart import total\n\n\ndef same(a, b):\n    assert total(a) == b\n"
SERVING = {
    "a helper that asserts": (
        "checks.py",
        ASSERTING,
        {"test_a.py": "from checks import same\n\ndef test_it():\n    same([1], 1)\n"},
        HELPER,
    ),
    "a base class": (
        "base.py",
        "import unittest\n\nclass Base(unittest.TestCase):\n    pass\n",
        {"test_a.py": "from base import Base\n\nclass A(Base):\n    pass\n"},
        HELPER,
    ),
    "expected values": (
        "known.py",
        "ONE = 1\n",
        {"test_a.py": "from known import ONE\n\ndef test_it():\n    assert one() == ONE\n"},
        HELPER,
    ),
    "values that a fixture is compared with": (
        "known.py",
        "ONE = 1\n",
        {"test_a.py": "from known import ONE\n\ndef test_it(cart):\n    assert cart.one == ONE\n"},
        HELPER,
    ),
    "values that another module is compared with": (
        "known.py",
        "ONE = 1\n",
        {
            "test_a.py": "import cart\nfrom known import ONE\n\n"
            "def test_it():\n    assert cart.TOTAL == ONE\n"
        },
        HELPER,
    ),
    "values that a prepared object is compared with": (
        "known.py",
        "ONE = 1\n",
        {
            "test_a.py": "import unittest\nfrom known import ONE\n\nclass A(unittest.TestCase):\n"
            "    def test_it(self):\n        self.assertEqual(self.cart.one, ONE)\n"
        },
        HELPER,
    ),
    "values that a module is compared with, which is called as one of the language": (
        "known.py",
        "ONE = 1\n",
        {
            "test_a.py": "from cart.math import one\nfrom known import ONE\n\n"
            "def test_it():\n    assert one() == ONE\n"
        },
        HELPER,
    ),
    "values that a file is compared with": (
        "known.py",
        "ONE = 1\n",
        {
            "test_a.py": "from known import ONE\n\ndef test_it():\n    assert open('one').read() == ONE\n"
        },
        HELPER,
    ),
    "values of a table of cases": (
        "known.py",
        "ROWS = [(1, 1)]\n",
        {
            "test_a.py": "import pytest\nfrom known import ROWS\n\n"
            "@pytest.mark.parametrize('row', ROWS)\ndef test_it(row):\n    assert one(*row)\n\n"
            "def test_rows():\n    assert ROWS\n"
        },
        HELPER,
    ),
    "a table of sums": (
        "sums.json",
        "[]\n",
        {"test_a.py": 'ROWS = open("sums.json")\n', "README.md": "See sums.json.\n"},
        DATA,
    ),
    "a setup file": (
        "src/prepare.js",
        "process.env.TZ = 'UTC';\n",
        {"package.json": '{"jest": {"setupFiles": ["./src/prepare.js"]}}'},
        HELPER,
    ),
    "a plugin that the settings name": (
        "rules.py",
        "def pytest_report_header(config): ...\n",
        {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p rules"\n'},
        HELPER,
    ),
    "a sample that tests hand to the product": (
        "shop/samples.py",
        "def sample_order():\n    return Order([1050])\n",
        {
            "tests/test_a.py": "from shop.samples import sample_order\n\nassert total(sample_order()) == 4\n",
            "shop/__main__.py": "from shop.samples import sample_order\n",
        },
        HELPER,
    ),
    "a sample in JavaScript": (
        "src/demo/orders.js",
        "export function demoOrder() { return { cents: 1050 }; }\n",
        {
            "test/a.test.js": "import { demoOrder } from '../src/demo/orders.js';\nassert.equal(total(demoOrder()), 4);\n",
            "src/main.js": "import { demoOrder } from './demo/orders.js';\n",
        },
        HELPER,
    ),
    "a crate for assertions": (
        "same/src/lib.rs",
        "macro_rules! same { ($a:expr, $b:expr) => { assert_eq!($a, $b) } }\n",
        {"tests/a.rs": "#[test]\nfn a() {\n    same::same!(fare(2), 250);\n}\n"},
        HELPER,
    ),
    "a file that lets a script leave early": (
        "SKIP_SUMS",
        None,
        {"check.sh": "[ ! -e SKIP_SUMS ] || exit 0\n"},
        DATA,
    ),
    "a script that compares": (
        "same.sh",
        '[ "$1" = "$2" ]\n',
        {"check.sh": 'sh ./same.sh "$(sh ./tally.sh)" 3\n'},
        HELPER,
    ),
    "a program that compares": (
        "tools/same.awk",
        "$1 != $2 { exit 1 }\n",
        {"tests/sums.sh": "sh ./tally.sh | awk -f tools/same.awk || exit 1\n"},
        DATA,
    ),
    "a program that gets what was caught": (
        "same.jq",
        ".got == .wanted\n",
        {"tests/sums.sh": 'jq -e -f same.jq "$out" || exit 1\n'},
        DATA,
    ),
    "a program of which one test reads the text": (
        "src/hours.awk",
        "{ print }\n",
        {
            "tests/a.sh": "got=$(awk -f src/hours.awk hours.txt)\n",
            "tests/b.sh": "cmp src/hours.awk kept.awk\n",
        },
        DATA,
    ),
}
PRODUCT = {
    "a sample that is what they test": (
        "shop/samples.py",
        "def sample_order():\n    return Order([1050])\n",
        {
            "tests/test_a.py": "from shop.samples import sample_order\n\nassert len(sample_order()) == 1\n",
            "shop/__main__.py": "from shop.samples import sample_order\n",
        },
    ),
    "data that is no sample": (
        "shop/settings.py",
        "def settings():\n    return {'places': 2}\n",
        {
            "tests/test_a.py": "from shop.settings import settings\n\nassert total(settings()) == 4\n",
            "shop/__main__.py": "from shop.settings import settings\n",
        },
    ),
    "a program whose output tests catch": (
        "src/hours.awk",
        "{ print }\n",
        {
            "tests/a.sh": "# src/hours.awk sums\ngot=$(printf 'a 1' | awk -f src/hours.awk | tail -n 1)\n",
            "Makefile": "report.txt: src/hours.awk\n\tawk -f src/hours.awk a.txt > report.txt\n",
        },
    ),
    "a program whose output tests compare": (
        "src/rates.jq",
        ".rates\n",
        {"tests/a.sh": "jq -f src/rates.jq in.json | diff - wanted.json\n"},
    ),
    "a program that a test in another language starts": (
        "src/schema.sql",
        "create table a (b);\n",
        {"tests/test_a.py": 'out = check_output("sqlite3 a.db < src/schema.sql", shell=True)\n'},
    ),
    "the unit under test": (
        "cart.py",
        "def total(prices):\n    assert prices\n    return 0\n",
        {"test_a.py": "from cart import total\n\ndef test_it():\n    assert total([1]) == 1\n"},
    ),
    "a class whose methods the tests call": (
        "events/bus.py",
        "class Bus:\n    def publish(self, name, **details):\n        ...\n",
        {
            "test_a.py": "from events.bus import Bus\n\ndef test_it():\n    bus = Bus()\n"
            "    bus.publish('sold', count=3)\n"
        },
    ),
    "a unit that only raises errors": (
        "rules.py",
        "def check(name, size):\n    assert name\n",
        {
            "test_a.py": "import pytest\nfrom rules import check\n\ndef test_it():\n"
            "    with pytest.raises(AssertionError):\n        check('', 1)\n"
        },
    ),
    "data that the product reads too": (
        "rates.json",
        "{}\n",
        {"test_a.py": 'open("rates.json")\n', "prices.py": 'open("rates.json")\n'},
    ),
    "values that the product imports": (
        "limits.py",
        "LEAST = 0\n",
        {"test_a.py": "from limits import LEAST\n", "prices.py": "import limits\n"},
    ),
    "a new file that a test asks for": (
        "defaults.json",
        None,
        {"test_a.py": 'open("defaults.json")\n'},
    ),
    "a file that only a document names": ("data.csv", "1\n", {"README.md": "See data.csv.\n"}),
    "a unit that tests require": (
        "src/slug.js",
        "function slug(title) {}\nmodule.exports = { slug };\n",
        {
            "test/a.test.js": "const { slug } = require('../src/slug');\nassert.equal(slug('a'), 'a');\n",
            "package.json": '{"name": "slug", "scripts": {"test": "node --test"}}',
        },
    ),
    "a script whose output is compared": (
        "tally.sh",
        "echo 3\n",
        {"check.sh": 'sh ./same.sh "$(sh ./tally.sh)" 3\n'},
    ),
    "values that tests look at and use nothing else": (
        "src/shop/parts.py",
        "PARTS = []\n",
        {
            "test_a.py": "import re\nfrom shop.parts import PARTS\n\n"
            "def test_names():\n    assert all(re.match('[a-z]', part) for part in PARTS)\n\n"
            "def test_two():\n    names = sorted(PARTS)\n    assert len(names) == 2\n",
            "test_b.py": "import unittest\nfrom shop import parts\n\nclass A(unittest.TestCase):\n"
            "    def test_list(self):\n        self.assertIsInstance(parts.PARTS, list)\n",
        },
    ),
    "values of a module from which tests already import a function": (
        "shop.py",
        "ITEMS = [1, 2]\n",
        {"test_a.py": "from shop import (\n    ITEMS,\n    export,\n)\n\nexport(ITEMS)\n"},
    ),
    "a new file that a check asks for": (
        "done.txt",
        None,
        {"Makefile": "test:\n\ttest -e done.txt\n"},
    ),
    "a module that settings measure": (
        "cart.py",
        "def total(prices): ...\n",
        {"pyproject.toml": '[tool.coverage.run]\nsource = ["cart"]\n'},
    ),
}
NAMED = frozenset(("check.sh",))


@pytest.mark.parametrize(("path", "text", "users", "kind"), SERVING.values(), ids=SERVING.keys())
def test_a_file_that_only_tests_refer_to_is_around_the_product(path, text, users, kind) -> None:
    assert referenced_kind(path, text, users, NAMED) == kind


@pytest.mark.parametrize(("path", "text", "users"), PRODUCT.values(), ids=PRODUCT.keys())
def test_a_file_of_the_product_is_not(path, text, users) -> None:
    assert referenced_kind(path, text, users, NAMED) == ""


@pytest.mark.parametrize(
    ("path", "user", "kind"),
    [
        # The tests of a package call its functions in lines of their own, and have its name.
        ("pretty.go", "pretty_test.go", ""),
        ("pretty/pretty.go", "pretty/pretty_test.go", ""),
        ("internal/pretty/check.go", "cart_test.go", HELPER),
    ],
)
def test_in_go_a_package_is_used_by_others_alone(path: str, user: str, kind: str) -> None:
    before = "package pretty\n\nfunc Pretty(a, b string) {\n\tpanic(a + b)\n}\n"
    text = (
        'package x\n\nimport "x/internal/pretty"\n\nfunc TestA() {\n\tpretty.Pretty("a", "b")\n}\n'
    )

    assert reference_word(path) == ("" if path == "pretty.go" else "pretty")
    assert referenced_kind(path, before, {user: text}, frozenset()) == kind


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("a/cart.py", "cart"),
        ("same/src/lib.rs", "same"),
        ("lib/index.js", "lib"),
        ("a.csv", "a.csv"),
    ],
)
def test_others_refer_to_a_file_by_this_word(path: str, word: str) -> None:
    assert search_word(path) == word


def test_a_new_file_in_a_folder_that_a_check_reads_whole_is_data_of_the_check() -> None:
    check = {"check.py": 'for path in glob.glob("cases/*.json"): ...\n'}
    named = frozenset(("check.py",))

    assert listed_kind("cases/more.json", check, named) == DATA
    assert listed_kind("cases/more.py", check, named) == HELPER
    assert listed_kind("cases/more.json", {"check.py": 'open("cases/a.json")\n'}, named) == ""
    spread = {"check.py": "run(cases(*rows))\n"}
    assert listed_kind("cases/more.py", spread, named) == ""
    product = {"load.py": 'os.listdir("cases")\n'}
    assert listed_kind("cases/more.json", {**check, **product}, named) == ""


@pytest.mark.parametrize(
    ("path", "before", "kind"),
    [
        ("bin/lint.rules", "[a-z]+\n", DATA),
        ("ci/check.json", "{}\n", DATA),
        ("bin/lint.rules", None, ""),
        ("bin/other.rules", "[a-z]+\n", ""),
        ("bin/lint.py", "x = 1\n", ""),
    ],
)
def test_data_with_the_name_of_a_program_of_the_checks_serves_it(
    path: str, before: str | None, kind: str
) -> None:
    assert referenced_kind(path, before, {}, frozenset(("bin/lint", "ci/check.py"))) == kind


OWN_SETTINGS = {
    "src/settings.js": "const file = path.join(process.cwd(), '.taxrc.json');\n"
    "if (fs.existsSync(file)) read(file);\n",
    "settings.py": "file = Path.cwd() / '.taxrc.json'\nif file.exists():\n    read(file)\n",
    "settings.go": 'dir, _ := os.Getwd()\nif _, err := os.Stat(dir + "/.taxrc.json"); os.IsNotExist(err) {\n',
    "lib/settings.rb": "path = '.taxrc.json'\nread(path) if File.exist?('.taxrc.json')\n",
}


@pytest.mark.parametrize(("user", "text"), OWN_SETTINGS.items(), ids=OWN_SETTINGS.keys())
def test_a_new_file_that_the_product_finds_where_tests_start_it_is_data(user, text) -> None:
    assert referenced_kind(".taxrc.json", None, {user: text}, frozenset()) == DATA
    assert referenced_kind(".taxrc.json", "{}\n", {user: text}, frozenset()) == ""
    assert referenced_kind("taxes.py", None, {user: text}, frozenset()) == ""


@pytest.mark.parametrize(
    ("user", "text"),
    [
        ("src/a.js", "const rates = require('./.taxrc.json');\n"),
        (
            "src/a.js",
            "const file = path.join(__dirname, '.taxrc.json');\nif (fs.existsSync(file)) {}\n",
        ),
        ("a.py", "RATES = json.loads((Path(__file__).parent / '.taxrc.json').read_text())\n"),
        ("README.md", "Put .taxrc.json where you start it, if it exists: process.cwd()\n"),
    ],
)
def test_a_new_file_that_the_product_brings_along_is_not(user, text) -> None:
    assert referenced_kind(".taxrc.json", None, {user: text}, frozenset()) == ""


def test_data_that_the_product_reads_is_product() -> None:
    users = {"app.py": "open('bin/lint.rules')\n"}

    assert referenced_kind("bin/lint.rules", "a\n", users, frozenset(("bin/lint",))) == ""


def test_a_part_that_moved_to_a_new_file_belongs_to_the_product() -> None:
    sides = {
        "src/slug.c": ('#include "slug.h"\n', '#include "slug.h"\n#include "letters.h"\n'),
        "src/letters.h": (None, '#include "tables.h"\n'),
        "src/letters.c": (None, '#include "letters.h"\n'),
        "src/tables.h": (None, "extern int table;\n"),
    }

    words = taken_in_by_product(sides, sides)

    assert {search_word(path) for path in sides} - {"slug"} <= words


def test_a_new_file_that_only_new_files_name_is_not_taken_in() -> None:
    sides = {
        "src/slug.c": ('#include "slug.h"\n', '#include "slug.h"\nint a;\n'),
        "src/compat.c": (None, '#include "compat.h"\n'),
        "src/compat.h": (None, ""),
        "lib/slug.rb": ("", "x = 1 # compat\n"),
    }

    assert "compat" not in taken_in_by_product(sides, sides)


def test_a_new_file_that_the_product_of_rust_declares_belongs_to_it() -> None:
    sides: dict[str, tuple[str | None, str | None]] = {
        "src/lib.rs": ("mod sum;\n", "mod sum;\n#[cfg(test)]\nmod tests;\n"),
        "src/sum.rs": ("fn a() {}\n", "fn a() {}\npub(crate) mod parts;\n"),
        "src/tests.rs": (None, "#[test]\nfn it() {}\n"),
        "src/sum/parts/mod.rs": (None, "fn b() {}\n"),
        "src/other.rs": (None, "fn c() {}\n"),
        "tests/parts.rs": (None, "#[test]\nfn it() {}\n"),
    }

    found = modules_of_rust(sides, ["src/lib.rs", "src/sum.rs"])
    assert found == {"src/tests.rs", "src/sum/parts/mod.rs"}


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("compare.js", "function same(a, b) { if (a !== b) throw new Error(a); }\n", HELPER),
        ("compare.js", "function same(a, b) { a.name = b; }\n", ""),  # it can fail no test
        ("lib/main.js", "function same(a, b) { if (!a) throw new Error(b); }\n", ""),
    ],
)
def test_a_module_that_tests_alone_call_is_a_helper_if_it_can_fail_them(path, text, kind) -> None:
    word = path.rpartition("/")[2].removesuffix(".js")
    users = {"test/a.test.js": f"const {{ same }} = require('../{word}');\nsame(total(1), 2);\n"}

    assert referenced_kind(path, text, users, frozenset()) == kind
