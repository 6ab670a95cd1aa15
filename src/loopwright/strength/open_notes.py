"""New lines of the product that say themselves that something is missing."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.proof.strength import NOT_NOTICED, NOTE, StrengthItem
from .changed_files import ChangedFile, new_lines
from .parts import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = re.compile(r"(?:#|//|/\*|--|^\*).*\b(?:TODO|FIXME)\b|\b(?:todo|unimplemented)!\(")
SAYS_SO = "the work says itself that something is missing"


def open_notes(files: Iterable[ChangedFile]) -> list[StrengthItem]:
    """Notes that are new: a line that was moved says nothing about this work."""
    files = list(files)
    known = {row.strip() for file in files for row in (file.before or "").splitlines()}
    items: list[StrengthItem] = []
    for file in files:
        rows = (file.after or "").split("\n")
        for line in sorted(new_lines(file)):
            text = rows[line - 1].strip()
            if MARK.search(text) and text not in known:
                note = f"`{shorten(text)}`"
                items.append(StrengthItem(NOTE, file.path, line, note, NOT_NOTICED, SAYS_SO))
    return items
