"""Pause the loop at the next hook event. Nothing is lost; `loop continue` continues it."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Ordered
from ...drive.orders import write_halt_file
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = """  loop pause
  loop pause "back after lunch\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reason", nargs="?", default="", help="why; recorded in the journal")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    if here.agent_variable():
        by, default_reason = "agent", "asked by the agent"
    else:
        by, default_reason = "person", "asked by a person"
    reason = args.reason or default_reason
    reply = step(folder, Ordered(time.time(), "pause", by=by, reason=reason))
    if by == "person":
        write_halt_file(folder, reply.message)
    output.show_text(reply.message)
    return exits.PROVEN
