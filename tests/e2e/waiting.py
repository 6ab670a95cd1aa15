"""Waiting for something, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def until(
    ask: Callable[[], Answer], otherwise: Callable[[], str], seconds: float = 240.0
) -> Answer:
    """The first answer that counts as true; else a failure that says what there was instead."""
    end, pause = time.monotonic() + seconds, 0.02
    while not (answer := ask()):
        assert time.monotonic() < end, f"nothing for {seconds:g} s; {otherwise()}"
        time.sleep(pause)
        pause = min(0.1, pause * 1.2)  # to ask takes processor time too, which the client needs
    return answer
