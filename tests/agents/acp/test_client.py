"""Our client of the Agent Client Protocol as a process: what it answers an agent, and how a turn ends."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest

from loopwright.agents.acp import client
from loopwright.agents.acp.command import CLIENT
from loopwright.agents.acp.permissions import chosen_option, is_allowed
from loopwright.agents.base import ALL, EDITS, TurnOutput, TurnRequest
from loopwright.agents.registry import load_agent
from tests.agents.streams import read_turn

SMALL_AGENT = str(Path(__file__).parent / "small_agent.py")


def command(tmp_path: Path, case: str, **more: str) -> tuple[str, ...]:
    agent = (sys.executable, SMALL_AGENT, case)
    call = TurnRequest(1, root=str(tmp_path), agent_command=agent, **more)
    return tuple(load_agent("acp").command(call))


def start(tmp_path: Path, case: str, prompt: str = "go") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command(tmp_path, case),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    process.stdin.write(prompt)
    process.stdin.close()
    process.stdin = None
    return process


def turn(tmp_path: Path, case: str, prompt: str = "go", **more: str) -> TurnOutput:
    """One turn with a real agent, and our client in this process: its library takes a second to import."""
    words = command(tmp_path, case, **more)[len(CLIENT) :]
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["client", *words]),
        patch.object(sys, "stdin", io.StringIO(prompt)),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        client.main()
    lines = out.getvalue().splitlines(keepends=True)
    return read_turn("acp", lines, code=int(ended.value.code or 0), stderr=err.getvalue())


def test_an_edit_is_allowed_once_and_only_inside_the_project(tmp_path: Path) -> None:
    heard = turn(tmp_path, "permissions", str(tmp_path))

    assert heard.text == "once no no"
    assert len(heard.denied) == 1, "the same words twice"


def test_with_all_permissions_everything_is_allowed(tmp_path: Path) -> None:
    assert turn(tmp_path, "permissions", str(tmp_path), permissions=ALL).text == "once once once"


def test_a_session_is_loaded_without_its_past(tmp_path: Path) -> None:
    heard = turn(tmp_path, "load", session="s-0")

    assert (heard.text, heard.session) == ("done in s-0", "s-0")


def test_an_agent_that_cannot_load_a_session_fails_with_the_way_out(tmp_path: Path) -> None:
    heard = turn(tmp_path, "plain", session="s-0")

    assert heard.failure.endswith("cannot continue a session: leave --keep-context out")


def test_a_model_that_cannot_be_chosen_fails_with_the_way_out(tmp_path: Path) -> None:
    heard = turn(tmp_path, "plain", model="m")

    assert heard.failure.endswith("it offers no choice of model: leave --model out")


def test_who_is_not_signed_in_is_told(tmp_path: Path) -> None:
    assert turn(tmp_path, "login").failure == "Authentication required"


def test_lines_that_are_not_of_the_protocol_change_nothing(tmp_path: Path) -> None:
    assert turn(tmp_path, "garbage").text == "still here"


def test_an_agent_that_dies_has_failed(tmp_path: Path) -> None:
    heard = turn(tmp_path, "dies")

    assert (heard.failure, heard.results) == ("the agent does not answer: Connection closed", 0)


def test_an_agent_of_another_version_of_the_protocol_is_not_driven(tmp_path: Path) -> None:
    assert turn(tmp_path, "new").failure == "the agent speaks version 99 of ACP, and we speak 1"


def test_a_command_that_does_not_speak_the_protocol_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "HANDSHAKE_SECONDS", 0.5)
    failure = turn(tmp_path, "silent").failure

    assert failure.startswith("the agent does not answer: nothing of ACP in 0.5 s. Does `")
    assert failure.endswith("small_agent.py silent` speak it?")


def test_what_an_agent_printed_before_it_ended_is_told(tmp_path: Path) -> None:
    process = start(tmp_path, "usage")
    out, err = process.communicate(timeout=600)

    heard = read_turn("acp", out.splitlines(keepends=True), code=process.returncode, stderr=err)
    assert heard.failure.startswith("the agent does not answer: Connection ")
    assert heard.failure.endswith("; it printed: agent: no option --acp")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not of Windows")
def test_an_interrupt_cancels_the_turn(tmp_path: Path) -> None:
    process = start(tmp_path, "cancel")
    assert process.stdout
    lines = [process.stdout.readline(), process.stdout.readline()]  # the session, the first words

    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=600)

    heard = read_turn("acp", [*lines, *out.splitlines(keepends=True)])
    assert (heard.text, heard.cut) == ("I begin.", "the agent stopped: cancelled")


# --- the rule, without a process ---


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        ({"kind": "read"}, True),
        ({"kind": "search"}, True),
        ({"kind": "edit", "locations": [{"path": "a.py"}]}, True),
        ({"kind": "edit", "content": [{"type": "diff", "path": "/etc/hosts"}]}, False),
        ({"kind": "edit", "locations": [{"path": "a.py"}, {"path": "../b.py"}]}, False),
        ({"kind": "edit", "locations": [{"path": "link/b.py"}]}, False),
        ({"kind": "edit"}, False),
        ({"kind": "execute", "rawInput": {"command": "make test"}}, True),
        ({"kind": "execute", "title": "make test"}, True),
        ({"kind": "execute", "rawInput": {"command": "make test; rm x"}}, False),
        ({"kind": "execute", "title": "make test", "rawInput": {"command": "rm x"}}, False),
        ({"kind": "execute", "rawInput": {"command": "loop claim 'it works'"}}, True),
        ({"kind": "execute", "rawInput": {"command": "loop claim x && rm x"}}, False),
        ({"kind": "execute", "rawInput": {"command": "loop cancel"}}, False),
        ({"kind": "execute"}, False),
        ({"kind": "fetch"}, False),
        ({"kind": "other", "title": "make test"}, False),
        ({}, False),
    ],
)
def test_an_agent_may_edit_the_project_and_run_what_is_named(
    tmp_path: Path, call: dict[str, object], allowed: bool
) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    options = {"permissions": EDITS, "root": str(tmp_path), "commands": ["make test"]}

    assert is_allowed(call, options) is allowed
    assert is_allowed(call, {**options, "permissions": ALL})


def test_the_option_for_this_call_alone_comes_first() -> None:
    both = [{"optionId": "1", "kind": "allow_always"}, {"optionId": "2", "kind": "allow_once"}]

    assert chosen_option(both, True) == "2"
    assert chosen_option(both[:1], True) == "1"
    assert (chosen_option(both, False), chosen_option(None, True)) == ("", "")
