"""What a person can put right."""

from __future__ import annotations


class UserError(Exception):
    """What is wrong, where, and the way out; shown as it is."""
