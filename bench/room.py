"""Measure the clean checkout of the final proof beside the check itself.

python bench/room.py [--runs N] [--files N] [--seconds S]
python bench/room.py --commits CLONE --check COMMAND [--count N] [--results FILE]

Each project has a loop whose bug is repaired. With an environment, the project has a virtual
environment that is copied at the start and into every room. It asserts nothing. With --commits it
replays honest commits of a clone instead (room_commits.py).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loopwright.cleanroom.calibration import plan_room
from loopwright.cleanroom.checkout import BASELINE_REPORTS, load_runs
from loopwright.cleanroom.runs import run_in_room
from loopwright.cli.main import main as loop_command
from loopwright.core.directives import RunInCleanCheckout
from loopwright.core.loop import Loop
from loopwright.core.proof.clean_checkout import (
    FAILED,
    FINAL_TREE_RUN,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
)
from loopwright.core.proof.measured_strength import MODES, REPORT
from loopwright.core.signals import CleanCheckoutResult
from loopwright.repo.tree import tree_hash
from loopwright.store.folder import LoopFolder
from loopwright.verify.runner import run_check

WHO = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
TEST = """\
import time
import unittest

from parse import parse


class Parse(unittest.TestCase):
    def test_letters(self):
        time.sleep({seconds})
        self.assertEqual(parse("a"), "a")
"""
BROKEN, FIXED = ("def parse(text):\n    return text + '!'\n", "def parse(text):\n    return text\n")
KINDS = {
    "clean checkout": FINAL_TREE_RUN,
    "baseline replay": REPLAY_RUN,
    "revert test": REVERT_RUN,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=3.0, help="of the slow check")
    parser.add_argument("--commits", type=Path, metavar="CLONE", help="replay honest commits of it")
    parser.add_argument("--check", default="python3 -m pytest -q", help="the tests of the clone")
    parser.add_argument("--count", type=int, default=15, help="of commits")
    parser.add_argument("--skip", type=int, default=0, help="as many of the newest commits")
    parser.add_argument("--strength", choices=MODES, default=REPORT, help="with --commits")
    parser.add_argument("--results", type=Path, help="JSON lines, continued")
    args = parser.parse_args()
    if args.commits:
        from room_commits import Settings, replay_commits

        settings = Settings(args.check, args.count, args.skip, args.strength, args.results)
        replay_commits(args.commits.resolve(), settings)
        return
    print(f"{args.files} files, medians of {args.runs} alternating runs\n")
    print("| project | what | cold ms | warm ms | x check, warm |\n|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
        for seconds in (0.0, args.seconds):
            for has_environment in (False, True):
                name = f"a check of {seconds:g} s" if seconds else "a quick check"
                name += ", environment copied" if has_environment else ""
                root = Path(folder) / f"{seconds:g}-{has_environment}" / "project"
                create_project(root, args.files, seconds, has_environment)
                print_rows(name, root, args.runs)


def create_project(root: Path, files: int, seconds: float, has_environment: bool) -> None:
    """A repository with one failing test, and a loop that is to repair it."""
    for number in range(files):
        path = root / f"part{number // 100}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 20)
    (root / "parse.py").write_text(BROKEN)
    (root / "test_parse.py").write_text(TEST.format(seconds=seconds))
    (root / ".gitignore").write_text(".venv/\n")
    if has_environment:
        subprocess.run([sys.executable, "-m", "venv", str(root / ".venv")], check=True)
    for words in (("init", "-q"), ("add", "-A"), (*WHO, "commit", "-qm", "all of it")):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    python = ".venv/bin/python" if has_environment else "python3"
    check = f"tests pass={python} -B -m unittest -v"
    with contextlib.chdir(root), contextlib.redirect_stdout(io.StringIO()):
        loop_command(["start", "fix all failing tests", "--check", check, "--yes"])
    # Without a change around the product, replay and revert test would not be needed.
    (root / "parse.py").write_text(FIXED)
    (root / "test_more.py").write_text("import parse\n")


def print_rows(project: str, root: Path, runs: int) -> None:
    folder = LoopFolder(str(root))
    loop = folder.read_loop()
    assert loop is not None, "the loop has started"
    rows: dict[str, Callable[[], object]] = {
        "check in place": lambda: run_in_place(folder, loop),
        "packages saved, once": lambda: plan_room(folder, loop, load_runs(loop, BASELINE_REPORTS)),
        **{name: room_row(folder, loop, kind) for name, kind in KINDS.items()},
    }
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(runs + 1):
        for name, act in rows.items():
            times[name].append(time_call(act))
    base = statistics.median(times["check in place"][1:])
    for name, (cold, *warm) in times.items():
        median = statistics.median(warm)
        print(f"| {project} | {name} | {cold:.0f} | {median:.0f} | {median / base:.2f} |")


def run_in_place(folder: LoopFolder, loop: Loop) -> None:
    (criterion,) = loop.criteria
    assert criterion.check is not None
    evidence = run_check(criterion.check, criterion.name, loop.tree, folder.root, folder.path)
    assert evidence.passed, evidence.detail


def room_row(folder: LoopFolder, loop: Loop, kind: str) -> Callable[[], None]:
    def act() -> None:
        tree = tree_hash(folder.root, folder.path)
        result = run_in_room(folder, RunInCleanCheckout(kind, 1, 0, tree), loop)
        assert isinstance(result, CleanCheckoutResult)
        assert result.run.outcome in (PASSED, FAILED), result.run

    return act


def time_call(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
