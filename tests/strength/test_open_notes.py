"""A new TODO in the product is thin; one that was moved is not."""

from __future__ import annotations

import pytest

from loopwright.core.proof.strength import Strength
from loopwright.strength.open_notes import open_notes
from tests.strength.measured import changed


@pytest.mark.parametrize(
    ("path", "line", "is_open"),
    [
        ("a.py", "    return 1  # TODO: retry", True),
        ("a.js", "  // FIXME retry with backoff", True),
        ("a.rs", "    todo!()", True),
        ("a.sql", "-- TODO index", True),
        ("a.py", "    return TODO", False),
        ("a.py", "    # moves entries of the todo list", False),
    ],
)
def test_a_line_that_says_that_something_is_missing(path: str, line: str, is_open: bool) -> None:
    items = open_notes([changed(path, f"first\n{line}\n", "first\n")])

    assert [item.line for item in items] == ([2] if is_open else [])
    assert Strength(tuple(items)).is_thin is is_open


def test_a_note_that_was_there_is_not_of_this_work() -> None:
    moved = [changed("a.py", "", "# TODO: old\n"), changed("b.py", "if a:\n    # TODO: old\n")]

    assert open_notes(moved) == []
