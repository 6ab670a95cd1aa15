"""The status of a phase in a GSD project's ROADMAP.md: one line of its section is read, or changed and no other byte."""

from __future__ import annotations

import re

from ..core.replies.reports import single_line
from .front_matter import code_fences, is_in_code_fence, is_small_enough
from .yaml_text import LINE

PHASE_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](?:\[[ x]\])?\W*phase[ \t_-]+([\w.]+)", re.I)
ANY_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t\r\n]|\Z)")
STATUS_LABEL = re.compile(
    r"[ \t]*(?:[-*+>][ \t]+)?(?:\*\*|__)status(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*:)[ \t]*", re.I
)
# What may follow a status in its line: a comment, the next column, the next label.
AFTER_STATUS = re.compile(r"<!--|[ \t]\|[ \t]|\*\*[^*\r\n]{1,60}(?::\*\*|\*\*:)")


def set_phase_status(text: str, phase: str, status: str) -> str:
    """The text with this status at that phase; unchanged where the phase has no such line."""
    found, word = _status_span(text, phase), single_line(status, 60)
    if not found or not word:
        return text
    start, stop = found
    gap = "" if text[start - 1] in " \t" else " "
    return f"{text[:start]}{gap}{word}{text[stop:]}"


def phase_status(text: str, phase: str) -> str:
    found = _status_span(text, phase)
    return single_line(text[slice(*found)], 60) if found else ""


def phase_number(phase: str) -> str:
    """A phase however it is spelled: 1, 01, phase-1 and Phase 01 are the same."""
    bare = re.sub(r"^\W*(?:phase)?[-_ \t]*", "", single_line(phase, 60).casefold()).rstrip(".:")
    return re.sub(r"^0+(?=[0-9])", "", bare)


def _status_span(text: str, phase: str) -> tuple[int, int] | None:
    """Where the status of a phase stands."""
    wanted = phase_number(phase)
    if not wanted or not is_small_enough(text):
        return None
    rank, code = 0, code_fences(text, 0)
    for row in LINE.finditer(text):
        if is_in_code_fence(row.start(), code):
            continue
        line = row.group()
        if heading := ANY_HEADING.match(line):
            named, level = PHASE_HEADING.match(line), len(heading.group(1))
            if named and phase_number(named.group(2)) == wanted:
                rank = min(rank or level, level)
            elif named or level <= rank:
                rank = 0
        elif rank and (found := STATUS_LABEL.match(line)):
            return row.start() + found.end(), row.start() + found.end() + _status_length(
                line[found.end() :]
            )
    return None


def _status_length(rest: str) -> int:
    """Of the status itself, without what is behind it and the end of the line."""
    behind = AFTER_STATUS.search(rest)
    return len(rest[: behind.start() if behind else None].rstrip())
