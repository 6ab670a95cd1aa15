"""Modules that a JavaScript runner loads."""

from __future__ import annotations

import pytest

from loopwright.checks.test_files import HELPER
from loopwright.ratchet.script_project import ScriptProject

STAMP = "exports.stamp = (source) => source.replaceAll('__VERSION__', '1');\n"
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
