"""How long a run of the final proof takes, and whether the Stop that asks for it has the time.

The client kills a hook after its timeout. A run that does not fit is skipped and named, and
`loop audit --finish` makes it later.
"""

from __future__ import annotations

import time

from ..core.loop import Loop
from ..core.record import Record
from .checkout import room_criteria

STOP_SECONDS = 3600  # the timeout of the Stop hook
USABLE_PART = 0.9  # the rest is for the comparison with the start, the journal and the answer
SLOWER_FACTOR = 1.5  # a machine may be busier than at the start


class NotEnoughTime(Exception):
    """What does not fit, in words."""


class TimeLimit(Record):
    """When the driver must answer, as time.monotonic() counts; None: whenever it is done."""

    deadline: float | None = None

    def require(self, seconds: float, runs: int) -> None:
        """Raise if so many runs of this length may not end in time."""
        if self.deadline is None:
            return
        needed, left = seconds * runs * SLOWER_FACTOR, self.deadline - time.monotonic()
        if needed > left:
            raise NotEnoughTime(
                f"it may take {needed:.0f} s, and this Stop has {max(0.0, left):.0f} s left"
            )


NO_LIMIT = TimeLimit()


def limit_of_stop(loop: Loop, began: float) -> TimeLimit:
    """A session waits for the hook no longer than its timeout; a runner has no such limit."""
    return NO_LIMIT if loop.headless_run else TimeLimit(began + STOP_SECONDS * USABLE_PART)


def seconds_of_a_run(loop: Loop) -> float:
    """How long the checks took when they ran last, in place or in the room, with its setup."""
    in_room = {check.criterion: check.seconds for check in loop.room.baseline}
    seconds = loop.room.prepare_seconds
    for c in room_criteria(loop):
        in_place = c.proof.seconds if c.proof else 0.0
        seconds += max(in_place, in_room.get(c.name, 0.0))
    return seconds
