"""A hook event, answered: find the loop, hear the signal, print exactly one JSON object or nothing, exit 0."""

from __future__ import annotations

import os
import sys
import time

from ..agents.claude import hooks
from ..core.record import JSONError, dumps, loads
from ..core.signals import Ask, Reply, Signal, Stop, TurnOver
from ..drive.step import end_orphans, step
from ..store.folder import FolderBusy, LoopFolder, NoLocks, NoLoop, NotOurs
from ..store.journal import JournalError, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.loop import Loop
    from ..drive.step import Look


def answer(said: bytes, argv: list[str], above: Callable[[str], str]) -> None:
    """Never trap a person: whatever goes wrong here allows the stop, leaves a note and says one line."""
    style = argv[argv.index("--format") + 1] if "--format" in argv[:-1] else "claude"
    root = ""
    try:
        if style not in hooks.FORMATS:
            raise ValueError(f"--format is one of {', '.join(hooks.FORMATS)}, not {style!r}")
        data = read_input(said)
        root = above(hooks.text_of(data, "cwd")) or above(os.environ.get("CLAUDE_PROJECT_DIR", ""))
        out = respond(data, root, style)
        if "--judge" in argv and root:
            out = beside_a_judge(out, hooks.text_of(data, "transcript_path"), LoopFolder(root))
    except Exception as error:
        from .crash import noted

        out = noted(error, root, style)
    try:
        sys.stdout.buffer.write(dumps(out).encode() + b"\n" if out else b"")  # UTF-8, whatever the locale says
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


def respond(data: dict[str, Any], root: str, style: str) -> dict[str, Any]:
    event = str(data.get("hook_event_name", "Stop"))
    plugin, version = bool(os.environ.get("CLAUDE_PLUGIN_ROOT")), ""
    if not root and event != "UserPromptExpansion":
        return hooks.encode(event, Stop(), style=style)

    def look(turn: TurnOver, loop: Loop) -> TurnOver:
        nonlocal version
        if not turn.transcript:
            return turn
        from ..agents.claude.transcript import facts, settle, worth_waiting

        version = settle(turn.transcript, turn.text, patience=0.0)
        seen, dearest = facts(turn, loop)
        if worth_waiting(seen, dearest, loop):
            version = settle(turn.transcript, turn.text, expected=not loop.spend.iterations)
            seen, _ = facts(turn, loop)
        return seen

    try:
        if event in ("UserPromptExpansion", "PreToolUse", "PostToolUse"):
            from .person import hear_person

            return hear_person(data, LoopFolder(root) if root else None, plugin)
        folder = LoopFolder(root)
        if event == "SessionEnd" and (failed := _unheard(data, folder)):
            _hear(folder, failed, lambda turn, loop: turn)  # its facts are in it
        signal = hooks.decode(data, os.environ, time.time())
        directive = _hear(folder, signal, look) if signal else Stop()
        if isinstance(directive, Ask) and event == "Stop":
            directive = _shown(folder, directive)
    except (NotOurs, NoLoop):  # committed or copied along with a repository; or ended just now
        directive = Stop()
    except (JournalError, FolderBusy, NoLocks) as error:
        directive = Stop(say=f"[LOOP] {error}. The stop is allowed. See: `loop doctor`")
    return hooks.encode(event, directive, version, style, plugin)


def beside_a_judge(out: dict[str, Any], transcript: str, folder: LoopFolder) -> dict[str, Any]:
    """A model judges this stop too. It may add a reason to go on; it may not keep a session whose loop waits or has ended."""
    from ..agents.claude.judge import complaint

    answer, wrong = complaint(transcript)
    told = [out["systemMessage"]] if "systemMessage" in out else []
    if answer and answer != _noted(folder):  # each is told once
        write_atomic(folder.inside("judged"), answer.encode())
        told.append(wrong)
    said = {**out, "systemMessage": "\n".join(told)} if told else out
    try:
        loop = folder.peek()
    except (NotOurs, JournalError):
        return said
    return said if loop and loop.status == "running" else {**said, "continue": False, "stopReason": "the loop lets go"}


def _noted(folder: LoopFolder) -> str:
    try:
        with open(folder.inside("judged"), encoding="utf-8") as file:
            return file.read(200)
    except OSError:
        return ""


def _unheard(data: dict[str, Any], folder: LoopFolder) -> TurnOver | None:
    """A failure of the API that ended the session: the client may be gone before its own event for it is heard."""
    loop, turn = folder.peek(), hooks.decode({**data, "hook_event_name": "Stop"}, os.environ, time.time())
    if not loop or not isinstance(turn, TurnOver) or loop.lease.holder != turn.session:
        return None
    from ..agents.claude.transcript import facts

    turn, _ = facts(turn, loop)
    return turn if turn.failure and loop.status == "running" else None


def _shown(folder: LoopFolder, asked: Ask) -> Ask:
    """Before the first yes the person sees what it means from us, whatever the agent has told them."""
    from ..views import screen

    loop = folder.peek()
    first = loop and loop.gate and loop.gate.name == "G1"
    return asked.but(say=f"{screen.text(loop)}\n\n{asked.say}") if loop and first else asked


def _hear(folder: LoopFolder, signal: Signal, look: Look) -> Reply:
    if os.path.islink(folder.path) or (os.path.exists(folder.journal) and not os.path.exists(folder.record)):
        return Stop()  # not started here by this user: nothing in it is acted on
    if not os.path.exists(folder.journal):
        from ..importers.state_json import adopt

        if said := adopt(folder, signal):
            return said
    folder.must_be_plain()
    end_orphans(folder)
    if os.path.exists(folder.inside("STOP")):
        from ..drive.orders import halt

        return halt(folder, signal.at)
    return step(folder, signal, look)
