"""Restore the files of an iteration.

The present files are saved first. Branch and index do not change.
"""

from __future__ import annotations

import argparse

from ...drive.records import loop_records, rewind
from ...store import journal_moves
from ...store.folder import LoopFolder
from ...views import timeline
from .. import exits, output
from ..argument_kinds import add_json, add_loop_id, add_word
from .report import load_loop

EXAMPLES = """  loop rewind               # list the iterations and mark the best
  loop rewind best
  loop rewind 3
  loop rewind saved-1       # undo: restore the files from before the first rewind"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "number", "an iteration; 0 is the start", "N|best")
    add_loop_id(parser, "--id")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    folder, path, loop = load_loop(args.id)
    if not args.number:
        show_iterations(folder, path, args.json)
        return exits.PROVEN
    rewound = rewind.rewind_files(folder, loop, path, args.number)
    if args.json:
        output.show_json(rewound.__dict__)
        return exits.PROVEN
    output.show_text(loop_records.rewound_text(rewound).replace("`", ""))
    return exits.PROVEN


def show_iterations(folder: LoopFolder, journal_path: str, as_json: bool) -> None:
    if as_json:
        points = timeline.waypoints_from_journal(journal_moves.events_by_move(journal_path))
        output.show_json(timeline.facts(points))
    else:
        output.show_text(loop_records.iterations_text(folder, journal_path).replace("`", ""))
