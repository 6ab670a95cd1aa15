"""The status of a loop, and its transitions."""

from __future__ import annotations

# Status → the statuses that may follow it. An ended loop never changes its status again.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "running": ("asking", "paused", "finished", "cancelled"),
    "asking": ("running", "paused", "finished", "cancelled"),
    "paused": ("running", "asking", "cancelled"),
    "finished": (),
    "cancelled": (),
}
ENDED = tuple(status for status, after in TRANSITIONS.items() if not after)
