"""Links, pipes and devices that an agent leaves in a git folder, where git expects plain files.

Git writes through a link and waits for the writer of a pipe: our next commit, or the person's own,
would change a file elsewhere or hang. Those that were there before the agent worked stay.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from ..repo.git_limits import OPENED_FILES
from ..repo.plumbing import ask_user_git

OWNER_ALL, OWNER_READS = 0o700, 0o500
NEEDED = ("", "refs", "objects")  # without the right to enter these, .git is no repository
KNOWN_LINKS: dict[str, dict[str, str]] = {}  # of each git folder: its links and their targets


def remember_links(folders: tuple[str, ...]) -> None:
    """Note the links of these git folders, the first time that they are named."""
    for folder in folders:
        if folder not in KNOWN_LINKS:
            KNOWN_LINKS[folder] = dict(_odd_entries(folder))


def remove_new_links(root: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    """Remove what is new since then, and put a link back that was changed; returns their paths."""
    removed = list(_remove_pipes(root))
    for folder in folders:
        if folder in KNOWN_LINKS:
            removed += _remove_new(folder, KNOWN_LINKS[folder])
    if any(os.path.join(folder, "index") in removed for folder in folders[-1:]):
        # Without an index every file would count as deleted. Staged changes are only in the files.
        ask_user_git(root, "read-tree", "HEAD")
    return tuple(removed)


def _remove_pipes(root: str) -> Iterator[str]:
    """Remove pipes in place of files that every git opens; it follows no link there."""
    for name in OPENED_FILES:
        path = os.path.join(root, name)
        with suppress(OSError):
            mode = os.lstat(path).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
                os.unlink(path)
                yield path


def _remove_new(folder: str, known: dict[str, str]) -> Iterator[str]:
    for path, target in list(_odd_entries(folder)):
        if known.get(path) != target:
            with suppress(OSError):
                os.unlink(path)
                yield path
                if path in known:
                    os.symlink(known[path], path)


def open_folder(folder: str) -> None:
    """Give the owner of a git folder the rights back that an agent took away.

    Where git cannot enter it, it would take the project itself for a repository.
    """
    for name in NEEDED if folder else ():
        _add_rights(os.path.join(folder, name), OWNER_ALL)


def _add_rights(folder: str, rights: int) -> None:
    with suppress(OSError):  # there is none, or it belongs to somebody else
        status = os.lstat(folder)
        if stat.S_ISDIR(status.st_mode) and status.st_mode & rights != rights:
            os.chmod(folder, stat.S_IMODE(status.st_mode) | rights)


def _odd_entries(folder: str) -> Iterator[tuple[str, str]]:
    """Every entry that is neither a plain file nor a folder, with the target of a link."""
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        _add_rights(at, OWNER_READS)
        try:
            entries = list(os.scandir(at))
        except OSError:  # an agent may take it away meanwhile
            continue
        for entry in entries:
            if entry.is_symlink():
                with suppress(OSError):  # another lane may work beside this one
                    yield entry.path, os.readlink(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path, ""
