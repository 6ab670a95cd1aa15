"""Nights of simulated work: seconds at each commit, an hour in the long run, or SOAK_SECONDS of it. No leak of any kind."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from tests.torture.conftest import Figure
from tests.torture.size import size
from tests.torture.soak.night import MARK, Night

SECONDS = size(commit=1, long=int(os.environ.get("SOAK_SECONDS", "3600")))
LOOPS = 40  # of one night
GROWTH = 64  # MB that an interpreter may take and keep, however long it goes on


def weight() -> tuple[int, int]:
    """Open files, and MB of memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return len(os.listdir("/proc/self/fd")), pages * os.sysconf("SC_PAGE_SIZE") // 2**20


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="/proc tells what is left")
@pytest.mark.long
def test_after_each_night_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in (MARK, "TMPDIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, "")  # put back afterwards, whatever a night sets
    bad, weights, loops, end = list[str](), list[tuple[int, int]](), 0, time.monotonic() + SECONDS
    while len(weights) < 2 or time.monotonic() < end:
        night = Night(tmp_path / str(len(weights)), len(weights))
        night.plays(LOOPS if weights else 4, end if weights else end + 60)  # the first one warms up
        bad += night.bad + night.leftovers()
        loops += night.loops
        shutil.rmtree(night.place)
        weights.append(weight())
    files, memory = (last - first for first, last in zip(weights[0], weights[-1], strict=True))
    if files > 0 or memory > GROWTH:
        bad.append(
            f"since the first night {files} more files are open, and {memory} MB more are taken"
        )
    figure(
        "soak",
        of=loops,
        bad=bad,
        note=f"loops in {len(weights)} nights; {files:+d} open files, {memory:+d} MB since the first",
    )
