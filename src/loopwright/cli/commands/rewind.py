"""Put the files back to how an iteration left them. What is there now is kept first; branch and index stay as they are."""

from __future__ import annotations

import argparse

from ...drive import rewind
from ...store import journal
from ...views import timeline
from .. import exits, output
from .report import load_loop

EXAMPLES = """  loop rewind               # the iterations, and which was the best
  loop rewind best
  loop rewind 3
  loop rewind saved-1       # and back to what was there before"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "number", nargs="?", default="", metavar="N|best", help="an iteration; 0 is the start"
    )
    parser.add_argument(
        "--id", default="", help="of a loop that has ended (default: the one here, or the last)"
    )
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, path, loop = load_loop(args.id)
    if not args.number:
        points = timeline.waypoints_from_journal(journal.events_by_move(path))
        if args.json:
            output.show_json(timeline.facts(points))
        else:
            output.show_text(
                "\n".join(
                    [
                        "Iterations (★ the best that is kept):",
                        *timeline.rows(points),
                        "Back to one: loop rewind N",
                    ]
                )
            )
        return exits.PROVEN
    back = rewind.rewind_files(place, loop, path, args.number)
    if args.json:
        output.show_json(back.__dict__)
        return exits.PROVEN
    whose = (
        f"iteration {back.number} left them"
        if back.number.isdecimal()
        else f"{back.number} has them"
    )
    output.show_text(f"The files are as {whose}. Branch and index are untouched.")
    output.show_text(f"What was there is kept. Back to it: loop rewind {back.saved}")
    return exits.PROVEN
