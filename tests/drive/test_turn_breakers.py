"""A turn that goes in circles is ended while it runs, whatever its agent prints, and the next one is told."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.limits import Spend
from loopwright.core.policies import runner_report
from loopwright.core.runner import turn_watch
from loopwright.drive.errors import UserError
from loopwright.drive.runner.run_config import refuse_unbounded
from tests.support.project import Project
from tests.support.runner import (
    DONE,
    Runner,
    command,
    read_when_complete,
    script,
    start_checked_loop,
    write_fake_agent,
)

FAILING = "sleep 0.2; echo no rule to make target; exit 2"
# Prints what a client prints of one call that fails again and again, until it is interrupted.
REPEATS = """
for number in range(200):
    for event in CALL:
        print(json.dumps(event).replace("NUMBER", str(number)), flush=True)
    time.sleep(0.2)
"""
CLAUDE_CALL = [
    {
        "type": "assistant",
        "message": {
            "id": "msg_NUMBER",
            "content": [
                {"type": "tool_use", "id": "NUMBER", "name": "Bash", "input": {"command": "make"}}
            ],
        },
    },
    {
        "type": "user",
        "message": {
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "NUMBER",
                    "is_error": True,
                    "content": "Exit code 2\nno rule to make target",
                }
            ]
        },
    },
]
CODEX_CALL = [
    {
        "type": "item.completed",
        "item": {
            "id": "NUMBER",
            "type": "command_execution",
            "command": "make",
            "status": "failed",
            "exit_code": 2,
            "aggregated_output": "no rule to make target",
        },
    }
]


def breakers(here: Project) -> list[str]:
    return [event["breaker"] for event in here.events("TurnBroken")]


def test_the_same_failing_call_ends_the_turn_then_the_next_one_and_the_loop_pauses(
    checked_project: Project,
) -> None:
    turn = {"run": [FAILING] * 62, "each": 0.5, "say": "never said"}
    said = checked_project.run("run", "--script", script(checked_project, turn))

    assert said.code == 4, said.out
    assert (checked_project.loop.pause.cause, breakers(checked_project)) == (
        "same-error",
        ["same-error"] * 2,
    )
    assert checked_project.loop.spend.dollars <= 2.0
    assert "cut off: the same call failed 3 times with the same error" in said.out
    assert "no rule to make target" in checked_project.loop.pause.why


@pytest.mark.parametrize(
    ("agent", "call"), [("claude", CLAUDE_CALL), ("codex", CODEX_CALL)], ids=["claude", "codex"]
)
def test_it_is_seen_in_the_stream_of(
    checked_project: Project, monkeypatch, agent: str, call: list[dict[str, Any]]
) -> None:
    text = REPEATS.replace("CALL", repr(call))
    monkeypatch.setenv("PATH", write_fake_agent(checked_project, agent, text))
    said = checked_project.run("run", "--agent", agent)

    assert (said.code, breakers(checked_project)) == (4, ["same-error"] * 2), said.out


def test_it_is_seen_in_plain_output(checked_project: Project, monkeypatch) -> None:
    monkeypatch.setattr(turn_watch, "LINE_GAP_SECONDS", 0.05)
    text = "for n in range(200): print('> make\\nError: no rule', flush=True); time.sleep(0.1)"
    said = checked_project.run("run", *command(checked_project, text))

    assert (said.code, checked_project.loop.pause.cause) == (4, "turn"), said.out
    assert breakers(checked_project) == ["same-line"] * 2
    assert "it printed 'Error: no rule' 5 times and changed no file" in said.out


def test_files_that_a_command_changes_are_seen_too(checked_project: Project) -> None:
    """The agent's edits are not in its stream, so we look at the files before we end its turn."""
    works = {"run": ["date +%N >> work.txt; exit 1"] * 7, "say": "so far"}
    said = checked_project.run("run", "--script", script(checked_project, works, DONE))

    assert (breakers(checked_project), "cut off" in said.out) == ([], False)


def test_calls_that_change_nothing_end_the_turn(checked_project: Project) -> None:
    checked_project.run("cancel")
    checked_project.run("config", "limits.unchanging_calls", "6")
    checked_project.start("--check", "done=test -e done.txt")
    looks = {"run": [f"echo {n}; sleep 0.1" for n in range(40)], "say": "never said"}
    said = checked_project.run("run", "--script", script(checked_project, looks, DONE))

    assert (said.code, breakers(checked_project)) == (0, ["no-change"]), said.out
    assert "cut off: 6 tool calls in a row changed no file" in said.out


def test_a_turn_ends_when_it_has_cost_its_share(checked_project: Project) -> None:
    turn = {"run": [f"date +%N > {n}.txt; sleep 0.2" for n in range(30)], "each": 2.5, "say": "no"}
    said = checked_project.run("run", "--script", script(checked_project, turn, DONE))

    assert (said.code, breakers(checked_project)) == (0, ["turn-budget"]), said.out
    assert checked_project.ended.spend.dollars < 12
    assert "it had cost $7.50, the most that one turn may cost" in said.out


# --- Crashes ---


def test_an_agent_that_dies_twice_is_tried_again_and_finishes(
    checked_project: Project, monkeypatch
) -> None:
    monkeypatch.setattr(runner_report, "FIRST_CRASH_WAIT_SECONDS", 0.1)
    dies = {"run": ["kill -SEGV $PPID"], "say": "never said"}
    said = checked_project.run("run", "--script", script(checked_project, dies, {"exit": 1}, DONE))

    assert said.code == 0, said.out
    assert "script was killed by SIGSEGV and said nothing (attempt 1 of 3)" in said.out
    assert checked_project.ended.spend.iterations == 1
    assert len(checked_project.events("AgentCrashed")) == 2


def test_a_limit_that_any_command_prints_is_waited_for(checked_project: Project) -> None:
    text = """
if not os.path.exists("limited"):
    open("limited", "w")
    sys.exit("HTTP 429: quota exceeded. Retry-After: 1")
open("done.txt", "w"); print("finished")
"""
    said = checked_project.run("run", *command(checked_project, text))

    assert said.code == 0, said.out
    assert [event["reset_known"] for event in checked_project.events("AgentLimited")] == [True]


# --- Pausing, and a machine that sleeps ---


def test_a_pause_is_heard_while_a_check_runs(project, tmp_path: Path) -> None:
    here, pid = project(), tmp_path / "pid"
    here.start("--check", f"done=test -e done.txt && {{ echo $$ >'{pid}'; exec sleep 300; }}")
    with Runner(here, "--script", script(here, DONE)) as runner:
        read_when_complete(pid)
        here.run("pause")
        said = runner.ends()  # long before the check would end

    assert (said.code, here.loop.status, here.loop.pause.cause) == (8, "paused", "person")
    assert here.events("CheckRan") == []


def test_a_stop_file_is_heard_while_a_check_runs(project, tmp_path: Path) -> None:
    here, pid = project(), tmp_path / "pid"
    here.start("--check", f"done=test -e done.txt && {{ echo $$ >'{pid}'; exec sleep 300; }}")
    with Runner(here, "--script", script(here, DONE)) as runner:
        read_when_complete(pid)
        (here.root / ".loop/STOP").touch()
        said = runner.ends()

    assert (said.code, here.loop.pause.why) == (8, ".loop/STOP was found")
    assert not (here.root / ".loop/STOP").exists()


@pytest.mark.long  # tests/agents/test_clocks.py shows the same without a process that sleeps
def test_a_turn_that_ended_while_the_runner_was_suspended_counts_as_ended(
    checked_project: Project, tmp_path: Path
) -> None:
    begun, go, gone = tmp_path / "begun", tmp_path / "go", tmp_path / "gone"
    text = f"""
open({str(begun)!r}, "w").write("x\\n")
while not os.path.exists({str(go)!r}): time.sleep(0.02)
open("done.txt", "w"); print("finished")
open({str(gone)!r}, "w").write("x\\n")
"""
    with Runner(
        checked_project, *command(checked_project, text), "--turn-minutes", "0.1"
    ) as runner:
        read_when_complete(begun)
        runner.hears(signal.SIGSTOP)
        go.touch()
        read_when_complete(gone)
        time.sleep(6.5)  # longer than the turn may take
        said = runner.hears(signal.SIGCONT).ends()

    assert said.code == 0, said.out
    assert "cut off" not in said.out


# --- One command after a pause ---


def test_one_command_continues_after_a_pause_and_raises_what_is_used_up(project) -> None:
    here = start_checked_loop(project, "--budget", "1", "--iterations", "2")
    spends = {"run": ["date +%N >> work.txt"], "say": "on it", "dollars": 0.5}
    said = here.run("run", "--script", script(here, spends, spends, DONE))
    told = said.out.partition("Resume: `")[2].partition("`")[0]

    assert said.code == 2
    assert told == "loop run --continue --budget=1 --iterations=10"
    again = here.run(*told.split()[1:])
    assert again.code == 0, again.out + again.err
    assert [event["agent"] for event in here.events("TurnStarted")] == ["script"] * 3


def test_other_options_than_those_of_the_last_run_win(
    checked_project: Project, tmp_path: Path
) -> None:
    checked_project.run(
        "run", "--script", script(checked_project, {"say": "Let me think."}), "--turn-minutes", "7"
    )
    again = checked_project.run(
        "run", "--continue", *command(checked_project, "open('done.txt', 'w'); print('x')")
    )

    assert again.code == 0, again.out + again.err
    assert [event["agent"] for event in checked_project.events("TurnStarted")][-1] == "command"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--continue", "fix it"), "--continue drives the loop that is here"),
        (("--budget", "3"), "--budget belongs to a new loop"),
    ],
)
def test_what_belongs_together_is_said(
    checked_project: Project, words: tuple[str, ...], says: str
) -> None:
    said = checked_project.run("run", *words, "--script", script(checked_project, DONE))

    assert (said.code, says in said.err) == (1, True)


def test_what_is_left_is_the_bound_not_what_was_used(checked_project: Project) -> None:
    """More may be added after a thousand iterations."""
    loop = checked_project.loop.but(spend=Spend(iterations=1_005, dollars=1_500.0, seconds=1e7))
    raised = loop.limits.but(iterations=1_010, dollars=1_525.0, minutes=1e7 / 60 + 60)

    refuse_unbounded(loop.but(limits=raised))
    with pytest.raises(UserError, match=r"limits\.iterations is 9000: that bounds nothing"):
        refuse_unbounded(loop.but(limits=raised.but(iterations=9_000)))


@pytest.mark.long
def test_thousands_of_lines_are_all_kept(checked_project: Project) -> None:
    text = "for n in range(4_000): print(json.dumps({'line': n, 'text': 'x' * 60}))\nopen('done.txt', 'w')"
    said = checked_project.run("run", *command(checked_project, text), "--json")

    assert said.code == 0, said.err
    log = next((checked_project.root / ".loop/history").glob("*/logs/0001-command.log"))
    lines = log.read_text().splitlines()
    assert [json.loads(line)["line"] for line in lines] == list(range(4_000))
