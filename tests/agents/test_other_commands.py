"""How each of the other clients is started: the exact words and variables, for every choice that changes them."""

from __future__ import annotations

import json

import pytest

from loopwright.agents.base import ALL, TurnRequest
from loopwright.agents.registry import load_agent

CHECK = "python3 -m unittest -q"
EDITS_ONLY = TurnRequest(1, checks=(CHECK, "make 'all (or none)'"), prompt="fix it")
OWN = ("loop claim", "loop backlog")
RULES = [
    word for line in (*OWN, CHECK) for word in ("--allowed-tools", f"run_shell_command({line})")
]
GEMINI = ("gemini", "--output-format", "stream-json", "--skip-trust", "--approval-mode")
ALONE = ("--extensions", "none", "--allowed-mcp-server-names", "none")
QWEN = ("qwen", "--output-format", "stream-json", "--approval-mode")
COPILOT = ("copilot", "--output-format", "json", "--stream", "off", "--no-ask-user")
COPILOT = (*COPILOT, "--no-auto-update")
OPENCODE = ("opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR")
CURSOR = ("cursor-agent", "-p", "--output-format", "stream-json", "--trust", "--force")
AMP = ("--stream-json", "--dangerously-allow-all")
GOOSE = ("goose", "run", "-i", "-", "--no-session", "--output-format", "stream-json")
SERVERS = '{"mcpServers": {"one": {}, "two": {}}}'


@pytest.mark.parametrize(
    ("name", "call", "words"),
    [
        ("gemini", EDITS_ONLY, (*GEMINI, "auto_edit", *RULES, *ALONE)),
        ("gemini", TurnRequest(1, permissions=ALL), (*GEMINI, "yolo", *ALONE)),
        (
            "gemini",
            TurnRequest(2, permissions=ALL, session="s", model="m", settings=("user",)),
            (*GEMINI, "yolo", "--model", "m", "--resume", "s"),
        ),
        ("qwen", EDITS_ONLY, (*QWEN, "auto-edit", *RULES, "--safe-mode")),
        (
            "qwen",
            TurnRequest(2, permissions=ALL, session="s", model="m", settings=("user",)),
            (*QWEN, "yolo", "--model", "m", "--resume", "s"),
        ),
        ("copilot", EDITS_ONLY, (*COPILOT, "--allow-tool", "write", "--disable-builtin-mcps")),
        (
            "copilot",
            TurnRequest(1, permissions=ALL, config_text=SERVERS),
            (
                *(*COPILOT, "--allow-all", "--disable-builtin-mcps"),
                *("--disable-mcp-server", "one", "--disable-mcp-server", "two"),
            ),
        ),
        (
            "copilot",
            TurnRequest(2, session="s", model="m", settings=("project",), config_text=SERVERS),
            (*COPILOT, "--allow-tool", "write", "--trust-folder", "--model", "m", "--resume=s"),
        ),
        (
            "copilot",
            TurnRequest(1, config_text="{ no JSON"),
            (*COPILOT, "--allow-tool", "write", "--disable-builtin-mcps"),
        ),
        ("opencode", EDITS_ONLY, (*OPENCODE, "--pure")),
        (
            "opencode",
            TurnRequest(2, permissions=ALL, session="s", model="p/m", settings=("user",)),
            (*OPENCODE, "--auto", "--model", "p/m", "--session", "s"),
        ),
        ("cursor", EDITS_ONLY, (*CURSOR, "fix it")),
        (
            "cursor",
            TurnRequest(2, session="s", model="m", prompt="--force"),
            (*CURSOR, "--model", "m", "--resume", "s", " --force"),
        ),
        ("amp", EDITS_ONLY, ("amp", "-x", "fix it", *AMP)),
        (
            "amp",
            TurnRequest(2, session="T-1", prompt="-x"),
            ("amp", "threads", "continue", "T-1", "-x", " -x", *AMP),
        ),
        ("goose", TurnRequest(1, model="m"), (*GOOSE, "--model", "m")),
    ],
)
def test_a_turn_is_started_with(name: str, call: TurnRequest, words: tuple[str, ...]) -> None:
    assert load_agent(name).command(call) == words


def test_opencode_gets_its_permissions_and_what_it_must_not_load_as_variables() -> None:
    environment = load_agent("opencode").environment
    call = EDITS_ONLY.but(config_text='{"mcp": {"one": {"type": "local"}}}')

    variables = environment(call)

    assert json.loads(variables.pop("OPENCODE_PERMISSION")) == {
        "edit": "allow",
        "bash": {
            "*": "deny",
            **dict.fromkeys((*OWN, CHECK, "loop claim *", "loop backlog *"), "allow"),
        },
        "external_directory": "deny",
        "webfetch": "deny",
        "websearch": "deny",
    }
    assert json.loads(variables.pop("OPENCODE_CONFIG_CONTENT")) == {
        "mcp": {"one": {"enabled": False}}
    }
    assert variables == {"OPENCODE_DISABLE_PROJECT_CONFIG": "1"}
    assert environment(EDITS_ONLY.but(permissions=ALL, settings=("user", "project"))) == {}
    assert "OPENCODE_CONFIG_CONTENT" not in environment(call.but(config_text="// a comment"))


def test_goose_is_told_not_to_ask_and_the_others_need_no_variable() -> None:
    assert load_agent("goose").environment(EDITS_ONLY) == {"GOOSE_MODE": "auto"}
    assert all(
        load_agent(name).environment(EDITS_ONLY) == {}
        for name in ("claude", "codex", "gemini", "qwen", "copilot", "cursor", "amp", "acp")
    )


def test_the_client_of_the_protocol_gets_its_options_and_then_the_command() -> None:
    call = EDITS_ONLY.but(session="s", model="m", root="/project", agent_command=("x", "acp"))

    *python, options, program, flag = load_agent("acp").command(call)

    assert (program, flag) == ("x", "acp")
    assert json.loads(options) == {
        "session": "s",
        "model": "m",
        "permissions": "edits",
        "root": "/project",
        "commands": [*OWN, CHECK],
    }
    assert "loopwright.agents.acp.client" in python[python.index("-c") + 1]
