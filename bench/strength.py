"""Measure what strength costs beside one run of the check, and whether the budget is kept.

python bench/strength.py [--suite SECONDS:BUDGET ...]

Each suite has two files of tests: a quick one that imports the changed file, and one that sleeps. It
runs as `pytest -q`, where the quick file can be selected, and through a script, where nothing can. A
long suite is scaled: 30 s with a budget of 90 s stand for 5 min with 15 min. It asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from loopwright.core.criteria import Check
from loopwright.core.prompts.strength import headline
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.git_work import open_work
from loopwright.strength.measure import measure_strength

WHO = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
SUITES = ("1:60", "20:60", "30:90")
PYTEST = f"{sys.executable} -m pytest -q"
BEFORE = "def price(amount, off=0):\n    return amount\n"
AFTER = """\
def price(amount, off=0):
    if off > amount:
        return 0
    if off:
        amount = amount - off
    return rounded(amount)


def rounded(amount):
    if amount < 1:
        return 1
    return amount * 100 // 100
"""
TESTS = """\
from shop import price


def test_price():
    rows = [(5, 0), (5, 2), (5, 5), (5, 6), (0.5, 0), (1, 0)]
    assert [price(*row) for row in rows] == [5, 3, 1, 0, 1, 1]
"""
SLOW = "import time\n\n\ndef test_slow():\n    time.sleep({seconds})\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", action="append", metavar="SECONDS:BUDGET")
    suites = parser.parse_args().suite or SUITES
    print(
        "| suite | command | one run | budget | used | runs | result |\n|--:|---|--:|--:|--:|--:|---|"
    )
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        for suite in suites:
            seconds, _, budget = suite.partition(":")
            for words, command in (("pytest -q", PYTEST), ("a script", "sh run.sh")):
                print(row(float(seconds), float(budget), words, command), flush=True)


def row(seconds: float, budget: float, words: str, command: str) -> str:
    """One suite and one way to run it."""
    with tempfile.TemporaryDirectory() as root:
        write_project(Path(root), seconds)
        checks = [MeasuredCheck("tests pass", Check(command))]
        began = time.monotonic()
        with open_work(root, "HEAD", checks) as work:
            one_run = time_command(command, work.room.path)
            began = time.monotonic()
            strength = measure_strength(work.room, work.files, checks, budget)
            used = time.monotonic() - began
    kept = "" if used <= budget + 3 else " OVER"
    why = "; ".join(f"{row.what}: {row.why}" for row in strength.unmeasured)
    text = f"{headline(strength)} {strength.selection} {why}".strip()
    return (
        f"| {seconds:g} s | {words} | {one_run:.1f} s | {budget:g} s | {used:.1f} s{kept} "
        f"| {strength.runs} | {text} |"
    )


def time_command(command: str, folder: str) -> float:
    began = time.monotonic()
    subprocess.run(command, shell=True, cwd=folder, capture_output=True, check=False)
    return time.monotonic() - began


def write_project(root: Path, seconds: float) -> None:
    files = {
        "shop.py": BEFORE,
        "test_shop.py": TESTS,
        "test_slow.py": SLOW.format(seconds=seconds),
        "run.sh": f"exec {PYTEST}\n",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    for words in (("init", "-q"), ("add", "-A"), (*WHO, "commit", "-qm", "start")):
        subprocess.run(["git", *words], cwd=root, check=True)
    (root / "shop.py").write_text(AFTER)


if __name__ == "__main__":
    main()
