"""Disputes: what the agent calls wrong, and the words for a person's decision."""

from __future__ import annotations

from ..record import Record

KEEP, DROP, CHANGE = RULINGS = ("keep", "drop", "change")
WITHDRAWN = "withdrawn"  # instead of a ruling: the check passed


class Dispute(Record):
    """A criterion that the agent calls wrong, or a final check whose looks were used up."""

    criterion: str
    why: str = ""  # "": all its looks were used up
    ruling: str = ""  # keep, drop, change or withdrawn; "": a person must decide
    independent: bool = False  # of a check of a second agent, which is often wrong
