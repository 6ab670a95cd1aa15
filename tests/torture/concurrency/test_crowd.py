"""Hooks, commands, sessions and runners on one loop, all at once: nothing lost or doubled, one driver, never none for good."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.project import Project
from tests.torture.concurrency.crowd import Crowd
from tests.torture.conftest import Figure
from tests.torture.size import chunks, size


@pytest.mark.parametrize("what", ["concurrency", "lease hand-over"])
@pytest.mark.parametrize("seeds", chunks(commit=1, long=10, each=2), ids=str)
def test_whoever_pulls_at_it(
    project: Callable[..., Project], seeds: range, what: str, figure: Figure
) -> None:
    bad, deeds = list[str](), 0
    for seed in seeds:
        crowd = Crowd(project(), seed)
        words, sessions = (
            [crowd.tell, crowd.tell, crowd.pause, crowd.look, crowd.turn],
            [crowd.turn, crowd.attach],
        )
        hands = (
            [[crowd.run], words, words, words]
            if what == "concurrency"
            else [[crowd.run], [crowd.run], sessions, sessions]
        )
        deeds += crowd.act_at_once(*hands, rounds=size(commit=2, long=20))
        crowd.check_journal()
        crowd.ends()
        bad += crowd.bad
    figure(what, of=deeds, bad=bad, note="hooks, commands, sessions and runners at once")
