"""Every agent that we know. One that a runner can drive has a loader here.

Of the others we know what their sessions can do: about.py alone, and hooks.py if one can be held.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from .base import About, Agent, agent_of


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
# Those whose own sessions we know something about, in the order of `loop agents`.
HOST_NAMES = (
    *("claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor"),
    *("droid", "amp", "junie", "vscode", "goose"),
)


def load_about(name: str) -> About:
    """What the agent of this name can do."""
    about: About = import_module(f"{__package__}.{name}.about").ABOUT
    return about


def known_names() -> tuple[str, ...]:
    """Every agent: the hosts, then what else a runner can drive."""
    return tuple(dict.fromkeys((*HOST_NAMES, *AGENT_NAMES)))
