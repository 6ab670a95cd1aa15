"""Records as plain values, for JSON that other programs read."""

from __future__ import annotations

from typing import Any

from ..core.record import Record


def plain_value(value: object) -> Any:
    """A record as a dict of its fields, a tuple as a list, anything else as it is."""
    if isinstance(value, Record):
        return {field: plain_value(value.__dict__[field]) for field in value.FIELDS}
    if isinstance(value, tuple | list):
        return [plain_value(part) for part in value]
    return value
