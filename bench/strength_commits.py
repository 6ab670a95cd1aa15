"""How many commits of a public project would be called thin?

python -m bench.strength_commits CLONE --check COMMAND [--count N] [--budget SECONDS]

Each commit that changes product and tests is measured as `loop strength --since COMMIT~1` does. Commits
at which the check fails or measures nothing are counted apart and do not use up N. The clone is used
for measuring: its files are replaced. It asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from pathlib import Path

from loopwright.cleanroom.checkout_files import RoomError
from loopwright.core.criteria import Check
from loopwright.core.prompts.strength import strength_block
from loopwright.core.proof.strength import Strength
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.git_work import open_work
from loopwright.strength.measure import measure_strength

from .room_commits import check_out, git, suitable_commits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--check", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--budget", type=float, default=120)
    args = parser.parse_args()
    newest = git(args.clone, "rev-parse", "HEAD").strip()
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        for commit in suitable_commits(args.clone):
            strength = measure_commit(args.clone, commit, args.check, args.budget)
            result = result_of(strength)
            totals[result] += 1
            subject = git(args.clone, "log", "-1", "--format=%h %s", commit).strip()
            print(f"\n{subject}\n  {result}", *strength_block(strength)[1:], sep="\n", flush=True)
            if totals["thin"] + totals["not thin"] == args.count:
                break
    check_out(args.clone, newest)
    print(f"\n{args.clone.name}:", *(f"{result} {n}" for result, n in sorted(totals.items())))


def measure_commit(clone: Path, commit: str, command: str, budget: float) -> Strength:
    check_out(clone, commit)
    checks = [MeasuredCheck("tests pass", Check(command))]
    try:
        with open_work(str(clone.resolve()), f"{commit}~1", checks) as work:
            return measure_strength(work.room, work.files, checks, budget)
    except RoomError:
        return Strength()


def result_of(strength: Strength) -> str:
    if strength.is_thin:
        return "thin"
    return "not thin" if strength.is_measured else "not measured"


if __name__ == "__main__":
    main()
