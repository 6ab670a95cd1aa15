"""How Codex is started: the exact words, for every choice that changes them."""

from __future__ import annotations

import pytest

from loopwright.agents.base import ALL, EDITS, TurnRequest
from loopwright.agents.codex.command import command

HEAD = ("codex", "exec", "--json", "--skip-git-repo-check")
FENCED = (*HEAD, "--sandbox", "workspace-write")
UNTRUSTED = ("-c", 'projects={""={trust_level="untrusted"}}')
ALONE = (
    "--disable",
    "hooks",
    "--disable",
    "plugins",
    "-c",
    "notify=[]",
    "--ignore-rules",
    *UNTRUSTED,
)  # nobody's hooks
CONFIG = '[mcp_servers.one]\ncommand = "x"\n[mcp_servers.two]\ncommand = "y"\n'
OFF = ("-c", "mcp_servers.one.enabled=false", "-c", "mcp_servers.two.enabled=false")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param(TurnRequest(1), (*FENCED, *ALONE, "-"), id="a fresh context"),
        pytest.param(
            TurnRequest(1, prompt="fix it"),
            (*FENCED, *ALONE, "-"),
            id="the prompt goes to its stdin",
        ),
        pytest.param(
            TurnRequest(7, session="s-1"),
            (*FENCED, *ALONE, "resume", "s-1", "-"),
            id="a session that goes on",
        ),
        pytest.param(
            TurnRequest(1, model="gpt-5"), (*FENCED, *ALONE, "--model", "gpt-5", "-"), id="a model"
        ),
        pytest.param(
            TurnRequest(1, permissions=EDITS, budget=2.0),
            (*FENCED, *ALONE, "-"),
            id="it knows no budget",
        ),
        pytest.param(
            TurnRequest(1, permissions=ALL),
            (*HEAD, "--dangerously-bypass-approvals-and-sandbox", *ALONE, "-"),
            id="anything",
        ),
        pytest.param(
            TurnRequest(1, config_text=CONFIG),
            (*FENCED, *ALONE, *OFF, "-"),
            id="servers that the user has",
        ),
        pytest.param(
            TurnRequest(1, config_text="= no TOML"),
            (*FENCED, *ALONE, "-"),
            id="a config that cannot be read",
        ),
        pytest.param(
            TurnRequest(1, settings=("user",), config_text=CONFIG),
            (*FENCED, "-"),
            id="settings that were asked for",
        ),
        pytest.param(
            TurnRequest(3, session="s", model="m", permissions=ALL, settings=("user", "project")),
            (
                *HEAD,
                "--dangerously-bypass-approvals-and-sandbox",
                "--model",
                "m",
                "resume",
                "s",
                "-",
            ),
            id="all of it",
        ),
    ],
)
def test_a_turn_is_started_with(call: TurnRequest, words: tuple[str, ...]) -> None:
    assert command(call) == words
