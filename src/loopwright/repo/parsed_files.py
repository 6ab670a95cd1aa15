"""Frees what was parsed. A runner that has parsed nothing does not import the parsers for that."""

from __future__ import annotations

from collections.abc import Callable

CLEAR_CACHES: list[Callable[[], None]] = []  # sources.py adds those of its own


def forget_parsed_files() -> None:
    """Free the syntax trees: a process that lives long would keep those of every loop."""
    for clear_cache in CLEAR_CACHES:
        clear_cache()
