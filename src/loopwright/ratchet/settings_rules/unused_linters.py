"""Gives less weight to looser settings of linters and coverage tools that no check runs.

Such a setting cannot make a check pass. A person may still want to know of it.
"""

from __future__ import annotations

import posixpath
from itertools import islice

from ... import lazy_re as re
from ...checks.test_files import is_python_test
from ...core.findings import HIGH, LOW, MEDIUM, Finding
from ..test_rules.examples import SETTINGS_FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...checks.reach import Reach
    from ..project import Project

LINTER = re.compile(
    r"(ruff|flake8|pylint|mypy|pyright|black|isort|eslint|prettier|coverage|codecov|nyc|c8)\b"
)
# All that these start is known: it is written in the command, or in a file that is followed.
KNOWN_PROGRAM = re.compile(
    r"(?:python|pypy)[\d.]*(?: -m (?:pytest|unittest))?|pytest|py\.test|jest|vitest|mocha|ava|tape"
    r"|node|go|cargo|g?make|npm|pnpm|yarn|npx|uv|poetry|pdm|hatch|env|timeout|nice|(?:ba|da)?sh"
    r"|cd|echo"
)
OTHER_NAMES = {"coverage": "coverage|--cov|pytest-cov"}
MAX_TESTS = 3000  # test files in which we look for a linter that they start


def soften_unused(found: list[Finding], files: Project, reach: Reach, least: str) -> list[Finding]:
    """The findings, with less weight for those about a tool that no check runs; `least` of all."""
    if not is_all_known(files, reach):
        return found
    is_run: dict[str, bool] = {}
    softened = []
    for finding in found:
        match = LINTER.match(finding.after or finding.before)
        tool = match[1] if match else ""
        if tool and tool not in is_run:
            is_run[tool] = _is_run(tool, files, reach)
        if tool and not is_run[tool] and finding.severity != least:
            finding = finding.but(severity=MEDIUM if finding.severity == HIGH else LOW)
        softened.append(finding)
    return softened


def is_all_known(files: Project, reach: Reach) -> bool:
    """Is all known that the checks start, so that what they do not reach is not run?"""
    installed = {path for path in map(_path_of, reach.programs) if _is_installed(path, files)}
    programs = [
        posixpath.basename(name) if _path_of(name) in installed else name for name in reach.programs
    ]
    is_known = all(map(KNOWN_PROGRAM.fullmatch, programs)) and not any(
        "$" in x for x in reach.lines
    )
    return bool(programs) and is_known and installed.issuperset(reach.scripts)


def _path_of(program: str) -> str:
    return posixpath.normpath(program.partition(" ")[0])


def _is_installed(path: str, files: Project) -> bool:
    """Is it a program of an environment, such as `node_modules/.bin/mocha`, and no project file?"""
    is_own = path in files.paths or path in files.paths_before
    return "/" in path and files.can_list and not is_own


def _is_run(tool: str, files: Project, reach: Reach) -> bool:
    """Does a command, an option of pytest or a test name the tool?"""
    names = OTHER_NAMES.get(tool, tool)
    named = re.compile(rf"(?<![\w-])(?:{names})\b|\bpytest[-_]{tool}\b|--{tool}\b")
    if any(map(named.search, reach.lines)):
        return True
    option = re.compile(rf"-p[ =]?\w*{tool}|--{tool}\b" + (r"|--cov" if tool == "coverage" else ""))
    settings = [files.before(name) or "" for name in SETTINGS_FILES]
    settings += [files.now(name) or "" for name in SETTINGS_FILES]
    if any(map(option.search, settings)):
        return True
    tests = islice((path for path in sorted(files.paths) if is_python_test(path)), MAX_TESTS)
    return any(named.search(files.now(path) or "") for path in tests)
