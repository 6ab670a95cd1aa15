"""Run many loops on one machine or on several: submit jobs, start workers, follow them.

A job is a loop like that of `loop run`, with the same proof. Workers take jobs from a database:
a SQLite file on one machine, Postgres for several. Each ACTION has a --help with examples.
"""

from __future__ import annotations

import argparse
from importlib import import_module

from ...drive.errors import UserError
from .. import here
from ..command_parser import command_parser
from ..fleet.actions import ACTIONS
from ..fleet.job_words import ActionParser

EXAMPLES = """  loop fleet worker --slots 4
  loop fleet submit "fix all failing tests" --check "tests pass=pytest -q"
  loop fleet status --watch
  loop fleet results a1b2c3d4 --fetch"""
MISSING_EXTRA = 'a fleet needs dbos and sqlalchemy. Install them: pip install "loopwright[fleet]"'
EXTRA_PACKAGES = ("sqlalchemy", "dbos", "psycopg")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(
        dest="action",
        metavar="ACTION",
        title="actions (default: status)",
        parser_class=ActionParser,
    )
    for name, action in ACTIONS.items():
        action_parser = actions.add_parser(
            name,
            help=action.summary,
            description=f"{action.summary[0].upper()}{action.summary[1:]}.",
            epilog=f"examples:\n{action.examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            conflict_handler="resolve",  # `start` and `run` share a few options
        )
        action.add(action_parser)


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        args = command_parser("fleet").parse_args(["status"])
    if not ACTIONS[args.action].only_reads and here.agent_variable():
        here.refuse_agent_command(here.find_loop_folder(), f"fleet {args.action}")
    try:
        name = ACTIONS[args.action].module or args.action
        module = import_module(f"...cli.fleet.{name}", __package__)
        return int(module.run(args))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA_PACKAGES:
            raise
        raise UserError(MISSING_EXTRA) from error
