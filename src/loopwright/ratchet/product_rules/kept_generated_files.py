"""Finds generators that now keep a file which is there, while that file was changed.

A check that runs the generator and compares then sees the file that was edited by hand. A generator
that writes only what differs from the file is everyday work.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding
from ...repo.sources import SourceFile, code_text
from ..project_files import new_lines
from ..surroundings import CODE_SUFFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project_files import Sides

NAME = r"\$?[A-Za-z_][\w.]*"
# How a program writes a file: the name that holds its path, and what is written.
WRITES = re.compile(
    rf"({NAME})\.write_(?:text|bytes)\(\s*({NAME}(?:\([^()]*\))?)?"
    rf"|\bopen\(\s*({NAME})\s*,\s*['\"][wx]|({NAME})\.open\(\s*['\"][wx]"
    rf"|\b(?:writeFile(?:Sync)?|file_put_contents|File\.write|WriteFile|fs::write)"
    rf"\(\s*&?({NAME})\s*,\s*({NAME}(?:\([^()]*\))?)?"
    rf"|(?<![>&\d])>\s*\"?\$\{{?(\w+)"
)
CONDITION = re.compile(r"^(?:\}\s*)?(?:el(?:se )?)?(?:if|unless)\b|\|\||&&|^\[|^test\s")
LEAVES = re.compile(r"\b(?:return|continue|exit|break|next|pass)\b")


def findings(changed: Sides) -> Iterator[Finding]:
    """Each file that was edited and that its changed generator may keep.

    `changed` has the text of each changed file at the baseline and at the end.
    """
    edited = [name for name, sides in changed.items() if None not in sides]
    for program, (before, after) in changed.items():
        if not program.endswith(CODE_SUFFIXES) or not before or not after:
            continue
        code = code_text(SourceFile(program, after))
        quoted = (name for name in edited if name != program and _is_named(name, code))
        if (output := next(quoted, "")) and (line := _keeping_line(before, code)):
            yield Finding(MEDIUM, "generator-keeps-output", program, before=output, after=line)


def _is_named(path: str, code: str) -> bool:
    """Does a text in the program end with the name of the file?"""
    return bool(re.search(rf"[\w./-]*\b{re.escape(posixpath.basename(path))}['\"`]", code))


def _keeping_line(before: str, code: str) -> str:
    """A new condition on a file that the program writes, and with which it may not write it."""
    written: dict[str, set[str]] = {}
    for row in WRITES.findall(code):
        written.setdefault(row[0] or row[2] or row[3] or row[4] or row[6], set()).add(
            row[1] or row[5]
        )
    lines = [line.strip() for line in code.splitlines()]
    for number, line in new_lines(before, code):
        if not CONDITION.search(line):
            continue
        following = next((text for text in lines[number:] if text.strip("{}")), "")
        for name, texts in written.items():
            is_about_file = re.search(rf"(?<![\w.$]){re.escape(name)}\b(?!\.parent)", line)
            # The condition decides about the write: it leaves, or it guards the write itself.
            decides = LEAVES.search(f"{line} {following}") or WRITES.search(f"{line} {following}")
            if is_about_file and decides and not _compares_all(line, texts):
                return line[:200]
    return ""


def _compares_all(line: str, texts: set[str]) -> bool:
    """Does the condition compare the whole content with what is written?"""
    names = "|".join(re.escape(text) for text in texts if text)
    whole = rf"[!=]==?\s*(?:{names})(?![\w(.])|(?<![\w(.])(?:{names})\s*[!=]==?"
    return bool(re.search(r"\b(?:cmp|diff)\b", line) or (names and re.search(whole, line)))
