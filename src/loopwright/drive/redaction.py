"""Redaction: keys and passwords in the words of an agent do not reach the journal. This is the one place that decides.

To search for a secret takes longer than all the rest of a Stop, so we look for the signs of one first; the search
itself (`redact_signal.py`, `verify/redact.py`) is imported only where there is one.
"""

from __future__ import annotations

import os

from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.record import encode
from ..core.signals import Ordered, Signal
from ..verify.secret_patterns import NAME_SIGNS, SIGNS

# The fields of a signal that hold the words of an agent, or the output of its tools.
AGENT_TEXT_FIELDS = {
    "TurnOver": ("text", "api_failure", "tool_outcomes", "problem", "reported_gaps"),
    "Claimed": ("claims", "extra_json"),
    "BacklogEdited": (
        "found",
        "done",
        "dropped",
        "item_order",
        "focus",
        "notes",
        "new_note",
        "notes_on_page",
    ),
    "Ordered": ("reason",),
    "LaneMerged": ("problem",),
}
SHORTEST_SECRET = 8


def redact_secrets(signal: Signal, loop: Loop) -> Signal:
    """The signal without secrets. What a person typed is kept as it is."""
    if isinstance(signal, Ordered) and signal.by == "person":
        return signal
    fields = AGENT_TEXT_FIELDS.get(type(signal).__name__, ())
    if not fields or not _may_hold_secret(
        dumps([encode(getattr(signal, field)) for field in fields]).lower()
    ):
        return signal
    from .redact_signal import redact_fields

    return redact_fields(signal, fields, loop)


def _may_hold_secret(text: str) -> bool:
    """Does the text, in lower case, show a sign of a secret?"""
    if any(sign in text for sign in SIGNS):
        return True
    if "://" in text and "@" in text:  # a password in an address
        return True
    return any(dumps(value)[1:-1].lower() in text for value in _secret_environment())


def _secret_environment() -> list[str]:
    """The values of environment variables whose names say that they are secret."""
    return [
        value
        for name, value in os.environ.items()
        if len(value) >= SHORTEST_SECRET and any(sign in name.lower() for sign in NAME_SIGNS)
    ]
