"""Every agent that a runner can drive. A new one is a folder like the others and one line here."""

from __future__ import annotations

from importlib import import_module

from .base import Agent

AGENT_NAMES = ("claude", "codex", "command", "script")


def load_agent(name: str) -> Agent:
    """Only the agent that is asked for is imported."""
    about, command, stream = (
        import_module(f"{__package__}.{name}.{part}") for part in ("about", "command", "stream")
    )
    return Agent(about.ABOUT, command.command, stream.read, stream.judge, stream.tell)
