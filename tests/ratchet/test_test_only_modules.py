"""Modules of a JavaScript product that only its tests load."""

from __future__ import annotations

import json

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.product_rules import test_only_modules
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

MEMORY = "let kept = [];\n\nexport function entries() {\n  return [...kept];\n}\n"
ANOTHER_WAY = MEMORY.replace("[...kept]", "[...kept, {}]")
MORE = f"{MEMORY}\nexport function size() {{\n  return kept.length;\n}}\n"
SCRIPTS = {"test": "node --conditions=memory --test"}


def package(target: object, scripts: object = SCRIPTS) -> dict[str, str]:
    value = {"name": "shop", "imports": {"#store": target}, "scripts": scripts}
    return {"package.json": json.dumps(value)}


SETTINGS = {
    "a condition that a script chooses": package(
        {"memory": "./src/memory.js", "default": "./src/file.js"}
    ),
    "the condition test": package({"test": "./src/memory.js", "default": "./src/file.js"}, {}),
    "a condition in a condition": package(
        {"test": {"import": "./src/memory.js"}, "default": "./src/file.js"}
    ),
    "a mapping of jest": {
        "jest.config.js": "module.exports = {\n  moduleNameMapper: {\n"
        "    '^./file$': '<rootDir>/src/memory.js',\n  },\n};\n"
    },
    "an alias of vitest": {
        "vitest.config.ts": "export default defineConfig({\n"
        "  test: { alias: { './file.js': './src/memory.js' } },\n});\n"
    },
}


def found(settings: dict[str, str], after: str) -> list[Finding]:
    files = ProjectFiles([Change("src/memory.js", MEMORY, after)], settings.get)
    return list(test_only_modules.findings(files))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_another_way_in_a_module_that_only_tests_load_needs_a_look(
    settings: dict[str, str],
) -> None:
    (finding,) = found(settings, ANOTHER_WAY)

    assert (finding.severity, finding.rule) == (MEDIUM, "product-detects-tests")
    assert (finding.file, finding.line) == ("src/memory.js", 4)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_new_functions_and_comments_do_not(settings: dict[str, str]) -> None:
    assert found(settings, MORE) == []
    assert found(settings, f"// Kept until the process ends.\n{MEMORY}") == []


USED_BY_ALL = {
    "no condition": package("./src/memory.js"),
    "a condition of users": package({"browser": "./src/memory.js", "default": "./src/file.js"}),
    "another name that means it": package(
        {"test": "./src/memory.js", "default": "./src/memory.js"}
    ),
    "a pattern of jest": {
        "jest.config.js": "module.exports = { moduleNameMapper: { '^@/(.*)$': './src/$1' } };\n"
    },
    "settings that cannot be read": {"package.json": '{"imports": '},
}


@pytest.mark.parametrize("settings", USED_BY_ALL.values(), ids=USED_BY_ALL.keys())
def test_a_module_that_users_load_too_does_not(settings: dict[str, str]) -> None:
    assert found(settings, ANOTHER_WAY) == []
