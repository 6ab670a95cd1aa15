"""Which client called the hook, for hosts that do not tell it: the process above us, if we can see.

The shell that a client starts for a hook is skipped. Without /proc nothing is known, and the person
is believed.
"""

from __future__ import annotations

from ..disk.light_os import os
from ..disk.processes import parent_of

SHELLS = ("sh", "bash", "dash", "zsh", "ash", "fish", "ksh", "busybox")
MAX_LEVELS = 6


def calling_client() -> tuple[int, list[str]]:
    """The pid of the client and its command line; (0, []) when nobody can know."""
    pid = os.getppid()
    for _ in range(MAX_LEVELS):
        words = command_line(pid)
        if not words:
            return 0, []
        if os.path.basename(words[0]).lstrip("-") not in SHELLS:
            return pid, words
        pid = parent_of(pid)
    return 0, []


def command_line(pid: int) -> list[str]:
    """The words that a process was started with; none without /proc."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            text = file.read(100_000)
    except OSError:
        return []
    return [word.decode("utf-8", "replace") for word in text.split(b"\0") if word]
