"""Where an output opens: at the line that tells what failed."""

from __future__ import annotations

import pytest

from loopwright.core.loop import Gate
from loopwright.core.prompts.dangers import danger_text
from loopwright.views.useful_line import find_useful_line


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("ran 2\nFAIL: test_a\nAssertionError: 1 != 2\nFAILED (failures=1)", 2),
        ("test_a.py F\n>   assert f() == 1\nE   assert 2 == 1\n1 failed", 2),
        ("src/a.ts(3,1): error TS2304: no name\nFound 1 error", 0),
        ("--- FAIL: TestA\n    a_test.go:3: expected 1, got 2\nFAIL", 1),
        ("all is well\n3 passed", 0),
    ],
)
def test_an_output_opens_where_it_tells_what_failed(output: str, line: int) -> None:
    assert find_useful_line(output) == line


@pytest.mark.parametrize(
    ("gate", "marked"),
    [
        (Gate("ask", "Shall I drop the old column and delete its backups?"), "deleting"),
        (Gate("ask", "May I deploy to production with the API key?"), "a release, secrets"),
        (Gate("allow", "1 check may not run yet: x. Allow?"), "permission"),
        (Gate("ask", "Tabs or spaces?"), ""),
    ],
)
def test_a_question_about_what_cannot_be_undone_is_marked(gate: Gate, marked: str) -> None:
    assert danger_text(gate) == (f"Careful: this is about {marked}" if marked else "")
