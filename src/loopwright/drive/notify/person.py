"""Tells the person of every pause, question, end and error: by a command or to an address.

Command and address come from the terminal or from the person's own settings. A run that tells
nobody does not import what only a message needs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from ...core.loop import Loop
from ...core.prompts.open_questions import question_lines
from ...core.runner.sandbox import missing_boundary_text
from ...core.status import ENDED
from ...disk.own_python import python_words
from ...disk.problems import disk_problem
from ...disk.programs import is_safe, own_environment
from ...disk.user_folders import home_folder
from ...store.config import settings
from ...store.folder import LoopFolder, UntrustedFolder
from ...store.journal import JournalError
from ...verify import process_groups
from ...verify.redact import redact_text
from ..errors import UserError
from .address import is_address, send_to_addresses

TIMEOUT_SECONDS = 30.0
MAX_ERROR_BYTES = 10_000  # of its stderr
MAX_ERROR_CHARACTERS = 500
REPORT_KILL = "from loopwright.drive.notify.person import report_kill; report_kill(*sys.argv[1:])"


def notify_person(command: str, loop: Loop, root: str, report: Callable[[str], None]) -> None:
    """Run the command. What happened is in variables and on stdin, never in the command's text."""
    if not command:
        return
    from ...views.board import outcome_text
    from ...views.gate_content import gate_rows

    why = loop.gate.question if loop.gate else outcome_text(loop)
    boundary = missing_boundary_text(loop.run.sandbox if loop.run else None)
    why = "\n".join(filter(None, (why, *gate_rows(loop), boundary, question_lines(loop).strip())))
    _notify(command, loop, root, _event_name(loop), why, report)


def report_failure(command: str, folder: LoopFolder, loop: Loop, error: BaseException) -> None:
    """Tell the person that the runner itself failed: a full disk, a missing folder, our own bug."""
    with suppress(OSError, JournalError, UntrustedFolder):
        loop = folder.read_loop() or loop
    _notify(command, loop, folder.root, "error", failure_text(error, folder.root), lambda _: None)


@contextmanager
def watch_for_kill(command: str, root: str) -> Iterator[None]:
    """Tell the person if this process is killed in the block, which it cannot report itself.

    A shell waits for the end of a pipe that only we hold open. An orderly end sends it a line.
    """
    if not command or sys.platform == "win32":
        yield
        return
    reporter = [*python_words(REPORT_KILL), command, root]
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _ || exec "$@" </dev/null', "sh", *reporter],
        cwd=os.path.sep,
        env=own_environment(root),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(OSError):
            watcher.communicate(b"over\n")


def report_kill(command: str, root: str) -> None:
    """Tell the person that the runner of this project was killed."""
    loop = LoopFolder(root).read_loop()
    if loop:
        why = "the runner was killed. `loop run` continues"
        _notify(command, loop, root, "error", why, lambda _: None)


def failure_text(error: BaseException, root: str) -> str:
    """Why the runner ended, in one line, with the way out."""
    problem, way_out = disk_problem(error)
    again = "then `loop run` continues"
    if problem:
        return f"{problem}. {way_out}, {again}"
    if not os.path.isdir(root):
        return f"{root} is gone. Put it back, {again}"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted. `loop run` continues"
    return redact_text(f"the runner failed: {error!r}")[:MAX_ERROR_CHARACTERS]


def _notify(
    command: str, loop: Loop, root: str, event: str, why: str, report: Callable[[str], None]
) -> None:
    if not command or is_quiet(settings()["quiet_hours"], time.localtime()):
        return
    if is_address(command):
        problem = _send(command, loop, event, why)
    else:
        problem = _run_with_variables(command, loop, root, event, why)
    if problem:
        report(f"[LOOP] The notification did not go through ({problem.strip()})")


def is_quiet(hours: str, now: time.struct_time) -> bool:
    """Is it now between the two times, such as 22:00-07:00? Never without such a setting."""
    if not hours:
        return False
    start, end = hours.split("-")
    clock = f"{now.tm_hour:02}:{now.tm_min:02}"
    if start <= end:
        return start <= clock < end
    return clock >= start or clock < end


def _send(target: str, loop: Loop, event: str, why: str) -> str:
    title = f"loop: {event}"
    text = "\n".join(filter(None, (why, loop.spec[:500])))
    try:
        return send_to_addresses(target, title, redact_text(text))
    except (UserError, OSError) as error:
        return str(error)


def _run_with_variables(command: str, loop: Loop, root: str, event: str, why: str) -> str:
    from ...views.facts import loop_facts

    variables = {
        "LOOP_EVENT": event,
        "LOOP_STATUS": loop.status,
        "LOOP_WHY": why,
        "LOOP_ID": loop.id,
        "LOOP_SPEC": loop.spec[:500],
        "LOOP_PROJECT": root,
    }
    without_nul = {name: value.replace("\0", "") for name, value in variables.items()}
    env = {**own_environment(root), **without_nul}
    stdin_data = json.dumps(loop_facts(loop)).encode()
    return _run_command(command, env, stdin_data)


def _folder_outside() -> str:
    """Where nothing of an agent is found first: many programs load code of the current folder."""
    home = home_folder()
    return home if os.path.isdir(home) and is_safe(home) else os.path.sep


def _event_name(loop: Loop) -> str:
    if loop.status == "asking":
        return "question"
    return "end" if loop.status in ENDED else "pause"


def _open_error_file() -> IO[bytes]:
    """A file for its stderr. On a full disk there is none, and the command runs all the same."""
    import tempfile

    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "r+b")


def _run_command(command: str, env: dict[str, str], stdin_data: bytes) -> str:
    """What went wrong; "" for nothing. After the timeout the whole process group is ended."""
    with _open_error_file() as err:
        try:
            process = subprocess.Popen(  # noqa: S602 - a shell line that the person wrote for this
                command,
                shell=True,
                cwd=_folder_outside(),
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
