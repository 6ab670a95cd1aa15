"""Fixtures of the agents' tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts this process into a time zone, and back."""
    if not hasattr(time, "tzset"):
        pytest.skip("time zones of a process are POSIX")

    def put(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    put("UTC")
    yield put
    monkeypatch.undo()
    time.tzset()
