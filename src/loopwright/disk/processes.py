"""Whether a process is alive, whether it is stopped, and what /proc says about it."""

from __future__ import annotations

import sys
import time

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
        return not is_zombie(pid)


def is_process_stopped(pid: int) -> bool:
    """Did a signal or a debugger stop the process? Without /proc nobody can know: no."""
    return process_fields(pid)[:1] in ([b"T"], [b"t"])


def is_zombie(pid: int) -> bool:
    """Has the process ended, and its parent has not asked for its exit code yet?"""
    return process_fields(pid)[:1] in ([b"Z"], [b"X"])


def process_fields(pid: int | str) -> list[bytes]:
    """What /proc says about a process, from its state on; empty where it says nothing.

    The name before the state is left out: it may contain anything.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def parent_of(pid: int) -> int:
    """The process that started this one; 0 where nobody can know."""
    fields = process_fields(pid)
    return int(fields[1]) if fields else 0


def process_started_at(pid: int | str) -> float:
    """When a process started, by the wall clock; 0.0 without /proc."""
    fields = process_fields(pid)
    if not fields:
        return 0.0
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - age
