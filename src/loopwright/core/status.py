"""The status of a loop: which status may follow which."""

from __future__ import annotations

# What may follow what. Nothing follows an end.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "running": ("asking", "paused", "finished", "cancelled"),
    "asking": ("running", "paused", "finished", "cancelled"),
    "paused": ("running", "asking", "cancelled"),
    "finished": (),
    "cancelled": (),
}
ENDED = tuple(status for status, after in TRANSITIONS.items() if not after)
