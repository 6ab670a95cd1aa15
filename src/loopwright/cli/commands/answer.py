"""Answer the question of a waiting loop: yes, no, guidance, or «proceed without confirmation»."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Answered
from ...drive.errors import UserError
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = """  loop answer yes
  loop answer "proceed without confirmation"
  loop answer "yes, but leave the public API alone\""""
CONTINUING = "[LOOP] ▶ Continuing. The agent reads it with its next prompt."


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="your answer")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    if loop.status != "asking":
        raise UserError(f"the loop is {loop.status} and has asked nothing. See: loop status")
    reply = step(folder, Answered(time.time(), " ".join(args.text)))
    output.show_text(reply.message or CONTINUING)
    return exits.PROVEN
