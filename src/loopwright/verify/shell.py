"""The shell of a check. Its text is a line for a POSIX shell, on Windows too: there Git brings one."""

from __future__ import annotations

import os
import sys


def shell_command(command: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """As this system runs it: a text still wants the system's own shell, which on Windows is cmd, the last resort."""
    if sys.platform == "win32" and isinstance(command, str) and (shell := git_shell()):
        return (shell, "-c", command)
    return command


def git_shell() -> str:
    """Git Bash's sh: on the PATH inside of it; outside, only git itself is, and sh lies beside it. "" without Git."""
    from shutil import which  # not at the top: elsewhere no check needs it

    if found := which("sh"):
        return found
    beside = os.path.join(os.path.dirname(os.path.dirname(which("git") or "")), "bin", "sh.exe")
    return beside if os.path.isfile(beside) else ""
