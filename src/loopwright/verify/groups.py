"""Process groups of checks: recorded while they run, so that the next hook can end what a killed one left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

FOLDER = "running"


@contextmanager
def recorded(loop_path: str, group: int) -> Iterator[None]:
    folder = os.path.join(loop_path, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, str(group))
    with open(path, "w", encoding="ascii") as file:
        file.write(_born(group))
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.remove(path)
        with suppress(OSError):
            os.rmdir(folder)


def reap(loop_path: str) -> list[int]:
    """End the groups whose record outlived their hook. A pid that now belongs to somebody else is left alone."""
    folder = os.path.join(loop_path, FOLDER)
    ended = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="ascii") as file:
            born = file.read()
        if name.isdecimal() and born and _born(int(name)) == born:
            kill(int(name), 0.2)
            ended.append(int(name))
        os.remove(path)
    with suppress(OSError):
        os.rmdir(folder)
    return ended


def kill(group: int, grace: float) -> None:
    """SIGTERM, a moment, then SIGKILL, for the whole group; quick when it is gone already."""
    if not hasattr(os, "killpg"):  # pragma: no cover - Windows
        with suppress(OSError):
            os.kill(group, signal.SIGTERM)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGTERM)
        patience = time.monotonic() + grace
        while time.monotonic() < patience:
            with suppress(ChildProcessError):
                os.waitpid(group, os.WNOHANG)
            os.killpg(group, 0)
            time.sleep(0.01)
        os.killpg(group, signal.SIGKILL)


def _born(pid: int) -> str:
    """When the process started, as the kernel counts it; empty where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
