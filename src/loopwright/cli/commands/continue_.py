"""Go on after a pause. Limits given here are added to the loop's; spend and iterations are kept."""

from __future__ import annotations

import argparse

from ...core.directives import Continue
from ...drive import orders
from ...store.history import last_ended_loop
from .. import exits, here, output

EXAMPLES = (
    "  loop continue\n  loop continue --budget=25\n  loop continue --iterations=10 --minutes=60"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", metavar="N", default="", help="add N dollars")
    parser.add_argument("--iterations", metavar="N", default="", help="add N iterations")
    parser.add_argument("--minutes", metavar="N", default="", help="add N minutes of running time")
    parser.add_argument("--yes", action="store_true", help="yes, above $100 or 50 iterations")


def run(args: argparse.Namespace) -> int:
    place, loop = here.active_loop()
    dollars, iterations, minutes = (
        _limit_amount(args, name) for name in ("budget", "iterations", "minutes")
    )
    said = orders.continue_loop(place, dollars, iterations, minutes, yes=args.yes)
    output.show_text(said.message)
    return (
        exits.PROVEN
        if isinstance(said, Continue)
        else exits.exit_code(place.read_loop() or last_ended_loop(place) or loop)
    )


def _limit_amount(args: argparse.Namespace, name: str) -> float:
    text = getattr(args, name)
    return orders.parse_amount(f"--{name}", text) if text else 0.0
