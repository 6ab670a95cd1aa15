"""python -m tests.torture.model.mutants HOW_MANY SEED FILE: which broken copies of the rules do the tests not notice?

Measured once: which test runs which line, and which branches none takes. Then each copy meets the tests of its line, in a
child that has pytest loaded already; the quick ones first. What fails, or hangs, is noticed.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import coverage
import hypothesis  # noqa: F401  loaded once, for all children
import pytest

from tests.torture.model.mutate import Mutant, mutants_of

ROOT = Path(__file__).parents[3]
RULES = ("engine", "person/orders", "person/gate_answers", "session/client_events")
RULES += (
    "pausing/breakers",
    "replies/claims",
    "proof/verdict",
    "proof/grades",
    "proof/reasons",
    "findings",
    "runner/run",
)
POLICIES = (
    "turn_over",
    "check_rounds",
    "spec",
    "final_proof",
    "disputes",
    "permission",
    "discovery",
)
POLICIES += ("plan", "lanes", "verification", "assignments", "runner", "runner_report")
FILES = [f"core/{name}.py" for name in RULES] + [f"core/policies/{name}.py" for name in POLICIES]
FILES += [f"store/{name}.py" for name in ("journal", "chain", "folder", "mirror")]
TESTS = ["tests/core", "tests/views", "tests/store", "tests/formats", "tests/properties"]
DEFAULTS_TEST = "tests/golden/test_empty_defaults.py::test_empty_defaults_stay_empty"
PLAIN = ["-x", "-n0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
ENOUGH, TIMEOUT = 8.0, 90.0  # seconds of tests for one mutant; and until it hangs


class Map:
    """Which tests run a line, how long each takes, and what none runs."""

    def __init__(self, package: Path) -> None:
        self.package, self.seconds = package, dict[str, float]()
        files = [str(package / file) for file in FILES]
        self.coverage = coverage.Coverage(
            data_file=None, branch=True, include=files, config_file=False
        )
        for elsewhere in ("if TYPE_CHECKING:", 'sys.platform == "win32"'):
            self.coverage.exclude(elsewhere)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.coverage.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def measure(self) -> dict[str, Any]:
        self.coverage.start()
        for file in FILES:  # before any test: what runs at the import is not the first one's alone
            importlib.import_module(f"loopwright.{file.removesuffix('.py').replace('/', '.')}")
        assert pytest.main([*PLAIN, *TESTS], plugins=[self]) == 0, (
            "the tests must pass on the rules as they are"
        )
        self.coverage.stop()
        told: dict[str, Any] = {"seconds": self.seconds, "lines": {}, "missing": [], "branches": 0}
        for file in FILES:
            path = str(self.package / file)
            lines = self.coverage.get_data().contexts_by_lineno(path).items()
            told["lines"][file] = {line: [test for test in tests if test] for line, tests in lines}
            found = self.coverage._analyze(path)  # the public report has no pairs of lines
            pairs = [
                f"{file}:{first} to {last}"
                for first, ends in found.missing_branch_arcs().items()
                for last in ends
            ]
            told["missing"] += pairs + [f"{file}:{line}" for line in sorted(found.missing)]
            told["branches"] += found.numbers.n_branches
        return told


def tests_of(mutant: Mutant, told: dict[str, Any]) -> list[str]:
    """The quick ones of its own module first, until it is enough. What runs at the import is everybody's."""
    lines, seconds, own = (
        told["lines"][mutant.file],
        told["seconds"],
        f"_{Path(mutant.file).stem}.py::",
    )
    here = lines.get(str(mutant.line))
    chosen, left = [], ENOUGH
    if not here:
        here, chosen = {test for tests in lines.values() for test in tests}, [DEFAULTS_TEST]
    for test in sorted(
        here, key=lambda test: ("properties" in test, own not in test, seconds[test], test)
    ):
        if left > 0:
            chosen.append(test)
            left -= seconds[test]
    return chosen


def write_source(file: Path, text: str) -> None:
    """Python knows a compiled file by second and size, and we write more than once in a second."""
    file.write_text(text, encoding="utf-8")
    for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
        stale.unlink()


def fails(tests: list[str], scratch: Path) -> bool:
    pid, deadline = os.fork(), time.monotonic() + TIMEOUT
    if not pid:
        os.setsid()
        for fd in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), fd)
        os._exit(int(pytest.main([*PLAIN, f"--basetemp={scratch}", *tests]) != 0))
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status != 0
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def main(most: int, seed: int, out: str, work: Path) -> None:
    os.chdir(ROOT)
    package, known = work / "src" / "loopwright", work / "map.json"
    shutil.copytree(
        ROOT / "src" / "loopwright", package, ignore=shutil.ignore_patterns("__pycache__")
    )
    os.environ |= {
        "PYTHONPATH": str(package.parent),
        "LOOP_NEEDS_CLIENT": "1",
    }  # the properties choose the same examples each time
    sys.path.insert(0, str(package.parent))
    if not os.fork():  # we ourselves must never import what we break
        known.write_text(json.dumps(Map(package).measure()))
        os._exit(0)
    os.wait()
    told: dict[str, Any] = json.loads(known.read_text())
    texts = {file: (package / file).read_text(encoding="utf-8") for file in FILES}
    mutants = [mutant for file, text in texts.items() for mutant in mutants_of(file, text)]
    chosen, survivors = random.Random(seed).sample(mutants, min(most, len(mutants))), list[str]()
    for number, mutant in enumerate(chosen, 1):
        write_source(package / mutant.file, mutant.text)
        if not fails(tests_of(mutant, told), work / "scratch"):
            survivors.append(str(mutant))
            print(number, mutant, flush=True)
        write_source(package / mutant.file, texts[mutant.file])
    shown = {
        "missing": told["missing"],
        "branches": told["branches"],
        "of": len(chosen),
        "survivors": survivors,
    }
    Path(out).write_text(json.dumps(shown, indent=1))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(place))
