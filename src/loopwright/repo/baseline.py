"""The baseline: the tree at the start of a loop, kept to be compared with later.

With git it is a commit under refs/loop/; otherwise copies of the files that matter. The loop remembers a name that only
these bytes have. What cannot be read back under that name is not believed. The caller says which files matter
(`is_relevant`): that is the ratchet's knowledge.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from ..core.findings import HIGH, MEDIUM, Finding
from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record, digest
from ..disk.files import open_private, sync_folder
from . import kept_trees, write_race
from .tree import file_size
from .walk import MAX_FILES, is_excluded

COPY_PREFIX = "copy:"
LINK_MODE = "120000"
MAX_BYTES = 1_000_000  # bytes; a test file that is larger is one that we cannot judge


def keep_baseline(
    root: str,
    loop_path: str,
    tree: str,
    loop_id: str,
    volatile: tuple[str, ...],
    is_relevant: Callable[[str], bool],
) -> str:
    """The name under which the tree is found again; "" where it cannot be kept."""
    if commit := kept_trees.keep_tree(root, loop_path, tree, kept_trees.kept_tree_ref(loop_id, 0)):
        return commit
    try:
        return _copy_files(root, loop_path, volatile, is_relevant) if tree else ""
    except OSError:
        return ""


def compare_with_baseline(
    root: str,
    loop_path: str,
    base: str,
    tree: str,
    protect: tuple[str, ...],
    is_relevant: Callable[[str], bool],
) -> tuple[list[Change], list[Finding]]:
    """Files that matter for a proof and are not what they were; and what is wrong with some before anybody reads them."""
    if not tree:
        return [], [Finding(HIGH, "tree-unreadable", ".")]
    try:
        rows = (
            _changes_since_copy(root, loop_path, base, is_relevant)
            if base.startswith(COPY_PREFIX)
            else kept_trees.tree_changes(root, loop_path, base, tree)
        )
    except (kept_trees.KeptTreeError, OSError, JSONError):
        return [], [
            Finding(
                HIGH,
                "baseline-gone",
                kept_trees.kept_tree_ref("", "").rstrip("/"),
                0,
                base[:20],
            )
        ]
    found = [
        Finding(HIGH, "protected-path-changed", path)
        for path, _, _ in rows
        if is_excluded(path, protect)
    ]
    mattering = [(path, kind, mode) for path, kind, mode in rows if is_relevant(path)]
    before = _baseline_contents(
        root, loop_path, base, [path for path, kind, _ in mattering if kind != "A"]
    )
    changes = []
    for path, kind, mode in mattering:
        old = before.get(path)
        if mode == LINK_MODE and kind != "A":
            found.append(
                Finding(
                    HIGH,
                    "replaced-by-link",
                    path,
                    0,
                    "a file",
                    f"→ {os.readlink(os.path.join(root, path))}",
                )
            )
        elif (kind != "A" and old is None) or file_size(root, os.fsencode(path)) > MAX_BYTES:
            found.append(Finding(MEDIUM, "too-large-to-compare", path))
        else:
            new = None if kind == "D" or mode == LINK_MODE else _read_text(os.path.join(root, path))
            changes.append(
                Change(path, old.decode("utf-8", "replace") if old is not None else None, new)
            )
    return changes, found


def _baseline_contents(root: str, loop_path: str, base: str, paths: list[str]) -> dict[str, bytes]:
    if not base.startswith(COPY_PREFIX):
        return kept_trees.file_contents(root, loop_path, base, paths, MAX_BYTES)
    copies = {path: os.path.join(loop_path, "start", digest(os.fsencode(path))) for path in paths}
    return {path: _read_bytes(copy) for path, copy in copies.items() if os.path.exists(copy)}


# --- without git, or where there is too much for it ---


def _copy_files(
    root: str, loop_path: str, volatile: tuple[str, ...], is_relevant: Callable[[str], bool]
) -> str:
    """Names and digests of all files, and the bytes of those that matter."""
    place = os.path.join(loop_path, "start")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place, mode=0o700)
    known = _file_digests(root, loop_path, volatile)
    for path in filter(is_relevant, known):
        if file_size(root, os.fsencode(path)) <= MAX_BYTES:
            _write_synced(
                os.path.join(place, digest(os.fsencode(path))),
                _read_bytes(os.path.join(root, path)),
            )
    listed = dumps({"volatile": list(volatile), "files": known}).encode()
    _write_synced(os.path.join(place, "files.json"), listed)
    sync_folder(place)
    return f"{COPY_PREFIX}{digest(listed)}"


def _changes_since_copy(
    root: str, loop_path: str, base: str, is_relevant: Callable[[str], bool]
) -> list[tuple[str, str, str]]:
    listed = _read_bytes(os.path.join(loop_path, "start", "files.json"))
    if digest(listed) != base.removeprefix(COPY_PREFIX):
        raise OSError("the list of the start was changed")
    said = loads(listed)
    before, now = said["files"], _file_digests(root, loop_path, tuple(said["volatile"]))
    for path in filter(is_relevant, before):
        copy = os.path.join(loop_path, "start", digest(os.fsencode(path)))
        if os.path.exists(copy) and digest(_read_bytes(copy)) != before[path]:
            raise OSError("a copy of the start was changed")
    rows = [
        (path, "M" if path in now else "D", _file_mode(root, path))
        for path, was in before.items()
        if now.get(path) != was
    ]
    return rows + [(path, "A", _file_mode(root, path)) for path in now if path not in before]


def _file_digests(root: str, loop_path: str, volatile: tuple[str, ...]) -> dict[str, str]:
    listed = write_race.tree_paths(root, loop_path, volatile)
    if len(listed) > MAX_FILES:
        raise OSError("too many files to be listed")
    return {path: _file_digest(os.path.join(root, path)) for path in listed}


def _file_digest(path: str) -> str:
    """What stands for the content of a file: of a large one its size and time."""
    stat = os.lstat(path)
    if os.path.islink(path):
        return f"→ {os.readlink(path)}"
    return (
        f"{stat.st_size} {stat.st_mtime_ns}"
        if stat.st_size > MAX_BYTES
        else digest(_read_bytes(path))
    )


def _file_mode(root: str, path: str) -> str:
    return LINK_MODE if os.path.islink(os.path.join(root, path)) else ""


def _read_text(path: str) -> str | None:
    return _read_bytes(path).decode("utf-8", "replace") if os.path.isfile(path) else None


def _read_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write_synced(path: str, data: bytes) -> None:
    with open(path, "wb", opener=open_private) as file:
        file.write(data)
        file.flush()
        os.fsync(
            file.fileno()
        )  # the journal has its digest: emptied by a power cut, it would look like a cheat


class Change(Record):
    """A file as it was at the start and as it is; None where it was not, or is no more there."""

    path: str
    before: str | None
    after: str | None
