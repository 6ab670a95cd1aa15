"""The parts of a change: functions and hunks, without what only looks different."""

from __future__ import annotations

import pytest

from loopwright.strength.parts import parts_of, spread_parts
from tests.strength.measured import changed

OLD = "LIMIT = 3\n\n\ndef f(a):\n    return a\n\n\ndef g(a):\n    return 'x'\n"
NEW = """\
LIMIT = 4


def f(a):
    b = a + 1
    return b


def g(a):
    # the same
    return "x"


def h(a):
    \"\"\"Words.\"\"\"
    return a * LIMIT
"""


def test_changed_functions_go_back_and_new_ones_lose_their_body() -> None:
    limit, f, h = parts_of(changed("a.py", NEW, OLD))

    assert (f.taken, f.first) == ("`f` as it was at the start", 5)
    assert f.text == NEW.replace("    b = a + 1\n    return b\n", "    return a\n")
    assert h.taken == "the body of `h` was taken away"
    assert h.text == NEW.replace("    return a * LIMIT\n", "    return None\n")
    assert limit.text == NEW.replace("LIMIT = 4", "LIMIT = 3")


@pytest.mark.parametrize(
    ("path", "new", "stub"),
    [
        ("a.js", "function f(a, {b} = {}) {\n  return a;\n}\n", "function f(a, {b} = {}) {  }\n"),
        (
            "a.go",
            "func f(a int) int {\n\treturn a\n}\n",
            "func f(a int) int { return *new(int) }\n",
        ),
        (
            "a.go",
            "func (t *T) f() (int, error) {\n\treturn 1, nil\n}\n",
            "func (t *T) f() (int, error) { return *new(int), *new(error) }\n",
        ),
        (
            "a.go",
            "func f() (n int, err error) {\n\tn = 1\n\treturn\n}\n",
            "func f() (n int, err error) { return }\n",
        ),
        (
            "a.rs",
            "fn f(a: i32) -> i32 {\n    a + 1\n}\n",
            "fn f(a: i32) -> i32 { Default::default() }\n",
        ),
        (
            "a.java",
            "class A {\n  boolean f(int a) {\n    return a > 1;\n  }\n}\n",
            "class A {\n  boolean f(int a) { return false; }\n}\n",
        ),
        ("a.rb", "def f(a)\n  a + 1\nend\n", "def f(a)\n  nil\nend\n"),
        ("a.sh", "f() {\n  echo 1\n}\n", "f() {\n  :\n}\n"),
        (
            "a.py",
            "def f(a):\n    for b in a:\n        yield b\n",
            "def f(a):\n    return\n    yield\n",
        ),
    ],
)
def test_the_body_of_a_new_function_in_each_language(path: str, new: str, stub: str) -> None:
    (part,) = parts_of(changed(path, new, "\n"))

    assert part.text == stub


def test_an_import_that_nothing_needs_any_more_still_compiles_in_go() -> None:
    text = 'package a\n\nimport (\n\t"os"\n\t"strings"\n)\n\nvar A = os.Args\n\nfunc f(a string) string {\n\treturn strings.ToUpper(a)\n}\n'

    (part,) = [
        part for part in parts_of(changed("a.go", text, "package a\n")) if "body" in part.taken
    ]

    assert '\t_ "strings"\n' in part.text
    assert '\t"os"\n' in part.text


def test_hunks_of_a_file_without_functions() -> None:
    old = "a=1\nb=2\nc=3\nd=4\n"

    first, second = parts_of(changed("a.sh", "a=2\nb=2\nc=3\nd=5\n", old))

    assert (first.text, second.text) == ("a=1\nb=2\nc=3\nd=5\n", "a=2\nb=2\nc=3\nd=4\n")


def test_parts_are_spread_over_files() -> None:
    body = "".join(f"def f{n}(a):\n    return a + {n}\n\n" for n in range(9))
    parts = [part for name in ("a.py", "b.py", "c.py") for part in parts_of(changed(name, body))]

    chosen = spread_parts(parts)

    assert sorted(part.path for part in chosen) == ["a.py", "a.py", "b.py", "b.py", "c.py", "c.py"]
