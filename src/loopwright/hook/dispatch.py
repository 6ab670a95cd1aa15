"""Answers one hook event: find the loop, handle the signal, print one JSON object or nothing."""

from __future__ import annotations

import sys
import time

from ..agents.claude import hooks
from ..core.directives import Continue, Reply, Stop
from ..core.json_text import dumps, json_object
from ..core.signals import Signal, TurnOver
from ..disk.files import keep_owner_access
from ..disk.light_os import os
from ..disk.lock import FolderBusy, LocksUnsupported
from ..disk.user_folders import NoHomeFolder
from ..drive.step import end_orphans, pause_for_stop_file, step
from ..store.folder import LoopFolder, NoLoop, UntrustedFolder
from ..store.journal import JournalError
from .answers import answer_once, is_foreign
from .crash import CrashGuard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.loop import Loop
    from ..drive.turn_facts import TurnFactsReader


UNREADABLE_INPUT = (
    "[LOOP] The client's event could not be read from stdin, so the stop is allowed. "
    "The loop is kept; see `loop status`"
)
EDITING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
# Events whose answer a person sees: there we say that a loop is gone.
SHOWN_EVENTS = ("Stop", "UserPromptSubmit", "SessionStart")


def answer_event(
    stdin_data: bytes,
    argv: list[str],
    find_roots: Callable[[str], tuple[str, str]],
    open_call: Callable[[dict[str, Any], list[str]], HookCall] | None = None,
) -> None:
    """Print the answer to the event. Any error of ours allows the stop, see crash.py.

    `open_call` makes the call of a host other than Claude Code.
    """
    style = option_value(argv, "--format") or "claude"
    keep_owner_access()
    with CrashGuard(style) as guard:
        if style not in hooks.ANSWER_FORMATS:
            raise ValueError(f"--format is one of {', '.join(hooks.ANSWER_FORMATS)}, not {style!r}")
        data = read_input(stdin_data)
        if data is not None and _is_of_copilot(data, argv):
            return
        if data is None:
            guard.root, _ = find_roots("")
            message = UNREADABLE_INPUT if guard.root else ""
            answer = hooks.encode("Stop", Stop(message=message), "", style, plugin=_is_plugin())
        else:
            call = open_call(data, argv) if open_call else HookCall(data, style)
            guard.root, call.lost_root = find_roots(hooks.text_field(call.data, "cwd"))
            call.open_folder(guard.root)
            answer = answer_once(call.data, call.folder, lambda: answer_call(call))
        if "--judge" in argv and guard.root and data:
            from .judge_complaint import add_judge_complaint

            transcript = hooks.text_field(data, "transcript_path")
            answer = add_judge_complaint(answer, transcript, LoopFolder(guard.root))
        guard.answer = answer
    _print_answer(guard.answer)


def _is_of_copilot(data: dict[str, Any], argv: list[str]) -> bool:
    """Does Copilot CLI call a hook that was registered for another client?

    It reads files of VS Code and of Claude Code too. Its own registration answers it: only that one
    knows its cap, and that our words come back to us as a prompt.
    """
    is_shared = (argv[:1] or ["claude"])[0] in ("claude", "vscode")
    return is_shared and bool(os.environ.get("COPILOT_CLI")) and "timestamp" in data


def option_value(argv: list[str], name: str) -> str:
    """The word after an option; "" without it."""
    return argv[argv.index(name) + 1] if name in argv[:-1] else ""


def _print_answer(answer: dict[str, Any]) -> None:
    """UTF-8, whatever the locale says."""
    line = dumps(answer).encode() + b"\n" if answer else b""
    try:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except OSError:  # the client has exited; the journal has what happened
        sys.stdout = None  # else the interpreter flushes again at exit, and complains


def read_input(stdin_data: bytes) -> dict[str, Any] | None:
    """The JSON object on stdin, else in the variable ARGUMENTS; None for anything else."""
    for text in (stdin_data, os.environ.get("ARGUMENTS", "")):
        if (data := json_object(text)) is not None:
            return data
    return None


def _is_plugin() -> bool:
    return bool(os.environ.get("CLAUDE_PLUGIN_ROOT"))


def answer_call(call: HookCall) -> dict[str, Any]:
    """The answer of the loop below `call.root` to the event."""
    notice = ""
    try:
        notice = _notice_of_loss(call)
        if notice or not (call.folder or call.is_typed_command()):
            return call.encode_answer(Stop(message=notice))
        notice = _notice_of_missing_note(call)
        answer = call.handle_event()
    except (UntrustedFolder, NoLoop):  # it came with a repository, or it has just ended
        answer = call.encode_answer(Stop())
    except (JournalError, FolderBusy, LocksUnsupported, NoHomeFolder) as error:
        message = f"[LOOP] {error}. The stop is allowed. See: `loop doctor`"
        answer = call.encode_answer(Stop(message=message))
    return _with_notice(answer, notice) if notice and call.style == "claude" else answer


def _notice_of_loss(call: HookCall) -> str:
    """The line about a loop whose journal is gone, once; only where a person sees it."""
    if not (call.folder or call.lost_root) or call.event not in SHOWN_EVENTS:
        return ""
    folder = call.folder or LoopFolder(call.lost_root)
    if os.path.lexists(folder.journal_path):
        return ""
    from ..store.restore import missing_notice

    return missing_notice(folder)


def _notice_of_missing_note(call: HookCall) -> str:
    """The line about a folder that was moved with its loop, or about a lost record, once."""
    if call.folder is None or os.path.exists(call.folder.note_path):
        return ""
    from ..store.restore import follow_moved_folder, lost_record_notice

    if moved := follow_moved_folder(call.folder):
        return moved
    if call.event not in SHOWN_EVENTS:
        return ""
    return lost_record_notice(call.folder, hooks.text_field(call.data, "session_id"))


def _with_notice(answer: dict[str, Any], notice: str) -> dict[str, Any]:
    message = answer.get("systemMessage", "")
    return {**answer, "systemMessage": f"{notice}\n{message}".strip()}


class ForgedStop(Exception):
    """The agent sent the event itself; the text says how that is known."""


class HookCall:
    """One event of Claude Code, and what its answer depends on."""

    def __init__(self, data: dict[str, Any], style: str) -> None:
        self.data = data
        self.root = ""  # of the loop; "": none
        self.folder: LoopFolder | None = None  # at that root
        self.lost_root = ""  # where our own record names a loop whose files are gone
        self.style = style
        self.event = str(data.get("hook_event_name", "Stop"))
        self.plugin = _is_plugin()
        self.client_version = ""  # known once a transcript has been read

    def open_folder(self, root: str) -> None:
        """The loop is at this root; "": there is none."""
        self.root = root
        self.folder = LoopFolder(root) if root else None

    def is_typed_command(self) -> bool:
        """Is it answered without a loop too?"""
        return self.event == "UserPromptExpansion"

    def handle_event(self) -> dict[str, Any]:
        return EVENT_HANDLERS.get(self.event, handle_signal_event)(self)

    def decode_signal(self, event: str) -> Signal | None:
        """The input as if it were of this event."""
        data = {**self.data, "hook_event_name": event}
        return hooks.decode(data, os.environ, time.time())

    def encode_answer(self, directive: Reply) -> dict[str, Any]:
        return hooks.encode(self.event, directive, self.client_version, self.style, self.plugin)

    def split_prompt(self, answer: dict[str, Any], first_line_is_enough: bool) -> dict[str, Any]:
        """The answer to a Stop of the session that drives the loop, with one line to read."""
        folder = self.folder
        if self.style != "claude" or folder is None or not os.path.exists(folder.note_path):
            return answer
        if is_foreign(folder, hooks.text_field(self.data, "session_id")):
            return answer
        from .later_prompt import split_prompt

        return split_prompt(folder, answer, first_line_is_enough)

    def read_facts(self, turn: TurnOver, loop: Loop) -> TurnOver:
        """The turn with what its transcript says, its last message included.

        ForgedStop if the agent sent the event itself: it could end the loop while the files are
        right for a moment.
        """
        if loop.lease.holder == turn.session:
            from .sender import sender_problem

            if problem := sender_problem(self.folder, loop):
                raise ForgedStop(problem)
        if not turn.transcript:
            return turn
        from ..agents.claude.transcript import read_turn_facts, wait_for_last_message

        cursors = {cursor.file: cursor.offset for cursor in loop.spend.cursors}
        self.client_version = wait_for_last_message(
            turn.transcript,
            turn.text,
            since=cursors.get(turn.transcript, 0),
            expected=not loop.spend.iterations,
        )
        return read_turn_facts(turn, loop)


def handle_signal_event(call: HookCall) -> dict[str, Any]:
    return call.encode_answer(_reply_to_signal(call))


def handle_stop(call: HookCall) -> dict[str, Any]:
    reply = _reply_to_signal(call)
    if not isinstance(reply, Continue | Stop):
        from .question_content import with_content

        reply = with_content(_folder_of(call), reply)
    is_enough = isinstance(reply, Continue) and reply.first_line_is_enough
    answer = call.split_prompt(call.encode_answer(reply), is_enough)
    if not isinstance(reply, Continue):
        from .one_shot import show_in_one_shot_run

        show_in_one_shot_run(answer.get("systemMessage", ""))
    return answer


def handle_session_end(call: HookCall) -> dict[str, Any]:
    """The client may exit before it sends the event of an API failure, so we look for one here."""
    folder = _folder_of(call)
    failure = _missed_failure(call, folder)
    if failure:
        _handle_signal(folder, failure, lambda turn, loop: turn)  # it has its facts already
    return handle_signal_event(call)


def handle_prompt(call: HookCall) -> dict[str, Any]:
    """A prompt may be an order: an answer to a question, a "continue", the first of a free loop."""
    from .prompt_orders import refuse_forged_prompt

    if reply := refuse_forged_prompt(call.data, _folder_of(call)):
        return call.encode_answer(reply)
    from .later_prompt import drop_prompt

    drop_prompt(_folder_of(call))
    return handle_signal_event(call)


def pass_to_typed_commands(call: HookCall) -> dict[str, Any]:
    from . import typed_commands

    lost_folder = LoopFolder(call.lost_root) if call.lost_root else None
    return typed_commands.handle_person_event(call.data, call.folder, call.plugin, lost_folder)


def handle_tool_use(call: HookCall) -> dict[str, Any]:
    """After an edit of a test, the agent learns at once what it weakened."""
    is_edit = call.data.get("tool_name") in EDITING_TOOLS and call.style == "claude"
    if not is_edit or call.folder is None:
        return pass_to_typed_commands(call)
    from .edit_warning import answer_edit

    return answer_edit(call.data, call.folder)


# Every other event is a signal to the loop, or decodes to none.
EVENT_HANDLERS: dict[str, Callable[[HookCall], dict[str, Any]]] = {
    "Stop": handle_stop,
    "SessionEnd": handle_session_end,
    "UserPromptSubmit": handle_prompt,
    "UserPromptExpansion": pass_to_typed_commands,
    "PreToolUse": pass_to_typed_commands,
    "PostToolUse": handle_tool_use,
}


def _folder_of(call: HookCall) -> LoopFolder:
    assert call.folder, "BUG: a signal is handled where a loop is"
    return call.folder


def _reply_to_signal(call: HookCall) -> Reply:
    signal = call.decode_signal(call.event)
    if signal is None:
        return Stop()
    return _handle_signal(_folder_of(call), signal, call.read_facts)


def _handle_signal(folder: LoopFolder, signal: Signal, read_facts: TurnFactsReader) -> Reply:
    has_journal = os.path.exists(folder.journal_path)
    has_ownership_note = os.path.exists(folder.note_path)
    if os.path.islink(folder.path) or (has_journal and not has_ownership_note):
        return Stop()  # not started here by this user: we act on nothing in it
    if not has_journal:
        from ..importers.state_json import adopt_state_file

        if reply := adopt_state_file(folder, signal):
            return reply
    folder.require_plain_files()
    end_orphans(folder)
    if os.path.exists(folder.path_of("STOP")):
        return pause_for_stop_file(folder, signal.at)
    try:
        return step(folder, signal, read_facts)
    except ForgedStop as forged:
        from .sender import refuse_order

        return refuse_order(folder, "the end of a turn", str(forged))


def _missed_failure(call: HookCall, folder: LoopFolder) -> TurnOver | None:
    """The API failure that ended the session of the driver, when the loop does not know it."""
    loop = folder.read_loop()
    turn = call.decode_signal("Stop")
    if not loop or not isinstance(turn, TurnOver) or loop.lease.holder != turn.session:
        return None
    from ..agents.claude.transcript import read_turn_facts

    turn = read_turn_facts(turn, loop)
    return turn if turn.api_failure and loop.status == "running" else None
