"""List the loops that have ended in this folder, newest first, with verdict, cost and evidence."""

from __future__ import annotations

import argparse

from ...drive import records
from ...store.history import ended_loops
from ...views import facts
from .. import exits, here, output

EXAMPLES = """  loop history
  loop history --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    if args.json:
        folder.read_loop()  # completes an archive that a crash interrupted
        output.show_json([facts.loop_facts(loop) for loop in ended_loops(folder)])
    else:
        output.show_text(records.history_text(folder))
    return exits.PROVEN
