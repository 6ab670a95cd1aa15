"""The ratchet as a whole: every language and every setting, over all files that changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet import findings, is_relevant
from loopwright.repo.baseline import Change
from tests.support.pairs import FOLDER, changes, known_pairs


def grave(found):
    return [finding for finding in found if finding.severity != LOW]


@pytest.mark.parametrize("path", known_pairs(), ids=lambda path: f"{path.parts[-3]} {path.stem}")
def test_the_pairs_that_it_was_written_for(path: Path) -> None:
    found = grave(findings(changes(path), ()))

    if path.stem.startswith("weaker"):
        assert found
    else:  # a person may be asked, but an honest agent is not refuted
        assert HIGH not in {finding.severity for finding in found}


def test_each_set_has_five_honest_and_five_weakened_pairs_set_aside() -> None:
    for folder in sorted(FOLDER.iterdir()):
        aside = [path.stem.partition("-")[0] for path in (folder / "aside").glob("*.txt")]
        known = {path.stem.partition("-")[0] for path in (folder / "known").glob("*.txt")}
        assert sorted(aside) == ["honest"] * 5 + ["weaker"] * 5, folder
        assert known == {"honest", "weaker"}, folder


TEST = "def test_a():\n    assert answer() == 42\n"


def test_the_grave_comes_first_and_each_is_named_once() -> None:
    found = findings(
        [
            Change("src/a.py", "x = 1\n", "x = 1  # type: ignore\n"),
            Change("tests/test_a.py", TEST, TEST.replace("42", "43")),
            Change("tests/test_b.py", "def test_b():\n    assert colour('sky') == 'blue'\n", None),
        ],
        (),
    )

    assert [(finding.severity, finding.place) for finding in found] == [
        (HIGH, "tests/test_b.py"),
        (MEDIUM, "tests/test_a.py:2"),
        (LOW, "src/a.py:1"),
    ]


def test_tests_that_can_no_longer_be_read_are_a_doubt() -> None:
    found = findings([Change("tests/test_a.py", TEST, "def test_a(:\n")], ())

    assert [(finding.severity, finding.rule) for finding in found] == [(MEDIUM, "tests-unreadable")]


def test_a_silenced_warning_that_was_there_before_is_no_news() -> None:
    line = "import os  # noqa: F401\n"

    assert findings([Change("src/a.py", line, f"\n\n    {line}")], ()) == []


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "src/a.ts",
        "Makefile",
        "setup.cfg",
        ".github/workflows/ci.yml",
        "a/b.test.js",
        "go.mod",
        "README.md",
    ],
)
def test_what_matters(path: str) -> None:
    assert is_relevant(path)


@pytest.mark.parametrize("path", ["data/big.csv", "logo.png"])
def test_what_does_not(path: str) -> None:
    assert not is_relevant(path)
