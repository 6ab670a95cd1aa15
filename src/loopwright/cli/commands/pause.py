"""Pause the loop at the next hook event. Nothing is lost; `loop continue` continues it."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Ordered
from ...drive.inbox import NOTED, post_signal
from ...drive.orders.given_orders import give_pause
from ...drive.step import step
from .. import exits, here, output
from ..argument_kinds import add_word

EXAMPLES = """  loop pause
  loop pause "back after lunch\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_word(parser, "reason", "why; recorded in the journal")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    if here.agent_variable():
        reason = args.reason or "asked by the agent"
        order = Ordered(time.time(), "pause", by="agent", reason=reason)
        message = NOTED if post_signal(order) else step(folder, order).message
    else:
        message = give_pause(folder, args.reason)
    output.show_text(message)
    return exits.PROVEN
