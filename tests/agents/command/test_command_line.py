"""Any command line as an agent: what it is given, what its answer is, and when a limit is believed."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.base import TurnOutput, TurnRequest
from loopwright.agents.process import TurnCallbacks, TurnTimeouts, run_agent_process
from loopwright.agents.process_guard import ProcessGuard
from loopwright.agents.registry import load_agent
from tests.agents.streams import read_turn, visible_lines

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="lines and commands as POSIX has them; see tests/platform"
)
UNKNOWN = ("the command",)
ECHO = "import sys; print(sys.argv[1:]); print(sys.stdin.read())"


def answer(root: Path, *words: str, prompt: str = "fix it") -> TurnOutput:
    """One turn of a real process."""
    witness = TurnCallbacks(
        on_line=lambda heard, line: None,
        stop_reason=lambda: "",
        hold_group=lambda group: nullcontext(),
    )
    return run_agent_process(
        load_agent("command"),
        TurnRequest(1, agent_command=words, prompt=prompt),
        str(root),
        os.environ,
        TurnTimeouts(),
        witness,
        ProcessGuard(),
    )


def test_the_prompt_goes_to_stdin(tmp_path: Path) -> None:
    assert answer(tmp_path, sys.executable, "-c", ECHO, "--yes").text == "['--yes']\nfix it\n"


def test_or_into_the_words_that_ask_for_it(tmp_path: Path) -> None:
    said = answer(
        tmp_path,
        sys.executable,
        "-c",
        ECHO,
        "--message",
        "{prompt}",
        "a={prompt}",
        prompt="it's $(x) `y` {prompt}",
    )

    assert (
        said.text == "['--message', \"it's $(x) `y` {prompt}\", \"a=it's $(x) `y` {prompt}\"]\n\n"
    )


def test_what_it_prints_is_its_answer_and_its_cost_is_unknown(tmp_path: Path) -> None:
    expected = TurnOutput(text="one\ntwo\n", results=1, unpriced=UNKNOWN)

    assert answer(tmp_path, sys.executable, "-c", "print('one'); print('two')") == expected


def test_it_works_in_the_project(tmp_path: Path) -> None:
    assert answer(
        tmp_path, sys.executable, "-c", "import os; print(os.getcwd())"
    ).text.strip() == os.path.realpath(tmp_path)


def test_a_command_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    heard = answer(tmp_path, str(tmp_path / "nowhere"))

    assert heard.failure.startswith("command cannot be started: ")
    assert not heard.results


@pytest.mark.parametrize("prompt", ["what failed:\0", "half an emoji: \ud83d"])
def test_what_no_word_can_hold_is_left_out_of_the_prompt(tmp_path: Path, prompt: str) -> None:
    """The output of a check is part of a prompt, and may hold anything."""
    heard = answer(tmp_path, sys.executable, "-c", ECHO, "{prompt}", prompt=prompt)

    assert heard.text.startswith(f"['{prompt[:12]}")
    assert heard.text.endswith("']\n\n")


@pytest.mark.parametrize(
    ("text", "ending", "expected"),
    [
        pytest.param("done\n", {}, {"results": 1}, id="done"),
        pytest.param(
            "", {}, {"cut": "the command ended by itself without a result"}, id="not a word"
        ),
        pytest.param(
            " \n", {}, {"cut": "the command ended by itself without a result"}, id="white space"
        ),
        pytest.param("half", {"cut": "too long", "code": 143}, {"cut": "too long"}, id="cut off"),
        pytest.param(
            "half",
            {"code": 2},
            {
                "failure": "the command ended with exit code 2 (what it printed: loop logs)",
                "crashed": True,
                "exit_code": 2,
            },
            id="failed",
        ),
        pytest.param(
            "usage limit reached\n",
            {"code": 1},
            {
                "failure": "the command ended with exit code 1: its usage limit is reached",
                "limited": True,
                "exit_code": 1,
            },
            id="at its limit",
        ),
        pytest.param(
            "half",
            {"code": 1, "stderr": "no\nkey\n"},
            {
                "failure": "the command ended with exit code 1: no key",
                "crashed": True,
                "exit_code": 1,
            },
            id="failed, and says why",
        ),
    ],
)
def test_a_turn_comes_to(text: str, ending: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_turn("command", [text], **ending) == TurnOutput(
        text=text, unpriced=UNKNOWN, **expected
    )


@pytest.mark.parametrize(
    "words",
    [
        "You've hit your usage limit",
        "You’ve hit your limit",
        "Error: rate limit exceeded",
        "usage limit reached",
        "429",
    ],
)
def test_the_last_line_of_a_command_that_failed_may_be_a_limit(words: str) -> None:
    assert read_turn("command", ["working\n"], code=1, stderr=f"trace\n{words}\n").limited
    assert read_turn("command", ["working\n", f"{words}\n"], code=1).limited


@pytest.mark.parametrize(
    ("lines", "ending"),
    [
        pytest.param(["usage limit reached\n"], {}, id="it did not fail"),
        pytest.param(["usage limit reached\n", "I wait.\n"], {"code": 1}, id="not the last line"),
        pytest.param(
            ["The README says: usage limit reached\n"], {"code": 1}, id="in the middle of a line"
        ),
        pytest.param(
            ["usage limit reached\n"],
            {"code": 1, "stderr": "Traceback"},
            id="an error says something else",
        ),
        pytest.param(["usage limit reached\n"], {"code": 143, "cut": "too long"}, id="cut off"),
        pytest.param(["429 passed, 1 failed\n"], {"code": 1}, id="a number of tests"),
    ],
)
def test_other_words_about_a_limit_are_none(lines: list[str], ending: dict[str, Any]) -> None:
    assert not read_turn("command", lines, **ending).limited


def test_only_the_end_of_a_long_answer_is_kept() -> None:
    heard = read_turn("command", [f"{number:0>99}\n" for number in range(3000)])

    assert len(heard.text) == 200_000
    assert heard.text.endswith("02998\n" + "0" * 95 + "2999\n")


def test_people_see_it_as_it_is() -> None:
    assert visible_lines("command", ["one \n", "\n", "  two\n"]) == ["one", "  two"]
