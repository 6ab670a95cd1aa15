"""End the loop now and report what was done. Its journal and evidence move to .loop/history."""

from __future__ import annotations

import argparse

from ...drive.outside_orders import give_cancel
from .. import exits, here, output

EXAMPLES = """  loop cancel
  loop cancel --keep   # leave .loop/state.json where it is"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", action="store_true", help="keep .loop/state.json")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    output.show_text(give_cancel(folder, args.keep))
    return exits.PROVEN
