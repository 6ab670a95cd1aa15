"""What the spec asks for in so many words and the work left as it was: a name, a file."""

from __future__ import annotations

import os

from .. import lazy_re as re
from ..checks.named_files import KEPT_CLAUSE
from ..core.proof.strength import LEFT, NOT_NOTICED, StrengthItem
from .parts import shorten
from .text_lines import masked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .changed_files import ChangedFile

RENAME = re.compile(
    r"(?i)\brenam\w+ (?:(?!to )[\w./-]+ ){0,3}?[`'\"]?(?P<old>[A-Za-z_$][\w$]*)(?:\(\))?[`'\"]?"
    r"(?: (?:in|of|from) \S+)? (?:to|into|as) [`'\"]?(?P<new>[A-Za-z_$][\w$]*)"
)
# Both names are wanted for a while.
KEEPS_OLD_NAME = re.compile(r"(?i)\b(?:alias\w*|deprecat\w+|compatib\w+|keep\w*|old name)\b")
STILL_THERE = "the spec asks to rename it"
PATH = r"`?(?:[\w@-]+/)*[\w@.-]*\w\.[a-zA-Z]\w{0,4}`?"
PATHS = re.compile(rf"{PATH}(?:(?:, and |, | and | & ){PATH})+")
IN_LIST = re.compile(PATH)
DOCUMENT_TO_WRITE = re.compile(
    r"(?i:\b(?:(?:describe|document|mention|explain)\b[^.\n]*? in|(?:add|extend)\b[^.\n]*? to"
    r"|update)(?: the)?) `?((?:README|CHANGELOG|CHANGES|docs/[\w./-]+)\.(?:md|rst|txt|adoc))\b"
)
# "A nav entry in mkdocs.yml"; "the entry in mkdocs.yml" is one that is there.
ENTRY_TO_WRITE = re.compile(
    r"(?im)(?:^\s*(?:[-*]|\d+[.)])\s+|\b(?:an?|new|add) )(?:\w+ ){0,2}?"
    r"(?:entry|section|line|row|link)s?(?: \"[^\"\n]*\"| `[^`\n]*`)? (?:in|to|into) (?:the )?"
    r"`?((?:[\w-]+/)*[\w-]+\.(?:md|rst|ya?ml|toml|json))\b"
)
NOT_WRITTEN = "it did not change; the spec asks to write there"
DID_NOT_CHANGE = "it did not change; the spec names it together with files that did"


def old_names(files: Iterable[ChangedFile], spec: str) -> list[StrengthItem]:
    """The first place in each changed file that still has the former name."""
    pairs = [(match["old"], match["new"]) for match in RENAME.finditer(spec)]
    if not pairs or KEEPS_OLD_NAME.search(spec):
        return []
    items: list[StrengthItem] = []
    for file in files:
        text = file.after or ""
        code = masked_text(file.path, text)
        for old, new in pairs:
            word = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
            is_renamed = re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", code)
            found = word.search(code) if is_renamed and word.search(file.before or "") else None
            if found:
                line = code.count("\n", 0, found.start()) + 1
                taken = f"`{shorten(text.split(chr(10))[line - 1].strip())}`"
                items.append(StrengthItem(LEFT, file.path, line, taken, NOT_NOTICED, STILL_THERE))
    return items


def unchanged_files(root: str, changed: Collection[str], spec: str) -> list[StrengthItem]:
    """The files of a list in the spec that are as they were, while others of the list changed."""
    items: list[StrengthItem] = []
    spec = KEPT_CLAUSE.sub(" ", spec)
    documents = {*DOCUMENT_TO_WRITE.findall(spec), *ENTRY_TO_WRITE.findall(spec)} - {*changed}
    unwritten = [path for path in sorted(documents) if os.path.isfile(os.path.join(root, path))]
    items += [StrengthItem(LEFT, path, 1, path, NOT_NOTICED, NOT_WRITTEN) for path in unwritten]
    for match in PATHS.finditer(spec):
        paths = [path.strip("`") for path in IN_LIST.findall(match[0])]
        left = [path for path in paths if path not in changed]
        if len(left) < len(paths) and all(os.path.isfile(os.path.join(root, p)) for p in left):
            items += [StrengthItem(LEFT, p, 1, p, NOT_NOTICED, DID_NOT_CHANGE) for p in left]
    return items
