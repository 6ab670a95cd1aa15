"""Put the files back to how an iteration left them. What is there now is kept first; branch and index stay as they are."""

from __future__ import annotations

import argparse

from ..drive import rewinding
from ..store import journal
from ..views import way
from . import exits, output
from .report import chosen

EXAMPLES = """  loop rewind               # the iterations, and which was the best
  loop rewind best
  loop rewind 3
  loop rewind saved-1       # and back to what was there before"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", nargs="?", default="", metavar="N|best", help="an iteration; 0 is the start")
    parser.add_argument("--id", default="", help="of a loop that has ended (default: the one here, or the last)")
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, path, loop = chosen(args.id)
    if not args.number:
        points = way.retraced(journal.moves(path))
        if args.json:
            output.show_json(way.facts(points))
        else:
            output.show("\n".join(["Iterations (★ the best that is kept):", *way.rows(points), "Back to one: loop rewind N"]))
        return exits.PROVEN
    back = rewinding.rewind(place, loop, path, args.number)
    if args.json:
        output.show_json(back.__dict__)
        return exits.PROVEN
    whose = f"iteration {back.number} left them" if back.number.isdecimal() else f"{back.number} has them"
    output.show(f"The files are as {whose}. Branch and index are untouched.")
    output.show(f"What was there is kept. Back to it: loop rewind {back.saved}")
    return exits.PROVEN
