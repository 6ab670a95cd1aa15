"""step: what the loop wants proven is proven, between the locks, on the tree that is there."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from loopwright.core.directives import Continue, Stop
from loopwright.core.loop import Loop
from loopwright.core.signals import Ordered, ToolOutcome, TurnOver
from loopwright.drive.step import step
from loopwright.store.folder import NoLoop
from tests.support.project import Project

SESSION = "s-1"


def turn(here: Project, text: str = "", **more: Any) -> Any:
    return step(here.folder, TurnOver(time.time(), SESSION, text, tool_calls=1, **more))


@pytest.fixture
def counting_project(project) -> Project:
    made = project()
    made.start(
        "--check",
        "done=test -e done.txt",
        "--check",
        "counted=echo x >> .loop/count",
        "--session",
        SESSION,
    )
    return made


def count(here: Project) -> int:
    return len((here.root / ".loop/count").read_text().splitlines())


def test_passing_evidence_is_reused_on_an_unchanged_tree(counting_project: Project) -> None:
    turn(counting_project)
    turn(counting_project)
    assert count(counting_project) == 1, "the start has measured it"
    counting_project.write({"a.txt": "1"})
    turn(counting_project)

    assert count(counting_project) == 2


def test_proof_is_void_when_the_tree_changes(counting_project: Project) -> None:
    counting_project.write({"done.txt": ""})
    assert turn(counting_project).prompt.startswith("criteria met but exit_signal not set")
    (counting_project.root / "done.txt").unlink()

    assert turn(counting_project).prompt.startswith("unmet criteria: done")


def test_a_cancel_is_heard_between_two_checks(project) -> None:
    here = project()
    here.start(
        "--check", "b=sleep 0.7; touch ran-b", "--check", "a=sleep 0.4", "--session", SESSION
    )
    (here.root / "ran-b").unlink()
    here.write({"x.txt": ""})
    order = threading.Timer(0.2, lambda: step(here.folder, Ordered(time.time(), "cancel")))
    order.start()
    with pytest.raises(NoLoop):
        turn(here)
    order.join()

    assert here.ended.status == "cancelled"
    assert not (here.root / "ran-b").exists()


def test_a_pause_is_heard_between_two_checks(project) -> None:
    here = project()
    here.start(
        "--check", "b=sleep 0.7; touch ran-b", "--check", "a=sleep 0.4", "--session", SESSION
    )
    (here.root / "ran-b").unlink()
    here.write({"x.txt": ""})
    order = threading.Timer(0.2, lambda: step(here.folder, Ordered(time.time(), "pause")))
    order.start()
    said = turn(here)
    order.join()

    assert isinstance(said, Stop)
    assert here.loop.status == "paused"
    assert here.events("CheckResultDropped")
    assert not (here.root / "ran-b").exists()


def test_a_check_that_writes_files_is_run_again_and_then_named(project) -> None:
    here = project()
    here.start("--check", "noisy=date +%N >> noise.txt", "--session", SESSION)
    said = turn(here)

    assert isinstance(said, Continue)
    assert said.prompt.startswith("unmet criteria: noisy")
    assert "the check itself changes files" in said.prompt
    assert "noise.txt" in said.prompt
    assert "--volatile" in said.prompt


def test_a_check_that_writes_volatile_files_is_fine(project) -> None:
    here = project()
    here.start(
        "--check", "noisy=date +%N >> noise.txt", "--volatile", "noise.txt", "--session", SESSION
    )

    assert turn(here).prompt.startswith("criteria met but exit_signal not set")


def test_a_must_not_that_comes_true_pauses_at_once(project) -> None:
    here = project()
    here.start(
        "--criterion",
        "docs",
        "--must-not",
        "secrets in the tree=test -e secret.txt",
        "--session",
        SESSION,
    )
    assert isinstance(turn(here), Continue)
    here.write({"secret.txt": ""})

    assert "⏸ Paused: must not: secrets in the tree" in turn(here).message
    assert here.loop.pause.cause == "must-not"


def test_a_must_not_that_cannot_be_checked_pauses_too(project) -> None:
    here = project()
    here.start("--criterion", "docs", "--must-not", "secrets=no-such-tool", "--session", SESSION)

    assert "cannot be checked" in turn(here).message


def test_secrets_in_output_reach_neither_journal_nor_prompt(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project()
    monkeypatch.setenv("DEPLOY_TOKEN", "correct-horse-battery")
    here.start("--check", "leaky=echo correct-horse-battery; exit 1", "--session", SESSION)
    here.write({"x.txt": ""})

    assert "correct-horse" not in turn(here).prompt.replace(
        "`echo correct-horse-battery; exit 1`", ""
    )
    assert "correct-horse-battery\\n" not in (here.root / ".loop/journal.jsonl").read_text()
    assert not any(
        "battery" in path.read_text() for path in (here.root / ".loop/evidence").iterdir()
    )


def test_keys_in_the_errors_of_an_agents_tools_do_not_reach_the_journal(
    counting_project: Project,
) -> None:
    def look(turn: TurnOver, _: Loop) -> TurnOver:
        return turn.but(
            tool_outcomes=(
                ToolOutcome("Bash deploy", "401 for token=ghp_0123456789abcdefghijklmno"),
            )
        )

    step(counting_project.folder, TurnOver(time.time(), SESSION, "hm", tool_calls=1), look)

    assert "ghp_0123456789" not in (counting_project.root / ".loop/journal.jsonl").read_text()
    assert "[redacted]" in counting_project.loop.dialogue.errors[-1]


@pytest.mark.parametrize("before", ["a stranger", "paused"])
def test_a_stop_that_does_not_count_costs_no_look(counting_project: Project, before: str) -> None:
    def look(turn: TurnOver, _: Loop) -> TurnOver:
        raise AssertionError("the transcript was read for nothing")

    if before == "paused":
        counting_project.run("pause")
    session = SESSION if before == "paused" else "s-2"

    assert isinstance(
        step(
            counting_project.folder,
            TurnOver(time.time(), session, "hm", transcript="t.jsonl"),
            look,
        ),
        Stop,
    )
