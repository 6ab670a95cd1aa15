"""Write, rename and read files: atomically, with private modes, and never through a link."""

from __future__ import annotations

import sys
import time

from .light_os import os

REPLACE_RETRY_SECONDS = 1.0
# Do not follow a link, and do not wait for the reader of a pipe.
NO_LINK_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# The bits of a mode that say what it is. The module `stat` would take longer to load.
FILE_TYPE, REGULAR_FILE, FOLDER = 0o170000, 0o100000, 0o040000
# A living writer renames its draft within this time; an older draft belongs to a killed writer.
STALE_DRAFT_SECONDS = 0.5


def keep_owner_access() -> None:
    """Let us read what we write: a umask such as 0777 takes the rights from the owner as well."""
    umask = os.umask(0o077)
    os.umask(umask & 0o077)


def write_all(fd: int, data: bytes, path: str) -> None:
    """Write all bytes unchanged. In text mode, Windows would turn each \\n into \\r\\n.

    An error names the path, which the system does not know any more.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(fd, os.O_BINARY)
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError as error:
        error.filename = path
        raise


def free_name(path: str) -> str:
    """The path, or the first of `path.2`, `path.3`, … that does not exist."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}.{number}"
    return free


def replace_file(path: str, target: str) -> None:
    """Rename a file over its target. On Windows an open reader blocks that, so it is retried."""
    deadline = time.monotonic() + REPLACE_RETRY_SECONDS
    while True:
        try:
            return os.replace(path, target)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def write_atomic(path: str, data: bytes, wait: bool = True) -> None:
    """Replace a file so that readers see the old or the new content, never a mixture.

    With `wait` that also holds after a power cut. Without, the file may then hold zero bytes.
    """
    draft = f"{path}.tmp"
    fd = _open_draft(draft)
    try:
        try:
            if not wait:
                reserve_space(fd, len(data))
            write_all(fd, data, path)
            if wait:
                os.fsync(fd)
        finally:
            os.close(fd)
        replace_file(draft, path)
    except OSError:
        os.unlink(draft)
        raise


def _open_draft(draft: str) -> int:
    """Create the draft. Its name is fixed, so the next write removes a killed writer's draft."""
    deadline = time.monotonic() + STALE_DRAFT_SECONDS
    while True:
        try:
            return os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            try:
                age = abs(time.time() - os.lstat(draft).st_mtime)
                if age > STALE_DRAFT_SECONDS or time.monotonic() > deadline:
                    os.unlink(draft)
                else:
                    time.sleep(0.005)
            except FileNotFoundError:  # its writer has renamed it
                pass


def reserve_space(fd: int, size: int) -> None:
    """Give the file its place on the disk before it is written, where the system can.

    When a file without a place is renamed over another one, ext4 writes it to the disk at once:
    that takes as long as an fsync (3 ms on a busy disk, 0.6 ms with a place).
    """
    if size and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(fd, 0, size)
        except OSError:  # this file system reserves nothing; a full disk fails the write itself
            pass


def rewrite_in_place(path: str, data: bytes) -> None:
    """Write a small file that only holders of our lock read, and that may be lost or torn.

    A new file and a rename would take ten times as long. A killed writer leaves a mixture.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | NO_LINK_FLAGS, 0o600)
    try:
        has_other_names = os.fstat(fd).st_nlink > 1
        if not has_other_names:
            write_all(fd, data, path)
            # Not emptied first: ext4 would write a file that was emptied to the disk at once.
            os.ftruncate(fd, len(data))
    finally:
        os.close(fd)
    if has_other_names:
        write_atomic(path, data, wait=False)


def overwrite_in_place(path: str, data: bytes, wait: bool) -> bool:
    """Overwrite a file with as many new bytes; False if the lengths differ.

    A power cut leaves the old or the new content.
    """
    try:
        fd = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        fits = os.fstat(fd).st_size == len(data)
        if fits:
            write_all(fd, data, path)
            if wait:
                os.fsync(fd)
        return fits
    finally:
        os.close(fd)


def make_folder(path: str) -> None:
    """Create a folder and its missing parents for the user alone.

    os.makedirs would apply the mode to the last folder only.
    """
    if path and not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # another process created it just now
            pass


def set_aside(path: str, folder: str) -> str:
    """Move a file that we cannot read into `folder` under a free name, and return its new path."""
    make_folder(folder)
    target = free_name(os.path.join(folder, os.path.basename(path)))
    replace_file(path, target)
    return target


def sync_folder(folder: str) -> None:
    """Make a new name in the folder survive a power cut. Windows cannot open folders: no effect."""
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
    """Open a file of ours for writing: for the user alone, through no symbolic or hard link."""
    if flags & os.O_TRUNC and os.path.lexists(path):
        os.remove(path)
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def read_text(path: str, max_chars: int, exact: bool = False) -> str | None:
    """The beginning of a text file; None if it cannot be read.

    `exact` keeps line ends and bytes that are not UTF-8.
    """
    errors, newline = ("surrogateescape", "") if exact else ("replace", None)
    try:
        with open(
            path, encoding="utf-8", errors=errors, newline=newline, opener=open_at_once
        ) as file:
            return file.read(max_chars)
    except OSError:
        return None


def open_no_link(path: str, flags: int) -> int:
    """Open a file that is also the user's: never through a link, never waiting for a pipe."""
    return os.open(path, flags | NO_LINK_FLAGS, 0o666)


def write_private(path: str, data: bytes, wait: bool = False) -> None:
    """Write a file of ours; with `wait` its bytes survive a power cut."""
    fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(fd, data, path)
        if wait:
            os.fsync(fd)
    finally:
        os.close(fd)


def remove_file(path: str) -> None:
    """Remove a file; one that is gone already is no error."""
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def read_bytes(path: str) -> bytes:
    """All bytes of a file; OSError where it cannot be read."""
    # A buffer would take longer to make than the file to read.
    with open(path, "rb", buffering=0, opener=open_at_once) as file:
        return file.read()


def open_at_once(path: str, flags: int) -> int:
    """Open a file for reading. A pipe or a device in its place is an OSError: nobody waits."""
    fd = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if os.fstat(fd).st_mode & FILE_TYPE in (REGULAR_FILE, FOLDER):  # open() refuses a folder
        return fd
    os.close(fd)
    raise OSError("it is no regular file")
