"""Send the agent a message while it works. The agent reads it with its next prompt."""

from __future__ import annotations

import argparse

from ...drive.orders import loop_orders
from .. import exits, here, output

EXAMPLES = """  loop steer "leave the database alone"
  loop steer "the flaky test is known, skip it\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", help="the message")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    output.show_text(loop_orders.steer_agent(folder, args.text).message)
    return exits.PROVEN
