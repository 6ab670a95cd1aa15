"""The status of a phase in a GSD project's ROADMAP.md: one line of its section is read, or changed and no other byte."""

from __future__ import annotations

import re

from ..core.reports import plain
from .front_matter import fences, fits, within
from .yaml_text import LINE

HEADING = re.compile(r" {0,3}(#{1,6})[ \t](?:\[[ x]\])?\W*phase[ \t_-]+([\w.]+)", re.I)
ANY_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|\Z)")
STATUS = re.compile(r"[ \t]*(?:[-*+>][ \t]+)?(?:\*\*|__)status(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*:)[ \t]*", re.I)
# What may follow a status in its line: a comment, the next column, the next label.
BEHIND = re.compile(r"<!--|[ \t]\|[ \t]|\*\*[^*\r\n]{1,60}(?::\*\*|\*\*:)")


def mark(text: str, phase: str, status: str) -> str:
    """The text with this status at that phase; unchanged where the phase has no such line."""
    found, word = _place(text, phase), plain(status, 60)
    if not found or not word:
        return text
    start, stop = found
    gap = "" if text[start - 1] in " \t" else " "
    return f"{text[:start]}{gap}{word}{text[stop:]}"


def status_of(text: str, phase: str) -> str:
    found = _place(text, phase)
    return plain(text[slice(*found)], 60) if found else ""


def number(phase: str) -> str:
    """A phase however it is spelled: 1, 01, phase-1 and Phase 01 are the same."""
    bare = re.sub(r"^\W*(?:phase)?[-_ \t]*", "", plain(phase, 60).casefold()).rstrip(".:")
    return re.sub(r"^0+(?=[0-9])", "", bare)


def _place(text: str, phase: str) -> tuple[int, int] | None:
    """Where the status of a phase stands."""
    wanted = number(phase)
    if not wanted or not fits(text):
        return None
    rank, code = 0, fences(text, 0)
    for row in LINE.finditer(text):
        if within(row.start(), code):
            continue
        line = row.group()
        if heading := ANY_HEADING.match(line):
            named, level = HEADING.match(line), len(heading.group(1))
            if named and number(named.group(2)) == wanted:
                rank = min(rank or level, level)
            elif named or level <= rank:
                rank = 0
        elif rank and (found := STATUS.match(line)):
            return row.start() + found.end(), row.start() + found.end() + _length(line[found.end() :])
    return None


def _length(rest: str) -> int:
    """Of the status itself, without what is behind it and the end of the line."""
    behind = BEHIND.search(rest)
    return len(rest[: behind.start() if behind else None].rstrip())
