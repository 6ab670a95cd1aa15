"""Simulated nights: three at each commit, fifty in `make torture`. Each is proven or paused for the right reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.conftest import Figure
from tests.torture.nights.night import LAST_SEED, Night
from tests.torture.size import FIGURES

AT_EACH_COMMIT = (
    2,
    3,
    21,
)  # the morning comes first; a closed terminal; a killed runner and a hang
SEEDS = tuple(range(LAST_SEED + 1)) if FIGURES else AT_EACH_COMMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_a_night_ends_proven_or_paused_for_the_right_reason(
    tmp_path: Path, figure: Figure, seed: int
) -> None:
    bad = Night(tmp_path / "night", seed).play()

    figure("simulated nights", of=1, bad=bad)
