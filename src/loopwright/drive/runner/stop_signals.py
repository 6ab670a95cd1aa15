"""Ctrl-C and the like, for a runner.

The first Ctrl-C pauses after the turn, the second stops now. SIGTERM and a closed terminal stop
now, too.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class StopSignals:
    """Two flags. Code that polls them suspends interrupts; other code gets KeyboardInterrupt."""

    def __init__(self) -> None:
        self.pause_requested = self.stop_requested = False
        self._interrupts_suspended = self._notice_given = False

    @contextmanager
    def install_handlers(self) -> Iterator[StopSignals]:
        # Only the main thread can install handlers.
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        numbers = [getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name)]
        before = {number: signal.signal(number, self._receive_signal) for number in numbers}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def suspend_interrupts(self) -> Iterator[None]:
        self._interrupts_suspended = True
        try:
            yield
        finally:
            self._interrupts_suspended = False

    def take_pause_notice(self) -> str:
        """What to tell the person about the pause, once.

        The handler cannot print it, because it may interrupt a print.
        """
        if self._notice_given or not self.pause_requested:
            return ""
        self._notice_given = True
        return "[LOOP] Pausing after this turn. Ctrl-C again stops now; nothing is lost either way."

    def _receive_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and not self.pause_requested:
            self.pause_requested = True
            return
        self.stop_requested = True
        if not self._interrupts_suspended:
            raise KeyboardInterrupt
