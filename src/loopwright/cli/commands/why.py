"""Explain why the loop continues or has paused: the breakers' counters and the failing output."""

from __future__ import annotations

import argparse

from ...store import journal
from ...views import facts, timeline, why
from .. import exits, here, output

EXAMPLES = """  loop why
  loop why --json"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    points = timeline.waypoints_from_journal(journal.events_by_move(folder.journal_path))
    if args.json:
        reasons = {"why": why.headline(loop), "trajectory": timeline.facts(points)}
        output.show_json({**facts.loop_facts(loop), **reasons})
    else:
        recent = timeline.rows(points)[-12:]
        title = "iterations (★ the best that is kept):"
        output.show_text("\n".join([why.text(loop), title, *recent]))
    return exits.PROVEN
