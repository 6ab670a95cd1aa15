"""Which tests of a slow suite are enough: those that reach the changed files by imports."""

from __future__ import annotations

import json
import os
import posixpath
import shlex

from .. import lazy_re as re
from ..checks.code_files import SCRIPT_SUFFIXES
from ..checks.test_files import COLLECTED_NAME, is_test_file
from ..core.criteria import Check
from ..core.record import Record
from ..disk.files import read_text
from ..repo.plumbing import ask_user_git
from ..repo.sources import PYTHON_ENDINGS, file_ending
from .unused_files import meant_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TESTS = 60  # files on a command line
MAX_CHARS = 400_000
PYTEST = re.compile(
    r"(?P<start>(?:\w+=[\w./:-]*\s+)*(?:\S*python[\d.]*(?:\s+-[A-Za-z]+)*?\s+-m\s+)?(?:\S*/)?pytest"
    r"(?:\s+-[\w=-]+)*)(?P<places>(?:\s+[\w./][\w./-]*)*)"
)
GO_TEST = re.compile(r"go test(?P<flags>(?:\s+-[\w=.]+)*)\s+\./\.\.\.")
CARGO = re.compile(r"cargo test(?P<flags>(?:\s+-{1,2}[\w-]+)*)")
NPM = re.compile(r"(?:npm|pnpm|yarn)(?: run)? test(?: --silent)?")
JEST, VITEST = re.compile(r"(?:npx )?jest"), re.compile(r"(?:npx )?vitest(?: run)?")
CRATE = re.compile(r"^name\s*=\s*\"([\w-]+)\"", re.M)
GO_MODULE = re.compile(r"^module\s+(\S+)", re.M)


class SelectedTests(Record):
    """A check that runs only some tests, and which, in words."""

    check: Check
    words: str


def select_tests(check: Check, root: str, paths: tuple[str, ...]) -> SelectedTests | None:
    """The check for the tests that reach these files; None if the runner cannot name them."""
    command = check.command_line.strip()
    command, words = next(
        (
            found
            for select in (_pytest, _go, _cargo, _node)
            if (found := select(command, root, paths))
        ),
        ("", ""),
    )
    return SelectedTests(check.but(command=command), words) if command else None


def _pytest(command: str, root: str, paths: tuple[str, ...]) -> tuple[str, str] | None:
    match = PYTEST.fullmatch(command)
    places = match["places"].split() if match else []
    # What is no file or folder is the value of an option, such as `-k half`.
    if not match or not all(os.path.exists(os.path.join(root, place)) for place in places):
        return None
    files = [path for path in _files(root) if file_ending(path) in PYTHON_ENDINGS]
    reached = _users_of(root, files, paths)
    tests = [path for path in sorted(reached) if COLLECTED_NAME.fullmatch(posixpath.basename(path))]
    tests = [path for path in tests if not places or _is_in(path, places)]
    if not 0 < len(tests) <= MAX_TESTS:
        return None
    return (
        f"{match['start']} {shlex.join(tests)}",
        f"the test files that import the changed files ({len(tests)})",
    )


def _is_in(path: str, places: list[str]) -> bool:
    names = [posixpath.normpath(place) for place in places]
    return any(name == "." or path == name or path.startswith(f"{name}/") for name in names)


def _go(command: str, root: str, paths: tuple[str, ...]) -> tuple[str, str] | None:
    match = GO_TEST.fullmatch(command)
    if not match:
        return None
    module = GO_MODULE.search(read_text(os.path.join(root, "go.mod"), MAX_CHARS) or "")
    folders = {posixpath.dirname(path) for path in paths if path.endswith(".go")}
    if not folders or not module:
        return None
    names = [f'"{posixpath.join(module[1], folder)}"' for folder in folders]
    for path in _files(root):
        if path.endswith(".go"):
            text = read_text(os.path.join(root, path), MAX_CHARS) or ""
            if any(name in text for name in names):
                folders.add(posixpath.dirname(path))
    packages = sorted(f"./{folder}" if folder else "." for folder in folders)
    return f"go test{match['flags']} {shlex.join(packages)}", f"the packages {', '.join(packages)}"


def _cargo(command: str, root: str, paths: tuple[str, ...]) -> tuple[str, str] | None:
    match = CARGO.fullmatch(command)
    if not match:
        return None
    crates = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and not os.path.isfile(os.path.join(root, folder, "Cargo.toml")):
            folder = posixpath.dirname(folder)
        if not folder:
            return None
        name = CRATE.search(read_text(os.path.join(root, folder, "Cargo.toml"), MAX_CHARS) or "")
        if not name:
            return None
        crates.add(name[1])
    options = " ".join(f"-p {name}" for name in sorted(crates))
    return f"cargo test{match['flags']} {options}", f"the crates {', '.join(sorted(crates))}"


def _node(command: str, root: str, paths: tuple[str, ...]) -> tuple[str, str] | None:
    scripts = [path for path in paths if path.endswith(SCRIPT_SUFFIXES)]
    if not scripts or len(scripts) != len(paths):
        return None
    if NPM.fullmatch(command):
        try:
            package = json.loads(read_text(os.path.join(root, "package.json"), MAX_CHARS) or "")
            command = package["scripts"]["test"].strip()
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
    listed = shlex.join(scripts)
    if JEST.fullmatch(command):
        return (
            f"npx jest --findRelatedTests {listed}",
            "what jest calls related to the changed files",
        )
    if VITEST.fullmatch(command):
        return (
            f"npx vitest related --run {listed}",
            "what vitest calls related to the changed files",
        )
    return None


def _users_of(root: str, files: list[str], paths: Iterable[str]) -> set[str]:
    """The files that reach one of these by imports, directly or through others."""
    users: dict[str, set[str]] = {}
    for path in files:
        text = read_text(os.path.join(root, path), MAX_CHARS) or ""
        for meant in meant_files(path, text):
            users.setdefault(meant, set()).add(path)
    reached, waiting = set(paths), list(paths)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in reached:
                reached.add(user)
                if not is_test_file(user):
                    waiting.append(user)
    return reached


def _files(root: str) -> list[str]:
    _, out = ask_user_git(root, "ls-files", "-z")
    return sorted(os.fsdecode(row) for row in out.split(b"\0") if row)
