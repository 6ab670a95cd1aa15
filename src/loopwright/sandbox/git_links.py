"""Links, pipes and devices that an agent leaves in a git folder, where git expects plain files.

Git writes through a link and waits for the writer of a pipe: our next commit, or the person's own,
would change a file elsewhere or hang. Those that were there before the agent worked stay.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from ..repo.plumbing import ask_user_git

# What git writes to, or opens with most commands. Folders of loose objects have two letters.
WALKED = ("info", "logs", "refs", "objects", "reftable")
_known: dict[str, dict[str, str]] = {}  # of each git folder: its links and their targets


def remember_links(folders: tuple[str, ...]) -> None:
    """Note the links of these git folders, the first time that they are named."""
    for folder in folders:
        if folder not in _known:
            _known[folder] = dict(_odd_entries(folder))


def remove_new_links(root: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    """Remove what is new since then, and put a link back that was changed; returns their paths."""
    removed = []
    for folder in folders:
        known = _known.get(folder, {})
        for path, target in list(_odd_entries(folder)):
            if known.get(path) == target:
                continue
            with suppress(OSError):
                os.unlink(path)
                removed.append(path)
                if path in known:
                    os.symlink(known[path], path)
    if any(os.path.basename(path) == "index" for path in removed):
        # Without an index every file would count as deleted. Staged changes are only in the files.
        ask_user_git(root, "read-tree", "HEAD")
    return tuple(removed)


def _odd_entries(folder: str) -> Iterator[tuple[str, str]]:
    """Every entry that is neither a plain file nor a folder, with the target of a link."""
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        try:
            entries = list(os.scandir(at))
        except OSError:  # an agent may take it away meanwhile
            continue
        for entry in entries:
            if entry.is_symlink():
                yield entry.path, os.readlink(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                is_part = entry.name in WALKED or at != folder
                has_objects = len(entry.name) == 2 and os.path.basename(at) == "objects"
                waiting += [entry.path] if is_part and not has_objects else []
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path, ""
