"""Events about the demands of the spec: what the agent names, and what it was asked and told."""

from __future__ import annotations

from ..event import Event
from ..loop import Loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class DemandsNamed(Event):
    """The agent named what shows some demands: a number, and a test, a check or a command."""

    shows: tuple[tuple[int, str], ...]

    def apply(self, loop: Loop) -> Loop:
        shows = dict(self.shows)
        items = loop.demands.items if loop.demands else ()
        named = tuple(d.but(shows=shows.get(number, d.shows)) for number, d in enumerate(items, 1))
        return _change(loop, items=named)


class DemandsAsked(Event):
    """The agent is asked to name a test for each demand."""

    def apply(self, loop: Loop) -> Loop:
        return _change(loop, asked=True, due=True)


class DemandsTold(Event):
    """The agent is told which demands are shown by no test."""

    def apply(self, loop: Loop) -> Loop:
        return _change(loop, told=True, due=True)


def _change(loop: Loop, **changes: Any) -> Loop:
    assert loop.demands is not None, "BUG: an event about demands needs some"
    return loop.but(demands=loop.demands.but(**changes))
