"""Work is left while the former name is there, or a file of a list is as it was."""

from __future__ import annotations

import pytest

from loopwright.core.proof.strength import Strength
from loopwright.strength.left_work import old_names, unchanged_files
from tests.strength.measured import changed

SPEC = "Rename fmt in money.js to formatCents everywhere."
BEFORE = "exports.fmt = (cents) => cents;\n"
HALF = "exports.formatCents = (cents) => cents;\nexports.fmt = exports.formatCents;\n"


@pytest.mark.parametrize(
    ("spec", "after", "lines"),
    [
        (SPEC, HALF, [2]),
        ("Rename the helper `fmt` to `formatCents`.", HALF, [2]),
        (SPEC, "// formerly fmt\nexports.formatCents = (cents) => cents;\n", []),
        (SPEC, "exports.formatCents = (cents) => refmt(cents);\n", []),
        ("Rename fmt to formatCents and keep fmt as a deprecated alias.", HALF, []),
        ("Add formatCents beside fmt.", HALF, []),
        ("Rename the CLI to money; fmt stays.", HALF, []),
    ],
)
def test_the_former_name_is_found_where_it_is_still_code(spec, after, lines) -> None:
    items = old_names([changed("money.js", after, BEFORE)], spec)

    assert [item.line for item in items] == lines
    assert Strength(tuple(items)).is_thin is bool(lines)


def test_a_file_that_never_had_the_name_may_use_the_word() -> None:
    assert old_names([changed("a.py", "fmt = formatCents(1)\n", "")], SPEC) == []


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ("Add type hints to a.py, lib/b.py and c.py.", ["lib/b.py", "c.py"]),
        ("Add type hints to `a.py` and `c.py`", ["c.py"]),
        ("Fix total() in a.py. It is called by c.py.", []),
        ("Add hints to a.py; don't touch a.py and c.py elsewhere.", []),
        ("Move the helpers of a.py and gone.py to c.py.", []),
        ("Add hints to c.py and lib/b.py.", []),  # nothing of the list changed: it may be elsewhere
    ],
)
def test_a_file_of_a_list_that_did_not_change_is_left(tmp_path, spec, left) -> None:
    for name in ("a.py", "lib/b.py", "c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    items = unchanged_files(str(tmp_path), ("a.py",), spec)

    assert [item.file for item in items] == left


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ("Add a done command.\n- describe the done command in README.md", ["README.md"]),
        ("Add a done command as documented in README.md", []),
        ('1. a page\n2. an entry "2.0" in README.md that links to it', ["README.md"]),
        ("Add a command as the section in README.md says", []),
        ("Add it to a.py and mention it in the `README.md`.", ["README.md"]),
        ("Add it to docs/none.md", []),
    ],
)
def test_a_document_in_which_nothing_was_written_is_left(tmp_path, spec, left) -> None:
    (tmp_path / "README.md").write_text("")

    assert [each.file for each in unchanged_files(str(tmp_path), ("a.py",), spec)] == left
