"""What Codex's stream comes to: every recorded case, tokens over resumed sessions, words for people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopwright.agents.base import TurnOutput, TurnRequest
from loopwright.agents.registry import load_agent
from loopwright.core.limits import Price
from loopwright.core.pausing.errors import BLOCKING, TRANSIENT, classify_error
from loopwright.core.signals import ToolOutcome
from tests.agents.streams import CALL, EIGHT, SESSION, cases, line, read_turn, visible_lines

CASES = cases("codex")
CHECK = "/bin/bash -lc 'python3 -B -m unittest -q'"
DONE = "All tests pass.\n\n<loop-complete>\nAll success criteria satisfied:\n- [x] tests pass\n</loop-complete>"
LIMIT = (
    "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit "
    "https://chatgpt.com/settings/usage to purchase more credits or try again at "
)
HOUR, DAY = 3600.0, 86_400.0
PRICE = Price("gpt-5", 1.0, 10.0, 0.1, 2.0)
PRICED = TurnRequest(1, model="gpt-5", prices=(PRICE,))


def came_to(**facts: Any) -> TurnOutput:
    """Without a name of a model there is no price."""
    usual = {
        "session": SESSION,
        "results": 1,
        "tokens": (1000, 0, 0, 100),
        "unpriced": ("codex's own choice of model",),
    }
    return TurnOutput(**{**usual, **facts})


def failed(words: str, **facts: Any) -> TurnOutput:
    return TurnOutput(session=SESSION, failure=words, **facts)


TWICE = (2000, 0, 0, 200)
PRINTED = json.loads(CASES["ok"][4])["item"]["aggregated_output"]
EXPECTED = {
    "ok": came_to(
        text="They fail.",
        tools=1,
        outcomes=(
            ToolOutcome(
                f"command_execution {CHECK}", f"Exit code 1\n{PRINTED}"[:500].rpartition(" ")[0]
            ),
        ),
        tokens=TWICE,
    ),
    "file-written": came_to(
        text="Fixed.",
        tools=1,
        outcomes=(ToolOutcome("file_change"),),
        edits=(("/project/greet.py", 1),),
        tokens=TWICE,
    ),
    "false-done": came_to(text=DONE),
    "resumed": came_to(text="Two.", tokens=TWICE),
    "usage-limit": failed(
        f"{LIMIT}8:00 AM.",
        tools=1,
        outcomes=(ToolOutcome("command_execution /bin/bash -lc true"),),
        unpriced=("codex, in a turn that was cut off",),
        limited=True,
        until=EIGHT,
    ),
    "usage-limit-dated": failed(
        f"{LIMIT}May 18th, 2033 3:33 AM.", limited=True, until=1_999_999_980.0
    ),
    "api-error": failed(
        "We’re currently experiencing high demand, which may cause temporary errors."
    ),
    "unauthorized": failed(
        "unexpected status 401 Unauthorized: Incorrect API key provided., url: http://127.0.0.1:8000/v1/responses"
    ),
}


def test_every_recorded_case_is_expected_to_come_to_something() -> None:
    assert EXPECTED.keys() == CASES.keys()


@pytest.mark.usefixtures("in_zone")
@pytest.mark.parametrize("case", EXPECTED)
def test_a_recorded_turn_comes_to_what_happened_in_it(case: str) -> None:
    assert read_turn("codex", CASES[case]) == EXPECTED[case]
    assert read_turn("codex", CASES[case], code=1, stderr="trouble") == EXPECTED[case]


def test_faults_are_of_the_kind_that_a_person_would_say() -> None:
    assert classify_error(EXPECTED["api-error"].failure, from_api=True) == TRANSIENT
    assert classify_error(EXPECTED["unauthorized"].failure, from_api=True) == BLOCKING


# --- turns without a result ---


def test_a_turn_that_is_cut_off_keeps_its_tools_and_its_cost_is_unknown() -> None:
    heard = read_turn("codex", CASES["ok"][:4], PRICED, cut="too long", code=143)

    assert (heard.cut, heard.open_tool_calls, heard.dollars) == (
        "too long",
        (("item_1", f"command_execution {CHECK}"),),
        0.0,
    )
    assert heard.unpriced == ("codex, in a turn that was cut off",)


def test_silence_is_no_answer() -> None:
    assert read_turn("codex", []).cut == "codex ended by itself without a result"
    assert (
        read_turn("codex", [], code=1, stderr="no\nconfig").failure
        == "codex ended with exit code 1: no config"
    )


# --- money ---


def usage(new: int, cached: int = 0, written: int = 0, out: int = 0) -> str:
    numbers = {
        "input_tokens": new,
        "cached_input_tokens": cached,
        "cache_write_input_tokens": written,
        "output_tokens": out,
    }
    return line(type="turn.completed", usage={**numbers, "reasoning_output_tokens": 7})


@pytest.mark.parametrize(
    ("lines", "before", "dollars"),
    [
        pytest.param([usage(1_000_000)], (), 1.0, id="input"),
        pytest.param([usage(1_000_000, cached=500_000)], (), 0.55, id="of it from the cache"),
        pytest.param([usage(0, written=1_000_000)], (), 2.0, id="written to the cache"),
        pytest.param([usage(0, out=1_000_000)], (), 10.0, id="output"),
        pytest.param(CASES["resumed"], (1000, 0, 0, 100), 0.002, id="a resumed session counts on"),
        pytest.param(CASES["resumed"], (), 0.004, id="nothing was counted before"),
        pytest.param(
            CASES["resumed"], (9000, 0, 0, 900), 0.004, id="its numbers fell: it has begun anew"
        ),
        pytest.param(CASES["resumed"], (1000, 0, 0), 0.004, id="numbers of another kind"),
        pytest.param(
            [usage(1_000_000), usage(3_000_000)], (), 3.0, id="two turns in one run count on too"
        ),
        pytest.param(
            [usage(2_000_000), usage(3_000_000)],
            (1_000_000, 0, 0, 0),
            2.0,
            id="two turns of a resumed session",
        ),
    ],
)
def test_only_what_is_new_is_paid_for(
    lines: list[str], before: tuple[int, ...], dollars: float
) -> None:
    assert read_turn("codex", lines, PRICED.but(tokens_before=before)).dollars == pytest.approx(
        dollars
    )


def test_a_model_is_priced_by_the_longest_name_that_fits() -> None:
    prices = (PRICE, Price("gpt-5-mini", 0.1, 1.0, 0.01, 0.2), Price("gpt", 100, 100, 100, 100))

    cost = {
        model: read_turn("codex", [usage(1_000_000)], TurnRequest(1, model=model, prices=prices))
        for model in ("gpt-5-mini-x", "o9")
    }

    assert (cost["gpt-5-mini-x"].dollars, cost["gpt-5-mini-x"].unpriced) == (0.1, ())
    assert (cost["o9"].dollars, cost["o9"].unpriced) == (0.0, ("o9",))


# --- usage limits ---


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_what_a_call_returned_is_told_by_a_digest(name: str) -> None:
    """Two calls with one result tell nothing new; see turn_watch.py."""
    heard = TurnOutput()
    for one in cases(name)["ok"]:
        heard = load_agent(name).read(heard, one, TurnRequest(1))

    assert any(outcome.result for outcome in heard.outcomes)


def test_words_about_a_limit_are_none() -> None:
    """In an answer, in what a command printed, in a plan, in a warning: only a turn that failed so is one."""
    words = f"{LIMIT}8:00 AM."
    ran = {
        "id": "i",
        "type": "command_execution",
        "command": f"echo {words}",
        "aggregated_output": words,
    }
    items = [
        {"type": "agent_message", "text": words},
        {**ran, "exit_code": 0, "status": "completed"},
        {**ran, "exit_code": 1, "status": "failed"},
        {"type": "reasoning", "text": words},
        {"type": "error", "message": words},
        {"type": "agent_message", "text": words},
    ]
    lines = [line(type="item.completed", item=item) for item in items]
    lines = [line(type="error", message=words), *lines, CASES["ok"][-1]]

    heard = read_turn("codex", lines, stderr=words)

    assert (heard.limited, heard.until, heard.failure, heard.text) == (False, 0.0, "", words)


def test_a_failure_that_only_mentions_a_limit_is_none() -> None:
    heard = read_turn(
        "codex",
        [line(type="turn.failed", error={"message": f"stream disconnected: {LIMIT}8:00 AM."})],
    )

    assert (heard.limited, heard.until) == (False, 0.0)


# --- words for people ---


def test_people_see_words_commands_files_and_what_failed() -> None:
    assert visible_lines("codex", CASES["ok"]) == [
        "I look at the tests.",
        f"→ {CHECK}",
        f"✗ exit code 1: {PRINTED[-300:].strip()}",
        "They fail.",
    ]
    assert visible_lines("codex", CASES["file-written"]) == [
        "I write.",
        "→ add /project/greet.py",
        "Fixed.",
    ]
    assert visible_lines("codex", CASES["unauthorized"]) == [
        f"! {EXPECTED['unauthorized'].failure}"
    ]
    assert visible_lines("codex", ["", "no JSON", "[]", line(type="turn.started")]) == []


def test_without_a_price_the_dollars_are_unknown_and_the_tokens_are_not() -> None:
    heard = read_turn("codex", CASES["ok"], CALL.but(model="gpt-5"))

    assert (heard.dollars, heard.unpriced, heard.tokens) == (0.0, ("gpt-5",), TWICE)
