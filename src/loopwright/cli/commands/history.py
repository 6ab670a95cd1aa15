"""Loops that have ended in this folder, newest first, with verdict, cost and the place of their evidence."""

from __future__ import annotations

import argparse

from ...store.history import ended_loop_ids, ended_loops
from ...views import facts
from .. import exits, here, output

EXAMPLES = "  loop history\n  loop history --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place = here.loop_folder()
    place.read_loop()  # finishes an archive that a crash left half done
    ended = ended_loops(place)
    if args.json:
        output.show_json([facts.loop_facts(loop) for loop in ended])
        return exits.PROVEN
    if not ended:
        output.show_text("No loop has ended here yet.")
    for loop in ended:
        end = (
            f"{loop.verdict.name}, {'proven' if loop.verdict.proven else 'reported'}"
            if loop.verdict
            else loop.status
        )
        spent = f"{loop.spend.iterations} iterations, ${loop.spend.dollars:.2f}"
        output.show_text(
            f"{loop.id}  {end:<18} {spent:<24} {' '.join(loop.spec.split())[:60]}\n    .loop/history/{loop.id}/"
        )
    if odd := [name for name in ended_loop_ids(place) if name not in {loop.id for loop in ended}]:
        output.show_text(
            f"Left out, for it did not end here, or not so: {', '.join(odd[:5])}. What is wrong: loop audit {odd[0]}"
        )
    return exits.PROVEN
