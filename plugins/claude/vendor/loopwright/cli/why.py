"""Why the loop goes on or has paused: the counters behind the breakers and the failing output."""

from __future__ import annotations

import argparse

from ..store import journal
from ..views import facts, way, why
from . import exits, here, output

EXAMPLES = "  loop why\n  loop why --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.loop()
    points = way.retraced(journal.moves(place.journal))
    if args.json:
        output.show_json({**facts.of(loop), "why": why.headline(loop), "trajectory": way.facts(points)})
    else:
        output.show("\n".join([why.text(loop), "iterations (★ the best that is kept):", *way.rows(points)[-12:]]))
    return exits.PROVEN
