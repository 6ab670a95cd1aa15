"""Every agent that we know, and how the modules of one are loaded.

Of those that no runner can drive we know what their sessions can do: about.py alone, and hooks.py
if one can be held.
"""

from __future__ import annotations

from importlib import import_module

from .base import About, Agent, no_variables
from .stream_notes import stream_reader, stream_teller
from .stream_parts import usual_judge

ACP = "acp"  # typed with the command of an agent: acp:COMMAND


# Those that a runner can drive: each has the modules about, command and stream.
AGENT_NAMES = (
    *("claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor", "amp", "goose"),
    *(ACP, "command", "script"),
)
# Those whose own sessions we know something about, in the order of `loop agents`.
HOST_NAMES = (
    *("claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor"),
    *("droid", "amp", "junie", "vscode", "goose"),
)


def load_agent(name: str) -> Agent:
    """The agent of this name. Only its own modules are imported."""
    folder, about = f"{__package__}.{name}", load_about(name)
    command, stream = import_module(f"{folder}.command"), import_module(f"{folder}.stream")
    translate = getattr(stream, "translate", None)
    return Agent(
        about=about,
        command=command.command,
        read=stream_reader(translate) if translate else stream.read,
        judge=getattr(stream, "judge", None) or usual_judge(about),
        tell=stream_teller(translate) if translate else stream.tell,
        environment=getattr(command, "environment", no_variables),
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
