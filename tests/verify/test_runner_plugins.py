"""Plugins and presets of JavaScript test runners that arrived in node_modules."""

from __future__ import annotations

from pathlib import Path

from loopwright.cleanroom import checkout_files
from loopwright.cleanroom.runner_plugins import new_node_packages
from loopwright.ratchet.surrounding_rules.machine import find_node_plugins


def install(root: Path, name: str, *files: str) -> None:
    for file in ("package.json", *files):
        path = root / "node_modules" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_only_plugins_that_were_not_there_at_the_start_are_findings(tmp_path: Path) -> None:
    root, saved = tmp_path / "project", tmp_path / "saved"
    install(root, "jest-circus")
    checkout_files.save_paths(str(root), str(saved), ["node_modules"])
    install(root, "jest-circus")  # an installer writes everything again
    install(root, "left-pad")
    install(root, "@acme/base", "jest-preset.js")
    install(root, "vitest-quiet")

    packages = new_node_packages(str(root), str(saved))
    found = [finding.file for finding in find_node_plugins(packages)]

    assert found == ["node_modules/@acme/base", "node_modules/vitest-quiet"]


def test_without_saved_packages_nothing_is_compared(tmp_path: Path) -> None:
    install(tmp_path, "jest-circus")

    assert list(new_node_packages(str(tmp_path), str(tmp_path / "missing"))) == []
