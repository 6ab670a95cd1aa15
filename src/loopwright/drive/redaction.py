"""Redaction: decides whether an agent's words may hold keys or passwords, before the journal.

The search for secrets takes longer than all the rest of a Stop, so we look for signs of one first.
The search itself (`redact_signal.py`, `verify/redact.py`) is imported only when there is a sign.
"""

from __future__ import annotations

from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.record import encode
from ..core.signals import Signal
from ..disk.light_os import os
from ..verify.secret_patterns import KNOWN_SECRETS, NAME_SIGNS, SHORTEST_SECRET, SIGNS

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


def redact_secrets(signal: Signal, loop: Loop) -> Signal:
    """The signal without secrets. What a person typed is kept as it is."""
    if getattr(signal, "by", "") == "person":  # an order
        return signal
    fields = AGENT_TEXT_FIELDS.get(type(signal).__name__, ())
    if not fields:
        return signal
    text = dumps([encode(getattr(signal, field)) for field in fields])
    if not _may_hold_secret(text.lower()):
        return signal
    from .redact_signal import redact_fields

    return redact_fields(signal, fields, loop)


def _may_hold_secret(text: str) -> bool:
    """Does the text, in lower case, show a sign of a secret?"""
    if any(sign in text for sign in SIGNS):
        return True
    if "://" in text and "@" in text:  # a password in an address
        return True
    return any(dumps(value)[1:-1].lower() in text for value in _secret_values())


def _secret_values() -> list[str]:
    """What runners pass to agents, and environment variables with the name of a secret."""
    long_enough = [item for item in os.environ.items() if len(item[1]) >= SHORTEST_SECRET]
    return KNOWN_SECRETS + [
        value for name, value in long_enough if any(sign in name.lower() for sign in NAME_SIGNS)
    ]
