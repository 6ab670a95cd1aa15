"""Trajectory: the results of the last iterations, and the best of them."""

from __future__ import annotations

from ..record import Record

Score = tuple[int, int]  # criteria unmet, failures counted; less is better


class IterationResult(Record):
    """One iteration and the results of its checks."""

    number: int
    tree: str = ""
    commit: str = ""  # holds the tree; empty if the tree is not kept
    results: tuple[tuple[str, bool], ...] = ()
    failure_counts: tuple[tuple[str, int], ...] = ()  # failures that a check counted
    seconds: float = 0.0  # of the loop at its end
    dollars: float = 0.0  # of the iteration alone

    @property
    def score(self) -> Score:
        unmet = sum(not passed for _, passed in self.results)
        failures = sum(count for _, count in self.failure_counts)
        return unmet, failures


def best_iteration(iterations: tuple[IterationResult, ...]) -> IterationResult | None:
    """The iteration with a commit and the lowest score; of equals the latest."""
    candidates = [result for result in iterations if result.commit and result.results]
    return min(reversed(candidates), key=lambda result: result.score, default=None)
