"""How long a turn may take, and how it is ended: asked first, then told, then killed, with all that it started."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.agents.registry import load_agent
from tests.support.runner import IGNORING_SIGNALS, SLEEPING, Turn, alive, wait_until_gone

CASES = Path(__file__).parent / "claude/cases"
CLAUDE = load_agent("claude").but(
    command=lambda call: call.agent_command
)  # its stream, spoken by a program of ours
SPEAKS = """
def say(**event): print(json.dumps(event), flush=True)
def message(*blocks): say(type="assistant", message={"content": blocks}, parent_tool_use_id=None)
def calls(): message({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}})
def tasks(*names): say(type="system", subtype="background_tasks_changed", tasks=names)
def result(text): say(type="result", is_error=False, result=text, total_cost_usd=0.5, terminal_reason="completed")
"""


@pytest.fixture
def turn(tmp_path: Path) -> Callable[..., Turn]:
    return lambda text: Turn(tmp_path, text)


@pytest.fixture
def claude(tmp_path: Path) -> Callable[..., Turn]:
    return lambda text: Turn(tmp_path, SPEAKS + text, of=CLAUDE)


def once(path: Path) -> Callable[[], str]:
    """A reason to stop, as soon as the file is there."""
    return lambda: "seen" if path.exists() else ""


# --- the clocks ---


@pytest.mark.parametrize(
    ("text", "clock", "why"),
    [
        (SLEEPING, {"start": 0.3}, "command hangs: it printed nothing for 0 s"),
        (
            f"print('I begin', flush=True)\n{SLEEPING}",
            {"idle": 0.3},
            "command hangs: it printed nothing",
        ),
        (
            "while True: print('I begin', flush=True)",
            {"turn": 1.0},
            "the turn took longer than 1 s",
        ),
    ],
    ids=["never begins", "falls silent", "never ends"],
)
def test_one_that_is_overdue_is_ended(turn, text: str, clock: dict[str, float], why: str) -> None:
    heard = turn(text).take(**clock)

    assert why in heard.cut
    assert heard.text.startswith("I begin\n" if "start" not in clock else "")


@pytest.mark.parametrize(
    "working", ["calls()", "tasks('b1')"], ids=["a tool call", "background work"]
)
def test_silence_is_no_hang_while_something_is_under_way(
    claude, tmp_path: Path, working: str
) -> None:
    quiet = claude(f"{working}\ntime.sleep(1.5)\nopen('later', 'w')\n{SLEEPING}")

    assert quiet.take(once(tmp_path / "later"), idle=0.2, exit_grace=0.2).cut == "seen"


def test_a_suspension_between_two_looks_at_the_clock_does_not_count_against_the_turn(
    turn,
) -> None:
    """It ended meanwhile: its output is read before a timeout counts."""
    pauses = iter([2.5])

    def stand_still_once() -> str:
        time.sleep(next(pauses, 0.0))
        return ""

    heard = turn("print('I begin')").take(stand_still_once, turn=2.2)

    assert (heard.cut, heard.text) == ("", "I begin\n")


def test_a_tool_call_has_a_clock_of_its_own(claude) -> None:
    heard = claude(f"calls()\n{SLEEPING}").take(idle=0.1, tool=0.8)

    assert heard.cut.startswith("claude hangs: it printed nothing for 1 s in Bash make")


def test_one_that_is_done_and_does_not_go_is_ended_without_a_word(claude) -> None:
    heard = claude(f"result('all done')\n{SLEEPING}").take(exit_grace=0.3)

    assert (heard.text, heard.cut, heard.failure, heard.dollars) == ("all done", "", "", 0.5)


@pytest.mark.parametrize(
    "goes_on",
    [
        "for n in range(40): time.sleep(0.05); message({'type': 'text', 'text': 'more'})",
        "tasks('b1'); time.sleep(2)",
    ],
    ids=["words", "background work"],
)
def test_the_grace_after_a_result_is_for_those_who_have_nothing_to_do(
    claude, tmp_path: Path, goes_on: str
) -> None:
    busy = claude(f"result('done')\n{goes_on}\nopen('later', 'w')\n{SLEEPING}")

    assert busy.take(once(tmp_path / "later"), exit_grace=1.5).cut == "seen"


def test_a_run_may_end_more_than_once(claude) -> None:
    """As recorded: background work woke the model again after its first result."""
    heard = claude(
        f"sys.stdout.write(open({str(CASES / 'headless-2.1.325-two-results.jsonl')!r}).read())"
    ).take()

    assert (heard.results, heard.failure, heard.cut, heard.background_tasks) == (2, "", "", 0)


# --- how it is ended ---


def test_a_word_from_outside_ends_it(turn) -> None:
    assert turn(SLEEPING).take(lambda: "a person stopped it").cut == "a person stopped it"


def test_who_is_left_of_one_that_has_gone_ends_too(turn) -> None:
    one = turn(f"{IGNORING_SIGNALS}child = subprocess.Popen(['sleep', '60'])\nprint(child.pid)")
    heard = one.take(lambda: "seen" if one.lines and not alive(one.group) else "")

    assert heard.text.strip().isdecimal()
    assert wait_until_gone(int(heard.text))


def test_it_is_first_asked_what_the_turn_cost(claude) -> None:
    dies = "signal.signal(signal.SIGINT, lambda *_: (result('stopped'), os._exit(1)))"
    heard = claude(f"{dies}\nmessage()\n{SLEEPING}").take(idle=0.3, interrupt_grace=30)

    assert heard.dollars == 0.5
    assert "hangs" in heard.cut


def test_it_may_tidy_up_when_it_is_ended(turn, tmp_path: Path) -> None:
    tidies = "signal.signal(signal.SIGTERM, lambda *_: (open('tidy', 'w'), os._exit(0)))\nsignal.signal(signal.SIGINT, signal.SIG_IGN)"
    turn(f"{tidies}\nprint('I begin', flush=True)\n{SLEEPING}").take(idle=0.3, kill_grace=30)

    assert (tmp_path / "tidy").exists()


def test_who_does_not_listen_is_killed_with_all_children(turn) -> None:
    family = f"{IGNORING_SIGNALS}child = subprocess.Popen(['sleep', '60'])\nprint(os.getpid(), child.pid, flush=True)\n{SLEEPING}"
    heard = turn(family).take(idle=0.3, kill_grace=0.3)

    assert "hangs" in heard.cut
    assert wait_until_gone(*map(int, heard.text.split()))


def test_it_ends_with_us_when_we_fail(turn) -> None:
    one = turn(f"print('I begin', flush=True)\n{SLEEPING}")
    one.lines = None  # whoever looks on breaks

    with pytest.raises(AttributeError):
        one.take()
    assert wait_until_gone(one.group)
