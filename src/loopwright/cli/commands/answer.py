"""Answer the question a loop waits with: yes, no, guidance, or «proceed without confirmation»."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Answered
from ...drive.errors import UserError
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = '  loop answer yes\n  loop answer "proceed without confirmation"\n  loop answer "yes, but leave the public API alone"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="the answer")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    if loop.status != "asking":
        raise UserError(f"the loop is {loop.status} and has asked nothing. See: loop status")
    said = step(place, Answered(time.time(), " ".join(args.text)))
    output.show_text(said.message or "[LOOP] ▶ Going on. The agent hears it at its next prompt.")
    return exits.PROVEN
