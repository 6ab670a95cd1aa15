"""Show the loop of this folder: criteria with their proof, steps, counters, and the next command."""

from __future__ import annotations

import argparse

from ..core.loop import Loop
from ..drive.orders import runner_lives
from ..store.history import last
from ..views import board, facts
from . import exits, here, output

EXAMPLES = "  loop status\n  loop status --json | jq .criteria\n  loop status --exit-code   # the number says how it stands"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")
    parser.add_argument("--exit-code", action="store_true", help="exit with the code of how the loop stands")


def shown() -> Loop:
    """The active loop, else the last one that ended here."""
    place = here.folder()
    return place.peek() or last(place) or here.loop()[1]


def run(args: argparse.Namespace) -> int:
    loop = shown()
    if args.json:
        output.show_json(facts.of(loop))
    else:
        output.show(board.text(loop))
        if loop.status == "running" and loop.headless and not runner_lives(here.folder()):
            output.show("  its runner is gone. Go on: `loop run`. In a session: `loop attach`")
    return exits.code_of(loop) if args.exit_code else exits.PROVEN
