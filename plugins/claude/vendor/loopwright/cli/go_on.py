"""Go on after a pause. Limits given here are added to the loop's; spend and iterations are kept."""

from __future__ import annotations

import argparse

from ..core.signals import Continue
from ..drive import orders
from ..store.history import last
from . import exits, here, output

EXAMPLES = "  loop continue\n  loop continue --budget=25\n  loop continue --iterations=10 --minutes=60"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", metavar="N", default="", help="add N dollars")
    parser.add_argument("--iterations", metavar="N", default="", help="add N iterations")
    parser.add_argument("--minutes", metavar="N", default="", help="add N minutes of running time")
    parser.add_argument("--yes", action="store_true", help="yes, above $100 or 50 iterations")


def run(args: argparse.Namespace) -> int:
    place, loop = here.loop()
    dollars, iterations, minutes = (_amount(args, name) for name in ("budget", "iterations", "minutes"))
    said = orders.go_on(place, dollars, iterations, minutes, yes=args.yes)
    output.show(said.say)
    return exits.PROVEN if isinstance(said, Continue) else exits.code_of(place.peek() or last(place) or loop)


def _amount(args: argparse.Namespace, name: str) -> float:
    text = getattr(args, name)
    return orders.amount(f"--{name}", text) if text else 0.0
