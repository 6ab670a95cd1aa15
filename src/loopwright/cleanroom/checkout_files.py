"""Files that a clean checkout gets besides its tree: installed packages and included files.

They are copied from the project before the agent works, so that nothing it installs or edits later
reaches the room. Paths in them that name the folder where they were made lead into the room.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
from _blake2 import blake2b
from contextlib import suppress

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES
from ..checks.surroundings import is_surrounding_file
from ..disk.copies import copy_path
from ..disk.files import open_at_once, read_bytes
from ..repo.plumbing import ask_user_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INCLUDE_FILE = ".worktreeinclude"
ENVIRONMENT_NAMES = frozenset((".venv", "venv", "node_modules", ".bundle"))
MAX_FILES, MAX_BYTES = 200_000, 2 * 1024**3
MAX_REWRITTEN_BYTES = 1_000_000
MAX_DEPTH = 3  # of folders with packages in a project without git
# Files in an installed environment that name the path of the project.
PATH_FILE = re.compile(
    r"(?:^|/)(?:bin|Scripts)/[^/]+$|(?:^|/)pyvenv\.cfg$|\.pth$|\.egg-link$|__editable__[^/]*$"
    r"|(?:^|/)node_modules/\.bin/[^/]+$|direct_url\.json$"
)


class RoomError(Exception):
    """Why the room cannot be prepared."""


def needed_paths(root: str, include: Iterable[str]) -> list[str]:
    """The installed packages and included files that a checkout needs besides its tree."""
    return list(dict.fromkeys((*installed_paths(root), *_included_paths(root, include))))


def _included_paths(root: str, include: Iterable[str]) -> Iterator[str]:
    """Ignored files that the checks need: --include, and the lines of .worktreeinclude."""
    names = list(include)
    path = os.path.join(root, INCLUDE_FILE)
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace", opener=open_at_once) as file:
            lines = (line.strip() for line in file)
            names += [line for line in lines if line and not line.startswith("#")]
    names = [os.path.normpath(name.strip("/")) for name in names]
    if outside := [name for name in names if name in (".", "..") or name.startswith("../")]:
        raise RoomError(
            f"{outside[0]} is not a path inside the project: see --include and {INCLUDE_FILE}"
        )
    return (name for name in names if os.path.lexists(os.path.join(root, name)))


def installed_paths(root: str) -> list[str]:
    """What an installation left in the project: its packages, and modules beside the code.

    An editable install writes the number of the version there.
    """
    return [*environment_folders(root), *_written_modules(root)]


def _written_modules(root: str) -> list[str]:
    """Files of code that git ignores, in folders of the tree. Tests and settings are none."""
    names = _untracked_names(root, "-i", "--exclude-standard") or []
    modules = [name for name in names if name.endswith(CODE_SUFFIXES)]
    return sorted(name for name in modules if not is_surrounding_file(name))


def rewritten_modules(root: str, store: str) -> list[str]:
    """Those of the store that are different in the project now: from another source, perhaps."""
    pairs = ((name, os.path.join(store, name)) for name in _written_modules(root))
    return [
        name
        for name, saved in pairs
        if os.path.isfile(saved) and not filecmp.cmp(saved, os.path.join(root, name), shallow=False)
    ]


def environment_folders(root: str) -> list[str]:
    """Folders of the project with installed packages, which are not part of its tree."""
    folders = untracked_folders(root)
    if folders is None:
        folders = _folders_without_git(root)
    return sorted(name for name in folders if has_packages(os.path.join(root, name)))


def untracked_folders(root: str) -> set[str] | None:
    """Folders that are not part of the tree, ignored or not; None without a git repository."""
    folders: set[str] = set()
    for flags in (("-i", "--exclude-standard"), ()):
        names = _untracked_names(root, *flags)
        if names is None:
            return None
        folders.update(name.rstrip("/") for name in names if name.endswith("/"))
    return folders


def _untracked_names(root: str, *flags: str) -> list[str] | None:
    """Files and whole folders that are not part of the tree; None without a git repository."""
    code, out = ask_user_git(root, "ls-files", "-o", *flags, "--directory", "-z")
    return None if code else [os.fsdecode(row) for row in out.split(b"\0") if row]


def _folders_without_git(root: str) -> set[str]:
    found = set()
    for parent, folders, _ in os.walk(root):
        relative = os.path.relpath(parent, root)
        depth = 0 if relative == "." else relative.count(os.sep) + 1
        for name in list(folders):
            if has_packages(os.path.join(parent, name)):
                found.add(os.path.normpath(os.path.join(relative, name)))
                folders.remove(name)
        if depth >= MAX_DEPTH:
            folders.clear()
    return found


def has_packages(folder: str) -> bool:
    is_virtualenv = os.path.isfile(os.path.join(folder, "pyvenv.cfg"))
    return is_virtualenv or os.path.basename(folder) in ENVIRONMENT_NAMES


def save_paths(root: str, store: str, names: list[str]) -> str:
    """Copy these files and folders of the project into the store; returns the digest of it."""
    refuse_large(root, names)
    shutil.rmtree(store, ignore_errors=True)
    for name in names:
        target = os.path.join(store, name)
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        require_copy(os.path.join(root, name), target)
    return content_digest(store) if names else ""


def refuse_large(root: str, names: list[str]) -> None:
    files, size = folder_size(root, names)
    if files > MAX_FILES or size > MAX_BYTES:
        raise RoomError(
            f"the installed packages ({', '.join(names)}) are too large to copy. "
            "Give the command that installs them: --setup COMMAND"
        )


def folder_size(root: str, names: Iterable[str]) -> tuple[int, int]:
    """The number of files and their bytes; counting ends where a limit is passed."""
    files = size = 0
    for name in names:
        for folder, _, entries in os.walk(os.path.join(root, name)):
            files += len(entries)
            for entry in entries:
                with suppress(OSError):
                    size += os.lstat(os.path.join(folder, entry)).st_size
            if files > MAX_FILES or size > MAX_BYTES:
                return files, size
    return files, size


def require_copy(source: str, target: str) -> None:
    if reason := copy_path(source, target):
        raise RoomError(f"{os.path.basename(source)} cannot be copied: {reason}")


def place_paths(store: str, room: str, made_at: str, seen_at: str) -> None:
    """Copy a store into the room. Paths that lead to `made_at` lead to `seen_at` then."""
    if not os.path.isdir(store):
        return
    require_copy(os.path.join(store, "."), room)
    if made_at == seen_at:
        return
    for path in _entries(store):
        full = os.path.join(room, path)
        if os.path.islink(full):
            _rewrite_link(full, made_at, seen_at)
        elif PATH_FILE.search(path):
            _rewrite_file(full, os.fsencode(made_at), os.fsencode(seen_at))


def _entries(folder: str) -> Iterator[str]:
    """Every file, link and folder below, by its relative path in a fixed order."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        below = os.path.join(os.path.relpath(parent, folder), "").removeprefix("./")
        for name in sorted((*folders, *files)):
            yield below + name


def _rewrite_link(path: str, made_at: str, seen_at: str) -> None:
    target = os.readlink(path)
    if is_inside(target, made_at):
        os.remove(path)
        os.symlink(seen_at + target[len(made_at) :], path)


def _rewrite_file(path: str, made_at: bytes, seen_at: bytes) -> None:
    if os.path.isdir(path) or os.path.getsize(path) > MAX_REWRITTEN_BYTES:
        return
    with open(path, "rb", opener=open_at_once) as file:
        content = file.read()
    if made_at in content:
        with open(path, "wb") as file:
            file.write(content.replace(made_at, seen_at))


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def content_digest(folder: str) -> str:
    """A digest of the names, modes, link targets and contents of everything in the folder."""
    total = blake2b(digest_size=16)
    for path in _entries(folder):
        full = os.path.join(folder, path)
        mode = os.lstat(full).st_mode
        total.update(os.fsencode(path) + b"\0")
        if stat.S_ISLNK(mode):
            total.update(b"link " + os.fsencode(os.readlink(full)))
        elif stat.S_ISREG(mode):
            total.update(b"file %o " % (mode & 0o777))
            total.update(blake2b(read_bytes(full), digest_size=16).digest())
        total.update(b"\n")
    return total.hexdigest()
