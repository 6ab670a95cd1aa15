"""The module re, but a pattern is compiled at its first use.

There are hundreds of patterns, a command needs few of them, and compiling them all takes longer
than the comparison of a small change.
"""

from __future__ import annotations

import re
from re import (
    ASCII,
    I,
    M,
    Match,
    Pattern,
    S,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import TYPE_CHECKING, Any

__all__ = [
    "ASCII",
    "I",
    "M",
    "Match",
    "Pattern",
    "S",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]
ATTRIBUTES = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split", "pattern")


class LazyPattern:
    """Stands for a compiled pattern. It is none: give it to no function of re."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern; from now on its methods are attributes here."""
        pattern = re.compile(self._text, self._flags)
        for attribute in ATTRIBUTES:
            setattr(self, attribute, getattr(pattern, attribute))
        return getattr(pattern, name)


if TYPE_CHECKING:
    from re import compile
else:

    def compile(text, flags=0):
        return LazyPattern(text, flags)
