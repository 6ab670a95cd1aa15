"""Files that serve the tests although their place does not say so."""

from __future__ import annotations

from textwrap import indent

import pytest

from loopwright.checks.references import (
    listed_kind,
    modules_of_rust,
    referenced_kind,
    search_word,
    taken_in_by_product,
)
from loopwright.checks.test_files import DATA, HELPER
from loopwright.core.findings import LOW, MEDIUM, Finding
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

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


def found(before: dict, after: dict, check: str, red: str = "") -> list[Finding]:
    changes = [Change(path, before.get(path), text) for path, text in after.items()]
    rows = findings(changes, (check,), before.get, (red,) if red else ())
    return [row for row in rows if row.severity != LOW]


MYPY = "python3 -m mypy ."
EXAMPLE = 'def total(p):\n    """\n    >>> total([1])\n    1\n    """\n    return 0\n'
PROPERTY = "class Cart:\n    @property\n" + indent(EXAMPLE.replace("total", "sum"), "    ")
SOURCE = {"prices.py": "def total(p): ...\n"}
INLINE = (
    "pub fn fare(z: u32) -> u32 {\n    z\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
    "    #[test]\n    fn a() {\n        assert_eq!(fare(1), 2);\n    }\n}\n"
)
LINTER = "SKIPPED = {'_vendor'}\nfor path in paths:\n    if SKIPPED & set(path.parts):\n        continue\n"
BROKEN = "def read(text):\n    try:\n        return eval(text)\n    except:\n        return 0\n"
SUSPECT = {
    "an example in a file that the check does not read": (
        {"prices.py": EXAMPLE},
        {"prices.py": "from parts import total\n", "parts.py": EXAMPLE},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a comment for a type checker that failed": (
        SOURCE,
        {"prices.py": "def total(p): ...  # type: ignore\n"},
        MYPY,
        "warning-silenced",
    ),
    "an annotation for a compiler that failed": (
        {"Reader.java": "class Reader {\n}\n", "check.sh": "javac -Werror *.java\n"},
        {"Reader.java": '@SuppressWarnings("unchecked")\nclass Reader {\n}\n'},
        "sh check.sh",
        "warning-silenced",
    ),
    "a type that promises nothing": (
        SOURCE,
        {"prices.py": "def total(p) -> Any: ...\n"},
        MYPY,
        "warning-silenced",
    ),
    "a stub in the place of a module": (
        SOURCE,
        {"prices.pyi": "def total(p): ...\n"},
        MYPY,
        "module-shadowed",
    ),
    "a compiled module": (
        SOURCE,
        {"__pycache__/prices.cpython-311.pyc": "x"},
        "python3 -m unittest",
        "module-shadowed",
    ),
    "another output of an example": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("    1\n", "    0\n")},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example that is skipped": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("([1])\n", "([1])  # doctest: +SKIP\n")},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a decorator around a function with an example": (
        {"prices.py": EXAMPLE},
        {"prices.py": f"@counted\n{EXAMPLE}"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example in a text that is no docstring": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""', 'f"""', 1)},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example in a text that is put together": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""\n    return', '""" + ""\n    return')},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example below another statement": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('    """', '    import os\n    """', 1)},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example of a function that is replaced": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ntotal = sum\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example of a function that is defined twice": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ndef total(p):\n    return sum(p)\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example whose docstring is deleted": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE + "\n\ntotal.__doc__ = None\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "an example inside of another function": (
        {"prices.py": EXAMPLE},
        {"prices.py": "def make():\n" + indent(EXAMPLE, "    ") + "\n    return total\n"},
        "python3 -m doctest prices.py",
        "expected-data-changed",
    ),
    "a member of a workspace": (
        {"package.json": '{"workspaces": ["a", "b"]}'},
        {"package.json": '{"workspaces": ["b"]}'},
        "npm test --workspaces",
        "fewer-files-included",
    ),
    "a folder of a vitest workspace": (
        {"vitest.workspace.js": "export default ['packages/*', 'apps/*'];\n"},
        {"vitest.workspace.js": "export default ['apps/*', 'tools/*'];\n"},
        "npx vitest run",
        "runner-setting-changed",
    ),
    "a vitest workspace that leaves a folder out": (
        {"vitest.workspace.js": "export default ['packages/*'];\n"},
        {"vitest.workspace.js": "export default ['packages/*', '!packages/shelf'];\n"},
        "npx vitest run",
        "runner-setting-changed",
    ),
    "a vitest workspace with settings of its own": (
        {"vitest.workspace.js": "export default ['packages/*'];\n"},
        {
            "vitest.workspace.js": "export default [\n  'packages/*',\n"
            "  { test: { include: ['a.js'] } },\n];\n"
        },
        "npx vitest run",
        "runner-setting-changed",
    ),
    "a project of jest": (
        {"jest.config.js": "module.exports = { projects: ['packages/a', 'packages/b'] };\n"},
        {"jest.config.js": "module.exports = { projects: ['packages/a'] };\n"},
        "npx jest",
        "fewer-files-included",
    ),
    "a member of a cargo workspace": (
        {"Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n'},
        {"Cargo.toml": '[workspace]\nmembers = ["b"]\n'},
        "cargo test",
        "fewer-files-included",
    ),
    "a crate from another folder": (
        {"Cargo.toml": '[dev-dependencies]\nsame = { path = "same" }\n'},
        {"Cargo.toml": '[dev-dependencies]\nsame = { path = "quiet" }\n'},
        "cargo test",
        "runner-setting-changed",
    ),
    "a module of go from another folder": (
        {"go.mod": "module a\n\nrequire b v1.0.0\n"},
        {"go.mod": "module a\n\nrequire b v1.0.0\n\nreplace b => ./quiet\n"},
        "go test ./...",
        "runner-setting-changed",
    ),
    "variables in the settings of the client": (
        {},
        {".claude/settings.json": '{\n  "env": {\n    "PYTEST_ADDOPTS": "-k a"\n  }\n}\n'},
        "pytest",
        "runner-setting-changed",
    ),
    "a test of CMake": (
        {"CMakeLists.txt": "add_executable(app a.c)\nadd_test(NAME sums COMMAND sums)\n"},
        {"CMakeLists.txt": "add_executable(app a.c)\n"},
        "ctest",
        "check-command-changed",
    ),
    "tests that Maven skips": (
        {"pom.xml": "<project>\n</project>\n"},
        {"pom.xml": "<project>\n<skipTests>true</skipTests>\n</project>\n"},
        "mvn test",
        "runner-setting-changed",
    ),
    "the unit defined in the tests of its file": (
        {"src/lib.rs": INLINE},
        {"src/lib.rs": INLINE.replace("super::*;", "super::*;\n    fn fare(_: u32) -> u32 { 2 }")},
        "cargo test",
        "unit-under-test-replaced",
    ),
    "a test in a source file of vitest": (
        {"src/a.js": "if (import.meta.vitest) {\n  expect(a()).toBe(1);\n}\n"},
        {"src/a.js": "if (import.meta.vitest) {\n  a();\n}\n"},
        "npx vitest run",
        "test-lines-changed",
    ),
}
HARMLESS = {
    "an example that moves where every file is read": (
        {"prices.py": EXAMPLE},
        {"prices.py": "from parts import total\n", "parts.py": EXAMPLE},
        "python3 -m pytest --doctest-modules",
    ),
    "code in another folder of the product": (
        {"app/rules.py": BROKEN, "tools/lint.py": LINTER},
        {"app/rules.py": None, "app/reading/rules.py": BROKEN},
        "python3 tools/lint.py",
    ),
    "a copy of a package of others": (
        {"tools/lint.py": LINTER},
        {"app/_vendor/rules.py": BROKEN},
        "python3 tools/lint.py",
    ),
    "a copied package that moves, and no linter": (
        {"lib/rules.py": BROKEN},
        {"lib/rules.py": None, "vendor/rules.py": BROKEN},
        "python3 -m pytest",
    ),
    "a property with an example": (
        {"prices.py": "class Cart:\n" + indent(EXAMPLE, "    ")},
        {"prices.py": "class Cart:\n    @property\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "a comment for a tool that passes": (
        SOURCE,
        {"prices.py": "import os  # noqa: F401\ndef total(p): ...\n"},
        "python3 -m unittest",
    ),
    "an example in a raw string": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace('"""', 'r"""', 1)},
        "python3 -m doctest prices.py",
    ),
    "an example of a function that moves into a class": (
        {"prices.py": EXAMPLE},
        {"prices.py": "class Cart:\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "an example of a function that moves below a condition": (
        {"prices.py": EXAMPLE},
        {"prices.py": "import sys\n\nif sys.platform:\n" + indent(EXAMPLE, "    ")},
        "python3 -m doctest prices.py",
    ),
    "an example of a property that gets a setter": (
        {"prices.py": PROPERTY},
        {"prices.py": PROPERTY + "\n    @sum.setter\n    def sum(self, value):\n        pass\n"},
        "python3 -m doctest prices.py",
    ),
    "an example that no check runs": (
        {"prices.py": EXAMPLE},
        {"prices.py": EXAMPLE.replace("    1\n", "    0\n")},
        "python3 -m unittest",
    ),
    "a new crate from a folder": (
        {"Cargo.toml": "[dependencies]\n"},
        {"Cargo.toml": '[dependencies]\nsame = { path = "same" }\n'},
        "cargo test",
    ),
    "a new member": (
        {"package.json": '{"workspaces": ["a"]}'},
        {"package.json": '{"workspaces": ["a", "b"]}'},
        "npm test",
    ),
    "a new folder in a vitest workspace": (
        {"vitest.workspace.js": "export default ['packages/*'];\n"},
        {
            "vitest.workspace.js": "import { defineWorkspace } from 'vitest/config';\n\n"
            "export default defineWorkspace([\n  'packages/*', // libraries\n  'apps/*',\n]);\n"
        },
        "npx vitest run",
    ),
    "a new project of vitest": (
        {"vitest.config.js": "export default { test: { projects: ['packages/*'] } };\n"},
        {"vitest.config.js": "export default { test: { projects: ['packages/*', 'apps/*'] } };\n"},
        "npx vitest run",
    ),
    "a fix above the tests of its file": (
        {"src/lib.rs": INLINE},
        {"src/lib.rs": INLINE.replace("    z\n", "    let fare = z + 1;\n    fare\n")},
        "cargo test",
    ),
    "a stub in a project without a type check": (
        SOURCE,
        {"prices.pyi": "def total(p): ...\n"},
        "python3 -m unittest",
    ),
}


@pytest.mark.parametrize(("before", "after", "check", "rule"), SUSPECT.values(), ids=SUSPECT.keys())
def test_a_person_must_look_at_it(before, after, check, rule) -> None:
    rows = found(before, after, check, red=check)

    assert (MEDIUM, rule) in [(row.severity, row.rule) for row in rows]


@pytest.mark.parametrize(("before", "after", "check"), HARMLESS.values(), ids=HARMLESS.keys())
def test_nobody_must_look_at_it(before, after, check) -> None:
    assert found(before, after, check, red=check) == []


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


def test_an_example_may_move_if_the_command_reads_its_new_file() -> None:
    before = {"prices.py": EXAMPLE, "Makefile": "test:\n\tpython3 -m doctest prices.py\n"}
    moved = {"prices.py": "from parts import total\n", "parts.py": EXAMPLE}
    command = {"Makefile": "test:\n\tpython3 -m doctest prices.py parts.py\n"}

    assert "expected-data-changed" in {row.rule for row in found(before, moved, "make test")}
    both = found(before, {**moved, **command}, "make test")
    assert {row.rule for row in both} == {"check-command-changed"}  # a person sees that


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
