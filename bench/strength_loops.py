"""How do loops over the pairs of thin and thorough work end?

python -m bench.strength_loops [--naming honestly|nothing|falsely] [--lines] [NAME ...]

Each work of thin_pairs/ is played from the start of a loop to its verdict. The agent names a test for
each demand as its writer did (honestly), names none, or names one that does not exist (falsely). It
claims the end until the loop lets it go, and changes nothing. It asserts nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import tempfile
import time
from collections import Counter
from itertools import product
from pathlib import Path

from loopwright import lazy_re as re
from loopwright.cli.main import main as loop_command
from loopwright.core.loop import Loop
from loopwright.core.prompts.demands import demand_line
from loopwright.core.prompts.thin_work import strength_lines
from loopwright.core.proof.demand_results import demand_results, open_demands
from loopwright.core.proof.measured_strength import is_thin
from loopwright.core.signals import TurnOver
from loopwright.core.status import ENDED
from loopwright.drive.proof import strength
from loopwright.drive.step import step_with_loop
from loopwright.store.folder import LoopFolder

from .room_commits import CLAIM, DETECTED, SESSION
from .strength_pairs import PYTHON, THIN, THOROUGH, Pair, read_pairs, write_files

HONESTLY, NOTHING, FALSELY = "honestly", "nothing", "falsely"
MAX_CLAIMS = 6
WORD = re.compile(r"\w+")
WHO = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--naming", choices=(HONESTLY, NOTHING, FALSELY), default=HONESTLY)
    parser.add_argument(
        "--lines", action="store_true", help="every line about demands and strength"
    )
    args = parser.parse_args()
    strength.SESSION_SECONDS = strength.RUN_SECONDS  # a machine under load is not the subject
    totals: dict[tuple[str, str], Counter[str]] = {}
    print("| pair | kind | tests by | side | claims | end | found |\n|---|---|---|---|--:|---|---|")
    pairs = [pair for pair in read_pairs() if not args.names or pair.name in args.names]
    for pair, side in product(pairs, (THOROUGH, THIN)):
        loop, claims = play(pair, side, args.naming)
        found = found_by(loop)
        cells = (pair.name, pair.kind, pair.tests_by, side, str(claims), end_of(loop), found)
        print(f"| {' | '.join(cells)} |", flush=True)
        if args.lines:
            print(*map(demand_line, demand_results(loop)), *strength_lines(loop), sep="\n")
        counts = totals.setdefault((pair.half, side), Counter())
        counts["called thin or not shown" if found else "neither"] += 1
    for (half, side), counts in sorted(totals.items()):
        words = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
        print(f"{half}, {side}: {words}")


def found_by(loop: Loop) -> str:
    """What says in the end that something is missing."""
    rows = ["thin"] if is_thin(loop) else []
    if numbers := ", ".join(str(result.number) for result in open_demands(loop)):
        rows.append(f"not shown: {numbers}")
    return "; ".join(rows)


def end_of(loop: Loop) -> str:
    if loop.status not in ENDED or loop.verdict is None:
        return f"{loop.status}: {loop.pause.why or 'the claim is taken back'}"
    return f"{loop.verdict.grade} {loop.verdict.name}: {loop.verdict.why}"[:120]


def play(pair: Pair, side: str, naming: str) -> tuple[Loop, int]:
    """The loop at its end, and how often the agent claimed it."""
    check = pair.check.replace("python3 ", PYTHON, 1)
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        write_files(root, pair.start)
        Path(root, ".gitignore").write_text("__pycache__/\ntarget/\n")
        for words in (("init", "-q"), ("add", "-A"), (*WHO, "commit", "-qm", "start")):
            subprocess.run(["git", *words], cwd=root, check=True)
        with contextlib.chdir(root):
            without = [word for name in DETECTED for word in ("--without", name)]
            order = ["start", pair.spec, "--check", f"tests pass={check}", "--yes", *without]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                code = loop_command(order)
            assert code == 0, said.getvalue()
            write_files(root, pair.sides[side])
            folder = LoopFolder(root)
            number = 0
            for number in range(1, MAX_CLAIMS + 1):  # noqa: B007 - the last one is returned
                claim = claim_with(folder.read_loop(), pair, side, naming)
                _, loop = step_with_loop(
                    folder, TurnOver(time.time(), SESSION, claim, tool_calls=1)
                )
                if loop.status in ENDED or loop.pause.why:
                    break
            return loop, number


def claim_with(loop: Loop | None, pair: Pair, side: str, naming: str) -> str:
    """The claim of the end, with the tests that the agent names."""
    rows = []
    for number, demand in enumerate(loop.demands.items if loop and loop.demands else (), 1):
        test = {NOTHING: "-", FALSELY: "test_that_is_not_there"}.get(naming, "")
        test = test or named_test(demand.text, pair, side)
        if test != "-":
            rows.append(f"SHOWS: {number}: {test}")
    return CLAIM.replace("STUCK_COUNT", "\n".join([*rows, "STUCK_COUNT"]))


def named_test(demand: str, pair: Pair, side: str) -> str:
    """The test that the writer of the pair names for what this demand says."""
    words = set(WORD.findall(demand.casefold()))

    def likeness(text: str) -> float:
        others = set(WORD.findall(text.casefold()))
        return len(words & others) / (len(others) or 1)

    best = max(pair.demands, key=lambda named: likeness(named.text))
    return best.tests[side]


if __name__ == "__main__":
    main()
