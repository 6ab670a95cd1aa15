"""The texts of the catalogue: what an edit does, and that nothing wrong in them is passed over."""

from pathlib import Path

import pytest

from tests.proof_cases.case import Case, Project
from tests.proof_cases.catalogue import CASE_HEADERS, CASE_SECTIONS, read_case
from tests.proof_cases.reader import CatalogueError, read_entries

CHECK = "from sum import add\n\nassert add(1, 2) == 3\nassert add(2, 2) == 4\n"
PROJECT = Project(
    name="sum",
    files={"sum.py": "def add(a, b):\n    return a\n", "check.py": CHECK},
    check="python3 check.py",
    fix={"sum.py": "def add(a, b):\n    return a + b\n"},
    truth="true",
)
HEAD = """\
case: one
project: sum
round: 1
expect: not-proven
why: It is an example.
"""


def cases_of(text: str, tmp_path: Path) -> list[Case]:
    path = tmp_path / "cases.txt"
    path.write_text(text)
    entries = read_entries(path, CASE_HEADERS, CASE_SECTIONS)
    return [read_case({"sum": PROJECT}, "cases", entry) for entry in entries]


def test_a_case_has_headers_and_edits(tmp_path: Path) -> None:
    text = f"""\
{HEAD}run: cat <<END
    two
    END
order: loop status

edit: check.py
-assert add(1, 2) == 3
+assert add(1, 2) == 1
@@
-assert add(2, 2) == 4

write: sub/note.txt
+
+text

delete: sum.py
"""
    (case,) = cases_of(text, tmp_path)

    assert case.commands == ("cat <<END\ntwo\nEND",)
    assert case.orders == ("loop status",)
    assert case.edits == {
        "check.py": "from sum import add\n\nassert add(1, 2) == 1\n",
        "sub/note.txt": "\ntext\n",
        "sum.py": None,
    }


def test_each_edit_builds_on_the_ones_before(tmp_path: Path) -> None:
    text = f"""\
{HEAD}fixed: yes

[committed]
edit: check.py
-assert add(2, 2) == 4
+assert add(5, 5) == 10

[uncommitted]
write: extra.py
+first

[agent]
edit: check.py
-assert add(5, 5) == 10
+assert add(6, 6) == 12

edit: extra.py
-first
+second
"""
    (case,) = cases_of(text, tmp_path)

    assert case.start.committed == {"check.py": CHECK.replace("2, 2) == 4", "5, 5) == 10")}
    assert case.start.uncommitted == {"extra.py": "first\n"}
    assert case.edits == {
        **PROJECT.fix,
        "check.py": CHECK.replace("2, 2) == 4", "6, 6) == 12"),
        "extra.py": "second\n",
    }


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("colour: red\n", "cases.txt:6: unknown: 'colour: red'"),
        ("\nlater: x\n", "cases.txt:7: unknown: 'later: x'"),
        ("\n[fix]\n", "cases.txt:7: unknown: '[fix]'"),
        ("why: Again.\n", "cases.txt:1: `why` is there twice"),
        ("\nedit: check.py\n-assert add(9, 9)\n", "cases.txt:7: is not in check.py"),
        ("\nedit: sum.py\n-    return\n", "cases.txt:7: is not in sum.py"),
        ("\nedit: check.py\n+\n", "cases.txt:7: is not in check.py"),
        ("\nedit: no.py\n-x\n", "cases.txt:7: there is no no.py"),
        ("\ndelete: no.py\n", "cases.txt:7: there is no no.py"),
        ("\nwrite: a.py\n-x\n", "cases.txt:8: '-x' does not belong to `write`"),
        ("\ndelete: sum.py\n+x\n", "cases.txt:8: '+x' does not belong to `delete`"),
        ("\nwrite: a.py\nx\n", "cases.txt:8: unknown: 'x'"),
    ],
)
def test_what_does_not_fit_is_an_error_with_its_line(rest: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogueError) as error:
        cases_of(HEAD + rest, tmp_path)

    assert said in str(error.value)


def test_a_part_that_is_in_the_file_twice_is_an_error(tmp_path: Path) -> None:
    text = f"{HEAD}\n[committed]\nwrite: two.py\n+x\n+x\n\n[agent]\nedit: two.py\n-x\n"

    with pytest.raises(CatalogueError, match=r"cases\.txt:13: is 2 times in two\.py"):
        cases_of(text, tmp_path)


def test_a_case_without_its_project_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="there is no project 'other'"):
        cases_of(HEAD.replace("project: sum", "project: other"), tmp_path)
