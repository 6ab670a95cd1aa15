"""Measure the ratchet: how much it finds, and how often it raises a false alarm.

python bench/ratchet.py [--show]                         pairs of files, weakened or honest
python bench/ratchet.py --commits CLONE… [--count 60]    honest commits of real repositories
python bench/ratchet.py --weaken CLONE…                  their files, weakened mechanically
python bench/ratchet.py --speed                          processor time for 200 changed files

Half of the pairs were set aside before the first rule was written. It asserts nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ratchet_commits import print_commit_tables
from ratchet_speed import print_speed_table
from ratchet_weakening import print_recall_table

from loopwright import ratchet
from loopwright.core.findings import HIGH, LOW, Finding
from loopwright.ratchet.readers.languages import LANGUAGES
from loopwright.repo.baseline import Change

PAIRS = Path(__file__).resolve().parent.parent / "tests" / "ratchet" / "pairs"
HALVES = ("known", "aside")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the findings")
    parser.add_argument("--commits", nargs="+", type=Path, metavar="CLONE")
    parser.add_argument("--weaken", nargs="+", type=Path, metavar="CLONE")
    parser.add_argument("--speed", action="store_true", help="time 200 changed files")
    parser.add_argument("--count", type=int, default=60, help="commits of each clone")
    args = parser.parse_args()
    if args.commits:
        print_commit_tables(args.commits, args.count, args.show)
    if args.weaken:
        print_recall_table(args.weaken, args.show)
    if args.speed:
        print_speed_table()
    if not (args.commits or args.weaken or args.speed):
        print_pair_table(args.show)


def print_pair_table(show: bool) -> None:
    columns = ("weakened, found", "honest, let pass", "honest, refuted", "precision", "recall")
    print(f"| pairs | half | {' | '.join(columns)} |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for name in ("python", *(language.name for language in LANGUAGES), "settings"):
        for half in HALVES:
            print(result_row(name, half, show))


def result_row(name: str, half: str, show: bool) -> str:
    folder = PAIRS / name / half
    hits = {path.stem: pair_findings(path) for path in sorted(folder.glob("*.txt"))}
    if show:
        for stem, findings in hits.items():
            rows = [f"{f.severity} {f.text} ({f.place})" for f in findings[:3]]
            print(f"    {stem}: {'; '.join(rows) or 'nothing'}", file=sys.stderr)
    weak = [
        bool(blocking_findings(findings))
        for stem, findings in hits.items()
        if stem.startswith("weaker")
    ]
    honest = [
        not blocking_findings(findings)
        for stem, findings in hits.items()
        if stem.startswith("honest")
    ]
    refuted = [
        stem
        for stem, findings in hits.items()
        if stem.startswith("honest") and any(f.severity == HIGH for f in findings)
    ]
    flagged = sum(weak) + len(honest) - sum(honest)
    precision = sum(weak) / flagged if flagged else 1.0
    recall = sum(weak) / len(weak)
    counted = f"{sum(weak)}/{len(weak)} | {sum(honest)}/{len(honest)} | {len(refuted)}"
    return f"| {name} | {half} | {counted} | {precision:.2f} | {recall:.2f} |"


def blocking_findings(findings: list[Finding]) -> list[Finding]:
    """Findings that keep a loop from ending as proven."""
    return [finding for finding in findings if finding.severity != LOW]


def pair_findings(path: Path) -> list[Finding]:
    return ratchet.findings(pair_changes(path.read_text(encoding="utf-8")), ())


def pair_changes(text: str) -> list[Change]:
    """Parse a pair: a sentence, then `=== before PATH` and `=== after PATH`, each with a file."""
    sides: dict[str, dict[str, str]] = {}
    for part in text.split("\n=== ")[1:]:
        head, _, body = part.partition("\n")
        side, _, name = head.partition(" ")
        sides.setdefault(name.strip(), {})[side] = f"{body.rstrip(chr(10))}\n"
    return [Change(name, text.get("before"), text.get("after")) for name, text in sides.items()]


if __name__ == "__main__":
    main()
