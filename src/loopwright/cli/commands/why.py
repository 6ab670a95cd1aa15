"""Explain why the loop continues, has paused or has ended: counters and failing output."""

from __future__ import annotations

import argparse

from ...core.loop import Loop
from ...store import journal_moves
from ...views import facts, timeline, why
from .. import exits, here, output
from ..argument_kinds import add_json

EXAMPLES = """  loop why
  loop why --json"""
RECENT_TURNS = 50  # so that the answer is quick, however long the loop has run


def arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    path, loop = _active_or_last_loop()
    before, moves = journal_moves.recent_moves(path, RECENT_TURNS)
    points = timeline.waypoints_from_journal(moves, before)
    if args.json:
        reasons = {"why": why.headline(loop), "trajectory": timeline.facts(points)}
        output.show_json({**facts.loop_facts(loop), **reasons})
    else:
        recent = timeline.rows(points)[-12:]
        since = f" since {points[0].number}" if before and points else ""
        title = f"iterations{since} (★ the best that is kept):"
        output.show_text("\n".join([why.text(loop), title, *recent]))
    return exits.PROVEN


def _active_or_last_loop() -> tuple[str, Loop]:
    """The journal and the loop that is active here, else of the last one that ended here."""
    if ended := here.ended_loop(""):
        from ...drive.records.loop_records import load_loop

        return load_loop(ended[0], "")
    folder, loop = here.active_loop()
    return folder.journal_path, loop
