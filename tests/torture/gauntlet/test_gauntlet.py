"""Every scenario with every seed; at each commit one scenario of six. A failure says which, and the class of each turn."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.torture.conftest import Figure
from tests.torture.gauntlet import agents, disks, hook_inputs, nights, states, surroundings
from tests.torture.gauntlet.scenario import RIGHT, play_case
from tests.torture.size import every, size

GROUPS = {
    module.__name__.rpartition(".")[2]: module.TABLE
    for module in (agents, states, surroundings, hook_inputs, nights, disks)
}
MOUNTS = pytest.mark.skipif(
    not disks.CAN_MOUNT, reason="a small disk is mounted: only root may, and not in every container"
)


@pytest.mark.parametrize(
    "group", [pytest.param(name, marks=MOUNTS if name == "disks" else ()) for name in GROUPS]
)
def test_every_turn_is_right(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    bad, turns, seeds = [], 0, size(commit=1, long=10)
    scenarios = every(20, [*GROUPS[group].items()])
    for number, (name, given) in enumerate(scenarios):
        for seed in range(seeds):
            # The sessions have the same names in each play: none may know of the loop of another.
            monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state {number} {seed}"))
            rows = play_case(name, given, seed, tmp_path / "play")
            shutil.rmtree(tmp_path / "play", ignore_errors=True)
            kinds, said = Counter(kind for kind, _ in rows), dict(reversed(rows))
            turns += sum(kinds[kind] for kind in RIGHT)
            bad += [
                f"{name} | seed {seed} | {kind} × {n} | {said[kind]}"
                for kind, n in kinds.items()
                if kind not in RIGHT
            ]
    figure("gauntlet", of=len(scenarios) * seeds, bad=bad, note=f"{group}: {turns} turns")
