"""Write races: was a file of the tree written while a check ran, or after it?

Then we do not know which bytes the check saw. The content may be the same again by now, so the
tree hash cannot tell. The change time of the file can: nothing sets it back except the clock.
"""

from __future__ import annotations

import os

from .plumbing import run_git
from .walk import EXCLUDED, walk_files

CLOCK_MARGIN_SECONDS = 0.02  # the resolution of the file system's clock


def files_written_since(
    root: str, loop_path: str, volatile: tuple[str, ...], since: float
) -> list[tuple[float, str]]:
    """Time and path of each file of the tree that was written, moved or created since then."""
    written = []
    for path in tree_paths(root, loop_path, volatile):
        try:
            changed_at = os.lstat(os.path.join(root, path)).st_ctime
        except OSError:
            continue
        if changed_at > since - CLOCK_MARGIN_SECONDS:
            written.append((changed_at, path))
    return written


def tree_paths(root: str, loop_path: str, volatile: tuple[str, ...]) -> list[str]:
    """Every file of the tree that was hashed last."""
    own = os.path.join(loop_path, "tree")
    if not os.path.exists(os.path.join(own, "HEAD")):
        return [path for path, _ in walk_files(root, "", (*EXCLUDED, *volatile))]
    try:
        _, out = run_git(root, own, "ls-files", "-z")
    except FileNotFoundError:  # git was uninstalled; the comparison with the baseline reports it
        return []
    return [os.fsdecode(path) for path in out.split(b"\0") if path]
