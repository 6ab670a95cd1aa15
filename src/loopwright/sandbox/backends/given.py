"""A command of the person that starts another command in a sandbox of its own making."""

from __future__ import annotations

import shlex
import shutil


def problem(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"--sandbox {command!r} cannot be read: {error}"
    if words and shutil.which(words[0]):
        return ""
    name = words[0] if words else "''"
    return f"--sandbox: {name} is not installed, or not on the PATH"


def launcher_words(command: str, root: str) -> tuple[str, ...]:
    """The words of the command; {root} in them is the project."""
    return tuple(word.replace("{root}", root) for word in shlex.split(command))
