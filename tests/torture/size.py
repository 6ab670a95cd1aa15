"""How long a suite goes on: a little at each commit, at length when TORTURE names the file that takes its figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
FIGURES = os.environ.get("TORTURE", "")


def size(commit: int, long: int) -> int:
    """So many at each commit, and so many in the long run."""
    return long if FIGURES else commit


def every(step: int, items: Sequence[Item]) -> Sequence[Item]:
    """One of so many items at each commit, always the same ones; all of them in the long run."""
    return items if FIGURES else items[::step]


def chunks(commit: int, long: int, each: int) -> list[range]:
    """The numbers 0, 1, 2, …, cut up for both cores: one test each. A number is a seed; a chunk's name says which it has."""
    return [
        range(first, min(first + each, size(commit, long)))
        for first in range(0, size(commit, long), each)
    ]
