"""Trajectory: where the last iterations went, as numbers and in words: stalled, oscillating or diverging."""

from __future__ import annotations

from .limits import Streak
from .record import Record

Score = tuple[int, int]  # criteria unmet, failures counted; less is better


class IterationResult(Record):
    """One iteration, as its checks left it."""

    number: int
    tree: str = ""
    commit: str = ""  # that holds the tree; "" where it is not kept
    results: tuple[tuple[str, bool], ...] = ()
    failure_counts: tuple[tuple[str, int], ...] = ()  # failures that a check counted

    @property
    def score(self) -> Score:
        return sum(not fine for _, fine in self.results), sum(
            number for _, number in self.failure_counts
        )


def best_iteration(way: tuple[IterationResult, ...]) -> IterationResult | None:
    """The kept iteration with the least unmet and failing; of equals the latest."""
    kept = [point for point in way if point.commit and point.results]
    return min(reversed(kept), key=lambda point: point.score, default=None)


def trajectory_text(streak: Streak) -> str:
    """What kind of no progress it is. Each wants another remedy."""
    sets, trees, scores = streak.unmet, streak.trees, streak.scores
    if len(scores) >= 3 and scores[-3] < scores[-2] < scores[-1]:
        return (
            f"diverging, each leaves more that fails than the one before ({_score_series(scores)})"
        )
    if _alternates(trees):
        return "oscillating between two states of the files"
    if _alternates(sets):
        return f"oscillating between {_name_list(sets[-2])} and {_name_list(sets[-1])}"
    if _alternates(scores):
        return f"oscillating ({_score_series(scores)})"
    return f"stalled on {_name_list(sets[-1])}" if sets else "stalled"


def _alternates(values: tuple[object, ...]) -> bool:
    if len(values) < 4:
        return False
    a, b, c, d = values[-4:]
    return a == c and b == d and a != b


def _score_series(scores: tuple[Score, ...]) -> str:
    return " → ".join(
        f"{unmet} unmet{f', {failed} failing' if failed else ''}" for unmet, failed in scores[-4:]
    )


def _name_list(names: tuple[str, ...]) -> str:
    return ", ".join(names)[:200] or "nothing unmet"
