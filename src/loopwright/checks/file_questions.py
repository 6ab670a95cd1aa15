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
# Of `find`, and of `awk`.
STARTS_PROGRAM = re.compile(r"\s-(?:exec|ok)(?:dir)?\s|\bsystem\(|\bgetline\b")
ASKS_FOR_ABSENCE = re.compile(r"\s*(?:!\s*[ef]?grep\b|(?:test|\[\[?)\s+-z\s+\"\$\([ef]?grep\b)")
INNER_COMMAND = re.compile(r"\$\(([^()`]*)\)|`([^`]*)`")


def asks_about_files(line: str) -> bool:
    """Does the line of a check run nothing but programs that look at files of the project?"""
    if any(word.startswith(("/", "..")) for word in path_words(line) - DEVICES):
        return False
    parts = [INNER_COMMAND.sub("output", line)]
    parts += [first or second for first, second in INNER_COMMAND.findall(line)]
    if any("$(" in part or "`" in part for part in parts):
        return False  # commands inside of commands inside of commands
    if STARTS_PROGRAM.search(line):
        return False
    reached = [reach_of((part,), lambda path: None) for part in parts]
    programs = {program for reach in reached for program in reach.programs}
    return bool(programs) and programs <= FILE_PROGRAMS


def asks_for_absence(line: str) -> bool:
    """Does it only search the files for what must be nowhere in them?"""
    return bool(ASKS_FOR_ABSENCE.match(line)) and asks_about_files(line)


def are_named_files_alike(line: str, root: str, other: str) -> bool:
    """Does each file that a check names exist in both folders, or in neither?"""
    return all(
        os.path.lexists(os.path.join(root, word)) == os.path.lexists(os.path.join(other, word))
        for word in path_words(line)
    )
