"""What Claude Code's stream comes to: every recorded case, money over several results and sessions, limits, words for people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopwright.agents.base import TurnOutput, TurnRequest
from loopwright.agents.claude.stream import ENDED_WITHOUT_TEXT
from loopwright.core.pausing.errors import TRANSIENT, classify_error
from loopwright.core.prices import PRICES
from loopwright.core.signals import ToolOutcome
from tests.agents.streams import (
    CALL,
    EIGHT,
    SESSION,
    cases,
    change_line,
    line,
    read_turn,
    visible_lines,
)

CASES = cases("claude")
CHECK = "Bash python3 -B -m unittest -q"
SLOW = "Bash touch '/home/latch-begun'; until [ -e '/home/latch-opened' ]; do sleep 0.02; done"
DONE = "All tests pass.\n\n<loop-complete>\nAll success criteria satisfied:\n- [x] tests pass\n</loop-complete>"
GATEWAY = "usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8000)."
LIMIT = "You've hit your limit · resets 8am (UTC)"


def came_to(**facts: Any) -> TurnOutput:
    return TurnOutput(**{"session": SESSION, "results": 1, **facts})


def failing(key: str = CHECK) -> ToolOutcome:
    """The recorded project's test, as the tool's result quotes it."""
    results = [block for text in CASES["ok"] for block in blocks(text) if block.get("is_error")]
    return ToolOutcome(key, results[0]["content"][:500].rpartition(" ")[0])


def blocks(text: str) -> list[dict[str, Any]]:
    content = json.loads(text).get("message", {}).get("content", [])
    return [block for block in content if block["type"] == "tool_result"]


EXPECTED = {
    "ok": came_to(
        text="The greeting is fixed.",
        dollars=0.018,
        tools=2,
        outcomes=(failing(), ToolOutcome("Write /project/greet.py")),
        edits=(("/project/greet.py", 1),),
    ),
    "false-done": came_to(text=DONE, dollars=0.006),
    "resumed": came_to(text="Two.", dollars=0.006),  # of a session that has cost 0.012
    "two-results": came_to(
        text="It is over.", dollars=0.018, tools=1, outcomes=(ToolOutcome(SLOW),), results=2
    ),
    "subagent": came_to(
        text="They fail.", dollars=0.024, tools=2, outcomes=(failing(), ToolOutcome("Agent"))
    ),
    "denied": came_to(
        text="I may not run it.",
        dollars=0.012,
        tools=1,
        outcomes=(ToolOutcome(CHECK, "This command requires approval"),),
        denied=(CHECK,),
    ),
    "budget": came_to(
        dollars=0.012,
        tools=2,
        outcomes=(ToolOutcome("Bash true"),),
        cut="Reached maximum budget ($0.01)",
    ),
    "rate-limit": came_to(
        dollars=0.003,
        tools=1,
        outcomes=(ToolOutcome("Bash true"),),
        failure=f"429 {LIMIT}",
        limited=True,
        until=EIGHT,
    ),
    "rate-warning": came_to(
        text="Done.", dollars=0.003, window_used=0.93, window_reset_at=1_800_000_000.0
    ),
    "api-error": came_to(
        failure=f"529 API Error: 529 Overloaded. This is a server-side issue, {GATEWAY}"
    ),
    "sigint": came_to(
        text="I wait for it.",
        dollars=0.006,
        tools=1,
        outcomes=(
            ToolOutcome(
                SLOW,
                "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
                "the new_string was NOT written to the file). "
                "STOP what you are doing and wait for the user to tell you how to proceed.",
            ),
        ),
        cut="aborted_tools: [ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use",
    ),
}


def test_every_recorded_case_is_expected_to_come_to_something() -> None:
    assert EXPECTED.keys() == CASES.keys()


@pytest.mark.parametrize("case", EXPECTED)
def test_a_recorded_turn_comes_to_what_happened_in_it(case: str) -> None:
    assert read_turn("claude", CASES[case]) == EXPECTED[case]


@pytest.mark.parametrize("case", EXPECTED)
def test_the_exit_code_changes_nothing_where_there_is_a_result(case: str) -> None:
    assert read_turn("claude", CASES[case], code=1, stderr="trouble") == EXPECTED[case]


def test_an_overloaded_api_is_a_fault_that_passes() -> None:
    assert classify_error(EXPECTED["api-error"].failure, from_api=True) == TRANSIENT


# --- turns without a result ---


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        pytest.param(
            {},
            {"cut": "claude ended by itself without a result"},
            id="the client's own brake, exit code 0",
        ),
        pytest.param(
            {"cut": "too long", "code": 143}, {"cut": "too long"}, id="we have cut it off"
        ),
        pytest.param(
            {"code": 1, "stderr": "Session ID x\nis already in use.\n"},
            {
                "failure": "claude ended with exit code 1: Session ID x is already in use.",
                "crashed": True,
                "exit_code": 1,
            },
            id="it could not start",
        ),
        pytest.param(
            {"code": 2},
            {
                "failure": "claude ended with exit code 2 and said nothing",
                "crashed": True,
                "exit_code": 2,
            },
            id="without a word",
        ),
    ],
)
def test_silence_is_no_answer(ending: dict[str, Any], expected: dict[str, str]) -> None:
    assert read_turn("claude", [], **ending) == TurnOutput(**expected)


def test_a_turn_that_is_cut_off_keeps_its_tools_and_what_it_must_have_cost() -> None:
    heard = read_turn("claude", CASES["budget"][:-1], cut="too long", code=143)

    assert (heard.cut, heard.tools, heard.results, heard.unpriced) == ("too long", 2, 0, ())
    assert heard.open_tool_calls == (("toolu_000000000000000000000008", "Bash true"),)
    assert heard.dollars == pytest.approx(
        2 * 1000 * 4 / 1e6, rel=0.1
    )  # the input; the result would have added the output


def test_the_cost_of_a_turn_that_is_cut_off_is_unknown_where_the_model_has_no_price() -> None:
    assert read_turn("claude", CASES["budget"][:-1], TurnRequest(1), cut="too long").unpriced == (
        "claude-opus-5-5",
    )
    assert read_turn("claude", CASES["budget"], TurnRequest(1)).unpriced == ()  # the result told it


def test_background_work_is_known_while_it_goes_on() -> None:
    first = next(
        number for number, text in enumerate(CASES["two-results"], 1) if '"type":"result"' in text
    )

    heard = read_turn("claude", CASES["two-results"][:first])

    assert (heard.results, heard.background_tasks, heard.text) == (1, 1, "It runs.")


# --- money ---


def test_the_total_is_of_this_process_where_the_client_tells_nothing_else() -> None:
    """As 2.1.197 does: no word on what is new, and the total begins at nothing when a session is resumed."""
    before = [change_line(text, model_usage_since_last_result=None) for text in CASES["false-done"]]

    assert read_turn("claude", before, CALL.but(session=SESSION)).dollars == 0.006


def test_the_total_of_several_results_in_one_process_is_not_added_up() -> None:
    before = [
        change_line(text, model_usage_since_last_result=None) for text in CASES["two-results"]
    ]

    assert read_turn("claude", before).dollars == 0.018


def test_every_model_of_a_turn_costs() -> None:
    spent = {"claude-opus-5-5": {"costUSD": 0.5}, "claude-haiku-5-5": {"costUSD": 0.25}}
    lines = [
        *CASES["ok"][:-1],
        change_line(CASES["ok"][-1], model_usage_since_last_result=spent, total_cost_usd=9.0),
    ]

    assert read_turn("claude", lines).dollars == 0.75


def test_a_turn_that_is_cut_off_is_priced_by_the_longest_name_that_fits() -> None:
    dear = tuple(price.but(model="claude", input=1000) for price in PRICES[:1])

    assert (
        read_turn(
            "claude", CASES["budget"][:-1], CALL.but(prices=(*dear, *PRICES)), cut="x"
        ).dollars
        < 0.01
    )


def test_an_empty_result_is_the_clients_own_brake_and_no_word_of_the_agent_counts() -> None:
    lines = [*CASES["ok"][:-1], change_line(CASES["ok"][-1], result="")]

    assert read_turn("claude", CASES["ok"]).text == "The greeting is fixed."
    heard = read_turn("claude", lines)
    assert (heard.text, heard.cut, heard.failure) == ("", ENDED_WITHOUT_TEXT, "")
    twice = read_turn("claude", [*CASES["ok"], change_line(CASES["ok"][-1], result="")])
    assert (twice.text, twice.cut) == ("The greeting is fixed.", ""), (
        "woken once more by background work, it had nothing to add"
    )


# --- usage limits ---


def test_a_limit_that_a_later_result_has_overcome_is_forgotten() -> None:
    heard = read_turn("claude", [*CASES["rate-limit"], *CASES["ok"]])

    assert (heard.failure, heard.limited, heard.until, heard.results) == ("", False, 0.0, 2)


def test_a_limit_without_a_time_is_still_one() -> None:
    heard = read_turn(
        "claude", [text for text in CASES["rate-limit"] if '"rate_limit_event"' not in text]
    )

    assert (heard.limited, heard.until) == (True, 0.0)


@pytest.mark.parametrize(
    "words",
    ["You've hit your usage limit. Try again at 8:00 AM.", LIMIT, "429 rate limit exceeded"],
)
def test_words_about_a_limit_are_none(words: str) -> None:
    """In an answer, in what a tool printed, in a file that was read: only the client's own events count."""
    shown = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": words}
    read = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": words}]}
    lines = [
        line(type="assistant", message={"content": [{"type": "text", "text": words}]}),
        line(type="user", message={"content": [shown, read]}),
        line(type="user", message={"content": words}, tool_use_result=words),
        change_line(CASES["ok"][-1], result=words),
    ]

    heard = read_turn("claude", lines, stderr=words)

    assert (heard.limited, heard.until, heard.failure, heard.text) == (False, 0.0, "", words)


# --- words for people ---


def test_people_see_words_tools_and_what_failed() -> None:
    failed = visible_lines("claude", CASES["ok"])[2]
    assert failed.startswith("✗ Exit code 1\n=====")

    assert visible_lines("claude", CASES["ok"]) == [
        "I look at the tests.",
        f"→ {CHECK}",
        failed,
        "→ Write /project/greet.py",
        "The greeting is fixed.",
    ]
    assert visible_lines("claude", CASES["denied"]) == [
        "I look.",
        f"→ {CHECK}",
        "✗ This command requires approval",
        "I may not run it.",
    ]
    assert visible_lines("claude", CASES["api-error"])[0] == "! overloaded (529), asked again (1)"
    assert (
        visible_lines("claude", ["", "no JSON", line(type="user", message={"content": "a prompt"})])
        == []
    )
