"""Watch all loops of this machine in the terminal, live, and give them orders by key.

Without an argument it shows the board; with the folder of a project it opens the loop there. The
jobs of your fleet are shown too.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from ...drive.errors import UserError
from ...hook.entry import loop_root_above
from ...store.folder import LoopFolder
from ...store.loop_catalog import LoopCatalog
from ...views.axis_picture import axis_picture
from ...views.axis_text import axis_lines
from ...views.board_lines import board_lines
from .. import exits, output
from ..argument_kinds import add_word
from ..further_loops import find_further_loops

EXAMPLES = """  loop watch
  loop watch .
  NO_COLOR=1 loop watch      # also over ssh, in 80 columns and 24 rows
  TERM=dumb loop watch       # the board once, as plain lines"""
WIDTH = 80


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "folder", "open the loop of this folder at once")


def run(args: argparse.Namespace) -> int:
    loop_id = loop_in(args.folder) if args.folder else ""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("loop watch needs a terminal. Without one: loop status, or loop report")
    if os.environ.get("TERM") == "dumb":
        print_board(loop_id)
        return exits.PROVEN
    try:
        from ...tui.app import WatchApp
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("textual", "rich"):
            raise UserError(
                'loop watch needs the package textual: pip install "loopwright[tui]"'
            ) from error
        raise
    further = find_further_loops()
    WatchApp(loop_id, further).run()
    if further:
        further.close()
    return exits.PROVEN


def print_board(loop_id: str) -> None:
    """For a terminal that cannot place a cursor: the board once, or the time axis of one loop."""
    further = find_further_loops()
    catalog = LoopCatalog(further)
    catalog.refresh()
    rows = [row for row in catalog.rows() if loop_id in ("", row.id)]
    lines = board_lines(rows)
    place = catalog.find(loop_id) if loop_id else None
    if place:
        reader = catalog.reader(loop_id)
        while reader.read_more(place.path):
            pass
        lines += ["", *axis_lines(axis_picture(reader.history.axis, time.time()), WIDTH)]
    output.show_text("\n".join(lines))
    if further:
        further.close()


def loop_in(folder: str) -> str:
    """The id of the loop in this folder or above it."""
    root = loop_root_above(os.path.realpath(folder))
    loop = LoopFolder(root).read_loop() if root else None
    if loop is None:
        raise UserError(f"no loop is active in {folder}. All loops: loop watch")
    return loop.id
