"""List the loops that have ended in this folder, newest first, with verdict, cost and evidence."""

from __future__ import annotations

import argparse

from ...drive.records import loop_records
from ...views import facts
from .. import exits, here, output
from ..argument_kinds import add_json

EXAMPLES = """  loop history
  loop history --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    folder = here.loop_folder()
    if args.json:
        output.show_json([facts.loop_facts(loop) for loop in loop_records.intact_loops(folder)])
    else:
        output.show_text(loop_records.history_text(folder))
    return exits.PROVEN
