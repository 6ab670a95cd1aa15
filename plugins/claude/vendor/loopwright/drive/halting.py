"""Ctrl-C and its kin, for a runner: once pauses after the turn, twice stops now; a terminal that goes away stops now."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Halting:
    """Two flags. Whoever can poll them does so under `polled`; anything else is interrupted when it is to stop now."""

    def __init__(self) -> None:
        self.soon = self.now = False
        self._polled = self._told = False

    @contextmanager
    def heeded(self) -> Iterator[Halting]:
        if threading.current_thread() is not threading.main_thread():  # only there can signals be heard
            yield self
            return
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        before = {number: signal.signal(number, self._hear) for number in numbers}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def polled(self) -> Iterator[None]:
        self._polled = True
        try:
            yield
        finally:
            self._polled = False

    def news(self) -> str:
        """What the person is to be told of it, once. Not by the handler itself: nobody may print in the middle of printing."""
        if self._told or not self.soon:
            return ""
        self._told = True
        return "[LOOP] Pausing after this turn. Ctrl-C again stops now; nothing is lost either way."

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT and not self.soon:
            self.soon = True
            return
        self.now = True
        if not self._polled:
            raise KeyboardInterrupt
