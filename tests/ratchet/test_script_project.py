"""Modules that a JavaScript runner loads, and new files that unchanged imports mean now."""

from __future__ import annotations

import pytest

from loopwright.checks.test_files import HELPER
from loopwright.ratchet.script_project import ScriptProject

STAMP = "exports.stamp = (source) => source.replaceAll('__VERSION__', '1');\n"
DROPPING = STAMP.replace(";\n", ".replace(/^ *expect\\(.*$/gm, '');\n")
TRANSFORM = {
    "jest.config.js": "module.exports = {\n  transform: {\n"
    "    '\\\\.js$': '<rootDir>/tools/jest-stamp.js',\n  },\n};\n",
    "tools/jest-stamp.js": "const { stamp } = require('../lib/stamp');\n",
    "build.js": "const { stamp } = require('./lib/stamp');\n",
    "lib/stamp.js": STAMP,
    "src/queue.js": "exports.Queue = class {};\n",
    "test/queue.test.js": "const { Queue } = require('../src/queue');\n",
}


def project(files: dict[str, str], *commands: str, programs: tuple[str, ...] = ()) -> ScriptProject:
    def read(paths: list[str]) -> dict[str, str]:
        return {path: files[path] for path in paths if path in files}

    return ScriptProject(lambda: files, read, commands, frozenset(programs))


def kind_of(files: dict[str, str], path: str, *commands: str) -> str:
    rows = {path: (files[path], f"{files[path]}// more\n")}
    return project(files, *commands).kinds(rows, {path: ""}).get(path, "")


LOADED = {
    "a transform of jest": {"jest.config.js": TRANSFORM["jest.config.js"]},
    "a transform in package.json": {
        "package.json": '{"jest": {"transform": {"js$": "<rootDir>/tools/jest-stamp.js"}}}'
    },
    "a plugin of vitest": {
        "vitest.config.ts": "import stamp from './tools/jest-stamp';\n"
        "export default defineConfig({ plugins: [stamp()] });\n"
    },
    "a setup file": {
        "vite.config.js": "export default { test: { setupFiles: ['tools/jest-stamp'] } }"
    },
    "a list of setup files": {
        "jest.config.js": "module.exports = {\n  setupFilesAfterEnv: [\n    'jest-extended',\n"
        "    '<rootDir>/tools/jest-stamp.js',\n  ],\n};\n"
    },
    "an environment": {"jest.config.json": '{"testEnvironment": "./tools/jest-stamp.js"}'},
    "a reporter": {
        "jest.config.js": "module.exports = { reporters: [['./tools/jest-stamp.js', {}]] }"
    },
    "a plugin of babel": {".babelrc": '{"plugins": ["./tools/jest-stamp"]}'},
    "a module of mocha": {".mocharc.yml": "require:\n  - ./tools/jest-stamp.js\n"},
    "an option of node": {
        "package.json": '{"scripts": {"test": "node --import ./tools/jest-stamp.js --test"}}'
    },
}


@pytest.mark.parametrize("settings", LOADED.values(), ids=LOADED.keys())
@pytest.mark.parametrize("path", ["tools/jest-stamp.js", "lib/stamp.js"])
def test_what_the_runner_loads_is_around_the_product(settings: dict[str, str], path: str) -> None:
    files = {**TRANSFORM, "jest.config.js": ""} | settings

    assert kind_of(files, path) == HELPER
    assert kind_of(files, "src/queue.js") == ""


def test_a_module_that_an_option_of_the_check_loads_is_around_the_product() -> None:
    files = {**TRANSFORM, "jest.config.js": ""}

    assert kind_of(files, "lib/stamp.js", "node -r ./tools/jest-stamp.js --test") == HELPER


PRODUCT = {
    "an alias for the product": {
        "jest.config.js": "module.exports = { moduleNameMapper: { '^stamp$': '<rootDir>/lib/stamp.js' } };"
    },
    "files to be covered": {
        "jest.config.js": "module.exports = { collectCoverageFrom: ['lib/stamp.js'] };"
    },
    "an entry of the package": {
        "package.json": '{"exports": {"require": "./lib/stamp.js", "import": "./lib/stamp.js"}}'
    },
    "an option of the program": {
        "package.json": '{"scripts": {"start": "node -r ./lib/stamp.js ."}}'
    },
    "the build alone": {},
}


@pytest.mark.parametrize("settings", PRODUCT.values(), ids=PRODUCT.keys())
def test_what_the_settings_only_name_is_product(settings: dict[str, str]) -> None:
    assert kind_of({**TRANSFORM, "jest.config.js": ""} | settings, "lib/stamp.js") == ""


TESTED = {
    "by its path": "const { stamp } = require('../lib/stamp');\n",
    "through another module": "import { build } from '../build.js';\n",
    "by an alias": "import { stamp } from '@/stamp';\n",
    "by the name of the package": "import { stamp } from 'stamper';\n",
}


@pytest.mark.parametrize("test", TESTED.values(), ids=TESTED.keys())
def test_a_module_that_the_tests_test_is_product_although_the_runner_loads_it(test: str) -> None:
    package = '{"name": "stamper", "main": "./lib/stamp.js"}'
    files = TRANSFORM | {"test/stamp.test.js": test, "package.json": package}

    assert kind_of(files, "lib/stamp.js") == ""


def test_lines_about_tests_are_named_in_a_module_that_is_tested_and_loaded() -> None:
    files = TRANSFORM | {"test/stamp.test.js": TESTED["by its path"]}
    kinds = {"lib/stamp.js": ""}

    found = list(project(files).findings({"lib/stamp.js": (STAMP, DROPPING)}, kinds))
    honest = STAMP.replace("'1')", "'2')")

    assert [(row.rule, row.file) for row in found] == [("product-detects-tests", "lib/stamp.js")]
    assert list(project(files).findings({"lib/stamp.js": (STAMP, honest)}, kinds)) == []


VITE = {"package.json": '{"devDependencies": {"vitest": "^2.0.0"}}'}
JEST = {"package.json": '{"devDependencies": {"jest": "^29.0.0"}}'}
BUN = {"package.json": '{"scripts": {"test": "bun test"}}'}
NATIVE = {"package.json": '{"dependencies": {"react-native": "0.74"}}'}
OWN = {"jest.config.js": "module.exports = { moduleFileExtensions: ['web.js', 'js'] };"}
HIDING = [
    (VITE, "../src/time", "src/time.js", "src/time.mjs"),
    (VITE, "../src/time.js", "src/time.ts", "src/time.js"),
    (VITE, "../src", "src/index.js", "src/index.mjs"),
    (VITE, "..", "index.js", "index.mjs"),
    (JEST, "../src/time", "src/time.ts", "src/time.js"),
    (JEST, "../src/time", "src/time.js", "src/time"),
    (JEST, "../src/time", "src/time/index.js", "src/time.js"),
    (BUN, "../src/time", "src/time.js", "src/time.ts"),
    (BUN, "../src/time", "src/time.js", "src/time.jsx"),
    (NATIVE, "../src/time", "src/time.js", "src/time.ios.js"),
    (OWN, "../src/time", "src/time.js", "src/time.web.js"),
]


def shadows(files: dict[str, str], new: str) -> list[tuple[str, str, str]]:
    found = project(files).findings({new: (None, "export const a = 1;\n")}, {new: ""})
    return [(row.rule, row.before, row.file) for row in found]


@pytest.mark.parametrize(("settings", "name", "old", "new"), HIDING)
def test_a_new_file_that_an_unchanged_import_means_now_is_named(
    settings: dict[str, str], name: str, old: str, new: str
) -> None:
    files = settings | {old: "", "test/a.test.js": f"import {{ a }} from '{name}';\n"}

    assert shadows(files, new) == [("module-shadowed", old, new)]


def test_an_import_of_the_product_that_the_tests_reach_counts_too() -> None:
    files = VITE | {
        "src/time.js": "",
        "src/index.js": "export * from './time';\n",
        "test/a.test.js": "import { a } from '../src/index.js';\n",
    }

    assert shadows(files, "src/time.mjs") == [("module-shadowed", "src/time.js", "src/time.mjs")]


def test_an_import_of_a_check_script_counts_too() -> None:
    files = {"src/time.ts": "", "scripts/check.js": "require('../src/time');\n"}
    new = {"src/time.js": (None, "")}

    found = project(files, programs=("scripts/check.js",)).findings(new, {"src/time.js": ""})

    assert [row.before for row in found] == ["src/time.ts"]


@pytest.mark.parametrize(
    ("settings", "name", "old", "new"),
    [
        (VITE, "../src/time.js", "src/time.js", "src/time.mjs"),
        (VITE, "../src/time", "src/time.js", "src/units.mjs"),
        (VITE, "../src/time", "src/time.js", "src/time.json"),
        (VITE, "../src/time", "src/time.js", "src/time.d.ts"),
        (VITE, "../src/time", "src/time.js", "src/time/index.js"),
        (VITE, "../src/other", "src/time.js", "src/time.mjs"),
        (JEST, "../src/time", "src/time.js", "src/time.mjs"),
        (JEST, "../src/time", "src/time.js", "src/time.cjs"),
        (JEST, "../src/time", "src/time.js", "src/time.web.js"),
        (JEST, "../src/time", "src/time.js", "src/time.ts"),
    ],
)
def test_a_new_file_that_no_import_means_in_place_of_another_is_left_alone(
    settings: dict[str, str], name: str, old: str, new: str
) -> None:
    files = settings | {old: "", "test/a.test.js": f"import {{ a }} from '{name}';\n"}

    assert shadows(files, new) == []


def test_a_file_that_takes_the_place_of_a_deleted_one_is_left_alone() -> None:
    files = VITE | {"src/time.js": "", "test/a.test.js": "import { a } from '../src/time';\n"}
    rows = {"src/time.js": ("", None), "src/time.ts": (None, "")}

    assert list(project(files).findings(rows, dict.fromkeys(rows, ""))) == []
