"""How deep the tests are: broken copies of the rules that nobody notices, and branches that no test takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.torture.conftest import Figure
from tests.torture.size import FIGURES

HOW_MANY, SEED, REPORT = 400, 8, f"{FIGURES}.mutants.json"


@pytest.fixture(scope="module")
def mutant_report() -> Any:
    """Both are measured in one run, in a process that has imported nothing of ours."""
    words = [sys.executable, "-m", "tests.torture.model.mutants", str(HOW_MANY), str(SEED), REPORT]
    subprocess.run(
        words,
        check=True,
        timeout=3 * 3600,
        env={**os.environ, "TORTURE": "", "LOOP_NEEDS_CLIENT": "1"},
        stdout=subprocess.DEVNULL,
    )
    return json.loads(Path(REPORT).read_text(encoding="utf-8"))


def test_every_branch_is_taken(figure: Figure, mutant_report: Any) -> None:
    figure("branches", of=mutant_report["branches"], bad=mutant_report["missing"])


def test_nine_of_ten_mutants_are_noticed(figure: Figure, mutant_report: Any) -> None:
    survivors, killed = (
        mutant_report["survivors"],
        100 - 100 * len(mutant_report["survivors"]) / mutant_report["of"],
    )
    figure(
        "mutants",
        of=mutant_report["of"],
        bad=survivors if killed < 90 else [],
        note=f"{killed:.1f} % killed",
    )
