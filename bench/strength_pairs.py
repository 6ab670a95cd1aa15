"""How often is thin work called thin, and thorough work too? Small pairs in four languages.

python -m bench.strength_pairs [NAME ...]

Each pair has the same start and the same request. `thin` does less: its code is stubbed, unused, only
right for the tested case, or hardly tested. It asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from loopwright.cleanroom.checkout import PreparedRoom
from loopwright.cleanroom.view import RoomView
from loopwright.core.criteria import Check
from loopwright.core.prompts.strength import strength_block
from loopwright.core.proof.strength import Strength
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.git_work import product_files
from loopwright.strength.measure import measure_strength

from .strength_pairs_data import PAIRS

BUDGET_SECONDS = 900.0


class Counts(NamedTuple):
    called: int = 0
    measured: int = 0
    all: int = 0


def main() -> None:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    totals = {"thin": Counts(), "thorough": Counts()}
    print("| pair | kind of thinness | side | result | judged | lines |\n|---|---|---|---|---|---|")
    for name, (kind, command, start, sides) in PAIRS.items():
        if wanted and name not in wanted:
            continue
        for side, work in sides.items():
            strength = measure(command, start, work)
            result = "thin" if strength.is_thin else "not thin"
            result = result if strength.is_measured else "not measured"
            judged = f"{len(strength.noticed)} of {len(strength.judged)}"
            print(
                f"| {name} | {kind} | {side} | {result} | {judged} | {strength.lines_text} |",
                flush=True,
            )
            if "--blocks" in sys.argv:
                print("\n".join(strength_block(strength)), flush=True)
            count = totals[side]
            totals[side] = Counts(
                count.called + strength.is_thin,
                count.measured + strength.is_measured,
                count.all + 1,
            )
    for side, count in totals.items():
        print(f"\n{side}: {count.called} of {count.all} called thin ({count.measured} measured)")


def measure(command: str, start: dict[str, str], work: dict[str, str]) -> Strength:
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**start, **work}.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        check = MeasuredCheck("tests pass", Check(command.format(python=sys.executable)))
        sides = {path: (start.get(path), text) for path, text in work.items()}
        files = product_files(sides, root, [check])
        room = PreparedRoom(RoomView(root, root))
        return measure_strength(room, files, [check], BUDGET_SECONDS)


if __name__ == "__main__":
    main()
