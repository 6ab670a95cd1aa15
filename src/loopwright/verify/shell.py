"""The shell that runs a check: a POSIX shell, on Windows the one that comes with Git."""

from __future__ import annotations

import os
import sys

from ..disk.programs import own_program


def shell_command(command: str | tuple[str, ...]) -> str | tuple[str, ...]:
    """The command with its shell; a text that is returned as it is needs the system's shell.

    On Windows that is cmd, the last resort.
    """
    if sys.platform == "win32" and isinstance(command, str) and (shell := git_shell()):
        return (shell, "-c", command)
    return command


def git_shell() -> str:
    """The path of Git Bash's sh; "" without Git.

    Inside Git Bash it is on the PATH. Outside, only git is on the PATH, and sh is beside it.
    """
    if shell := own_program("sh"):
        return shell
    beside = os.path.join(os.path.dirname(os.path.dirname(own_program("git"))), "bin", "sh.exe")
    return beside if os.path.isfile(beside) else ""
