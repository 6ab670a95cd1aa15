"""loop run and loop demo: the runner takes the same steps as the hook, with a scripted agent (X-6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.hook import block
from tests.support.project import Project
from tests.torture.size import every

NAME = "docs read well"


def script(here: Project, *turns: dict[str, Any]) -> str:
    here.write({".loop/script.json": json.dumps({"turns": turns})})
    return str(here.root / ".loop/script.json")


def test_x_6_a_run_is_proven_in_the_end(checked_project: Project) -> None:
    done = {"say": block({"done": True}, exit=True)}
    said = checked_project.run(
        "run",
        "--script",
        script(checked_project, done, {**done, "write": {"done.txt": "x"}, "dollars": 0.5}),
    )

    assert said.code == 0, said.err
    assert "claimed done, but it is not: the claim is taken back" in said.out
    assert "<loop-complete>" in said.out
    assert checked_project.ended.verdict is not None
    assert (checked_project.ended.verdict.name, checked_project.ended.verdict.proven) == (
        "SHIP",
        True,
    )
    assert (checked_project.ended.spend.iterations, checked_project.ended.spend.dollars) == (2, 0.5)


@pytest.mark.parametrize(
    ("turn", "words", "code"),
    every(
        3,
        [
            ({"say": "thinking", "dollars": 30}, (), 2),
            ({"say": block({}), "run": ["date +%N > noise.txt"]}, ("--iterations", "2"), 3),
            ({"say": "still thinking"}, (), 4),
            ({"say": block({}, "ASK: Which?")}, (), 6),
            ({"say": block({}, "BLOCKED: no access")}, (), 7),
            ({"say": block({}), "run": ["touch .loop/STOP"]}, (), 8),
            (
                {"say": block({NAME: {"met": True, "verification": "observation"}}, exit=True)},
                ("--criterion", NAME),
                10,
            ),
        ],
    ),
    ids=every(3, ["budget", "iterations", "breaker", "asks", "blocked", "a person", "reported"]),
)
def test_a_20_how_it_ended_is_the_exit_code(
    project, turn: dict[str, Any], words: tuple[str, ...], code: int
) -> None:
    here = project()
    check = () if "--criterion" in words else ("--check", "done=test -e done.txt")
    here.start(*check, *words)

    assert here.run("run", "--script", script(here, turn)).code == code


def test_an_agent_that_dies_without_a_word_is_not_paid_for_ever(project) -> None:
    here = project()
    here.run("config", "limits.crashes", "1")  # before another try, it would wait
    here.start("--check", "done=test -e done.txt")
    here.write({".loop/script.json": '{"turns": [{"exit": 1}]}'})
    said = here.run("run", "--script", str(here.root / ".loop/script.json"))

    assert said.code != 0
    assert here.loop.status == "paused"


def test_a_run_wants_a_running_loop_and_a_script(checked_project: Project) -> None:
    assert "no script at gone.json" in checked_project.run("run", "--script", "gone.json").err
    checked_project.run("pause", "tired")
    assert (
        "the loop is paused: tired"
        in checked_project.run("run", "--script", script(checked_project)).err
    )


def test_a_second_runner_is_refused(checked_project: Project) -> None:
    slow = script(checked_project, {"say": "x", "seconds": 30})
    first = subprocess.Popen(
        [sys.executable, "-m", "loopwright.cli.main", "run", "--script", slow],
        cwd=checked_project.root,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert any("Iteration" in line for line in iter(first.stdout.readline, ""))
    said = checked_project.run("run", "--script", slow)
    first.kill()
    first.wait()
    first.stdout.close()

    assert (said.code, "another runner drives this loop" in said.err) == (1, True)


def test_children_are_marked_and_lose_the_clients_variables(checked_project: Project) -> None:
    turn = {"say": block({}, "BLOCKED: x"), "run": ["env > .loop/seen"]}
    checked_project.process("run", "--script", script(checked_project, turn), CLAUDE_EFFORT="high")
    seen = (checked_project.root / ".loop/seen").read_text()

    assert f"LOOP_CHILD={checked_project.loop.id}" in seen
    assert "CLAUDE" not in seen


def test_the_demo_ends_proven_and_names_journal_and_evidence(tmp_path) -> None:
    """`make demo`, as a stranger sees it: no agent, no network, no configuration."""
    done = subprocess.run(
        [sys.executable, "-m", "loopwright.cli.main", "demo", "--folder", str(tmp_path / "shop")],
        env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "claimed done, but it is not" in done.stdout
    assert "🟢 SHIP" in done.stdout
    journal = next(
        line.split()[1] for line in done.stdout.splitlines() if line.startswith("Journal:")
    )
    evidence = next(
        line.split()[1] for line in done.stdout.splitlines() if line.startswith("Evidence:")
    )
    assert os.path.isfile(journal)
    assert os.listdir(evidence)
