"""A looser setting of a linter weighs less if no check runs the linter."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

FLAKE8 = Change("setup.cfg", "[flake8]\nignore = W503\n", "[flake8]\nignore = W503, F821\n")
PARTLY = Change(
    "pyproject.toml",
    "[tool.ruff.lint]\nselect = ['E']\n",
    "[tool.ruff.lint]\nselect = ['E']\nper-file-ignores = {'src/a.py' = ['F401']}\n",
)
FLOOR = Change(".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 50\n")
TOX = Change("tox.ini", "[testenv]\ncommands = mypy src\n", "[testenv]\ncommands = true\n")


def severities(change: Change, command: str, **files: str) -> list[str]:
    paths = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    found = findings([change], (command,), paths.get, list_paths=lambda: paths)
    return [finding.severity for finding in found]


@pytest.mark.parametrize(
    ("change", "command", "severity"),
    [
        (FLAKE8, "python -m pytest -q", LOW),
        (FLAKE8, "python -m pytest && flake8 src", MEDIUM),
        (FLAKE8, "pytest --flake8", MEDIUM),
        (FLAKE8, "pytest -p pytest_flake8", MEDIUM),
        (FLAKE8, "uv run python -m flake8", MEDIUM),
        (FLAKE8, "./check.sh", MEDIUM),
        (FLAKE8, "python tools/check.py", MEDIUM),
        (FLAKE8, ".venv/bin/python -m pytest -q", LOW),
        (FLAKE8, "./node_modules/.bin/tape 'test/**/*.js'", LOW),
        (FLAKE8, ".venv/bin/flake8 src", MEDIUM),
        (FLAKE8, ".venv/bin/python tools/check.py", MEDIUM),
        (FLAKE8, "tox", MEDIUM),
        (FLAKE8, "pytest && $LINT", MEDIUM),
        (PARTLY, "pytest", LOW),
        (PARTLY, "ruff check", MEDIUM),
        (FLOOR, "pytest", MEDIUM),
        (FLOOR, "pytest --cov=app", HIGH),
        (FLOOR, "coverage run -m pytest && coverage report", HIGH),
    ],
)
def test_a_setting_counts_by_what_the_checks_run(change: Change, command: str, severity: str):
    assert severities(change, command)[:1] == [severity]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest_dot_ini", "[pytest]\naddopts = --flake8\n"),
        ("tests__test_style_dot_py", "import subprocess\nsubprocess.run(['flake8', 'src'])\n"),
    ],
)
def test_a_linter_that_pytest_or_a_test_starts_is_run(name: str, text: str):
    assert severities(FLAKE8, "pytest", **{name: text}) == [MEDIUM]


def test_a_program_of_an_environment_in_the_project_is_no_script_of_it():
    texts = {".venv/bin/pytest": "#!/usr/bin/python\nimport sys\nfrom pytest import main\n"}

    found = findings([FLAKE8], (".venv/bin/pytest -q",), texts.get, list_paths=lambda: ["a.py"])

    assert [finding.severity for finding in found] == [LOW]


def test_a_program_of_the_project_may_start_a_linter():
    assert severities(FLAKE8, "bin/pytest -q", bin__pytest="#!/bin/sh\nexec run-all\n") == [MEDIUM]


def test_without_a_known_check_nothing_is_softened():
    found = findings([FLAKE8], ())

    assert [finding.severity for finding in found] == [MEDIUM]


def test_a_removed_step_of_a_tool_file_stays_a_question():
    assert severities(TOX, "pytest") == [MEDIUM]


@pytest.mark.parametrize(("command", "severity"), [("pytest -q", MEDIUM), ("tox", HIGH)])
def test_a_step_that_no_check_runs_is_a_question_at_most(command: str, severity: str):
    forgiven = Change(
        "tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = - pytest\n"
    )

    assert severities(forgiven, command) == [severity]
