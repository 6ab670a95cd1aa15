"""Deny checks: a denied check no longer runs, and its criterion can only be reported."""

from __future__ import annotations

import argparse
import time

from ...core.signals import Ordered
from ...drive.errors import UserError
from ...drive.step import step
from ...store import trust
from .. import exits, here, output

EXAMPLES = '  loop deny "tests pass"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="+", help="criteria whose check must not run any more")


def run(args: argparse.Namespace) -> int:
    folder, loop = here.active_loop()
    checks = {c.name: c for c in (*loop.criteria, *loop.must_not) if c.check}
    if unknown := [name for name in args.names if name not in checks]:
        raise UserError(f"no check {unknown[0]!r}; there are: {', '.join(checks) or 'none'}")
    denied = []
    for name in args.names:
        check = checks[name].check
        assert check is not None
        trust.deny_check(folder, check)
        denied.append(checks[name].but(check=check.but(allowed=False)))
    reply = step(folder, Ordered(time.time(), "deny", criteria=tuple(denied)))
    output.show_text(reply.message)
    return exits.PROVEN
