"""One turn as a process: its own session and group, its environment, its prompt, its output by the line, and its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.process import KEPT_VARIABLES
from loopwright.verify import process_groups
from tests.e2e.waiting import until
from tests.support.runner import IGNORING_SIGNALS, Turn, alive, program, wait_until_gone

ROOT = Path(__file__).parents[2]

HOSTILE = "it's \"quoted\"\n\ttwo lines, $(touch pwned) `touch pwned` $HOME \\ %s {} é 🙂 ; | & > < * ? ~ '"


@pytest.fixture
def turn(tmp_path: Path) -> Iterator[Callable[..., Turn]]:
    made = []

    def make(text: str, **given: Any) -> Turn:
        made.append(Turn(tmp_path, text, **given))
        return made[-1]

    yield make
    for one in made:  # a supervisor may see later than the turn that nothing is left
        one.guard.close()


# --- who it is ---


def test_it_has_a_session_and_a_group_of_its_own(turn) -> None:
    one = turn("print(os.getpid(), os.getpgid(0), os.getsid(0))")
    heard = one.take()

    assert heard.text.split() == [str(one.group)] * 3
    assert one.group != os.getpgid(0)


def test_its_environment_is_marked_and_no_session_of_a_client(turn, monkeypatch) -> None:
    kept = {name: f"the person's {name}" for name in KEPT_VARIABLES}
    marks = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "718ac93d",
        "CLAUDE_PLUGIN_ROOT": "/x",
        "CLAUDE_EFFORT": "high",
    }
    for name, value in {**kept, **marks}.items():
        monkeypatch.setenv(name, value)
    seen = json.loads(turn("print(json.dumps(dict(os.environ)))").take().text)

    assert seen["LOOP_CHILD"] == "loop-1"
    assert {name: value for name, value in seen.items() if name.startswith("CLAUDE")} == kept
    assert seen["HOME"] == os.environ["HOME"]


@pytest.mark.parametrize(
    "words",
    [(), ("{prompt}",), ("--message={prompt}!",)],
    ids=["stdin", "a word", "part of a word"],
)
def test_the_prompt_arrives_byte_for_byte(tmp_path: Path, words: tuple[str, ...]) -> None:
    argv = program(tmp_path, "print(json.dumps([sys.argv[1:], sys.stdin.buffer.read().decode()]))")
    heard = Turn(tmp_path, "", prompt=HOSTILE, words=(*argv, *words)).take()

    given = [word.replace("{prompt}", HOSTILE) for word in words]
    assert json.loads(heard.text) == [given, "" if words else HOSTILE]
    assert sorted(os.listdir(tmp_path)) == ["agent.py"]


KILLED = """
import os, sys
from tests.support.runner import Turn
one = Turn(__import__("pathlib").Path(sys.argv[1]), "open('begun', 'w')")
one._watch_group = lambda group: os.kill(os.getpid(), 9)
one.take()
"""


def test_a_runner_that_is_killed_before_anybody_knows_of_the_agent_leaves_none_at_work(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == -9, done.stderr.decode()
    until(
        lambda: not process_groups.processes_with_variable("LOOP_CHILD=loop-1"),
        lambda: "something lives on",
    )
    assert not (tmp_path / "begun").exists()


# --- how it ends by itself ---


def test_without_a_word_and_with_exit_code_0_it_was_interrupted(turn) -> None:
    heard = turn("").take()

    assert "ended by itself without a result" in heard.cut
    assert heard.failure == ""


def test_a_failure_is_told_with_the_end_of_what_it_said(turn) -> None:
    heard = turn("sys.stderr.write('x' * 9_000 + '\\n  the last\\n  words\\n'); sys.exit(3)").take()

    assert heard.failure.startswith("the command ended with exit code 3: ")
    assert heard.failure.endswith("x the last words")
    assert len(heard.failure) < 400
    assert heard.cut == ""


@pytest.mark.parametrize(
    "words", [("no-such-program-anywhere",), (os.devnull,)], ids=["not there", "not a program"]
)
def test_a_program_that_cannot_be_started_is_a_failure(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert "command cannot be started: " in Turn(tmp_path, "", words=words).take().failure


@pytest.mark.parametrize(
    "output", ["subprocess.DEVNULL", "None"], ids=["silent", "with its output still open"]
)
def test_what_it_left_in_its_group_ends_with_it(turn, output: str) -> None:
    heard = turn(
        f"{IGNORING_SIGNALS}child = subprocess.Popen(['sleep', '60'], stdout={output}, stderr={output})\nprint(child.pid)"
    ).take()

    assert (heard.cut, heard.failure) == ("", "")
    assert wait_until_gone(int(heard.text))


LEFT = "child = subprocess.Popen(['sleep', '60'], start_new_session=True)\nprint(child.pid, flush=True)\n"


def test_what_left_its_group_holds_nobody_up_and_lives_on_after_an_orderly_turn(turn) -> None:
    """It may be a server that the next turn needs."""
    one = turn(LEFT)
    heard = one.take()
    one.guard.close()
    lives = alive(int(heard.text))
    os.kill(int(heard.text), signal.SIGKILL)

    assert (heard.cut, heard.failure, lives) == ("", "", True)


def test_what_left_its_group_ends_with_a_turn_that_is_cut_off(turn) -> None:
    one = turn(f"{LEFT}time.sleep(60)")
    heard = one.take(lambda: "stopped" if one.lines else "")

    assert heard.cut == "stopped"
    assert not alive(int(heard.text))


def test_what_left_its_group_can_be_ended_later(turn) -> None:
    one = turn(LEFT)
    left = int(one.take().text)
    assert alive(left)
    one.guard.end_all()

    assert not alive(left)


# --- its output ---


def test_what_it_prints_is_heard_by_the_line(turn) -> None:
    one = turn("print('one'); print('two'); sys.stdout.write('no newline here')")
    heard = one.take()

    assert (heard.text, heard.cut, heard.failure) == ("one\ntwo\nno newline here", "", "")
    assert one.lines == ["one\n", "two\n", "no newline here"]


def test_a_line_without_end_is_passed_over(turn) -> None:
    one = turn("sys.stdout.write('x' * 10_000_000 + '\\nshort\\n')")

    assert one.take().text == "short\n"
    assert one.lines == ["short\n"]


def test_bytes_that_are_no_text_are_heard_as_well_as_they_can_be(turn) -> None:
    assert (
        turn("sys.stdout.buffer.write(b'\\xff\\xfe h\\xc3\\xa9 \\x00\\n')").take().text
        == "\ufffd\ufffd hé \0\n"
    )


def test_a_flood_drowns_nobody(turn) -> None:
    """Both pipes are full many times over, and the prompt is more than a pipe takes from who does not read."""
    many = "for n in range(20_000): sys.stderr.write('e' * 200 + '\\n'); print('o' * 100, n)\n"
    heard = turn(f"{many}sys.stderr.write('the end')\nsys.exit(1)", prompt="p" * 1_000_000).take()

    assert heard.text.endswith(" 19999\n")
    assert heard.failure.endswith("the end")
