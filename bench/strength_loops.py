"""How do loops over the pairs of thin and thorough work end?

python -m bench.strength_loops [--naming NAMING] [--side SIDE] [--strength MODE] [--lines] [NAME]

Each work of thin_pairs/ is played from the start of a loop to its verdict. The agent names a test
for each demand as its writer did (honestly), names none (nothing), or falsely: by turns the same
test for many demands, one that does not exist and one that passes without the work. It claims the
end until the loop lets it go, and changes nothing. The last column says how many demands end as
decided for what was named. It asserts nothing.
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
from collections.abc import Iterable
from itertools import cycle, islice, product
from pathlib import Path

from loopwright import lazy_re as re
from loopwright.cli.main import main as loop_command
from loopwright.core.criteria import Check
from loopwright.core.loop import Loop
from loopwright.core.prompts.demands import demand_line
from loopwright.core.prompts.thin_work import strength_lines
from loopwright.core.proof.demand_results import KEPT, NOT_SHOWN, demand_results, open_demands
from loopwright.core.proof.measured_strength import OFF, ONCE, REPORT, STRICT, strength_of
from loopwright.core.proof.verdict import SHIP
from loopwright.core.signals import TurnOver
from loopwright.core.start.demands import asked_together
from loopwright.core.status import ENDED
from loopwright.drive.proof import strength
from loopwright.drive.step import step_with_loop
from loopwright.store.folder import LoopFolder
from loopwright.verify.runner import check_environment, run_with_report

from .room_commits import CLAIM, DETECTED, SESSION
from .strength_pairs import PYTHON, THIN, THOROUGH, Pair, read_pairs, write_files

HONESTLY, NOTHING, FALSELY = NAMINGS = ("honestly", "nothing", "falsely")
ABSENT_TEST = "test_that_is_not_there"
SIDES = (THOROUGH, THIN)
MAX_CLAIMS = 6
WORD = re.compile(r"\w+")
WHO = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--naming", choices=NAMINGS, default=HONESTLY)
    parser.add_argument("--side", choices=SIDES, help="play this work of each pair alone")
    parser.add_argument(
        "--strength", choices=(OFF, REPORT, ONCE, STRICT), default=ONCE, help="of the loop"
    )
    parser.add_argument(
        "--lines", action="store_true", help="every line about demands and strength"
    )
    args = parser.parse_args()
    strength.SESSION_SECONDS = strength.RUN_SECONDS  # a machine under load is not the subject
    totals: dict[tuple[str, str], Counter[str]] = {}
    print("| pair | kind | tests by | side | claims | end | found | demands as decided |")
    print("|---|---|---|---|--:|---|---|--:|")
    as_decided: Counter[str] = Counter()
    pairs = [pair for pair in read_pairs() if not args.names or pair.name in args.names]
    for pair, side in product(pairs, (args.side,) if args.side else SIDES):
        guard = passing_test(pair, side) if args.naming == FALSELY else ABSENT_TEST
        loop, claims = play(pair, side, args.naming, guard, args.strength)
        found = found_by(loop)
        asked, decided = demands_as_decided(loop, guard)
        as_decided += Counter(asked=asked, decided=decided)
        demands = f"{decided} of {asked}"
        row = (pair.name, pair.kind, pair.tests_by, side, str(claims))
        cells = (*row, end_of(loop), found, demands)
        print(f"| {' | '.join(cells)} |", flush=True)
        if args.lines:
            print(*map(demand_line, demand_results(loop)), *strength_lines(loop), sep="\n")
        counts = totals.setdefault((pair.half, side), Counter())
        counts["called thin or not shown" if found else "neither"] += 1
    for (half, side), counts in sorted(totals.items()):
        words = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
        print(f"{half}, {side}: {words}")
    print(f"demands that end as decided: {as_decided['decided']} of {as_decided['asked']}")


def found_by(loop: Loop) -> str:
    """What says in the end that something is missing."""
    rows = ["thin"] if strength_of(loop).is_thin else []
    if numbers := ", ".join(str(result.number) for result in open_demands(loop)):
        rows.append(f"not shown: {numbers}")
    return "; ".join(rows)


def end_of(loop: Loop) -> str:
    if loop.status not in ENDED or loop.verdict is None:
        return f"{loop.status}: {loop.pause.why or 'the claim is taken back'}"
    return f"{loop.verdict.grade} {loop.verdict.name}: {loop.verdict.why}"[:120]


def demands_as_decided(loop: Loop, guard: str) -> tuple[int, int]:
    """Demands that a test is asked for, and how many of them end as decided."""
    items = loop.demands.items if loop.demands else ()
    ships = loop.verdict is not None and loop.verdict.name == SHIP
    named: set[str] = set()
    asked = decided = 0
    for item, row in zip(items, demand_results(loop), strict=True):
        if item.criterion:
            continue
        asked += 1
        is_settled = not row.is_open or not ships
        if item.shows in ("", ABSENT_TEST):
            decided += row.outcome == NOT_SHOWN and is_settled
        elif item.shows == guard:
            decided += row.outcome == KEPT and is_settled
        else:  # a person sees that it is one test
            decided += is_settled and (row.is_open or bool(row.same_as) == (item.shows in named))
        named.add(item.shows)
    return asked, decided


def play(pair: Pair, side: str, naming: str, guard: str, strength_mode: str) -> tuple[Loop, int]:
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
            order += ["--strength", strength_mode]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                code = loop_command(order)
            assert code == 0, said.getvalue()
            write_files(root, pair.sides[side])
            folder = LoopFolder(root)
            number = 0
            for number in range(1, MAX_CLAIMS + 1):  # noqa: B007 - the last one is returned
                claim = claim_with(folder.read_loop(), pair, side, naming, guard)
                _, loop = step_with_loop(
                    folder, TurnOver(time.time(), SESSION, claim, tool_calls=1)
                )
                if loop.status in ENDED or loop.pause.why:
                    break
            return loop, number


def claim_with(loop: Loop | None, pair: Pair, side: str, naming: str, guard: str) -> str:
    """The claim of the end, with the tests that the agent names."""
    items = loop.demands.items if loop and loop.demands else ()
    beside = asked_together(pair.spec, [demand.text for demand in items])
    honest = [named_test(demand.text, beside, pair, side) for demand in items]
    same = next((test for test in honest if test != "-"), "-")
    turns = {HONESTLY: honest, NOTHING: ["-"], FALSELY: [same, ABSENT_TEST, guard]}[naming]
    tests = islice(cycle(turns), len(items))
    rows = [f"SHOWS: {number}: {test}" for number, test in enumerate(tests, 1) if test != "-"]
    return CLAIM.replace("STUCK_COUNT", "\n".join([*rows, "STUCK_COUNT"]))


def passing_test(pair: Pair, side: str) -> str:
    """A test of the work that passes at the start, too, if its runner names one."""
    check = Check(pair.check.replace("python3 ", PYTHON, 1))
    passed = []
    for texts in (pair.start, {**pair.start, **pair.sides[side]}):
        with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as logs:
            write_files(root, texts)
            _, report = run_with_report(check, "tests", "", root, logs, check_environment())
            passed.append(report.passed)
    at_start, at_end = passed
    both = [test for test in at_start if test in at_end]
    return both[0] if both else ABSENT_TEST


def named_test(demand: str, beside: Iterable[frozenset[str]], pair: Pair, side: str) -> str:
    """The test that the writer of the pair names for what this demand says.

    What the same item of the spec says counts half: a writer reads it as a whole.
    """
    together = next((" ".join(texts) for texts in beside if demand in texts), demand)
    best = max(
        pair.demands,
        key=lambda named: likeness(named.text, demand) + likeness(named.text, together) / 2,
    )
    return best.tests[side]


def likeness(text: str, other: str) -> float:
    words, others = (set(WORD.findall(each.casefold())) for each in (text, other))
    return len(words & others) / (len(words) or 1)


if __name__ == "__main__":
    main()
