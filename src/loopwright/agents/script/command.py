"""The command line that plays one turn of a script: a separate process, as for every agent."""

from __future__ import annotations

import os
import sys

from ..base import TurnRequest

PLAYER = os.path.join(os.path.dirname(__file__), "play.py")


def command(request: TurnRequest) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", PLAYER, request.agent_command[0], str(request.number))
