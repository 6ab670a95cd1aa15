"""`claude -p` prints the last words of the agent alone: what the loop says goes to its stderr.

The client hands no message of a hook to the person there (measured with 2.1.325). Only a terminal
or a pipe is written to; elsewhere, and without /proc, `loop status` has the answer.
"""

from __future__ import annotations

from ..core.prompts.phrases import strip_control_characters
from ..disk.light_os import os

ENTRYPOINT = "sdk-cli"
FILE_KIND, FIFO, TERMINAL = 0o170000, 0o010000, 0o020000


def show_in_one_shot_run(message: str) -> None:
    """Print the verdict, the pause or the question of a run without a screen."""
    if os.environ.get("CLAUDE_CODE_ENTRYPOINT") != ENTRYPOINT or not message:
        return
    pid = os.environ.get("CLAUDE_PID", "")
    path = f"/proc/{pid}/fd/2"
    try:
        if not pid.isdecimal() or os.stat(path).st_mode & FILE_KIND not in (FIFO, TERMINAL):
            return
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            os.write(fd, f"{strip_control_characters(message)}\n".encode("utf-8", "replace"))
        finally:
            os.close(fd)
    except OSError:  # not ours to write, or its reader has exited
        pass
