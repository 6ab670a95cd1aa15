"""Assertions of the product that do a part of its work."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules.assertion_effects import working_lines
from loopwright.ratchet.product_rules.test_detection import findings
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

WORKING = {
    "a list is sorted in a block": (
        "lib.rs",
        "fn f(mut all: Vec<u32>) -> Vec<u32> {\n    debug_assert!(\n        {\n"
        "            all.sort();\n            true\n        },\n"
        '        "in order"\n    );\n    all\n}\n',
    ),
    "a row is removed": (
        "lib.rs",
        "fn f(&mut self) {\n    debug_assert!(self.rows.remove(0) > 1);\n    self.rows.len();\n}\n",
    ),
    "a value is given away to be changed": (
        "lib.rs",
        "fn f(mut all: Vec<u32>) {\n    debug_assert_eq!(tidy(&mut all), 3);\n    all\n}\n",
    ),
    "a counter in C": ("a.c", "int f(int n) {\n    assert(n++ < 9);\n    return n;\n}\n"),
    "an assignment in C": (
        "a.c",
        "int f(ring *r) {\n    assert((r->first = next(r)) >= 0);\n    return r->items[r->first];\n}\n",
    ),
    "a field of Java": (
        "A.java",
        "int f() {\n    assert (size = rows.length()) > 0 : message;\n    return size + size;\n}\n",
    ),
    "a list of Java": (
        "A.java",
        "List f(List rows) {\n    assert rows.remove(null);\n    return rows;\n}\n",
    ),
    "a list of C#": (
        "A.cs",
        "List F(List rows) {\n    Debug.Assert(rows.Remove(null));\n    return rows;\n}\n",
    ),
    "a list of PHP": (
        "a.php",
        "<?php\nfunction f($rows) {\n    assert(sort($rows));\n    return $rows;\n}\n",
    ),
    "a list of Python": (
        "a.py",
        "def f(rows):\n    assert rows.sort() is None\n    return rows\n",
    ),
    "a list of Swift": (
        "a.swift",
        "func f(rows: [Int]) {\n    assert(rows.popLast() != nil)\n    return rows\n}\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), WORKING.values(), ids=WORKING.keys())
def test_an_assertion_that_works_is_named(path: str, text: str) -> None:
    (number,) = working_lines(path, text)

    assert "ssert" in text.splitlines()[number - 1]


LOOKING = {
    "a copy is sorted": (
        "lib.rs",
        "fn f(all: &[u32]) {\n    debug_assert!({\n        let mut copy = all.to_vec();\n"
        "        copy.sort();\n        copy == all\n    });\n    copy(all)\n}\n",
    ),
    "conditions of Rust": (
        "lib.rs",
        "fn f(all: &[u32]) {\n    debug_assert!(all.iter().all(|one| one >= &1 && one != &7));\n"
        '    debug_assert_eq!(all.len(), one, "len = {}", all.len());\n    one(all)\n}\n',
    ),
    "an iterator that is at its end": (
        "lib.rs",
        "fn f(mut rows: Rows) {\n    debug_assert!(rows.next().is_none());\n    rows\n}\n",
    ),
    "a set that only assertions use": (
        "A.java",
        "void f() {\n    Set seen = new HashSet();\n    for (Row row : rows) {\n"
        "        assert seen.add(row);\n    }\n}\n",
    ),
    "conditions of C": (
        "a.c",
        'int f(int n) {\n    assert(n <= 9 && n != 3 && "a = b");\n    assert(n >= 0);\n'
        "    return n;\n}\n",
    ),
    "conditions of PHP": (
        "a.php",
        "<?php\nassert($n >= 3 && $n === 4);\nassert(is_array($n), 'n = 4');\nreturn $n + $n;\n",
    ),
    "conditions of Python": (
        "a.py",
        "def f(rows):\n    assert isinstance(rows, list), f'{rows} = rows'\n"
        "    assert (first := rows[0]) is not None\n    return first, rows\n",
    ),
    "a function with a similar name": (
        "a.c",
        "int f(int n) {\n    my_assert(n++);\n    static_assert(sizeof(n) == 4);\n    return n;\n}\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), LOOKING.values(), ids=LOOKING.keys())
def test_an_assertion_that_looks_is_not(path: str, text: str) -> None:
    assert list(working_lines(path, text)) == []


def test_only_new_assertions_of_the_product_are_named() -> None:
    path, text = WORKING["a counter in C"]
    (finding,) = findings(ProjectFiles([Change(path, "int n;\n", text)]))

    assert (finding.severity, finding.rule, finding.line) == (MEDIUM, "product-detects-tests", 2)
    assert findings(ProjectFiles([Change(path, text, f"int n;\n{text}")])) == []
    assert findings(ProjectFiles([Change("tests/test_a.c", None, text)])) == []


def test_an_assertion_without_an_end_is_read_to_a_limit() -> None:
    text = "fn f() {\n    debug_assert!(" + "(" * 100_000 + "\n"

    assert list(working_lines("lib.rs", text)) == []
