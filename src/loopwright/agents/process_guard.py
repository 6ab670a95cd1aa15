"""Ends the agents when the runner dies, even if it is killed.

A shell in its own session waits for the end of the runner and then ends their process groups.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from ..disk.programs import own_environment

GUARD_SCRIPT = os.path.join(os.path.dirname(__file__), "process_guard.sh")


@contextmanager
def guard_processes() -> Iterator[Callable[[int], AbstractContextManager[None]]]:
    """Yields a context manager for a process group: while it is entered, the group is guarded."""
    if sys.platform == "win32":
        yield lambda group: nullcontext()
        return
    guard = subprocess.Popen(
        ["/bin/sh", GUARD_SCRIPT],
        env=own_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert guard.stdin is not None

    def send_line(sign: str, group: int) -> None:
        assert guard.stdin is not None
        with suppress(OSError):
            guard.stdin.write(f"{sign} {group}\n".encode())
            guard.stdin.flush()

    @contextmanager
    def guard_group(group: int) -> Iterator[None]:
        send_line("+", group)
        try:
            yield
        finally:
            send_line("-", group)

    try:
        yield guard_group
    finally:
        with suppress(OSError):
            guard.stdin.close()
        guard.wait()
