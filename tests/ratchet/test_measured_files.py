"""Code that leaves what a failing check looks at is found; code that moves within it is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.check_reach import reach_of
from loopwright.ratchet.product_rules import measured_files
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

PART = """\
def partial(paid, used, days):
    left = days - used
    share = left / days
    if left < 0:
        share = 0
    return int(paid * share)
"""
KEPT = "def refund(paid, days):\n    return paid if days <= 14 else 0\n"
SCRIPT_PART = """\
function partial(paid, used, days) {
  const left = days - used;
  const share = left / days;
  return Math.floor(paid * share);
}
"""


def found(command: str, source: str, target: str, tools: dict[str, str] | None = None) -> list[str]:
    texts = {"billing/a.py": "", "lib/a.py": "", "src/a.js": "", **(tools or {})}
    part = SCRIPT_PART if source.endswith(".js") else PART
    changes = [Change(source, KEPT + part, KEPT), Change(target, None, part)]
    files = ProjectFiles(changes, texts.get, lambda: texts)
    red = reach_of([command], files.before)
    rows = list(measured_files.findings(files, red, lambda: reach_of([command], files.now)))
    assert all((row.severity, row.rule) == (MEDIUM, "fewer-files-included") for row in rows)
    return [row.after for row in rows]


MOVED = {
    "a pattern without subfolders": (
        "python3 tools/cover.py",
        "billing/refunds.py",
        "billing/rules/partial.py",
        {"tools/cover.py": 'for name in glob.glob("billing/*.py"):\n'},
    ),
    "the pattern of a folder": (
        "python3 tools/cover.py",
        "billing/refunds.py",
        "billing/rules/partial.py",
        {"tools/cover.py": 'for path in Path("billing").glob("*.py"):\n'},
    ),
    "a folder that a program lists": (
        "node tools/lint.js",
        "src/refunds.js",
        "src/rules/partial.js",
        {"tools/lint.js": "for (const name of fs.readdirSync('src')) {\n"},
    ),
    "the folder of a linter": ("ruff check billing", "billing/refunds.py", "lib/partial.py", {}),
    "the folder of the coverage": (
        "pytest --cov=billing --cov-fail-under=90 tests",
        "billing/refunds.py",
        "lib/partial.py",
        {},
    ),
    "a pattern of the shell": ("eslint src/*.js", "src/refunds.js", "src/rules/partial.js", {}),
}
STILL_MEASURED = {
    "within the pattern": (
        "python3 tools/cover.py",
        "billing/refunds.py",
        "billing/partial.py",
        {"tools/cover.py": 'for name in glob.glob("billing/*.py"):\n'},
    ),
    "a pattern with subfolders": (
        "python3 tools/cover.py",
        "billing/refunds.py",
        "billing/rules/partial.py",
        {"tools/cover.py": 'for name in glob.glob("billing/**/*.py", recursive=True):\n'},
    ),
    "all folders below": (
        "python3 tools/cover.py",
        "billing/refunds.py",
        "billing/rules/partial.py",
        {"tools/cover.py": 'for path in Path("billing").rglob("*.py"):\n'},
    ),
    "a linter of both folders": (
        "ruff check billing lib",
        "billing/refunds.py",
        "lib/partial.py",
        {},
    ),
    "a linter of everything": ("ruff check .", "billing/refunds.py", "lib/partial.py", {}),
    "tests in the folder": ("pytest billing", "billing/refunds.py", "lib/partial.py", {}),
    "a folder that is only entered": (
        "cd billing && make check",
        "billing/refunds.py",
        "lib/partial.py",
        {},
    ),
    "a file that no pattern names": (
        "ruff check lib",
        "billing/refunds.py",
        "billing/rules/partial.py",
        {},
    ),
}


@pytest.mark.parametrize(("command", "source", "target", "tools"), MOVED.values(), ids=MOVED.keys())
def test_code_that_a_check_no_longer_looks_at(
    command: str, source: str, target: str, tools: dict[str, str]
) -> None:
    assert found(command, source, target, tools) == [target]


@pytest.mark.parametrize(
    ("command", "source", "target", "tools"), STILL_MEASURED.values(), ids=STILL_MEASURED.keys()
)
def test_code_that_the_check_still_looks_at(
    command: str, source: str, target: str, tools: dict[str, str]
) -> None:
    assert found(command, source, target, tools) == []


def test_a_pattern_that_follows_the_code() -> None:
    tool = 'for name in glob.glob("billing/*.py"):\n'
    changes = [
        Change("billing/refunds.py", KEPT + PART, KEPT),
        Change("billing/rules/partial.py", None, PART),
        Change("tools/cover.py", tool, f'{tool}for name in glob.glob("billing/rules/*.py"):\n'),
    ]
    files = ProjectFiles(changes)
    command = "python3 tools/cover.py"
    red, now = reach_of([command], files.before), reach_of([command], files.now)

    assert list(measured_files.findings(files, red, lambda: now)) == []


def test_a_few_lines_that_are_alike_are_no_move() -> None:
    changes = [
        Change("billing/refunds.py", KEPT + PART, KEPT),
        Change("lib/other.py", None, "def other():\n    left = days - used\n    return left\n"),
    ]
    files = ProjectFiles(changes, {}.get, lambda: ["billing/a.py"])
    red = reach_of(["ruff check billing"], files.before)

    assert list(measured_files.findings(files, red, lambda: red)) == []
