"""List the loops that have ended in this folder, newest first, with verdict, cost and evidence."""

from __future__ import annotations

import argparse

from ...drive.records import loop_records
from ...views import facts
from .. import exits, here, output

EXAMPLES = """  loop history
  loop history --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    if args.json:
        output.show_json([facts.loop_facts(loop) for loop in loop_records.intact_loops(folder)])
    else:
        output.show_text(loop_records.history_text(folder))
    return exits.PROVEN
