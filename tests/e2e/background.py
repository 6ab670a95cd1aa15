"""A process in the background, and all that a test's home still runs."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.waiting import until
from tests.support.project import CommandResult


class Background:
    """A process that may still go on, and what it has printed so far."""

    def __init__(
        self, argv: Sequence[str], home: Path, cwd: Path, env: Mapping[str, str], stdin: str = ""
    ) -> None:
        self.printed = Path(tempfile.mkdtemp(prefix="run-", dir=home))
        (self.printed / "in").write_text(stdin, encoding="utf-8")
        given = self.printed / "in" if stdin else Path(os.devnull)
        with (
            open(given, "rb") as into,
            open(self.printed / "out", "wb") as out,
            open(self.printed / "err", "wb") as err,
        ):
            self.process = subprocess.Popen(
                argv, cwd=cwd, env=env, stdin=into, stdout=out, stderr=err
            )

    @property
    def out(self) -> str:
        return (self.printed / "out").read_text(encoding="utf-8", errors="replace")

    @property
    def err(self) -> str:
        return (self.printed / "err").read_text(encoding="utf-8", errors="replace")

    def signal(self, number: int) -> None:
        """To this process alone, as `kill` has it."""
        self.process.send_signal(number)

    def wait(self, seconds: float = 240.0) -> Any:
        """To its end, which must come."""
        try:
            rc = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still runs after {seconds:g} s: {self.kill()}") from None
        return self.ended(rc)

    def kill(self) -> Any:
        """As kill -9 does: what it has started lives on."""
        self.process.kill()
        return self.wait()

    def ended(self, rc: int) -> Any:
        return CommandResult(rc, self.out, self.err)


def living_processes(home: Path) -> dict[int, str]:
    """Whatever still runs with this home, whoever started it: its command line by its id. Only Linux shows it."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
        except OSError:
            pass  # it is gone, or not ours to look at
    return found


def end_processes(home: Path) -> None:
    """Nothing that was started there lives on."""

    def gone() -> bool:
        left = living_processes(home)
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return not left

    until(gone, lambda: f"{living_processes(home)}")
