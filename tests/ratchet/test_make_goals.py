"""A goal of make that a new file or folder of its name keeps from running."""

from __future__ import annotations

import pytest

from loopwright.core.findings import LOW
from loopwright.ratchet import findings
from loopwright.repo.baseline import Change

MAKEFILE = "check:\n\tperl t/check.pl\n"
RULE = "make-goal-is-a-file"


def rules(makefile: str, others: list[str], *changes: Change, red: bool = True) -> list[str]:
    commands = ("make check",)
    texts = {"Makefile": makefile, **dict.fromkeys(others, "")}
    rows = findings(changes, commands, texts.get, commands if red else (), lambda: texts)
    return [row.rule for row in rows if row.severity != LOW]


@pytest.mark.parametrize(
    ("others", "path"),
    [([], "check/README.md"), ([], "check/by/hand.py"), (["check/notes.txt"], "lib/Roman.pm")],
    ids=["a document", "a module", "a file that nothing else reads"],
)
def test_a_folder_with_the_name_of_the_goal_is_found(others: list[str], path: str) -> None:
    assert rules(MAKEFILE, others, Change(path, None, "1;\n")) == [RULE]


@pytest.mark.parametrize(
    ("makefile", "others", "path", "red"),
    [
        (f".PHONY: check\n{MAKEFILE}", [], "check/README.md", True),
        (MAKEFILE, [], "checks/README.md", True),
        (MAKEFILE, ["check/a.txt"], "lib/Roman.pm", False),
        ("check: build\n\tperl t/check.pl\n", ["check/a.txt"], "lib/Roman.pm", True),
        ("check:: \n\tperl t/check.pl\n", ["check/a.txt"], "lib/Roman.pm", True),
    ],
    ids=["phony", "another name", "a check that passed", "a goal that needs others", "two colons"],
)
def test_a_goal_that_runs_as_before_is_fine(
    makefile: str, others: list[str], path: str, red: bool
) -> None:
    assert rules(makefile, others, Change(path, None, "1;\n"), red=red) == []
