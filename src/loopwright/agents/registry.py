"""Every agent that a runner can drive. A new one is a folder like the others and a loader here."""

from __future__ import annotations

from collections.abc import Callable

from .base import Agent, agent_of


def load_agent(name: str) -> Agent:
    """The agent of this name. Only its own modules are imported."""
    return LOADERS[name]()


def load_claude() -> Agent:
    from .claude import about, command, stream

    return agent_of(about, command, stream)


def load_codex() -> Agent:
    from .codex import about, command, stream

    return agent_of(about, command, stream)


def load_command() -> Agent:
    from .command import about, command, stream

    return agent_of(about, command, stream)


def load_script() -> Agent:
    from .script import about, command, stream

    return agent_of(about, command, stream)


LOADERS: dict[str, Callable[[], Agent]] = {
    "claude": load_claude,
    "codex": load_codex,
    "command": load_command,
    "script": load_script,
}
AGENT_NAMES = tuple(LOADERS)
