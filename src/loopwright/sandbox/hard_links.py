"""Files of the project that are also elsewhere: what is written into them changes those too.

Package stores (uv, pnpm) and `git clone` of a local repository make such hard links. No mount can
tell the two names apart, and one mount for each file would take too long: so the person is told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

LOOK_SECONDS = 1.0


def hard_links_text(root: str, loop_path: str) -> str:
    """What the person should know of such files; "" where none was found in a second.

    The folder of the loop is read-only inside, and our second copy of the journal is a hard link.
    """
    names: dict[tuple[int, int], list[str]] = {}
    elsewhere: dict[tuple[int, int], int] = {}  # how many names each file has outside
    for path, status in _linked_files(root, loop_path):
        file = (status.st_dev, status.st_ino)
        names.setdefault(file, []).append(path)
        elsewhere[file] = status.st_nlink - len(names[file])
    shared = [names[file][0] for file, count in elsewhere.items() if count > 0]
    if not shared:
        return ""
    is_one = len(shared) == 1
    return (
        f"not protected: {len(shared)} file{'' if is_one else 's'} here, such as "
        f"{os.path.relpath(min(shared), root)}, {'is a hard link' if is_one else 'are hard links'} "
        "to files elsewhere, and what the agent writes into one changes both. "
        "Copies are safe, for example: UV_LINK_MODE=copy uv sync --reinstall"
    )


def _linked_files(root: str, left_out: str) -> Iterator[tuple[str, os.stat_result]]:
    """The files with more than one name, as many as are found in a second."""
    waiting, deadline = [root], time.monotonic() + LOOK_SECONDS
    while waiting and time.monotonic() < deadline:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:  # without the right to read it
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.path != left_out:
                    waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if status.st_nlink > 1:
                    yield entry.path, status
