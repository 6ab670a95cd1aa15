"""Keeps the machine awake while a runner works, where the system has a program for that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..disk.programs import own_environment, own_program

SYSTEMD = "/run/systemd/system"  # only there if systemd runs the machine


def awake_argv(platform: str, pid: int, has_systemd: bool) -> list[str]:
    """The command that keeps the machine awake until we exit; empty where there is none."""
    if platform == "darwin":
        return ["caffeinate", "-i", "-w", str(pid)]
    if platform.startswith("linux") and has_systemd:
        # `cat` ends when its stdin is closed, which also happens when we are killed.
        what = ["--what=idle:sleep", "--who=loop", "--why=an agent works", "--mode=block"]
        return ["systemd-inhibit", *what, "cat"]
    return []


@contextmanager
def keep_awake() -> Iterator[None]:
    """While the block runs, the machine does not fall asleep by itself."""
    argv = awake_argv(sys.platform, os.getpid(), os.path.isdir(SYSTEMD))
    program = own_program(argv[0]) if argv else ""
    if not program:
        yield
        return
    with _run_in_background([program, *argv[1:]]):
        yield


@contextmanager
def _run_in_background(argv: list[str]) -> Iterator[None]:
    """Run the command until the block ends. If it fails, the machine may sleep."""
    process: subprocess.Popen[bytes] | None = None
    with suppress(OSError):
        process = subprocess.Popen(
            argv,
            env=own_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        yield
    finally:
        if process:
            process.terminate()
            with suppress(OSError):
                process.communicate()
