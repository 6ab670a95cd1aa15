"""Events about the demands of the spec: what the agent names, and what it was asked and told."""

from __future__ import annotations

from ..loop import Loop
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class DemandsNamed(Record):
    """The agent named what shows some demands: a number, and a test, a check or a command."""

    shows: tuple[tuple[int, str], ...]


class DemandsAsked(Record):
    """The agent is asked to name a test for each demand."""


class DemandsTold(Record):
    """The agent is told which demands are shown by no test."""


def _change(loop: Loop, **changes: Any) -> Loop:
    assert loop.demands is not None, "BUG: an event about demands needs some"
    return loop.but(demands=loop.demands.but(**changes))


def _apply_demands_named(loop: Loop, e: DemandsNamed) -> Loop:
    shows = dict(e.shows)
    items = loop.demands.items if loop.demands else ()
    named = tuple(d.but(shows=shows.get(number, d.shows)) for number, d in enumerate(items, 1))
    return _change(loop, items=named)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "DemandsNamed": _apply_demands_named,
    "DemandsAsked": lambda loop, e: _change(loop, asked=True, due=True),
    "DemandsTold": lambda loop, e: _change(loop, told=True, due=True),
}
