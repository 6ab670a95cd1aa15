"""Pause the loop at the next hook of any kind. Nothing is lost; `loop continue` goes on."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Ordered
from ...drive.orders import write_halt_file
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = '  loop pause\n  loop pause "back after lunch"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reason", nargs="?", default="", help="why, for the record")


def run(args: argparse.Namespace) -> int:
    place, _ = here.active_loop()
    by = "agent" if here.agent_variable() else "person"
    asked = f"asked by {'the agent' if by == 'agent' else 'a person'}"
    said = step(place, Ordered(time.time(), "pause", by=by, reason=args.reason or asked))
    if by == "person":
        write_halt_file(place, said.message)
    output.show_text(said.message)
    return exits.PROVEN
