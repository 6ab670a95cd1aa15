"""Which lines matter, and which may be unable to run on this machine."""

from __future__ import annotations

import pytest

from loopwright.strength.line_facts import line_facts

PYTHON = '''\
"""A docstring."""
import os
import sys
from typing import TYPE_CHECKING

try:
    import fast
except ImportError:
    fast = None

if TYPE_CHECKING:
    from a import B

WINDOWS = sys.platform == "win32"
limit: int
size = 3  # matters


def f(a):
    """Words."""
    log.debug("x")
    if fast is not None:
        return fast.run(a)
    total = (
        a
        + 1
    )
    return total


def on_windows(a):
    if not WINDOWS:
        return None
    b = a + 1
    return b
'''


def marked(text: str, lines: set[int]) -> list[str]:
    return [row.strip() for n, row in enumerate(text.split("\n"), 1) if n in lines]


def test_lines_of_python_that_matter() -> None:
    facts = line_facts("a.py", PYTHON)

    assert marked(PYTHON, facts.lines) == [
        "fast = None",
        "if TYPE_CHECKING:",
        'WINDOWS = sys.platform == "win32"',
        "size = 3  # matters",
        "if fast is not None:",
        "return fast.run(a)",
        "total = (",
        "a",
        "+ 1",
        ")",
        "return total",
        "if not WINDOWS:",
        "return None",
        "b = a + 1",
        "return b",
    ]
    assert facts.span_of[25] == (24, 27)


def test_lines_of_python_that_need_another_machine() -> None:
    conditions = line_facts("a.py", PYTHON).condition_of

    assert conditions[9] == conditions[23] == "an optional import"
    assert {34, 35} <= conditions.keys()
    assert 16 not in conditions


SCRIPT = """\
// a comment
import a from './a';
const b = require('b');

/* more
   words */
export function f(x) {
  console.warn('careful');
  if (process.platform === 'win32') {
    return 1;
  }
  return x + 1;
}
"""
GO = "//go:build windows\n\npackage a\n\nfunc f() int {\n\treturn 1\n}\n"
C = "int f(void) {\n#ifdef _WIN32\n  return 1;\n#endif\n  return 2;\n}\n"
RUST = "#[cfg(windows)]\nfn f() -> i32 {\n    1\n}\nfn g() -> i32 {\n    2\n}\n"
SHELL = '#!/bin/sh\n# words\nif [ "$(uname)" = Darwin ]; then\n  a=1\nfi\nb=2\n'


@pytest.mark.parametrize(
    ("path", "text", "lines", "elsewhere"),
    [
        ("a.js", SCRIPT, {7, 9, 10, 12}, {9, 10}),
        ("a.go", GO, {5, 6}, {5, 6}),
        ("a_windows.go", "package a\n\nvar B = 1\n", {3}, {3}),
        ("a.c", C, {1, 3, 5}, {3}),
        ("a.rs", RUST, {2, 3, 5, 6}, {2, 3}),
        ("a.sh", SHELL, {3, 4, 6}, {3, 4}),
    ],
)
def test_lines_of_a_text(path: str, text: str, lines: set[int], elsewhere: set[int]) -> None:
    facts = line_facts(path, text)

    assert lines <= facts.lines
    assert not [row for row in marked(text, facts.lines - lines) if row.strip("#{} \t\n").isalpha()]
    assert facts.condition_of.keys() & lines == elsewhere
