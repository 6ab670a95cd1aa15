"""Waits for the end of a run with attempts, and removes their worktrees if it was killed.

It runs as a process of its own, and learns of the end because its standard input is closed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...disk.own_python import python_words
from ...disk.processes import is_process_alive
from ...disk.programs import own_environment
from .attempt_work import AttemptPlace, keep_attempt, remove_attempt

STATEMENT = "from loopwright.drive.runner.attempt_janitor import main; main()"
WAIT_SECONDS = 20.0  # for the processes of the attempts, which the guard ends


class Janitor:
    """The process that cleans up; it is told which processes work in the worktrees."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()


@contextmanager
def open_janitor(root: str, places: list[AttemptPlace]) -> Iterator[Janitor]:
    """Have the worktrees removed whatever happens to us."""
    rows = json.dumps([place.__dict__ for place in places])
    process = subprocess.Popen(
        [*python_words(STATEMENT), root, rows],
        env=own_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    janitor = Janitor(process)
    try:
        yield janitor
    finally:
        janitor.tell("done")
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        process.wait()


def main() -> None:
    root, rows = sys.argv[1:3]
    places = [AttemptPlace(**row) for row in json.loads(rows)]
    words = sys.stdin.read().split()  # until the run has ended, in whatever way
    if "done" in words:
        return
    _wait_for_end([int(word) for word in words if word.isdecimal()])
    for place in places:
        keep_attempt(root, place)
        remove_attempt(root, place)


def _wait_for_end(pids: list[int]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline and any(map(is_process_alive, pids)):
        time.sleep(0.1)
