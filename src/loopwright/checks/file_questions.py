"""Checks that only ask about files, with programs of the system.

They need no package and no environment, so a failure without output has one reason.
"""

from __future__ import annotations

import os

from .. import lazy_re as re
from .named_files import path_words
from .reach import reach_of

FILE_PROGRAMS = frozenset(
    (
        *("test", "[", "[[", "!", "exit", "true", "false", "echo", "printf", "stat", "find", "ls"),
        *("grep", "egrep", "fgrep", "cmp", "diff", "comm", "wc", "cat", "head", "tail", "cut"),
        *("sort", "uniq", "tr", "sed", "awk", "basename", "dirname"),
    )
)
DEVICES = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"))
INNER_COMMAND = re.compile(r"\$\(([^()`]*)\)|`([^`]*)`")


def asks_about_files(command: str | tuple[str, ...]) -> bool:
    """Does a check run nothing but programs that look at files of the project?"""
    text = command if isinstance(command, str) else " ".join(command)
    if any(word.startswith(("/", "..")) for word in path_words(text) - DEVICES):
        return False
    if isinstance(command, tuple):
        return bool(command) and command[0] in FILE_PROGRAMS
    parts = [INNER_COMMAND.sub("output", command)]
    parts += [first or second for first, second in INNER_COMMAND.findall(command)]
    if any("$(" in part or "`" in part for part in parts):
        return False  # commands inside of commands inside of commands
    reached = [reach_of((part,), lambda path: None) for part in parts]
    programs = {program for reach in reached for program in reach.programs}
    return bool(programs) and programs <= FILE_PROGRAMS


def are_named_files_alike(command: str | tuple[str, ...], root: str, other: str) -> bool:
    """Does each file that a check names exist in both folders, or in neither?"""
    text = command if isinstance(command, str) else " ".join(command)
    return all(
        os.path.lexists(os.path.join(root, word)) == os.path.lexists(os.path.join(other, word))
        for word in path_words(text)
    )
