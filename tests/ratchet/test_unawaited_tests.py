"""Python tests that are coroutines or generators, and that nothing runs any more."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.project import Project
from loopwright.ratchet.test_rules import unawaited_tests
from loopwright.repo.baseline import Change

POOL = """\
import unittest
from unittest import IsolatedAsyncioTestCase, TestCase


class PoolSize(unittest.TestCase):
    def test_size(self):
        self.assertEqual(Pool(3).size, 3)


class PoolRuns(unittest.IsolatedAsyncioTestCase):
    async def check(self, size):
        self.assertEqual(await Pool(size).peak(), size)

    async def test_peak(self):
        await self.check(2)
"""
RUNS = "PoolRuns(unittest.IsolatedAsyncioTestCase)"
SYNC = """\
import asyncio
import unittest


async def check(size):
    assert await Pool(size).peak() == size


class PoolRuns(unittest.TestCase):
    def test_peak(self):
        asyncio.run(check(2))
"""
BASE = "import unittest\n\n\nclass Base(unittest.IsolatedAsyncioTestCase):\n    maxDiff = None\n"


def rules(*changes: Change, unchanged: dict[str, str] | None = None) -> list[tuple[str, str]]:
    files = Project(changes, (unchanged or {}).get)
    return [(f.severity, f.rule) for f in unawaited_tests.find(files)]


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        (POOL, RUNS, "PoolRuns(PoolSize)"),
        (POOL, RUNS, "PoolRuns(TestCase)"),
        (POOL, RUNS, "PoolRuns(unittest.TestCase)"),
        (POOL, "await self.check(2)", "self.check(2)"),
        (POOL, "    def test_size", "    async def test_size"),
        (POOL, "self.assertEqual(Pool(3).size, 3)", "yield self.assertEqual(Pool(3).size, 3)"),
        (SYNC, "asyncio.run(check(2))", "check(2)"),
        (SYNC, "    def test_peak", "    async def test_peak"),
    ],
)
def test_a_test_that_nothing_awaits_is_switched_off(before: str, old: str, new: str) -> None:
    assert old in before
    change = Change("tests/test_pool.py", before, before.replace(old, new))

    assert set(rules(change)) == {(MEDIUM, "test-switched-off")}


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        (POOL, RUNS, "PoolRuns(IsolatedAsyncioTestCase)"),
        (POOL, RUNS, "PoolRuns(AsyncHTTPTestCase)"),
        (POOL, RUNS, "PoolRuns(PoolSize, unittest.IsolatedAsyncioTestCase)"),
        (POOL, RUNS, "PoolRuns(django.test.TestCase)"),
        (POOL, "    async def test_peak", "    @run_in_loop\n    async def test_peak"),
        (SYNC, "asyncio.run(check(2))", "asyncio.get_event_loop().run_until_complete(check(2))"),
        (SYNC, "check(2)", "check(3)"),
        (SYNC, "        asyncio.run", "        rows = (row for row in ())\n        asyncio.run"),
        (
            POOL,
            "await self.check(2)",
            "task = asyncio.ensure_future(self.check(2))\n        await task",
        ),
    ],
)
def test_a_test_that_something_awaits_is_honest(before: str, old: str, new: str) -> None:
    assert old in before
    change = Change("tests/test_pool.py", before, before.replace(old, new))

    assert not rules(change)


def test_a_base_class_of_tests_in_other_files_counts() -> None:
    change = Change("tests/base.py", BASE, BASE.replace("IsolatedAsyncioTestCase", "TestCase"))

    assert rules(change) == [(MEDIUM, "test-switched-off")]


def test_a_base_class_in_another_file_is_read() -> None:
    after = POOL.replace(RUNS, "PoolRuns(Base)").replace(
        "import unittest\n", "import unittest\nfrom tests.base import Base\n", 1
    )
    change = Change("tests/test_pool.py", POOL, after)
    plain = BASE.replace("IsolatedAsyncioTestCase", "TestCase")

    assert not rules(change, unchanged={"tests/base.py": BASE})
    assert rules(change, unchanged={"tests/base.py": plain}) == [(MEDIUM, "test-switched-off")]
    assert not rules(change)  # it is of another package


def test_what_was_never_awaited_is_not_new() -> None:
    before = POOL.replace(RUNS, "PoolRuns(PoolSize)")
    change = Change("tests/test_pool.py", before, before.replace("check(2)", "check(3)"))

    assert not rules(change)
