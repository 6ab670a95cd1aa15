"""The harness itself: the real clients hear the scripted model, the hook holds them, the screen shows them, nothing gets out."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e import codex as openai_codex
from tests.e2e.background import end_processes, living_processes
from tests.e2e.client import SUBSCRIBED
from tests.e2e.client import VERSION as CLAUDE
from tests.e2e.session_steps import Latch
from tests.e2e.turn import delegates, hits_limit, runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import CHECK, FAILURE, FIXED
from tests.support.hook import block

DONE = block({"tests pass": True}, exit=True)


def lanes(run):
    return [request.lane for request in run.requests]


# --- without a screen ---


@pytest.mark.long
def test_the_client_does_what_the_script_says(world):
    run = world.headless(
        "make a file", [writes(world.path("a.txt"), "hello\n", "I write it."), says("There it is.")]
    )

    assert (run.rc, run.stderr) == (0, "")
    assert run.result["result"] == "There it is."
    assert world.path("a.txt").read_text() == "hello\n"
    assert lanes(run) == ["main", "main"]
    assert "make a file" in run.requests[0].text
    assert "File created" in run.requests[1].news
    assert run.requests[0].at <= run.requests[0].answered <= run.requests[1].at


@pytest.mark.long
def test_a_false_done_is_refuted_and_a_proven_one_ends_the_loop(world):
    world.register_hook()
    started = world.project.run(
        "start", "make the tests pass", "--check", f"tests pass={CHECK}", "--yes"
    )
    assert started.code == 0, started.err

    run = world.headless("go", [says(DONE), writes(world.path("greet.py"), FIXED), says(DONE)])

    assert run.rc == 0
    assert lanes(run) == ["main"] * 3
    assert FAILURE not in run.requests[0].text
    assert FAILURE in run.requests[1].news
    (journal,) = world.path(".loop/history").glob("*/journal.jsonl")
    happened = [
        event["is"]
        for line in journal.read_text().splitlines()
        for event in json.loads(line)["events"]
    ]
    assert happened.count("ClaimRefuted") == 1
    assert happened[-1] == "LoopFinished"


@pytest.mark.long
def test_a_killed_session_goes_on_where_it_was(world):
    launched = world.launch("go", [runs("echo one", "I begin."), says("never heard", delay=60)])
    until(
        lambda: len(launched.requests) == 2 and "I begin." in world.transcript,
        lambda: f"{launched.events}",
    )
    killed = launched.kill()

    assert (killed.rc, killed.result) == (-9, {})

    run = world.headless("go on", [says("Two.")], resume=killed.session)

    assert run.session == killed.session
    assert run.result["result"] == "Two."
    assert "I begin." in run.requests[0].text


@pytest.mark.long
def test_sub_agents_play_a_lane_of_their_own(world):
    script = [delegates("count the files"), says("It found three.")]

    run = world.headless("delegate", script, agent=[runs("echo 1 2 3"), says("Three files.")])

    assert run.result["result"] == "It found three."
    assert lanes(run) == ["main", "agent", "agent", "main"]
    assert "count the files" in run.requests[1].text
    assert "Three files." in run.requests[3].news


@pytest.mark.long
def test_a_summary_replaces_the_conversation(world):
    script = [runs("echo one"), runs("echo two", usage={"input_tokens": 99_500}), says("Three.")]

    run = world.headless(
        "go", script, "--autocompact", "100k", summary=[says("<summary>One was said.</summary>")]
    )

    assert lanes(run) == ["main", "main", "summary", "main"]
    assert "One was said." in run.requests[-1].text


@pytest.mark.long
def test_a_judgement_is_asked_without_tools(world):
    hook = {"Stop": [{"hooks": [{"type": "prompt", "prompt": "Is it done?"}]}]}
    judgements = [
        says(json.dumps({"ok": False, "reason": "Not yet."})),
        says(json.dumps({"ok": True})),
    ]

    run = world.headless(
        "go",
        [says("One."), says("Two.")],
        "--settings",
        json.dumps({"hooks": hook}),
        aux=judgements,
    )

    assert lanes(run) == ["main", "aux", "main", "aux"]
    assert "Not yet." in run.requests[2].news


# --- Codex ---


def unrouted():
    """How often somebody here has tried to reach what is not loopback: the packets that found no way out."""
    heads, values = Path("/proc/thread-self/net/snmp").read_text().splitlines()[:2]
    newer = dict(
        line.split() for line in Path("/proc/thread-self/net/snmp6").read_text().splitlines()
    )
    return int(dict(zip(heads.split(), values.split(), strict=True))["OutNoRoutes"]) + int(
        newer["Ip6OutNoRoutes"]
    )


@pytest.mark.long
@pytest.mark.clients
def test_codex_does_what_the_script_says_and_looks_for_nobody_else(world, codex, offline):
    before = unrouted() if offline else 0
    script = [
        runs("echo one > a.txt; ls nowhere", "I look."),
        writes(world.path("a.txt"), "two\n"),
        says("There it is."),
    ]

    run = world.launch_codex("make a file", script).wait()

    assert run.rc == 0, run.stderr
    assert run.result["usage"]["input_tokens"] == 3000
    done = [event["item"] for event in run.events if event["type"] == "item.completed"]
    assert [item["type"] for item in done] == [
        "agent_message",
        "command_execution",
        "file_change",
        "agent_message",
    ]
    assert (done[1]["exit_code"], done[3]["text"]) == (2, "There it is.")
    assert world.path("a.txt").read_text() == "two\n"
    assert lanes(run) == ["main"] * 3
    assert "make a file" in run.requests[0].text
    assert "cannot access 'nowhere'" in run.requests[1].news
    assert not offline or unrouted() == before

    again = world.launch_codex("go on", [says("Two.")], resume=run.session).wait()

    assert again.session == run.session
    assert "There it is." in again.requests[0].text
    assert again.result["usage"]["input_tokens"] == 4000


@pytest.mark.long
def test_a_usage_limit_is_told_with_its_end(world, codex):
    end_of_it = int(time.time()) + 3600

    run = world.headless("go", [hits_limit(end_of_it)], env=SUBSCRIBED)

    (told,) = [
        event["rate_limit_info"] for event in run.events if event["type"] == "rate_limit_event"
    ]
    assert (run.rc, told["status"], told["resetsAt"]) == (1, "rejected", end_of_it)
    assert len(run.requests) == 1

    run = world.launch_codex("go", [hits_limit(end_of_it)]).wait()

    assert run.rc == 1
    assert "try again at" in run.result["error"]["message"]
    assert len(run.requests) == 1


# --- the command ---


@pytest.mark.long
@pytest.mark.clients
def test_the_command_finds_the_clients_and_nothing_outlives_it(world, codex):
    env = world.environment()
    versions = [
        subprocess.check_output([name, "--version"], env=env, text=True, stderr=subprocess.DEVNULL)
        for name in ("claude", "codex")
    ]
    assert (CLAUDE in versions[0], openai_codex.VERSION in versions[1]) == (True, True)

    started = world.loop("start", "make the tests pass", "--check", f"tests pass={CHECK}", "--yes")
    assert (started.code, started.err) == (0, "")
    assert world.project.loop.status == "running"

    latch = Latch(world.home)
    launched = world.launch("go", [latch.turn])
    latch.wait_until_reached(launched)
    launched.kill()
    assert not Path("/proc/self").exists() or any(
        "latch-opened" in line for line in living_processes(world.home).values()
    )
    end_processes(world.home)
    assert living_processes(world.home) == {}


# --- on a screen ---


def test_a_prompt_is_typed_and_its_answer_is_seen(world, tmux):
    with world.terminal(
        [runs("seq 1 3", "Wait."), says("\n".join(f"- row {row}" for row in range(60)))]
    ) as terminal:
        terminal.submit("count, please")
        screen = terminal.wait("row 59")
        terminal.save(world.home / "screen.txt")

    assert "row 0" not in screen
    saved = (world.home / "screen.txt").read_text()
    assert "❯ count, please" in saved
    assert "Bash(seq 1 3)" in saved
    assert "row 0" in saved


# --- no network ---

REACH = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"  # an address kept for documentation


def test_nothing_but_loopback_is_reachable(offline, world):
    if not offline:
        pytest.skip("only root on Linux can cut a process off")

    assert [name for _, name in socket.if_nameindex()] == ["lo"]
    done = subprocess.run(
        [sys.executable, "-c", REACH], capture_output=True, text=True, check=False
    )
    assert "Network is unreachable" in done.stderr
    with socket.create_connection(("127.0.0.1", int(world.model.url.rpartition(":")[2]))):
        pass  # the model is
