"""A product file split into its tests and everything else."""

from __future__ import annotations

from typing import NamedTuple


class Member(NamedTuple):
    """One item of a module or class of tests, or one example of a docstring."""

    text: str
    is_plain: bool  # a test like any other: where it is added, the others stay what they are


class Part(NamedTuple):
    """A part of a file that is there for its tests."""

    key: tuple[str, ...]  # what is around it, and its name: the same in every version of the file
    span: tuple[int, int]
    text: str
    place: tuple[str, ...] = ()  # the slot for it in a version that lacks it
    members: tuple[Member, ...] = ()
    is_plain: bool = False
    empty: str = ""  # what takes its place in a version without it
    spare_text: str = ""  # for the end of a version that has no slot for it


class Slot(NamedTuple):
    """Where a part goes that a version of the file lacks."""

    start: int
    end: int
    prefix: str = "\n"
    suffix: str = "\n"


Slots = dict[tuple[str, ...], Slot]


class SplitFile(NamedTuple):
    """The test parts of a file, and where further ones can go."""

    text: str
    parts: tuple[Part, ...] = ()
    slots: Slots = {}  # noqa: RUF012 - never changed
    needs: tuple[tuple[str, str], ...] = ()  # names that the tests use, and lines that import them
    names: frozenset[str] = frozenset()  # that the file defines or imports
    first_statement: int = 0  # where an import can go


def number_keys(parts: list[Part]) -> tuple[Part, ...]:
    """The parts with a key for each: a second one with the same key gets a number."""
    seen: dict[tuple[str, ...], int] = {}
    found = []
    for part in parts:
        count = seen[part.key] = seen.get(part.key, 0) + 1
        found.append(part._replace(key=(*part.key, f"#{count}")) if count > 1 else part)
    return tuple(found)
