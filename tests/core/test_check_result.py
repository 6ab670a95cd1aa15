"""Missing, cannot import and failing are three things, each with what helps."""

from __future__ import annotations

import pytest

from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.start.check_result import check_result

PYTEST_COLLECTION = """ImportError while importing test module '/x/tests/test_a.py'.
E   ModuleNotFoundError: No module named 'requests'
ERROR tests/test_a.py
!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!
1 error in 0.12s"""
UNITTEST = """ImportError: Failed to import test module: test_a
ModuleNotFoundError: No module named 'attr'
Ran 1 test in 0.000s
FAILED (errors=1)"""
RESULTS = {
    "a program": ("cargo test -q", 127, "/bin/sh: 1: cargo: not found", "missing: cargo", "Rust"),
    "a tool of Python": (
        *("pytest -q", 127, "/bin/sh: line 1: pytest: command not found"),
        *("missing: pytest", "`pip install pytest`"),
    ),
    "a tool of a script": (
        *("cd web && npm run test", 127, "> jest\n\nsh: 1: jest: not found"),
        *("missing: jest", "`npm install`"),
    ),
    "the manager itself": (
        *("uv run pytest -q", 127, "/bin/sh: 1: uv: not found"),
        *("missing: uv", "`pip install uv`"),
    ),
    "a module that is the tool": (
        *(".venv/bin/python -m pytest -q", 1, "/x/.venv/bin/python: No module named pytest"),
        *("missing: pytest", "`.venv/bin/python -m pip install pytest`"),
    ),
    "a tool below make": (
        *("make test", 2, "make: pytest: No such file or directory\nmake: *** [test] Error 127"),
        *("missing: pytest", "`pip install pytest`"),
    ),
    "no package of Python": (
        *("uv run pytest -q", 2, PYTEST_COLLECTION),
        *("cannot import: requests", "`uv sync`"),
    ),
    "a package that unittest needs": (
        *(".venv/bin/python -m unittest", 1, UNITTEST),
        *("cannot import: attr", "`.venv/bin/python -m pip install -e .`"),
    ),
    "a package of the PATH": (
        *("pytest -q", 2, PYTEST_COLLECTION),
        *("cannot import: requests", "`pip install -e .`"),
    ),
    "no package of node": (
        *("yarn run test", 1, "Error: Cannot find module 'left-pad'\nRequire stack:"),
        *("cannot import: left-pad", "`yarn install`"),
    ),
    "no tests": ("pytest -q", 5, "no tests ran in 0.01s", "no tests", "write the first one"),
    "a failure": ("pytest -q", 1, "1 failed, 2 passed in 0.1s", "failing", ""),
    "one module among tests that pass": (
        *("pytest -q", 1, f"{PYTEST_COLLECTION}\n3 passed, 1 error in 0.1s", "failing", ""),
    ),
    "other errors beside it": (
        *("pytest -q", 2, PYTEST_COLLECTION.replace("1 error", "4 errors"), "failing", ""),
    ),
    "a program that the product calls": (
        *("pytest -q", 1, "E  sh: 1: ffmpeg: not found\n1 failed in 0.1s", "failing", ""),
    ),
}


@pytest.mark.parametrize(
    ("command", "code", "output", "text", "fix"), RESULTS.values(), ids=RESULTS
)
def test_a_result_says_what_is_wrong_and_what_helps(
    command: str, code: int, output: str, text: str, fix: str
) -> None:
    outcome = "missing" if code == 127 else "exit"
    proof = Evidence("tests pass", passed=False, detail=output, outcome=outcome, code=code)
    is_unable = outcome == "missing" or "No module named pytest" in output or "make: " in output
    check = Check(command, origin="detected")
    result = check_result(Criterion("tests pass", check, proof=proof, could_not_run=is_unable))

    assert result is not None
    assert result.text == text
    assert fix in result.fix
    assert ('--check "tests pass=COMMAND"' in result.fix) == (text != "failing")


def test_a_check_that_passes_or_has_not_run_lacks_nothing() -> None:
    passed = Evidence("x", passed=True)
    result = check_result(Criterion("x", Check("true"), proof=passed))

    assert result is not None
    assert result == ("passing", "", "")
    assert check_result(Criterion("x", Check("true"))) is None
