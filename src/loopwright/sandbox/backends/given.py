"""A command of the person that starts another command in a sandbox of its own making."""

from __future__ import annotations

import os
import shlex
import subprocess
from functools import cache

from ...disk.programs import avoid_folders, is_safe, own_environment, own_program

TOKEN, SECONDS = "a command began", 60


def problem(command: str, root: str) -> str:
    avoid_folders(root)
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"--sandbox {command!r} cannot be read: {error}"
    if words and os.path.dirname(words[0]) and not is_safe(os.path.abspath(words[0])):
        return f"--sandbox: {words[0]} lies in the project, where an agent could replace it"
    if words and _program(words[0], root):
        return _starting_problem(launcher_words(command, root), root)
    name = words[0] if words else "''"
    return f"--sandbox: {name} is not installed, or not on the PATH"


@cache
def _starting_problem(words: tuple[str, ...], root: str) -> str:
    """Why it starts no command; "" if it does. One that does nothing would pass every check."""
    try:
        done = subprocess.run(
            (*words, "/bin/sh", "-c", f"echo {TOKEN}"),
            cwd=root,
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"--sandbox: {words[0]} starts no command: {error}"
    if done.stdout.decode("utf-8", "replace").strip() == TOKEN:
        return ""
    said = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
    return f"--sandbox: {words[0]} starts no command: {said or f'exit code {done.returncode}'}"


def launcher_words(command: str, root: str) -> tuple[str, ...]:
    """The words of the command; {root} in them is the project."""
    words = [word.replace("{root}", root) for word in shlex.split(command)]
    return (_program(words[0], root) or words[0], *words[1:])


def _program(word: str, root: str) -> str:
    """The program that the person names: a path as it is, a name as we look up our own."""
    if os.path.dirname(word):
        return word if os.access(word, os.X_OK) else ""
    return own_program(word, root)
