"""Serve the loop as MCP tools on stdin and stdout, for agents that we have no hook for.

A client starts this command; you only add it to the client's configuration. The tools are
loop_status, loop_why, loop_check, loop_claim, loop_blocked and loop_dispute. The caller is always
an agent: no tool loosens or ends a loop.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress

from ...disk.own_python import OWN_COMMAND
from ...drive.errors import UserError
from .. import exits, here, output
from ..argument_kinds import add_value

EXAMPLES = """  loop mcp --project ~/work/shop        # the client starts it; Ctrl-D ends it

configuration of the clients:
  Claude Code   claude mcp add --scope project loop -- loop mcp
                or .mcp.json:
                {"mcpServers": {"loop": {"command": "loop", "args": ["mcp"]}}}
  Codex         codex mcp add loop -- loop mcp
                or ~/.codex/config.toml:
                [mcp_servers.loop]
                command = "loop"
                args = ["mcp"]
                tool_timeout_sec = 1800
  Gemini        .gemini/settings.json:
                {"mcpServers": {"loop": {"command": "loop", "args": ["mcp"]}}}
  Cursor        .cursor/mcp.json:
                {"mcpServers": {"loop": {"command": "loop",
                  "args": ["mcp", "--project", "${workspaceFolder}"]}}}
  VS Code       .vscode/mcp.json:
                {"servers": {"loop": {"type": "stdio", "command": "loop",
                  "args": ["mcp", "--project", "${workspaceFolder}"]}}}"""
WAITS_FOR_CLIENT = (
    "loop: waits for an MCP client on stdin. Ctrl-D ends it. "
    "How to add it to a client: loop mcp --help"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    add_value(
        parser,
        "--project DIR",
        "the project, where the client starts its servers in another folder",
    )


def run(args: argparse.Namespace) -> int:
    from ...mcp.server import Server

    if args.project:
        try:
            os.chdir(args.project)
        except OSError as error:
            raise UserError(f"--project {args.project}: {error.strerror}") from error
    if sys.stdin.isatty():
        output.show_warning(WAITS_FOR_CLIENT)
    # Only messages go to the client: whatever else is printed goes to stderr.
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = Server(sys.stdin.buffer, outgoing, OWN_COMMAND, project_root)
    with suppress(KeyboardInterrupt):
        server.serve()
    return exits.PROVEN


def project_root() -> str:
    """The folder of the loop here; it may have been moved since the last call."""
    try:
        return here.loop_folder().root
    except FileNotFoundError as error:
        raise UserError("the folder that this server started in is gone. Restart it") from error
