"""Agents die with the runner, even if it is killed: a shell in a session of its own waits for that and ends their groups."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

GUARD_SCRIPT = os.path.join(os.path.dirname(__file__), "process_guard.sh")


@contextmanager
def guard_processes() -> Iterator[Callable[[int], AbstractContextManager[None]]]:
    """A way to hold a group while it lives."""
    if sys.platform == "win32":
        yield lambda group: nullcontext()
        return
    holder = subprocess.Popen(
        ["/bin/sh", GUARD_SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert holder.stdin is not None

    def tell(word: str, group: int) -> None:
        assert holder.stdin is not None
        with suppress(OSError):
            holder.stdin.write(f"{word} {group}\n".encode())
            holder.stdin.flush()

    @contextmanager
    def held(group: int) -> Iterator[None]:
        tell("+", group)
        try:
            yield
        finally:
            tell("-", group)

    try:
        yield held
    finally:
        with suppress(OSError):
            holder.stdin.close()
        holder.wait()
