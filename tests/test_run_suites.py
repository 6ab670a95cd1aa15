"""`make test`: every suite runs once, its output is whole, and one that fails fails the run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
ROOT = Path(__file__).parents[1]
SUITES = ["browser", "clients", "fleet", "lint", "proof", "pytest", "setup"]
# In place of `make`: two lines for each suite, with a pause in which another one could print.
MAKE = """#!/bin/sh
echo "$1 begins"
sleep 0.05
echo "$1 ends"
[ "$1" != "$FAILS" ]
"""


def run_suites(folder: Path, fails: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "make").write_text(MAKE)
    (folder / "make").chmod(0o755)
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "FAILS": fails}
    words = ["bash", str(ROOT / "scripts/run_suites.sh")]
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


def rows(text: str) -> dict[str, str]:
    """What the table at the end says, by suite."""
    table = text.partition("suite       seconds  processor   budget\n")[2]
    return {line.split()[0]: line for line in table.splitlines()}


def test_every_suite_runs_once_and_prints_in_one_piece(tmp_path: Path) -> None:
    done = run_suites(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(re.findall(r"===== make (\w+)\n\1 begins\n\1 ends\n", done.stdout)) == SUITES
    assert sorted(rows(done.stdout)) == sorted([*SUITES, "all"])
    assert done.stdout.index("make setup") < min(
        map(done.stdout.index, ("make lint", "make fleet"))
    )


def test_a_suite_that_fails_ends_its_lane_and_the_other_lane_goes_on(tmp_path: Path) -> None:
    done = run_suites(tmp_path, fails="fleet")

    assert done.returncode == 1
    assert rows(done.stdout)["fleet"].endswith("failed")
    assert re.findall(r"===== make (\w+)", done.stdout)[-1] == "fleet", "what failed is read first"
    assert sorted(rows(done.stdout)) == ["all", "fleet", "lint", "pytest", "setup"]


def test_nothing_runs_after_a_setup_that_fails(tmp_path: Path) -> None:
    done = run_suites(tmp_path, fails="setup")

    assert (done.returncode, sorted(rows(done.stdout))) == (1, ["all", "setup"])


def test_ci_and_the_readme_run_the_same() -> None:
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").rstrip().endswith("\nmake test")
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^test:.*\n\tscripts/run_suites\.sh$", makefile, re.MULTILINE)
