"""Register our hook with clients; or add the bare /loop, the status line, a higher block cap.

Shows every change first, and keeps what was there. Only what you name is changed.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from ...agents.claude.paths import config_home
from ...core.limits import MAX_ITERATIONS, Limits
from ...drive.clients import client_settings
from ...drive.errors import UserError
from ...drive.orders.loop_orders import parse_amount
from .. import exits, here, host_setup, output
from ..argument_kinds import add_switch

EXAMPLES = """  loop install codex gemini        # hold sessions of these clients
  loop install --all               # of every client that is here
  loop install --alias             # bare /loop SPEC, status, … in all your projects
  loop install --alias --project   # only in this project
  loop install --status-line
  loop install --block-cap=50      # hold up to 50 answers in a row without a tool call
  loop install --sandbox           # commands of a session run in the client's own sandbox
  loop install --alias --remove    # remove the alias
  loop install codex --remove      # the same as: loop uninstall codex"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "clients",
        nargs="*",
        metavar="CLIENT",
        help=f"register our hook with these: {', '.join(host_setup.INSTALLABLE)}",
    )
    add_switch(parser, "--all", "with every client that is here")
    add_switch(parser, "--yes", "change the files without a question")
    add_switch(
        parser, "--alias", "let the bare /loop run Loopwright instead of the client's own command"
    )
    add_switch(parser, "--status-line", "show the loop under the prompt")
    parser.add_argument(
        "--block-cap",
        nargs="?",
        const=str(MAX_ITERATIONS),
        metavar="N",
        help="raise the client's limit of answers that a hook may hold in a row",
    )
    add_switch(
        parser,
        "--sandbox",
        "switch Claude Code's own sandbox on for the commands of its sessions, and require it",
    )
    add_switch(parser, "--project", "change this project only (--block-cap always does)")
    add_switch(parser, "--remove", "remove what you name instead")


def run(args: argparse.Namespace) -> int:
    has_option = bool(args.alias or args.status_line or args.block_cap or args.sandbox)
    if args.clients or args.all:
        set_hooks(args, has_option)
        if not has_option:
            return exits.PROVEN
    elif not has_option:
        raise UserError(
            "say what to install: a client such as codex, --all, --alias, --status-line, "
            "--block-cap or --sandbox. See: loop agents"
        )
    project = os.path.join(here.checkout_top(os.getcwd()), ".claude")
    base = project if args.project else config_home()
    messages = []
    if args.alias:
        messages.append(set_alias(base, args.remove))
    if args.status_line:
        file_name = "settings.local.json" if args.project else "settings.json"
        messages.append(set_status_line(os.path.join(base, file_name), args.remove))
    if args.sandbox:
        file_name = "settings.local.json" if args.project else "settings.json"
        messages.append(set_sandbox(os.path.join(base, file_name), args.remove))
    if args.block_cap:
        path = os.path.join(project, "settings.local.json")
        messages.append(set_block_cap(path, args.block_cap, args.remove))
    if messages:
        messages.append("Restart the sessions that are open.")
    output.show_text("\n".join(messages))
    return exits.PROVEN


def set_hooks(args: argparse.Namespace, has_option: bool) -> None:
    """Register our hook with the clients, or remove it."""
    if args.project and not has_option:
        raise UserError(
            "a client's hook is registered for all your projects: leave --project out. "
            "It is silent where no loop is"
        )
    if args.remove:
        hosts = host_setup.installed_hosts() if args.all else args.clients
        hosts = host_setup.chosen_hosts(hosts, False, may_be_none=args.all)
        host_setup.uninstall_hosts(hosts, args.yes)
    else:
        host_setup.install_hosts(host_setup.chosen_hosts(args.clients, args.all), args.yes)


def set_alias(base: str, remove: bool) -> str:
    from ...plugin import alias

    text = None if remove else alias.alias_command(exits.MEANINGS)
    return client_settings.set_alias(base, text)


def set_status_line(path: str, remove: bool) -> str:
    command = None if remove else f"{loop_shell_command()} statusline"
    return client_settings.set_status_line(path, command)


def set_sandbox(path: str, remove: bool) -> str:
    from ...plugin.sandbox_install import set_client_sandbox

    return set_client_sandbox(path, remove)


def set_block_cap(path: str, text: str, remove: bool) -> str:
    number = int(parse_amount("--block-cap", text))
    if number < Limits().iterations and not remove:
        raise UserError(
            f"a loop has {Limits().iterations} iterations by default; "
            f"a cap of {number} would end it before"
        )
    return client_settings.set_block_cap(path, None if remove else number)


def loop_shell_command() -> str:
    """How a shell calls this command from any folder.

    In a plugin that is its launcher, not the file that Python runs.
    """
    program = os.path.abspath(sys.argv[0])
    # Not realpath: in a clone the package is a symbolic link, and ".." of it would lead to src.
    launcher = os.path.normpath(os.path.join(os.path.dirname(program), "..", "..", "bin", "loop"))
    if os.path.basename(program) != "__main__.py" or not os.path.isfile(launcher):
        return shlex.quote(program)
    if "/plugins/cache/" in launcher.replace(os.sep, "/"):
        # The client keeps one folder per version; after an update the newest one is meant.
        versions = os.path.dirname(os.path.dirname(os.path.dirname(launcher)))
        return f'"$(ls -t {shlex.quote(versions)}/*/bin/loop | head -1)"'
    return shlex.quote(launcher)
