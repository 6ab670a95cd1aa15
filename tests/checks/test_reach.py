"""What a check runs and reads, through wrappers, makefiles, package scripts and shells."""

from __future__ import annotations

import json

import pytest

from loopwright.checks.reach import reach_of

NAMED = {
    "a script": ("bash scripts/test.sh --fast", {"scripts/test.sh"}),
    "from here": ("./check.sh", {"check.sh"}),
    "make": ("make test", {"Makefile", "makefile", "GNUmakefile"}),
    "npm": (("npm", "test"), {"package.json"}),
    "an open quote": ("echo 'run.sh", set()),
}


@pytest.mark.parametrize(("command", "files"), NAMED.values(), ids=NAMED.keys())
def test_the_files_that_a_check_names_are_its_own(command, files) -> None:
    assert frozenset(reach_of((command,), lambda path: None).files) == files


FILES = {
    "Makefile": "PY = python3\ninclude local.mk\ntest: unit\n\t$(PY) -m pytest\nunit:\n\tcd web && npm test\n",
    "web/package.json": json.dumps({"scripts": {"pretest": "tsc", "test": "./bin/run-tests"}}),
    "web/bin/run-tests": "#!/bin/sh\n. ./common.sh\nnode --test\nsh ./product.sh\n",
}
REACHED = {
    "flags before -m": (
        "python3 -X dev -W error -m pytest -q",
        {"python3", "python3 -m pytest"},
        set(),
    ),
    "timeout, env and nice": (
        "timeout -k 5 60 env CI=1 nice -n 5 python3 -m pytest",
        {"timeout", "env", "nice", "python3", "python3 -m pytest"},
        set(),
    ),
    "a shell": ("sh -c 'ruff check . && pytest'", {"sh", "ruff", "pytest"}, set()),
    "uv": ("uv run --extra dev pytest -q", {"uv", "pytest"}, set()),
    "uv with a module": ("uv run -m pytest", {"uv", "python", "python -m pytest"}, set()),
    "poetry": ("poetry run pytest", {"poetry", "pytest"}, set()),
    "pdm": ("pdm run pytest", {"pdm", "pytest"}, set()),
    "hatch": ("hatch run pytest", {"hatch", "pytest"}, set()),
    "npx": ("npx -y jest --ci", {"npx", "jest"}, set()),
    "pnpm": ("pnpm exec vitest run", {"pnpm", "vitest"}, set()),
    "a script": ("bash scripts/test.sh", {"bash"}, {"scripts/test.sh"}),
    "tox": ("tox -q", {"tox"}, {"tox.ini"}),
    "make, npm and a script": (
        "make test",
        {"make", "npm", "tsc", "./bin/run-tests", "node", "sh", "python3", "python3 -m pytest"},
        {"Makefile", "local.mk", "web/package.json", "web/bin/run-tests", "web/common.sh"},
    ),
}


@pytest.mark.parametrize(("command", "programs", "files"), REACHED.values(), ids=REACHED.keys())
def test_a_check_is_followed_to_its_programs_and_files(command, programs, files) -> None:
    reach = reach_of((command,), FILES.get)

    assert set(reach.programs) == programs
    assert files <= set(reach.files)
    assert "web/product.sh" not in reach.files
