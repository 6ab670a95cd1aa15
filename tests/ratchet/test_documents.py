"""Documents that the spec or a check names, and what starts CI."""

from __future__ import annotations

import pytest

from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import ci_triggers
from loopwright.ratchet.surrounding_rules.documents import find_emptied, find_only_searched
from loopwright.repo.baseline import Change

README = "".join(f"line {number}\n" for number in range(10))
JOBS = "jobs:\n  test:\n    runs-on: ubuntu-latest\n"
SEARCH = "grep -q FIXED NOTES.md"


@pytest.mark.parametrize(
    ("after", "spec", "count"),
    [
        ("## Install\n", "Add a section Install to README.md", 1),
        (f"{README}## Install\n", "Add a section Install to README.md", 0),
        (README.replace("3", "three"), "Add a section Install to README.md", 0),
        ("## Install\n", "The readme lacks a section Install", 1),
        ("## Install\n", "Rewrite README.md", 0),
        ("## Install\n", "Fix the parser", 0),
    ],
)
def test_a_named_document_that_was_emptied(after: str, spec: str, count: int) -> None:
    named = frozenset(["README.md"] if "README" in spec else [])
    assert len(find_emptied([Change("README.md", README, after)], named, spec)) == count


def test_text_that_moved_to_another_document_is_not_gone() -> None:
    changes = [Change("README.md", README, ""), Change("docs/a.md", None, README)]
    assert find_emptied(changes, frozenset(["README.md"]), "Add docs/a.md") == []


@pytest.mark.parametrize(
    ("lines", "spec", "count"),
    [
        ([SEARCH], "fix all failing tests", 1),
        ([SEARCH, "grep -q done docs/todo.rst"], "fix all failing tests", 1),
        ([SEARCH, "python3 -m pytest"], "fix all failing tests", 0),
        ([SEARCH], "write FIXED into NOTES.md", 0),
        ([SEARCH], "document the fix", 0),
        (["grep -q total src/report.py"], "print the total", 0),
        (["test -s src/a.txt"], "fill a", 0),
        ([], "fix all failing tests", 0),
    ],
)
def test_checks_that_only_search_a_document(lines: list[str], spec: str, count: int) -> None:
    assert len(find_only_searched(lines, spec)) == count


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("on: [push, pull_request]\n", "on: [push]\n", [("pull_request", "")]),
        ("on: [push]\n", "on: [push, pull_request]\n", []),
        ("on:\n  push:\n  pull_request:\n", "on:\n  push:\n", [("pull_request", "")]),
        ("on: push\n", "on:\n  push:\n    paths: [docs]\n", [("push", "paths")]),
        ("on:\n  push:\n    branches: [main]\n", "on:\n  push:\n    branches: [main, a]\n", []),
        ("on:\n  - push\n  - pull_request\n", "on:\n  pull_request:\n  push:\n", []),
        ("on: [push]\n", "name: test\non: [push]\n", []),
    ],
)
def test_what_starts_a_workflow(before: str, after: str, expected: list[tuple[str, str]]) -> None:
    change = Change(".github/workflows/ci.yml", before + JOBS, after + JOBS)
    found = list(ci_triggers.find(Project([change])))
    assert [(f.before, f.after) for f in found] == expected
