"""What a person types in a session, answered by the hook itself: no model call, no tokens."""

from __future__ import annotations

import os
import shlex
import time

from ..agents.claude.hooks import (
    PLAN_COMMANDS,
    RECORD_COMMANDS,
    TYPED_COMMANDS,
    encode,
    parse_number,
    respell_commands,
    text_field,
)
from ..core.directives import Continue
from ..core.prompts.phrases import cut_at_word
from ..core.record import Record
from ..drive import errors
from ..drive.orders import loop_orders
from ..drive.step import pause_for_stop_file
from ..drive.turn_facts import is_holder_gone
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.loop import Loop

# The model carries these out. What the person typed is kept for it, word for word.
START_COMMANDS = ("start", "intent")
# The model answers these, and needs nothing of what was typed later.
MODEL_COMMANDS = ("shape", "help", "plan")
# Any session may look at a loop and pause it, whoever drives it.
OPEN_COMMANDS = ("status", "why", "pause", "attach")
# Words after the client's own /loop that are ours while a loop of ours is here.
BARE_COMMANDS = ("status", "pause", "cancel", "continue")
# An agent may run these itself, so it does not matter who sent them.
FREE_COMMANDS = ("status", "why", "pause", *MODEL_COMMANDS, "receipt", "history")
LISTING_COMMANDS = ("accept", "allow", "criteria", "rewind")  # without a word they only list
HELP_PHRASES = ("what is", "what's", "how does", "help")


class TypedCommand(Record):
    """A slash command of ours, as it was typed."""

    name: str
    args: str
    session: str
    folder: LoopFolder | None  # None: no loop here
    plugin: bool
    lost_folder: LoopFolder | None = None  # where the files of a loop of ours are gone
    cwd: str = ""
    bundled: bool = False  # typed as the client's own /loop
    from_project: bool = False  # a command file of the repository
    pid: int = 0  # of the client, if the host is not Claude Code


def handle_person_event(
    data: dict[str, Any],
    folder: LoopFolder | None,
    plugin: bool,
    lost_folder: LoopFolder | None = None,
) -> dict[str, Any]:
    """The answer to a typed command. A tool call is only stopped when a person asked for it."""
    session = text_field(data, "session_id")
    if data.get("hook_event_name") != "UserPromptExpansion":
        return _halt_if_stop_file(folder, session) if folder else {}
    name, args = typed_command(data, folder is not None)
    if not name:
        return {}
    source = text_field(data, "command_source")
    typed = TypedCommand(
        name=name,
        args=args,
        session=session,
        folder=folder,
        plugin=plugin,
        lost_folder=lost_folder or folder,
        cwd=text_field(data, "cwd"),
        bundled=source == "bundled",
        # Without a colon it is the bare /loop, which typed_command has recognized as our alias.
        from_project=source == "projectSettings" and ":" in text_field(data, "command_name"),
    )
    if reason := _forged_order(typed):
        return refusal(reason)
    return COMMAND_HANDLERS.get(name, keep_preset_start)(typed)


def changes_nothing(typed: TypedCommand) -> bool:
    """May an agent run it itself, or does it only list something?"""
    return typed.name in FREE_COMMANDS or (
        typed.name in LISTING_COMMANDS and not typed.args.strip()
    )


def _forged_order(typed: TypedCommand) -> str:
    """Why the command is not the person's, after it was recorded; "" if it may be, or is free."""
    if changes_nothing(typed) or typed.from_project:
        return ""
    from .sender import refuse_order, sender_problem

    loop = typed.folder.read_loop() if typed.folder else None
    problem = sender_problem(typed.folder, loop, takes_over=typed.name == "attach")
    if not problem:
        return ""
    order = cut_at_word(f"/loop:{typed.name} {typed.args}".strip(), 200)
    message = refuse_order(typed.folder if loop else None, order, problem).message
    return respell_commands(message, typed.plugin)


def typed_command(data: dict[str, Any], has_loop: bool) -> tuple[str, str]:
    """Our command that was typed, and its arguments; "" for commands that are not ours."""
    name, args = text_field(data, "command_name"), text_field(data, "command_args")
    namespace, colon, command = name.partition(":")
    if namespace != "loop":
        return "", ""
    if colon:
        return command, args
    first, _, rest = args.strip().partition(" ")
    if text_field(data, "command_source") == "bundled":
        return (first, rest) if has_loop and first in BARE_COMMANDS else ("", "")
    if not _is_our_alias(text_field(data, "cwd")):
        return "", ""
    return (first, rest) if first in TYPED_COMMANDS else ("start", args)


def _is_our_alias(folder: str) -> bool:
    """Is the /loop of this project or this user the one that `loop install --alias` wrote?"""
    from ..agents.claude.paths import ALIAS_MARKER, alias_file, config_home

    projects = (folder, os.environ.get("CLAUDE_PROJECT_DIR", ""))
    client_folders = [os.path.join(project, ".claude") for project in projects]
    for client_folder in (*client_folders, config_home()):
        try:
            with open(alias_file(client_folder), encoding="utf-8") as file:
                return ALIAS_MARKER in file.read(2000)
        except (OSError, ValueError):  # ValueError: not UTF-8, or not a valid path
            continue
    return False


def keep_start(typed: TypedCommand) -> dict[str, Any]:
    text = typed.args.strip()
    asks_for_help = text.lower().startswith(HELP_PHRASES)
    if text and not asks_for_help and not typed.from_project:
        _keep_pending_start(typed.session, typed.args)
    return {}


def keep_preset_start(typed: TypedCommand) -> dict[str, Any]:
    """Any other name is a preset: the model starts a loop with it."""
    if typed.from_project:  # a command of the repository is not ours, whatever its name
        return {}
    args = typed.args
    if "--preset" not in args:
        args = f"{args} --preset {typed.name}".strip()
    _keep_pending_start(typed.session, args)
    return {}


def _keep_pending_start(session: str, args: str) -> None:
    from ..store import pending_start

    pending_start.save_pending_start(session, args, time.time())


def leave_to_model(typed: TypedCommand) -> dict[str, Any]:
    return {}


def build_commands(typed: TypedCommand) -> dict[str, Any]:
    """/loop:build: commands for the person's own presets."""
    from ..plugin.user_commands import write_user_commands
    from ..store.config import ConfigError

    try:
        return refusal("\n".join(write_user_commands()))
    except (ConfigError, errors.UserError) as error:
        return refusal(str(error))


def run_loop_command(typed: TypedCommand) -> dict[str, Any]:
    if typed.bundled and typed.name == "continue":
        hint = f"Type: /loop:continue {typed.args}".rstrip()
        return refusal(f"That is the client's own /loop. {hint}")
    loop = typed.folder.read_loop() if typed.folder else None
    if typed.folder is None or loop is None:
        missing = _missing_text(typed) or _last_loop_view(typed)
        return refusal(missing or "No loop here. Start one: /loop:start SPEC")
    return _give_order(typed, typed.folder, loop)


def _missing_text(typed: TypedCommand) -> str:
    """The line about a loop of ours whose files are gone from here; "" for none."""
    from ..store.restore import missing_loop, missing_text

    loop = missing_loop(typed.lost_folder) if typed.lost_folder else None
    if typed.lost_folder is None or loop is None:
        return ""
    return respell_commands(missing_text(typed.lost_folder, loop), typed.plugin)


def restore_missing_loop(typed: TypedCommand) -> dict[str, Any]:
    """/loop:restore: put back the journal of a loop whose files are gone or damaged."""
    from ..store.restore import NothingToRestore, is_intact, restore_loop, restored_text

    folder = typed.lost_folder
    if folder is None:
        return refusal("No loop is missing here. Start one: /loop:start SPEC")
    if is_intact(folder):
        return refusal("The loop is here and can be read: /loop:status")
    try:
        text = restored_text(restore_loop(folder))
    except NothingToRestore as error:
        return refusal(respell_commands(str(error), typed.plugin))
    return refusal(respell_commands(f"{text} Continue: say so. See: `loop status`", typed.plugin))


def forget_missing_loop(typed: TypedCommand) -> dict[str, Any]:
    """/loop:forget: drop a loop whose files are gone. An archive is forgotten in a terminal."""
    from ..drive.records.forget import forget_missing_loop as forget

    loop = forget(typed.lost_folder) if typed.lost_folder else None
    if loop is None:
        return refusal("No loop is missing here. End the one that runs: /loop:cancel")
    return refusal(f"[LOOP] Forgotten: {loop.id}")


def _last_loop_view(typed: TypedCommand) -> str:
    """The loop that ended last in this folder, for /loop:status and /loop:why; "" without one."""
    if typed.name not in ("status", "why"):
        return ""
    from ..store.history import folder_with_history, last_ended_loop

    for place in (typed.cwd, os.environ.get("CLAUDE_PROJECT_DIR", "")):
        folder = folder_with_history(place)
        if folder and (loop := last_ended_loop(folder)):
            view = loop_orders.view_text(typed.name, loop, typed.session)
            return respell_commands(view, typed.plugin)
    return ""


def run_record_command(typed: TypedCommand) -> dict[str, Any]:
    """/loop:receipt, /loop:history and /loop:rewind, which work after the end of a loop too."""
    folder = typed.folder or _folder_with_history(typed.cwd)
    if folder is None:
        return refusal("No loop has ended here yet. Start one: /loop:start SPEC")
    loop = folder.read_loop() if typed.folder else None
    changes_files = typed.name == "rewind" and bool(typed.args.strip())
    if changes_files and loop and loop.lease.holder not in ("", typed.session):
        return refusal("Another session drives this loop. Take it over: /loop:attach")
    from ..drive.records.loop_records import answer_record_command

    text = answer_record_command(folder, typed.name, split_words(typed.args))
    return refusal(respell_commands(text, typed.plugin))


def _folder_with_history(session_folder: str) -> LoopFolder | None:
    """The folder of the session, when loops have ended there and none is active."""
    from ..store.history import folder_with_history

    project = os.environ.get("CLAUDE_PROJECT_DIR", "")
    return folder_with_history(session_folder) or folder_with_history(project)


def run_plan_command(typed: TypedCommand) -> dict[str, Any]:
    """Continue or verify the plan of the loop here; without one, the model starts it."""
    loop = typed.folder.read_loop() if typed.folder else None
    if typed.folder is None or loop is None:
        return _begin_plan(typed)
    if not loop.plan:
        return refusal("The loop here has no plan. End it first: /loop:cancel")
    file = typed.args.strip().partition(" ")[0]
    if typed.name == "execute" and file:
        root = typed.folder.root
        if not loop_orders.is_same_plan(loop.plan.file, os.path.join(root, file), root):
            return refusal(
                f"The loop here is on {loop.plan.file}. Continue it: /loop:execute. "
                "Or end it first: /loop:cancel"
            )
    return _give_order(typed, typed.folder, loop)


def _begin_plan(typed: TypedCommand) -> dict[str, Any]:
    """The model starts the plan, with the person's own words."""
    if typed.name == "verify":
        return refusal("No plan is being executed here. Begin: /loop:execute FILE")
    args = typed.args
    names_file = args.strip() and not args.lstrip().startswith("--")
    _keep_pending_start(typed.session, f"--plan {args}" if names_file else args)
    return {}


def _give_order(typed: TypedCommand, folder: LoopFolder, loop: Loop) -> dict[str, Any]:
    is_foreign = loop.lease.holder not in ("", typed.session)
    if is_foreign and typed.name not in OPEN_COMMANDS and not is_holder_gone(loop, typed.session):
        return refusal("Another session drives this loop. Take it over: /loop:attach")
    pid = typed.pid or parse_number(os.environ.get("CLAUDE_PID", ""))
    words = split_words(typed.args)
    reply = loop_orders.run_typed_command(folder, typed.name, words, typed.session, pid, typed.cwd)
    if isinstance(reply, Continue):
        return encode("UserPromptExpansion", reply, plugin=typed.plugin)
    return refusal(respell_commands(reply.message, typed.plugin))


COMMAND_HANDLERS: dict[str, Callable[[TypedCommand], dict[str, Any]]] = {
    "build": build_commands,
    **dict.fromkeys(START_COMMANDS, keep_start),
    **dict.fromkeys(MODEL_COMMANDS, leave_to_model),
    **dict.fromkeys(PLAN_COMMANDS, run_plan_command),
    **dict.fromkeys(TYPED_COMMANDS, run_loop_command),
    "restore": restore_missing_loop,
    "forget": forget_missing_loop,
    **dict.fromkeys(RECORD_COMMANDS, run_record_command),
}


def refusal(reason: str) -> dict[str, Any]:
    """No model call: the person reads the reason."""
    return {"decision": "block", "reason": reason}


def split_words(text: str) -> list[str]:
    """Words as a shell would split them; text that no shell could split is one word."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _halt_if_stop_file(folder: LoopFolder, session: str) -> dict[str, Any]:
    loop = folder.read_loop()
    if not loop or loop.lease.holder != session or not os.path.exists(folder.path_of("STOP")):
        return {}
    reply = pause_for_stop_file(folder, time.time())
    return {"continue": False, "stopReason": reply.message}
