"""How a loop fails to make progress, in words: stalled, oscillating or diverging."""

from __future__ import annotations

from ..limits import Streak
from ..pausing.trajectory import Score


def trajectory_text(streak: Streak) -> str:
    """How the loop fails to make progress. Each kind needs another remedy."""
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
    return f"stalled on {_name_list(sets[-1])}" if sets and sets[-1] else "stalled"


def _alternates(values: tuple[object, ...]) -> bool:
    """A-B-A-B: do the last four values alternate between two?

    This only words an oscillation for people. `breakers.count_progress` detects it: a set of unmet
    criteria that is among the last six is not progress, and the `stuck` breaker counts that.
    """
    if len(values) < 4:
        return False
    a, b, c, d = values[-4:]
    return a == c and b == d and a != b


def _score_series(scores: tuple[Score, ...]) -> str:
    return " → ".join(map(_score_text, scores[-4:]))


def _score_text(score: Score) -> str:
    unmet, failures = score
    return f"{unmet} unmet, {failures} failing" if failures else f"{unmet} unmet"


def _name_list(names: tuple[str, ...]) -> str:
    return ", ".join(names)[:200] or "nothing unmet"
