"""The changed files of the product: which lines are new, and which hunks they form."""

from __future__ import annotations

from difflib import SequenceMatcher

from ..core.record import Record
from ..repo.sources import PYTHON_ENDINGS, SourceFile, code_text, file_ending, parse_python

MAX_LINES = 20_000  # of a file that is compared


class ChangedFile(Record):
    """A file of the product with its text at the start and now; None: it was not there."""

    path: str
    before: str | None
    after: str | None


class Hunk(Record):
    """Lines first to last now, and what was there. Without new lines, last is first - 1."""

    first: int
    last: int
    old: str


def split_lines(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one, as in compilers."""
    rows = text.split("\n")
    return [f"{row}\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def hunks_of(file: ChangedFile) -> list[Hunk]:
    """The changed hunks of a file that is there now."""
    old, new = split_lines(file.before or ""), split_lines(file.after or "")
    if max(len(old), len(new)) > MAX_LINES:
        return [Hunk(1, len(new), file.before or "")]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Hunk(new_start + 1, new_end, "".join(old[old_start:old_end]))
        for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]


def new_lines(file: ChangedFile) -> set[int]:
    """The numbers of the lines that are new or changed."""
    return {line for hunk in hunks_of(file) for line in range(hunk.first, hunk.last + 1)}


def still_parses(file: ChangedFile, text: str) -> bool:
    """Does a file of Python that can be parsed still have that property?"""
    if file_ending(file.path) not in PYTHON_ENDINGS or parse_python(file.after or "") is None:
        return True
    return parse_python(text) is not None


def new_code_lines(file: ChangedFile) -> set[int]:
    """The lines of which more than a comment or the space at the end is new."""
    sides = []
    for text in (file.before, file.after):
        code = code_text(SourceFile(file.path, text or ""))
        sides.append("\n".join(line.rstrip() for line in code.split("\n")))
    return new_lines(ChangedFile(file.path, *sides))


def with_lines(text: str, first: int, last: int, new: str) -> str:
    """The text with these lines replaced."""
    rows = split_lines(text)
    if new and not new.endswith("\n") and last < len(rows):
        new += "\n"
    return "".join([*rows[: first - 1], new, *rows[last:]])
