"""Finds changes of files that a test runner, a tool or CI loads besides the tests."""

from __future__ import annotations

import ast
import json
import posixpath

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.commands import CI_FILE
from ...checks.reach import Reach
from ...checks.surroundings import surrounding_kind
from ...checks.test_files import DATA
from ...core.findings import MEDIUM, Finding
from ...formats.flat_settings import yaml_outline
from ...repo.baseline import Change
from ...repo.sources import parse_python
from ...repo.walk import is_excluded
from ..project import Project, lost_lines, new_lines
from .build_settings import is_build_file
from .makefiles import ASSIGNS_RUNNER_VARIABLE, RUNNER_VARIABLE

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
VITEST_WORKSPACE = r"(?:vitest|vite)\.workspace\.\w+"
# A workspace that is nothing but a list of folders and settings files.
FOLDER_LIST = re.compile(
    r"(?:import\s*\{\s*defineWorkspace\s*\}\s*from\s*['\"]vitest/config['\"];?\s*)?"
    r"(?:export\s+default|module\.exports\s*=)?\s*(?:defineWorkspace\()?\s*"
    r"\[(?P<folders>(?:\s*(?:'[^'\n]*'|\"[^\"\n]*\")\s*,?)*)\s*\]\s*\)?\s*;?\s*"
)
OPTIONS_OF_FILE = (  # files whose new lines can change what every test run loads
    (
        re.compile(r"\.npmrc|\.yarnrc(?:\.yml)?"),
        re.compile(
            r"(?i)(?:script-?shell|if-present|ignore-scripts|node-options|shell-emulator)\b"
        ),
    ),
    (re.compile(r"\.env(?:\.\w+)?|\.envrc"), ASSIGNS_RUNNER_VARIABLE),
    (
        re.compile(r"Cargo\.toml"),
        re.compile(
            r"(?:test|harness|doctest|autotests) *= *false|path *= *['\"].*\.rs['\"]"
            r"|^default-members *="
        ),
    ),
    (re.compile(r"go\.mod|go\.work"), re.compile(r"^replace\b|=> *\.")),
    (
        re.compile(r"pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties"),
        re.compile(
            r"(?i)skipTests|maven\.test\.skip|testFailureIgnore|ignoreFailures|onlyIf|<exclude>"
            r"|excludeTestsMatching|failIfNoTests|tests?\b.*enabled *= *false"
        ),
    ),
    (re.compile(r"requirements[\w-]*\.txt|Pipfile"), re.compile(r"^(?:-e +)?(?:\./|file:|\.\./)")),
    (re.compile(r"rust-toolchain(?:\.toml)?"), re.compile(r"path *=")),
    (re.compile(rf"{VITEST_WORKSPACE}|\.testmondata"), re.compile(r"")),
    (re.compile(r"noxfile\.py"), re.compile(r"success_codes|external *= *True|\.skip\(")),
)
CLIENT_SETTINGS = re.compile(r"(?:^|/)\.claude/settings(?:\.local)?\.json$")
JSON_RUNNER_VARIABLE = re.compile(rf"[\"']{RUNNER_VARIABLE}[\"'] *:")
CARGO_SETTINGS = re.compile(r"(?:^|/)\.cargo/config(?:\.toml)?$")
CARGO_OPTION = re.compile(r"(?:runner|rustc(?:-[\w-]+)?|rustflags|linker|rustdoc|path) *=")
CARGO_TARGET = re.compile(r"\[\[(?:test|example|bench)\]\]")
TOOL_FILES = ("noxfile.py", ".pre-commit-config.yaml")
# Files of build tools that also say which tests there are.
BUILD_FILE = re.compile(
    r"CMakeLists\.txt|.*\.cmake|meson\.build|BUILD(?:\.bazel)?|.*\.bzl|mix\.exs|build\.sbt|Rakefile"
)
TEST_WORD = re.compile(r"(?i)test")
TOOL_VERSION = re.compile(
    r"(?:-? *repo|rev|autoupdate_\w+|autofix_\w+|additional_dependencies|- *['\"]?[\w-]+[=~><]=)\b"
    r"|session\.install\("
    r"|(?:args: \[)?(?:['\"]--target-version['\"], )?['\"]?(?:--)?(?:pypy|py|python|cp|3|2)-?"
    r"[\d.]+(?:-plus)?['\"]?[\],]*$"
)
HOOK_ID = re.compile(r"- *id:")
# Lines of pre-commit that make no hook report more: what it leaves out, repairs or installs.
ASKS_FOR_NOTHING = re.compile(
    r"exclude:.*|args: *\[[\"']?--fix[\"']?\]|- --fix|- [\"']?[A-Za-z][\w.\[\]=<>~!-]*[\"']?"
)
REPLACED_BY_RUFF = re.compile(r"pyupgrade|isort|black|flake8|autoflake|pydocstyle|pycln|reorder")
NOX_COMMAND = re.compile(r"@?nox\.|\bsession\.(?!install|log|create|posargs|python)|\(session")
DEPENDENCY_FILES = ("Cargo.toml", "package.json", "pyproject.toml")
LOCAL_DEPENDENCY = re.compile(
    r"\s*[\"']?([@\w./-]+)[\"']?\s*[:=]\s*(?:\{[^}]*\b(?:path|file)\s*=|[\"'](?:file|link|portal):)"
    r"|(path)\s*=\s*[\"'](?!.*\.rs)"
)
NOT_A_DEPENDENCY = ("license", "readme", "version")  # files of the project's own description
# Lists of what a tool does not look at; without those that only say what is delivered.
IGNORE_FILE = re.compile(
    r"\.(?!(?:npm|docker|gcloud|vercel|helm|slug|cf|vscode)ignore)[\w-]*ignore"
)
NARROWING_KEYS = ("branches-ignore", "paths-ignore", "tags-ignore", "paths", "branches")
REF_KEYS = ("branches", "tags")
WATCHED_EVENTS = ("push", "pull_request", "pull_request_target", "merge_group", "schedule")


def is_watched_file(path: str) -> bool:
    """Does its name say that its lines can change what every test run loads?"""
    name = posixpath.basename(path)
    if CLIENT_SETTINGS.search(path) or BUILD_FILE.fullmatch(name):
        return True
    return any(file.fullmatch(name) for file, _ in OPTIONS_OF_FILE)


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
    """Not a line in a text, as that of a project which a test makes, nor a file in a new folder."""
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
    if not WRITES_FILE.search(line):
        return True
    functions = [n for n in around if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
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


def _option_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    name = posixpath.basename(change.path)
    patterns = [line for file, line in OPTIONS_OF_FILE if file.fullmatch(name)]
    if CARGO_SETTINGS.search(change.path):
        patterns.append(CARGO_OPTION)
    if CLIENT_SETTINGS.search(change.path):
        patterns.append(JSON_RUNNER_VARIABLE)
    if change.after is None or not patterns or _is_longer_workspace(change):
        return
    for number, line in new_lines(change.before, change.after):
        if name == "Cargo.toml" and _is_path_of_new_target(change, number, line):
            continue
        if any(pattern.match(line) or pattern.search(line) for pattern in patterns):
            yield Finding(MEDIUM, "runner-setting-changed", change.path, number, after=line[:200])


def _is_longer_workspace(change: Change) -> bool:
    """Has a workspace of vitest all its folders and more, without one that is left out?"""
    if not re.fullmatch(VITEST_WORKSPACE, posixpath.basename(change.path)):
        return False
    old, new = (_workspace_folders(text or "") for text in (change.before, change.after))
    return bool(old and new) and old <= new and not any(f[:1] == "!" for f in new - old)


def _workspace_folders(text: str) -> set[str]:
    match = FOLDER_LIST.fullmatch(re.sub(r"(?m)(?:^|(?<=,))\s*//.*$", "", text))
    quoted = re.findall(r"'[^'\n]*'|\"[^\"\n]*\"", match["folders"]) if match else ()
    return {word[1:-1] for word in quoted}


def _is_path_of_new_target(change: Change, number: int, line: str) -> bool:
    """Is it the path of a test or an example that Cargo.toml did not list before?"""
    above = (change.after or "").splitlines()[: number - 1]
    start = next((n for n in range(len(above) - 1, -1, -1) if above[n].startswith("[")), 0)
    section = [text.strip() for text in above[start:]]
    if not line.startswith("path") or not CARGO_TARGET.match("".join(section[:1])):
        return False
    names = [text for text in section if text.startswith("name")]
    return bool(names) and names[0] not in (change.before or "")


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


def _tool_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """Lines that are gone from the file of a tool which runs checks."""
    name = posixpath.basename(change.path)
    is_build = bool(BUILD_FILE.fullmatch(name))
    if (name not in TOOL_FILES and not is_build) or change.before is None:
        return
    lost = [line for line in lost_lines(change.before, change.after) if len(line) > 2]
    lost = [line for line in lost if TEST_WORD.search(line)] if is_build else lost
    lost = [line for line in lost if not TOOL_VERSION.match(line)]
    if name == ".pre-commit-config.yaml":
        lost = [line for line in lost if not ASKS_FOR_NOTHING.fullmatch(line)]
    # A hook that has a longer name now: `ruff`, `ruff-check`.
    lost = [
        line for line in lost if not HOOK_ID.match(line) or f"{line}-" not in (change.after or "")
    ]
    if "id: ruff" in (change.after or "") and "id: ruff" not in change.before:
        lost = [line for line in lost if HOOK_ID.match(line) and not REPLACED_BY_RUFF.search(line)]
    if name == "noxfile.py":
        lost = [line for line in lost if NOX_COMMAND.search(line)]
    if lost:
        yield Finding(MEDIUM, "check-command-changed", change.path, before=lost[0][:200])


def _ci_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """Events that no longer start CI, and new conditions for those that do."""
    if change.before is None or change.after is None or not CI_FILE.search(change.path):
        return
    old, new = _ci_triggers(change.before), _ci_triggers(change.after)
    for name in sorted(old - new):
        if name in WATCHED_EVENTS:
            yield Finding(MEDIUM, "ci-narrowed", change.path, before=f"on: {name}")
    for name in sorted(new - old):
        event, _, key = name.rpartition(".")
        # An event that was for tags alone is wider with branches.
        is_wider = key in REF_KEYS and any(f"{event}.{other}" in old for other in REF_KEYS)
        if key in NARROWING_KEYS and not is_wider:
            yield Finding(MEDIUM, "ci-narrowed", change.path, after=f"on: {name}")


def _ci_triggers(text: str) -> set[str]:
    """The events under `on`, and the keys below them."""
    found = set()
    for keys, value, _ in yaml_outline(text):
        if not keys or keys[0] != "on":
            continue
        named = [key for key in keys[1:] if not key.isdigit()]
        found |= {".".join(named[:end]) for end in range(1, len(named) + 1)}
        if len(named) < 1:
            found |= set(re.findall(r"\w+", value))
    return found


def _data_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """Golden files, snapshots and other test data that was there and is different now."""
    if change.before is None or change.before == change.after:
        return
    if change.after and not lost_lines(change.before, change.after, ()):
        return  # all that was expected is still there
    if change.path.endswith(".json") and _has_all_rows(change.before, change.after or ""):
        return
    if change.after is None and change.before and files.has_new_copy(change.before):
        return  # a test that reads it by its old name fails
    is_data = surrounding_kind(change.path, change.before, change.after) == DATA
    if is_data and not is_build_file(change.path):
        yield Finding(MEDIUM, "expected-data-changed", change.path)


def _has_all_rows(before: str, after: str) -> bool:
    """Are all rows of a list still there, on whatever lines?"""
    try:
        old, new = json.loads(before), json.loads(after)
    except (ValueError, RecursionError):
        return False
    is_list = isinstance(old, list) and isinstance(new, list)
    return is_list and all(row in new for row in old) and len(new) >= len(old)


def _dependency_findings(change: Change, files: Project, reach: Reach) -> Iterator[Finding]:
    """A dependency that was there and comes from a folder of the project now."""
    if posixpath.basename(change.path) not in DEPENDENCY_FILES or not change.before:
        return
    for number, line in new_lines(change.before, change.after):
        match = LOCAL_DEPENDENCY.match(line)
        name = re.escape(match[1] or match[2]) if match else ""
        if (
            name
            and name not in NOT_A_DEPENDENCY
            and re.search(rf"(?m)^\s*[\"']?{name}[\"']?\s*[:=]", change.before)
        ):
            yield Finding(MEDIUM, "runner-setting-changed", change.path, number, after=line[:200])


FINDERS: tuple[Callable[[Change, Project, Reach], Iterator[Finding]], ...] = (
    _hook_findings,
    _precedence_findings,
    _option_findings,
    _ignore_findings,
    _tool_findings,
    _ci_findings,
    _data_findings,
    _dependency_findings,
)
