"""Remove our hook and commands from clients. A file that nobody changed since is as it was before.

Where a file was changed since, only our own entries are cut.
"""

from __future__ import annotations

import argparse

from ...drive.errors import UserError
from .. import host_setup
from ..argument_kinds import add_switch

EXAMPLES = """  loop uninstall codex
  loop uninstall --all
  loop uninstall --all --yes    # without a question"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "clients",
        nargs="*",
        metavar="CLIENT",
        help=f"remove our hook from these: {', '.join(host_setup.INSTALLABLE)}",
    )
    add_switch(parser, "--all", "from every client that has it")
    add_switch(parser, "--yes", "change the files without a question")


def run(args: argparse.Namespace) -> int:
    if not args.clients and not args.all:
        registered = ", ".join(host_setup.installed_hosts()) or "none"
        raise UserError(f"say which client, or --all. Clients with our hook: {registered}")
    hosts = host_setup.installed_hosts() if args.all else args.clients
    return host_setup.uninstall_hosts(host_setup.chosen_hosts(hosts, False, args.all), args.yes)
