"""Let go of the loop: the next session that is prompted in this folder, or a runner, drives it."""

from __future__ import annotations

import argparse

from ...drive import orders
from .. import exits, here, output

EXAMPLES = "  loop detach\n  loop detach && loop run   # from a session to the night"


def arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace) -> int:
    place, _ = here.active_loop()
    output.show_text(orders.detach_session(place).message)
    return exits.PROVEN
