"""The status of a loop, and its transitions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .loop import Loop

# Status → the statuses that may follow it. An ended loop never changes its status again.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "running": ("asking", "paused", "finished", "cancelled"),
    "asking": ("running", "paused", "finished", "cancelled"),
    "paused": ("running", "asking", "cancelled"),
    "finished": (),
    "cancelled": (),
}
ENDED = tuple(status for status, after in TRANSITIONS.items() if not after)


def with_status(loop: Loop, status: str, **changes: object) -> Loop:
    """The loop with this status, and with these changes."""
    allowed = (*TRANSITIONS[loop.status], loop.status)
    assert status in allowed, f"BUG: {loop.status} to {status}"
    return loop.but(status=status, **changes)
