"""New files outside the tree that a check loads: ignored, installed, or in folders above.

A clean checkout has none of the ignored files, but the packages and the settings of the person
are there too.
"""

from __future__ import annotations

import glob
import os

from .. import lazy_re as re
from ..checks.reach import Reach, reach_on_disk
from ..checks.surroundings import is_shadowing_module
from ..core.record import digest
from ..disk.files import open_at_once, read_bytes, read_text
from ..ratchet.surrounding_rules.machine import LoadedFile
from ..repo.plumbing import ask_user_git
from .tools import program_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Commands = Sequence[str | tuple[str, ...]]

ANY_TIME = float("-inf")
MAX_CHARS = 200_000
MAX_COMPILED = 5_000
# The flag of a compiled file that holds a digest of its source instead of its time. Python does
# not write such files by itself, and a digest can be written beside any code.
DIGEST_FLAG = 1
LOADED_NAME = re.compile(
    r"conftest\.py|(?:site|user)customize\.py|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg"
    r"|noxfile\.py"
    r"|\.env(?:\.\w+)?|\.npmrc|.*\.pth|GNUmakefile|[mM]akefile|make\.local"
    r"|(?:jest|vitest|vite|babel|playwright)\.(?:config|setup)\.\w+|\.mocharc\.\w+|\.babelrc"
)
LOADED_PATH = re.compile(r"(?:^|/)\.cargo/config(?:\.toml)?$")
# Program → files of the person that it reads, and files that it looks for in the folders above.
HOME_FILES = {
    "npm": (".npmrc",),
    "cargo": (".cargo/config.toml", ".cargo/config"),
    "go": (".config/go/env", "Library/Application Support/go/env"),
    "pnpm": (".npmrc", ".config/pnpm/rc"),
    "yarn": (".yarnrc", ".yarnrc.yml"),
    "mypy": (".mypy.ini", ".config/mypy/config"),
    "ruff": (".config/ruff/ruff.toml", ".config/ruff/.ruff.toml", ".config/ruff/pyproject.toml"),
    "pylint": (".pylintrc", ".config/pylintrc"),
    "flake8": (".config/flake8", ".flake8"),
    "eslint": (".eslintrc", ".eslintrc.json", ".eslintrc.js", ".eslintrc.yml"),
    "node": (".node_modules", ".node_libraries"),
    "rspec": (".rspec", ".config/rspec/options"),
    "mvn": (".m2/settings.xml", ".mavenrc"),
    "gradle": (".gradle/gradle.properties", ".gradle/init.gradle", ".gradle/init.d"),
    "git": (".config/git/attributes",),
}
# Files of the repository's own git folder that change what a check sees through git.
GIT_PREFIX = ".git/"  # of these files, wherever git keeps them
GIT_FILES = ("info/attributes", "info/grafts", "info/sparse-checkout", "shallow")
CALLS_GIT = re.compile(r"(?:^|[\s/(`])git\s")
FILES_ABOVE = {
    "pytest": (
        *("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg"),
        *("conftest.py", "pyproject.toml"),
    ),
    "ruff": ("ruff.toml", ".ruff.toml", "pyproject.toml"),
    "eslint": (".eslintrc", ".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yml"),
    "node": ("node_modules",),
    "cargo": (".cargo/config.toml", ".cargo/config"),
    "npm": (".npmrc",),
    "go": ("go.work",),
}
MAX_FOLDERS_ABOVE = 4
NOT_THE_PRODUCT = ("src", "lib", "__pycache__")
KNOWN_PATH_LINE = re.compile(
    r"import (?:__editable__|_virtualenv|os; *var *= *'SETUPTOOLS|coverage|sys, *types)"
)


def loaded_files(root: str, commands: Commands, since: float = ANY_TIME) -> list[LoadedFile]:
    """The files outside the tree that a check loads and that are newer than `since`."""
    rows = _loaded_files(root, since, reach_on_disk(commands, root))
    return [LoadedFile(path, why, _content_digest(_full_path(root, path))) for path, why in rows]


def content_digests(root: str, commands: Commands) -> dict[str, str]:
    """The files outside the tree that a check loads now, each with the digest of its content."""
    return {file.path: file.digest for file in loaded_files(root, commands)}


def _loaded_files(root: str, since: float, reach: Reach) -> Iterator[tuple[str, str]]:
    """Path and reason of each file that a check loads and whose time is later than `since`."""
    yield from _ignored_files(root, since, reach)
    yield from _outside_files(root, since, reach)
    yield from _git_files(root, since, reach)
    yield from _installed_files(root, since, reach)


def _full_path(root: str, path: str) -> str:
    """The file that a finding names."""
    if path.startswith(GIT_PREFIX):
        return _path_in_git(root, path.removeprefix(GIT_PREFIX))
    return os.path.join(root, os.path.expanduser(path))


def _content_digest(path: str) -> str:
    """Of a file its content; of a folder the names in it and the content of its own files."""
    if os.path.isdir(path):
        names = sorted(os.listdir(path))
        parts = [os.fsencode(name) + _content(os.path.join(path, name)) for name in names]
        return digest(b"\0".join(parts))
    return digest(_content(path))


def _content(path: str) -> bytes:
    target = os.fsencode(os.readlink(path)) if os.path.islink(path) else b""
    return target + (read_bytes(path) if os.path.isfile(path) else b"")


def _read(root: str, path: str) -> str | None:
    full = os.path.join(root, path)
    return read_text(full, MAX_CHARS) if os.path.isfile(full) else None


def _is_new(path: str, since: float) -> bool:
    try:
        return os.lstat(path).st_ctime >= since
    except OSError:
        return False


def _ignored_files(root: str, since: float, reach: Reach) -> Iterator[tuple[str, str]]:
    words = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    code, out = ask_user_git(root, *words)
    paths = [os.fsdecode(name) for name in out.split(b"\0") if name] if code == 0 else []
    for path in paths:
        if path.endswith("/"):
            if os.path.basename(path.rstrip("/")) == "__pycache__":
                yield from _unchecked_modules(root, path)
        elif _is_loaded(root, path, reach) and _is_new(os.path.join(root, path), since):
            yield path, "git ignores it"


def _is_loaded(root: str, path: str, reach: Reach) -> bool:
    name = os.path.basename(path)
    if LOADED_NAME.fullmatch(name) or LOADED_PATH.search(path) or path in reach.files:
        return True
    if is_shadowing_module(path, None, tuple(reach.folders)):
        return True
    module = name.removesuffix(".py")
    return module != name and _is_imported_by_hooks(root, path, module)


def _is_imported_by_hooks(root: str, path: str, module: str) -> bool:
    """Does a conftest.py or the package of the tests import this module?"""
    imports = re.compile(rf"(?m)^\s*(?:from|import)\s+(?:\w+\.)*{re.escape(module)}\b")
    folders = {"", "tests", os.path.dirname(path)}
    files = [os.path.join(folder, "conftest.py") for folder in folders]
    return any(imports.search(_read(root, file) or "") for file in files)


def _unchecked_modules(root: str, folder: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(os.listdir(os.path.join(root, folder)))[:MAX_COMPILED]:
        path = os.path.join(root, folder, entry)
        # The runner's own compiled files have a form that Python never loads.
        is_compiled = entry.endswith(".pyc") and "-pytest-" not in entry
        if is_compiled and os.path.isfile(path):
            with open(path, "rb", opener=open_at_once) as file:
                flags = int.from_bytes(file.read(8)[4:], "little")
            if flags & DIGEST_FLAG:
                yield f"{folder}{entry}", "Python loads it without a look at the time of its source"


def _git_files(root: str, since: float, reach: Reach) -> Iterator[tuple[str, str]]:
    if not any(map(CALLS_GIT.search, reach.lines)):
        return
    for name in GIT_FILES:
        path = _path_in_git(root, name)
        if path and _is_new(path, since):
            yield f"{GIT_PREFIX}{name}", "git reads it"


def _path_in_git(root: str, name: str) -> str:
    code, out = ask_user_git(root, "rev-parse", "--git-path", name)
    return "" if code else os.path.join(root, os.fsdecode(out.strip()))


def _outside_files(root: str, since: float, reach: Reach) -> Iterator[tuple[str, str]]:
    """Settings in the home folder of the person and in the folders above the project."""
    programs = {os.path.basename(word.rpartition(" -m ")[2]) for word in reach.programs}
    home = os.path.expanduser("~")
    for program in sorted(programs):
        for name in HOME_FILES.get(program, ()):
            if _is_new(os.path.join(home, name), since):
                yield f"~/{name}", f"{program} reads it"
        above = root
        for _ in range(MAX_FOLDERS_ABOVE):
            above = os.path.dirname(above)
            for name in FILES_ABOVE.get(program, ()):
                path = os.path.join(above, name)
                if _is_new(path, since):
                    yield os.path.relpath(path, root), f"{program} reads it"


def _installed_files(root: str, since: float, reach: Reach) -> Iterator[tuple[str, str]]:
    """New start-up files, plugins of the runner and copies of the product among the packages."""
    for folder in _package_folders(root, reach):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if why := _reason_to_look(root, path, name, since):
                yield os.path.relpath(path, root), why


def installed_modules(root: str, reach: Reach) -> frozenset[str]:
    """The modules that are installed for the programs of the checks."""
    folders = _package_folders(root, reach)
    names = [name for folder in folders for name in os.listdir(folder)]
    return frozenset(n.removesuffix(".py") for n in names if not n.startswith("__editable__"))


def _package_folders(root: str, reach: Reach) -> list[str]:
    """The folders with Python packages that the programs of the checks use."""
    prefixes = dict.fromkeys(
        os.path.dirname(os.path.dirname(path))
        for word in reach.programs
        if (path := program_path(word, root))
    )
    own = os.path.join(os.path.expanduser("~"), ".local")
    places = [os.path.join(p, "lib", "python3*", "site-packages") for p in (*prefixes, own)]
    return [folder for place in places for folder in glob.glob(place)]


def _reason_to_look(root: str, path: str, name: str, since: float) -> str:
    if name.endswith(".pth"):
        return _path_file_reason(root, path) if _is_new(path, since) else ""
    if name in ("sitecustomize.py", "usercustomize.py"):
        return "Python loads it at every start" if _is_new(path, since) else ""
    if name.endswith((".dist-info", ".egg-info")):
        entry_points = os.path.join(path, "entry_points.txt")
        is_plugin = "[pytest11]" in (_read("", entry_points) or "")
        return "it is a new plugin of pytest" if is_plugin and _is_new(entry_points, since) else ""
    module = name.removesuffix(".py")
    places = [os.path.join(root, folder, module) for folder in ("", "src", "lib")]
    is_product = any(os.path.isdir(place) or os.path.isfile(f"{place}.py") for place in places)
    is_ours = is_product and module.isidentifier() and module not in NOT_THE_PRODUCT
    return "it is found before the product" if is_ours and _is_new(path, since) else ""


def _path_file_reason(root: str, path: str) -> str:
    """Why a path file matters: it runs code, or leads outside the project."""
    for line in (read_text(path, MAX_CHARS) or "").splitlines():
        line = line.strip()
        if line.startswith("import") and not KNOWN_PATH_LINE.match(line):
            return "Python runs its lines at every start"
        is_outside = os.path.relpath(os.path.realpath(line or root), os.path.realpath(root))
        if line.startswith("/") and is_outside.startswith(".."):
            return f"it leads to {os.path.basename(line)} outside the project"
    return ""
