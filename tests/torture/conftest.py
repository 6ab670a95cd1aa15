"""figure("kill -9 at random", of=100, bad=[...]): what a suite found. It fails with the first of the bad ones."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.torture.figures import TARGETS
from tests.torture.size import FIGURES

Figure = Callable[..., None]


@pytest.fixture
def figure() -> Iterator[Figure]:
    begun, told = time.monotonic(), False

    def tell(what: str, of: int, bad: Sequence[str] = (), note: str = "") -> None:
        nonlocal told
        told = True
        assert what in TARGETS, f"{what!r} has no target in tests/torture/figures.py"
        row = {"what": what, "of": of, "bad": list(bad)[:20], "count": len(bad), "note": note}
        if FIGURES:
            with open(FIGURES, "ab", buffering=0) as file:
                file.write(
                    json.dumps({**row, "seconds": round(time.monotonic() - begun, 1)}).encode()
                    + b"\n"
                )
        assert of > 0, f"{what}: nothing was tried"
        assert not bad, f"{what}: {len(bad)} of {of} bad, such as:\n" + "\n".join(bad[:5])

    yield tell
    assert told, "a suite tells its figure"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The soak takes an hour whatever the machine can do: it begins at once, beside all the others."""
    if FIGURES:
        items.sort(key=lambda item: "torture/soak" not in item.nodeid)


def pytest_report_header() -> str:
    return f"torture: at length, on {os.cpu_count()} cores" if FIGURES else "torture: a little"
