"""Code that only linters and type checkers believe is found; names for annotations are not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import LOW, MEDIUM
from loopwright.ratchet import findings
from loopwright.ratchet.product_rules.static_branches import believed_lines
from loopwright.repo.baseline import Change

FUTURE = "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\n"
BELIEVED = {
    "a result": "MYPY = False\ndef a(x) -> int:\n    if MYPY:\n        return int(x)\n    return x\n",
    "a result in one line": FUTURE + "def a(x) -> int:\n    return 1 if TYPE_CHECKING else x\n",
    "another function": FUTURE + "if TYPE_CHECKING:\n    def a() -> int: ...\n",
    "the other half": FUTURE + "if TYPE_CHECKING:\n    pass\nelse:\n    def a(x): return x\n",
    "a part that no tool reads": FUTURE + "if not TYPE_CHECKING:\n    def a(x): return x\n",
    "the end of a function": "import typing\ndef a(x):\n    assert not typing.TYPE_CHECKING\n",
    "a value": FUTURE + "rows = load()\nif TYPE_CHECKING:\n    rows = [1]\n",
    "an import that is used": FUTURE + "if TYPE_CHECKING:\n    from b import c\n\nc()\n",
    "a function for the linter": "if False:\n    empty = None\n\ndef a():\n    return empty()\n",
    "a type that is everything": FUTURE + "if TYPE_CHECKING:\n    from typing import Any as Row\n",
    "an old version": "PY2 = True\nif PY2:\n    def a(): ...\n",
}
FOR_TYPES = {
    "imports": FUTURE + "if TYPE_CHECKING:\n    from b import C\n\ndef a(x: C) -> list[C]: ...\n",
    "a module": FUTURE + "if TYPE_CHECKING:\n    import b.d\n\ndef a(x: b.d.C): ...\n",
    "its own name": (
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from b import C\n\nx: 'C' = make()\n"
    ),
    "a protocol and an alias": (
        FUTURE + "if TYPE_CHECKING:\n    from typing import Protocol\n\n"
        "    Read = dict[str, int]\n\n    class Shape(Protocol):\n        area: int\n\n"
        "def a(x: Shape) -> Read: ...\n"
    ),
    "a version": (
        "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\n"
        "else:\n    import tomli as tomllib\n"
    ),
    "a switch of the product": "DEBUG = False\ndef a(x):\n    return x if DEBUG else 1\n",
}


@pytest.mark.parametrize("text", BELIEVED.values(), ids=BELIEVED.keys())
def test_what_only_a_tool_believes_is_found(text: str) -> None:
    assert believed_lines("", text)
    assert believed_lines(text, f"import os\n{text}") == []


@pytest.mark.parametrize("text", FOR_TYPES.values(), ids=FOR_TYPES.keys())
def test_names_for_annotations_are_not(text: str) -> None:
    assert believed_lines("", text) == []


@pytest.mark.parametrize(("red", "is_found"), [(("mypy .",), True), ((), False)])
def test_it_counts_if_a_static_tool_failed_at_the_start(
    red: tuple[str, ...], is_found: bool
) -> None:
    before = "def a(x: str) -> int:\n    return x\n"
    after = "MYPY = 0\ndef a(x: str) -> int:\n    if MYPY:\n        return 1\n    return x\n"

    found = findings([Change("a.py", before, after)], ("mypy .", "pytest"), red_commands=red)

    assert [finding.severity for finding in found if finding.severity != LOW] == [MEDIUM] * is_found
