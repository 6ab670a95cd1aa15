"""Share checks out among several checkouts, so that slow ones need not wait for each other."""

from __future__ import annotations

from ..core.criteria import Criterion

MIN_SECONDS = 3.0  # that the checks take one after the other; below that, checkouts cost more
UNKNOWN_SECONDS = 1.0  # of a check that has not run yet


def group_checks(
    criteria: list[Criterion], most: int, extra_seconds: float = 0.0
) -> list[list[Criterion]]:
    """At most so many groups, the longest checks first; one group where more would not be faster.

    `extra_seconds` is what a further checkout costs.
    """
    seconds = {c.name: c.proof.seconds if c.proof else UNKNOWN_SECONDS for c in criteria}
    groups: list[list[Criterion]] = [[] for _ in range(max(1, min(most, len(criteria))))]

    def length(group: list[Criterion]) -> float:
        return sum(seconds[c.name] for c in group)

    for c in sorted(criteria, key=lambda c: -seconds[c.name]):
        min(groups, key=length).append(c)
    total, longest = length(criteria), max(map(length, groups), default=0.0)
    if total < MIN_SECONDS or total - longest <= extra_seconds:
        return [criteria] if criteria else []
    return groups
