"""An exclusive lock on a file, so that only one process at a time works in a folder."""

from __future__ import annotations

import sys
import time

from . import files
from .light_os import os


class FolderBusy(Exception):
    """Another process holds the lock for longer than we wait."""


class LocksUnsupported(Exception):
    """The file system has no locks, so two drivers could work in the folder at once."""


class FileLock:
    """The lock as a context manager. It polls until `timeout_seconds` have passed."""

    def __init__(self, path: str, timeout_seconds: float) -> None:
        self.path, self.timeout_seconds = path, timeout_seconds

    def __enter__(self) -> None:
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | files.NO_LINK_FLAGS, 0o600)
        deadline = time.monotonic() + self.timeout_seconds
        try:
            while not _try_lock(self._fd):
                if time.monotonic() > deadline:
                    waited = f"{self.timeout_seconds:g} s"
                    raise FolderBusy(f"{self.path} is held by another process for over {waited}")
                time.sleep(0.005)
        except BaseException as error:
            os.close(self._fd)
            if isinstance(error, OSError):
                folder, reason = os.path.dirname(self.path), error.strerror
                raise LocksUnsupported(
                    f"{folder}: this file system gives no locks ({reason}). "
                    "Work on a local disk instead"
                ) from error
            raise

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        if sys.platform == "win32":  # closing also releases it, but that may take a while there
            import msvcrt

            msvcrt.locking(self._fd, msvcrt.LK_UNLCK, 1)
        os.close(self._fd)


if sys.platform == "win32":

    def _try_lock(fd: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:

    def _try_lock(fd: int) -> bool:
        import fcntl

        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
