"""The command line of our client of the protocol, which starts the agent and talks to it.

The client is a process of its own, as for every agent. The prompt goes to its stdin.
"""

from __future__ import annotations

from ...core.json_text import dumps
from ...disk.own_python import python_words
from ...disk.programs import agent_program
from ..base import TurnRequest, permitted_commands

CLIENT = python_words("from loopwright.agents.acp.client import main; main()")


def command(request: TurnRequest) -> tuple[str, ...]:
    options = {
        "session": request.session,
        "model": request.model,
        "permissions": request.permissions,
        "root": request.root,
        "commands": list(permitted_commands(request)),
    }
    program, *words = request.agent_command
    # The full path: a sandbox shows the programs that a command line names.
    return (*CLIENT, dumps(options), agent_program(program) or program, *words)
