"""A pytest plugin: the slow tests come first, so that the end of a run is full of quick ones that any worker can take.

xdist gives each worker an equal part of the list, one after the other, and a worker that has nothing
left takes tests from the end of another's part. So each part begins with slow tests. Before them, two
parts have the tests with real clients: two clients at once leave each other enough processor time.
"""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

from tests.torture.size import FIGURES

Item = TypeVar("Item")
WITH_CLIENTS = ("tests/e2e/",)
# Those with the longest single tests first.
SLOW = ("tests/stories/test_seed_plan.py", "tests/torture/", "tests/chaos/", "tests/tui/")
SLOW += ("tests/cli/test_plan_views.py", "tests/cli/test_run_and_demo.py")
SLOW += ("tests/drive/", "tests/cli/test_ended_record.py", "tests/cli/test_doctor.py")
SLOW += ("tests/sandbox/", "tests/platform/", "tests/stories/")
CLIENTS_AT_ONCE = 2


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > CLIENTS_AT_ONCE and not FIGURES:
        clients = [item for item in items if item.nodeid.startswith(WITH_CLIENTS)]
        slow = sorted((item for item in items if item.nodeid.startswith(SLOW)), key=slowness)
        quick = [item for item in items if not item.nodeid.startswith(WITH_CLIENTS + SLOW)]
        items[:] = spread_slow(clients, slow, quick, workers)


def slowness(item: pytest.Item) -> int:
    """The place of its file in the list of the slow ones; the order within a file stays."""
    return next(place for place, start in enumerate(SLOW) if item.nodeid.startswith(start))


def spread_slow(
    clients: list[Item], slow: list[Item], quick: list[Item], workers: int
) -> list[Item]:
    """All of them, such that equal parts of the list begin with a share of the slow ones."""
    heads = [slow[number::workers] for number in reversed(range(workers))]
    for number in range(CLIENTS_AT_ONCE):
        heads[number] = [*clients[number::CLIENTS_AT_ONCE], *heads[number]]
    ordered, left = list[Item](), len(clients) + len(slow) + len(quick)
    for number, head in enumerate(heads):
        size = left // (workers - number)
        left -= size
        rest = max(0, size - len(head))
        ordered += [*head, *quick[:rest]]
        quick = quick[rest:]
    return ordered + quick
