"""A pytest plugin: the seconds of each suite, printed at the end of a run.

A suite is what a make target of its own can run (by its marker, or `faults`), or else a folder
directly below tests/; the files beside these folders are the suite "documents".
Its seconds are summed over all workers. Its processor time, with that of the programs that the
tests wait for, depends less on what else the machine does.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

BEFORE = pytest.StashKey[float]()
MARKED = ("plans", "room", "sandbox")
FAULTS = ("torture", "chaos")
seconds: dict[str, float] = defaultdict(float)
processor: dict[str, float] = defaultdict(float)
tests: dict[str, int] = defaultdict(int)
left_out: set[str] = set()


def processor_seconds() -> float:
    """Of this process and of every child that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[BEFORE] = processor_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """The report carries time and suite from the worker to the process that prints the table."""
    report, now = (yield), processor_seconds()
    report.suite = suite_of(item)
    report.processor_seconds = now - item.stash[BEFORE]
    item.stash[BEFORE] = now
    return report


def suite_of(item: pytest.Item) -> str:
    marker = next((name for name in MARKED if item.get_closest_marker(name)), "")
    folder, slash, _ = item.nodeid.removeprefix("tests/").partition("/")
    if not slash or "::" in folder:
        folder = "documents"
    return marker or ("faults" if folder in FAULTS else folder)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    suite = getattr(report, "suite", "crashed")
    seconds[suite] += report.duration
    processor[suite] += getattr(report, "processor_seconds", 0.0)
    tests[suite] += report.when == "call"


def pytest_deselected(items: list[pytest.Item]) -> None:
    left_out.update(item.nodeid for item in items if item.get_closest_marker("long"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells what it has left out; all have left out the same."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = sorted(left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    left_out.update(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if len(seconds) < 2:
        return
    terminalreporter.section("suites")
    rows = sorted(seconds, key=lambda suite: -seconds[suite])
    terminalreporter.write_line(f"{'suite':<12} {'tests':>6} {'seconds':>8} {'processor':>10}")
    for name in rows:
        row = f"{name:<12} {tests[name]:>6} {seconds[name]:>8.1f} {processor[name]:>10.1f}"
        terminalreporter.write_line(row)
    total = (
        f"{sum(tests.values()):>6} {sum(seconds.values()):>8.1f} {sum(processor.values()):>10.1f}"
    )
    terminalreporter.write_line(f"{'all':<12} {total}")
    if left_out:
        terminalreporter.write_line(
            f"left out: {len(left_out)} long tests; `make torture` runs them"
        )
