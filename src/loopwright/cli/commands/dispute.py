"""Say that the check of a criterion is wrong. This command is for agents.

The loop continues with the other criteria, and a person decides with `loop rule`.
"""

from __future__ import annotations

import argparse
import time

from ...core.prompts.disputes import recorded_text
from ...core.signals import Claimed, Claims
from ...drive.errors import UserError
from ...drive.inbox import NOTED, post_signal
from ...drive.step import step
from .. import exits, here, output

EXAMPLES = """  loop dispute "tests pass" "test_total expects 7, but the spec adds tax\""""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a criterion of the loop")
    parser.add_argument("why", metavar="WHY", help="why its check is wrong")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    names = [c.name for c in loop.criteria]
    if args.name not in names:
        raise UserError(f"no criterion {args.name!r}; there are: {', '.join(names)}")
    if not args.why.strip():
        raise UserError('why is it wrong? Write: loop dispute NAME "the reason"')
    if loop.status != "running":
        reason = loop.pause.why or "it takes no disputes now"
        raise UserError(f"the loop is {loop.status}: {reason}. See: loop status")
    claims = Claims(disputes=(f"{args.name}: {args.why}",))
    signal = Claimed(time.time(), claims)
    if post_signal(signal):
        output.show_text(NOTED)
        return exits.PROVEN
    reply = step(folder, signal)
    now = folder.read_loop()
    if not now or args.name not in now.disputed_criteria:
        raise UserError(f"a person has decided that {args.name!r} stays as it is. See: loop why")
    output.show_text(reply.message or recorded_text(args.name))
    return exits.PROVEN
