"""Trajectory: what kind of no progress it is, and which iteration was the best."""

from __future__ import annotations

import pytest

from loopwright.core.limits import Streak
from loopwright.core.pausing.trajectory import IterationResult, best_iteration
from loopwright.core.prompts.trajectory import trajectory_text

A, B = ("lint clean",), ("tests pass",)

COURSES = [
    pytest.param(
        Streak(unmet=(A, A, A), scores=((1, 3), (1, 3), (1, 3)), trees=("1", "2", "3")),
        "stalled on lint clean",
    ),
    pytest.param(
        Streak(unmet=(A, B, A, B), trees=("1", "2", "3", "4")),
        "oscillating between lint clean and tests pass",
    ),
    pytest.param(
        Streak(unmet=(A, A, A, A), trees=("1", "2", "1", "2")),
        "oscillating between two states of the files",
    ),
    pytest.param(
        Streak(
            unmet=(A, A, A, A), trees=("1", "2", "3", "4"), scores=((1, 2), (1, 5), (1, 2), (1, 5))
        ),
        "oscillating (1 unmet, 2 failing → 1 unmet, 5 failing → 1 unmet, 2 failing → 1 unmet, 5 failing)",
    ),
    pytest.param(
        Streak(unmet=(A, A, A), trees=("1", "2", "3"), scores=((1, 2), (1, 5), (2, 0))),
        "diverging, each leaves more that fails than the one before (1 unmet, 2 failing → 1 unmet, 5 failing → 2 unmet)",
    ),
    pytest.param(Streak(), "stalled"),
]


@pytest.mark.parametrize(("streak", "words"), COURSES)
def test_course(streak, words):
    assert trajectory_text(streak) == words


def point(number: int, unmet: int, failing: int = 0, commit: str = "c") -> IterationResult:
    results = tuple((f"criterion {n}", n >= unmet) for n in range(3))
    return IterationResult(
        number,
        f"tree-{number}",
        f"{commit}{number}" if commit else "",
        results,
        (("criterion 0", failing),),
    )


BEST = [
    pytest.param((point(0, 3), point(1, 1), point(2, 2)), 1, id="the least unmet"),
    pytest.param(
        (point(0, 1, 9), point(1, 1, 2), point(2, 1, 5)), 1, id="of equals the least failing"
    ),
    pytest.param((point(0, 1), point(1, 1)), 1, id="of equals the latest"),
    pytest.param(
        (point(0, 2), point(1, 0, commit="")), 0, id="what is not kept is no place to go back to"
    ),
    pytest.param((IterationResult(0, "t", "c0"),), None, id="where no check ran there is no best"),
    pytest.param((), None, id="nothing at all"),
]


@pytest.mark.parametrize(("way", "number"), BEST)
def test_best(way, number):
    found = best_iteration(way)
    assert (found.number if found else None) == number
