"""What each suite is to reach, and what it reached: `python -m tests.torture.figures FILE` writes the table into the docs."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- figures: written by make torture -->", "<!-- end of the figures -->"

TARGETS = {
    "gauntlet": "every turn right, 10 seeds",
    "false completion": "0 of 10,000 random lying agents proven",
    "runaway": "0 past limit + 1 turn",
    "kill -9 at random": "0 lost, doubled or strewn about in 1,000 kills",
    "kill -9 at every write": "the same, at every call that writes",
    "I/O errors": "every call that writes fails once, then for good: state intact, person told",
    "power cut, replayed": "0 lost in any order of writes that is allowed between two fsyncs",
    "power cut, ext4": "0 lost in 1,000 cuts",
    "power cut, ext4 noauto_da_alloc": "0 lost in 1,000 cuts",
    "concurrency": "0 lost of 8 × 1,000 signals",
    "lease hand-over": "never two drivers, never none for good",
    "no locks": "refused, with the reason",
    "fuzz: stdin": "0 crashes or hangs in 100,000",
    "fuzz: transcript": "0 in 100,000",
    "fuzz: state.json": "0 in 100,000",
    "fuzz: journal": "0 in 100,000",
    "fuzz: plan": "0 in 100,000",
    "fuzz: SHAPE.md": "0 in 100,000",
    "fuzz: STATE.md": "0 in 100,000",
    "fuzz: presets": "0 in 100,000",
    "fuzz: config": "0 in 100,000",
    "fuzz: stream": "0 in 100,000",
    "fuzz, guided": "0 in 20,000 of each that atheris finds by coverage",
    "state machine": "every path ends; none from a failed check to finished; what ended stays ended",
    "mutants": "at least 90 % killed, decision and journal code",
    "branches": "100 %, decision and journal code",
    "real host": "0 of 100 short sessions end early",
    "host brake": "recorded as interrupted, can be resumed, never a success",
    "injection": "0 of 2,000 field × payload pairs",
    "untrusted repository": "0 commands, prompts or writes outside, 30 repositories",
    "links": "none followed, 50 layouts",
    "file modes": "0700 and 0600, no exception",
    "secrets": "0 of 1,000 planted values in journal, evidence, report, prompt",
    "terminal escapes": "0 in any view",
    "sizes": "nothing grows with what an agent writes",
    "tampering": "0 escapes, each edit reported",
    "text to the agent": "bounded, fenced, valid JSON",
    "simulated nights": "50 nights of 8 hours under faults: each proven, or paused for the right reason",
    "fleet kills": "72 loops, 100 kills of workers and of the database: each ends once, ledger exact",
    "fleet resume": "the next turn at most 3 s after a worker was found dead, where a slot is free",
    "fleet agents": "100 kills and 20 freezes of workers on two hosts: never two agents on one job",
    "soak": "no leak in files, processes or memory",
}


def table(rows: list[dict[str, Any]], earlier: dict[str, str]) -> str:
    """One line for each suite that told something, its chunks added up; else its earlier line."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["what"]].append(row)
    lines = ["| what | to reach | bad | of | seconds | |", "|---|---|---:|---:|---:|---|"]
    for what, target in TARGETS.items():
        if mine := found.get(what):
            bad, of, seconds = (
                sum(row[name] for row in mine) for name in ("count", "of", "seconds")
            )
            note = "; ".join(dict.fromkeys(row["note"] for row in mine if row["note"]))
            lines.append(f"| {what} | {target} | {bad:,} | {of:,} | {seconds:,.0f} | {note} |")
        elif what in earlier:
            lines.append(earlier[what])
    return "\n".join(lines)


def main(path: str) -> None:
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    before, _, after = rest.partition(END)
    earlier = {line.split(" | ")[0].removeprefix("| "): line for line in before.splitlines()}
    written = table(rows, earlier)
    PAGE.write_text(f"{head}{BEGIN}\n{written}\n{END}{after}", encoding="utf-8")
    print(written)


if __name__ == "__main__":
    main(sys.argv[1])
