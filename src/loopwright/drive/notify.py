"""A command of the person's that hears of every pause, question and end: from the terminal, or from their own settings."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable

from ..core.loop import ENDED, Loop
from ..views import facts
from ..views.board import ending

SECONDS = 30


def notify(command: str, loop: Loop, root: str, said: Callable[[str], None]) -> None:
    """What happened is in variables and, as JSON, on stdin; nothing of it is ever part of the command's text."""
    if not command:
        return
    event = "question" if loop.status == "asking" else "end" if loop.status in ENDED else "pause"
    why = loop.gate.question if loop.gate else ending(loop).removeprefix(": ")
    about = {"LOOP_EVENT": event, "LOOP_STATUS": loop.status, "LOOP_WHY": why, "LOOP_ID": loop.id, "LOOP_SPEC": loop.spec[:500]}
    env = {**os.environ, **{name: value.replace("\0", "") for name, value in about.items()}}
    try:
        done = subprocess.run(  # noqa: S602 - a shell line that the person wrote for this
            command,
            shell=True,
            cwd=root,
            env=env,
            input=json.dumps(facts.of(loop)).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
        wrong = f"exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[-200:]}" if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        wrong = str(error)
    if wrong:
        said(f"[LOOP] The notification did not go through ({wrong.strip()})")
