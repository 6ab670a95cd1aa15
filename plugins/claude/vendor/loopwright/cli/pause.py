"""Pause the loop at the next hook of any kind. Nothing is lost; `loop continue` goes on."""

from __future__ import annotations

import argparse
import time

from ..core.signals import Ordered
from ..drive.orders import order_halt
from ..drive.step import step
from . import exits, here, output

EXAMPLES = '  loop pause\n  loop pause "back after lunch"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reason", nargs="?", default="", help="why, for the record")


def run(args: argparse.Namespace) -> int:
    place, _ = here.loop()
    by = "agent" if here.marker() else "person"
    asked = f"asked by {'the agent' if by == 'agent' else 'a person'}"
    said = step(place, Ordered(time.time(), "pause", by=by, reason=args.reason or asked))
    if by == "person":
        order_halt(place, said.say)
    output.show(said.say)
    return exits.PROVEN
