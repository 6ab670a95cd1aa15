"""A name that the spec asks to rename and that the changed code still has."""

from __future__ import annotations

from .. import lazy_re as re
from ..core.proof.strength import NAME, NOT_NOTICED, StrengthItem
from .parts import shorten
from .text_lines import masked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .changed_files import ChangedFile

RENAME = re.compile(
    r"(?i)\brenam\w+ (?:(?!to )[\w./-]+ ){0,3}?[`'\"]?(?P<old>[A-Za-z_$][\w$]*)(?:\(\))?[`'\"]?"
    r"(?: (?:in|of|from) \S+)? (?:to|into|as) [`'\"]?(?P<new>[A-Za-z_$][\w$]*)"
)
# Both names are wanted for a while.
KEEPS_OLD_NAME = re.compile(r"(?i)\b(?:alias\w*|deprecat\w+|compatib\w+|keep\w*|old name)\b")
STILL_THERE = "the spec asks to rename it"


def old_names(files: Iterable[ChangedFile], spec: str) -> list[StrengthItem]:
    """The first place in each changed file that still has the former name."""
    if KEEPS_OLD_NAME.search(spec):
        return []
    pairs = [(match["old"], match["new"]) for match in RENAME.finditer(spec)]
    items: list[StrengthItem] = []
    for file in files:
        code, text = masked_text(file.path, file.after or ""), file.after or ""
        for old, new in pairs:
            word = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
            is_renamed = re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", code)
            found = word.search(code) if is_renamed and word.search(file.before or "") else None
            if found:
                line = code.count("\n", 0, found.start()) + 1
                taken = f"`{shorten(text.split(chr(10))[line - 1].strip())}`"
                items.append(StrengthItem(NAME, file.path, line, taken, NOT_NOTICED, STILL_THERE))
    return items
