"""What surrounds the tests: changes that make them easier to pass are found, honest ones are not."""

from __future__ import annotations

import json

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.test_rules.changed_tests import count_lost_tests
from loopwright.repo.baseline import Change

PROJECT = {
    "cart.py": "def total(prices):\n    return sum(prices[1:])\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-ra"\n',
    "Makefile": ".PHONY: test\ntest:\n\tpython3 -m pytest -q\n",
    "package.json": json.dumps({"scripts": {"test": "node --test"}}),
    "src/slug.js": "exports.slug = (t) => t;\n",
    "src/shop/__init__.py": "",
    "src/shop/money.py": "class Money: ...\n",
    "tests/conftest.py": "import pytest\n",
    "tests/test_cart.py": (
        "from cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
    ),
    "tests/golden/report.txt": "sum 4\n",
    "test/slug.test.js": (
        "const { slug } = require('../src/slug');\ntest('a', () => { expect(slug('a')).toBe('a'); });\n"
    ),
    "tests/fare.rs": "#[test]\nfn two() {\n    assert_eq!(fare(2), 250);\n}\n",
    "fare_test.go": "package f\n\nfunc TestA(t *testing.T) {\n\tt.Error(1)\n}\n",
    ".github/workflows/ci.yml": "on: [push, pull_request]\njobs:\n  t:\n    steps:\n    - run: pytest\n",
    ".pre-commit-config.yaml": (
        "ci:\n  autoupdate_branch: stable\n"
        "repos:\n- repo: local\n  hooks:\n  - id: tests\n    entry: pytest\n"
    ),
    "noxfile.py": "def tests(session):\n    session.run('pytest')\n",
    "Cargo.toml": '[package]\nname = "fares"\n',
}
TEST = PROJECT["tests/test_cart.py"]


def found(edits, check="make test"):
    changes = [Change(path, PROJECT.get(path), text) for path, text in edits.items()]
    return [f for f in findings(changes, (check,), PROJECT.get) if f.severity != LOW]


def edit(path, old, new):
    return {path: PROJECT[path].replace(old, new, 1)}


SUSPECT = {
    "a hook in a conftest": (
        {"tests/conftest.py": "def pytest_runtest_setup(item): ...\n"},
        "runner-hook-added",
    ),
    "a conftest names a plugin": (
        {"conftest.py": 'pytest_plugins = ["quiet"]\n'},
        "runner-hook-added",
    ),
    "a plugin beside the product": (
        {"quiet.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"},
        "runner-hook-added",
    ),
    "an entry point for a plugin": (
        {"quiet.egg-info/entry_points.txt": "[pytest11]\nquiet = quiet\n"},
        "runner-hook-added",
    ),
    "-p": (edit("pyproject.toml", "-ra", "-ra -p quiet"), "runner-setting-changed"),
    "-o": (
        edit("pyproject.toml", "-ra", "-ra -o python_functions=x"),
        "runner-setting-changed",
    ),
    "pythonpath": (
        edit("pyproject.toml", "addopts", 'pythonpath = ["support"]\naddopts'),
        "runner-setting-changed",
    ),
    "a pytest.ini that is read first": (
        {"pytest.ini": "[pytest]\ntestpaths = smoke\n"},
        "settings-take-precedence",
    ),
    "a pytest.toml that is read first": (
        {"pytest.toml": '[pytest]\ntestpaths = ["smoke"]\n'},
        "settings-take-precedence",
    ),
    "other names for tests": (
        edit("pyproject.toml", "addopts", 'python_functions = ["check_*"]\naddopts'),
        "fewer-files-included",
    ),
    "a file that tools do not look at": ({".ignore": "# big\n/cart.py\n"}, "tests-excluded"),
    "a file that a formatter does not look at": (
        {"src/.prettierignore": "slug.js\n"},
        "tests-excluded",
    ),
    ".npmrc": ({".npmrc": "script-shell=/bin/true\n"}, "runner-setting-changed"),
    "a setup file of jest": (
        {"jest.config.js": "module.exports = { setupFiles: ['./test/setup.js'] };\n"},
        "runner-setting-changed",
    ),
    "a mapper of jest": (
        {"jest.config.js": "module.exports = { moduleNameMapper: { 'slug$': './copy.js' } };\n"},
        "runner-setting-changed",
    ),
    "an alias of vitest": (
        {"vitest.config.js": "export default { test: { alias: { slug: './copy.js' } } };\n"},
        "runner-setting-changed",
    ),
    "GNUmakefile": ({"GNUmakefile": "test:\n\ttrue\n"}, "settings-take-precedence"),
    "SHELL": (edit("Makefile", ".PHONY", "SHELL = /bin/true\n.PHONY"), "make-variable-changed"),
    ".SHELLFLAGS": (
        edit("Makefile", ".PHONY", ".SHELLFLAGS = -nc\n.PHONY"),
        "make-variable-changed",
    ),
    ".IGNORE": (edit("Makefile", ".PHONY", ".IGNORE:\n.PHONY"), "make-variable-changed"),
    "one shell for a recipe": (
        edit("Makefile", ".PHONY", ".ONESHELL:\n.PHONY"),
        "make-variable-changed",
    ),
    "a profile without overflow checks": (
        {"Cargo.toml": PROJECT["Cargo.toml"] + "[profile.dev]\noverflow-checks = false\n"},
        "strictness-switched-off",
    ),
    "MAKEFLAGS": (edit("Makefile", ".PHONY", "MAKEFLAGS += -i\n.PHONY"), "make-variable-changed"),
    "an exported option": (
        edit("Makefile", ".PHONY", "export PYTEST_ADDOPTS = -k x\n.PHONY"),
        "make-variable-changed",
    ),
    "a goal that is no longer phony": (
        edit("Makefile", ".PHONY: test\n", ""),
        "make-goal-is-a-file",
    ),
    "a step that swaps the product": (
        edit("Makefile", "\tpython3", "\tcp good.py cart.py\n\tpython3"),
        "check-step-added",
    ),
    "a script before the tests": (
        {"package.json": json.dumps({"scripts": {"pretest": "cp a b", "test": "node --test"}})},
        "check-step-added",
    ),
    "nox forgives": (
        edit("noxfile.py", "'pytest'", "'pytest', success_codes=[0, 1]"),
        "runner-setting-changed",
    ),
    "pre-commit whose hook is run by hand": (
        edit(".pre-commit-config.yaml", "    entry", "    stages: [manual]\n    entry"),
        "failures-forgiven",
    ),
    "golden data": ({"tests/golden/report.txt": "sum 3\n"}, "expected-data-changed"),
    "cargo without tests": (
        {"Cargo.toml": PROJECT["Cargo.toml"] + "[lib]\ntest = false\n"},
        "tests-excluded",
    ),
    "a runner of cargo": (
        {".cargo/config.toml": '[target.x]\nrunner = "true"\n'},
        "runner-setting-changed",
    ),
    "the runner is hidden": ({"pytest.py": "print('9 passed')\n"}, "module-shadowed"),
    "the standard library is hidden": ({"random.py": "seed = 1\n"}, "module-shadowed"),
    "a start-up module": ({"tools/sitecustomize.py": "x = 1\n"}, "module-shadowed"),
    "a path file": ({"zz.pth": "import os\n"}, "module-shadowed"),
    "a package over the product": ({"cart/__init__.py": "total = sum\n"}, "module-shadowed"),
    "a copy below the tests": (
        {"tests/lib/shop/money.py": "class Money: ...\n"},
        "module-shadowed",
    ),
    "a copy in the root over src": ({"shop/money.py": "class Money: ...\n"}, "module-shadowed"),
    "a file without a suffix": ({"src/slug": "exports.slug = 1;\n"}, "module-shadowed"),
    "a redirected import": (
        edit("tests/test_cart.py", "from cart", "from tests.good"),
        "test-import-redirected",
    ),
    "a redirected require": (
        edit("test/slug.test.js", "../src/slug", "./copy"),
        "test-import-redirected",
    ),
    "the unit is redefined": (
        {"tests/test_cart.py": TEST + "\n\ndef total(prices):\n    return 1\n"},
        "unit-under-test-replaced",
    ),
    "the unit is rebound": (
        {"tests/test_cart.py": TEST.replace("\n\n\n", "\n\ntotal = sum\n\n\n", 1)},
        "unit-under-test-replaced",
    ),
    "the unit is patched": (
        {
            "tests/test_cart.py": TEST.replace("test_total():", "test_total(monkeypatch):").replace(
                "    assert", '    monkeypatch.setattr("cart.total", sum)\n    assert'
            )
        },
        "unit-under-test-replaced",
    ),
    "a new test rebinds the product for all": (
        {"tests/test_a.py": "import cart\n\ncart.total = sum\n"},
        "unit-under-test-replaced",
    ),
    "a mock of the unit": (
        {"test/slug.test.js": "jest.mock('../src/slug');\n" + PROJECT["test/slug.test.js"]},
        "unit-under-test-replaced",
    ),
    "a class over a class": (
        {"tests/test_cart.py": TEST + "\n\ndef test_total():\n    assert total([1]) == 1\n"},
        "test-runner-tampered-with",
    ),
    "an ignored test in rust": (
        edit("tests/fare.rs", "fn two", "#[ignore]\nfn two"),
        "test-switched-off",
    ),
    "a test of rust is gone": (edit("tests/fare.rs", "#[test]\n", ""), "test-deleted"),
    "a build tag of go": (
        {"fare_test.go": "//go:build never\n\n" + PROJECT["fare_test.go"]},
        "tests-skipped",
    ),
}


@pytest.mark.parametrize(("edits", "rule"), SUSPECT.values(), ids=SUSPECT.keys())
def test_a_change_around_the_tests_needs_a_look(edits, rule) -> None:
    check = "npm test" if "package.json" in edits else "make test"

    assert rule in [finding.rule for finding in found(edits, check)]


SCRIPT = "#!/bin/sh\nset -e\n. ci/env.sh\npytest\n"
SOURCED = "export TZ=UTC\ndocker compose up -d\n"
HONEST_STEPS = {
    "a folder that is removed at the end": {
        "ci/run.sh": SCRIPT.replace("pytest", "d=$(mktemp -d)\ntrap 'rm -rf \"$d\"' EXIT\npytest")
    },
    "a trap that keeps the code": {
        "ci/run.sh": SCRIPT.replace("pytest", "trap 'c=$?; kill $db; exit $c' EXIT INT\npytest")
    },
    "one more variable": {"ci/env.sh": f"{SOURCED}export PYTHONDONTWRITEBYTECODE=1\n"},
    "a variable before": {"ci/env.sh": f"export LANG=C\n{SOURCED}"},
}
OTHER_STEPS = {
    "a trap that does more": {
        "ci/run.sh": SCRIPT.replace("pytest", "trap 'cp good.py cart.py' EXIT\npytest")
    },
    "a trap for each command": {"ci/run.sh": SCRIPT.replace("pytest", "trap 'true' DEBUG\npytest")},
    "a saved code that is overwritten": {
        "ci/run.sh": SCRIPT.replace("pytest", "trap 'c=$?; c=0; exit $c' EXIT\npytest")
    },
    "another value of a variable": {"ci/env.sh": SOURCED.replace("UTC", "CET")},
    "a step that may fail": {"ci/env.sh": SOURCED.replace("-d", "-d || true")},
}


def steps_found(edits: dict[str, str]) -> list[str]:
    files = {"ci/run.sh": SCRIPT, "ci/env.sh": SOURCED}
    changes = [Change(path, files[path], text) for path, text in edits.items()]
    found = findings(changes, ("sh ci/run.sh",), files.get)
    return [finding.rule for finding in found if finding.severity != LOW]


@pytest.mark.parametrize("edits", HONEST_STEPS.values(), ids=HONEST_STEPS.keys())
def test_a_step_that_keeps_the_result_of_the_check_is_left_alone(edits: dict[str, str]) -> None:
    assert steps_found(edits) == []


@pytest.mark.parametrize("edits", OTHER_STEPS.values(), ids=OTHER_STEPS.keys())
def test_a_step_that_may_change_the_result_is_found(edits: dict[str, str]) -> None:
    assert steps_found(edits)


HONEST = {
    "a marker and its registration": {
        "pyproject.toml": PROJECT["pyproject.toml"] + 'markers = ["slow: takes long"]\n',
        "tests/test_slow.py": "import pytest\n\n\n@pytest.mark.slow\ndef test_slow():\n    assert 1 + 1 == 2\n",
    },
    "a marker registered in a conftest": {
        "tests/conftest.py": (
            "import pytest\n\n\ndef pytest_configure(config):\n"
            '    config.addinivalue_line("markers", "slow: takes long")\n'
        )
    },
    "a new fixture": {
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return []\n"
    },
    "a formatted Makefile": edit(
        "Makefile", "test:\n\t", "\n# The tests.\ntest:\n\t@echo testing\n\t"
    ),
    "bash in a Makefile": edit(
        "Makefile", ".PHONY", "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\n.PHONY"
    ),
    "one shell that ends at an error": edit(
        "Makefile", ".PHONY", ".ONESHELL:\n.SHELLFLAGS := -eu -c\n.PHONY"
    ),
    "more warnings": edit("Makefile", ".PHONY", "CFLAGS = -Wall -Wextra -O1\n.PHONY"),
    "a profile of releases": {
        "Cargo.toml": PROJECT["Cargo.toml"]
        + "[profile.dev]\nopt-level = 1\n[profile.release]\ndebug-assertions = false\n"
    },
    "flags that say less": edit(
        "Makefile", ".PHONY", "MAKEFLAGS += --no-print-directory -j4\n.PHONY"
    ),
    "one more goal": {"Makefile": PROJECT["Makefile"] + "\nrun:\n\tcp a b\n\tflask run\n"},
    "tables that no tool searches": {".ignore": "# big\ndata/*.csv\ndist/\n*.min.js\n"},
    "a file that is not delivered": {".dockerignore": "cart.py\n"},
    "a new module": {"refund.py": "from cart import total\n", "src/shop/tax.py": "RATE = 1\n"},
    "a module in a package": {"src/shop/types.py": "x = 1\n", "src/shop/cart.py": "y = 1\n"},
    "a moved product": {
        "cart.py": None,
        "src/cart.py": PROJECT["cart.py"],
    },
    "a renamed module": {
        "cart.py": None,
        "basket.py": PROJECT["cart.py"],
        "tests/test_cart.py": TEST.replace("from cart", "from basket"),
    },
    "a mocked collaborator": {
        "tests/test_cart.py": TEST
        + "\n\ndef test_rate(monkeypatch):\n    monkeypatch.setattr('cart.fetch', lambda: 2)\n"
        "    assert total([2]) == 2\n"
    },
    "one more import of a package": edit("tests/test_cart.py", "from cart", "import os\nfrom cart"),
    "a new trigger of CI": edit(".github/workflows/ci.yml", "[push,", "[push, merge_group,"),
    "a new hook of pre-commit": {
        ".pre-commit-config.yaml": PROJECT[".pre-commit-config.yaml"] + "  - id: lint\n"
    },
    "new golden data": {"tests/golden/other.txt": "1\n"},
    "a dependency of cargo": {
        "Cargo.toml": PROJECT["Cargo.toml"] + '[dependencies]\nserde = "1"\n'
    },
    "a registry in .npmrc": {".npmrc": "registry=https://registry.npmjs.org/\nsave-exact=true\n"},
    "a build before the tests": edit(
        "Makefile", "\tpython3", "\tmkdir -p out\n\truff check .\n\tpython3"
    ),
    "one more test in rust": {
        "tests/fare.rs": PROJECT["tests/fare.rs"]
        + "#[test]\nfn one() {\n    assert_eq!(1, 1);\n}\n"
    },
    "a test of rust that moved": {
        "tests/fare.rs": None,
        "tests/zones.rs": PROJECT["tests/fare.rs"],
    },
    "an alias for the sources": {
        "jest.config.js": "module.exports = { moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1' } };\n"
    },
}


@pytest.mark.parametrize("edits", HONEST.values(), ids=HONEST.keys())
def test_honest_work_around_the_tests_is_left_alone(edits) -> None:
    assert found(edits) == []


def test_new_settings_beside_new_tests_never_refute() -> None:
    edits = {
        "pytest.ini": "[pytest]\nmarkers =\n    slow: takes long\n",
        "tests/test_new.py": "def test_new():\n    assert 1 + 1 == 2\n",
    }

    assert {finding.severity for finding in found(edits)} == {MEDIUM}


def test_a_deleted_test_of_removed_code_is_asked_about_and_any_other_refutes() -> None:
    gone = {"cart.py": "def other():\n    return 1\n", "tests/test_cart.py": "import cart\n"}

    assert [(f.severity, f.rule) for f in found(gone)] == [(MEDIUM, "test-deleted")]
    del gone["cart.py"]
    assert [(f.severity, f.rule) for f in found(gone)] == [(HIGH, "test-deleted")]


def test_tests_that_changed_files_no_longer_have_are_counted() -> None:
    table = (
        "import pytest\nfrom cart import total\n\n\n"
        "@pytest.mark.parametrize(('given', 'sum'), [([1], 1), ([2], 2)])\n"
        "def test_total(given, sum):\n    assert total(given) == sum\n"
    )
    moved = [Change("tests/test_a.py", TEST, None), Change("tests/test_b.py", None, TEST)]

    assert count_lost_tests([Change("tests/test_cart.py", table, TEST)]) == 1
    assert count_lost_tests([Change("tests/test_cart.py", TEST, table)]) == 0
    assert count_lost_tests(moved) == 0


C_TEST = "int main(void) {\n    /* two */\n    assert(fare(2) == 250);\n    return 0;\n}\n"
PERL_TEST = "use Test::More;\nis(fare(2), 250, 'two');\ndone_testing;\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("test_fare.c", C_TEST, C_TEST.replace("/* two */", "// two \\")),
        ("test_fare.c", C_TEST, C_TEST.replace("    /*", "#if 0\n    /*")),
        ("t/fare.t", PERL_TEST, PERL_TEST.replace("is(", "our $TODO = 'x';\nis(")),
        ("t/fare.t", PERL_TEST, PERL_TEST.replace("is(", "=pod\n\nis(")),
        ("t/fare.t", PERL_TEST, PERL_TEST.replace("is(fare(2), 250, 'two');\n", "")),
    ],
)
def test_a_test_without_a_reader_that_is_switched_off_is_found(path, before, after) -> None:
    found = findings([Change(path, before, after)], ("make test",))

    assert {finding.severity for finding in found} <= {HIGH, MEDIUM}
    assert found


def test_a_helper_of_tests_that_loses_its_assertion_is_found_wherever_it_is() -> None:
    before = "def says(case, got, wanted):\n    case.assertEqual(got, wanted)\n"
    change = Change("checks.py", before, before.replace("Equal(got, wanted)", "True(got)"))

    assert [f.rule for f in findings([change], ("make test",))] == ["assertion-loosened"]


def test_a_function_of_go_that_a_test_file_replaces_is_found() -> None:
    product = Change("f.go", "func Fare(z int) int {\n}\n", "var Fare = func(z int) int {\n}\n")
    test = Change("z_test.go", None, "package f\n\nfunc init() {\n\tFare = right\n}\n")
    clock = Change("f.go", "package f\n", "package f\n\nvar Fare = func(z int) int { return 1 }\n")

    assert [f.rule for f in findings([product, test], ())] == ["unit-under-test-replaced"]
    assert findings([clock, test], ()) == []


def test_a_test_of_go_in_a_file_for_another_system_is_gone() -> None:
    text = "package f\n\nfunc TestA(t *testing.T) {\n\tt.Error(1)\n}\n"
    moved = [Change("fare_test.go", text, None), Change("fare_plan9_test.go", None, text)]

    assert any(f.rule == "test-deleted" for f in findings(moved, ()))
