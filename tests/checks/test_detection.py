"""The repository's own commands, found from its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.checks import detection
from tests.support.project import Project

CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "nothing": ({"readme.md": ""}, {}),
    "yarn": (
        {"package.json": '{"scripts":{"test":"x","build":"y"}}', "yarn.lock": ""},
        {"tests pass": "yarn run test", "build succeeds": "yarn run build"},
    ),
    "npm's own placeholder": (
        {"package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}'},
        {},
    ),
    "a broken package.json": ({"package.json": "{"}, {}),
    "a package.json of another kind": ({"package.json": "[]"}, {}),
    "scripts of another kind": ({"package.json": '{"scripts":["test"]}'}, {}),
    "cargo": (
        {"Cargo.toml": ""},
        {
            "tests pass": "cargo test -q",
            "lint clean": "cargo clippy -q",
            "build succeeds": "cargo build -q",
        },
    ),
    "go": (
        {"go.mod": ""},
        {
            "tests pass": "go test ./...",
            "lint clean": "go vet ./...",
            "build succeeds": "go build ./...",
        },
    ),
    "make": (
        {"Makefile": "test: x\n\ttrue\ntypecheck:\n\ttrue\n"},
        {"tests pass": "make test", "no type errors": "make typecheck"},
    ),
    "make, a variable": ({"Makefile": "test := x\n"}, {}),
    "ruff and mypy": (
        {"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n"},
        {"lint clean": "ruff check .", "no type errors": "mypy ."},
    ),
    "a broken pyproject": ({"pyproject.toml": "[tool"}, {}),
    "node before make": (
        {"package.json": '{"scripts":{"test":"x"}}', "Makefile": "test:\n"},
        {"tests pass": "npm run test"},
    ),
}


@pytest.mark.parametrize(("files", "found"), CASES.values(), ids=CASES)
def test_found(tmp_path: Path, files: dict[str, str], found: dict[str, str]) -> None:
    here = Project(tmp_path / "x", files, git=False)
    checks = detection.repository_checks(str(here.root), 42)

    assert {name: check.command for name, check in checks.items()} == found
    assert {(check.timeout, check.origin, check.allowed) for check in checks.values()} <= {
        (42, "detected", True)
    }


@pytest.mark.parametrize("name", ["test_x.py", "x_test.py", "tests/test_x.py", "test/test_x.py"])
def test_python_tests_are_found_with_and_without_pytest(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Project(tmp_path / "x", {name: ""}, git=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert str(detection.repository_checks(str(here.root))["tests pass"].command).endswith(
        "-m unittest discover -q"
    )

    (tmp_path / "pytest").write_text("#!/bin/sh\n")
    (tmp_path / "pytest").chmod(0o755)
    assert detection.repository_checks(str(here.root))["tests pass"].command == "pytest -q"


def test_a_file_that_only_looks_like_a_test_is_none(tmp_path: Path) -> None:
    here = Project(tmp_path / "x", {"testing.py": "", "contest_.md": ""}, git=False)

    assert detection.repository_checks(str(here.root)) == {}


def found_from(here: Project, at: str) -> dict[str, str]:
    checks = detection.repository_checks(str(here.root), start=str(here.root / at))
    return {name: str(check.command) for name, check in checks.items()}


def test_the_nearest_project_folder_wins_and_the_top_has_the_rest(tmp_path: Path) -> None:
    here = Project(
        tmp_path / "x",
        {
            "Makefile": "test:\nlint:\n",
            "packages/my api/package.json": '{"scripts":{"test":"x"}}',
            "packages/my api/src/a.js": "",
        },
        git=False,
    )

    assert found_from(here, "packages/my api/src") == {
        "tests pass": "cd 'packages/my api' && npm run test",
        "lint clean": "make lint",
    }
    assert found_from(here, "packages") == {"tests pass": "make test", "lint clean": "make lint"}


def test_a_folder_of_loose_tests_counts_only_where_nothing_above_has_tests(tmp_path: Path) -> None:
    loose = {"api/tests/test_x.py": "", "readme.md": ""}
    here = Project(tmp_path / "x", loose, git=False)
    assert found_from(here, "api/tests")["tests pass"].startswith("cd api && ")

    here.write({"Makefile": "test:\n"})
    assert found_from(here, "api/tests") == {"tests pass": "make test"}
