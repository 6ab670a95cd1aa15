"""Restore the files of an iteration.

The present files are saved first. Branch and index do not change.
"""

from __future__ import annotations

import argparse

from ...drive.records import loop_records, rewind
from ...store import journal
from ...views import timeline
from .. import exits, output
from .report import load_loop

EXAMPLES = """  loop rewind               # list the iterations and mark the best
  loop rewind best
  loop rewind 3
  loop rewind saved-1       # undo: restore the files from before the first rewind"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "number", nargs="?", default="", metavar="N|best", help="an iteration; 0 is the start"
    )
    parser.add_argument(
        "--id", default="", help="an ended loop (default: the one here, or the last)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder, path, loop = load_loop(args.id)
    if not args.number:
        show_iterations(path, args.json)
        return exits.PROVEN
    rewound = rewind.rewind_files(folder, loop, path, args.number)
    if args.json:
        output.show_json(rewound.__dict__)
        return exits.PROVEN
    output.show_text(loop_records.rewound_text(rewound).replace("`", ""))
    return exits.PROVEN


def show_iterations(journal_path: str, as_json: bool) -> None:
    if as_json:
        points = timeline.waypoints_from_journal(journal.events_by_move(journal_path))
        output.show_json(timeline.facts(points))
    else:
        output.show_text(loop_records.iterations_text(journal_path).replace("`", ""))
