"""The breakers of every loop hold for one that improves too: iterations, budget, clock, errors, thrashing, a broken guard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.discovery import archives, start_discovery
from tests.support.hook import Transcript, calls, returns, says, stop, usage
from tests.support.project import Project


@pytest.fixture
def two_item_project(project) -> Project:
    return start_discovery(project(), "--tasks", "mend the links; name the flags")


def test_s7_at_the_most_iterations_it_says_so_and_a_raise_goes_on(project) -> None:
    here = start_discovery(project(), "--tasks", "a; b", "--max-iterations", "2")
    here.write({"one.md": "1"})
    assert stop(here).prompt
    here.write({"two.md": "2"})

    said = stop(here).message
    assert said.startswith(
        "[LOOP] ⏸ Paused: iteration limit of 2 reached\nScope was: polish the settings page\nFinal stats: 2 found"
    )
    assert "`loop continue --iterations=10`" in said
    assert stop(here).reply is None
    assert here.run("status", "--exit-code").code == 3
    assert len(archives(here)) == 1

    assert here.run("continue").code == 3
    assert here.run("continue", "--iterations=3").code == 0
    here.write({"three.md": "3"})
    assert "🔄 Iteration 4 of 5" in stop(here).prompt


class Session:
    """An agent whose tools leave their marks in a transcript."""

    def __init__(self, here: Project, path: Path) -> None:
        self.here, self.script, self.turn = here, Transcript(path), 0

    def stops(self, *blocks: Any, results: tuple[Any, ...] = (), tokens: int = 0) -> Any:
        self.turn += 1
        self.here.write({"work.md": str(self.turn)})  # not idle
        if blocks:
            self.script.assistant(*blocks, id=f"call-{self.turn}")
            self.script.user(*results)
        self.script.assistant(says("so far"), id=f"m-{self.turn}", usage=usage(out=tokens))
        return stop(self.here, "so far", transcript_path=str(self.script.path))


def test_the_same_error_three_times_pauses(two_item_project: Project, tmp_path: Path) -> None:
    agent = Session(two_item_project, tmp_path / "t.jsonl")
    wrong = "Exit code 1\nTypeError: links.py:4 is not a link"

    for number in range(3):
        id = f"toolu_{number}"
        said = agent.stops(
            calls("Bash", id, command="make links"), results=(returns(wrong, id, error=True),)
        )

    assert "Paused: the same error 3 times in a row" in said.message
    assert two_item_project.loop.pause.cause == "same-error"


def test_the_same_file_five_times_in_a_turn_pauses(
    two_item_project: Project, tmp_path: Path
) -> None:
    ids = [f"toolu_{number}" for number in range(5)]
    edits = [calls("Edit", id, file_path=str(two_item_project.root / "readme.md")) for id in ids]

    said = Session(two_item_project, tmp_path / "t.jsonl").stops(
        *edits, results=tuple(returns("ok", id) for id in ids)
    )

    assert "edited 5 times in one iteration, likely thrashing" in said.message
    assert two_item_project.loop.pause.cause == "same-file"
