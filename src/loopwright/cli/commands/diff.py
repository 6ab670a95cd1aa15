"""What has changed since an iteration, or from one to another: the files themselves, committed or not."""

from __future__ import annotations

import argparse

from ...core.prompts.phrases import strip_control_characters
from ...drive import rewind
from .. import exits, output
from .report import load_loop

EXAMPLES = (
    "  loop diff 0            # all since the start\n  loop diff best\n  loop diff 2 3 --stat"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="N|best", help="an iteration; 0 is the start")
    parser.add_argument(
        "other", nargs="?", default="", metavar="M", help="another one (default: what is there now)"
    )
    parser.add_argument(
        "--stat", action="store_true", help="no more than the files and how much of each"
    )
    parser.add_argument(
        "--id", default="", help="of a loop that has ended (default: the one here, or the last)"
    )


def run(args: argparse.Namespace) -> int:
    place, path, loop = load_loop(args.id)
    flags = ("--stat",) if args.stat else ()
    text = rewind.iteration_diff(place, loop, path, args.number, args.other, *flags)
    output.show_text(strip_control_characters(text).rstrip("\n") or "Nothing has changed.")
    return exits.PROVEN
