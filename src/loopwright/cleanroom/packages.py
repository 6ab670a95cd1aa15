"""The setup of a clean checkout: the command that installs packages, and what it installed before.

What an installer leaves in the room depends on its command, the manifests and the versions of its
programs. A room with the same of these gets a copy of the installed packages. The copies are
outside every project, and each is compared with its digest before it is used.
"""

from __future__ import annotations

import glob
import json
import os
import platform
import shutil
import subprocess
import tempfile
from contextlib import suppress

from .. import lazy_re as re
from ..core.record import Record, digest
from ..disk.files import make_folder, open_at_once, write_private
from ..disk.programs import without_loader_lists
from ..disk.user_folders import state_home
from ..repo.plumbing import ask_user_git
from . import checkout_files
from .checkout_files import RoomError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .view import RoomView

SETUP_SECONDS = 1200
VERSION_SECONDS = 20
MAX_CACHED_BYTES = 4 * 1024**3
MAX_CACHED = 12
FACTS_FILE, CONTENT_FOLDER = "facts.json", "content"
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
# Commands that do nothing but install what manifests name. Whatever else a command does, such as
# starting a database, must happen in every room.
INSTALLER = re.compile(
    r"(?:\S*/)?(?:npm (?:ci|install)|pnpm (?:install|i)|yarn(?: install)?|uv (?:sync|venv)"
    r"|uv pip install|poetry install|pdm (?:sync|install)|pipenv (?:sync|install)|bundle install"
    r"|python3?[\d.]* -m venv|(?:python3?[\d.]* -m )?pip3? install)(?: [\w@%+=:,./~-]+)*"
)
COMMAND_SEPARATOR = re.compile(r"\s*(?:&&|;|\n)\s*")
# Files that decide what an installer does.
MANIFEST_NAME = re.compile(
    r"(?:.*requirements.*|.*constraints.*)\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg)"
    r"|package\.json|npm-shrinkwrap\.json|pnpm-workspace\.yaml|Pipfile|\.npmrc|\.yarnrc(?:\.yml)?"
    r"|\.pnpmfile\.cjs|uv\.toml|poetry\.toml|pip\.conf|\.(?:python|node|ruby)-version|\.nvmrc"
    r"|\.tool-versions|.*\.gemspec|.*\.patch"
)
INSTALLER_PROGRAMS = ("python3", "node", "ruby", "uv")
LOCAL_COPY = re.compile(r"file:|link:")  # a dependency that is a folder of the project


class CachedPackages(Record):
    """Installed packages in our state folder."""

    digest: str
    made_at: str  # the path of the room for the installer
    size: int


def detected_setup(root: str) -> str:
    """The command that installs the project's packages; "" where no manifest is known."""
    for name, command in SETUP_COMMANDS:
        if os.path.isfile(os.path.join(root, name)):
            return command
    return ""


def cache_folder() -> str:
    return os.path.join(state_home(), "packages")


def prepare_packages(setup: str, view: RoomView, saved: str, expected: str) -> str:
    """Install packages in the room, or copy what the same setup installed before.

    `saved` is the digest of the files that are in the room besides its tree. `expected` is the
    digest of the packages at the start; others are not used. Returns the digest, "" for none.
    """
    key = _cache_key(setup, view, saved)
    if key and (cached := _usable_packages(key, expected)):
        with suppress(RoomError, OSError):  # another process may just remove it
            _place_packages(key, cached, view)
            return cached.digest
    before = _untracked_paths(view.room)
    run_setup(setup, view, SETUP_SECONDS)
    return _store_packages(key, view, before) if key else ""


def run_setup(command: str, view: RoomView, timeout: float) -> None:
    """Install packages in the room with a command of the person or of the project's manifest."""
    try:
        done = subprocess.run(
            [*view.launcher, "/bin/sh", "-c", command],
            cwd=view.room,
            env=without_loader_lists(view.environment, view.launcher),
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


def _cache_key(setup: str, view: RoomView, saved: str) -> str:
    """What decides the result of the setup, as one digest; "" where more than that decides."""
    if not all(map(INSTALLER.fullmatch, COMMAND_SEPARATOR.split(setup.strip()))):
        return ""
    parts = [setup, saved, platform.system(), platform.machine()]
    for path in _manifests(view.room):
        with open(os.path.join(view.room, path), "rb", opener=open_at_once) as file:
            content = file.read()
        if os.path.basename(path) == "package.json" and LOCAL_COPY.search(os.fsdecode(content)):
            return ""
        parts += [path, digest(content)]
    parts += [_version(program, view) for program in INSTALLER_PROGRAMS]
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _manifests(room: str) -> list[str]:
    """The manifests, lock files and settings of installers in the tree of the room."""
    _, out = ask_user_git(room, "ls-files", "-z")
    paths = [os.fsdecode(row) for row in out.split(b"\0") if row]
    names = [(path, os.path.basename(path)) for path in paths]
    wanted = [path for path, name in names if name in LOCK_FILES or MANIFEST_NAME.fullmatch(name)]
    return sorted(path for path in wanted if os.path.isfile(os.path.join(room, path)))


def _version(program: str, view: RoomView) -> str:
    path = shutil.which(program, path=view.environment.get("PATH"))
    if not path:
        return ""
    try:
        done = subprocess.run(
            [*view.launcher, path, "--version"],
            cwd=view.room,
            env=without_loader_lists(view.environment, view.launcher),
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{os.path.realpath(path)} {done.stdout.decode('utf-8', 'replace').strip()}"


def _usable_packages(key: str, expected: str) -> CachedPackages | None:
    """The packages of this key, if they are what was recorded."""
    folder = os.path.join(cache_folder(), key)
    try:
        with open(os.path.join(folder, FACTS_FILE), encoding="utf-8") as file:
            cached = CachedPackages(**json.load(file))
        if expected and cached.digest != expected:
            return None
        if checkout_files.content_digest(os.path.join(folder, CONTENT_FOLDER)) != cached.digest:
            return None
        os.utime(folder)
    except (OSError, ValueError, TypeError):
        return None
    return cached


def _place_packages(key: str, cached: CachedPackages, view: RoomView) -> None:
    content = os.path.join(cache_folder(), key, CONTENT_FOLDER)
    for name in checkout_files.environment_folders(
        view.room
    ):  # the cache has them with all changes
        shutil.rmtree(os.path.join(view.room, name))
    checkout_files.place_paths(content, view.room, cached.made_at, view.seen_at)


def _untracked_paths(room: str) -> set[str]:
    _, out = ask_user_git(room, "ls-files", "-o", "--directory", "-z")
    return {os.fsdecode(row).rstrip("/") for row in out.split(b"\0") if row}


def _store_packages(key: str, view: RoomView, before: set[str]) -> str:
    """Keep what the setup installed, if it left nothing but packages; returns its digest."""
    room = view.room
    after = _untracked_paths(room)
    names = sorted(name for name in after if _is_package_folder(os.path.join(room, name)))
    _, changed = ask_user_git(room, "ls-files", "-m", "-z")
    has_others = bool(after - before - set(names)) or bool(changed)
    if has_others or not names or _has_product_copy(room, names):
        return ""
    files, size = checkout_files.folder_size(room, names)
    if files > checkout_files.MAX_FILES or size > checkout_files.MAX_BYTES:
        return ""
    make_folder(cache_folder())
    draft = tempfile.mkdtemp(prefix="new-", dir=cache_folder())
    try:
        content = os.path.join(draft, CONTENT_FOLDER)
        os.mkdir(content)
        stored = checkout_files.save_paths(room, content, names)
        facts = {"digest": stored, "made_at": view.seen_at, "size": size}
        write_private(os.path.join(draft, FACTS_FILE), json.dumps(facts).encode())
        folder = os.path.join(cache_folder(), key)
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(draft, folder)
    except (RoomError, OSError):  # the room itself is prepared; the next one installs again
        return ""
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _remove_oldest(key)
    return stored


def _is_package_folder(path: str) -> bool:
    return os.path.isdir(path) and (path.endswith(".egg-info") or checkout_files.has_packages(path))


def _has_product_copy(room: str, names: list[str]) -> bool:
    """Is the product itself installed as a copy? Another room has another product."""
    from .view import python_packages

    packages = python_packages(room)
    folders = [os.path.join(room, name, "lib", "*", "site-packages") for name in names]
    places = [
        os.path.join(place, name)
        for folder in folders
        for name in packages
        for place in glob.glob(folder)
    ]
    return any(os.path.lexists(place) for place in places)


def _remove_oldest(newest: str) -> None:
    """Remove packages that were not used for the longest time, above the limits."""
    rows = []
    for entry in os.scandir(cache_folder()):
        with suppress(OSError, ValueError, KeyError):
            with open(os.path.join(entry.path, FACTS_FILE), encoding="utf-8") as file:
                size = json.load(file)["size"]
            rows.append((entry.name == newest, entry.stat().st_mtime, size, entry.path))
    total = count = 0
    for _, _, size, path in sorted(rows, reverse=True):
        total, count = total + size, count + 1
        if count > 1 and (total > MAX_CACHED_BYTES or count > MAX_CACHED):
            shutil.rmtree(path, ignore_errors=True)
