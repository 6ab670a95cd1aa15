"""Writes the fields of records whose default is empty: python -m tests.golden.empty_defaults

A journal leaves an empty field out, so its default must stay empty for ever. Run this after adding a field.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.strategies import KINDS

FILE = Path(__file__).with_suffix(".json")


def empty_defaults() -> dict[str, dict[str, Any]]:
    """By the name of the record: its fields that a journal may leave out, with their values."""
    return {
        kind.__name__: {field: value for field, value in kind.DEFAULTS.items() if not value}
        for kind in sorted(KINDS, key=lambda kind: kind.__name__)
    }


def as_json(defaults: dict[str, dict[str, Any]]) -> str:
    return json.dumps(defaults, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(as_json(empty_defaults()), encoding="utf-8")
