"""Where we are and who we are: the loop of this folder, and whether an agent is typing."""

from __future__ import annotations

import os
import time

from ..agents.claude.paths import MANIFEST, PACKAGE_IN_PLUGIN
from ..core.loop import Loop
from ..core.signals import Ordered
from ..drive.errors import UserError
from ..hook.__main__ import contains_folder, loop_root_above, without_trailing_slash
from ..store.folder import LoopFolder

AGENT_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "LOOP_CHILD")
AGENT_COMMANDS = (
    *(
        "start",
        "claim",
        "check",
        "status",
        "why",
        "task",
        "backlog",
        "presets",
        "pause",
        "plan",
        "execute",
        "verify",
    ),
    *("diff", "receipt", "simulate", "replay"),
)
NEUTRAL_COMMANDS = (
    "hook",
    "statusline",
    "plugin",
)  # no orders to a loop; the client or a developer runs them


def agent_variable() -> str:
    """The variable by which an agent's shell gives itself away; "" for a person."""
    return next((name for name in AGENT_VARIABLES if os.environ.get(name)), "")


def runs_from_plugin() -> bool:
    """Is this the command that the plugin brings, run in a session? Then hints are typed there, as /loop:..."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Not through the file system: in a clone the package is a link, and its ".." is that of src.
    plugin = package.replace(os.sep, "/").removesuffix(f"/{PACKAGE_IN_PLUGIN}")
    return bool(agent_variable()) and os.path.isfile(os.path.join(plugin, MANIFEST))


def find_loop_folder() -> LoopFolder | None:
    root = loop_root_above(os.getcwd()) or loop_root_above(os.environ.get("CLAUDE_PROJECT_DIR", ""))
    return LoopFolder(root) if root else None


def checkout_top(folder: str) -> str:
    """The first folder up with a .git, file or directory; else the folder itself. HOME, or what holds it, is no project."""
    path, home = os.path.abspath(folder), without_trailing_slash(os.path.expanduser("~"))
    while not os.path.exists(os.path.join(path, ".git")):
        parent = os.path.dirname(path)
        if parent == path or contains_folder(without_trailing_slash(parent), home):
            return os.path.abspath(folder)
        path = parent
    return path


def loop_folder() -> LoopFolder:
    """The folder of the loop here, or of the next one."""
    return find_loop_folder() or LoopFolder(checkout_top(os.getcwd()))


def active_loop() -> tuple[LoopFolder, Loop]:
    """The active loop here; without one, the way out."""
    place = find_loop_folder()
    there = place.read_loop() if place else None
    if place is None or there is None:
        if elsewhere := moved_loop_path():
            raise UserError(
                f"the loop of this folder works in {elsewhere}. Go there: cd {elsewhere}"
            )
        raise UserError(
            "no active loop in this folder. Start one: loop start SPEC. Earlier ones: loop history"
        )
    return place, there


def moved_loop_path() -> str:
    """Where the loop of this folder went with `loop run --worktree`; "" where it is here, or nowhere."""
    try:
        with open(LoopFolder(checkout_top(os.getcwd())).path_of("moved"), encoding="utf-8") as file:
            place = file.readline().strip()
    except OSError:
        return ""
    return place if os.path.isdir(place) else ""


def refuse_agents(command: str) -> None:
    """Orders that loosen or end a loop are the person's; an agent that tries is told so, and it is journaled."""
    if command in (*AGENT_COMMANDS, *NEUTRAL_COMMANDS) or not agent_variable():
        return
    refuse_agent_command(find_loop_folder(), command)


def refuse_agent_command(place: LoopFolder | None, command: str) -> None:
    if place and place.read_loop():
        from ..drive.step import step

        step(place, Ordered(time.time(), "refused", by="agent", reason=command))
    raise UserError(
        f"`loop {command}` is the person's to run ({agent_variable()} is set). For you: {', '.join(AGENT_COMMANDS)}"
    )
