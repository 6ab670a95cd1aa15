"""The title of the terminal window, and the progress that its tab or taskbar shows.

Terminals that do not know a sequence ignore it. Pipes and files never get one.
"""

from __future__ import annotations

import os
import sys

from ..core.loop import Loop
from ..core.prompts.phrases import strip_control_characters

# OSC 9;4: the state, then the percentage.
NORMAL, WAITING, NONE = 1, 4, 0
MAX_TITLE = 80
SAVE_TITLE, RESTORE_TITLE = "\x1b[22;0t", "\x1b[23;0t"


def title_text(loop: Loop) -> str:
    """The project's work in one line: iteration, cost and the beginning of the spec."""
    spend, limits = loop.spend, loop.limits
    counts = f"{spend.iterations + 1}/{limits.iterations} ${spend.dollars:.2f}"
    text = " ".join(f"loop {counts} {loop.spec}".split())
    return strip_control_characters(text)[:MAX_TITLE]


def percentage(loop: Loop) -> int:
    """How much of the criteria, or of a plan's tasks, is done."""
    if loop.plan:
        done, total = len(loop.plan.done), len(loop.plan.tasks)
    else:
        done, total = sum(map(loop.is_met, loop.criteria)), len(loop.criteria)
    return 100 * done // total if total else 0


class TerminalTitle:
    """Sets the title while a run works, and puts the old one back."""

    def __init__(self) -> None:
        self._stream = sys.stdout  # a live view replaces it later
        self._enabled = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def start(self) -> None:
        self._write(SAVE_TITLE)

    def show(self, loop: Loop, state: int = NORMAL) -> None:
        self._write(f"\x1b]2;{title_text(loop)}\x07\x1b]9;4;{state};{percentage(loop)}\x07")

    def end(self) -> None:
        self._write(f"\x1b]9;4;{NONE};0\x07{RESTORE_TITLE}")

    def _write(self, sequence: str) -> None:
        if not self._enabled:
            return
        try:
            self._stream.write(sequence)
            self._stream.flush()
        except OSError:  # the terminal was closed; the run continues
            self._enabled = False
