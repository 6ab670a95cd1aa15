"""What a person types or touches in a session, answered by the hook itself: no model call, no tokens."""

from __future__ import annotations

import os
import shlex
import time

from ..agents.claude.hooks import (
    PLAN_COMMANDS,
    TYPED_COMMANDS,
    encode,
    parse_number,
    respell_commands,
    text_field,
)
from ..core.directives import Continue
from ..drive import errors, orders
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

START_COMMANDS = (
    "start",
    "intent",
)  # the model carries them out, like any preset; what the person typed is kept for it, word for word
MODEL_COMMANDS = (
    "shape",
    "help",
    "plan",
    *PLAN_COMMANDS,
)  # the model answers them, and nothing that was typed is needed later
BARE_COMMANDS = (
    "status",
    "pause",
    "cancel",
)  # of the client's own /loop, while a loop of ours is here
HELP_PHRASES = ("what is", "what's", "how does", "help")


def handle_person_event(
    data: dict[str, Any], folder: LoopFolder | None, plugin: bool
) -> dict[str, Any]:
    """A slash command of ours is carried out here; a tool call is only looked at for a halt."""
    session = text_field(data, "session_id")
    if data.get("hook_event_name") != "UserPromptExpansion":
        return _halt_if_stop_file(folder, session) if folder else {}
    command, args = typed_command(data, folder is not None)
    if command == "build":
        return refusal(_build_user_commands())
    # A command that came with the repository is not ours, whatever its name; our own alias was looked at already.
    theirs = text_field(data, "command_source") == "projectSettings" and ":" in text_field(
        data, "command_name"
    )
    if command and not theirs and command not in (*TYPED_COMMANDS, *MODEL_COMMANDS):
        if command not in START_COMMANDS:
            _keep_pending_start(
                session, args if "--preset" in args else f"{args} --preset {command}".strip()
            )
        elif args.strip() and not args.strip().lower().startswith(HELP_PHRASES):
            _keep_pending_start(session, args)
    if command == "continue" and text_field(data, "command_source") == "bundled":
        return refusal(f"That is the client's own /loop. Type: /loop:continue {args}".rstrip())
    loop = folder.read_loop() if folder and command in (*TYPED_COMMANDS, *PLAN_COMMANDS) else None
    if command in PLAN_COMMANDS and not (loop and loop.plan):
        return _begin_plan(command, args, session, bool(loop))
    if command not in (*TYPED_COMMANDS, *PLAN_COMMANDS):
        return {}
    if folder is None or loop is None:
        return refusal("No loop here. Start one: /loop:start SPEC")
    file = args.strip().partition(" ")[0]
    if (
        command == "execute"
        and loop.plan
        and file
        and not orders.is_same_plan(loop.plan.file, os.path.join(folder.root, file), folder.root)
    ):
        return refusal(
            f"The loop here is on {loop.plan.file}. Go on with it: /loop:execute. Or end it first: /loop:cancel"
        )
    if command != "attach" and loop.lease.holder not in ("", session):
        return refusal("Another session drives this loop. Take it over: /loop:attach")
    said = orders.run_typed_command(
        folder, command, split_words(args), session, parse_number(os.environ.get("CLAUDE_PID", ""))
    )
    if isinstance(said, Continue):
        return encode("UserPromptExpansion", said, plugin=plugin)
    return refusal(respell_commands(said.message, plugin))


def _begin_plan(command: str, args: str, session: str, busy: bool) -> dict[str, Any]:
    """A plan is not executed yet: the model starts it, with the person's own words."""
    if busy:
        return refusal("The loop here has no plan. End it first: /loop:cancel")
    if command == "verify":
        return refusal("No plan is being executed here. Begin: /loop:execute FILE")
    _keep_pending_start(
        session, f"--plan {args}" if args.strip() and not args.lstrip().startswith("--") else args
    )
    return {}


def refusal(reason: str) -> dict[str, Any]:
    """No model call: the person reads the reason."""
    return {"decision": "block", "reason": reason}


def typed_command(data: dict[str, Any], has_loop: bool) -> tuple[str, str]:
    """Which command of ours was typed, and its arguments; "" for the client's own and other plugins' commands."""
    name, args = text_field(data, "command_name"), text_field(data, "command_args")
    space, colon, command = name.partition(":")
    if space != "loop":
        return "", ""
    if colon:
        return command, args
    first, _, rest = args.strip().partition(" ")
    if text_field(data, "command_source") == "bundled":
        return (first, rest) if has_loop and first in (*BARE_COMMANDS, "continue") else ("", "")
    if not _is_our_alias(text_field(data, "cwd")):
        return "", ""
    return (first, rest) if first in TYPED_COMMANDS else ("start", args)


def _is_our_alias(folder: str) -> bool:
    """Is the /loop of this project or this user the one that `loop install --alias` wrote?"""
    from ..agents.claude.paths import ALIAS_MARKER, alias_file, config_home

    projects = [
        os.path.join(place, ".claude")
        for place in (folder, os.environ.get("CLAUDE_PROJECT_DIR", ""))
    ]
    for base in (*projects, config_home()):
        try:
            with open(alias_file(base), encoding="utf-8") as file:
                return ALIAS_MARKER in file.read(2000)
        except (OSError, ValueError):  # ValueError: not UTF-8, or no path at all
            continue
    return False


def _keep_pending_start(session: str, args: str) -> None:
    from ..store import pending_start

    pending_start.save_pending_start(session, args, time.time())


def _build_user_commands() -> str:
    """/loop:build: commands for the person's own presets."""
    from ..plugin.user_commands import write_user_commands
    from ..store.config import ConfigError

    try:
        return "\n".join(write_user_commands())
    except (ConfigError, errors.UserError) as error:
        return str(error)


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
    said = orders.pause_for_stop_file(folder, time.time())
    return {"continue": False, "stopReason": said.message}
