"""The baseline: the tree at the start of a loop, kept for the comparison at its end.

With git it is a commit under refs/loop/; otherwise it is a copy of the relevant files. The loop
records a name that only these bytes have, so a baseline that was changed is detected. The caller
decides which files are relevant (`is_relevant`), because the ratchet knows that.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from ..core.json_text import JSONError, dumps, loads
from ..core.record import Record, digest
from ..disk.files import open_at_once, read_bytes, sync_folder, write_private
from . import kept_trees, write_race
from .submodules import SUBMODULE_MODE
from .walk import MAX_FILES, file_size, is_excluded

COPY_PREFIX = "copy:"
COPY_FOLDER, COPY_LIST = "start", "files.json"
ADDED, MODIFIED, DELETED = "A", "M", "D"
LINK_MODE = "120000"
MAX_BYTES = 1_000_000  # a larger file is not compared
FIRST_BYTES = 4_096  # that show whether a large file is text

ChangedPath = tuple[str, str, str]  # path, kind of change and mode now


class Change(Record):
    """A file at the baseline and now; None where it did not or does not exist."""

    path: str
    before: str | None
    after: str | None


class Comparison(Record):
    """The files that changed since the baseline, and those whose texts are not compared."""

    changes: tuple[Change, ...] = ()
    is_tree_unreadable: bool = False
    is_baseline_gone: bool = False
    protected: tuple[str, ...] = ()
    moved_submodules: tuple[str, ...] = ()
    left: tuple[str, ...] = ()  # still there, but no longer part of the tree
    links: tuple[tuple[str, str], ...] = ()  # in place of a file, and where they lead
    too_large: tuple[str, ...] = ()


def keep_baseline(
    root: str,
    loop_path: str,
    tree: str,
    loop_id: str,
    volatile: tuple[str, ...],
    is_relevant: Callable[[str], bool],
) -> str:
    """Keep the tree and return the name of the baseline; "" where it cannot be kept."""
    if commit := kept_trees.keep_tree(root, loop_path, tree, kept_trees.kept_tree_ref(loop_id, 0)):
        return commit
    if not tree:
        return ""
    try:
        return _copy_files(root, loop_path, volatile, is_relevant)
    except OSError:
        return ""


def compare_with_baseline(
    root: str,
    loop_path: str,
    base: str,
    tree: str,
    protect: tuple[str, ...],
    is_relevant: Callable[[str], bool],
) -> Comparison:
    """The relevant files that changed; `protect` are the patterns of files that must not."""
    if not tree:
        return Comparison(is_tree_unreadable=True)
    try:
        if base.startswith(COPY_PREFIX):
            rows = _changes_since_copy(root, loop_path, base, is_relevant)
        else:
            rows = kept_trees.tree_changes(root, loop_path, base, tree)
            existed = [path for path, kind, _ in rows if kind != ADDED]
            kept_trees.require_intact(root, loop_path, base, existed)
    except (OSError, JSONError):
        return Comparison(is_baseline_gone=True)
    moved = [path for path, kind, mode in rows if mode == SUBMODULE_MODE and kind != ADDED]
    relevant = [row for row in rows if is_relevant(row[0]) and row[0] not in moved]
    links = [path for path, kind, mode in relevant if mode == LINK_MODE and kind != ADDED]
    existed = [path for path, kind, _ in relevant if kind != ADDED]
    contents = _baseline_contents(root, loop_path, base, existed)
    texts = {
        path: _read_change(root, path, kind, mode, contents.get(path))
        for path, kind, mode in relevant
        if path not in links
    }
    return Comparison(
        changes=tuple(change for change in texts.values() if change),
        protected=tuple(path for path, _, _ in rows if is_excluded(path, protect)),
        moved_submodules=tuple(moved),
        left=tuple(path for path, kind, _ in rows if kind == DELETED and _is_file(root, path)),
        links=tuple((path, os.readlink(os.path.join(root, path))) for path in links),
        too_large=tuple(path for path, change in texts.items() if change is None),
    )


def _is_file(root: str, path: str) -> bool:
    full = os.path.join(root, path)
    return os.path.islink(full) or os.path.isfile(full)


def baseline_text(root: str, loop_path: str, base: str, path: str) -> str | None:
    """One file as it was at the baseline; None if it did not exist or cannot be read."""
    try:
        content = _baseline_contents(root, loop_path, base, [path]).get(path)
    except (OSError, JSONError):
        return None
    return None if content is None else content.decode("utf-8", "replace")


def _read_change(root: str, path: str, kind: str, mode: str, before: bytes | None) -> Change | None:
    """The file before and after; None where it is too large to be compared."""
    full = os.path.join(root, path)
    is_unread = kind != ADDED and before is None
    if kind == ADDED and mode != LINK_MODE and _is_large_binary(full):
        return Change(path, None, "")  # no text that a runner reads, and nothing was there before
    if is_unread or file_size(root, os.fsencode(path)) > MAX_BYTES:
        return None
    after = None
    if kind != DELETED and mode != LINK_MODE and os.path.isfile(full):
        after = read_bytes(full).decode("utf-8", "replace")
    return Change(path, None if before is None else before.decode("utf-8", "replace"), after)


def _is_large_binary(path: str) -> bool:
    try:
        with open(path, "rb", opener=open_at_once) as file:
            first = file.read(FIRST_BYTES) if os.fstat(file.fileno()).st_size > MAX_BYTES else b""
    except OSError:
        return False
    # A character that is cut at the end is no sign.
    return b"\0" in first or len(first.decode("utf-8", "ignore").encode()) < len(first) - 3


def _baseline_contents(root: str, loop_path: str, base: str, paths: list[str]) -> dict[str, bytes]:
    if not base.startswith(COPY_PREFIX):
        return kept_trees.file_contents(root, loop_path, base, paths, MAX_BYTES)
    copies = {path: _copy_path(loop_path, path) for path in paths}
    return {path: read_bytes(copy) for path, copy in copies.items() if os.path.exists(copy)}


# --- without git, or where the tree has too much new content for it ---


def _copy_path(loop_path: str, path: str) -> str:
    return os.path.join(loop_path, COPY_FOLDER, digest(os.fsencode(path)))


def _copy_files(
    root: str, loop_path: str, volatile: tuple[str, ...], is_relevant: Callable[[str], bool]
) -> str:
    """Record the names and digests of all files, and copy the relevant ones."""
    folder = os.path.join(loop_path, COPY_FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, mode=0o700)
    digests = _file_digests(root, loop_path, volatile)
    for path in filter(is_relevant, digests):
        if file_size(root, os.fsencode(path)) <= MAX_BYTES:
            content = read_bytes(os.path.join(root, path))
            # Synced: the journal has its digest, so a file emptied by a power cut looks edited.
            write_private(_copy_path(loop_path, path), content, wait=True)
    listing = dumps({"volatile": list(volatile), "files": digests}).encode()
    write_private(os.path.join(folder, COPY_LIST), listing, wait=True)
    sync_folder(folder)
    return f"{COPY_PREFIX}{digest(listing)}"


def _changes_since_copy(
    root: str, loop_path: str, base: str, is_relevant: Callable[[str], bool]
) -> list[ChangedPath]:
    listing = read_bytes(os.path.join(loop_path, COPY_FOLDER, COPY_LIST))
    if digest(listing) != base.removeprefix(COPY_PREFIX):
        raise OSError("the list of the baseline was changed")
    recorded = loads(listing)
    before = recorded["files"]
    for path in filter(is_relevant, before):
        copy = _copy_path(loop_path, path)
        if os.path.exists(copy) and digest(read_bytes(copy)) != before[path]:
            raise OSError("a copy of the baseline was changed")
    now = _file_digests(root, loop_path, tuple(recorded["volatile"]))
    changed = [path for path, old in before.items() if now.get(path) != old]
    kinds = {path: MODIFIED if path in now else DELETED for path in changed}
    kinds |= {path: ADDED for path in now if path not in before}
    return [(path, kind, _file_mode(root, path)) for path, kind in kinds.items()]


def _file_digests(root: str, loop_path: str, volatile: tuple[str, ...]) -> dict[str, str]:
    paths = write_race.tree_paths(root, loop_path, volatile)
    if len(paths) > MAX_FILES:
        raise OSError("too many files to be listed")
    return {path: _file_digest(os.path.join(root, path)) for path in paths}


def _file_digest(path: str) -> str:
    """A digest of the content; of a large file its size and time, of a link its target."""
    stat = os.lstat(path)
    if os.path.islink(path):
        return f"→ {os.readlink(path)}"
    if stat.st_size > MAX_BYTES:
        return f"{stat.st_size} {stat.st_mtime_ns}"
    return digest(read_bytes(path))


def _file_mode(root: str, path: str) -> str:
    return LINK_MODE if os.path.islink(os.path.join(root, path)) else ""
