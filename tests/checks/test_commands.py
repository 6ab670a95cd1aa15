"""The commands of scripts, under the one name of their program."""

from __future__ import annotations

import pytest

from loopwright.checks.commands import commands_in

TESTS = [
    *("pytest -q", "timeout -k 5 60 pytest -q", "CI=1 nice -n 5 pytest -q", "uv run pytest -q"),
    *("if ! poetry run python -m pytest -q; then", "xvfb-run -s x pytest -q", "exec pytest -q"),
]


@pytest.mark.parametrize("line", TESTS)
def test_a_wrapper_changes_neither_what_runs_nor_what_it_proves(line: str) -> None:
    (command, *_) = commands_in("check.sh", f"{line}\n")

    assert (command.kind, command.words) == ("tests", ("pytest", "-q"))
