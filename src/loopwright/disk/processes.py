"""Whether a process is alive, and whether it is stopped."""

from __future__ import annotations

import sys

from .light_os import os

if sys.platform == "win32":

    def is_process_alive(pid: int) -> bool:
        """Does a process with this number run?"""
        from ctypes import byref, windll, wintypes

        query_limited_information, still_active = 0x1000, 259
        handle = windll.kernel32.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        code = wintypes.DWORD()
        windll.kernel32.GetExitCodeProcess(handle, byref(code))
        windll.kernel32.CloseHandle(handle)
        return code.value == still_active
else:

    def is_process_alive(pid: int) -> bool:
        """Does a process with this number run? A zombie has ended."""
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # it belongs to another user
            return True
        return _state_in_proc(pid) not in (b"Z", b"X")


def is_process_stopped(pid: int) -> bool:
    """Did a signal or a debugger stop the process? Without /proc nobody can know: no."""
    return _state_in_proc(pid) in (b"T", b"t")


def _state_in_proc(pid: int) -> bytes:
    """The letter of the process's state; empty without /proc, or without such a process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return b""
