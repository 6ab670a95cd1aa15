"""One event of a host other than Claude Code: translated, handed to the loop, and answered.

What differs between hosts is in the HookWire of each (agents/<host>/hooks.py).
"""

from __future__ import annotations

import time

from ..agents import hook_wire
from ..agents.claude.hooks import (
    PLAN_COMMANDS,
    RECORD_COMMANDS,
    TYPED_COMMANDS,
    parse_number,
    text_field,
)
from ..agents.hook_wire import HookClient, HookWire
from ..core.directives import Ask, Continue, Stop
from ..core.json_text import JSONError, loads
from ..core.record import digest
from ..core.signals import ClientEvent, TurnOver
from ..disk.files import read_text, write_atomic
from ..disk.light_os import os
from ..disk.processes import is_process_alive
from ..drive.step import step
from ..store.folder import LoopFolder
from .answers import MAX_CHARACTERS, is_foreign
from .client_process import calling_client
from .dispatch import HookCall, answer_event, handle_signal_event, handle_stop, option_value
from .sender import FROM_SHELL, refuse_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.directives import Reply
    from ..core.loop import Loop
    from ..core.signals import Signal

ANY_SESSION = "*"
# How a person may write our commands: as the host's own slash command, or as at a shell.
COMMAND_PREFIXES = ("/loop:", "/loop-", "/loop ", "$loop-", "loop ")
SESSION_COMMANDS = (*TYPED_COMMANDS, *RECORD_COMMANDS, *PLAN_COMMANDS)


def load_wire(host: str) -> HookWire | None:
    """The table of the host; None if it has none."""
    if not host.isalpha():
        return None
    try:
        module = __import__(f"loopwright.agents.{host}.hooks", fromlist=["WIRE"])
    except ImportError:
        return None
    wire: HookWire | None = getattr(module, "WIRE", None)
    return wire


class HostCall(HookCall):
    """One event of the host, under our names, and what its answer depends on."""

    def __init__(self, wire: HookWire, data: dict[str, Any], cap: int) -> None:
        super().__init__(data, "claude")
        self.cap = cap
        self.plugin = False
        self.pid, words = calling_client()
        if not wire.names_session and not text_field(data, "session_id"):
            # One process of it is one session.
            self.data = data = {**data, "session_id": f"{wire.host}-{self.pid or 'session'}"}
        named = os.environ.get("LOOP_SESSION", "")
        one_shot = any(word in wire.one_shot for word in words)
        shows_messages = wire.shows_messages and (wire.shows_in_one_shot or not one_shot)
        self.wire = wire.but(shows_messages=shows_messages)
        is_named = named in (ANY_SESSION, text_field(data, "session_id"))
        self.client = HookClient(self.pid, attended=not one_shot or is_named)

    def is_typed_command(self) -> bool:
        return self.event == "UserPromptSubmit" and bool(
            typed_command(text_field(self.data, "prompt").strip())[0]
        )

    def handle_event(self) -> dict[str, Any]:
        if self.event == "Stop":
            return handle_stop(self)
        if self.event == "UserPromptSubmit":
            return _answer_prompt(self)
        return handle_signal_event(self) if self.event else {}

    def decode_signal(self, event: str) -> Signal | None:
        data = {**self.data, "hook_event_name": event}
        return hook_wire.decode(self.wire, data, self.client, self.cap, time.time())

    def encode_answer(self, directive: Reply) -> dict[str, Any]:
        answer = hook_wire.encode(self.wire, self.event, directive)
        is_repeated = self.event == "Stop" and not isinstance(directive, Continue)
        if is_repeated and not self.wire.shows_messages and answer:
            if is_foreign(LoopFolder(self.root), text_field(self.data, "session_id")):
                return {}  # a session that does not drive the loop is not held to say so
            what = directive.question if isinstance(directive, Ask) else directive.message
            return answer if self._note_told(what) else {}
        return answer

    def split_prompt(self, answer: dict[str, Any], first_line_is_enough: bool) -> dict[str, Any]:
        """No other host adds words to a tool call without showing them."""
        return answer

    def _note_told(self, message: str) -> bool:
        """Is the message new to this session? An agent that has passed it on may then stop."""
        folder = LoopFolder(self.root)
        note = f"{text_field(self.data, 'session_id')} {digest(message.encode('utf-8', 'replace'))}"
        if not os.path.exists(folder.note_path) or read_text(folder.path_of("told"), 300) == note:
            return False
        write_atomic(folder.path_of("told"), note.encode(), wait=False)
        return True

    def read_facts(self, turn: TurnOver, loop: Loop) -> TurnOver:
        """The turn with what the host's own file of the session says."""
        if "costs" in self.data:  # a plugin of ours tells it
            from ..agents.session_log import read_input_facts

            return read_input_facts(turn, loop, self.data)
        name = f"loopwright.agents.{self.wire.host}.session_file"
        if not turn.transcript:
            return turn
        try:
            module = __import__(name, fromlist=["add_entry"])
        except ImportError:
            return turn
        from ..agents.session_log import read_session_facts

        model = text_field(self.data, "model")
        facts = read_session_facts(turn, loop, module.add_entry, model, module.END_MARK)
        return facts if self.wire.text_in_file else facts.but(text=turn.text or facts.text)

    def sender_problem(self, loop: Loop | None) -> str:
        """Why the event is not the person's; "" if it may be."""
        if any(os.environ.get(name) for name in self.wire.agent_variables):
            return FROM_SHELL
        holder = loop.lease.pid if loop and not loop.headless_run else 0
        if not holder or not self.pid or self.pid == holder or not is_process_alive(holder):
            return ""
        return f"process {self.pid} sent it, and the client that holds this loop is {holder}"


def answer_host_event(
    stdin_data: bytes, argv: list[str], find_roots: Callable[[str], tuple[str, str]]
) -> None:
    """Print the answer to the event of the host that `argv` names first."""
    wire = load_wire(argv[0])
    if wire is None:
        return

    def open_call(data: dict[str, Any], argv: list[str]) -> HostCall:
        ours = hook_wire.translate_event(wire, data, option_value(argv, "--event"))
        return HostCall(wire, ours, cap_of(wire, argv))

    answer_event(stdin_data, argv, find_roots, open_call)


def _answer_prompt(call: HostCall) -> dict[str, Any]:
    """A prompt may be a command of ours, an order to the loop, or not a person's at all."""
    prompt, folder = text_field(call.data, "prompt").strip(), LoopFolder(call.root)
    if call.wire.echoes and (not prompt or prompt == _last_continuation(folder)):
        return {}
    if os.path.exists(folder.path_of("told")):
        os.remove(folder.path_of("told"))  # a new prompt: what is said then is news again
    name, args = typed_command(prompt)
    if name:
        return _answer_command(call, name, args)
    loop = folder.read_loop()
    is_own = loop is not None and loop.lease.holder in ("", text_field(call.data, "session_id"))
    if is_own and (problem := call.sender_problem(loop)):
        return call.encode_answer(refuse_order(folder, "a prompt", problem))
    answer = handle_signal_event(call)
    if "UserPromptSubmit" not in call.wire.context_events:
        _send_protocol_later(call, folder)
    return answer


def _send_protocol_later(call: HostCall, folder: LoopFolder) -> None:
    """The host takes no context with a prompt, so the next stop tells the agent everything."""
    session, loop = text_field(call.data, "session_id"), folder.read_loop()
    if loop and loop.lease.holder == session and not loop.dialogue.protocol_due:
        step(folder, ClientEvent(at=time.time(), event="compact", session=session))


def typed_command(prompt: str) -> tuple[str, str]:
    """Our command in a prompt and its arguments; "" for any other prompt."""
    for prefix in COMMAND_PREFIXES:
        if prompt.startswith(prefix):
            name, _, args = prompt[len(prefix) :].partition(" ")
            return (name.strip(), args) if name.strip() in SESSION_COMMANDS else ("", "")
    return "", ""


def _answer_command(call: HostCall, name: str, args: str) -> dict[str, Any]:
    from . import typed_commands

    folder = LoopFolder(call.root) if call.root else None
    typed = typed_commands.TypedCommand(
        name=name,
        args=args,
        session=text_field(call.data, "session_id"),
        folder=folder,
        plugin=False,
        lost_folder=LoopFolder(call.lost_root) if call.lost_root else folder,
        cwd=text_field(call.data, "cwd"),
        pid=call.pid,
    )
    loop = folder.read_loop() if folder else None
    problem = "" if typed_commands.changes_nothing(typed) else call.sender_problem(loop)
    if problem:
        message = refuse_order(folder if loop else None, f"loop {name}", problem).message
        return hook_wire.refuse_prompt(call.wire, message)
    answer = typed_commands.COMMAND_HANDLERS[name](typed)
    if "reason" in answer:
        return hook_wire.refuse_prompt(call.wire, answer["reason"])
    context = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    message = answer.get("systemMessage", "")
    return call.encode_answer(Continue(context, message) if context else Stop(message=message))


def _last_continuation(folder: LoopFolder) -> str:
    """What we told the agent at the last stop; the host sends it to us again as a prompt."""
    text = read_text(folder.path_of("answered"), MAX_CHARACTERS)
    try:
        record = loads(text) if text else {}
        return str(record["answer"]["reason"]).strip()
    except (JSONError, KeyError, TypeError):
        return ""


def cap_of(wire: HookWire, argv: list[str]) -> int:
    """How many stops of one prompt the host lets us refuse: as installed, as set, or as usual."""
    named = os.environ.get(wire.cap_variable, "") if wire.cap_variable else ""
    return parse_number(named) or parse_number(option_value(argv, "--cap")) or wire.cap
