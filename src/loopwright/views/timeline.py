"""The way a loop has come: each iteration with its results and numbers, from the journal alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..core import events as ev
from ..core.evolve import evolve
from ..core.loop import Loop
from ..core.prompts.phrases import clip_text, count_phrase
from ..core.record import Record
from ..core.trajectory import IterationResult, best_iteration


def waypoints_from_journal(moves: Iterable[tuple[Record, ...]]) -> tuple[IterationResult, ...]:
    """The start, then every iteration that counted."""
    way: list[IterationResult] = []
    loop: Loop | None = None
    for event in (event for events in moves for event in events):
        if isinstance(event, ev.TurnEnded) and loop and event.counts_as_iteration:
            way.append(
                IterationResult(
                    loop.spend.iterations + 1,
                    event.tree,
                    event.kept_commit or _commit_of_tree(way, event.tree),
                )
            )
        loop = (
            evolve(loop, event)
            if loop
            else event.loop
            if isinstance(event, ev.LoopStarted)
            else None
        )
        if loop and not way:
            way.append(
                IterationResult(
                    0, loop.tree, loop.baseline.tree_id if len(loop.baseline.tree_id) == 40 else ""
                )
            )
        if loop and isinstance(
            event, ev.LoopStarted | ev.CheckRan | ev.CheckRoundStarted | ev.CheckRoundEnded
        ):
            way[-1] = with_check_results(way[-1], loop)
    return tuple(way)


def _commit_of_tree(way: list[IterationResult], tree: str) -> str:
    """An iteration that changed no file is kept under the one before."""
    return next((point.commit for point in reversed(way) if point.tree == tree), "")


def with_check_results(point: IterationResult, loop: Loop) -> IterationResult:
    """What our own checks say of it."""
    proofs = [
        c.proof
        for c in loop.criteria
        if c.proof and c.proof.by == "loop" and c.proof.tree == loop.tree
    ]
    return point.but(
        results=tuple((proof.criterion, proof.passed) for proof in proofs),
        failure_counts=tuple(
            (proof.criterion, proof.failures)
            for proof in proofs
            if proof.failures is not None and not proof.passed
        ),
    )


def rows(way: tuple[IterationResult, ...]) -> list[str]:
    """One line an iteration; the best of those that are kept has a star."""
    star = best_iteration(way)
    return [
        f"  {'★' if point == star else ' '} {point.number:>3}  {_results_text(point)}"
        for point in way
    ]


def _results_text(point: IterationResult) -> str:
    fine = sum(fine for _, fine in point.results)
    numbers = "".join(f", {name} {number} failing" for name, number in point.failure_counts)
    told = (
        f"{fine} of {count_phrase(len(point.results), 'check')} pass{numbers}"
        if point.results
        else "no check has run"
    )
    return clip_text(f"{told}{'' if point.commit else ' (not kept)'}", 110)


def facts(way: tuple[IterationResult, ...]) -> list[dict[str, object]]:
    star = best_iteration(way)
    return [
        {
            "iteration": point.number,
            "tree": point.tree,
            "commit": point.commit or None,
            "results": dict(point.results),
            "failures": dict(point.failure_counts),
            "best": point == star,
        }
        for point in way
    ]
