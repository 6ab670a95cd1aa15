"""The tree of a folder without git: every file by name and content (the large by size and time), in a bounded walk."""

from __future__ import annotations

import os

from ..core.record import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FILES = 20_000


def folder_hash(root: str, excluded: tuple[str, ...], large: int) -> str:
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
            with open(entry.path, "rb") as file:
                parts.append(raw + b"\0" + digest(file.read()).encode())
    return digest(b"\n".join(parts))


def walk_files(
    folder: str, below: str, excluded: tuple[str, ...]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name = below + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if any(_pattern_fits(name, is_folder, pattern) for pattern in excluded):
            continue
        if is_folder:
            yield from walk_files(entry.path, f"{name}/", excluded)
        elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
            yield name, entry


def is_excluded(path: str, patterns: tuple[str, ...]) -> bool:
    """Does a pattern fit the file, or a folder above it?"""
    parts = path.split("/")
    above = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return any(
        _pattern_fits(path, False, pattern)
        or any(_pattern_fits(name, True, pattern) for name in above)
        for pattern in patterns
    )


def _pattern_fits(name: str, is_folder: bool, pattern: str) -> bool:
    """As git reads a pattern: one with a slash inside is a path from the top, any other a name at any depth."""
    if pattern.endswith("/") and not is_folder:
        return False
    pattern = pattern.rstrip("/")
    if "/" in pattern:
        return _name_matches(name, pattern.lstrip("/"))
    return _name_matches(name.rpartition("/")[2], pattern)


def _name_matches(name: str, pattern: str) -> bool:
    """fnmatch, without its import for the patterns that need none: it costs as much as the interpreter's start."""
    if not any(letter in pattern for letter in "*?["):
        return name == pattern
    if pattern[0] == "*" and not any(letter in pattern[1:] for letter in "*?["):
        return name.endswith(pattern[1:])
    if pattern[-1] == "*" and not any(letter in pattern[:-1] for letter in "*?["):
        return name.startswith(pattern[:-1])
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


def file_stamp(root: str, path: bytes) -> bytes:
    """What stands for the content of a file that is too large to read."""
    try:
        stat = os.lstat(os.path.join(os.fsencode(root), path))
    except OSError:
        return path
    return b"%s %d %d" % (path, stat.st_size, stat.st_mtime_ns)
