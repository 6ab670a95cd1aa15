"""Continue a paused loop. Limits given here are added to its limits; its counters are kept."""

from __future__ import annotations

import argparse

from ...core.directives import Continue
from ...drive.orders import loop_orders
from ...store.history import last_ended_loop
from .. import exits, here, output
from ..argument_kinds import add_switch, add_value

EXAMPLES = """  loop continue
  loop continue --budget=25
  loop continue --iterations=10 --minutes=60
  loop continue --unproven   # without the checks that may not run"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(parser, "--budget N", "add N dollars")
    add_value(parser, "--iterations N", "add N iterations")
    add_value(parser, "--minutes N", "add N minutes of running time")
    add_switch(
        parser,
        "--unproven",
        "work without the checks that may not run; the loop is then never proven",
    )
    add_switch(parser, "--yes", "allow more than $100 or 50 iterations")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    reply = loop_orders.continue_loop(
        folder,
        *loop_orders.typed_raises(args),
        yes=args.yes,
        unproven=args.unproven,
        prove=True,
    )
    output.show_text(reply.message)
    if isinstance(reply, Continue):
        return exits.PROVEN
    return exits.exit_code(folder.read_loop() or last_ended_loop(folder) or loop)
