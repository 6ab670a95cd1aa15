"""Every agent that we know. One that a runner can drive has a loader here.

Of the others we know what their sessions can do: about.py alone, and hooks.py if one can be held.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from .base import About, Agent, agent_of

ACP = "acp"  # typed with the command of an agent: acp:COMMAND


def load_agent(name: str) -> Agent:
    """The agent of this name. Only its own modules are imported."""
    return LOADERS[name]()


def load_claude() -> Agent:
    from .claude import about, command, stream

    return agent_of(about, command, stream)


def load_codex() -> Agent:
    from .codex import about, command, stream

    return agent_of(about, command, stream)


def load_gemini() -> Agent:
    from .gemini import about, command, stream

    return agent_of(about, command, stream)


def load_qwen() -> Agent:
    from .qwen import about, command, stream

    return agent_of(about, command, stream)


def load_copilot() -> Agent:
    from .copilot import about, command, stream

    return agent_of(about, command, stream)


def load_opencode() -> Agent:
    from .opencode import about, command, stream

    return agent_of(about, command, stream, command.environment)


def load_cursor() -> Agent:
    from .cursor import about, command, stream

    return agent_of(about, command, stream)


def load_amp() -> Agent:
    from .amp import about, command, stream

    return agent_of(about, command, stream)


def load_goose() -> Agent:
    from .goose import about, command, stream

    return agent_of(about, command, stream, command.environment)


def load_acp() -> Agent:
    from .acp import about, command, stream

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
    "gemini": load_gemini,
    "qwen": load_qwen,
    "copilot": load_copilot,
    "opencode": load_opencode,
    "cursor": load_cursor,
    "amp": load_amp,
    "goose": load_goose,
    ACP: load_acp,
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


def unknown_agent(name: str) -> str:
    """Why a runner cannot drive an agent of this name, and what it can drive."""
    if name in HOST_NAMES:
        return f"a runner cannot drive {name}. Hold its sessions instead: loop install {name}"
    if name.lower() in AGENT_NAMES:
        return f"no agent {name!r}; did you mean {name.lower()}?"
    return f"no agent {name!r}; there are {', '.join(AGENT_NAMES)}"


def known_names() -> tuple[str, ...]:
    """Every agent: the hosts, then what else a runner can drive."""
    return tuple(dict.fromkeys((*HOST_NAMES, *AGENT_NAMES)))
