"""How often is thin work called thin, and thorough work too?

python -m bench.strength_pairs [--blocks] [NAME ...]

The pairs 1 to 40 in thin_pairs/ were written by somebody who had not read this code, those from 41 on
after the rules. Each has a spec, a start and two works that pass the check: `thorough` does what the
spec says, and `thin` does less. The rule was chosen on the first twenty. It asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.proof_cases.reader import Entry, read_entries

from loopwright.cleanroom.checkout import PreparedRoom
from loopwright.cleanroom.view import RoomView
from loopwright.core.criteria import Check
from loopwright.core.prompts.strength import strength_block
from loopwright.core.proof.strength import Strength
from loopwright.strength.check_runs import MeasuredCheck
from loopwright.strength.git_work import product_files
from loopwright.strength.measure import measure_strength

FOLDER = Path(__file__).parent / "thin_pairs"
HEADERS = ("case", "check", "tests", "kind", "why", "demand")
THOROUGH, THIN = "thorough", "thin"
SECTIONS = ("spec", "start", THOROUGH, THIN)
BUDGET_SECONDS = 300.0


class Named(NamedTuple):
    """A demand of the spec, and the test that shows it in each work; "-" if there is none."""

    text: str
    tests: dict[str, str]


class Pair(NamedTuple):
    name: str
    language: str
    check: str
    tests_by: str  # person or agent
    kind: str
    spec: str
    demands: list[Named]
    start: dict[str, str]
    sides: dict[str, dict[str, str | None]]

    @property
    def half(self) -> str:
        number = int(self.name[:2])
        return "first" if number <= 20 else "second" if number <= 40 else "later"


def main() -> None:
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    totals: dict[tuple[str, str], Counter[str]] = {}
    print(
        "| pair | language | kind | tests by | side | result | noticed | lines that no check runs |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for pair in read_pairs():
        if wanted and pair.name not in wanted:
            continue
        for side in (THOROUGH, THIN):
            strength = measure_pair(pair, side)
            result = "thin" if strength.is_thin else "not thin"
            result = result if strength.is_measured else "not measured"
            judged = f"{len(strength.noticed)} of {len(strength.judged)}"
            cells = (pair.name, pair.language, pair.kind, pair.tests_by, side, result, judged)
            print(f"| {' | '.join(cells)} | {strength.lines_text} |", flush=True)
            if "--blocks" in sys.argv:
                print("\n".join(strength_block(strength)), flush=True)
            totals.setdefault((pair.half, side), Counter())[result] += 1
    for (half, side), counts in sorted(totals.items()):
        words = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
        print(f"{half} half, {side}: {words}")


def read_pairs() -> list[Pair]:
    pairs = [
        _pair(path.stem, entry)
        for path in sorted(FOLDER.glob("*.txt"))
        for entry in read_entries(path, HEADERS, SECTIONS)
    ]
    return sorted(pairs)


def _pair(language: str, entry: Entry) -> Pair:
    spec = entry.edits("spec", {})["spec.md"] or ""
    start = {path: text or "" for path, text in entry.edits("start", {}).items()}
    rows = [text.rsplit(" => ", 2) for text in entry.all("demand")]
    return Pair(
        name=entry.one("case"),
        language=language,
        check=entry.one("check"),
        tests_by=entry.one("tests"),
        kind=entry.one("kind"),
        spec=spec,
        demands=[Named(text, {THOROUGH: full, THIN: less}) for text, full, less in rows],
        start=start,
        sides={side: entry.edits(side, start) for side in (THOROUGH, THIN)},
    )


def measure_pair(pair: Pair, side: str) -> Strength:
    with tempfile.TemporaryDirectory() as root:
        write_files(root, {**pair.start, **pair.sides[side]})
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        check = MeasuredCheck("tests pass", Check(pair.check.replace("python3 ", PYTHON, 1)))
        sides = {path: (pair.start.get(path), text) for path, text in pair.sides[side].items()}
        files = product_files(sides, root, [check])
        room = PreparedRoom(RoomView(root, root))
        return measure_strength(room, files, [check], BUDGET_SECONDS, spec=pair.spec)


def write_files(root: str, texts: Mapping[str, str | None]) -> None:
    for name, text in texts.items():
        path = Path(root, name)
        if text is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)


PYTHON = f"{sys.executable} -B "

if __name__ == "__main__":
    main()
