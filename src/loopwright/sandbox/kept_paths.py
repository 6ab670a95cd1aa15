"""Keeps paths of the project as they are: what is missing is created, what is a link is put back.

A mount can only lie on what exists, and never on a link.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from ..disk.files import free_name

_CREATED: dict[str, None] = {}  # by us: empty files and folders
_LINKS: dict[str, str] = {}  # on the way to what is kept, and where they lead


def create_missing(files: Iterable[str], programs: Iterable[str], scope: tuple[str, ...]) -> None:
    """Create what an agent could create in these folders: an empty file, or an empty folder.

    A folder is invisible for git, and no program can take its place. In place of a file that git
    reads it would be an error.
    """
    for path in files:
        if _can_be_created(path, scope):
            _create_folder(os.path.dirname(path))
            create_empty(path)
            _CREATED[path] = None
    for path in programs:
        if _can_be_created(path, scope):
            _create_folder(path)


def _can_be_created(path: str, scope: tuple[str, ...]) -> bool:
    """Is it missing in a folder of the agent? A link on the way leads elsewhere."""
    if os.path.lexists(path) or not _is_in_scope(path, scope):
        return False
    above = os.path.dirname(path)
    return os.path.realpath(above) == above


def _is_in_scope(path: str, scope: tuple[str, ...]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in scope)


def _create_folder(path: str) -> None:
    missing = []
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        try:
            os.mkdir(folder)
        except OSError:
            return
        _CREATED[folder] = None


def remove_created(scope: tuple[str, ...]) -> None:
    """Remove what create_missing made in these folders, as far as it is still empty."""
    for path in [path for path in reversed(_CREATED) if _is_in_scope(path, scope)]:
        del _CREATED[path]
        with suppress(OSError):
            if not os.path.isfile(path):
                os.rmdir(path)
            elif not os.path.getsize(path):
                os.remove(path)


def note_links(protected: tuple[str, ...], scope: tuple[str, ...]) -> None:
    """Note the links on the way: no mount lies on a link, so an agent can replace it."""
    for path in protected:
        while _is_in_scope(path, scope):
            if os.path.islink(path):
                _LINKS[path] = os.readlink(path)
            path = os.path.dirname(path)


def restore_links(root: str) -> None:
    """Put back the links that an agent replaced; what it put there is set aside."""
    for path, target in _LINKS.items():
        is_same = os.path.islink(path) and os.readlink(path) == target
        if path.startswith(f"{root}/") and not is_same and os.path.isdir(os.path.dirname(path)):
            set_aside(path)
            os.symlink(target, path)


def set_aside(path: str) -> None:
    """Give what an agent put there another name, if there is anything."""
    if os.path.lexists(path):
        os.rename(path, free_name(f"{path}.set-aside"))


def create_empty(path: str, text: str = "") -> None:
    """git reads this file, so it must exist before it can be kept as it is."""
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return
