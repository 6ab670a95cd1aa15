"""The tree of the start, kept to be looked back to: with git as a commit beside the branches, else as copies of what counts.

Either way the loop remembers a name that only these bytes have. What cannot be read back under that name is not believed.
"""

from __future__ import annotations

import os
import shutil

from ..core.ratchet import HIGH, MEDIUM, Finding
from ..core.record import JSONError, digest, dumps, loads
from . import kept, stillness
from .plumbing import private
from .ratchet import matters
from .ratchet.suite import Change
from .runner import sync_names
from .tree import size_of
from .walk import MOST_FILES, is_excluded

COPIED = "copy:"
LINK = "120000"
LARGE = 1_000_000  # bytes; a test file that is larger is one that we cannot judge


def keep_start(root: str, loop_path: str, tree: str, loop_id: str, volatile: tuple[str, ...]) -> str:
    """The name under which the tree is found again; "" where it cannot be kept."""
    if commit := kept.keep(root, loop_path, tree, kept.ref_of(loop_id, 0)):
        return commit
    try:
        return _copy(root, loop_path, volatile) if tree else ""
    except OSError:
        return ""


def look_back(root: str, loop_path: str, base: str, tree: str, protect: tuple[str, ...]) -> tuple[list[Change], list[Finding]]:
    """Files that matter for a proof and are not what they were; and what is wrong with some before anybody reads them."""
    if not tree:
        return [], [Finding(HIGH, "the tree cannot be told, so nobody knows what changed", ".")]
    try:
        rows = _copied_rows(root, loop_path, base) if base.startswith(COPIED) else kept.changed(root, loop_path, base, tree)
    except (kept.NotKept, OSError, JSONError):
        return [], [Finding(HIGH, "the tree of the start is gone", kept.ref_of("", "").rstrip("/"), 0, base[:20])]
    found = [Finding(HIGH, "a protected path was changed", path) for path, _, _ in rows if is_excluded(path, protect)]
    mattering = [(path, kind, mode) for path, kind, mode in rows if matters(path)]
    before = _before(root, loop_path, base, [path for path, kind, _ in mattering if kind != "A"])
    changes = []
    for path, kind, mode in mattering:
        old = before.get(path)
        if mode == LINK and kind != "A":
            found.append(Finding(HIGH, "replaced by a link", path, 0, "a file", f"→ {os.readlink(os.path.join(root, path))}"))
        elif (kind != "A" and old is None) or size_of(root, os.fsencode(path)) > LARGE:
            found.append(Finding(MEDIUM, "too large to be compared", path))
        else:
            new = None if kind == "D" or mode == LINK else _text(os.path.join(root, path))
            changes.append(Change(path, old.decode("utf-8", "replace") if old is not None else None, new))
    return changes, found


def _before(root: str, loop_path: str, base: str, paths: list[str]) -> dict[str, bytes]:
    if not base.startswith(COPIED):
        return kept.contents(root, loop_path, base, paths, LARGE)
    copies = {path: os.path.join(loop_path, "start", digest(os.fsencode(path))) for path in paths}
    return {path: _bytes(copy) for path, copy in copies.items() if os.path.exists(copy)}


# --- without git, or where there is too much for it ---


def _copy(root: str, loop_path: str, volatile: tuple[str, ...]) -> str:
    """Names and digests of all files, and the bytes of those that matter."""
    place = os.path.join(loop_path, "start")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place, mode=0o700)
    known = _digests(root, loop_path, volatile)
    for path in filter(matters, known):
        if size_of(root, os.fsencode(path)) <= LARGE:
            _put(os.path.join(place, digest(os.fsencode(path))), _bytes(os.path.join(root, path)))
    listed = dumps({"volatile": list(volatile), "files": known}).encode()
    _put(os.path.join(place, "files.json"), listed)
    sync_names(place)
    return f"{COPIED}{digest(listed)}"


def _copied_rows(root: str, loop_path: str, base: str) -> list[tuple[str, str, str]]:
    listed = _bytes(os.path.join(loop_path, "start", "files.json"))
    if digest(listed) != base.removeprefix(COPIED):
        raise OSError("the list of the start was changed")
    said = loads(listed)
    before, now = said["files"], _digests(root, loop_path, tuple(said["volatile"]))
    for path in filter(matters, before):
        copy = os.path.join(loop_path, "start", digest(os.fsencode(path)))
        if os.path.exists(copy) and digest(_bytes(copy)) != before[path]:
            raise OSError("a copy of the start was changed")
    rows = [(path, "M" if path in now else "D", _mode(root, path)) for path, was in before.items() if now.get(path) != was]
    return rows + [(path, "A", _mode(root, path)) for path in now if path not in before]


def _digests(root: str, loop_path: str, volatile: tuple[str, ...]) -> dict[str, str]:
    listed = stillness.paths(root, loop_path, volatile)
    if len(listed) > MOST_FILES:
        raise OSError("too many files to be listed")
    return {path: _told(os.path.join(root, path)) for path in listed}


def _told(path: str) -> str:
    """What stands for the content of a file: of a large one its size and time."""
    stat = os.lstat(path)
    if os.path.islink(path):
        return f"→ {os.readlink(path)}"
    return f"{stat.st_size} {stat.st_mtime_ns}" if stat.st_size > LARGE else digest(_bytes(path))


def _mode(root: str, path: str) -> str:
    return LINK if os.path.islink(os.path.join(root, path)) else ""


def _text(path: str) -> str | None:
    return _bytes(path).decode("utf-8", "replace") if os.path.isfile(path) else None


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _put(path: str, data: bytes) -> None:
    with open(path, "wb", opener=private) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())  # the journal has its digest: emptied by a power cut, it would look like a cheat
