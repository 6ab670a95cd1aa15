"""The hook as each other client calls it: with its own input, recorded here, and answers in its own words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.hook.answers import moment_of
from tests.hook.test_finding import FORBIDDEN, modules
from tests.support.hook import HOOK_SCRIPT, SESSION, Answer, block
from tests.support.project import Project
from tests.torture.size import every

PAYLOADS = {
    path.name.partition("-")[0]: path for path in (Path(__file__).parent / "payloads").iterdir()
}
EVENTS = {
    "copilot": {"stop": "agentStop", "prompt": "userPromptSubmitted", "start": "sessionStart"},
    "amp": {"stop": "agent.end"},
    "opencode": {"stop": "session.idle"},
}
WITH_PROMPTS = ("codex", "gemini", "qwen", "copilot")


def send(
    host: str, kind: str, here: Project, text: str = "", env: Any = None, **fields: Any
) -> Answer:
    """The event as the client would send it, through a process of the real hook. A pipe is its stdin, as Codex has it."""
    given = json.loads(PAYLOADS[host].read_text(encoding="utf-8"))[kind]
    if "timestamp" in given:  # each event has a moment of its own
        number = time.time_ns() // 1_000_000
        is_number = isinstance(given["timestamp"], int)
        given["timestamp"] = number if is_number else moment_of(number)
    given |= fields
    words = {"SESSION": SESSION, "CWD": str(here.root), "TEXT": text, "TRANSCRIPT": ""}
    data = json.dumps(given)
    for placeholder, value in words.items():
        data = data.replace(f'"{placeholder}"', json.dumps(value))
    argv = ["--event", EVENTS[host][kind]] if host in EVENTS else []
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK_SCRIPT, host, *argv],
        input=data.encode(),
        env={**os.environ, **(env or {})},
        cwd=here.root if host == "junie" else "/",  # it names no folder
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return Answer(done.stdout.decode(), "")


def refused(host: str, answer: Answer) -> str:
    """What the client tells the model; "" if it may stop."""
    reply = answer.reply or {}
    if host == "cursor":
        return reply.get("followup_message", "")
    assert reply.get("decision") in (None, "deny" if host == "gemini" else "block")
    return reply.get("reason", "")


@pytest.mark.parametrize("host", PAYLOADS)
def test_a_stop_is_refused_in_the_words_of_the_client(claimed_project: Project, host: str) -> None:
    assert "docs read well" in refused(
        host, send(host, "stop", claimed_project, "I looked around.")
    )
    loop = claimed_project.loop
    pid = os.getpid() if sys.platform == "linux" else "session"
    session = f"junie-{pid}" if host == "junie" else SESSION
    assert (loop.lease.holder, loop.spend.iterations) == (session, 1)
    assert loop.lease.pid == (os.getpid() if sys.platform == "linux" else 0)


@pytest.mark.parametrize("host", PAYLOADS)
def test_without_a_loop_nothing_is_said(project, host: str) -> None:
    assert send(host, "stop", project(), "Done.").out == ""


@pytest.mark.parametrize(
    ("host", "field", "value"),
    [
        ("cursor", "status", "aborted"),
        ("copilot", "stopReason", "error"),
        ("amp", "status", "cancelled"),
    ],
)
def test_an_abort_is_no_turn(claimed_project: Project, host: str, field: str, value: str) -> None:
    assert send(host, "stop", claimed_project, **{field: value}).out == ""
    assert claimed_project.loop.spend.iterations == 0


def test_the_decision_of_vs_code_is_said_twice(claimed_project: Project) -> None:
    reply = send("vscode", "stop", claimed_project).reply
    assert reply["hookSpecificOutput"] == {
        "hookEventName": "Stop",
        "decision": "block",
        "reason": reply["reason"],
    }


@pytest.mark.parametrize("host", every(2, [*WITH_PROMPTS]))
def test_a_typed_command_is_answered_without_the_model(claimed_project: Project, host: str) -> None:
    send(host, "stop", claimed_project)
    shown = send(host, "prompt", claimed_project, "loop status").reply

    assert shown["decision"] == ("deny" if host == "gemini" else "block")
    assert "docs read well" in shown["reason"]
    assert (
        "Paused" in send(host, "prompt", claimed_project, "/loop:pause for lunch").reply["reason"]
    )
    assert claimed_project.loop.status == "paused"
    assert (
        "pause" in send(host, "stop", claimed_project).out
        or not send(host, "stop", claimed_project).out
    )
    send(host, "prompt", claimed_project, "loop continue")
    assert claimed_project.loop.status == "running"


def test_a_command_in_other_words_is_a_prompt(claimed_project: Project) -> None:
    assert (
        send("codex", "prompt", claimed_project, "loop through the files").reply.get("decision")
        is None
    )


@pytest.mark.parametrize("host", WITH_PROMPTS)
def test_an_order_from_a_shell_of_the_agent_is_refused(claimed_project: Project, host: str) -> None:
    variable = {
        "codex": "CODEX_THREAD_ID",
        "gemini": "GEMINI_CLI",
        "qwen": "QWEN_CODE",
        "copilot": "COPILOT_AGENT_SESSION_ID",
    }[host]
    send(host, "stop", claimed_project)
    said = send(host, "prompt", claimed_project, "loop cancel", env={variable: "1"}).reply["reason"]

    assert "it came from a shell of the agent" in said
    assert claimed_project.loop.status == "running"


@pytest.mark.parametrize("host", ["gemini", "qwen", "copilot"])
def test_what_we_said_is_no_prompt_of_the_person(claimed_project: Project, host: str) -> None:
    said = send(host, "stop", claimed_project).reply["reason"]
    spoken = len(claimed_project.events("PersonSpoke"))

    assert send(host, "prompt", claimed_project, said).out == ""
    assert send(host, "prompt", claimed_project, "").out == ""
    assert len(claimed_project.events("PersonSpoke")) == spoken
    send(host, "prompt", claimed_project, "what is this?")
    assert len(claimed_project.events("PersonSpoke")) == spoken + 1


def test_copilot_hands_over_before_its_cap_and_says_the_command(claimed_project: Project) -> None:
    for number in range(6):
        text = block({"docs read well": False}, f"STEP_DONE: part {number}")
        (claimed_project.root / "n").write_text(str(number))
        answer = send("copilot", "stop", claimed_project, text, stop_hook_active=number > 0)
        assert "unmet criteria" in answer.reply["reason"]
    (claimed_project.root / "n").write_text("6")
    last = send("copilot", "stop", claimed_project, stop_hook_active=True).reply["reason"]

    assert last.startswith("Repeat this to the person")
    assert "copilot takes no more than 8" in last
    assert "`loop run --attach --yes --continue --agent copilot`" in last
    assert (claimed_project.loop.status, claimed_project.loop.pause.cause) == ("paused", "cap")
    assert send("copilot", "stop", claimed_project, stop_hook_active=True).out == ""


def test_a_question_is_passed_on_once_where_only_the_agent_is_heard(project) -> None:
    here = project()
    here.run(
        "start",
        "fix all failing tests in readme.md",
        "--score",
        "6",
        "--criterion",
        "docs read well",
    )
    assert here.loop.status == "asking"
    first = send("copilot", "stop", here).reply["reason"]

    assert first.startswith("Repeat this to the person")
    assert send("copilot", "stop", here, stop_hook_active=True).out == ""
    send("copilot", "prompt", here, "y")
    assert here.loop.status == "running"


def test_two_registrations_count_a_stop_once(claimed_project: Project) -> None:
    data = json.loads(PAYLOADS["qwen"].read_text(encoding="utf-8"))["stop"]
    data |= {"session_id": SESSION, "cwd": str(claimed_project.root), "transcript_path": ""}
    argv = [sys.executable, "-I", "-S", HOOK_SCRIPT, "qwen"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": "/"}
    both = [subprocess.Popen(argv, **pipes) for _ in range(2)]
    for process in both:
        process.stdin.write(json.dumps(data).encode())
        process.stdin.close()
    first, second = (json.loads(process.stdout.read()) for process in both)
    for process in both:
        process.stdout.close()
        process.wait()

    assert first == second
    assert claimed_project.loop.spend.iterations == 1


def test_opencode_tells_what_it_cost_since_the_start_of_the_loop(claimed_project: Project) -> None:
    send("opencode", "stop", claimed_project)
    send("opencode", "stop", claimed_project, "And more.")

    assert claimed_project.loop.spend.dollars == 0.25


def test_the_path_of_another_host_imports_only_what_it_needs(claimed_project: Project) -> None:
    data = json.loads(PAYLOADS["codex"].read_text(encoding="utf-8"))["stop"]
    data |= {"session_id": SESSION, "cwd": str(claimed_project.root), "transcript_path": ""}
    found, out = modules(data, host="codex")

    assert json.loads(out)["decision"] == "block"
    assert not found & FORBIDDEN, sorted(found & FORBIDDEN)
