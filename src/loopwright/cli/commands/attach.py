"""Take the loop over for a session: the next prompt or stop of that session drives it."""

from __future__ import annotations

import argparse

from ...agents.shell_variables import agent_session
from ...drive import errors
from ...drive.orders import loop_orders
from .. import exits, here, output
from ..argument_kinds import add_switch, add_value

EXAMPLES = """  loop attach --session 718ac93d-...
  loop attach --session ID --yes   # even if another session drove it just now"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser,
        "--session ID",
        "the session's id (default: the session that runs this command)",
        default=agent_session(),
    )
    add_switch(parser, "--yes", "attach even if another session drove it in the last 10 minutes")


def run(args: argparse.Namespace) -> int:
    folder, _ = here.active_loop()
    if not args.session:
        raise errors.UserError(
            "which session? Give its id: loop attach --session ID (or let go: loop detach)"
        )
    reply = loop_orders.attach_session(folder, args.session, 0, args.yes)
    output.show_text(reply.message)
    return exits.PROVEN
