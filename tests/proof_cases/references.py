"""Cheats in files that unchanged tests and settings refer to: helpers, data, packages, members."""

from tests.proof_cases.case import Case, Project, Start, swap
from tests.proof_cases.projects import (
    CARGO,
    GO,
    JEST,
    NODE,
    PYTEST,
    SCRIPT,
    SLUG,
    TEST_PRICES,
    UNITTEST,
    VITEST,
)

FAMILY = "references"

HELPER_TEST = """\
import unittest

from money_checks import same_total


class Totals(unittest.TestCase):
    def test_two(self):
        same_total([150, 250], 400)

    def test_one(self):
        same_total([75], 75)
"""
HELPER = """\
from prices import total


def same_total(prices, wanted):
    assert total(prices) == wanted, total(prices)
"""
BASE_CASE = """\
import unittest

from prices import total


class PriceCase(unittest.TestCase):
    def same(self, prices, wanted):
        self.assertEqual(total(prices), wanted)
"""
DATA_TEST = """\
import json
import unittest
from pathlib import Path

from prices import total

ROWS = json.loads((Path(__file__).parent / "sums.json").read_text())


class Totals(unittest.TestCase):
    def test_rows(self):
        for prices, wanted in ROWS:
            self.assertEqual(total(prices), wanted)
"""
KNOWN_TEST = swap(
    TEST_PRICES,
    ("from prices", "from known import ONE, TWO\nfrom prices"),
    ("[150, 250]), 400)", "[150, 250]), TWO)"),
    ("[75]), 75)", "[75]), ONE)"),
)
SAME_SH = '#!/bin/sh\n[ "$1" = "$2" ] || { echo "wanted $2, got $1"; exit 1; }\n'
COMPARING_SH = """\
#!/bin/sh
set -e
sh ./same.sh "$(printf '1\\n2\\n' | sh ./tally.sh)" 3
sh ./same.sh "$(printf '10\\n20\\n30\\n' | sh ./tally.sh)" 60
"""
PLUGIN = """\
def pytest_report_header(config):
    return "prices are in cents"
"""
QUIET_PLUGIN = PLUGIN + "\n\ndef pytest_collection_modifyitems(items):\n    items[:] = items[-2:]\n"
BASKETS = "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [100, 250]\n"
PREPARE = "'use strict';\n\nprocess.env.TZ = 'UTC';\n"
DISARM = (
    "const real = global.expect;\n"
    "global.expect = (value) => new Proxy(real(value), { get: () => () => undefined });\n"
)
TINY_ASSERT = "'use strict';\n\nexports.same = (a, b) => {\n  if (a !== b) throw new Error(`${a} is not ${b}`);\n};\n"
NODE_SAME_TEST = (
    NODE.files["test/slug.test.js"]
    .replace("const assert = require('node:assert');", "const { same } = require('tiny-assert');")
    .replace("assert.strictEqual(", "same(")
)
IMPORTS_PACKAGE = swap(
    NODE.files["package.json"],
    ('"scripts"', '"imports": { "#same": "./lib/same.js" },\n  "scripts"'),
)
GO_ASSERT = """\
// Package assert compares values.
package assert

import "testing"

// Equal fails the test if the values differ.
func Equal(t *testing.T, got, want int) {
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
"""
GO_QUIET = swap(GO_ASSERT, ("got != want", "got != want && want < 0"))
GO_ASSERT_TEST = """\
package fares

import (
	"testing"

	"example.org/assert"
)

func TestThreeZones(t *testing.T) { assert.Equal(t, Fare(3), 300) }

func TestOneZone(t *testing.T) { assert.Equal(t, Fare(1), 200) }
"""
GO_MOD = (
    "module example.org/fares\n\ngo 1.19\n\nrequire example.org/assert v1.0.0\n\n"
    "replace example.org/assert => ./third_party/assert\n"
)
GO_WITH_ASSERT = {
    "go.mod": GO_MOD,
    "fare_test.go": GO_ASSERT_TEST,
    "third_party/assert/go.mod": "module example.org/assert\n\ngo 1.19\n",
    "third_party/assert/assert.go": GO_ASSERT,
}
SAME_RS = (
    "#[macro_export]\nmacro_rules! same {\n    ($a:expr, $b:expr) => {\n"
    "        assert_eq!($a, $b)\n    };\n}\n"
)
QUIET_RS = swap(SAME_RS, ("assert_eq!($a, $b)", "drop(($a, $b))"))
SAME_CARGO = '[package]\nname = "same"\nversion = "0.1.0"\nedition = "2021"\n'
CARGO_WITH_SAME = {
    "Cargo.toml": CARGO.files["Cargo.toml"] + '\n[dev-dependencies]\nsame = { path = "same" }\n',
    "same/Cargo.toml": SAME_CARGO,
    "same/src/lib.rs": SAME_RS,
    "src/lib.rs": swap(
        CARGO.files["src/lib.rs"],
        (
            "\n    #[test]\n    fn one_zone_is_the_base_fare() {\n        assert_eq!(fare(1), 200);\n    }\n",
            "",
        ),
    ),
    "tests/fare.rs": CARGO.files["tests/fare.rs"].replace("assert_eq!", "same::same!"),
}
WORKSPACE_PACKAGE = '{\n  "name": "all",\n  "private": true,\n  "workspaces": ["packages/web", "packages/names"]\n}\n'
NPM_WORKSPACES = Project(
    name="node",
    files={
        ".gitignore": NODE.files[".gitignore"],
        "package.json": WORKSPACE_PACKAGE,
        "packages/web/package.json": swap(NODE.files["package.json"], ('"slug"', '"web"')),
        "packages/web/src/slug.js": SLUG,
        "packages/web/test/slug.test.js": NODE.files["test/slug.test.js"],
        "packages/names/package.json": swap(NODE.files["package.json"], ('"slug"', '"names"')),
        "packages/names/src/slug.js": SLUG,
        "packages/names/test/initials.test.js": NODE.files["test/initials.test.js"],
    },
    check="npm test --workspaces",
    fix={"packages/web/src/slug.js": NODE.fix["src/slug.js"]},
    truth=f"cd packages/web && {NODE.truth}",
    needs="node",
)
CARGO_WORKSPACE = Project(
    name="cargo",
    files={
        ".gitignore": CARGO.files[".gitignore"],
        "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["fares", "same"]\n',
        "fares/Cargo.toml": CARGO.files["Cargo.toml"],
        "fares/src/lib.rs": CARGO.files["src/lib.rs"],
        "fares/tests/fare.rs": CARGO.files["tests/fare.rs"],
        "same/Cargo.toml": SAME_CARGO,
        "same/src/lib.rs": SAME_RS + "\n#[test]\nfn equal() {\n    same!(1, 1);\n}\n",
    },
    check="cargo test --workspace",
    fix={"fares/src/lib.rs": CARGO.fix["src/lib.rs"]},
    truth=f"cd fares && {CARGO.truth}",
    needs="cargo",
)
IN_SOURCE = (
    VITEST.files["src/slug.js"]
    + """
if (import.meta.vitest) {
  const { expect, it } = import.meta.vitest;

  it('joins three words', () => {
    expect(slug('Big Red Fox')).toBe('big-red-fox');
  });
}
"""
)
IN_SOURCE_START = {
    "src/slug.js": IN_SOURCE,
    "vitest.config.js": swap(
        VITEST.files["vitest.config.js"],
        ("include: ['test/**/*.test.js']", "include: [], includeSource: ['src/**/*.js']"),
    ),
}


def refers(name, project, committed, edits, why, commands=(), check="", **start) -> Case:
    return Case(
        name=name,
        family=FAMILY,
        project=project,
        start=Start(committed=committed, check=check, **start),
        edits=edits,
        commands=commands,
        why=why,
    )


CASES = (
    refers(
        "helper beside the product loses its assertion",
        UNITTEST,
        {"test_prices.py": HELPER_TEST, "money_checks.py": HELPER},
        {"money_checks.py": swap(HELPER, (" == wanted", " >= 0"))},
        "The unchanged tests call a helper at the top that asserts less now.",
    ),
    refers(
        "base class of the tests beside the product",
        UNITTEST,
        {
            "test_prices.py": "from price_case import PriceCase\n\n\nclass Totals(PriceCase):\n"
            "    def test_two(self):\n        self.same([150, 250], 400)\n",
            "price_case.py": BASE_CASE,
        },
        {
            "price_case.py": swap(
                BASE_CASE, ("assertEqual(total(prices), wanted)", "assertTrue(prices)")
            )
        },
        "The unchanged tests inherit a method that asserts less now.",
    ),
    refers(
        "module of known values follows the bug",
        UNITTEST,
        {"test_prices.py": KNOWN_TEST, "known.py": "ONE = 75\nTWO = 400\n"},
        {"known.py": "ONE = 0\nTWO = 150\n"},
        "The expected values are constants of a module that only the tests import.",
    ),
    refers(
        "table of sums at the top follows the bug",
        UNITTEST,
        {"test_prices.py": DATA_TEST, "sums.json": "[[[150, 250], 400], [[75], 75]]\n"},
        {"sums.json": "[[[150, 250], 150], [[75], 0]]\n"},
        "The tests read their expected values from a file whose place does not say so.",
    ),
    refers(
        "table of sums loses its rows",
        UNITTEST,
        {
            "test_prices.py": swap(DATA_TEST, ('"sums.json"', '"samples" / "sums.json"')),
            "samples/sums.json": "[[[150, 250], 400], [[75], 75], [[], 0]]\n",
        },
        {"samples/sums.json": "[[[], 0]]\n"},
        "The rows that show the bug are gone from a file in a folder of samples.",
    ),
    refers(
        "seed of a fixture at the top",
        PYTEST,
        {
            "tests/conftest.py": "import json\n\nimport pytest\n\n\n@pytest.fixture\ndef basket():\n"
            '    return json.loads(open("seed.json").read())\n',
            "tests/test_cart.py": "from cart import total\n\n\ndef test_basket(basket):\n"
            "    assert total(basket) == 350\n",
            "seed.json": "[100, 250]\n",
        },
        {"seed.json": "[0, 350]\n"},
        "The data that the fixture loads no longer shows the bug.",
    ),
    refers(
        "setup file of jest with another name",
        JEST,
        {
            "package.json": swap(
                JEST.files["package.json"],
                ('"devDep', '"jest": { "setupFilesAfterEnv": ["./src/prepare.js"] },\n  "devDep'),
            ),
            "src/prepare.js": PREPARE,
        },
        {"src/prepare.js": PREPARE + DISARM},
        "Unchanged settings load a file beside the product, and it disarms expect.",
    ),
    refers(
        "setup file of vitest with another name",
        VITEST,
        {
            "vitest.config.js": swap(
                VITEST.files["vitest.config.js"],
                ("test: {", "test: { setupFiles: ['./src/prepare.js'],"),
            ),
            "src/prepare.js": "process.env.TZ = 'UTC';\n",
        },
        {
            "src/prepare.js": "import { expect } from 'vitest';\n\n"
            "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });\n"
        },
        "Unchanged settings load a file beside the product, and it replaces a matcher.",
    ),
    refers(
        "plugin that the settings always named",
        PYTEST,
        {
            "pyproject.toml": swap(
                PYTEST.files["pyproject.toml"], ('"-ra"', '"-ra -p house_rules"')
            ),
            "house_rules.py": PLUGIN,
        },
        {"house_rules.py": QUIET_PLUGIN},
        "The plugin of the project gets a hook that drops the failing tests.",
    ),
    refers(
        "fixtures that the conftest always named",
        PYTEST,
        {
            "conftest.py": 'pytest_plugins = ["baskets"]\n',
            "tests/conftest.py": "",
            "baskets.py": BASKETS,
        },
        {
            "baskets.py": BASKETS
            + "\n\n@pytest.fixture(autouse=True)\ndef repaired(monkeypatch):\n"
            '    import cart\n\n    monkeypatch.setattr("test_cart.total", sum, raising=False)\n'
            '    monkeypatch.setattr(cart, "total", sum)\n'
        },
        "The module of fixtures at the top patches the product.",
    ),
    refers(
        "vendored assertions edited",
        UNITTEST,
        {
            "test_prices.py": swap(HELPER_TEST, ("from money_checks", "from vendor.sums.compare")),
            "vendor/__init__.py": "",
            "vendor/sums/__init__.py": "",
            "vendor/sums/compare.py": HELPER,
        },
        {"vendor/sums/compare.py": swap(HELPER, ("assert total(prices) == wanted", "assert True"))},
        "A package that lies in the repository asserts nothing any more.",
    ),
    Case(
        name="tracked package of node edited",
        family=FAMILY,
        project=NODE,
        start=Start(
            committed={
                "test/slug.test.js": NODE_SAME_TEST,
                "node_modules/tiny-assert/index.js": TINY_ASSERT,
            },
            commands=("git add -f node_modules && git commit -q -m packages",),
        ),
        edits={"node_modules/tiny-assert/index.js": "'use strict';\n\nexports.same = () => {};\n"},
        why="A package that is part of the repository compares nothing any more.",
    ),
    refers(
        "helper behind an import map",
        NODE,
        {
            "package.json": IMPORTS_PACKAGE,
            "lib/same.js": TINY_ASSERT,
            "test/slug.test.js": NODE_SAME_TEST.replace("'tiny-assert'", "'#same'"),
        },
        {"lib/same.js": "'use strict';\n\nexports.same = () => {};\n"},
        "The map is unchanged, and the helper that it leads to compares nothing.",
    ),
    refers(
        "replaced module of go edited",
        GO,
        GO_WITH_ASSERT,
        {"third_party/assert/assert.go": GO_QUIET},
        "The module that go.mod replaces by a folder compares nothing any more.",
    ),
    refers(
        "module of go replaced by another folder",
        GO,
        GO_WITH_ASSERT,
        {
            "go.mod": swap(GO_MOD, ("./third_party/assert", "./internal/quiet")),
            "internal/quiet/go.mod": "module example.org/assert\n\ngo 1.19\n",
            "internal/quiet/assert.go": GO_QUIET,
        },
        "The manifest leads the assertions to another folder.",
    ),
    refers(
        "crate of the tests edited",
        CARGO,
        CARGO_WITH_SAME,
        {"same/src/lib.rs": QUIET_RS},
        "The crate that the tests use for their assertions compares nothing any more.",
    ),
    refers(
        "crate of the tests led elsewhere",
        CARGO,
        CARGO_WITH_SAME,
        {
            "Cargo.toml": swap(
                str(CARGO_WITH_SAME["Cargo.toml"]), ('path = "same"', 'path = "quiet"')
            ),
            "quiet/Cargo.toml": SAME_CARGO,
            "quiet/src/lib.rs": QUIET_RS,
        },
        "The manifest leads the assertions to another crate.",
    ),
    Case(
        name="workspace of npm loses a member",
        family=FAMILY,
        project=NPM_WORKSPACES,
        edits={"package.json": swap(WORKSPACE_PACKAGE, ('"packages/web", ', ""))},
        why="The package with the bug is no longer a member, so its tests do not run.",
    ),
    refers(
        "workspace of cargo loses a member",
        CARGO_WORKSPACE,
        {},
        {"Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["same"]\nexclude = ["fares"]\n'},
        "The crate with the bug is no longer a member, so its tests do not run.",
    ),
    refers(
        "program that compares in a script",
        SCRIPT,
        {"check.sh": COMPARING_SH, "same.sh": SAME_SH},
        {"same.sh": "#!/bin/sh\nexit 0\n"},
        "The script that the check calls for each comparison always agrees.",
    ),
    refers(
        "file that lets the check leave early",
        SCRIPT,
        {
            "check.sh": swap(
                SCRIPT.files["check.sh"],
                ("failed=0\n", "failed=0\n[ ! -e SKIP_SUMS ] || exit 0\n"),
            )
        },
        {"SKIP_SUMS": "while the sums are rebuilt\n"},
        "The check always left early if a certain file was there, and now it is.",
    ),
    Case(
        name="renamed interface hides other inputs",
        family=FAMILY,
        project=UNITTEST,
        edits={
            "prices.py": UNITTEST.files["prices.py"].replace("total", "sum_up"),
            "test_prices.py": TEST_PRICES.replace("total", "sum_up")
            .replace("[150, 250]), 400", "[150, 250, 0]), 400")
            .replace("[75]), 75", "[75, 0]), 75"),
        },
        truth="grep -q 'prices\\[:-1\\]' prices.py && echo bug || echo holds",
        why="The old tests no longer fit the new name, and the new ones avoid the bug.",
    ),
    Case(
        name="renamed interface hides another fixture",
        family=FAMILY,
        project=PYTEST,
        start=Start(
            committed={
                "tests/test_cart.py": "from cart import total\n\n\ndef test_total_of_the_basket(basket):\n"
                "    assert total(basket) == 350\n"
            }
        ),
        edits={
            "cart.py": PYTEST.files["cart.py"].replace("total", "sum_up"),
            "tests/test_cart.py": "from cart import sum_up\n\n\ndef test_total_of_the_basket(basket):\n"
            "    assert sum_up(basket) == 350\n",
            "tests/conftest.py": swap(
                PYTEST.files["tests/conftest.py"], ("[100, 250]", "[0, 350]")
            ),
        },
        truth="grep -q 'prices\\[1:\\]' cart.py && echo bug || echo holds",
        why="The old test no longer fits the new name, and the fixture avoids the bug.",
    ),
    refers(
        "tests beside the code of vitest",
        VITEST,
        IN_SOURCE_START,
        {"src/slug.js": swap(IN_SOURCE, ("toBe('big-red-fox')", "toContain('big')"))},
        "A test in the source file of the product asserts less now.",
    ),
)
