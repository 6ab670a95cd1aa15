"""What a person types or touches in a session, answered by the hook itself: no model call, no tokens."""

from __future__ import annotations

import os
import shlex
import time

from ..agents.claude.hooks import TYPED, encode, number, respell, text_of
from ..core.signals import Continue
from ..drive import orders
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def hear_person(data: dict[str, Any], folder: LoopFolder, plugin: bool) -> dict[str, Any]:
    """A slash command of ours is carried out here; a tool call is only looked at for a halt."""
    if data.get("hook_event_name") != "UserPromptExpansion":
        return _halted(folder, text_of(data, "session_id"))
    plugin_name, _, command = text_of(data, "command_name").partition(":")
    if plugin_name != "loop" or command not in TYPED:
        return {}
    session = text_of(data, "session_id")
    pid = number(os.environ.get("CLAUDE_PID", ""))
    words = split(text_of(data, "command_args"))
    loop = folder.peek()
    if loop is None:
        return {"decision": "block", "reason": "No loop here. Start one: /loop:start"}
    if command != "attach" and loop.lease.holder not in ("", session):
        return {"decision": "block", "reason": "Another session drives this loop. Take it over: /loop:attach"}
    said = orders.typed(folder, command, words, session, pid)
    if isinstance(said, Continue):
        return encode("UserPromptExpansion", said, plugin=plugin)
    return {"decision": "block", "reason": respell(said.say, plugin)}


def split(text: str) -> list[str]:
    """Words as a shell would split them; text that no shell could split is one word."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _halted(folder: LoopFolder, session: str) -> dict[str, Any]:
    loop = folder.peek()
    if not loop or loop.lease.holder != session or not os.path.exists(folder.inside("STOP")):
        return {}
    said = orders.halt(folder, time.time())
    return {"continue": False, "stopReason": said.say}
