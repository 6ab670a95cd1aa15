"""What Claude Code says and wants to hear: recorded events in, signals out; directives in, JSON out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.claude.hooks import (
    SHELL_COMMANDS,
    block_cap,
    decode,
    encode,
    parse_version,
    respell_commands,
)
from loopwright.cli.here import AGENT_COMMANDS
from loopwright.core.directives import Ask, Continue, Stop
from loopwright.core.record import decode as value_of
from loopwright.core.signals import TurnOver

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


def test_of_a_message_without_an_end_its_end_is_read() -> None:
    signal = decode(
        {"session_id": "s1", "last_assistant_message": "x" * 2_000_000 + "DONE"}, {}, 1.0
    )
    assert isinstance(signal, TurnOver)
    assert (len(signal.text), signal.text[-5:]) == (1_000_000, "xDONE")


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_a_recorded_event_is_this_signal(path: Path) -> None:
    case = json.loads(path.read_text())

    assert decode(case["stdin"], case["env"], 1000.0) == (
        value_of(case["signal"]) if case["signal"] else None
    )


def test_an_event_without_a_name_is_a_stop() -> None:
    assert decode({"session_id": "s"}, {}, 1.0) == value_of(
        {"is": "TurnOver", "at": 1.0, "session": "s", "toolless_cap": 8}
    )


@pytest.mark.parametrize(
    ("set", "cap"),
    [("", 8), ("50", 50), ("0", 0), ("-1", 0), ("many", 8), ("9" * 30, 8), ("--5", 8)],
)
def test_the_cap_is_read_as_the_client_reads_it(set: str, cap: int) -> None:
    assert block_cap(set) == cap


@pytest.mark.parametrize("pid", ["", "-5", "12x", "99999999999", "٣"])
def test_a_pid_that_is_none_is_nobodys(pid: str) -> None:
    signal = decode(
        {"hook_event_name": "SessionStart", "session_id": "s"}, {"CLAUDE_PID": pid}, 1.0
    )

    assert signal is not None
    assert signal.pid in (0, 3)  # an Arabic three is a three


GO = Continue("next", "[LOOP] note. Look: `loop why`")
CONTEXT = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "next"}}
NOTE = {"systemMessage": "[LOOP] note. Look: `loop why`"}
BLOCK = {"decision": "block", "reason": "next", **NOTE}
ANSWERS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "go on, a client of today": (("Stop", GO, "2.1.325"), {**CONTEXT, **NOTE}),
    "go on, the first that knows": (("Stop", GO, "2.1.163"), {**CONTEXT, **NOTE}),
    "go on, the last that does not": (("Stop", GO, "2.1.162"), BLOCK),
    "go on, a major one": (("Stop", GO, "3.0"), {**CONTEXT, **NOTE}),
    "go on, unknown": (("Stop", GO, ""), BLOCK),
    "go on, nonsense": (("Stop", GO, "latest"), BLOCK),
    "go on, silently": (("Stop", Continue("next"), "2.1.325"), CONTEXT),
    "a session begins": (
        ("SessionStart", Continue("resume"), ""),
        {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "resume"}},
    ),
    "a prompt": (
        ("UserPromptSubmit", Continue("open"), ""),
        {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "open"}},
    ),
    "let go": (("Stop", Stop(), "2.1.325"), {}),
    "let go with a reason nobody asked for": (("Stop", Stop("complete"), "2.1.325"), {}),
    "let go with a word": (
        ("Stop", Stop("complete", "done"), "2.1.325"),
        {"systemMessage": "done"},
    ),
    "ask": (
        ("Stop", Ask("Which?", "[LOOP] Which?"), "2.1.325"),
        {"systemMessage": "[LOOP] Which?"},
    ),
    "ok: go on": (
        ("Stop", Continue("unmet criteria: a\nmore"), "", "ok"),
        {"ok": False, "reason": "unmet criteria: a"},
    ),
    "ok: let go": (("Stop", Stop(), "", "ok"), {"ok": True}),
    "ok: complete": (
        ("Stop", Stop("complete", "done"), "", "ok"),
        {"ok": True, "reason": "complete"},
    ),
    "ok: ask": (("Stop", Ask("Which?"), "", "ok"), {"ok": True, "reason": "Which?"}),
    "gsd: go on": (("Stop", GO, "", "gsd"), {"decision": "block", "prompt": "next"}),
    "gsd: let go": (("Stop", Stop("complete"), "", "gsd"), {"decision": "allow"}),
    "the plugin spells hints its own way": (
        (
            "Stop",
            Stop("", "Look: `loop why`. Go on: `loop continue --budget=5`"),
            "",
            "claude",
            True,
        ),
        {"systemMessage": "Look: `/loop:why`. Go on: `/loop:continue --budget=5`"},
    ),
}


@pytest.mark.parametrize(("given", "answer"), ANSWERS.values(), ids=ANSWERS)
def test_the_answer_is_exactly(given: tuple[Any, ...], answer: dict[str, Any]) -> None:
    assert encode(*given) == answer


def test_x_1_what_is_never_said() -> None:
    """{"decision": "allow"} is a validation error and {"ok": ...} is ignored: neither in the client's own format."""
    for directive in (GO, Stop(), Stop("x", "y"), Ask("q", "s")):
        for version in ("", "2.1.100", "2.1.325"):
            said = encode("Stop", directive, version)
            assert said.get("decision") in (None, "block")
            assert not said.keys() & {"ok", "continue", "prompt"}


@pytest.mark.parametrize(
    ("text", "version"),
    [("2.1.325", (2, 1, 325)), ("2", (2,)), ("", (0,)), ("2.1.x", (0,)), ("2..1", (0,))],
)
def test_versions(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text) == version


def test_a_hint_is_respelled_only_where_it_is_one() -> None:
    assert (
        respell_commands("the loop runs; `loop status`; say loop", True)
        == "the loop runs; `/loop:status`; say loop"
    )
    assert respell_commands("`loop status`", False) == "`loop status`"
    hint = "Take it over: `loop attach --session s-1`. See `loop why`"
    assert respell_commands(hint, True) == "Take it over: `/loop:attach`. See `/loop:why`"


def test_a_command_without_a_slash_command_is_typed_in_the_prompt_with_an_exclamation_mark() -> (
    None
):
    hint = "Re-run it: `loop audit`. See: `loop doctor`"
    assert respell_commands(hint, True) == "Re-run it: `!loop audit`. See: `!loop doctor`"
    assert respell_commands(hint, False) == hint
    assert set(SHELL_COMMANDS) <= set(AGENT_COMMANDS), "the client marks them like the agent's"
