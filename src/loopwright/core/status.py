"""The status of a loop: which status may follow which."""

from __future__ import annotations

# What may follow what. Nothing follows an end.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "running": ("asking", "paused", "finished", "cancelled", "failed"),
    "asking": ("running", "paused", "finished", "cancelled", "failed"),
    "paused": ("running", "asking", "cancelled", "failed"),
    "finished": (),
    "cancelled": (),
    "failed": (),
}
ENDED = tuple(status for status, after in TRANSITIONS.items() if not after)
