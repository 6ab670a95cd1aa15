"""An exclusive lock on a file, so that only one process at a time works in a folder."""

from __future__ import annotations

import sys
import time

from . import files
from .light_os import os

BEAT_SECONDS = 1.0


class FolderBusy(Exception):
    """Another process holds the lock for longer than we wait."""


class LocksUnsupported(Exception):
    """The file system has no locks, so two drivers could work in the folder at once."""


class FileLock:
    """The lock as a context manager. It polls until `timeout_seconds` pass without a sign of life.

    The holder of a plain lock gives none, so it is waited for that long at most.
    """

    def __init__(self, path: str, timeout_seconds: float) -> None:
        self.path, self.timeout_seconds = path, timeout_seconds

    def __enter__(self) -> None:
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | files.NO_LINK_FLAGS, 0o600)
        deadline, sign = time.monotonic() + self.timeout_seconds, self._sign_of_life()
        try:
            while not _try_lock(self._fd):
                if sign != (sign := self._sign_of_life()):
                    deadline = time.monotonic() + self.timeout_seconds
                if time.monotonic() > deadline or self._is_holder_stopped():
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

    def _sign_of_life(self) -> int:
        return 0

    def _is_holder_stopped(self) -> bool:
        return False

    def release(self) -> None:
        if sys.platform == "win32":  # closing also releases it, but that may take a while there
            import msvcrt

            msvcrt.locking(self._fd, msvcrt.LK_UNLCK, 1)
        os.close(self._fd)


class HeartbeatLock(FileLock):
    """A lock whose holder touches the file every second: it is waited for while it works.

    A process that is frozen or hung touches nothing, and is not waited for any longer than the
    timeout; one that a signal has stopped is not waited for at all.
    """

    def __enter__(self) -> None:
        super().__enter__()
        from _thread import start_new_thread

        self._held = True
        try:
            if sys.platform != "win32":  # there others cannot read what is locked
                os.pwrite(self._fd, b"%-10d" % os.getpid(), 0)
            start_new_thread(self._beat, ())
        except (OSError, RuntimeError):  # a full disk, no more threads: others wait for less long
            pass

    def _sign_of_life(self) -> int:
        return os.fstat(self._fd).st_mtime_ns

    def _is_holder_stopped(self) -> bool:
        if sys.platform == "win32":
            return False
        from .processes import is_process_stopped

        pid = os.pread(self._fd, 10, 0).strip()
        return pid.isdigit() and is_process_stopped(int(pid))

    def _beat(self) -> None:
        while self._held:
            try:
                os.utime(self.path)
            except OSError:  # the folder is gone, or its disk is full
                pass
            time.sleep(BEAT_SECONDS)

    def release(self) -> None:
        self._held = False
        if sys.platform != "win32":
            os.ftruncate(self._fd, 0)
        super().release()


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
