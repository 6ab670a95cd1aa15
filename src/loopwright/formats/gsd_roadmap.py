"""The status of a phase in a GSD project's ROADMAP.md: read it, or change that text alone."""

from __future__ import annotations

from .. import lazy_re as re
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
    """The text with the new status of that phase; unchanged if the phase has no status line."""
    span, word = _status_span(text, phase), single_line(status, 60)
    if not span or not word:
        return text
    start, stop = span
    gap = "" if text[start - 1] in " \t" else " "
    return f"{text[:start]}{gap}{word}{text[stop:]}"


def phase_status(text: str, phase: str) -> str:
    span = _status_span(text, phase)
    return single_line(text[slice(*span)], 60) if span else ""


def phase_number(phase: str) -> str:
    """The number of a phase in any spelling: 1, 01, phase-1 and Phase 01 are the same."""
    bare = re.sub(r"^\W*(?:phase)?[-_ \t]*", "", single_line(phase, 60).casefold()).rstrip(".:")
    return re.sub(r"^0+(?=[0-9])", "", bare)


def _status_span(text: str, phase: str) -> tuple[int, int] | None:
    """Where the status of a phase starts and stops."""
    wanted = phase_number(phase)
    if not wanted or not is_small_enough(text):
        return None
    rank = 0  # of the heading of the wanted phase, while we are in its section
    code = code_fences(text, 0)
    for row in LINE.finditer(text):
        if is_in_code_fence(row.start(), code):
            continue
        line = row.group()
        heading = ANY_HEADING.match(line)
        if heading:
            rank = _rank_after_heading(line, len(heading.group(1)), rank, wanted)
            continue
        label = STATUS_LABEL.match(line) if rank else None
        if label:
            start = row.start() + label.end()
            return start, start + _status_length(line[label.end() :])
    return None


def _rank_after_heading(line: str, level: int, rank: int, wanted: str) -> int:
    """The rank of the wanted phase's section after this heading; 0 outside of it."""
    phase = PHASE_HEADING.match(line)
    if phase and phase_number(phase.group(2)) == wanted:
        return min(rank or level, level)
    is_subsection = not phase and level > rank
    return rank if is_subsection else 0


def _status_length(rest: str) -> int:
    """The length of the status itself, without what follows it in the line."""
    after = AFTER_STATUS.search(rest)
    status = rest[: after.start()] if after else rest
    return len(status.rstrip())
