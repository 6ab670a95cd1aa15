"""List the loops that have ended in this folder, newest first, with verdict, cost and evidence."""

from __future__ import annotations

import argparse

from ...core.loop import Loop
from ...core.prompts.phrases import count_phrase
from ...store.history import ended_loop_ids, ended_loops
from ...views import facts
from .. import exits, here, output

EXAMPLES = """  loop history
  loop history --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    folder.read_loop()  # completes an archive that a crash interrupted
    ended = ended_loops(folder)
    if args.json:
        output.show_json([facts.loop_facts(loop) for loop in ended])
        return exits.PROVEN
    if not ended:
        output.show_text("No loop has ended here yet.")
    for loop in ended:
        output.show_text(loop_lines(loop))
    shown = {loop.id for loop in ended}
    if left_out := [name for name in ended_loop_ids(folder) if name not in shown]:
        output.show_text(
            f"Left out, for it did not end here, or not so: {', '.join(left_out[:5])}. "
            f"What is wrong: loop audit {left_out[0]}"
        )
    return exits.PROVEN


def loop_lines(loop: Loop) -> str:
    end: str = loop.status
    if loop.verdict:
        end = f"{loop.verdict.name}, {loop.verdict.grade_word}"
    spent = f"{count_phrase(loop.spend.iterations, 'iteration')}, ${loop.spend.dollars:.2f}"
    spec = " ".join(loop.spec.split())[:60]
    return f"{loop.id}  {end:<18} {spent:<24} {spec}\n    .loop/history/{loop.id}/"
