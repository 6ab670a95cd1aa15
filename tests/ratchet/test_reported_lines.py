"""A comment that answers a report is found; one that explains, or that a check asks for, is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.check_reach import reach_of
from loopwright.ratchet.product_rules import reported_lines
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

LINTER = """\
for number, line in enumerate(text.splitlines(), 1):
    if "float(" in line and not line.endswith("money: exact"):
        print(f"{path}:{number}: binary fraction")
"""
SHELL_LINTER = "grep -rn 'console.log' src | grep -v 'log-ok' && exit 1\n"
SCRIPT_LINTER = """\
for (const [i, line] of lines.entries()) {
  if (/#\\s*unsafe:\\s*reviewed/.test(line)) continue;
  if (line.includes('raw(')) report(i, line);
}
"""
OWN = "a = 1\nb = float(a)\n"


def found(
    path: str, before: str, after: str, output: str = "", linters: dict[str, str] | None = None
) -> list[str]:
    texts = linters or {}
    files = ProjectFiles([Change(path, before, after)], texts.get)
    commands = [f"python3 {name} src" for name in texts] or ["lint src"]
    rows = list(reported_lines.findings(files, reach_of(commands, files.before), output))
    assert all((row.severity, row.rule) == (MEDIUM, "warning-silenced") for row in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(
    ("linter", "path", "before", "after"),
    [
        (LINTER, "src/a.py", OWN, "a = 1\nb = float(a)  # money: exact\n"),
        (LINTER, "src/a.py", OWN, "a = 1\nc = float(a)  # as text; money: exact\nb = c\n"),
        (SHELL_LINTER, "src/a.js", "console.log(x);\n", "console.log(x); // log-ok\n"),
        (SCRIPT_LINTER, "src/a.rb", "raw(x)\n", "raw(x) # unsafe: reviewed by us\n"),
    ],
)
def test_the_words_that_a_linter_of_the_project_permits_are_found(
    linter: str, path: str, before: str, after: str
) -> None:
    assert found(path, before, after, linters={"tools/lint": linter})


@pytest.mark.parametrize(
    ("path", "before", "after", "output"),
    [
        ("src/a.py", OWN, "a = 1\nb = float(a)  # fine\n", "src/a.py:2: binary fraction"),
        ("a.xyz", "go left\n", "go left // known\n", "a.xyz:1:3: do not go left"),
        ("a.ts", "f(x)\n", "// tool-off no-f\nf(x)\n", "a.ts(1,1): do not [no-f]"),
        ("a.sql", "select *\n", "select * -- AM04 is wrong\n", "/p/a.sql:1:1: AM04 no star"),
        ("a.js", "f(x)\n", "/* off my/no-f */\nf(x)\n", "/p/a.js\n  1:1  error  No f  my/no-f\n"),
        ("a.rs", "let x = 1;\n", "let x = 1; // used later\n", " --> a.rs:1:5\n"),
    ],
)
def test_a_comment_at_a_reported_line_or_with_the_name_of_a_rule_is_found(
    path: str, before: str, after: str, output: str
) -> None:
    assert found(path, before, after, output)


@pytest.mark.parametrize(
    ("path", "before", "after", "output"),
    [
        ("src/a.py", OWN, "a = 1\nb = Decimal(a)  # exact\n", "src/a.py:2: binary fraction"),
        ("src/a.py", OWN, "# all in cents\na = 1\nb = Decimal(a)\n", "src/a.py:2: fraction"),
        ("a.py", "x = a\n", "x = a // b\n", "a.py:1: not divided"),
        ("a.go", "func F() {}\n", "// F does it.\nfunc F() {}\n", "a.go:1:1: F has no comment"),
        ("a.py", "x = f(1)\n", "x = f(1)  # one\n", "a.py:1: ValueError"),
        ("a.py", "x = f(1)\n", "x = f(1)  # one\n", "a.py:1: in g"),
        ("a.py", "x = f(1)\n", "x = f(1)  # one\n", "b.py:1: too long"),
    ],
)
def test_work_at_a_reported_line_is_not_found(
    path: str, before: str, after: str, output: str
) -> None:
    assert not found(path, before, after, output)


@pytest.mark.parametrize(
    ("linter", "after", "output"),
    [
        (LINTER, "a = 1\nb = Decimal(a)  # no float() here: it is not exact\n", ""),
        (LINTER, "a = 1\nb = exact(a)  # binary fraction: never\n", "src/a.py:2: binary fraction"),
        (
            'if "SPDX-License-Identifier: MIT" not in text:\n    report(path)\n',
            "# SPDX-License-Identifier: MIT\na = 1\nb = float(a)\n",
            "src/a.py: no licence",
        ),
    ],
)
def test_other_words_and_a_head_that_the_linter_asks_for_are_not_found(
    linter: str, after: str, output: str
) -> None:
    assert not found("src/a.py", OWN, after, output, {"tools/lint": linter})


def test_an_empty_program_permits_nothing() -> None:
    assert not found("src/a.py", OWN, "a = 1\nb = float(a)  # fine\n", "", {"tools/lint": "#!\n"})


@pytest.mark.parametrize(
    ("old", "new", "output", "counts"),
    [
        ("docs/a.md", "docs/a.txt", "docs/a.md: broken link", True),
        ("src/a.py", "src/a.txt", "src/a.py:3: too long", True),
        ("docs/a.md", "docs/b.md", "docs/a.md: broken link", False),
        ("src/a.js", "src/a.mjs", "src/a.js:3:1: no import", False),
        ("docs/a.md", "docs/a.txt", "docs/c.md: broken link", False),
    ],
)
def test_a_reported_file_with_an_ending_for_other_tools_is_found(
    old: str, new: str, output: str, counts: bool
) -> None:
    files = ProjectFiles([Change(old, OWN, None), Change(new, None, OWN)])
    rows = list(reported_lines.findings(files, reach_of(("lint",), files.before), output))

    assert [(row.rule, row.after) for row in rows] == [("fewer-files-included", new)] * counts
