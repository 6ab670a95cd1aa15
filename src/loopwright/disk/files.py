"""Files on the user's disk: written whole or not at all, private, and never through a link."""

from __future__ import annotations

import os
import sys
import time

REPLACE_RETRY_SECONDS = 1.0  # seconds
NO_LINK_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_NONBLOCK", 0
)  # through no link, and not waiting for a pipe's reader
STALE_DRAFT_SECONDS = (
    0.5  # seconds in which every draft has become its file, unless its writer was killed
)


def write_all(fd: int, data: bytes) -> None:
    """Every byte as it is: left to itself, Windows would write \\r\\n for each \\n."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(fd, os.O_BINARY)
    while data:
        data = data[os.write(fd, data) :]


def free_name(path: str) -> str:
    """The path itself, or the first of its numbered kin that is not taken: nothing is overwritten."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}.{number}"
    return free


def replace_file(path: str, place: str) -> None:
    """Rename over what is there. On Windows whoever reads one of the two forbids it for a moment, so we ask again."""
    patience = time.monotonic() + REPLACE_RETRY_SECONDS
    while True:
        try:
            return os.replace(path, place)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > patience:
                raise
            time.sleep(0.01)


def write_atomic(path: str, data: bytes, wait: bool = True) -> None:
    """Readers see the old file or the new one, never half of either; after a power cut too, if we `wait` for the disk."""
    draft = f"{path}.tmp"
    fd = _open_draft(draft)
    try:
        try:
            write_all(fd, data)
            if wait:
                os.fsync(fd)
        finally:
            os.close(fd)
        replace_file(draft, path)
    except OSError:
        os.unlink(draft)
        raise


def _open_draft(draft: str) -> int:
    """A draft of our own. Its name is always the same, so what a killed writer left goes with the next write, not never."""
    patience = time.monotonic() + STALE_DRAFT_SECONDS
    while True:
        try:
            return os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            try:
                if (
                    abs(time.time() - os.lstat(draft).st_mtime) > STALE_DRAFT_SECONDS
                    or time.monotonic() > patience
                ):
                    os.unlink(draft)
                else:
                    time.sleep(0.005)
            except FileNotFoundError:  # it has become its file
                pass


def overwrite_in_place(path: str, data: bytes, wait: bool) -> bool:
    """New bytes in the place of as many old ones; False where they do not fit. A power cut leaves the old or the new ones."""
    try:
        fd = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        fits = os.fstat(fd).st_size == len(data)
        if fits:
            write_all(fd, data)
            if wait:
                os.fsync(fd)
        return fits
    finally:
        os.close(fd)


def make_folder(path: str) -> None:
    """It, and all above it that is missing, for the user alone: os.makedirs gives its mode to the last one only."""
    if path and not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # somebody else was quicker
            pass


def set_aside(path: str, folder: str) -> str:
    """Nothing that cannot be read is deleted: it gets a name of its own."""
    make_folder(folder)
    place = free_name(os.path.join(folder, os.path.basename(path)))
    replace_file(path, place)
    return place


def sync_folder(folder: str) -> None:
    """Make a new name in the folder survive a power cut, where the system lets us; Windows opens no folder."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def open_private(path: str, flags: int) -> int:
    """How a file of ours is opened to be written: for the user alone, and never through a link of whatever kind."""
    if flags & os.O_TRUNC and os.path.lexists(path):
        os.remove(path)
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def read_text(path: str, max_chars: int, exact: bool = False) -> str | None:
    """The beginning of a text file; None where it cannot be read. `exact` keeps line ends and bytes that are not UTF-8."""
    errors, newline = ("surrogateescape", "") if exact else ("replace", None)
    try:
        with open(path, encoding="utf-8", errors=errors, newline=newline) as file:
            return file.read(max_chars)
    except OSError:
        return None


def open_no_link(path: str, flags: int) -> int:
    """Open a file that is also the user's: never through a link, never waiting for a pipe."""
    return os.open(path, flags | NO_LINK_FLAGS, 0o666)


def write_private(path: str, data: bytes, wait: bool = False) -> None:
    """Write a file of ours; with `wait` its bytes survive a power cut."""
    with open(path, "wb", opener=open_private) as file:
        file.write(data)
        if wait:
            file.flush()
            os.fsync(file.fileno())


def read_bytes(path: str) -> bytes:
    """All bytes of a file; OSError where it cannot be read."""
    with open(path, "rb") as file:
        return file.read()
