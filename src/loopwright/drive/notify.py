"""A command of the person's that hears of every pause, question and end: from the terminal, or from their own settings."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable

from ..core.loop import Loop
from ..core.status import ENDED
from ..verify import process_groups
from ..views import facts
from ..views.board import outcome_suffix

TIMEOUT_SECONDS = 30.0
MAX_ERROR_BYTES = 10_000  # bytes of what it complains of


def notify_person(command: str, loop: Loop, root: str, said: Callable[[str], None]) -> None:
    """What happened is in variables and, as JSON, on stdin; nothing of it is ever part of the command's text."""
    if not command:
        return
    event = "question" if loop.status == "asking" else "end" if loop.status in ENDED else "pause"
    why = loop.gate.question if loop.gate else outcome_suffix(loop).removeprefix(": ")
    about = {
        "LOOP_EVENT": event,
        "LOOP_STATUS": loop.status,
        "LOOP_WHY": why,
        "LOOP_ID": loop.id,
        "LOOP_SPEC": loop.spec[:500],
    }
    env = {**os.environ, **{name: value.replace("\0", "") for name, value in about.items()}}
    if wrong := _run_command(command, root, env, json.dumps(facts.loop_facts(loop)).encode()):
        said(f"[LOOP] The notification did not go through ({wrong.strip()})")


def _run_command(command: str, root: str, env: dict[str, str], told: bytes) -> str:
    """What went wrong, or nothing. It is not waited for longer than its time, and neither is what it starts."""
    with tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(  # noqa: S602 - a shell line that the person wrote for this
                command,
                shell=True,
                cwd=root,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=err,
                start_new_session=True,
                creationflags=process_groups.NEW_GROUP,
            )
            process.communicate(told, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process_groups.kill_group(process.pid, 0.5)
            process.wait()
            return f"it took longer than {TIMEOUT_SECONDS:g} s"
        except OSError as error:
            return str(error)
        err.seek(0)
        tail = err.read(MAX_ERROR_BYTES).decode("utf-8", "replace")
    return f"exit code {process.returncode}: {tail[-200:]}" if process.returncode else ""
