"""The bytecode of the bundle: without docstrings and annotations, and else as the source says."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import loopwright
from loopwright.hook.lean_code import compile_lean

PACKAGE = Path(loopwright.__file__).parent
SOURCE = b'''"""The module."""

from __future__ import annotations

LIMIT = 3


class Kept(Record):
    """A record."""

    name: str
    size: NotThere = LIMIT

    def half(self, by: NotThere = 2, *rest: NotThere, **more: NotThere) -> NotThere:
        """The half."""
        return LIMIT // by


def nothing() -> None:
    """Only a docstring."""


def fail(text: str):
    """Raises."""
    assert text, "BUG: no text"
    raise ValueError(
        text
    )
'''


class Record:
    """Stands for the records, whose fields are their annotations."""


@pytest.fixture
def names() -> dict[str, Any]:
    values: dict[str, Any] = {"__name__": "sample", "Record": Record}
    exec(compile_lean(SOURCE, "sample.py"), values)
    return values


def test_docstrings_and_annotations_of_functions_are_gone(names: dict[str, Any]) -> None:
    half = names["Kept"].half

    assert (names.get("__doc__"), names["Kept"].__doc__, half.__doc__) == (None, None, None)
    assert (half.__annotations__, names["fail"].__annotations__) == ({}, {})
    assert "annotations" not in names  # nor is __future__ imported


def test_it_does_what_the_source_says(names: dict[str, Any]) -> None:
    assert names["Kept"].__annotations__ == {"name": "str", "size": "NotThere"}
    assert names["Kept"]().half() == 1
    assert names["nothing"]() is None
    with pytest.raises(AssertionError, match="BUG: no text"):
        names["fail"]("")


def test_a_traceback_names_the_line(names: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no") as caught:
        names["fail"]("no")

    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name) == ("sample.py", "fail")
    assert SOURCE.decode().splitlines()[(last.lineno or 0) - 1] == "    raise ValueError("


def code_by_name(code: CodeType, above: str = "") -> dict[str, CodeType]:
    """Every code object below this one, by its path and first line."""
    found = {f"{above}:{code.co_firstlineno}": code}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= code_by_name(part, f"{above}.{part.co_name}")
    return found


@pytest.mark.parametrize(
    "name", ["core/loop.py", "store/journal.py", "store/folder.py", "hook/dispatch.py"]
)
def test_our_own_sources_keep_their_functions_arguments_and_lines(name: str) -> None:
    path = PACKAGE / name
    source = path.read_bytes()
    plain = code_by_name(compile(source, str(path), "exec", dont_inherit=True))
    lean = code_by_name(compile_lean(source, str(path)))

    assert lean.keys() == plain.keys()
    for key, code in lean.items():
        assert code.co_varnames[: code.co_argcount] == plain[key].co_varnames[: code.co_argcount]
        lines = {line for _, _, line in plain[key].co_lines()}
        assert {line for _, _, line in code.co_lines()} <= lines
