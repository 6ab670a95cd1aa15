"""What the other clients print, as the runner hears it: recorded from the real ones, or written after their documentation.

The cases of Cursor, Amp and Goose are named `documented`: they cannot run here.
"""

from __future__ import annotations

import pytest

from loopwright.agents.base import TurnRequest
from loopwright.agents.registry import load_agent
from loopwright.core.limits import Price
from tests.agents.streams import EIGHT, HERE, cases, line, read_turn, visible_lines

REAL = ("gemini", "qwen", "copilot", "opencode")
DOCUMENTED = ("cursor", "amp", "goose")
CHECK = "python3 -B -m unittest -q"
SAID = "The greeting is fixed."
LATER = EIGHT - 3600 + 7500  # 2h5m after an hour before eight
CALLS = {
    "gemini": (f"run_shell_command {CHECK}", "read_file /project/greet.py", "write_file /project/greet.py"),
    "qwen": (f"run_shell_command {CHECK}", "read_file /project/greet.py", "write_file /project/greet.py"),
    "copilot": (f"bash {CHECK}", "edit /project/greet.py"),
    "opencode": (f"bash {CHECK}", "write /project/greet.py"),
    "cursor": (f"shell {CHECK}", "write /project/greet.py"),
    "amp": (f"Bash {CHECK}", "create_file /project/greet.py"),
    "goose": (f"developer__shell {CHECK}", "developer__text_editor write"),
}  # fmt: skip
# Gemini does not say that a command has failed, and Copilot may not run it.
FIRST_ERRORS = {
    "gemini": "",
    "qwen": "Command: python3",
    "copilot": "Permission denied because",
    "opencode": "Exit code 1\n",
}
LIMITS = {
    "qwen": "429 Rate limit reached for requests. Please try again in 2h5m.",
    "copilot": "429 Failed to get response from the AI model; retried 5 times",
    "cursor": "You've hit your usage limit.",
    "amp": "You have reached your usage limit.",
    "goose": "Rate limit exceeded: retry after 7500 seconds",
}
REFUSALS = {
    "gemini": "401 UNAUTHENTICATED Incorrect API key provided.",
    "qwen": "401 Incorrect API key provided.",
    "copilot": "401 Authentication failed with provider",
    "opencode": "401 Incorrect API key provided.",
    "cursor": "Authentication required.",
    "amp": "Unauthorized.",
    "goose": "Authentication error:",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_turn_with_tools_tells_its_words_calls_edits_and_session(name: str) -> None:
    heard = read_turn(name, cases(name)["ok"])

    assert (heard.text, heard.results, heard.failure, heard.cut) == (SAID, 1, "", "")
    assert tuple(outcome.key for outcome in heard.outcomes) == CALLS[name]
    first, *others = (outcome.error for outcome in heard.outcomes)
    assert first.startswith(FIRST_ERRORS.get(name, "FAILED (failures=1)"))
    assert bool(first) == (name != "gemini")
    assert not any(others)
    assert heard.tools == len(CALLS[name])
    assert heard.open_tool_calls == ()
    assert heard.edits == (() if name == "goose" else (("/project/greet.py", 1),))
    assert bool(heard.session) == (name != "goose")


@pytest.mark.parametrize("name", LIMITS)
def test_a_usage_limit_is_told_with_its_end(name: str) -> None:
    heard = read_turn(name, cases(name)["usage-limit"], code=1)

    assert heard.failure.startswith(LIMITS[name])
    assert (heard.limited, heard.until, heard.text) == (True, LATER, "")


def test_gemini_tells_of_its_quota_with_and_without_its_end() -> None:
    daily = read_turn("gemini", cases("gemini")["usage-limit"], code=173)
    dated = read_turn("gemini", cases("gemini")["usage-limit-dated"], code=173)

    assert daily.failure == "You have exhausted your daily quota on this model."
    assert (daily.limited, daily.until) == (True, 0.0)
    assert dated.failure.startswith("You have exhausted your capacity on this model.")
    assert (dated.limited, dated.until) == (True, LATER)


def test_opencode_waits_for_its_limit_without_a_word_and_its_log_tells_why() -> None:
    (log,) = (HERE / "opencode" / "cases").glob("headless-*-usage-limit.log")
    stderr = log.read_text(encoding="utf-8")

    hung = read_turn(
        "opencode", [], stderr=stderr, cut="opencode hangs: it printed nothing for 15 min"
    )
    stopped = read_turn("opencode", [], stderr=stderr, cut="a person stopped it")

    assert hung.failure == "Rate limit reached for requests. Please try again in 2h5m."
    assert (hung.limited, hung.until, hung.cut) == (True, LATER, "")
    assert (stopped.limited, stopped.cut) == (False, "a person stopped it")


@pytest.mark.parametrize("name", REFUSALS)
def test_a_key_that_is_refused_is_a_failure_and_no_limit(name: str) -> None:
    heard = read_turn(name, cases(name)["unauthorized"], code=1)

    assert heard.failure.startswith(REFUSALS[name])
    assert (heard.limited, heard.crashed, heard.text) == (False, False, "")
    assert visible_lines(name, cases(name)["unauthorized"])[-1].lstrip("![ ")


@pytest.mark.parametrize("name", CALLS)
def test_a_hang_keeps_what_was_heard_until_the_runner_ended_it(name: str) -> None:
    heard = read_turn(name, cases(name)["hang"], cut="it hangs", code=-15)

    assert (heard.text, heard.cut, heard.results) == ("I begin.", "it hangs", 0)
    assert heard.tools == 1
    assert bool(heard.open_tool_calls) == (name in DOCUMENTED)


@pytest.mark.parametrize("name", REAL)
def test_a_call_without_permission_is_named(name: str) -> None:
    heard = read_turn(name, cases(name)["denied"])

    assert len(heard.denied) == 1
    assert heard.denied[0].endswith(" touch elsewhere.txt")
    assert (heard.text, heard.results) == ("I may not.", 1)


@pytest.mark.parametrize("name", REAL)
def test_a_session_that_goes_on_keeps_its_id_and_ends_with_the_claim(name: str) -> None:
    heard = read_turn(name, cases(name)["resumed"])

    assert heard.session.endswith(("000001", "000017"))
    assert heard.text.startswith("Two. All tests pass.\n\n<loop-complete>")


@pytest.mark.parametrize(
    ("name", "model", "dollars"),
    [
        ("gemini", "scripted", 3 * 0.002),
        ("qwen", "scripted-model", 3 * 0.002),
        ("opencode", "provider/scripted-model", 3 * 0.002),
    ],
)
def test_tokens_have_the_price_of_their_model(name: str, model: str, dollars: float) -> None:
    prices = (Price("scripted", 1, 10, 0.1, 2),)

    heard = read_turn(name, cases(name)["ok"], TurnRequest(1, model=model, prices=prices))

    assert (heard.dollars, heard.unpriced) == (pytest.approx(dollars), ())


def test_qwen_counts_a_session_that_goes_on_only_once() -> None:
    prices = (Price("scripted", 1, 10, 0.1, 2),)

    heard = read_turn("qwen", cases("qwen")["resumed"], TurnRequest(1, prices=prices))

    assert heard.dollars == pytest.approx(0.002), "its result has the tokens of both turns"


@pytest.mark.parametrize("name", ["copilot", *DOCUMENTED])
def test_who_tells_no_tokens_has_an_unknown_cost(name: str) -> None:
    heard = read_turn(name, cases(name)["ok"])

    assert (heard.dollars, heard.unpriced) == (0.0, (name,))


def test_opencode_tells_dollars_where_it_knows_the_price() -> None:
    step = {"type": "step-finish", "reason": "stop", "cost": 0.25, "tokens": {"input": 10}}

    heard = read_turn("opencode", [line(type="step_finish", sessionID="s", part=step)])

    assert (heard.dollars, heard.unpriced, heard.results) == (0.25, (), 1)


def test_opencode_that_stops_for_another_reason_is_cut_off() -> None:
    step = {"type": "step-finish", "reason": "length"}

    heard = read_turn("opencode", [line(type="step_finish", sessionID="s", part=step)])

    assert heard.cut == "opencode stopped: length"


@pytest.mark.parametrize("name", CALLS)
def test_people_see_the_words_the_calls_and_the_errors(name: str) -> None:
    seen = "\n".join(visible_lines(name, cases(name)["ok"]))

    assert f"→ {CALLS[name][0]}" in seen
    assert f"→ {CALLS[name][-1]}" in seen
    assert "I look" in seen
    assert seen.endswith("is fixed.")


@pytest.mark.parametrize("name", [*CALLS, "acp"])
def test_a_process_that_dies_without_a_result_has_crashed(name: str) -> None:
    heard = read_turn(name, [], code=139, stderr="core dumped")

    assert (heard.crashed, heard.results) == (True, 0)
    assert heard.failure.endswith("ended with exit code 139: core dumped")


# --- the Agent Client Protocol, recorded over OpenCode and Gemini ---


@pytest.mark.parametrize("over", ["opencode", "gemini"])
def test_a_turn_over_the_protocol_tells_the_same(over: str) -> None:
    heard = read_turn("acp", cases("acp")[f"{over}-ok"])

    assert (heard.text, heard.results, heard.cut) == (SAID, 1, "")
    assert heard.outcomes[0].key == f"execute {CHECK}"
    assert heard.edits == (("/project/greet.py", 1),)
    assert heard.session
    assert heard.open_tool_calls == ()
    assert heard.unpriced == ("the agent",)


@pytest.mark.parametrize("over", ["opencode", "gemini"])
def test_what_we_refuse_over_the_protocol_is_named(over: str) -> None:
    lines = cases("acp")[f"{over}-denied"]

    assert read_turn("acp", lines).denied == ("execute touch elsewhere.txt",)
    assert "✗ not allowed: execute touch elsewhere.txt" in visible_lines("acp", lines)


def test_failures_over_the_protocol_are_told_apart() -> None:
    limit = read_turn("acp", cases("acp")["gemini-usage-limit"], code=1)
    refused = read_turn("acp", cases("acp")["gemini-unauthorized"], code=1)

    assert (limit.limited, limit.failure) == (
        True,
        "You have exhausted your daily quota on this model.",
    )
    assert (refused.limited, refused.failure) == (
        False,
        "401 UNAUTHENTICATED Incorrect API key provided.",
    )


def test_the_dollars_of_a_session_over_the_protocol_are_counted_once() -> None:
    def cost(amount: float, currency: str = "USD") -> str:
        update = {"sessionUpdate": "usage_update", "cost": {"amount": amount, "currency": currency}}
        return line(method="session/update", params={"update": update})

    first = read_turn("acp", [cost(0.25), cost(0.5)])
    second = read_turn("acp", [cost(0.75)], TurnRequest(2, tokens_before=first.tokens))
    other = read_turn("acp", [cost(0.75, "EUR")])

    assert (first.dollars, first.tokens, first.unpriced) == (0.5, (500_000,), ())
    assert second.dollars == 0.25
    assert (other.dollars, other.unpriced) == (0.0, ("the agent",))


@pytest.mark.parametrize("reason", ["cancelled", "max_tokens", "refusal"])
def test_a_turn_that_did_not_end_by_itself_is_cut_off(reason: str) -> None:
    heard = read_turn("acp", [line(method="session/prompt", result={"stopReason": reason})])

    assert (heard.cut, heard.results) == (f"the agent stopped: {reason}", 1)


@pytest.mark.parametrize("name", REAL)
def test_the_recorded_version_is_the_measured_one(name: str) -> None:
    recorded = {path.stem.split("-")[1] for path in (HERE / name / "cases").iterdir()}

    assert recorded == {load_agent(name).about.measured}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_could_not_run_here_says_so(name: str) -> None:
    assert load_agent(name).about.measured == ""
