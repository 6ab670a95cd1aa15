"""The way a loop has come: each iteration with its results and numbers, from the journal alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..core import events as ev
from ..core.engine import evolve
from ..core.loop import Loop
from ..core.record import Record
from ..core.trajectory import Waypoint, best
from ..core.wording import clip, counted


def retraced(moves: Iterable[tuple[Record, ...]]) -> tuple[Waypoint, ...]:
    """The start, then every iteration that counted."""
    way: list[Waypoint] = []
    loop: Loop | None = None
    for event in (event for events in moves for event in events):
        if isinstance(event, ev.TurnEnded) and loop and event.counts:
            way.append(Waypoint(loop.spend.iterations + 1, event.tree, event.kept or _kept(way, event.tree)))
        loop = evolve(loop, event) if loop else event.loop if isinstance(event, ev.LoopStarted) else None
        if loop and not way:
            way.append(Waypoint(0, loop.tree, loop.base if len(loop.base) == 40 else ""))
        if loop and isinstance(event, ev.LoopStarted | ev.CheckRan | ev.RoundBegan | ev.RoundEnded):
            way[-1] = measured(way[-1], loop)
    return tuple(way)


def _kept(way: list[Waypoint], tree: str) -> str:
    """An iteration that changed no file is kept under the one before."""
    return next((point.commit for point in reversed(way) if point.tree == tree), "")


def measured(point: Waypoint, loop: Loop) -> Waypoint:
    """What our own checks say of it."""
    proofs = [c.proof for c in loop.criteria if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree]
    return point.but(
        results=tuple((proof.criterion, proof.passed) for proof in proofs),
        numbers=tuple((proof.criterion, proof.failures) for proof in proofs if proof.failures is not None and not proof.passed),
    )


def rows(way: tuple[Waypoint, ...]) -> list[str]:
    """One line an iteration; the best of those that are kept has a star."""
    star = best(way)
    return [f"  {'★' if point == star else ' '} {point.number:>3}  {_results(point)}" for point in way]


def _results(point: Waypoint) -> str:
    fine = sum(fine for _, fine in point.results)
    numbers = "".join(f", {name} {number} failing" for name, number in point.numbers)
    told = f"{fine} of {counted(len(point.results), 'check')} pass{numbers}" if point.results else "no check has run"
    return clip(f"{told}{'' if point.commit else ' (not kept)'}", 110)


def facts(way: tuple[Waypoint, ...]) -> list[dict[str, object]]:
    star = best(way)
    return [
        {
            "iteration": point.number,
            "tree": point.tree,
            "commit": point.commit or None,
            "results": dict(point.results),
            "failures": dict(point.numbers),
            "best": point == star,
        }
        for point in way
    ]
