"""Keeps the git folders of a checkout whole while code of an agent works there: a turn or a check.

Several programs may work in one repository: a run, `loop check`, attempts. The last one that ends
removes what the first has placed. One that is killed loses its lock; the next one mends.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from threading import Lock

from ..core.json_text import JSONError, dumps, loads
from ..core.record import digest
from ..disk.files import make_folder, read_text, write_atomic
from ..disk.user_folders import NoHomeFolder, state_home
from .git_links import KNOWN_LINKS, remember_links, remove_new_links
from .git_paths import (
    COMMON_NAME,
    HEADS,
    ITSELF,
    MAX_CONFIG,
    git_folders,
    mend_folders,
    module_folders,
    read_plain_file,
)
from .kept_paths import create_empty, remove_created
from .new_repository import HAD_GIT, WAS_BARE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

GIT_NOTE = "git-before.json"  # in .loop: how git looked before, for the next one if we are killed
TABLES: dict[str, dict[str, Any]] = {
    "links": KNOWN_LINKS,
    "heads": HEADS,
    "repository": HAD_GIT,
    "bare": WAS_BARE,
}
_one_at_a_time = Lock()
_locks: dict[str, int] = {}  # by the git folder: the file that says that we work there
_users: dict[str, int] = {}  # the guards of this process: checks of lanes run in threads


class GitGuard:
    """Around whatever runs code of an agent in a checkout. `loop_path` is its folder .loop."""

    def __init__(self, root: str, loop_path: str) -> None:
        self.root = os.path.realpath(root)
        self._note = os.path.join(loop_path, GIT_NOTE)
        self._git, self._has_note = "", False

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def enter(self) -> tuple[str, ...]:
        """Mend what one that was killed left, and place the guard.

        Returns the links and pipes that were removed.
        """
        with _one_at_a_time:
            self._git = (*git_folders(self.root), self.root)[0]
            _users[self._git] = _users.get(self._git, 0) + 1
            if _users[self._git] > 1:
                place_guard(self.root)
                return ()
            lock = _locks[self._git] = _open_lock(self._git)
            is_first = _try_lock(lock)
            try:
                return self._mend_and_place(is_first)
            finally:
                _share_lock(lock)

    def _mend_and_place(self, is_first: bool) -> tuple[str, ...]:
        is_noted = _read_note(self._note)
        removed = keep_whole(self.root) if is_first else ()
        place_guard(self.root)
        if is_first or not is_noted:  # else that of a run that still works
            with suppress(OSError):  # no .loop, or a full disk: without it a kill leaves more
                _write_note(self._note, (self.root, *git_folders(self.root)))
                self._has_note = True
        return removed

    def leave(self) -> None:
        """Mend what the agent did, and remove the guard if nobody else works here."""
        with _one_at_a_time:
            if not self._git:
                return
            git, self._git = self._git, ""
            _users[git] -= 1
            try:
                keep_whole(self.root)
                if self._has_note:
                    os.remove(self._note)
            finally:
                if not _users[git]:
                    lock = _locks.pop(git)
                    if _try_lock(lock):
                        remove_guard(self.root)
                    if lock >= 0:
                        os.close(lock)


def place_guard(root: str) -> None:
    """Keep an agent from naming another folder with settings for git."""
    folders = mend_folders(root)
    for folder in folders[:1]:
        for guarded in (folder, *module_folders(folder)):
            create_empty(os.path.join(guarded, COMMON_NAME), ITSELF)
    remember_links(folders)


def remove_guard(root: str) -> None:
    """Remove the files that place_guard made, once no agent and no check works here."""
    folders = git_folders(root)
    remove_created((root, *folders))
    for folder in folders[:1]:
        for guarded in (folder, *module_folders(folder)):
            path = os.path.join(guarded, COMMON_NAME)
            if read_plain_file(path) == ITSELF:
                os.remove(path)


def keep_whole(root: str) -> tuple[str, ...]:
    """After a turn or a check, before git reads this checkout again: mend what an agent did.

    Returns the links and pipes that were removed.
    """
    return remove_new_links(root, mend_folders(root))


def _read_note(note: str) -> bool:
    """Take from the note what was there before; is there one?"""
    text = read_text(note, MAX_CONFIG, exact=True)
    with suppress(JSONError):
        before = loads(text or "{}")
        for name, table in TABLES.items():
            table.update(before.get(name, {}))
    return text is not None


def _write_note(note: str, keys: tuple[str, ...]) -> None:
    facts = {name: {k: table[k] for k in keys if k in table} for name, table in TABLES.items()}
    write_atomic(note, dumps(facts).encode("utf-8", "surrogateescape"), wait=False)


def _open_lock(git: str) -> int:
    """A file in our state folder, where no agent can hold it; -1 where there can be none."""
    try:
        folder = os.path.join(state_home(), "git-guards")
        make_folder(folder)
        path = os.path.join(folder, f"git-{digest(os.fsencode(git))}.lock")
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except (OSError, NoHomeFolder):
        return -1


if sys.platform == "win32":

    def _try_lock(lock: int) -> bool:
        return True

    def _share_lock(lock: int) -> None:
        return
else:
    import fcntl

    def _try_lock(lock: int) -> bool:
        """Does no other process work here?"""
        try:
            if lock >= 0:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True

    def _share_lock(lock: int) -> None:
        with suppress(OSError):
            if lock >= 0:
                fcntl.flock(lock, fcntl.LOCK_SH)
