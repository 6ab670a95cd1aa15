"""Why the loop goes on or has paused: the counters behind the breakers and the failing output."""

from __future__ import annotations

import argparse

from ...store import journal
from ...views import facts, timeline, why
from .. import exits, here, output

EXAMPLES = "  loop why\n  loop why --json"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print facts instead of text")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    points = timeline.waypoints_from_journal(journal.events_by_move(place.journal_path))
    if args.json:
        output.show_json(
            {
                **facts.loop_facts(loop),
                "why": why.headline(loop),
                "trajectory": timeline.facts(points),
            }
        )
    else:
        output.show_text(
            "\n".join(
                [
                    why.text(loop),
                    "iterations (★ the best that is kept):",
                    *timeline.rows(points)[-12:],
                ]
            )
        )
    return exits.PROVEN
