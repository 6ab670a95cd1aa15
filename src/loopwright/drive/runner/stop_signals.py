"""Ctrl-C and the like, for a runner.

The first Ctrl-C pauses after the turn, the second stops now. SIGTERM and a closed terminal stop
now, too. Under nohup a closed terminal changes nothing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
TERMINAL_CLOSED = "the terminal was closed"
TERMINATED = "the system or another program ended the runner (SIGTERM)"
# No person decided to pause, so `loop run --resume-all` continues after these.
SYSTEM_REASONS = (TERMINAL_CLOSED, TERMINATED)
REASONS = {"SIGHUP": TERMINAL_CLOSED, "SIGTERM": TERMINATED}


class StopSignals:
    """Two flags. Code that polls them suspends interrupts; other code gets KeyboardInterrupt."""

    def __init__(self) -> None:
        self.pause_requested = self.stop_requested = False
        self._interrupts_suspended = self._notice_given = False
        self._system_reason = ""

    @contextmanager
    def install_handlers(self) -> Iterator[StopSignals]:
        # Only the main thread can install handlers.
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        numbers = [getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name)]
        numbers = [number for number in numbers if not _is_ignored(number)]
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

    def stop_reason(self, default: str) -> str:
        """Why the loop is paused: what the system did, else the default."""
        return self._system_reason or default

    def _receive_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and not self.pause_requested:
            self.pause_requested = True
            return
        self.stop_requested = True
        self._system_reason = self._system_reason or REASONS.get(signal.Signals(number).name, "")
        if not self._interrupts_suspended:
            raise KeyboardInterrupt


def _is_ignored(number: int) -> bool:
    """Does nohup, or a shell that went away, keep a closed terminal from us?"""
    is_hangup = signal.Signals(number).name == "SIGHUP"
    return is_hangup and signal.getsignal(number) == signal.SIG_IGN
