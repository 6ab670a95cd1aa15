"""`loop mcp` as a process: each tool on a real loop, callers at once, cancelled calls and the end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from loopwright.cli.here import agent_variable
from loopwright.disk.processes import is_process_alive
from loopwright.mcp.check_runs import receipt_path
from loopwright.mcp.commands import Commands
from loopwright.mcp.messages import MAX_LINE_BYTES
from loopwright.mcp.protocol import HANDSHAKE_VERSIONS
from loopwright.mcp.server import MAX_CALLS
from tests.e2e.waiting import until
from tests.mcp.client import Client, text_of
from tests.support.builders import a_loop, with_check, without_check
from tests.support.project import Project

FAILS = "echo 'E: 1 != 2'; exit 1"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the project: what a check writes there changes no tree."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


def a_project(make: Callable[..., Project], command: str = FAILS) -> Project:
    project = make()
    project.create(a_loop(criteria=(with_check("tests pass", command), without_check("docs"))))
    return project


def waiting_check(outside: Path) -> str:
    """A check that says when it begins, and fails once it may go on."""
    steps = (
        f"echo x >> {outside}/began",
        f"while [ ! -e {outside}/go ]; do sleep 0.05; done",
        "exit 1",
    )
    return "; ".join(steps)


def wait_for_file(path: Path) -> str:
    return until(
        lambda: path.exists() and path.read_text().strip(), lambda: f"there is no {path.name}"
    )


def runs(outside: Path) -> int:
    return len((outside / "began").read_text().split())


# --- The tools ---


def test_a_session_of_the_newest_and_the_oldest_version_with_a_handshake(project) -> None:
    here = a_project(project)
    for version in (HANDSHAKE_VERSIONS[0], HANDSHAKE_VERSIONS[-1]):
        with Client(here) as client:
            hello = client.ask("initialize", protocolVersion=version, capabilities={})
            client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            tools = client.ask("tools/list")["result"]["tools"]
            why = client.ask("tools/call", name="loop_cancel", arguments={})["error"]

            assert hello["result"]["protocolVersion"] == version
            assert len(tools) == 6
            assert "there are: loop_status" in why["message"]
            assert client.close() == "", "nothing is logged"
        assert client.process.returncode == 0
        assert client.left_over == []


def test_every_tool_works_on_a_real_loop_without_a_handshake(project) -> None:
    here = a_project(project)
    with Client(here) as client:
        status, why, check = client.call("status"), client.call("why"), client.call("check")
        claim = client.call("claim", met="docs", kind="observation", evidence="I read them")
        dispute = client.call("dispute", criterion="tests pass", why="1 is not 2")
        blocked = client.call("blocked", reason="no access to staging")
        refused = client.call("claim", exit=True)

    assert status["resultType"] == "complete"
    assert "tests pass" in text_of(status)
    assert "iterations" in text_of(why)
    assert not check["isError"]
    assert text_of(check).startswith("Not done: 1 of 1 check failed.")
    assert "E: 1 != 2" in text_of(check)
    assert "docs: has no check" in text_of(check)
    assert check["structuredContent"]["passed"] is False
    assert check["structuredContent"]["results"][0]["log"].startswith("evidence/")
    assert not claim["isError"]
    assert "checks decide" in text_of(claim)
    assert not dispute["isError"], text_of(dispute)
    assert "tests pass" in here.loop.disputed_criteria
    assert not blocked["isError"]
    assert (here.loop.status, here.loop.pause.cause) == ("paused", "blocked")
    assert refused["isError"]
    assert "loop status" in text_of(refused)


def test_a_call_that_cannot_be_met_says_why_and_what_to_do(project) -> None:
    here = project()
    with Client(here) as client:
        for tool in ("status", "check"):
            result = client.call(tool)
            assert result["isError"]
            assert "Start one: loop start" in text_of(result)
        here.create(a_loop(criteria=(with_check("tests pass", "true"),)))
        unknown = client.call("check", names=["other"])
        wrong = client.call("claim", met=7)
        passes = client.call("check", names=["tests pass"])

    assert unknown["isError"]
    assert "there are: tests pass" in text_of(unknown)
    assert wrong["isError"]
    assert "of type string" in text_of(wrong)
    assert passes["structuredContent"]["passed"] is True


def test_the_caller_is_an_agent_although_no_client_says_so(project) -> None:
    here = a_project(project)
    assert not agent_variable()
    commands = Commands((sys.executable, "-m", "loopwright.cli.main"))
    with chdir(here.root):
        for command in ("cancel", "rule"):
            output = commands.run((command,), str(here.root), is_check=False)
            assert output
            assert output.code == 1
            assert "is the person's to run" in output.err
    assert here.loop.status == "running"


def test_a_client_may_start_it_elsewhere_and_modules_of_the_project_are_not_ours(
    project, tmp_path: Path
) -> None:
    here = a_project(project)
    here.write({"argparse.py": "raise SystemExit('a stranger')\n", "sub/a.txt": "a\n"})
    elsewhere = Project(tmp_path / "elsewhere", git=False)
    with Client(elsewhere, "--project", str(here.root)) as client:
        assert "tests pass" in text_of(client.call("status"))
    with Client(elsewhere, "--project", str(here.root / "sub")) as client:
        assert "tests pass" in text_of(client.call("status"))
    with Client(elsewhere, "--project", "gone") as client:
        assert "--project gone" in client.close()
    assert client.process.returncode == 1


# --- One run at a time ---


def test_two_callers_and_a_second_server_get_one_run(project, outside: Path) -> None:
    here = a_project(project, waiting_check(outside))
    with Client(here) as first, Client(here) as second:
        first.begin_call(1, "check")
        wait_for_file(outside / "began")
        first.begin_call(2, "check")
        second.begin_call(3, "check")
        # A status is not held up by the check; its answer shows that the others were read.
        assert not first.call("status")["isError"]
        assert not second.call("status")["isError"]
        (outside / "go").touch()
        results = [first.answer(1), first.answer(2), second.answer(3)]

    facts = [answer["result"]["structuredContent"] for answer in results]
    assert runs(outside) == 1
    assert [fact["shared"] for fact in facts] == [False, True, True]
    assert facts[0]["results"] == facts[1]["results"] == facts[2]["results"]
    assert "another call" in text_of(results[1]["result"])


def test_who_waits_for_a_run_that_is_ended_runs_the_checks_itself(project, outside: Path) -> None:
    here = a_project(project, waiting_check(outside))
    with Client(here) as first, Client(here) as second:
        first.begin_call(1, "check")
        wait_for_file(outside / "began")
        second.begin_call(2, "check")
        assert not second.call("status")["isError"]
        first.close()
        (outside / "go").touch()
        answer = second.answer(2)

    assert first.left_over == []
    assert not answer["result"]["structuredContent"]["shared"]
    assert runs(outside) == 2


def test_too_many_calls_at_once_are_told_to_wait(project, outside: Path) -> None:
    here = a_project(project, waiting_check(outside))
    with Client(here) as client:
        for number in range(MAX_CALLS + 1):
            client.begin_call(number, "check")
        refused = client.answer(MAX_CALLS)["result"]
        wait_for_file(outside / "began")
        (outside / "go").touch()
        facts = [client.answer(n)["result"]["structuredContent"] for n in range(MAX_CALLS)]

    assert refused["isError"]
    assert "call again" in text_of(refused)
    assert [fact["shared"] for fact in facts].count(False) == runs(outside) == 1


def cancel_check(client: Client, here: Project, outside: Path) -> None:
    """Begin a check, cancel the call as a client's timeout does, and let the check finish."""
    client.begin_call(1, "check")
    wait_for_file(outside / "began")
    cancelled = {"requestId": 1, "reason": "timeout"}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
    assert not client.call("status")["isError"]
    (outside / "go").touch()
    receipt = receipt_path(str(here.root))
    until(lambda: os.path.exists(receipt), lambda: "the run left no receipt")


def test_a_cancelled_check_finishes_and_the_next_call_gets_its_result(
    project, outside: Path
) -> None:
    here = a_project(project, waiting_check(outside))
    with Client(here) as client:
        cancel_check(client, here, outside)
        kept, again = client.call("check"), client.call("check")

    assert runs(outside) == 2
    assert "cancelled" in text_of(kept)
    assert kept["structuredContent"]["shared"]
    assert not again["structuredContent"]["shared"]
    assert client.left_over == [], "a cancelled call has no answer"


def test_the_result_of_a_cancelled_check_is_not_used_once_a_file_has_changed(
    project, outside: Path
) -> None:
    here = a_project(project, waiting_check(outside))
    with Client(here) as client:
        cancel_check(client, here, outside)
        here.write({"new.txt": "new\n"})

        assert not client.call("check")["structuredContent"]["shared"]


# --- The end ---


def far_reaching_check(outside: Path) -> str:
    """A check with a child that leaves its process group."""
    return f"setsid sleep 300 & echo $! > {outside}/far; echo $$ > {outside}/near; sleep 300"


@pytest.mark.parametrize(
    "how",
    [
        "stdin",
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, marks=pytest.mark.long),
    ],
)
def test_the_end_of_the_client_ends_the_check_and_all_that_it_started(
    project, outside: Path, how: object
) -> None:
    here = a_project(project, far_reaching_check(outside))
    with Client(here) as client:
        client.begin_call(1, "check")
        pids = [int(wait_for_file(outside / name)) for name in ("near", "far")]
        client.begin_call(2, "check")  # it waits for the first
        if isinstance(how, signal.Signals):
            client.process.send_signal(how)
            client.process.wait(60)
        assert client.close() == ""

    assert client.process.returncode == 0
    for pid in pids:
        until(lambda pid=pid: not is_process_alive(pid), lambda: "a process is left")
    assert not (here.root / ".loop/running").exists()
    assert client.left_over == []
    # The lock is free, and the run that was ended left no result.
    with Client(here) as client:
        client.begin_call(1, "check", names=["docs"])
        assert client.answer(1)["result"]["structuredContent"]["results"] == []


def test_quick_calls_are_answered_although_stdin_is_closed(project) -> None:
    here = a_project(project)
    client = Client(here)
    client.begin_call(1, "status")
    client.begin_call(2, "claim", met="docs", kind="observation", evidence="I read them")
    client.close()

    assert sorted(answer["id"] for answer in client.left_over) == [1, 2]


# --- Hostile input ---


def test_garbage_is_answered_and_the_next_request_works(project) -> None:
    here = a_project(project)
    lines = [
        (b"\xff\x00garbage", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (3 * MAX_LINE_BYTES) + b'"}', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    ]
    with Client(here) as client:
        for line, code in lines:
            client.send_line(line)
            assert client.next_answer()["error"]["code"] == code
        client.send_line(b"")
        client.send({"jsonrpc": "2.0", "method": "no/such/notification"})
        client.send({"jsonrpc": "2.0", "id": 9, "result": {}})
        assert client.ask("no/such/method")["error"]["code"] == -32601
        hostile = client.call("dispute", criterion="\ud800\0--help", why="\x1b[31m")
        assert hostile["isError"]
        assert "result" in client.ask("ping")
        assert client.close() == ""


def test_a_batch_of_an_older_version_is_answered_as_one(project) -> None:
    here = a_project(project)
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "loop_status"}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such/method"},
    ]
    with Client(here) as client:
        client.ask("initialize", protocolVersion="2025-03-26")
        client.send(batch)
        answers = client.next_answer()

    assert sorted(answer["id"] for answer in answers) == [1, 2, 3]
