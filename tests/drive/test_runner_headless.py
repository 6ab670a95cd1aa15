"""A run without a person: limits waited for, another agent, bounds said and kept, denials, orphans, and what is left to read."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.policies import runner_report
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import (
    CHECK,
    CLAIM,
    DONE,
    SLOW,
    Runner,
    alive,
    command,
    script,
    start_checked_loop,
    write_fake_agent,
)
from tests.torture.size import every

CASES = Path(__file__).parents[1] / "agents"
# A stand-in for a real agent: keeps what it was told, does one thing, then prints what the real one printed when recorded.
RECORDED = """
open(FOLDER + "/argv", "a").write(json.dumps(sys.argv[1:]) + "\\n")
open(FOLDER + "/prompt", "a").write(sys.stdin.read() + "\\n\\0\\n")
DOES
sys.stdout.write(open(CASE).read())
"""
TAKES_TURNS = """
turn = len(os.listdir(FOLDER))
open(f"{FOLDER}/{turn}", "w").write(sys.stdin.read())
"""


def recorded(here: Project, case: str, does: str = "pass", version: str = "1.0") -> str:
    """The PATH with an agent that prints this recorded case."""
    agent = case.partition("/")[0]
    kept = here.root.parent / f"{agent}.kept"
    kept.mkdir()
    text = RECORDED.replace("FOLDER", repr(str(kept))).replace(
        "CASE", repr(str(CASES / f"{agent}/cases" / Path(case).name))
    )
    return write_fake_agent(here, agent, text.replace("DOES", does), version)


def kept(here: Project, agent: str, name: str) -> str:
    return (here.root.parent / f"{agent}.kept" / name).read_text()


def taking_turns(here: Project, text: str) -> tuple[tuple[str, str], Path]:
    """An agent that knows which turn it is, and keeps the prompt of each."""
    prompts = here.root.parent / "prompts"
    prompts.mkdir()
    return command(here, TAKES_TURNS.replace("FOLDER", repr(str(prompts))) + text), prompts


# --- limits and faults ---


def test_a_usage_limit_is_waited_for_and_costs_no_iteration(checked_project: Project) -> None:
    said = checked_project.run(
        "run",
        "--script",
        script(
            checked_project, {"fail": "usage limit reached", "limit": 2}, {**DONE, "dollars": 0.5}
        ),
    )

    assert said.code == 0, said.err
    assert "⏳ 0:0" in said.out
    assert " | script: usage limit reached" in said.out
    assert (checked_project.ended.spend.iterations, checked_project.ended.spend.dollars) == (1, 0.5)
    assert [event["reset_known"] for event in checked_project.events("AgentLimited")] == [True]
    assert checked_project.ended.run is not None
    assert checked_project.ended.run.waited_seconds > 0


def test_a_fault_that_passes_costs_no_iteration(checked_project: Project, monkeypatch) -> None:
    monkeypatch.setattr(runner_report, "FIRST_WAIT_SECONDS", 0.2)
    fault = {"fail": "529 overloaded", "dollars": 0.5}
    said = checked_project.run(
        "run", "--script", script(checked_project, fault, fault, fault, DONE)
    )

    assert said.code == 0, said.err
    assert checked_project.ended.spend.iterations == 1
    assert len(checked_project.events("WaitStarted")) == 3


def test_another_agent_goes_on_where_the_first_has_met_its_limit(
    checked_project: Project, monkeypatch
) -> None:
    monkeypatch.setenv(
        "PATH", recorded(checked_project, "claude/headless-2.1.325-rate-limit.jsonl")
    )
    monkeypatch.setenv(
        "PATH",
        recorded(checked_project, "codex/headless-0.166.0-ok.jsonl", "open('done.txt', 'w')"),
    )
    checked_project.run("run", "--agent", "claude", "--fallback", "codex", "--turn-minutes", "1")

    began = [event["agent"] for event in checked_project.events("TurnStarted")]
    assert began[:2] == ["claude", "codex"]
    assert "claude" not in began[1:]
    assert checked_project.ended.spend.iterations == len(began) - 1
    assert (checked_project.ended.status, checked_project.ended.unmet_criteria) == ("finished", ())
    assert "fix all failing tests" in kept(checked_project, "codex", "prompt")


# --- what the client knows ---


@pytest.mark.parametrize(
    ("version", "is_told"),
    [
        pytest.param("2.1.259 (Claude Code)", True, id="it knows the option"),
        pytest.param("2.1.258 (Claude Code)", False, id="it does not"),
        pytest.param("Hello", False, id="it does not say"),
    ],
)
def test_the_version_of_the_client_decides_whether_it_is_told_that_nobody_answers(
    project, monkeypatch, version: str, is_told: bool
) -> None:
    here = start_checked_loop(project, "--iterations", "1")
    case = "claude/headless-2.1.325-ok.jsonl"
    monkeypatch.setenv("PATH", recorded(here, case, version=version))
    here.run("run", "--agent", "claude")

    (argv,) = [json.loads(line) for line in kept(here, "claude", "argv").splitlines()]
    assert ("--permission-prompts" in argv) is is_told


# --- bounds ---


def test_the_worst_case_is_said_first(checked_project: Project) -> None:
    said = checked_project.run(
        "run", "--script", script(checked_project, DONE), "--turn-budget", "2"
    )

    assert said.out.startswith(
        "[LOOP] at most: 10 iterations, $25.00 ($2.00 a turn), 240 min of work, 720 min of waiting for limits\n"
    )
    assert "script takes no budget for a turn: one turn may go beyond what is left" in said.out


def test_an_agent_that_tells_no_dollars_is_said_to(checked_project: Project) -> None:
    said = checked_project.run("run", *command(checked_project, "print('thinking')"))

    assert "command tells no dollars: for it only iterations and minutes are a bound" in said.out
    assert "cost unknown" in said.out


@pytest.mark.parametrize(
    "words", [("--iterations", "5000"), ("--budget", "5000"), ("--minutes", "100000")]
)
def test_a_run_without_a_bound_is_refused(project, words: tuple[str, str]) -> None:
    here = start_checked_loop(project, *words)
    said = here.run("run", "--script", script(here, DONE))

    assert (said.code, "that bounds nothing" in said.err) == (1, True)
    assert here.events("TurnStarted") == []


def test_no_turn_gets_more_than_its_budget_or_what_is_left(project, monkeypatch) -> None:
    here = start_checked_loop(project, "--budget", "5", "--iterations", "3")
    monkeypatch.setenv(
        "PATH", recorded(here, "claude/headless-2.1.325-ok.jsonl", "open('n.txt', 'a').write('x')")
    )
    here.run("run", "--agent", "claude", "--turn-budget", "2")
    here.run("continue", "--iterations", "1")
    here.run("run", "--agent", "claude")

    reserved = [event["reserved_dollars"] for event in here.events("TurnStarted")]
    argvs = [json.loads(line) for line in kept(here, "claude", "argv").splitlines()]
    assert reserved == [2, 2, 2, pytest.approx((5 - 3 * 0.018) / 4)]
    assert [argv[argv.index("--max-budget-usd") + 1] for argv in argvs] == [
        "2.0000",
        "2.0000",
        "2.0000",
        "1.2365",
    ]


def test_a_turn_over_its_time_is_cut_off_judged_and_told_to_the_next(
    checked_project: Project,
) -> None:
    agent, prompts = taking_turns(
        checked_project, f"time.sleep(0 if turn else 60); open('done.txt', 'w'); print({CLAIM!r})"
    )
    said = checked_project.run("run", *agent, "--turn-minutes", "0.03")

    assert said.code == 0, said.err
    assert "✗ cut off: the turn took longer than 2 s" in said.out
    assert checked_project.ended.spend.iterations == 2
    assert "The last turn was cut off: the turn took longer than 2 s" in (prompts / "1").read_text()


# --- denials ---


@pytest.mark.parametrize(
    ("does", "code"),
    [("pass", 7), ("open('n.txt', 'a').write('x')", 3)],
    ids=["helpless", "works on"],
)
def test_what_nobody_was_there_to_permit_is_told(
    project, monkeypatch, does: str, code: int
) -> None:
    here = start_checked_loop(project, "--iterations", "2")
    monkeypatch.setenv("PATH", recorded(here, "claude/headless-2.1.325-denied.jsonl", does))
    said = here.run("run", "--agent", "claude")

    assert said.code == code, said.err
    assert "✗ blocked: 1 call denied: Bash python3 -B -m unittest -q" in said.out
    assert here.loop.pause.cause == ("denied" if code == 7 else "iterations")
    again = "No person is there to permit this, so do without: Bash python3 -B -m unittest -q"
    assert (again in kept(here, "claude", "prompt")) == (code == 3)


# --- what is left to read ---


def lines(here: Project, *where: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (here.root.joinpath(".loop", *where, "iterations.jsonl"))
        .read_text()
        .splitlines()
    ]


def test_the_files_of_a_run_have_a_line_for_each_turn_also_after_a_pause(project) -> None:
    here = start_checked_loop(project, "--iterations", "2", "--step", "write it")
    turns = (
        {"say": "thinking", "dollars": 0.5},
        {"say": "hm", "dollars": 0.25, "write": {"n.txt": "x"}},
        DONE,
    )
    assert here.run("run", "--script", script(here, *turns)).code == 3
    summary = (here.root / ".loop/summary.md").read_text()
    here.run("continue", "--iterations", "1")
    assert here.run("run", "--script", script(here, *turns)).code == 0
    archive = ("history", here.ended.id)

    assert "**Status:** paused: iteration limit of 2 reached" in summary
    assert "- [ ] done" in summary
    assert [
        (line["iteration"], line["status"], line["cost"], line["total"])
        for line in lines(here, *archive)
    ] == [
        (1, "continued", 0.5, 0.5),
        (2, "paused", 0.25, 0.75),
        (3, "finished", 0, 0.75),
    ]
    assert lines(here, *archive)[2]["criteria"] == {"done": True}
    assert {line["agent"] for line in lines(here, *archive)} == {"script"}
    assert "- [x] done" in here.root.joinpath(".loop", *archive, "summary.md").read_text()


def test_a_loop_has_no_lines_of_an_earlier_one(checked_project: Project) -> None:
    checked_project.run("run", "--script", script(checked_project, DONE))
    (checked_project.root / "done.txt").unlink()
    checked_project.start("--check", "done=test -e done.txt")
    with Runner(checked_project, "--script", script(checked_project, SLOW)) as runner:
        runner.works().kill()
    checked_project.run("run", "--script", script(checked_project, SLOW, DONE))

    assert [
        line["iteration"] for line in lines(checked_project, "history", checked_project.ended.id)
    ] == [1]


# --- orphans ---


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="only there can they be found")
def test_who_left_the_group_and_lives_on_is_found_and_named(project, tmp_path: Path) -> None:
    here, quiet = (
        start_checked_loop(project, "--iterations", "1"),
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL",
    )
    leaves = f"child = subprocess.Popen(['sleep', '300'], start_new_session=True, {quiet})\nprint(child.pid)"
    here.run("run", *command(here, leaves))
    here.run("continue", "--iterations", "1")
    orphan = int(here.run("logs").out.split()[-1])
    try:
        said = here.run("run", "--script", script(here, DONE))
        assert alive(orphan)
    finally:
        os.kill(orphan, signal.SIGKILL)

    assert f"Still there from an earlier turn: sleep 300 (end it: kill {orphan})" in said.out


# --- how it ended ---


@pytest.mark.parametrize(
    ("turn", "words", "code", "cause"),
    every(
        3,
        [
            ({"seconds": 60}, ("--minutes", "0.02"), 9, "clock"),
            ({"fail": "usage limit", "limit": 3000}, (), 4, "limit"),
            ({"fail": "the model is gone"}, (), 4, "trouble"),
            ({"exit": 1}, (), 4, "crash"),
            (
                {"write": {"bad.txt": ""}, "say": CLAIM},
                ("--must-not", "bad=test -e bad.txt"),
                4,
                "must-not",
            ),
        ],
    ),
    ids=every(
        3,
        [
            "no time left",
            "a limit beyond what we wait",
            "the API refuses",
            "the agent breaks",
            "what must not be",
        ],
    ),
)
def test_a_20_how_it_ended_is_the_exit_code(
    project, monkeypatch, turn: dict[str, Any], words: tuple[str, ...], code: int, cause: str
) -> None:
    """The others are in tests/cli/test_run_and_demo.py."""
    monkeypatch.setattr(runner_report, "FIRST_CRASH_WAIT_SECONDS", 0.1)
    here = project()
    assert here.run("config", "limits.wait", "1").code == 0
    here.start(*CHECK, *words)
    said = here.run("run", "--script", script(here, turn))

    assert (said.code, here.loop.pause.cause) == (code, cause), said.out


ASKING = {"say": block({"done": False}, "ASK: may I write done.txt?")}


def test_a_run_that_stays_waits_for_the_answer_and_continues(project) -> None:
    here = start_checked_loop(project)
    with Runner(here, "--stay", "--script", script(here, ASKING, DONE)) as runner:
        runner.shows("Waiting for the answer")
        assert here.run("answer", "yes").code == 0
        ended = runner.ends()

    assert (ended.code, here.ended.status) == (0, "finished"), ended.out


def test_a_run_that_stays_waits_for_its_first_question_too(project) -> None:
    """The question of the start comes before any turn, and is answered elsewhere."""
    here = project()
    spec = "Refactor src/app.py into modules; do not change the public API"
    with Runner(here, spec, "--stay", "--script", script(here, DONE)) as runner:
        runner.shows("Waiting for the answer")
        assert here.loop.gate.name == "G1"
        assert here.run("answer", "yes").code == 0
        runner.shows("Iteration 1")


def test_a_run_that_stays_ends_when_the_person_cancels(project) -> None:
    here = start_checked_loop(project)
    with Runner(here, "--stay", "--script", script(here, ASKING, DONE)) as runner:
        runner.shows("Waiting for the answer")
        here.run("cancel")
        ended = runner.ends()

    assert (ended.code, here.ended.status) == (8, "cancelled"), ended.out


def test_finished_work_of_a_process_with_an_exit_code_is_checked_and_proven(project) -> None:
    """It was tried again three times and never checked, although its work was done."""
    here = project()
    words = ("done.txt is there", "--check", "done=test -e done.txt")
    agent = "sh -c 'echo x > done.txt; echo \"<loop-complete>\"; exit 1'"

    said = here.run("run", *words, "--agent-command", agent)

    assert said.code == 0, said.out
    assert here.ended.spend.iterations == 1


def test_files_that_could_not_be_read_at_the_last_stop_cost_no_further_turn(project) -> None:
    here = start_checked_loop(project, "--iterations", "1")
    aside = here.root.parent / "aside.git"
    agent = command(
        here,
        f"open('done.txt', 'w').close(); os.rename('.git', {str(aside)!r}); print({CLAIM!r})\n",
    )

    said = here.run("run", *agent)
    assert here.loop.pause.cause == "tree"
    assert "Resume: `loop run --continue`" in said.out
    aside.rename(here.root / ".git")

    assert here.run("run", "--continue").code == 0
    assert here.ended.spend.iterations == 1
