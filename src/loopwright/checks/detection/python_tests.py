"""Which runner the tests of a Python project want, and the ways to start it."""

from __future__ import annotations

import os
from itertools import islice

from ... import lazy_re as re
from ..test_files import COLLECTED_NAME
from .folder import ProjectFolder, Way, is_on_path
from .python_environment import environments, is_active, path_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CRITERION = "tests pass"
MAX_FOLDERS = 400
MAX_READ_TESTS = 20
# Folders that hold other people's or generated code.
FOREIGN_FOLDER = re.compile(
    r"\..*|node_modules|venv|env|build|dist|site-packages|vendor|third_party|target|__pycache__"
    r"|fixtures|testdata|examples?"
)
PYTEST_TABLES = (
    ("pyproject.toml", re.compile(r"^\s*\[tool\.pytest\b", re.M)),
    ("setup.cfg", re.compile(r"^\[tool:pytest\]", re.M)),
    ("tox.ini", re.compile(r"^\[pytest\]", re.M)),
)
MANIFESTS = (
    *("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "noxfile.py"),
    *("requirements.txt", "manage.py", "Pipfile", ".stestr.conf"),
)
PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml")
TESTPATHS = re.compile(r"^\s*testpaths\s*=", re.M)
TEST_PATH = re.compile(r"(?:^|/|_)tests?(?:/|$|_)")
USES_PYTEST = re.compile(r"^\s*(?:import|from) pytest\b|^(?:async )?def test_", re.M)
# Of Django, or of a manage.py that knows a command `test` itself.
HAS_TEST_COMMAND = re.compile(r"django|[\"']test[\"']")
OWN_RUNNERS = ("runtests.py", "tests/runtests.py", "run_tests.py", "tests/run_tests.py")


def test_ways(folder: ProjectFolder) -> tuple[list[Way], list[Way]]:
    """The ways to run the tests: in the project's own environment, and by the PATH."""
    tests = list(islice(_test_files(folder), MAX_READ_TESTS))
    if _has_pytest_settings(folder):
        return _tool_ways(folder, "pytest", f"pytest -q{_test_paths(folder)}")
    if folder.has(".stestr.conf"):
        return _tool_ways(folder, "stestr", "stestr run")
    if script := folder.first_of(*OWN_RUNNERS):
        return _python_ways(folder, script)
    if tests and (folder.names_tool("pytest") or _use_pytest(folder, tests)):
        return _tool_ways(folder, "pytest", f"pytest -q{_test_paths(folder)}")
    if HAS_TEST_COMMAND.search(folder.text("manage.py")):
        return _python_ways(folder, "manage.py test")
    return _python_ways(folder, _unittest_words(folder, tests)) if tests else ([], [])


def _has_pytest_settings(folder: ProjectFolder) -> bool:
    if folder.first_of(*PYTEST_FILES):
        return True
    return any(pattern.search(folder.text(file)) for file, pattern in PYTEST_TABLES)


def _tool_ways(folder: ProjectFolder, tool: str, command: str) -> tuple[list[Way], list[Way]]:
    arguments = command.removeprefix(tool)
    own = [
        Way(CRITERION, f"{launch.tool_command(tool)}{arguments}", launch.has_tool(tool))
        for launch in environments(folder)
    ]
    on_path = Way(CRITERION, command, is_on_path(tool))
    return ([*own, on_path], []) if is_active(tool) else (own, [on_path])


def _python_ways(folder: ProjectFolder, words: str) -> tuple[list[Way], list[Way]]:
    own = [
        Way(CRITERION, f"{launch.python} {words}", launch.has_python)
        for launch in environments(folder)
    ]
    return own, [Way(CRITERION, f"{path_python()} {words}")]


def _use_pytest(folder: ProjectFolder, tests: list[str]) -> bool:
    return any(USES_PYTEST.search(folder.text(test)) for test in tests)


def _test_paths(folder: ProjectFolder) -> str:
    """The folders that every pytest command of the CI names, if the settings name none."""
    settings = (*PYTEST_FILES, *(file for file, _ in PYTEST_TABLES))
    if any(TESTPATHS.search(folder.text(file)) for file in settings):
        return ""
    commands = [c for c in folder.ci_commands() if c.words[0] == "pytest"]
    named = {
        tuple(w.rstrip("/") for w in c.words[1:] if re.match(r"[\w.]", w) and folder.has(w))
        for c in commands
    }
    paths = named.pop() if len(named) == 1 else ()
    plain = [path for path in paths if re.fullmatch(r"[\w./-]+", path)]
    return "".join(f" {path}" for path in plain) if all(map(TEST_PATH.search, plain)) else ""


def _unittest_words(folder: ProjectFolder, tests: list[str]) -> str:
    """unittest looks into packages; it must be told where the first package is."""
    begins = {_folder_above_packages(folder, test) for test in tests}
    start = "" if "" in begins else f" -s {min(begins)}"
    names = [os.path.basename(test) for test in tests]
    pattern = "" if any(name.startswith("test") for name in names) else " -p '*_test.py'"
    return f"-m unittest discover -v{start}{pattern}"


def _folder_above_packages(folder: ProjectFolder, test: str) -> str:
    place = os.path.dirname(test)
    while place and folder.has(f"{place}/__init__.py"):
        place = os.path.dirname(place)
    return place


def _test_files(folder: ProjectFolder) -> Iterator[str]:
    """The files that hold tests, with those that are nearest to the top first."""
    waiting, seen, is_project = [""], 0, is_python_project(folder)
    while waiting and seen < MAX_FOLDERS:
        place, seen = waiting.pop(0), seen + 1
        for name in folder.names_in(place):
            path = f"{place}/{name}" if place else name
            if os.path.isdir(os.path.join(folder.path, path)):
                if _may_hold_tests(folder, path, is_project):
                    waiting.append(path)
            elif COLLECTED_NAME.fullmatch(name):
                yield path


def _may_hold_tests(folder: ProjectFolder, path: str, is_project: bool) -> bool:
    name = os.path.basename(path)
    if is_project:
        is_own_project = folder.first_of(f"{path}/pyproject.toml", f"{path}/setup.py")
        return not is_own_project and not FOREIGN_FOLDER.fullmatch(name)
    # Where nothing says that this is a project of Python, tests of other folders are not its own.
    return path in ("tests", "test") or folder.has(f"{path}/__init__.py")


def is_python_project(folder: ProjectFolder) -> bool:
    """Is it a project of Python, and not one of another language with some scripts?"""
    return bool(folder.first_of(*MANIFESTS) or next(environments(folder), None))
