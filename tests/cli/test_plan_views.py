"""What every view says of a plan: in the middle, at its end, in the words of a terminal; and the demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from tests.support.plan_projects import (
    a_plan,
    a_task,
    run_script,
    start_plan,
    turn_on,
    turn_writing,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans


@pytest.fixture
def started_plan_project(project) -> Project:
    return start_plan(project())


def test_every_view_of_a_plan_in_the_middle(project) -> None:
    tasks = a_task("01"), a_task("02"), a_task("03", wave=2, depends="01")
    here = start_plan(project(), "--retries", "0", plan=a_plan(*tasks))
    run_script(
        here,
        turn_on("01", say="TASK FAILED: 01: no way\nNEW ISSUE: [low] a typo"),
        turn_writing("02"),
    )

    board = here.run("status").out
    assert "⏸ paused: Task 01 failed after 0 retries: no way" in board
    assert "phase 1, execute: 1/3 tasks" in board
    assert "✗ 01 Do the work of 01 parked (failed 1x)" in board.replace("⏸ 01", "✗ 01")
    assert "03 Do the work of 03 blocked" in board
    assert "new issue: [low] a typo" in board
    why = here.run("why").out
    assert "paused: Task 01 failed after 0 retries" in why
    assert "task 01: failed 1 time of 1\n    no way\n" in why
    report = here.run("report").out
    assert "**NOT DONE: paused: Task 01 failed after 0 retries: no way**" in report
    assert "✓ task 02" in report
    assert "1/3" in here.run("statusline", stdin=f'{{"cwd": "{here.root}"}}').out
    facts = here.run("status", "--json").json["plan"]
    assert [(task["id"], task["state"], task["failures"]) for task in facts["tasks"]] == [
        ("01", "parked", 1),
        ("02", "done", 0),
        ("03", "open", 0),
    ]
    assert (facts["stage"], facts["issues"]) == ("execute", ["[low] a typo"])


def test_every_view_of_a_plan_at_its_end(started_plan_project: Project) -> None:
    said = run_script(
        started_plan_project,
        turn_writing("01", dollars=0.25),
        turn_writing("02"),
        words=("--json",),
    )
    assert said.code == 0, said.err

    report = started_plan_project.run("report").out
    assert "**Finished, proven in place. The checks pass here; " in report
    assert "2/2 tasks" in report
    row = "| 1 | script | 0.0 | $0.25 | 01.txt (+1 −0) | TASK COMPLETE: 01 | ✓ task 01 |"
    assert row in report
    assert started_plan_project.ended.verdict is not None
    assert started_plan_project.run("history", "--json").json[0]["status"] == "finished"


def test_the_words_in_a_terminal_are_those_of_a_terminal(started_plan_project: Project) -> None:
    for words in (("execute",), ("why",), ("status",), ("verify",)):
        said = started_plan_project.run(*words)
        assert "/loop:" not in said.out, f"{words}: {said.out}"


def test_verify_goes_on_without_what_was_parked(project) -> None:
    here = start_plan(project(), "--retries", "0")
    run_script(here, turn_on("01", say="TASK FAILED: 01: no"), turn_writing("02"))
    said = here.run("verify")

    assert said.code == 0, said.out + said.err
    assert plan_of(here.loop).stage == "verify"
    assert [gap.key for gap in plan_of(here.loop).gaps] == ["stub:01.txt"]
    assert "open your agent here, or: loop run" in said.out
    fix = {
        "when": '<gap type="stub"',
        "write": {"01.txt": "after all\n"},
        "say": "GAP CLOSED: 01.txt",
    }
    said = run_script(here, fix)
    assert said.code == 0, said.out + said.err
    assert sorted(plan_of(here.ended).done) == ["01", "02"]


@pytest.mark.long
def test_the_demo_of_a_plan_fails_twice_finds_a_gap_and_ends_proven(tmp_path: Path) -> None:
    here = Project(tmp_path / "elsewhere", git=False)
    said = here.run("demo", "plan", "--folder", str(tmp_path / "shop"))

    assert said.code == 0, said.out + said.err
    assert said.out.count("✗ task 02 failed") == 2
    assert said.out.count("✓ gap closed") == 1
    assert "🟢 SHIP" in said.out
    log = Project.git(_at(tmp_path / "shop"), "log", "--format=%s").splitlines()
    assert [line for line in log if line.startswith("fix(")]
    assert len([line for line in log if "(1-0" in line]) == 4


def _at(root: Path) -> Project:
    there = Project.__new__(Project)
    there.root = root
    return there
