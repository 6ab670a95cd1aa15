"""Mutants: the example of each operator, and which of them are tried."""

from __future__ import annotations

import pytest

from loopwright.strength import python_mutants, text_mutants
from loopwright.strength.mutants import ORDER, mutants_of, spread_mutants
from tests.strength.measured import changed


def applied(text: str, operator: str, edits: list) -> set[str]:
    return {
        text[: edit.start] + edit.new + text[edit.end :]
        for edit in edits
        if edit.operator == operator
    }


@pytest.mark.parametrize("row", python_mutants.OPERATOR_TABLE, ids=lambda row: row.find.__name__)
def test_each_operator_of_python_does_what_its_example_says(row: python_mutants.Operator) -> None:
    edits = python_mutants.python_mutants(row.before)

    assert edits is not None
    assert row.after in applied(row.before, row.name, edits)


@pytest.mark.parametrize(
    "row",
    text_mutants.OPERATOR_TABLE,
    ids=lambda row: f"{row.language} {row.before}".replace("\n", " "),
)
def test_each_operator_of_a_text_does_what_its_example_says(row: text_mutants.Operator) -> None:
    edits = text_mutants.text_mutants(f"a{row.language}", row.before)

    assert row.after in applied(row.before, row.name, edits)


def test_the_order_names_every_operator() -> None:
    names = {row.name for row in (*python_mutants.OPERATOR_TABLE, *text_mutants.OPERATOR_TABLE)}

    assert names == set(ORDER)


def test_what_cannot_matter_has_no_mutant() -> None:
    text = '''"""A docstring with 1 < 2."""
import logging
from typing import TypeVar

T = TypeVar("T", bound=int)
log = logging.getLogger(__name__)


def f(a: int = 3) -> int:
    """Returns 7."""
    log.info("a %s", a + 1)
    # return 9
    raise ValueError(f"{a + 1} is wrong")
'''
    found = mutants_of(changed("a.py", text), None)

    assert [mutant.taken for mutant in found] == [
        'dropped call: `raise ValueError(f"{a + 1} is wrong")` was taken away'
    ]


def test_a_text_has_no_mutants_in_comments_strings_and_logging() -> None:
    text = 'console.info(1 < 2);\n// if (a < b) {\nconst a = "x < y && true";\n'

    assert mutants_of(changed("a.js", text), None) == []


def test_only_lines_that_ran_and_one_mutant_for_each_line() -> None:
    text = "def f(a):\n    if a < 3 and a != 7:\n        return a + 1\n    return 0\n"

    found = mutants_of(changed("a.py", text), {2, 4})

    assert [(mutant.line, mutant.operator) for mutant in found] == [
        (2, "branch not taken"),
        (4, "other result"),
    ]


def test_only_new_lines_have_mutants() -> None:
    before = "def f(a):\n    return a + 1\n"
    after = f"{before}\n\ndef g(a):\n    return a - 1\n"

    assert [m.line for m in mutants_of(changed("a.py", after, before), None)] == [6]


def test_a_line_of_which_only_the_comment_is_new_has_no_mutant() -> None:
    before = "def f(a):\n    if a: # rare\n        return 1\n    return 2\n"
    after = before.replace("if a: # rare", "if a:  # pragma: no cover")

    assert list(mutants_of(changed("a.py", after, before), None)) == []


def test_letters_of_more_bytes_do_not_move_a_mutant() -> None:
    text = 'def f(a):\n    return "äöü€😀" if a < 3 else a\n'

    texts = {mutant.text for mutant in mutants_of(changed("a.py", text), None)}

    assert texts == {'def f(a):\n    return "äöü€😀" if False and (a < 3) else a\n'}


def test_nothing_added_or_taken_away_is_the_same() -> None:
    text = "total() {\n  awk '{ t += $2 } END { print t }'\n}\nn = total + 0\nm = total + 10\n"

    found = [m.taken for m in mutants_of(changed("a.js", text), None) if "m = " in m.taken]
    assert found
    assert not [m for m in mutants_of(changed("a.js", text), None) if "total - 0" in m.taken]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "const isWindows = os.platform() === 'win32';\n"),
        ("a.py", "import sys\nwindows = sys.platform == 'win32'\n"),
    ],
)
def test_what_the_platform_decides_has_no_mutant(path: str, text: str) -> None:
    assert mutants_of(changed(path, text), None) == []


def test_they_are_spread_over_files_and_operators() -> None:
    body = "".join(f"def f{n}(a):\n    if a < {n}:\n        return a\n" for n in range(30))
    files = [changed("a.py", body), changed("b.py", body)]

    chosen = spread_mutants(mutant for file in files for mutant in mutants_of(file, None))

    assert len(chosen) == 8
    assert {mutant.path for mutant in chosen} == {"a.py", "b.py"}
    assert {mutant.operator for mutant in chosen} == {"branch not taken", "early return"}


@pytest.mark.parametrize(("branches", "boundaries"), [(0, 4), (2, 2), (5, 0)])
def test_what_is_often_as_good_is_tried_if_there_is_too_little_else(
    branches: int, boundaries: int
) -> None:
    rows = [*["    if a: b()\n"] * branches, *["    c = a < 3\n"] * 9]
    file = changed("a.py", f"def f(a, b):\n{''.join(rows)}")

    chosen = [mutant.operator for mutant in spread_mutants(mutants_of(file, None))]

    assert chosen.count("branch not taken") == branches
    assert chosen.count("boundary") == boundaries
