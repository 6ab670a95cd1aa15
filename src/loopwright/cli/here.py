"""Find the loop of the current folder, and find out whether an agent runs the command."""

from __future__ import annotations

import os
import sys
import time

from ..agents.shell_variables import AGENT_VARIABLES, agent_session
from ..core.loop import Loop
from ..disk.files import open_at_once
from ..disk.user_folders import home_folder
from ..drive.errors import UserError
from ..hook.entry import (
    contains_folder,
    held_loop_root,
    loop_root_above,
    lost_root_above,
    without_trailing_slash,
)
from ..store.folder import LoopFolder
from .output import show_warning

AGENT_COMMANDS = (
    *("start", "claim", "dispute", "check", "status", "why", "task", "backlog", "presets", "pause"),
    *("plan", "execute", "verify", "diff", "receipt"),
    "criteria",  # to list them; `propose self` for a sub-agent; the command refuses the rest
    # They only read. A person types them in a session as `!loop audit`, which looks like an agent.
    *("audit", "doctor", "strength"),
)
# The client or a developer runs these; they change nothing in a loop.
# `fleet` itself refuses agents where an action does more than read.
NEUTRAL_COMMANDS = ("hook", "statusline", "plugin", "mcp", "fleet")


def agent_variable() -> str:
    """The environment variable that shows that an agent runs us; "" for a person."""
    return next((name for name in AGENT_VARIABLES if os.environ.get(name)), "")


def runs_from_plugin() -> bool:
    """Does a session run the `loop` of the plugin? Then hints name /loop: commands."""
    if not agent_variable():
        return False
    from ..agents.claude.paths import MANIFEST, PACKAGE_IN_PLUGIN

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Compare text instead of resolving the path: in a clone the package is a symbolic link,
    # and ".." of it would lead to src.
    plugin = package.replace(os.sep, "/").removesuffix(f"/{PACKAGE_IN_PLUGIN}")
    return os.path.isfile(os.path.join(plugin, MANIFEST))


def find_loop_folder() -> LoopFolder | None:
    """The folder with the loop that the session holds, else with one here or above, else with one
    above the client's project.
    """
    root = held_loop_root(agent_session())
    root = root or loop_root_above(os.getcwd())
    root = root or loop_root_above(os.environ.get("CLAUDE_PROJECT_DIR", ""))
    return LoopFolder(root) if root else None


def checkout_top(folder: str) -> str:
    """The nearest folder upwards that is a checkout; else the folder itself.

    The search stops below HOME: HOME and the folders above it are not projects.
    """
    path = os.path.abspath(folder)
    home = without_trailing_slash(home_folder())
    while not is_checkout(path):
        parent = os.path.dirname(path)
        if parent == path or contains_folder(without_trailing_slash(parent), home):
            return os.path.abspath(folder)
        path = parent
    return path


def is_checkout(folder: str) -> bool:
    """Does it hold a git folder, or the file that names one?

    Codex puts an empty .git in the temporary folder while a command of it runs.
    """
    git = os.path.join(folder, ".git")
    return os.path.exists(os.path.join(git, "HEAD")) or (
        os.path.isfile(git) and os.path.getsize(git) > 0
    )


def loop_folder() -> LoopFolder:
    """The folder of the loop here, or the folder where the next loop would start."""
    return find_loop_folder() or LoopFolder(checkout_top(os.getcwd()))


def folder_with_record() -> LoopFolder:
    """The folder whose loop a report is about; the worktree to which `loop run` moved it."""
    folder = loop_folder()
    if not os.path.exists(folder.journal_path) and (worktree := moved_loop_path()):
        show_warning(f"The loop of this folder works in {worktree}.")
        return LoopFolder(worktree)
    return folder


def active_loop(start: str = "loop start SPEC") -> tuple[LoopFolder, Loop]:
    """The active loop here; without one, an error that names the command that starts one."""
    folder = find_loop_folder()
    loop = folder.read_loop() if folder else None
    if folder and loop:
        return folder, loop
    refuse_lost_loop()
    if worktree := moved_loop_path():
        raise UserError(f"the loop of this folder works in {worktree}. Go there: cd {worktree}")
    raise UserError(
        f"no active loop in this folder. Start one: {start}. Earlier ones: loop history"
    )


def ended_loop(loop_id: str) -> tuple[LoopFolder, str] | None:
    """The folder and the journal of the named loop, or of the last one if none is active here."""
    from ..drive.records import loop_records
    from ..store.history import ended_loop_ids

    folder = loop_folder()
    if not loop_id and (folder.read_loop() or not ended_loop_ids(folder) or lost_loop()[1]):
        return None
    path = loop_records.find_journal(folder, loop_id)
    return None if path == folder.journal_path else (folder, path)


def lost_loop() -> tuple[LoopFolder, Loop | None]:
    """The folder where a loop of ours belongs, and that loop if its journal is gone."""
    from ..store.restore import missing_loop

    folders = (os.getcwd(), os.environ.get("CLAUDE_PROJECT_DIR", ""))
    root = next((root for root in map(lost_root_above, folders) if root), "")
    folder = LoopFolder(root) if root else loop_folder()
    return folder, missing_loop(folder)


def refuse_lost_loop() -> None:
    """Name the loop whose journal is gone from here, and what to type."""
    folder, loop = lost_loop()
    if loop:
        from ..agents.claude.hooks import respell_commands
        from ..store.restore import missing_text

        text = missing_text(folder, loop).removeprefix("[LOOP] ")
        raise UserError(respell_commands(text, runs_from_plugin()))


def report_moved_folder(command: str) -> None:
    """Follow a folder that was moved with its loop, and say so once."""
    if command in NEUTRAL_COMMANDS:
        return
    folder = find_loop_folder()
    if not folder:
        return
    from ..store.restore import follow_moved_folder

    if notice := follow_moved_folder(folder):
        show_warning(notice)


def moved_loop_path() -> str:
    """The worktree that `loop run --worktree` moved this folder's loop to; "" if there is none."""
    note = LoopFolder(checkout_top(os.getcwd())).path_of("moved")
    try:
        with open(note, encoding="utf-8", opener=open_at_once) as file:
            path = file.readline().strip()
    except OSError:
        return ""
    return path if os.path.isdir(path) else ""


def require_own_terminal(command: str) -> None:
    """Only a person in a terminal may change the record of an ended loop."""
    if agent_variable() or not has_controlling_terminal():
        raise UserError(
            f"`loop {command}` is the person's to say: type it in a terminal of your own"
        )


def has_controlling_terminal() -> bool:
    if os.name == "nt":
        return sys.stdin.isatty()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def refuse_agents(command: str) -> None:
    """Only a person may run commands that loosen or end a loop."""
    if command in (*AGENT_COMMANDS, *NEUTRAL_COMMANDS) or not agent_variable():
        return
    refuse_agent_command(find_loop_folder(), command)


def refuse_agent_command(folder: LoopFolder | None, command: str) -> None:
    """Record the agent's attempt in the journal, and say which commands it may run."""
    if folder and not os.environ.get("LOOP_INBOX") and folder.read_loop():
        from ..core.signals import Ordered
        from ..drive.step import step

        step(folder, Ordered(time.time(), "refused", by="agent", reason=command))
    raise UserError(
        f"`loop {command}` is the person's to run ({agent_variable()} is set). "
        f"For you: {', '.join(AGENT_COMMANDS)}"
    )
