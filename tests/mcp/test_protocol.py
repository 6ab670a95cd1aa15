"""What the server answers in each version of MCP: values in, values out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopwright.cli.here import AGENT_COMMANDS
from loopwright.core.prompts.mcp_tools import DESCRIPTIONS, FIELDS, TITLES
from loopwright.core.record import encode
from loopwright.mcp.messages import (
    MAX_BATCH,
    MAX_LINE_BYTES,
    Problem,
    Request,
    read_message,
    written_line,
)
from loopwright.mcp.protocol import (
    BATCH_VERSIONS,
    HANDSHAKE_VERSIONS,
    SERVER_KEY,
    STATELESS,
    VERSION_KEY,
    VERSIONS,
    Call,
    Cancellation,
    Session,
    batch_problem,
    complete_result,
    handle_request,
)
from loopwright.mcp.results import KEPT, SHARED, CommandOutput, tool_result
from loopwright.mcp.tools import (
    MAX_NAMES,
    MAX_TEXT,
    TOOLS,
    WrongArguments,
    command_words,
)
from tests.support.builders import proof

EVERY_TOOL = ["status", "why", "check", "claim", "blocked", "dispute"]


def ask(method: str, version: str = "", session: Session | None = None, **params: Any) -> Any:
    """The answer to one request; a version is named in `_meta`, as 2026-07-28 does it."""
    if version:
        params["_meta"] = {VERSION_KEY: version}
    return handle_request(session or Session(), Request(1, method, params))[1]


# --- Versions ---


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        *((version, version) for version in HANDSHAKE_VERSIONS),
        (STATELESS, "2025-11-25"),  # it has no handshake
        ("1999-01-01", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_the_wanted_version_or_on_our_newest(wanted: str, given: str) -> None:
    request = Request(7, "initialize", {"protocolVersion": wanted, "capabilities": {}})

    session, answer = handle_request(Session(), request)

    assert session.version == given
    assert answer["id"] == 7
    assert answer["result"]["protocolVersion"] == given
    assert answer["result"]["serverInfo"]["name"] == "loopwright"
    assert answer["result"]["capabilities"] == {"tools": {}}
    assert "never proof" in answer["result"]["instructions"]


@pytest.mark.parametrize("wanted", [None, 3, [], {}])
def test_a_handshake_without_a_version_is_told_which_there_are(wanted: object) -> None:
    session, answer = handle_request(
        Session(), Request(1, "initialize", {"protocolVersion": wanted})
    )

    assert session == Session()
    assert answer["error"]["code"] == -32602
    assert "2024-11-05" in answer["error"]["message"]


def test_without_a_handshake_discovery_says_what_we_can_do() -> None:
    for answer in (ask("server/discover", STATELESS), ask("server/discover")):
        result = answer["result"]
        assert result["supportedVersions"] == list(VERSIONS)
        assert result["capabilities"] == {"tools": {}}
        assert result["resultType"] == "complete"
        assert result["cacheScope"] == "public"
        assert result["ttlMs"] > 0
        assert result["_meta"][SERVER_KEY]["name"] == "loopwright"


@pytest.mark.parametrize("named", ["2099-01-01", "", 7, None, [1]])
def test_a_version_that_we_do_not_speak_is_refused_with_those_that_we_do(named: Any) -> None:
    answer = handle_request(Session(), Request(1, "tools/list", {"_meta": {VERSION_KEY: named}}))[1]

    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": list(VERSIONS), "requested": str(named)}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_lists_the_six_tools_in_its_own_form(version: str) -> None:
    if version == STATELESS:
        result = ask("tools/list", version)["result"]
    else:
        result = ask("tools/list", session=Session(version))["result"]

    tools = {tool["name"]: tool for tool in result["tools"]}
    assert list(tools) == [f"loop_{name}" for name in EVERY_TOOL]
    for tool in tools.values():
        assert tool["inputSchema"]["type"] == "object"
        assert ("annotations" in tool) == (version >= "2025-03-26")
        assert ("title" in tool) == (version >= "2025-06-18")
    assert ("outputSchema" in tools["loop_check"]) == (version >= "2025-06-18")
    assert ("resultType" in result) == (version == STATELESS)
    assert ("ttlMs" in result) == (version == STATELESS)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_call_keeps_the_version_in_which_it_is_answered(version: str) -> None:
    call = ask("tools/call", version, name="loop_status", arguments={})

    assert call == Call(1, "loop_status", {}, version)
    assert ("resultType" in complete_result({}, version)) == (version == STATELESS)


@pytest.mark.parametrize("version", VERSIONS)
def test_ping_is_of_the_versions_with_a_handshake(version: str) -> None:
    answer = ask("ping", version)

    assert ("error" in answer) == (version == STATELESS)


def test_a_client_that_skips_the_handshake_is_served_too() -> None:
    assert ask("tools/call", name="loop_why") == Call(1, "loop_why", {}, "2025-11-25")


@pytest.mark.parametrize("version", ["", *VERSIONS])
def test_batches_are_of_two_versions(version: str) -> None:
    assert (batch_problem(Session(version)) is None) == (version in BATCH_VERSIONS)


@pytest.mark.parametrize(
    ("method", "params", "code", "says"),
    [
        ("resources/list", {}, -32601, "tools/call"),
        ("x" * 5000, {}, -32601, "tools/call"),
        ("tools/call", {}, -32602, "loop_status"),
        ("tools/call", {"name": "loop_cancel"}, -32602, "loop_status"),
        ("tools/call", {"name": 3}, -32602, "loop_status"),
        ("tools/call", {"name": ["loop_status"]}, -32602, "loop_status"),
        ("tools/call", {"name": "loop_status", "arguments": [1]}, -32602, "JSON object"),
        ("tools/list", {"_meta": 7}, 0, ""),
    ],
)
def test_what_we_do_not_have_is_an_error_that_says_what_we_have(
    method: str, params: dict[str, Any], code: int, says: str
) -> None:
    answer = ask(method, **params)

    if not code:
        assert "result" in answer
        return
    assert answer["error"]["code"] == code
    assert says in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 500


@pytest.mark.parametrize(
    ("method", "params", "outcome"),
    [
        ("notifications/initialized", {}, None),
        ("notifications/unheard-of", {}, None),
        ("tools/call", {"name": "loop_status"}, None),
        ("notifications/cancelled", {"requestId": 4}, Cancellation(4)),
        ("notifications/cancelled", {"requestId": "a"}, Cancellation("a")),
        ("notifications/cancelled", {"requestId": [4]}, None),
        ("notifications/cancelled", {}, None),
    ],
)
def test_a_notification_is_never_answered(method: str, params: Any, outcome: object) -> None:
    assert handle_request(Session(), Request(None, method, params))[1] == outcome


# --- Lines ---


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"garbage", -32700),
        (b"\xff\xfe\x00", -32700),
        (b'{"jsonrpc":"2.0",', -32700),
        (b"[" * 100_000, -32700),
        (b"9" * 100_000, -32700),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, -32700),
        (b"x" * (MAX_LINE_BYTES + 1), -32600),
        (b"7", -32600),
        (b'"text"', -32600),
        (b"null", -32600),
        (b"[]", -32600),
        (json.dumps([1] * (MAX_BATCH + 1)).encode(), -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    ],
)
def test_a_line_that_is_no_request_is_one_problem(line: bytes, code: int) -> None:
    (problem,) = read_message(line).messages

    assert isinstance(problem, Problem)
    assert problem.code == code
    assert len(problem.text) < 300


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\r\n",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}',
    ],
)
def test_a_line_that_asks_nothing_is_dropped(line: bytes) -> None:
    assert read_message(line).messages == ()


def test_a_batch_is_read_message_by_message() -> None:
    found = read_message(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},7]')

    assert found.is_batch
    assert [type(message) for message in found.messages] == [Request, Problem]


def test_an_answer_is_one_line_whatever_is_in_it() -> None:
    line = written_line({"text": "a\nb\r\u2028 \ud800 \x00"})

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line)["text"] == "a\nb\r\u2028 \ud800 \x00"


# --- Tools ---


def test_every_tool_runs_a_command_that_an_agent_may_run() -> None:
    for tool in TOOLS.values():
        assert tool.command[0] in AGENT_COMMANDS
        assert tool.name in DESCRIPTIONS
        assert tool.name in TITLES
        assert all(field.name in FIELDS for field in tool.fields)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("status", {}, "status"),
        ("why", {}, "why"),
        ("check", {}, "check --json"),
        ("check", {"names": []}, "check --json"),
        ("check", {"names": ["a", "--json"]}, "check --json -- a --json"),
        (
            "claim",
            {"met": "--yes", "kind": "observation", "exit": False, "points": 3},
            "claim --met=--yes --kind=observation --points=3",
        ),
        ("claim", {"exit": True, "must_not": ["a", "b"]}, "claim --exit --must-not=a --must-not=b"),
        ("claim", {"ask": "a\0b\ud800", "met": None}, "claim --ask=ab?"),
        ("blocked", {"reason": "--exit"}, "claim --blocked=--exit"),
        ("dispute", {"criterion": "-x", "why": "y"}, "dispute -- -x y"),
    ],
)
def test_the_arguments_of_a_call_become_the_words_of_a_command(
    tool: str, arguments: dict[str, Any], words: str
) -> None:
    assert " ".join(command_words(TOOLS[f"loop_{tool}"], arguments)) == words


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("status", {"json": True}, "it takes none"),
        ("check", {"names": "tests"}, "of type array"),
        ("check", {"names": [1]}, "of type array"),
        ("check", {"names": ["a"] * (MAX_NAMES + 1)}, f"at most {MAX_NAMES}"),
        ("claim", {"blocked": "x"}, "it takes: met"),
        ("claim", {"exit": "yes"}, "of type boolean"),
        ("claim", {"confidence": True}, "of type integer"),
        ("claim", {"confidence": 1.5}, "of type integer"),
        ("claim", {"points": 4}, "one of: 1, 3"),
        ("claim", {"kind": "hope"}, "one of: "),
        ("claim", {"met": {}}, "of type string"),
        ("claim", {"ask": "x" * (MAX_TEXT + 1)}, "shorter"),
        ("blocked", {}, "needs `reason`"),
        ("blocked", {"reason": " \n"}, "is empty"),
        ("dispute", {"criterion": "tests pass"}, "needs `why`"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_plain_words(
    tool: str, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(WrongArguments, match=says):
        command_words(TOOLS[f"loop_{tool}"], arguments)


# --- Results ---


def checked(version: str, source: str = "own", *evidence: Any) -> dict[str, Any]:
    printed = json.dumps([encode(e) for e in evidence])
    output = CommandOutput(1, printed, "· b: has no check\n", source)
    return tool_result(TOOLS["loop_check"], output, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_not_done_is_a_normal_result_in_every_version(version: str) -> None:
    bad = proof("a", fine=False, detail="line 1\n\x1b[31mE: 1 != 2", seconds=1.25)

    result = checked(version, "own", bad, proof("c"))

    text = result["content"][0]["text"]
    assert result["isError"] is False
    assert text.startswith("Not done: 1 of 2 checks failed.\n✗ a: exit 1, 1.2 s\n    line 1\n")
    assert "E: 1 != 2" in text
    assert "\x1b" not in text
    assert "· b: has no check" in text
    assert ("structuredContent" in result) == (version >= "2025-06-18")
    if "structuredContent" in result:
        facts = result["structuredContent"]
        schema = TOOLS["loop_check"].output or {}
        assert not facts["passed"]
        assert not facts["shared"]
        assert facts["results"][0]["criterion"] == "a"
        assert set(facts) == set(schema["required"])
        fields = schema["properties"]["results"]["items"]["required"]
        assert set(facts["results"][0]) == set(fields)


def test_a_run_without_checks_has_not_passed() -> None:
    result = checked(STATELESS)

    assert "No check ran." in result["content"][0]["text"]
    assert result["structuredContent"]["passed"] is False


@pytest.mark.parametrize(
    ("source", "says"), [(SHARED, "call loop_check again"), (KEPT, "cancelled")]
)
def test_a_result_of_another_call_says_so(source: str, says: str) -> None:
    result = checked(STATELESS, source, proof("a"))

    assert says in result["content"][0]["text"]
    assert result["structuredContent"]["shared"] is True
    assert result["structuredContent"]["passed"] is True


def test_a_command_that_refuses_is_an_error_with_its_words() -> None:
    output = CommandOutput(1, "", "loop: no active loop in this folder. Start one: loop start\n")
    for tool in TOOLS.values():
        result = tool_result(tool, output, STATELESS)
        assert result["isError"] is True
        assert "Start one" in result["content"][0]["text"]


def test_a_long_answer_is_bounded() -> None:
    result = tool_result(TOOLS["loop_why"], CommandOutput(0, "x" * 1_000_000, ""), STATELESS)

    assert len(result["content"][0]["text"]) <= 40_000
