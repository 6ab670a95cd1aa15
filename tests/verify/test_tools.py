"""Programs that checks begin with: found where they lie, and missed when they are not what they were."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from loopwright.core.criteria import Check
from loopwright.core.findings import Finding
from loopwright.ratchet.surrounding_rules.machine import find_replaced_programs
from loopwright.verify.tools import (
    package_script,
    program_digests,
    program_names,
    programs_now,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs programs that are scripts")

WORDS = {
    "a line": ("pytest -q", ["pytest"]),
    "an argv": (("ruff", "check", "."), ["ruff"]),
    "several": ("cd web && CI=1 jest --ci | tee log; true", ["jest", "tee", "true"]),
    "a module": ("python3 -m pytest -q", ["python3", "python3 -m pytest"]),
    "a path": (".venv/bin/pytest", [".venv/bin/pytest"]),
    "npx": ("npx vitest run", ["npx", "vitest"]),
    "a script of package.json": ("npm test", ["npm", "vitest"]),
    "an open quote": ("echo 'oops", ["echo"]),
    "nothing": ("", []),
}


@pytest.fixture
def tools_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    for folder in (
        root / "node_modules/.bin",
        root / "node_modules/vitest",
        tmp_path / "first",
        tmp_path / "second",
    ):
        folder.mkdir(parents=True)
    (root / "package.json").write_text(json.dumps({"scripts": {"test": "vitest run"}}))
    (root / "node_modules/vitest/package.json").write_text("{}")
    program(root / "node_modules/vitest/run.mjs")
    (root / "node_modules/.bin/vitest").symlink_to("../vitest/run.mjs")
    program(root / "check.sh")
    program(tmp_path / "second/checker")
    monkeypatch.setenv(
        "PATH",
        f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}{os.pathsep}{os.environ['PATH']}",
    )
    return root


def replaced_programs(before: tuple, root: str, since: float) -> list[Finding]:
    return find_replaced_programs(programs_now(before, root, since))


def program(path: Path, line: str = "exit 1") -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(("command", "words"), WORDS.values(), ids=WORDS.keys())
def test_words_of(tools_folder: Path, command, words) -> None:
    assert program_names(command, str(tools_folder)) == words


CHANGES = {
    "nothing": (lambda here: None, []),
    "it is edited": (lambda here: program(here.parent / "second/checker", "exit 0"), ["checker"]),
    "another is put in front of it": (
        lambda here: program(here.parent / "first/checker", "exit 0"),
        ["checker"],
    ),
    "it is gone": (lambda here: (here.parent / "second/checker").unlink(), ["checker"]),
    "a package of node is patched": (
        lambda here: program(here / "node_modules/vitest/run.mjs", "exit 0"),
        ["vitest"],
    ),
    "a file beside it in the package": (
        lambda here: (here / "node_modules/vitest/core.js").write_text("x"),
        ["vitest"],
    ),
    "a file of the project is the ratchet's matter": (
        lambda here: program(here / "check.sh", "exit 0"),
        [],
    ),
}


@pytest.mark.parametrize(("change", "found"), CHANGES.values(), ids=CHANGES.keys())
def test_what_was_replaced_is_found(tools_folder: Path, change, found) -> None:
    before = program_digests([Check("checker && ./check.sh"), Check("npm test")], str(tools_folder))
    since = time.time() - 0.5
    change(tools_folder)

    assert [
        finding.file for finding in replaced_programs(before, str(tools_folder), since)
    ] == found


def test_another_path_that_leads_to_an_old_program_is_nobodys_work(
    tools_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tools_folder.parent / "first/checker", "exit 1")
    monkeypatch.setenv("PATH", f"{tools_folder.parent / 'second'}{os.pathsep}{os.environ['PATH']}")
    before = program_digests([Check("checker")], str(tools_folder))
    monkeypatch.setenv("PATH", f"{tools_folder.parent / 'first'}{os.pathsep}{os.environ['PATH']}")

    assert replaced_programs(before, str(tools_folder), time.time() + 1) == []


def test_a_patched_package_behind_a_script_of_python_is_found(tmp_path: Path) -> None:
    site = tmp_path / "venv/lib/python3.11/site-packages/_pytest"
    site.mkdir(parents=True)
    (tmp_path / "venv/bin").mkdir()
    (site / "runner.py").write_text("honest\n")
    launcher = tmp_path / "venv/bin/pytest"
    launcher.write_text("#!/usr/bin/python3\nimport sys\nfrom pytest import console_main\n")
    launcher.chmod(0o755)
    before = program_digests([Check(str(launcher))], str(tmp_path / "project"))

    (site / "runner.py").write_text("passes all\n")

    assert [
        finding.rule for finding in replaced_programs(before, str(tmp_path / "project"), 0.0)
    ] == ["check-program-replaced"]


def test_what_npm_test_stands_for(tools_folder: Path) -> None:
    assert package_script("npm test --silent", str(tools_folder)) == "vitest run"
    assert package_script("npm run nothing", str(tools_folder)) == ""
    assert package_script("pytest -q", str(tools_folder)) == ""


def test_a_new_link_to_the_same_program_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    program(old / "tester")
    monkeypatch.setenv("PATH", f"{new}{os.pathsep}{old}")
    before = program_digests([Check("tester -q")], str(tmp_path / "project"))
    since = time.time() - 1

    (new / "tester").symlink_to(old / "tester")
    assert replaced_programs(before, str(tmp_path / "project"), since) == []
    (old / "tester").write_text("#!/bin/sh\nexit 0\n")
    assert len(replaced_programs(before, str(tmp_path / "project"), since)) == 1


def test_a_link_in_a_new_virtual_environment_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, venv = tmp_path / "old", tmp_path / "venv"
    packages = venv / "lib/python3.11/site-packages/pytest"
    for folder in (old, venv / "bin", packages):
        folder.mkdir(parents=True)
    program(old / "python3")
    monkeypatch.setenv("PATH", f"{venv / 'bin'}{os.pathsep}{old}")
    check = Check("python3 -m pytest")
    before = program_digests([check], str(tmp_path / "project"))

    (venv / "bin/python3").symlink_to(old / "python3")
    (venv / "pyvenv.cfg").touch()
    (packages / "__init__.py").write_text("raise SystemExit(0)")
    assert replaced_programs(before, str(tmp_path / "project"), time.time() - 1)
