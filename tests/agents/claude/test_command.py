"""How Claude Code is started: the exact words, for every choice that changes them."""

from __future__ import annotations

import pytest

from loopwright.agents.base import ALL, EDITS, TurnRequest
from loopwright.agents.claude.command import command, permission_rule

HEAD = (
    "claude",
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    "acceptEdits",
)
CLAIMS = (
    "--allowedTools",
    "Bash(loop claim:*)",
    "--allowedTools",
    "Bash(loop backlog:*)",
)  # to tell us what it did
ALONE = (
    "--setting-sources",
    "",
    "--strict-mcp-config",
)  # nobody's settings, hooks, plugins, MCP servers


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param(TurnRequest(1), (*HEAD, *ALONE), id="a fresh context"),
        pytest.param(
            TurnRequest(1, prompt="fix it"), (*HEAD, *ALONE), id="the prompt goes to its stdin"
        ),
        pytest.param(
            TurnRequest(7, session="s-1"),
            (*HEAD, *ALONE, "--resume", "s-1"),
            id="a session that goes on",
        ),
        pytest.param(
            TurnRequest(1, budget=2.5), (*HEAD, *ALONE, "--max-budget-usd", "2.5000"), id="a budget"
        ),
        pytest.param(
            TurnRequest(1, budget=1 / 3),
            (*HEAD, *ALONE, "--max-budget-usd", "0.3333"),
            id="what is left",
        ),
        pytest.param(
            TurnRequest(1, budget=1e-16),
            (*HEAD, *ALONE, "--max-budget-usd", "0.0001"),
            id="a rest that would be written as 0",
        ),
        pytest.param(
            TurnRequest(1, model="opus"), (*HEAD, *ALONE, "--model", "opus"), id="a model"
        ),
        pytest.param(TurnRequest(1, permissions=EDITS), (*HEAD, *ALONE), id="edits"),
        pytest.param(
            TurnRequest(1, permissions=ALL),
            (*HEAD[:-1], "bypassPermissions", *ALONE),
            id="anything",
        ),
        pytest.param(
            TurnRequest(1, allow=("Bash(make)", "WebFetch")),
            (*HEAD, *ALONE, "--allowedTools", "Bash(make)", "--allowedTools", "WebFetch"),
            id="more that it may do",
        ),
        pytest.param(
            TurnRequest(1, settings=("user", "project")),
            (*HEAD, "--setting-sources", "user,project"),
            id="settings that were asked for",
        ),
        pytest.param(
            TurnRequest(
                3,
                session="s",
                budget=1,
                model="m",
                permissions=ALL,
                allow=("R",),
                settings=("local",),
            ),
            (
                *(
                    *HEAD[:-1],
                    "bypassPermissions",
                    "--setting-sources",
                    "local",
                    "--max-budget-usd",
                    "1.0000",
                ),
                *("--model", "m", "--resume", "s", "--allowedTools", "R"),
            ),
            id="all of it",
        ),
    ],
)
def test_a_turn_is_started_with(call: TurnRequest, words: tuple[str, ...]) -> None:
    assert command(call) == (*words, *CLAIMS)


@pytest.mark.parametrize(
    ("version", "is_told"),
    [
        ("2.1.259", True),
        ("2.1.325", True),
        ("2.2.0", True),
        ("3.0", True),
        ("2.1.258", False),
        ("2.1.99", False),
        ("1.0.128", False),
        ("", False),
        ("2.1.325-beta", False),
        ("yes", False),
    ],
)
def test_a_client_that_knows_the_option_is_told_that_nobody_answers(
    version: str, is_told: bool
) -> None:
    words = command(TurnRequest(1, version=version))

    told = ("--permission-prompts", "none")
    assert (words[7:9] == told) is is_told
    assert set(words) - set(told) == set(command(TurnRequest(1)))


@pytest.mark.parametrize(
    "line", ["pytest -q", "npm test -- --run", "make check 2>&1 | tail -5", "python3 -c 'import x'"]
)
def test_a_check_may_be_run_by_the_agent_too(line: str) -> None:
    assert permission_rule(line) == f"Bash({line})"
    assert command(TurnRequest(1, checks=(line,)))[-2:] == ("--allowedTools", f"Bash({line})")


@pytest.mark.parametrize(
    "line", ["", "  ", "f(x)", "a, b", "ls *", "one\ntwo", "$(rm x)", "echo )"]
)
def test_a_line_that_would_be_read_as_another_rule_gives_none(line: str) -> None:
    assert permission_rule(line) == ""
    assert command(TurnRequest(1, checks=(line,))) == command(TurnRequest(1))
