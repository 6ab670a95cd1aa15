"""A person may halt the loop while a check runs: the check ends, and its result is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread

TICK_SECONDS = 0.25  # how often a running check looks


class CheckHalted(Exception):
    """A person halted the loop."""


_questions: list[Callable[[], bool]] = []  # of all threads that run checks


@contextmanager
def halting_when(is_halted: Callable[[], bool]) -> Iterator[None]:
    """Checks that run in this block end with CheckHalted once `is_halted` says so."""
    _questions.append(is_halted)
    try:
        yield
    finally:
        _questions.remove(is_halted)


def join_threads(threads: Iterable[Thread]) -> None:
    """Wait for the threads. A signal that came just before one endless wait would not be heard."""
    for thread in threads:
        while thread.is_alive():
            thread.join(TICK_SECONDS)


def is_halted() -> bool:
    return any(question() for question in _questions)
