"""Add to Claude Code's settings what a plugin cannot: the bare /loop, the status line, a higher block cap. Each only if asked."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from ...agents.claude.paths import config_home
from ...core.limits import Limits
from ...drive import client_settings
from ...drive.errors import UserError
from ...drive.orders import MAX_ITERATIONS, parse_amount
from .. import exits, here, output

EXAMPLES = """  loop install --alias                 bare /loop SPEC, continue, status, cancel are ours, in all your projects
  loop install --alias --project       only in this project
  loop install --status-line
  loop install --block-cap=50          the client holds up to 50 answers in a row without a tool call
  loop install --alias --remove        take it out again"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--alias",
        action="store_true",
        help="make the bare /loop ours (else it is the client's own)",
    )
    parser.add_argument("--status-line", action="store_true", help="show the loop under the prompt")
    parser.add_argument(
        "--block-cap",
        nargs="?",
        const=str(MAX_ITERATIONS),
        metavar="N",
        help="raise the client's cap",
    )
    parser.add_argument(
        "--project",
        action="store_true",
        help="for this project instead of all (block cap: always this project)",
    )
    parser.add_argument("--remove", action="store_true", help="take out what is named instead")


def run(args: argparse.Namespace) -> int:
    if not (args.alias or args.status_line or args.block_cap):
        raise UserError(
            "say what to install: --alias, --status-line or --block-cap. The plugin itself: see docs/install.md"
        )
    project = os.path.join(here.checkout_top(os.getcwd()), ".claude")
    base = project if args.project else config_home()
    said = []
    if args.alias:
        from ...plugin import alias

        said.append(
            client_settings.set_alias(
                base, None if args.remove else alias.alias_command(exits.MEANINGS)
            )
        )
    if args.status_line:
        path = os.path.join(base, "settings.local.json" if args.project else "settings.json")
        said.append(
            client_settings.set_status_line(
                path, None if args.remove else f"{loop_shell_command()} statusline"
            )
        )
    if args.block_cap:
        number = int(parse_amount("--block-cap", args.block_cap))
        if number < Limits().iterations and not args.remove:
            raise UserError(
                f"a loop has {Limits().iterations} iterations by default; a cap of {number} would end it before"
            )
        said.append(
            client_settings.set_block_cap(
                os.path.join(project, "settings.local.json"), None if args.remove else number
            )
        )
    output.show_text("\n".join([*said, "Sessions that are open hear of it when they start anew."]))
    return exits.PROVEN


def loop_shell_command() -> str:
    """How a shell calls this very command from anywhere. From a plugin that is its launcher, not the file that Python runs."""
    here_is = os.path.abspath(sys.argv[0])
    # Not realpath: in a clone the package is a link, and its ".." is that of src.
    launcher = os.path.normpath(os.path.join(os.path.dirname(here_is), "..", "..", "bin", "loop"))
    if os.path.basename(here_is) != "__main__.py" or not os.path.isfile(launcher):
        return shlex.quote(here_is)
    versions = os.path.dirname(os.path.dirname(os.path.dirname(launcher)))
    if "/plugins/cache/" in launcher.replace(
        os.sep, "/"
    ):  # one folder a version: after an update, the newest
        return f'"$(ls -t {shlex.quote(versions)}/*/bin/loop | head -1)"'
    return shlex.quote(launcher)
