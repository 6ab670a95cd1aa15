"""A hook event, answered: find the loop, hear the signal, print exactly one JSON object or nothing, exit 0."""

from __future__ import annotations

import os
import sys
import time

from ..agents.claude import hooks
from ..core.directives import Ask, Reply, Stop
from ..core.json_text import JSONError, dumps, loads
from ..core.signals import Signal, TurnOver
from ..disk.files import write_atomic
from ..disk.lock import FolderBusy, LocksUnsupported
from ..drive.step import end_orphans, step
from ..store.folder import LoopFolder, NoLoop, UntrustedFolder
from ..store.journal import JournalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.loop import Loop
    from ..drive.turn_facts import TurnFactsReader


def answer_event(said: bytes, argv: list[str], above: Callable[[str], str]) -> None:
    """Never trap a person: whatever goes wrong here allows the stop, leaves a note and says one line."""
    style = argv[argv.index("--format") + 1] if "--format" in argv[:-1] else "claude"
    root = ""
    try:
        if style not in hooks.ANSWER_FORMATS:
            raise ValueError(f"--format is one of {', '.join(hooks.ANSWER_FORMATS)}, not {style!r}")
        data = read_input(said)
        root = above(hooks.text_field(data, "cwd")) or above(
            os.environ.get("CLAUDE_PROJECT_DIR", "")
        )
        out = dispatch_event(data, root, style)
        if "--judge" in argv and root:
            out = add_judge_complaint(
                out, hooks.text_field(data, "transcript_path"), LoopFolder(root)
            )
    except Exception as error:
        from .crash import report_crash

        out = report_crash(error, root, style)
    try:
        sys.stdout.buffer.write(
            dumps(out).encode() + b"\n" if out else b""
        )  # UTF-8, whatever the locale says
        sys.stdout.buffer.flush()
    except OSError:  # nobody listens: what happened is in the journal
        sys.stdout = None  # or the interpreter would try once more, and complain


def read_input(said: bytes) -> dict[str, Any]:
    """stdin's JSON object; seed 001's ARGUMENTS variable when there is none. Garbage is an empty object."""
    for text in (said, os.environ.get("ARGUMENTS", "")):
        try:
            data = loads(text)
        except JSONError:
            continue
        if isinstance(data, dict):
            return data
    return {}


def dispatch_event(data: dict[str, Any], root: str, style: str) -> dict[str, Any]:
    event = str(data.get("hook_event_name", "Stop"))
    plugin, version = bool(os.environ.get("CLAUDE_PLUGIN_ROOT")), ""
    if not root and event != "UserPromptExpansion":
        return hooks.encode(event, Stop(), style=style)

    def look(turn: TurnOver, loop: Loop) -> TurnOver:
        nonlocal version
        if not turn.transcript:
            return turn
        from ..agents.claude.transcript import read_turn_facts, wait_for_last_message, worth_waiting

        version = wait_for_last_message(turn.transcript, turn.text, patience=0.0)
        seen, dearest = read_turn_facts(turn, loop)
        if worth_waiting(seen, dearest, loop):
            version = wait_for_last_message(
                turn.transcript, turn.text, expected=not loop.spend.iterations
            )
            seen, _ = read_turn_facts(turn, loop)
        return seen

    try:
        if event in ("UserPromptExpansion", "PreToolUse", "PostToolUse"):
            from .typed_commands import handle_person_event

            return handle_person_event(data, LoopFolder(root) if root else None, plugin)
        folder = LoopFolder(root)
        if event == "SessionEnd" and (failed := _missed_failure(data, folder)):
            _handle_signal(folder, failed, lambda turn, loop: turn)  # its facts are in it
        signal = hooks.decode(data, os.environ, time.time())
        directive = _handle_signal(folder, signal, look) if signal else Stop()
        if isinstance(directive, Ask) and event == "Stop":
            directive = _with_start_screen(folder, directive)
    except (
        UntrustedFolder,
        NoLoop,
    ):  # committed or copied along with a repository; or ended just now
        directive = Stop()
    except (JournalError, FolderBusy, LocksUnsupported) as error:
        directive = Stop(message=f"[LOOP] {error}. The stop is allowed. See: `loop doctor`")
    return hooks.encode(event, directive, version, style, plugin)


def add_judge_complaint(out: dict[str, Any], transcript: str, folder: LoopFolder) -> dict[str, Any]:
    """A model judges this stop too. It may add a reason to go on; it may not keep a session whose loop waits or has ended."""
    from ..agents.claude.judge import rejected_judge_answer

    answer, wrong = rejected_judge_answer(transcript)
    told = [out["systemMessage"]] if "systemMessage" in out else []
    if answer and answer != _last_judge_answer(folder):  # each is told once
        write_atomic(folder.path_of("judged"), answer.encode())
        told.append(wrong)
    said = {**out, "systemMessage": "\n".join(told)} if told else out
    try:
        loop = folder.read_loop()
    except (UntrustedFolder, JournalError):
        return said
    return (
        said
        if loop and loop.status == "running"
        else {**said, "continue": False, "stopReason": "the loop lets go"}
    )


def _last_judge_answer(folder: LoopFolder) -> str:
    try:
        with open(folder.path_of("judged"), encoding="utf-8") as file:
            return file.read(200)
    except OSError:
        return ""


def _missed_failure(data: dict[str, Any], folder: LoopFolder) -> TurnOver | None:
    """A failure of the API that ended the session: the client may be gone before its own event for it is heard."""
    loop, turn = (
        folder.read_loop(),
        hooks.decode({**data, "hook_event_name": "Stop"}, os.environ, time.time()),
    )
    if not loop or not isinstance(turn, TurnOver) or loop.lease.holder != turn.session:
        return None
    from ..agents.claude.transcript import read_turn_facts

    turn, _ = read_turn_facts(turn, loop)
    return turn if turn.api_failure and loop.status == "running" else None


def _with_start_screen(folder: LoopFolder, asked: Ask) -> Ask:
    """Before the first yes the person sees what it means from us, whatever the agent has told them."""
    from ..views import start_screen

    loop = folder.read_loop()
    first = loop and loop.gate and loop.gate.name == "G1"
    return (
        asked.but(message=f"{start_screen.text(loop)}\n\n{asked.message}")
        if loop and first
        else asked
    )


def _handle_signal(folder: LoopFolder, signal: Signal, look: TurnFactsReader) -> Reply:
    if os.path.islink(folder.path) or (
        os.path.exists(folder.journal_path) and not os.path.exists(folder.note_path)
    ):
        return Stop()  # not started here by this user: nothing in it is acted on
    if not os.path.exists(folder.journal_path):
        from ..importers.state_json import adopt_state_file

        if said := adopt_state_file(folder, signal):
            return said
    folder.require_plain_files()
    end_orphans(folder)
    if os.path.exists(folder.path_of("STOP")):
        from ..drive.orders import pause_for_stop_file

        return pause_for_stop_file(folder, signal.at)
    return step(folder, signal, look)
