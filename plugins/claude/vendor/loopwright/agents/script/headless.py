"""The scripted agent: it plays a prepared script, one entry a turn. For demos, tests and rehearsals; no model, no network."""

from __future__ import annotations

import os
import sys

from ...core.record import JSONError, loads
from ...core.signals import Outcome
from ..base import Agent, Heard

PLAYER = os.path.join(os.path.dirname(__file__), "play.py")


def agent(script: str) -> Agent:
    def command(turn: int) -> tuple[str, ...]:
        return (sys.executable, "-I", PLAYER, script, str(turn))

    return Agent("script", command, read)


def read(heard: Heard, line: str) -> Heard:
    """Each line is one JSON object: a tool used, or the text that ends the turn."""
    try:
        event = loads(line)
    except JSONError:
        return heard
    if event["type"] == "text":
        return heard.but(text=event["text"], dollars=heard.dollars + event["dollars"])
    edits = dict(heard.edits)
    if event["tool"] == "write":
        edits[event["key"]] = edits.get(event["key"], 0) + 1
    outcome = Outcome(f"{event['tool']} {event['key']}", event["error"])
    return heard.but(tools=heard.tools + 1, outcomes=(*heard.outcomes, outcome), edits=tuple(edits.items()))
