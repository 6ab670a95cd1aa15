"""Which lines of a file can matter to a check, and which may be unable to run on this machine."""

from __future__ import annotations

from functools import lru_cache

from ..core.record import Record
from ..ratchet.readers.inner_tests import split_file
from ..repo.sources import PYTHON_ENDINGS, file_ending
from .python_lines import python_facts
from .text_lines import text_facts


class LineFacts(Record):
    """The facts about one text of a file."""

    # Line → the first and last line of the statement or head that it belongs to. Lines that cannot
    # matter (comments, docstrings, imports, types, logging) are not here.
    spans: tuple[tuple[int, int, int], ...] = ()
    # Line → why it may be unable to run on this machine.
    conditions: tuple[tuple[int, str], ...] = ()

    @property
    def lines(self) -> set[int]:
        return {line for line, _, _ in self.spans}

    @property
    def span_of(self) -> dict[int, tuple[int, int]]:
        return {line: (first, last) for line, first, last in self.spans}

    @property
    def condition_of(self) -> dict[int, str]:
        return dict(self.conditions)


def line_facts(path: str, text: str) -> LineFacts:
    """The facts about a file. Python that we cannot parse is read as text."""
    facts = python_facts(text) if file_ending(path) in PYTHON_ENDINGS else None
    spans, conditions = facts or text_facts(path, text)
    tests = lines_of_tests(path, text)
    rows = tuple((line, *span) for line, span in sorted(spans.items()) if line not in tests)
    return LineFacts(rows, tuple(sorted(conditions.items())))


@lru_cache(maxsize=8)
def lines_of_tests(path: str, text: str) -> frozenset[int]:
    """The lines of tests inside of a product file, as in Rust."""
    found = split_file(path, text)
    spans = [part.span for part in found.parts] if found else []
    return frozenset(
        line
        for start, end in spans
        for line in range(text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 2)
    )
