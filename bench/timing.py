"""Runs a program and says what it took: on the clock, and of the processor."""

from __future__ import annotations

import os
import time
from typing import NamedTuple


class Timing(NamedTuple):
    """Milliseconds from spawn to exit, and of processor time, child processes included."""

    clock: float
    processor: float


def time_program(
    argv: list[str], env: dict[str, str], stdin: str = os.devnull, stdout: str = os.devnull
) -> Timing:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, _, usage = os.wait4(pid, 0)
    spent = time.perf_counter() - began
    return Timing(spent * 1000, (usage.ru_utime + usage.ru_stime) * 1000)
