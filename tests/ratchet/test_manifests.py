"""Manifests: the replay takes dependencies from the end, and everything else from the start."""

from __future__ import annotations

import json
import tomllib

import pytest

from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import settings
from loopwright.ratchet.settings_rules.manifests import (
    has_only_other_packages,
    is_manifest,
    mixed_manifest,
)
from loopwright.repo.baseline import Change

PYPROJECT = """# ours
[project]
name = "app"
dependencies = ["click"]

[tool.pytest.ini_options]
addopts = "-q"

[tool.poetry.group.dev.dependencies]
pytest = "8"
"""


@pytest.mark.parametrize(
    "path", ["package.json", "web/package.json", "pyproject.toml", "Cargo.toml"]
)
def test_files_that_hold_both(path: str) -> None:
    assert is_manifest(path)


@pytest.mark.parametrize("path", ["package-lock.json", "uv.lock", "setup.cfg", "go.mod"])
def test_files_that_do_not(path: str) -> None:
    assert not is_manifest(path)


def test_pyproject_takes_new_packages_and_keeps_the_options_of_pytest() -> None:
    after = PYPROJECT.replace('["click"]', '["click", "rich"]').replace('"-q"', '"-q -k nothing"')
    mixed = tomllib.loads(mixed_manifest("pyproject.toml", PYPROJECT, after))

    assert mixed["project"]["dependencies"] == ["click", "rich"]
    assert mixed["tool"]["pytest"]["ini_options"]["addopts"] == "-q"
    assert mixed["tool"]["poetry"]["group"]["dev"]["dependencies"] == {"pytest": "8"}


def test_pyproject_without_new_packages_is_that_of_the_start() -> None:
    after = PYPROJECT.replace('"-q"', '"--ignore=tests"')
    mixed = mixed_manifest("pyproject.toml", PYPROJECT, after)

    assert tomllib.loads(mixed) == tomllib.loads(PYPROJECT)


def test_a_new_table_of_settings_does_not_reach_the_replay() -> None:
    after = f"{PYPROJECT}\n[tool.coverage.report]\nfail_under = 0\n"

    assert "coverage" not in mixed_manifest("pyproject.toml", PYPROJECT, after)


def test_cargo_takes_new_crates_and_keeps_its_profiles() -> None:
    before = '[package]\nname = "app"\n[dependencies]\n[profile.test]\noverflow-checks = true\n'
    after = before.replace("[dependencies]\n", '[dependencies]\nserde = "1"\n').replace(
        "true", "false"
    )
    mixed = tomllib.loads(mixed_manifest("Cargo.toml", before, after))

    assert mixed["dependencies"] == {"serde": "1"}
    assert mixed["profile"]["test"]["overflow-checks"] is True


def test_package_json_takes_new_packages_and_keeps_scripts_and_jest() -> None:
    before = {"scripts": {"test": "jest"}, "jest": {"bail": 1}, "dependencies": {"a": "1"}}
    after = {
        "scripts": {"test": "true"},
        "jest": {"testPathIgnorePatterns": ["cart"]},
        "dependencies": {"a": "1", "b": "2"},
        "devDependencies": {"jest": "29"},
        "type": "module",
    }
    mixed = json.loads(mixed_manifest("package.json", json.dumps(before), json.dumps(after)))

    assert mixed["scripts"] == {"test": "jest"}
    assert mixed["jest"] == {"bail": 1}
    assert mixed["dependencies"] == {"a": "1", "b": "2"}
    assert mixed["devDependencies"] == {"jest": "29"}
    assert mixed["type"] == "module"


@pytest.mark.parametrize("after", ["{", "[]", "3"])
def test_a_manifest_that_cannot_be_read_is_that_of_the_start(after: str) -> None:
    assert mixed_manifest("package.json", '{"name": "a"}', after) == '{"name": "a"}'


def test_a_toml_file_without_tables_is_that_of_the_start() -> None:
    assert mixed_manifest("pyproject.toml", "a = 1", "a = 2\n[tool.x]\nb = 1\n") == "a = 1\n"


def entry_findings(before: object, after: object) -> list[str]:
    texts = [json.dumps({"imports": {"#fees": value}}) for value in (before, after)]
    found = settings.find(Project([Change("packages/core/package.json", *texts)]))
    return [finding.rule for finding in found]


@pytest.mark.parametrize(
    "after", ["./src/sunday.js", {"test": "./src/sunday.js", "default": "./src/fees.js"}]
)
def test_an_import_that_leads_to_a_second_file_is_found(after: object) -> None:
    assert entry_findings("./src/fees.js", after) == ["runner-setting-changed"]
    assert entry_findings(after, after) == []


@pytest.mark.parametrize("after", ["./src/fees.js", {"default": "./src/fees.js"}])
def test_an_import_that_leads_to_the_same_file_is_honest(after: object) -> None:
    assert entry_findings("./src/fees.js", after) == []


def test_a_change_of_the_packages_alone_changes_no_setting() -> None:
    raised = PYPROJECT.replace("click", "click>=8")

    assert has_only_other_packages("pyproject.toml", PYPROJECT, raised)
    assert not has_only_other_packages("pyproject.toml", PYPROJECT, raised.replace('"-q"', '""'))
    assert not has_only_other_packages("setup.cfg", "a = 1", "a = 2")
    assert not has_only_other_packages("pyproject.toml", None, PYPROJECT)
