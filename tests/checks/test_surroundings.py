"""Which files surround the product: the baseline replay puts exactly these back."""

from __future__ import annotations

import pytest

from loopwright.checks.surroundings import (
    GRAVE_KINDS,
    HOOK,
    SCRIPT,
    SETTINGS,
    SHADOW,
    programs_run_by,
    surrounding_kind,
)
from loopwright.checks.test_files import DATA, HELPER, TEST

PRODUCT = ""
KINDS = {
    PRODUCT: [
        *("src/app/cart.py", "app.js", "lib/cart.rb", "src/lib.rs", "cmd/main.go", "README.md"),
        *("templates/page.html", "migrations/001.sql", "locale/de.po", "src/contest.py"),
        *("latest.py", "latest_prices.py", "src/attest/__init__.py", "data/prices.json"),
        *("requirements/tests.txt", "docs/tutorial/tests.rst"),
    ],
    TEST: [
        *("tests/test_cart.py", "test_cart.py", "src/cart_test.go", "cart.test.ts", "a.spec.jsx"),
        *("spec/cart_spec.rb", "src/test/java/CartTest.java", "CartTests.cs", "e2e/a.cy.js"),
        *("tests.py", "src/__tests__/test_a.py"),
    ],
    HELPER: ["tests/helper.py", "tests/__init__.py", "testing/tools.py", "spec/support/a.rb"],
    DATA: [
        *("tests/data/cart.json", "fixtures/users.sql", "testdata/golden.txt", "a.snap"),
        *("__snapshots__/a.js.snap", "report.approved.txt", "out.expected", "golden/a.bin"),
        "tap-snapshots/test/a.js.test.cjs",
    ],
    SETTINGS: [
        *("pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"),
        *("noxfile.py", ".npmrc", "jest.config.js", "vitest.config.ts", "vitest.setup.ts"),
        *("setupTests.js", ".babelrc", ".mocharc.json", "package.json", "Cargo.toml"),
        *(".cargo/config.toml", "rust-toolchain.toml", ".pre-commit-config.yaml", ".env"),
        *(".github/workflows/test.yml", ".github/actions/a/action.yml", ".gitlab-ci.yml"),
        *(".ignore", ".rgignore", ".eslintignore", "docs/.markdownlintignore", ".gitignore"),
        *("Jenkinsfile", ".circleci/config.yml", "go.work", "sub/pytest.ini"),
    ],
    SCRIPT: ["Makefile", "GNUmakefile", "justfile", "run-tests.sh"],
    SHADOW: [
        *("sitecustomize.py", "usercustomize.py", "src/sitecustomize.py", "hook.pth"),
        *("pytest.py", "random.py", "src/json.py", "tests/unittest.py", "coverage/__init__.py"),
    ],
}


@pytest.mark.parametrize(
    ("path", "kind"), [(path, kind) for kind, paths in KINDS.items() for path in paths]
)
def test_the_kind_of_a_new_file(path: str, kind: str) -> None:
    assert surrounding_kind(path, None, "x = 1\n") == kind


@pytest.mark.parametrize(
    "text", ["const t = require('tap')\nt.equal(1, 1)\n", "t.test('adds', t => t.end())\n"]
)
def test_a_file_of_node_tap_is_a_test_without_a_name_of_one(text: str) -> None:
    assert surrounding_kind("test/cart.js", text, text) == TEST


def test_a_module_that_was_there_at_the_start_shadows_nothing() -> None:
    assert surrounding_kind("src/json.py", "x = 1\n", "x = 2\n") == PRODUCT
    assert surrounding_kind("sitecustomize.py", "x = 1\n", "x = 2\n") == SHADOW


def test_a_module_of_a_package_of_the_product_shadows_nothing() -> None:
    assert surrounding_kind("src/app/json.py", None, "x = 1\n") == PRODUCT


HOOK_LINES = [
    "def pytest_runtest_makereport(item): ...",
    "pytest_plugins = ['cheat']",
    "@pytest.fixture(autouse=True)",
    "sys.modules['app'] = fake",
    "setattr(app, 'add', lambda a, b: 4)",
    "mock.patch('app.add')",
    "import atexit",
    "Cart.__eq__ = always",
]


@pytest.mark.parametrize("line", HOOK_LINES)
def test_a_conftest_with_a_new_hook_is_grave(line: str) -> None:
    assert surrounding_kind("tests/conftest.py", "x = 1\n", f"x = 1\n{line}\n") == HOOK
    assert surrounding_kind("tests/conftest.py", None, line) == HOOK


def test_a_conftest_with_another_fixture_is_a_helper() -> None:
    before = "@pytest.fixture(autouse=True)\ndef clean(): ...\n"

    assert surrounding_kind("conftest.py", before, f"{before}def cart(): ...\n") == HELPER
    assert surrounding_kind("conftest.py", before, None) == HELPER


def test_only_settings_hooks_scripts_and_shadowing_modules_are_grave() -> None:
    assert {SETTINGS, HOOK, SCRIPT, SHADOW} == GRAVE_KINDS


def test_a_program_that_a_check_runs_is_a_script_if_it_was_there_at_the_start() -> None:
    named = frozenset(["check.py"])

    assert surrounding_kind("check.py", "x = 1\n", "x = 2\n", named) == SCRIPT
    assert surrounding_kind("check.py", None, "x = 2\n", named) == PRODUCT
    assert surrounding_kind("other.py", "x = 1\n", "x = 2\n", named) == PRODUCT


COMMANDS: dict[str | tuple[str, ...], set[str]] = {
    "./check.sh": {"check.sh"},
    "python3 check.py --all": {"check.py"},
    "python3 -u check.py": {"check.py"},
    "bash -e run/all.sh && node a.js; ruby b.rb | tee log": {
        *("run/all.sh", "a.js", "b.rb"),
    },
    "CI=1 ./check.sh": {"check.sh"},
    "sh 'check.sh'": {"check.sh"},
    ("python3", "check.py"): {"check.py"},
    "pytest -q": set(),
    "": set(),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_files_that_a_command_runs(command: str | tuple[str, ...]) -> None:
    assert programs_run_by(command) == COMMANDS[command]


PIPES = {
    "python3 export.py | python3 bin/judge": {"bin/judge"},
    "python3 export.py | judge": {"bin/judge"},
    "python3 render.py | diff - want.txt": set(),
    "python3 run_tests.py | judge": {"run_tests.py", "bin/judge"},
    "python3 selftest.py | tee log": {"selftest.py"},
    "lint-orders data.csv": {"tools/lint-orders"},
    "judge data.csv": set(),  # it may be the product
    "missing data.csv": set(),
}


@pytest.mark.parametrize(("command", "expected"), PIPES.items())
def test_the_end_of_a_pipe_judges_what_is_before_it(command: str, expected: set[str]) -> None:
    files = {"bin/judge": "#!/usr/bin/env python3\n", "tools/lint-orders": "#!/bin/sh\n"}

    assert programs_run_by(command, files.get) == expected


def test_a_compiled_program_is_not_read_as_a_script() -> None:
    asked = []

    def read_file(path: str) -> str | None:
        asked.append(path)
        return "\x7fELF\0\n. ./lib\0x\n" if path == "build/run_tests" else None

    assert programs_run_by("build/run_tests", read_file) == {"build/run_tests"}
    assert asked == ["build/run_tests"]
