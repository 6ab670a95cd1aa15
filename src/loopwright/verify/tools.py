"""Notices when a program that a check starts was replaced.

These programs are outside the tree: in a virtual environment, in node_modules or on PATH. The
ratchet compares the files of the project itself.
"""

from __future__ import annotations

import glob
import os
import shlex
import shutil
from functools import lru_cache

from .. import lazy_re as re
from ..checks.reach import package_scripts, reach_on_disk
from ..checks.wrappers import SCRIPT_RUNNERS
from ..core.criteria import Check
from ..core.record import digest
from ..disk.files import open_at_once, read_text
from ..ratchet.surrounding_rules.machine import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Folders in the project that are not part of the tree.
INSTALLED_FOLDERS = {"node_modules", "site-packages", ".venv", "venv", ".tox", ".nox"}
CODE_SUFFIXES = (".py", ".js", ".cjs", ".mjs", ".json")
OWN_PROGRAMS = ("git",)  # which we start ourselves
MAX_BYTES = 64 * 1024 * 1024
MAX_FILES = 2_000
MAX_CHARS = 1_000_000  # of a file that a command leads to
FIRST_BYTES = 4096  # in which an entry point imports its package
IMPORTED_MODULE = re.compile(rb"^(?:from|import) ([A-Za-z_]\w*)", re.M)


def program_digests(checks: Iterable[Check], root: str) -> tuple[tuple[str, str], ...]:
    """Each program by its word, with its path and the digest of its content."""
    words: dict[str, None] = dict.fromkeys(OWN_PROGRAMS)
    for check in checks:
        if not check.probe:
            words |= dict.fromkeys(program_names(check.command, root))
    digests = {}
    for word in words:
        path = program_path(word, root)
        if path and not _is_project_file(path, root):
            digests[word] = f"{path} {_program_digest(path, word)}"
    return tuple(digests.items())


def programs_now(before: tuple[tuple[str, str], ...], root: str, since: float) -> list[Program]:
    """The programs of `program_digests`, each with its path at the start and what it is now."""
    return [_program_now(word, *then.rpartition(" ")[::2], root, since) for word, then in before]


def _program_now(word: str, old_path: str, old_digest: str, root: str, since: float) -> Program:
    path = program_path(word, root)
    if not path or _is_project_file(path, root):
        now = path or "nowhere"
    elif path == old_path:
        is_same = _program_digest(path, word) == old_digest
        now = old_path if is_same else f"{old_path} (changed)"
    else:
        # Another PATH may find another program. Only a program that is newer than the
        # baseline was put there during the loop.
        is_new = os.lstat(path).st_ctime >= since
        same = _is_same_program(path, old_path, word, old_digest)
        now = path if is_new and not same else old_path
    return Program(word, old_path, now)


def _is_same_program(path: str, old_path: str, word: str, old_digest: str) -> bool:
    """Does the new path lead to the program as it was, such as by a new symbolic link?

    A virtual environment links to the same interpreter and gives it other packages.
    """
    if _program_digest(path, word) == old_digest:
        return True
    if os.path.realpath(path) != os.path.realpath(old_path):
        return False
    folder = os.path.dirname(path)
    places = (folder, os.path.dirname(folder))
    in_environment = any(os.path.exists(os.path.join(place, "pyvenv.cfg")) for place in places)
    return not in_environment and _program_digest(old_path, word) == old_digest


def program_names(command: str | tuple[str, ...], root: str) -> list[str]:
    """The programs that a command starts, itself or through make, npm and shell scripts."""
    return [*reach_on_disk((command,), root).programs]


def package_script(command: str | tuple[str, ...], root: str) -> str:
    """What `npm test` and the like run; "" for any other command."""
    words = _split_words(command) if isinstance(command, str) else list(command)
    if not words or words[0] not in SCRIPT_RUNNERS:
        return ""
    return _package_json_script(words[1:], root) or ""


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def _package_json_script(words: list[str], root: str) -> str | None:
    """The script of package.json that the words of a package manager name."""
    names = [word for word in words if not word.startswith("-")]
    names = [name for name in names if name not in ("run", "run-script")]
    text = read_text(os.path.join(root, "package.json"), MAX_CHARS)
    return package_scripts(text).get(names[0]) if names else None


def program_path(word: str, root: str) -> str:
    """The file of a program: an interpreter with a module, a tool of the project, or on PATH."""
    word = word.partition(" -m ")[0]
    if "/" in word:
        path = os.path.join(root, word)
        return path if os.path.isfile(path) else ""
    local = os.path.join(root, "node_modules", ".bin", word)
    return local if os.path.exists(local) else shutil.which(word) or ""


def _is_project_file(path: str, root: str) -> bool:
    """Is it a file of the project that is part of the tree?"""
    inside = os.path.relpath(path, root)
    return not inside.startswith("..") and INSTALLED_FOLDERS.isdisjoint(inside.split(os.sep))


def _program_digest(path: str, word: str) -> str:
    """The digest of the program, and of the package whose entry point it is."""
    real_path = os.path.realpath(path)
    parts: list[bytes] = []
    _, is_module, module = word.partition(" -m ")
    if is_module:
        packages = {module.partition(".")[0]}
    else:
        first = _file_content(real_path, FIRST_BYTES)
        packages = set(map(os.fsdecode, IMPORTED_MODULE.findall(first)))
    names = [f"{prefix}{name}" for name in sorted(packages) for prefix in ("", "_")]
    prefix = os.path.dirname(os.path.dirname(path))
    for folder in glob.glob(os.path.join(prefix, "lib", "python3*", "site-packages")):
        parts += [_package_code(os.path.join(folder, name)) for name in names]
        # Not .pth files: every editable install adds one.
        parts.append(_file_content(os.path.join(folder, "sitecustomize.py")))
    if "node_modules" in real_path.split(os.sep):
        parts.append(_package_code(_node_package_folder(real_path)))
    if not parts and os.path.isfile(real_path):
        stat = os.stat(real_path)
        return _file_digest(
            real_path, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns
        )
    return digest(b"\0".join([_file_content(real_path), *parts]))


@lru_cache(maxsize=64)
def _file_digest(path: str, *_identity: int) -> str:
    """The digest of a program that is one file; read once as long as nobody writes to it."""
    return digest(_file_content(path))


def _node_package_folder(path: str) -> str:
    folder = os.path.dirname(path)
    while os.path.basename(folder) != "node_modules":
        if os.path.exists(os.path.join(folder, "package.json")):
            break
        folder = os.path.dirname(folder)
    return folder


def _package_code(folder: str) -> bytes:
    """All code of a package, or of a module that is one file."""
    if not os.path.isdir(folder):
        return _file_content(f"{folder}.py")
    paths: list[str] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", "node_modules"))
        code_files = [name for name in sorted(files) if name.endswith(CODE_SUFFIXES)]
        paths += [os.path.join(parent, name) for name in code_files]
        if len(paths) > MAX_FILES:
            break
    return b"\0".join(_file_content(path) for path in paths[:MAX_FILES])


def _file_content(path: str, most: int = -1) -> bytes:
    """The bytes of a file, or their number if there are too many; empty without a file."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            size = os.fstat(file.fileno()).st_size
            return b"%d" % size if size > MAX_BYTES else file.read(most)
    except OSError:
        return b""
