"""Process groups of checks and agents: recorded while they run, so that orphans can be ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..disk.files import make_folder, read_bytes, remove_file
from ..disk.processes import is_zombie, process_fields
from ..disk.programs import own_environment, own_program

RUNNING_FOLDER = "running"
# Another driver may remove the empty folder, or a record that is half written, while we write ours.
MAX_WRITE_ATTEMPTS = 1_000
ORPHAN_GRACE_SECONDS = 0.2
OWN_START_TIMES: dict[int, str] = {}  # of this process; a child that was forked has another
QUERY_LIMITED_INFORMATION = 0x1000  # the access right that Windows asks for


@contextmanager
def record_group(loop_path: str, group: int) -> Iterator[None]:
    """Record a running group with its start time and its driver until the block ends.

    The folder stays: to create and remove one takes longer than the record itself.
    """
    folder = os.path.join(loop_path, RUNNING_FOLDER)
    path = os.path.join(folder, str(group))
    for attempt in range(1, MAX_WRITE_ATTEMPTS + 1):
        try:
            _write_record(folder, path, group)
            break
        except (FileNotFoundError, FileExistsError):
            if attempt == MAX_WRITE_ATTEMPTS:
                raise
    try:
        yield
    finally:
        remove_file(path)


def _write_record(folder: str, path: str, group: int) -> None:
    make_folder(folder)
    pid = os.getpid()
    if pid not in OWN_START_TIMES:
        OWN_START_TIMES[pid] = process_start_time(pid)
    record = f"{process_start_time(group)}\n{pid}\n{OWN_START_TIMES[pid]}\n"
    with open(f"{path}.tmp", "wb", buffering=0) as file:
        file.write(record.encode("ascii"))
    os.replace(f"{path}.tmp", path)


def end_orphaned_groups(loop_path: str) -> list[int]:
    """End the groups whose driver is gone, unless their number now belongs to another process."""
    folder = os.path.join(loop_path, RUNNING_FOLDER)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:  # the last group has just ended
        names = []
    ended = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="ascii") as file:
                started, driver, driver_started, *_ = (*file.read().split("\n"), "", "")
        except FileNotFoundError:  # the group has just ended normally
            continue
        if driver.isdecimal() and is_still_alive(int(driver), driver_started):
            continue
        if name.isdecimal() and started and process_start_time(int(name)) == started:
            kill_group(int(name), ORPHAN_GRACE_SECONDS)
            ended.append(int(name))
        remove_file(path)
    with suppress(OSError):
        os.rmdir(folder)
    return ended


def is_still_alive(pid: int, started: str) -> bool:
    """Whether the process that had this number then still runs."""
    return bool(started) and process_start_time(pid) == started and not is_zombie(pid)


def processes_with_variable(variable: str) -> list[tuple[int, str]]:
    """Number and command of each other process with this `NAME=value` in its environment.

    Only systems with a /proc tell; elsewhere the list is empty.
    """
    if not os.path.isdir("/proc"):
        return []
    processes = []
    for name in os.listdir("/proc"):
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        with suppress(OSError):  # it has ended, or it is not ours
            if variable.encode() not in read_bytes(f"/proc/{name}/environ").split(b"\0"):
                continue
            command = read_bytes(f"/proc/{name}/cmdline").replace(b"\0", b" ")
            processes.append((int(name), command.decode("utf-8", "replace").strip()[:120]))
    return processes


def end_marked_processes(mark: str, group: int) -> list[str]:
    """End the processes with this variable; returns the commands of those that left the group.

    The group itself was killed just before; a process of it may need a moment to disappear. Where
    no /proc tells, none is found.
    """
    found = processes_with_variable(mark)
    commands = [command for pid, command in found if _group_of(pid) not in (0, group)]
    for number in (signal.SIGTERM, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM):
        for pid, _ in processes_with_variable(mark) if found else ():
            with suppress(OSError):  # it has just ended
                os.kill(pid, number)
        deadline = time.monotonic() + ORPHAN_GRACE_SECONDS
        while found and processes_with_variable(mark) and time.monotonic() < deadline:
            time.sleep(0.01)
    return commands


def _group_of(pid: int) -> int:
    """The group of a process in /proc; 0 where the process has just ended."""
    fields = process_fields(pid)
    return int(fields[2]) if fields else 0


if sys.platform == "win32":
    NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP

    def kill_group(group: int, grace: float) -> None:
        """End the process and all that it started, at once: there is no softer signal here."""
        with suppress(OSError):
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True, check=False
            )

    def process_start_time(pid: int) -> str:
        """When the process started, in the kernel's own unit."""
        from ctypes import byref, windll, wintypes

        kernel, times = windll.kernel32, [wintypes.FILETIME() for _ in range(4)]
        handle = kernel.OpenProcess(QUERY_LIMITED_INFORMATION, False, pid)
        succeeded = handle and kernel.GetProcessTimes(handle, *map(byref, times))
        kernel.CloseHandle(handle)
        return f"{times[0].dwHighDateTime}.{times[0].dwLowDateTime}" if succeeded else ""
else:
    NEW_GROUP = 0  # start_new_session creates the group

    def kill_group(group: int, grace: float) -> None:
        """SIGTERM to the whole group, then SIGKILL after the grace period if it still exists."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGTERM)
            deadline = time.monotonic() + grace
            while time.monotonic() < deadline:
                with suppress(ChildProcessError):
                    os.waitpid(group, os.WNOHANG)
                os.killpg(group, 0)  # raises once the group is gone
                time.sleep(0.01)
            os.killpg(group, signal.SIGKILL)

    def process_start_time(pid: int) -> str:
        """When the process started, in the kernel's own unit, or as ps prints it without /proc."""
        fields = process_fields(pid)
        return fields[19].decode("ascii") if fields else _start_time_from_ps(pid)

    def _start_time_from_ps(pid: int) -> str:
        """The start time from ps; "" without such a process, or without ps."""
        argv = [own_program("ps") or "ps", "-o", "lstart=", "-p", str(pid)]
        env = {**own_environment(), "LC_ALL": "C", "TZ": "UTC0"}
        try:
            done = subprocess.run(argv, env=env, capture_output=True, check=False)
        except OSError:
            return ""
        return " ".join(done.stdout.decode("ascii", "replace").split())
