"""Tell the agent something while it works: it hears it with its next prompt, in a session or under a runner."""

from __future__ import annotations

import argparse

from ...drive import orders
from .. import exits, here, output

EXAMPLES = (
    '  loop steer "leave the database alone"\n  loop steer "the flaky test is known, skip it"'
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="what it is to know")


def run(args: argparse.Namespace) -> int:
    place, _ = here.active_loop()
    output.show_text(orders.steer_agent(place, args.text).message)
    return exits.PROVEN
