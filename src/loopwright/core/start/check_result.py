"""What the result of a check says about the check itself, with what helps.

A program that is missing, packages that cannot be imported and failing tests are three things, and
only the last one is about the product.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import lazy_re as re
from ..criteria import Criterion

PASSING, FAILING, MISSING = "passing", "failing", "missing"
CANNOT_IMPORT, NO_TESTS, TIMEOUT = "cannot import", "no tests", "timeout"
UNABLE = (MISSING, CANNOT_IMPORT, NO_TESTS)  # it says nothing about the product
# The words of shells, make, Python, npx and uv about a program that they do not find.
MISSING_PROGRAM = re.compile(
    r"(?:^|\s)(?:\d+: )?([\w.+-]+): (?:command )?not found$"
    r"|command not found: ([\w.+-]+)$"
    r"|^g?make(?:\[\d+\])?: ([\w.+-]+): No such file or directory$"
    r"|^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)"
    r"|Failed to spawn: `([\w.+-]+)`|^Command not found: ([\w.+-]+)",
    re.M,
)
# make ends with a code of its own, and prints that of the shell.
ERROR_127 = re.compile(r"^\S*make(?:\[\d+\])?: \*\*\* .*Error 127$", re.M)
NO_TESTS_RAN = re.compile(
    r"^no tests ran in|collected 0 items|^Ran 0 tests in|NO TESTS RAN|No test files found"
    r"|^No tests found, exiting",
    re.M,
)
MISSING_MODULE = re.compile(
    r"ModuleNotFoundError: No module named '([\w.]+)'"
    r"|Cannot find (?:module|package) '([^'./][^']*)'"
    r"|no required module provides package ([^\s;:]+)"
)
SOME_PASSED = re.compile(r"\b[1-9]\d* pass(?:ed|ing)\b|^(?:ok|# pass [1-9]\d*)\b", re.M)
COUNT_OF_ERRORS = re.compile(r"\b(\d+) errors?\b|errors=(\d+)")
# How the packages of a project are installed, by the program that starts the check.
INSTALL = {
    "uv": "uv sync",
    "poetry": "poetry install",
    "pdm": "pdm install",
    "pipenv": "pipenv install --dev",
    "go": "go mod download",
    "tox": "tox -r",
    **{manager: f"{manager} install" for manager in ("npm", "pnpm", "yarn", "bun")},
    "npx": "npm install",
    "bunx": "bun install",
}
INSTALLERS = {"cargo": "Rust", "go": "Go", "npm": "Node.js", "npx": "Node.js", "deno": "Deno"}
INSTALLERS |= {"mvn": "Maven", "mix": "Elixir"}
PYTHON_TOOLS = (
    *("pytest", "ruff", "mypy", "flake8", "pyright", "tox", "nox", "pre-commit", "stestr"),
    *("uv", "poetry", "pdm", "pipenv", "hatch", "poe"),
)


class CheckResult(NamedTuple):
    """One of the words above, the program or package that is not there, and what helps."""

    word: str
    lacks: str = ""
    fix: str = ""

    @property
    def text(self) -> str:
        return f"{self.word}: {self.lacks}" if self.lacks else self.word


def check_result(c: Criterion) -> CheckResult | None:
    """What the last run of its check says; None if it has not run."""
    proof, check = c.proof, c.check
    if not proof or not check or proof.by != "loop":
        return None
    if proof.passed:
        return CheckResult(PASSING)
    output, command = proof.detail, check.command_line
    programs = [name for groups in MISSING_PROGRAM.findall(output) for name in groups if name]
    is_missing = c.could_not_run or ERROR_127.search(output)
    if proof.outcome == "missing" or (programs and is_missing):
        program = programs[-1] if programs else _words(command)[0]
        return CheckResult(MISSING, program, _fix(c.name, _install_program(program, command)))
    if proof.outcome == "timeout":
        return CheckResult(TIMEOUT, fix="more time: `loop config check.timeout N`")
    if modules := _missing_modules(output):
        return CheckResult(CANNOT_IMPORT, modules[0], _fix(c.name, _install_packages(command)))
    if NO_TESTS_RAN.search(output):
        return CheckResult(NO_TESTS, fix=_fix(c.name, "write the first one"))
    return CheckResult(FAILING)


def is_unable(c: Criterion) -> bool:
    """Does the last result of its check say nothing about the product?"""
    result = check_result(c)
    return result is not None and result.word in UNABLE


def _missing_modules(output: str) -> list[str]:
    """The packages for want of which nothing runs. Where a test passes, a failure is a failure."""
    names = [name for groups in MISSING_MODULE.findall(output) for name in groups if name]
    errors = [int(one or two) for one, two in COUNT_OF_ERRORS.findall(output)]
    is_all = not errors or errors[-1] <= len(names)
    return names if is_all and not SOME_PASSED.search(output) else []


def _install_program(program: str, command: str) -> str:
    first = _words(command)[0]
    name = program.rpartition("/")[2]
    if first in INSTALL and name != first:
        return f"`{INSTALL[first]}`"
    if name in INSTALLERS:
        return f"install {INSTALLERS[name]}"
    if _is_python(first):
        return f"`{first} -m pip install {name}`"
    return f"`pip install {name}`" if name in PYTHON_TOOLS else f"install {name}"


def _install_packages(command: str) -> str:
    """What installs the packages of the project, where this command looks for them."""
    first = _words(command)[0]
    if first in INSTALL:
        return f"`{INSTALL[first]}`"
    return f"`{first} -m pip install -e .`" if _is_python(first) else "`pip install -e .`"


def _fix(name: str, words: str) -> str:
    return f'{words}, or give another command: --check "{name}=COMMAND"'


def _is_python(program: str) -> bool:
    return bool(re.fullmatch(r"(?:\S*/)?python[\d.]*", program))


def _words(command: str) -> list[str]:
    """The words of the command, without the folder that it changes to and its variables."""
    words = command.rpartition("&& ")[2].split()
    return [word for word in words if "=" not in word] or [command]
