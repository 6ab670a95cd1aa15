"""The tree hash of a folder without git, and the patterns that exclude files from a tree."""

from __future__ import annotations

from ..core.record import digest
from ..disk.files import read_bytes
from ..disk.light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Files that tools leave behind are never work, whether the project ignores them or not.
TOOL_CACHES = (
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".coverage",
)
# Files that we write ourselves, and files that tools leave behind when a check runs.
EXCLUDED = (
    "/.loop/",
    "/.claude/loop-state*",
    "/.claude/loop-history/",
    "VERIFICATION.md",
    "/.gsd/STATE.md",
    "/.opti-gsd/STATE.md",
    *TOOL_CACHES,
    "node_modules/",
)
MAX_FILES = 20_000
HUGE = 50 * 1024 * 1024  # bytes; above this, size and modification time replace the content
WILDCARDS = frozenset("*?[")


def folder_hash(root: str, excluded: tuple[str, ...], large: int) -> str:
    """One hash for the names and contents of all files; "" where there are too many.

    Of a file above `large` bytes, size and modification time count instead of the content.
    """
    parts = []
    for count, (name, entry) in enumerate(walk_files(root, "", excluded)):
        if count >= MAX_FILES:
            return ""
        raw = os.fsencode(name)
        if entry.is_symlink():
            parts.append(raw + b" -> " + os.fsencode(os.readlink(entry.path)))
        elif entry.stat(follow_symlinks=False).st_size > large:
            parts.append(file_stamp(root, raw))
        else:
            parts.append(raw + b"\0" + digest(read_bytes(entry.path)).encode())
    return digest(b"\n".join(parts))


def walk_files(
    folder: str, below: str, excluded: tuple[str, ...]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files and links below a folder in the order of their names, each with its path."""
    plain = frozenset(_plain_form(pattern) for pattern in excluded if WILDCARDS.isdisjoint(pattern))
    with_wildcards = tuple(pattern for pattern in excluded if not WILDCARDS.isdisjoint(pattern))
    return _walk_folder(folder, below, plain, with_wildcards)


def _walk_folder(
    folder: str, below: str, plain: frozenset[str], with_wildcards: tuple[str, ...]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name = below + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name in plain or f"/{name}" in plain:
            continue
        if is_folder and (f"{entry.name}/" in plain or f"/{name}/" in plain):
            continue
        if any(_pattern_fits(name, is_folder, pattern) for pattern in with_wildcards):
            continue
        if is_folder:
            yield from _walk_folder(entry.path, f"{name}/", plain, with_wildcards)
        elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
            yield name, entry


def _plain_form(pattern: str) -> str:
    """A pattern without wildcards, always spelled alike: `/path` from the top, or a name.

    A slash at its end means that only a folder fits.
    """
    start = "/" if "/" in pattern.rstrip("/") else ""
    end = "/" if pattern.endswith("/") else ""
    return f"{start}{pattern.strip('/')}{end}"


def is_excluded(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern matches the file or a folder above it."""
    parts = path.split("/")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    for pattern in patterns:
        if _pattern_fits(path, False, pattern):
            return True
        if any(_pattern_fits(folder, True, pattern) for folder in folders):
            return True
    return False


def _pattern_fits(name: str, is_folder: bool, pattern: str) -> bool:
    """As git reads it: a pattern with a slash is a path from the top, any other matches a name."""
    if pattern.endswith("/") and not is_folder:
        return False
    pattern = pattern.rstrip("/")
    if "/" in pattern:
        return _name_matches(name, pattern.lstrip("/"))
    return _name_matches(name.rpartition("/")[2], pattern)


def _name_matches(name: str, pattern: str) -> bool:
    """The same as fnmatch; its import takes as long as the interpreter's start."""
    if WILDCARDS.isdisjoint(pattern):
        return name == pattern
    if pattern[0] == "*" and WILDCARDS.isdisjoint(pattern[1:]):
        return name.endswith(pattern[1:])
    if pattern[-1] == "*" and WILDCARDS.isdisjoint(pattern[:-1]):
        return name.startswith(pattern[:-1])
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def file_stamp(root: str, path: bytes) -> bytes:
    """Path, size and modification time, in place of the content of a large file."""
    try:
        stat = os.lstat(os.path.join(os.fsencode(root), path))
    except OSError:
        return path
    return b"%s %d %d" % (path, stat.st_size, stat.st_mtime_ns)


def file_size(root: str, path: bytes) -> int:
    """The size in bytes; 0 where there is no such file."""
    try:
        return os.lstat(os.path.join(os.fsencode(root), path)).st_size
    except OSError:
        return 0
