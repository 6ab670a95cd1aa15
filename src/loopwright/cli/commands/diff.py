"""Show what has changed in the files since an iteration, or between two, committed or not."""

from __future__ import annotations

import argparse

from ...core.prompts.phrases import strip_control_characters
from ...drive.records import rewind
from .. import exits, output
from ..argument_kinds import add_loop_id, add_switch, add_word
from .report import load_loop

EXAMPLES = """  loop diff 0            # everything since the start
  loop diff best
  loop diff 2 3 --stat"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="N|best", help="an iteration; 0 is the start")
    add_word(parser, "other", "another iteration (default: the files as they are now)", "M")
    add_switch(parser, "--stat", "show only the files, and how much has changed in each")
    add_loop_id(parser, "--id")


def run(args: argparse.Namespace) -> int:
    folder, path, loop = load_loop(args.id)
    flags = ("--stat",) if args.stat else ()
    text = rewind.iteration_diff(folder, loop, path, args.number, args.other, *flags)
    output.show_text(strip_control_characters(text).rstrip("\n") or "Nothing has changed.")
    return exits.PROVEN
