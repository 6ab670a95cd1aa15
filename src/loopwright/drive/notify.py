"""Runs the person's own notification command on every pause, question and end.

The command comes from the terminal or from the person's own settings.
"""

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
MAX_ERROR_BYTES = 10_000  # of its stderr


def notify_person(command: str, loop: Loop, root: str, report: Callable[[str], None]) -> None:
    """Run the command. What happened is in variables and on stdin, never in the command's text."""
    if not command:
        return
    variables = {
        "LOOP_EVENT": _event_name(loop),
        "LOOP_STATUS": loop.status,
        "LOOP_WHY": loop.gate.question if loop.gate else outcome_suffix(loop).removeprefix(": "),
        "LOOP_ID": loop.id,
        "LOOP_SPEC": loop.spec[:500],
    }
    without_nul = {name: value.replace("\0", "") for name, value in variables.items()}
    env = {**os.environ, **without_nul}
    stdin_data = json.dumps(facts.loop_facts(loop)).encode()
    problem = _run_command(command, root, env, stdin_data)
    if problem:
        report(f"[LOOP] The notification did not go through ({problem.strip()})")


def _event_name(loop: Loop) -> str:
    if loop.status == "asking":
        return "question"
    return "end" if loop.status in ENDED else "pause"


def _run_command(command: str, root: str, env: dict[str, str], stdin_data: bytes) -> str:
    """What went wrong; "" for nothing. After the timeout the whole process group is ended."""
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
            process.communicate(stdin_data, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process_groups.kill_group(process.pid, 0.5)
            process.wait()
            return f"it took longer than {TIMEOUT_SECONDS:g} s"
        except OSError as error:
            return str(error)
        err.seek(0)
        tail = err.read(MAX_ERROR_BYTES).decode("utf-8", "replace")
    return f"exit code {process.returncode}: {tail[-200:]}" if process.returncode else ""
