"""Diagnosis: one finding of `loop doctor`."""

from __future__ import annotations

from ...core.record import Record


class Diagnosis(Record):
    """One finding, and how to fix it."""

    level: str  # ok, warn or fail
    what: str
    fix: str = ""
