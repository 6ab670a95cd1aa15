"""Where a path leads, and whether a link that an agent may have made is on the way."""

from __future__ import annotations

from .light_os import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LINKS = 40  # as many as Linux follows


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def follow_links(path: str, written: Iterable[str]) -> str:
    """The real path; "" where a link in one of these folders is on the way to it.

    An agent may have made that link, and what we show in a sandbox it could then choose.
    """
    folders = tuple(written)
    waiting = os.path.abspath(path).split("/")[::-1]
    at, links = "/", 0
    while waiting:
        name = waiting.pop()
        step = os.path.dirname(at) if name == ".." else os.path.join(at, name)
        if name in ("", ".") or not os.path.islink(step):
            at = at if name in ("", ".") else step
            continue
        links += 1
        if links > MAX_LINKS or any(is_inside(step, folder) for folder in folders):
            return ""
        target = os.readlink(step)
        at = "/" if os.path.isabs(target) else at
        waiting += target.split("/")[::-1]
    return at
