"""How a turn of a script is played: as a process of its own, like every other agent."""

from __future__ import annotations

import os
import sys

from ..base import TurnRequest

PLAYER = os.path.join(os.path.dirname(__file__), "play.py")


def command(call: TurnRequest) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", PLAYER, call.agent_command[0], str(call.number))
