"""Release the loop: a runner, or the next session that is prompted in this folder, drives it."""

from __future__ import annotations

import argparse

from ...drive.orders import loop_orders
from .. import exits, here, output

EXAMPLES = """  loop detach
  loop detach && loop run   # from a session to an unattended run"""


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    output.show_text(loop_orders.detach_session(folder).message)
    return exits.PROVEN
