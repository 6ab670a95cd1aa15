"""What a clean checkout needs besides its files: installed packages, variables and commands.

Packages are copied from the project before the agent works, so that nothing it installs or edits
later reaches the room. Every path of the project is rewritten: a check in the room must never test
the live checkout.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import suppress

from ..core.criteria import Check
from ..repo.plumbing import ask_user_git
from .runner import check_environment
from .tools import program_names

ENVIRONMENT_NAMES = frozenset((".venv", "venv", "node_modules", ".bundle"))
MAX_FILES, MAX_BYTES = 200_000, 2 * 1024**3
MAX_REWRITTEN_BYTES = 1_000_000
PROBE_SECONDS = 20
# Files in an installed environment that name the path of the project.
PATH_FILE = re.compile(
    r"(?:^|/)(?:bin|Scripts)/[^/]+$|(?:^|/)pyvenv\.cfg$|\.pth$|\.egg-link$|__editable__[^/]*$"
    r"|/node_modules/\.bin/[^/]+$"
)
# Manifest or lock file → the command that installs what it names, in order of preference.
SETUP_COMMANDS = (
    ("uv.lock", "uv sync --frozen"),
    ("poetry.lock", "poetry install --no-interaction"),
    ("pdm.lock", "pdm sync"),
    ("Pipfile.lock", "pipenv sync --dev"),
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
    (
        "requirements-dev.txt",
        "python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt",
    ),
    ("requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"),
    ("Cargo.lock", "cargo fetch"),
    ("go.mod", "go mod download"),
    ("Gemfile.lock", "bundle install"),
    ("pom.xml", "mvn -q -B dependency:go-offline"),
    ("gradlew", "./gradlew --console=plain dependencies"),
)
OTHER_LOCK_FILES = ("go.sum", "Cargo.toml", "Gemfile", "build.gradle", "build.gradle.kts")
LOCK_FILES = frozenset((*(name for name, _ in SETUP_COMMANDS), *OTHER_LOCK_FILES))

# Prints where Python would import each of the named packages from.
IMPORT_PROBE = """
import importlib.util, sys
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    print(name, spec and spec.origin or "", *folders, sep="\\t")
"""


class RoomError(Exception):
    """Why the room cannot be prepared."""


def detected_setup(root: str) -> str:
    """The command that installs the project's packages; "" where no manifest is known."""
    for name, command in SETUP_COMMANDS:
        if os.path.isfile(os.path.join(root, name)):
            return command
    return ""


def environment_folders(root: str) -> list[str]:
    """Folders of the project with installed packages, which are not part of its tree."""
    folders: set[str] = set()
    for flags in (("-o", "-i", "--exclude-standard"), ("-o",)):
        code, out = ask_user_git(root, "ls-files", *flags, "--directory", "-z")
        if code:
            continue
        names = (os.fsdecode(row) for row in out.split(b"\0") if row.endswith(b"/"))
        folders.update(name.rstrip("/") for name in names)
    return sorted(name for name in folders if _has_packages(os.path.join(root, name)))


def _has_packages(folder: str) -> bool:
    is_virtualenv = os.path.isfile(os.path.join(folder, "pyvenv.cfg"))
    return is_virtualenv or os.path.basename(folder) in ENVIRONMENT_NAMES


def save_paths(root: str, store: str, names: list[str]) -> None:
    """Copy these files and folders of the project into the store, for every room of the loop."""
    _refuse_large(root, names)
    shutil.rmtree(store, ignore_errors=True)
    for name in names:
        target = os.path.join(store, name)
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        _copy(os.path.join(root, name), target)


def _refuse_large(root: str, names: list[str]) -> None:
    files = size = 0
    for name in names:
        for folder, _, entries in os.walk(os.path.join(root, name)):
            files += len(entries)
            for entry in entries:
                with suppress(OSError):
                    size += os.lstat(os.path.join(folder, entry)).st_size
            if files > MAX_FILES or size > MAX_BYTES:
                raise RoomError(
                    f"the installed packages ({', '.join(names)}) are too large to copy. "
                    "Give the command that installs them: --setup COMMAND"
                )


def _copy(source: str, target: str) -> None:
    done = subprocess.run(["cp", "-a", source, target], capture_output=True, check=False)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip()[:300]
        raise RoomError(f"{os.path.basename(source)} cannot be copied: {reason}")


def place_paths(store: str, room: str, root: str) -> None:
    """Copy what was saved into the room, and let its paths lead into the room."""
    if not os.path.isdir(store):
        return
    for name in os.listdir(store):
        _copy(os.path.join(store, name), os.path.join(room, name))
        _rewrite_paths(os.path.join(room, name), root, room)


def _rewrite_paths(folder: str, root: str, room: str) -> None:
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(parent, name)
            if os.path.islink(path):
                _rewrite_link(path, root, room)
            elif PATH_FILE.search(path):
                _rewrite_file(path, os.fsencode(root), os.fsencode(room))


def _rewrite_link(path: str, root: str, room: str) -> None:
    target = os.readlink(path)
    if is_inside(target, root):
        os.remove(path)
        os.symlink(room + target[len(root) :], path)


def _rewrite_file(path: str, root: bytes, room: bytes) -> None:
    if os.path.isdir(path) or os.path.getsize(path) > MAX_REWRITTEN_BYTES:
        return
    with open(path, "rb") as file:
        content = file.read()
    if root in content:
        with open(path, "wb") as file:
            file.write(content.replace(root, room))


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def run_setup(command: str, room: str, environment: dict[str, str], timeout: int) -> None:
    """Install packages in the room with a command of the person or of the project's manifest."""
    try:
        done = subprocess.run(  # noqa: S602 - typed by the person, or a fixed command
            command,
            shell=True,
            cwd=room,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RoomError(f"`{command}` took longer than {timeout} s") from None
    if done.returncode:
        tail = (done.stdout + done.stderr).decode("utf-8", "replace").strip()[-400:]
        raise RoomError(f"`{command}` exited {done.returncode}: {tail}")


def room_environment(root: str, room: str, pass_env: tuple[str, ...]) -> dict[str, str]:
    """The environment of a check in the room: no variable leads into the project."""
    return {name: value.replace(root, room) for name, value in check_environment(pass_env).items()}


def room_check(check: Check, root: str, room: str) -> Check:
    """The check with the paths of its command in the room."""
    if isinstance(check.command, str):
        return check.but(command=check.command.replace(root, room))
    return check.but(command=tuple(word.replace(root, room) for word in check.command))


def source_folders(room: str) -> list[str]:
    """Folders of the room from which Python packages are imported."""
    return [path for path in (os.path.join(room, "src"), room) if os.path.isdir(path)]


def imports_from_project(check: Check, root: str, room: str, environment: dict[str, str]) -> str:
    """The name of a package that a check in the room would import from the project; "" if none."""
    packages = _python_packages(room)
    interpreter = _interpreter(check, room, environment)
    if not packages or not interpreter:
        return ""
    try:
        done = subprocess.run(
            [interpreter, "-c", IMPORT_PROBE, *packages],
            cwd=room,
            env=environment,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        name, *places = line.split("\t")
        real_places = [os.path.realpath(place) for place in places if place]
        if any(is_inside(place, os.path.realpath(root)) for place in real_places):
            return name
    return ""


def _python_packages(room: str) -> list[str]:
    names = []
    for folder in source_folders(room):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            is_package = os.path.isfile(os.path.join(entry.path, "__init__.py"))
            if is_package and entry.name.isidentifier() and entry.name not in ("tests", "test"):
                names.append(entry.name)
    return names[:20]


def _interpreter(check: Check, room: str, environment: dict[str, str]) -> str:
    """The Python that a check starts, by its name or by the first line of its program."""
    for name in program_names(check.command, room):
        word = name.partition(" -m ")[0]
        local = os.path.join(room, word)
        path = local if "/" in word else shutil.which(word, path=environment.get("PATH")) or ""
        if os.path.basename(word).startswith("python") and path:
            return path
        with suppress(OSError):
            with open(path, "rb") as file:
                first = file.readline(300)
            if first.startswith(b"#!") and b"python" in first:
                return os.fsdecode(first[2:].split()[0])
    return ""
