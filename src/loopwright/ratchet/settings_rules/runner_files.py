"""Finds changes of files that a test runner, a tool or CI loads besides the tests."""

from __future__ import annotations

import ast
import json
import posixpath

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.reach import Reach
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import DATA
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ...repo.sources import parse_python
from ...repo.walk import is_excluded
from ..project import Project, lost_lines, new_lines
from .line_settings import is_line_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HOOK_LINE = re.compile(
    r"def pytest_(?!(?:addoption|report_header|terminal_summary|configure|make_parametrize_id)\b)"
    r"|pytest_plugins|sys\.(?:modules|meta_path|path_hooks|path)\b|config\.(?:option|args|_)"
    r"|pluginmanager|os\._exit|atexit|collect_ignore|\bexitstatus\b|\.outcome *="
    r"|monkeypatch\.setattr|\bsetattr\(|mock\.patch|patch\.(?:object|dict)\(|importlib\.\w+\("
    r"|spec_from_file|\.(?:write_text|write_bytes)\("
)
WRITES_FILE = re.compile(r"\.(?:write_text|write_bytes)\(")
TEMPORARY_FOLDERS = ("tmp_path", "tmpdir", "tmp_path_factory")
PLUGIN_LINE = re.compile(r"def pytest_(?!addoption\b|report_header\b)\w+\(")
PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")  # read in this order
PYTEST_SECTIONS = {
    "pyproject.toml": re.compile(r"(?m)^\[tool\.pytest\b"),
    "tox.ini": re.compile(r"(?m)^\[pytest\]"),
    "setup.cfg": re.compile(r"(?m)^\[tool:pytest\]"),
}
# Files of build tools that also say which tests there are.
BUILD_FILE = re.compile(
    r"CMakeLists\.txt|.*\.cmake|meson\.build|BUILD(?:\.bazel)?|.*\.bzl|mix\.exs|build\.sbt|Rakefile"
)
TEST_WORD = re.compile(r"(?i)test")
# Lists of what a tool does not look at; without those that only say what is delivered.
IGNORE_FILE = re.compile(
    r"\.(?!(?:npm|docker|gcloud|vercel|helm|slug|cf|vscode)ignore)[\w-]*ignore"
)


def is_watched_file(path: str) -> bool:
    """Does its name say that its lines decide which tests there are?"""
    return bool(BUILD_FILE.fullmatch(posixpath.basename(path)))


def find(project: Project) -> Iterator[Finding]:
    """What was changed around the tests."""
    for change in project.changes.values():
        for find_in in FINDERS:
            yield from find_in(change, project, project.reach)


def _hook_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """New hooks in a conftest.py, in a plugin, or in the package of the tests."""
    name = posixpath.basename(change.path)
    if change.after is None or not name.endswith(".py"):
        return
    in_tests = surrounding_kind(change.path, change.before, change.after) != ""
    is_package = name == "__init__.py" and in_tests
    pattern = HOOK_LINE if name == "conftest.py" or is_package else PLUGIN_LINE
    if name != "conftest.py" and not is_package and PLUGIN_LINE.search(change.before or ""):
        return  # a plugin is what this file was made for
    for number, line in new_lines(change.before, change.after):
        if not pattern.search(line) or _was_elsewhere(line, files):
            continue
        if _is_hook(change, number, line):
            yield Finding(MEDIUM, "runner-hook-added", change.path, number, after=line[:200])
            return


def _was_elsewhere(line: str, files: Project) -> bool:
    """Had another changed file this line? Then it has moved."""
    texts = [change.before for change in files.changes.values() if line in (change.before or "")]
    return any(line in map(str.strip, text.split("\n")) for text in texts if text)


def _is_hook(change: Change, number: int, line: str) -> bool:
    """Not a line in a text, as that of a project which a test makes, nor a file in a new folder.

    No runner sees a function inside of another one.
    """
    tree = parse_python(change.after or "")
    if tree is None:
        return True
    around: list[ast.AST] = [
        node
        for node in ast.walk(tree)
        if getattr(node, "lineno", number + 1) <= number <= (getattr(node, "end_lineno", 0) or 0)
    ]
    texts = [node for node in around if isinstance(node, ast.Constant | ast.JoinedStr)]
    if any(getattr(node, "end_lineno", 0) > getattr(node, "lineno", 0) for node in texts):
        return False
    functions = [n for n in around if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    if PLUGIN_LINE.search(line) and len(functions) > 1:
        return False
    if not WRITES_FILE.search(line):
        return True
    names = {arg.arg for function in functions for arg in function.args.args}
    return names.isdisjoint(TEMPORARY_FOLDERS)


def _precedence_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """A new settings file of pytest that hides the settings of the project."""
    folder, name = posixpath.split(change.path)
    if change.before is not None or change.after is None or name not in PYTEST_FILES:
        return
    for other in PYTEST_FILES[PYTEST_FILES.index(name) + 1 :]:
        path = posixpath.join(folder, other)
        if files.before(path) is not None and files.now(path) is not None:
            yield Finding(MEDIUM, "settings-take-precedence", change.path, before=path)
            return
    for other, section in PYTEST_SECTIONS.items():
        path = posixpath.join(folder, other)
        if section.search(files.before(path) or "") and section.search(files.now(path) or ""):
            yield Finding(MEDIUM, "settings-take-precedence", change.path, before=path)
            return


def _ignore_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """New lines of an ignore file that hide code of the project from linters and runners."""
    folder, name = posixpath.split(change.path)
    if not IGNORE_FILE.fullmatch(name):
        return
    changed = [c.path for c in files.changes.values() if c.before is not None]
    for number, line in new_lines(change.before, change.after):
        paths = [posixpath.join(folder, line.strip("/")), *changed]
        hidden = [path for path in paths if is_excluded(_relative(path, folder), (line,))]
        if any(p.endswith(CODE_SUFFIXES) and files.now(p) is not None for p in hidden):
            yield Finding(MEDIUM, "tests-excluded", change.path, number, after=line[:200])
            return


def _relative(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path


def _build_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """Lines about tests that are gone from the file of a build tool."""
    if change.before is None or not is_watched_file(change.path):
        return
    lost = [line for line in lost_lines(change.before, change.after) if TEST_WORD.search(line)]
    if lost:
        yield Finding(MEDIUM, "check-command-changed", change.path, before=lost[0][:200])


def _data_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """Golden files, snapshots and other test data that was there and is different now."""
    if change.before is None or change.before == change.after:
        return
    lost = lost_lines(change.before, change.after, ())
    if change.after and not lost:
        return  # all that was expected is still there
    if change.path.endswith(".json") and _has_all_data(change.before, change.after or ""):
        return
    if change.after is None and change.before and files.has_new_copy(change.before):
        return  # a test that reads it by its old name fails
    is_data = surrounding_kind(change.path, change.before, change.after) == DATA
    if is_data and not is_line_settings(change.path):
        old = lost[0] if lost else ""
        new = next((line for _, line in new_lines(change.before, change.after, ())), "")
        yield Finding(
            MEDIUM, "expected-data-changed", change.path, before=old[:200], after=new[:200]
        )


def _has_all_data(before: str, after: str) -> bool:
    """Are all rows of a list, or keys of an object, still there, on whatever lines?"""
    try:
        old, new = json.loads(before), json.loads(after)
    except (ValueError, RecursionError):
        return False
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and new[key] == value for key, value in old.items())
    is_list = isinstance(old, list) and isinstance(new, list)
    return is_list and all(row in new for row in old) and len(new) >= len(old)


FINDERS: tuple[Callable[[Change, Project, Reach], Iterator[Finding]], ...] = (
    _hook_findings,
    _precedence_findings,
    _ignore_findings,
    _build_findings,
    _data_findings,
)
