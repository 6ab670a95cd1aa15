"""The clock of tests: it moves as the test says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.torture.nights.simulated_clock import SimulatedClock


def test_it_is_as_far_ahead_as_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("7200 3600\n")
    clock = SimulatedClock(str(tmp_path / "clock"), 600)
    wall, awake = clock.time() - time.time(), clock.monotonic() - time.monotonic()

    assert wall == pytest.approx(7200, abs=5)
    assert awake == pytest.approx(3600, abs=5)


def test_while_the_runner_waits_it_runs_faster(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("0 0\n")
    clock = SimulatedClock(str(tmp_path / "clock"), 600)
    clock.sleep(0.5)
    clock.sleep(0.01)  # a poll for something that really happens

    assert (tmp_path / "clock").read_text() == "300.0 300.0\n"
