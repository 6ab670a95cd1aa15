"""Stillness: was any file of the tree written while a check ran, or after it? Then nobody knows which bytes the check saw.

The content may be the same again by now, so that the tree's hash says nothing; the time at which a file was last touched does.
It cannot be set back without setting the clock.
"""

from __future__ import annotations

import os

from .plumbing import run_git
from .tree import EXCLUDED
from .walk import walk_files

CLOCK_MARGIN_SECONDS = 0.02  # seconds; the file system's clock ticks that coarsely


def files_written_since(
    root: str, loop_path: str, volatile: tuple[str, ...], since: float
) -> list[tuple[float, str]]:
    """Files of the tree that were written, moved or made since then, and when."""
    found = []
    for path in tree_paths(root, loop_path, volatile):
        try:
            at = os.lstat(os.path.join(root, path)).st_ctime
        except OSError:
            continue
        if at > since - CLOCK_MARGIN_SECONDS:
            found.append((at, path))
    return found


def tree_paths(root: str, loop_path: str, volatile: tuple[str, ...]) -> list[str]:
    """Every file of the tree that was hashed last."""
    own = os.path.join(loop_path, "tree")
    if os.path.exists(os.path.join(own, "HEAD")):
        try:
            return [
                os.fsdecode(path)
                for path in run_git(root, own, "ls-files", "-z")[1].split(b"\0")
                if path
            ]
        except (
            FileNotFoundError
        ):  # git is not there any more: the look back to the start will say so
            return []
    return [path for path, _ in walk_files(root, "", (*EXCLUDED, *volatile))]
