"""The scripted agent: real processes that do what a script says, turn by turn."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.base import TurnOutput, TurnRequest
from loopwright.agents.process import TurnCallbacks, TurnTimeouts, run_agent_process
from loopwright.agents.process_guard import ProcessGuard
from loopwright.agents.registry import load_agent
from loopwright.core.record import digest
from loopwright.core.signals import ToolOutcome

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="lines and commands as POSIX has them; see tests/platform"
)


class Play:
    """A script in a folder, played one turn at a time."""

    def __init__(self, root: Path, *turns: dict[str, Any]) -> None:
        self.root, self.told = root, list[str]()
        self.script = root / "script.json"
        self.script.write_text(json.dumps({"turns": turns}))

    def turn(self, number: int = 1, clock: float = 3600, prompt: str = "go") -> TurnOutput:
        call = TurnRequest(number, agent_command=(str(self.script),), prompt=prompt)
        witness = TurnCallbacks(
            self._see, stop_reason=lambda: "", hold_group=lambda group: nullcontext()
        )
        return run_agent_process(
            load_agent("script"),
            call,
            str(self.root),
            os.environ,
            TurnTimeouts(turn=clock, interrupt_grace=0.1),
            witness,
            ProcessGuard(),
        )

    def _see(self, heard: TurnOutput, line: str) -> None:
        if words := load_agent("script").tell(line):
            self.told.append(words)


def test_it_writes_runs_and_says(tmp_path: Path) -> None:
    play = Play(
        tmp_path,
        {
            "write": {"a/b.txt": "hello"},
            "run": ["cat a/b.txt", "exit 3"],
            "say": "Done.",
            "dollars": 0.5,
        },
    )

    assert play.turn() == TurnOutput(
        text="Done.",
        dollars=0.5,
        tools=3,
        outcomes=(
            ToolOutcome("write a/b.txt"),
            ToolOutcome("run cat a/b.txt", result=digest(b"hello")),
            ToolOutcome("run exit 3", "Exit code 3\n"),
        ),
        edits=(("a/b.txt", 1),),
        results=1,
        finished_calls=3,
    )
    assert (tmp_path / "a/b.txt").read_text() == "hello"
    assert play.told == [
        "→ write a/b.txt",
        "→ run cat a/b.txt",
        "→ run exit 3\n✗ Exit code 3\n",
        "Done.",
    ]


def test_each_turn_plays_its_entry_and_past_the_end_the_last_again(tmp_path: Path) -> None:
    play = Play(tmp_path, {"say": "One."}, {"say": "Two."})

    assert [play.turn(number).text for number in (1, 2, 3, 99)] == ["One.", "Two.", "Two.", "Two."]


def test_a_prompt_of_any_size_is_taken(tmp_path: Path) -> None:
    assert Play(tmp_path, {"say": "Read."}).turn(prompt="x" * 1_000_000).text == "Read."


def test_it_fails_as_an_api_does(tmp_path: Path) -> None:
    heard = Play(tmp_path, {"fail": "529 Overloaded", "write": {"a": "b"}}).turn()

    assert (heard.failure, heard.limited, heard.text, heard.results, heard.tools) == (
        "529 Overloaded",
        False,
        "",
        0,
        1,
    )


def test_it_meets_a_limit_that_is_reset_later(tmp_path: Path) -> None:
    before = time.time()

    heard = Play(tmp_path, {"fail": "used up", "limit": 600}).turn()

    assert (heard.failure, heard.limited) == ("used up", True)
    assert before + 600 <= heard.until <= time.time() + 600


@pytest.mark.parametrize(
    ("code", "facts"),
    [
        pytest.param(
            0, {"cut": "script ended by itself without a result"}, id="as if nothing had happened"
        ),
        pytest.param(
            4,
            {
                "failure": "script ended with exit code 4 and said nothing",
                "crashed": True,
                "exit_code": 4,
            },
            id="with an error",
        ),
    ],
)
def test_it_ends_without_a_word(tmp_path: Path, code: int, facts: dict[str, str]) -> None:
    assert Play(tmp_path, {"exit": code, "say": "never said"}).turn() == TurnOutput(**facts)


def test_one_that_hangs_is_cut_off_and_what_it_did_is_known(tmp_path: Path) -> None:
    heard = Play(tmp_path, {"write": {"a": "b"}, "run": ["sleep 600"], "say": "never said"}).turn(
        clock=0.5
    )

    assert (heard.cut, heard.text, heard.results, heard.failure) == (
        "the turn took longer than 0 s",
        "",
        0,
        "",
    )
    assert heard.outcomes[:1] == (ToolOutcome("write a"),)


def test_a_script_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    play = Play(tmp_path)
    play.script.unlink()

    assert "No such file" in play.turn().failure


def test_its_own_scripts_are_there() -> None:
    folder = Path(sys.modules[load_agent("script").command.__module__].__file__ or "").parent

    for script in folder.glob("*.json"):
        assert json.loads(script.read_text(encoding="utf-8"))["turns"], script.name
