"""Small functions that turn values into rows of text."""

from __future__ import annotations

from ..core.criteria import Criterion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def prefix_rows(prefix: str, rows: Iterable[str]) -> list[str]:
    """Each row after a prefix: an indent or a bullet."""
    return [f"{prefix}{row}" for row in rows]


def join_names(criteria: Iterable[Criterion]) -> str:
    return ", ".join(c.name for c in criteria)


def names_not_in(names: Iterable[str], existing: Iterable[str]) -> list[str]:
    """The names that do not exist already, in their order."""
    excluded = set(existing)
    return [name for name in names if name not in excluded]
