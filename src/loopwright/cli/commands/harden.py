"""Let an agent try to turn the checks green without the work, before a night relies on them."""

from __future__ import annotations

import argparse

from ...core.prompts.second_eyes import hardening_text
from .. import exits, here, output
from ..start.second_eyes import AUTO, parse_agents, require_sandbox

EXAMPLES = """  loop harden codex               # can the checks be met without the work?
  loop harden claude --tries 5"""
MAX_TRIES = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "agent", nargs="?", default=AUTO, help="who tries, as in loop agents (default: auto)"
    )
    parser.add_argument(
        "--tries",
        type=int,
        choices=range(1, MAX_TRIES + 1),
        default=3,
        metavar="N",
        help="how often, at most (default 3); the budget is eyes.dollars and eyes.minutes",
    )


def run(args: argparse.Namespace) -> int:
    from ...drive.second_eyes.harden import harden_checks

    folder, loop = here.active_loop()
    agent = parse_agents(args.agent)[0]
    require_sandbox(folder, loop)
    done = harden_checks(folder, loop, agent, args.tries, output.show_warning)
    output.show_text(hardening_text(done))
    return exits.ERROR if done.ways else exits.PROVEN
