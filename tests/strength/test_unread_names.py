"""A parameter or an option that the spec names is work that is left while nothing reads it."""

from __future__ import annotations

import pytest

from loopwright.strength.unread_names import unread_names
from tests.strength.measured import changed

CACHE = "class Cache:\n    def __init__(self, source, ttl=60):\n        self.ttl = ttl\n"
GO = "type C struct {\n\tttl int\n}\n\nfunc New(ttl int) *C {\n\treturn &C{ttl: ttl}\n}\n"
JS = "class A {\n  constructor(ttl) {\n    this.ttl = ttl;\n  }\n}\n"
LIST = "export function list(items, { limit = 10 } = {}) {\n  return items;\n}\n"
CUT = "def slugify(text, max_length=0):\n    return text.lower()\n"
OPTION = "p.add_argument(\n    '--dry-run', action='store_true')\nargs = p.parse_args()\n"
LEVEL = "p.add_argument('--level')\nargs = p.parse_args()\nfor level in levels:\n    print({})\n"
HANDLER = "def handle(request):\n    return 'ok'\n"


@pytest.mark.parametrize(
    ("spec", "path", "text", "lines"),
    [
        ("Keep each rate for ttl seconds.", "a.py", CACHE, [2]),
        ("Keep each rate for ttl seconds.", "a.py", f"{CACHE}        wait(self.ttl)\n", []),
        ("Keep each rate for ttl seconds.", "a.js", JS, [2]),
        (
            "Take `now`, as in `now = Date.now`.",
            "a.js",
            "const at = (now = Date.now) => now();\n",
            [],
        ),
        ("Add `mean(all: &[f64])`.", "a.rs", "fn mean(all: &[f64]) { sum(all) }\n", []),
        (
            "Add `mean(all, width)`.",
            "a.rs",
            "fn mean(all: &[f64], width: usize) { sum(all) }\n",
            [1],
        ),
        ("Keep each rate for ttl seconds.", "a.js", f"{JS}print(`${{this.ttl}}`)\n", []),
        ("Keep each rate for ttl seconds.", "a.go", GO, [5]),
        ("Keep each rate for ttl seconds.", "a.go", f"{GO}var Old = now() - c.ttl\n", []),
        ("Keep each rate; ignore ttl for now.", "a.py", CACHE, []),
        ("Add a `limit` to list().", "a.js", LIST, [1]),
        ("Add a `limit` to list().", "a.js", LIST.replace("items;", "items.slice(0, limit);"), []),
        ("A new argument max_length cuts it.", "a.py", CUT, [1]),
        (
            "A new argument max_length cuts it.",
            "a.py",
            CUT.replace("lower()", "x[:max_length]"),
            [],
        ),
        ("Add --dry-run.", "a.py", f"{OPTION}print(args.file)\n", [2]),
        ("Add --dry-run.", "a.py", f"{OPTION}print(args.dry_run)\n", []),
        ("Add --dry-run.", "a.py", f"{OPTION}main(**vars(args))\n", []),
        ("Add --level.", "a.py", LEVEL.format("level"), [1]),
        ("Add --level.", "a.py", LEVEL.format("args.level"), []),
        ("Answer each request with ok.", "a.py", HANDLER, []),
    ],
)
def test_what_is_taken_in_and_forgotten(spec, path, text, lines) -> None:
    items = unread_names([changed(path, text)], [], lambda: {path: text}, spec)

    assert [item.line for item in items] == lines


def test_what_a_test_or_another_file_reads_is_used() -> None:
    spec, file = "Keep each rate for ttl seconds.", changed("a.py", CACHE)
    test = changed("test_a.py", "assert Cache(s, ttl=3).ttl == 3\n")

    assert unread_names([file], [test], lambda: {"a.py": CACHE}, spec) == []
    assert unread_names([file], [], lambda: {"a.py": CACHE, "b.py": "c.ttl > 1\n"}, spec) == []


KEPT = "class A {\n  constructor(config) {\n    this.kept = {\n      maxAge: config.maxAge\n    };\n  }\n}\n"
FIELD = "class A:\n    def __init__(self, max_age):\n        self.kept = max_age\n"
FIELD_TEST = changed("test_a.py", "assert A(3).kept == 3\n")


@pytest.mark.parametrize(
    ("spec", "path", "text", "lines"),
    [
        ("Make maxAge configurable.", "a.js", KEPT, [3]),
        ("Make maxAge configurable.", "a.js", f"{KEPT}print(a.kept.maxAge)\n", []),
        ("Make maxAge configurable, in `kept`.", "a.js", KEPT, []),  # for its users
        ("Make maxAge configurable.", "a.js", KEPT.replace("A {", "A extends B {", 1), []),
        ("Make the age configurable.", "a.js", KEPT, []),
        ("Make max_age configurable.", "a.py", FIELD, [3]),
        ("Make max_age configurable.", "a.py", FIELD.replace("A:", "A(Thread):"), []),
        ("Make max_age configurable.", "a.py", f"{FIELD}        wait(self.kept)\n", []),
    ],
)
def test_an_attribute_that_only_a_test_reads_is_forgotten(spec, path, text, lines) -> None:
    before = "maxAge = 1; max_age = 1\n"  # the name is known, where it is kept is new
    items = unread_names([changed(path, text, before)], [FIELD_TEST], lambda: {path: text}, spec)

    assert [item.line for item in items] == lines
