"""Process groups of checks and agents: recorded while they run, so that the next driver can end what a killed one left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

RUNNING_FOLDER = "running"


@contextmanager
def record_group(loop_path: str, group: int) -> Iterator[None]:
    folder = os.path.join(loop_path, RUNNING_FOLDER)
    path, left = os.path.join(folder, str(group)), 1_000
    while left:
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with open(f"{path}.tmp", "w", encoding="ascii") as file:
                file.write(f"{_start_time(group)}\n{os.getpid()}\n{_start_time(os.getpid())}\n")
            os.replace(f"{path}.tmp", path)
            break
        except (
            FileNotFoundError,
            FileExistsError,
        ):  # whoever is done takes the empty folder away, and reaps what is not whole
            left -= 1
            if not left:
                raise
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.remove(path)
        with suppress(OSError):
            os.rmdir(folder)


def end_orphaned_groups(loop_path: str) -> list[int]:
    """End the groups whose driver is gone. A number that now belongs to somebody else is left alone."""
    folder = os.path.join(loop_path, RUNNING_FOLDER)
    ended = []
    try:
        names = os.listdir(folder)
    except FileNotFoundError:  # the last of them has just ended
        names = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="ascii") as file:
                born, owner, since, *_ = (*file.read().split("\n"), "", "")
        except FileNotFoundError:  # it has just ended in good order
            continue
        if (
            owner.isdecimal()
            and since
            and _start_time(int(owner)) == since
            and not _is_zombie(int(owner))
        ):
            continue
        if name.isdecimal() and born and _start_time(int(name)) == born:
            kill_group(int(name), 0.2)
            ended.append(int(name))
        with suppress(FileNotFoundError):
            os.remove(path)
    with suppress(OSError):
        os.rmdir(folder)
    return ended


def processes_with_variable(mark: str) -> list[tuple[int, str]]:
    """Processes with this word in their environment: number and command. Only where there is a /proc."""
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError):
            if not name.isdecimal() or int(name) == os.getpid():
                continue
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark.encode() not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{name}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            found.append((int(name), command[:120]))
    return found


if sys.platform == "win32":
    NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP

    def kill_group(group: int, grace: float) -> None:
        """The process and all that it started, at once: a console program hears no gentler word. (No grace, then.)"""
        with suppress(OSError):
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True, check=False
            )

    def _start_time(pid: int) -> str:
        """When the process started, as the kernel counts it."""
        from ctypes import byref, windll, wintypes

        kernel, times = windll.kernel32, [wintypes.FILETIME() for _ in range(4)]
        handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
        known = handle and kernel.GetProcessTimes(handle, *map(byref, times))
        kernel.CloseHandle(handle)
        return f"{times[0].dwHighDateTime}.{times[0].dwLowDateTime}" if known else ""

    def _is_zombie(pid: int) -> bool:
        return False  # nobody has to bury it there
else:
    NEW_GROUP = 0  # start_new_session makes it

    def kill_group(group: int, grace: float) -> None:
        """SIGTERM, a moment, then SIGKILL, for the whole group; quick when it is gone already."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGTERM)
            patience = time.monotonic() + grace
            while time.monotonic() < patience:
                with suppress(ChildProcessError):
                    os.waitpid(group, os.WNOHANG)
                os.killpg(group, 0)
                time.sleep(0.01)
            os.killpg(group, signal.SIGKILL)

    def _start_time(pid: int) -> str:
        """When the process started, as the kernel counts it; where there is no /proc, as ps tells it."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                return file.read().rpartition(")")[2].split()[19]
        except (OSError, IndexError):
            return _start_time_from_ps(pid)

    def _is_zombie(pid: int) -> bool:
        """Killed, and not yet buried by who started it."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                return file.read().rpartition(")")[2].split()[0] in "ZX"
        except (OSError, IndexError):
            return False

    def _start_time_from_ps(pid: int) -> str:
        """ps's word; empty when there is no such process, or no ps."""
        try:
            argv = ["ps", "-o", "lstart=", "-p", str(pid)]
            done = subprocess.run(
                argv,
                env={**os.environ, "LC_ALL": "C", "TZ": "UTC0"},
                capture_output=True,
                check=False,
            )
        except OSError:
            return ""
        return " ".join(done.stdout.decode("ascii", "replace").split())
