"""A plan under a runner in your own checkout: one task after the other, one commit each, and nobody else's files in it."""

from __future__ import annotations

from typing import Any

import pytest

from loopwright.core.loop import plan_of
from loopwright.core.plan.plan import TaskFailure
from loopwright.drive.proof import parts_of_proof
from loopwright.drive.runner import headless
from loopwright.repo import user_repo
from tests.support.plan_projects import (
    DONE,
    a_plan,
    a_task,
    files_of,
    run_script,
    start_plan,
    turn_on,
    turn_writing,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans

TOOL_MENDED = turn_on("01", write={"tool.py": "VALUE = 2\n"})


def failure(here: Project, task: str) -> TaskFailure:
    return plan_of(here.folder.read_loop() or here.ended).failure_of(task)


def test_each_task_and_each_fix_is_one_commit_of_exactly_its_files(project) -> None:
    here = project(
        {"readme.md": "a project\n", "mine.txt": "as it was\n", "staged.txt": "as it was\n"}
    )
    here.write(
        {
            "mine.txt": "changed by the person\n",
            "staged.txt": "changed too\n",
            "drafts/idea.txt": "untracked\n",
        }
    )
    here.git("add", "staged.txt")
    start_plan(
        here,
        plan=a_plan(a_task("01", "create tool.py"), a_task("02", "create drafts/02.txt", wave=2)),
    )
    said = run_script(
        here,
        {
            "when": '<gap type="orphan"',
            "write": {"main.py": "import tool\n\nprint(tool.x)\n"},
            "say": "GAP CLOSED: tool.py",
        },
        turn_on("01", write={"tool.py": "x = 1\n", "helper.txt": "a file that no task names\n"}),
        turn_on("02", write={"drafts/02.txt": "the work of 02\n"}),
    )

    assert said.code == 0, said.out + said.err
    assert files_of(here) == [
        ("feat(1-01): do the work of 01", ["helper.txt", "tool.py"]),
        ("docs(1-02): do the work of 02", ["drafts/02.txt"]),
        ("fix(1): orphan tool.py", ["main.py"]),
    ]
    assert here.git("status", "--short", "-uall").splitlines() == [
        " M mine.txt",
        "M  staged.txt",
        "?? PLAN.md",
        "?? drafts/idea.txt",
    ]
    summary = (here.root / ".loop/summary.md").read_text("utf-8")
    hashes = here.git("log", "--format=%h", "--max-count=3").split()
    assert [one for one in hashes if one[:7] not in summary] == [], (
        "also the one after the journal was closed"
    )


def test_a_turn_that_changes_the_files_of_others_fails_until_it_puts_them_back(project) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02", wave=2)))
    back = ["git checkout -q HEAD~1 -- readme.md && rm 02.txt"]
    commit = "git -c user.name=A -c user.email=a commit -qam 'by the agent'"
    said = run_script(
        here,
        turn_on("01", "<attempt>2 of 3", run=back),
        turn_on("01", "<attempt>1 of 3"),
        turn_on(
            "01",
            write={"01.txt": "x\n", "02.txt": "not mine\n", "readme.md": "not mine either\n"},
            run=[commit],
        ),
        turn_writing("02"),
    )

    assert said.code == 0, said.out + said.err
    error = "it changed files that are not this task's: 02.txt, readme.md. Put them back as they were: git checkout"
    assert said.out.count(f"✗ task 01 failed (1 of 4): {error}") == 1
    assert said.out.count(f"✗ task 01 failed (2 of 4): {error}") == 1
    assert (failure(here, "01").times, failure(here, "02").times) == (2, 0)
    assert [subject for subject, _ in files_of(here)] == [
        "by the agent",
        *(subject for subject, _ in DONE),
    ]
    assert (here.root / "readme.md").read_text() == "a project\n"


def test_what_a_parked_task_leaves_behind_is_in_nobodys_commit(project) -> None:
    here = start_plan(project(), "--retries", "0")
    said = run_script(here, turn_on("01", write={"half.txt": "half\n"}), turn_writing("02"))

    assert said.code == 4, said.out + said.err
    assert (
        "⏸ Paused: Task 01 failed after 0 retries: - 01.1 01.txt exists: 01.txt is missing"
        in said.out
    )
    assert files_of(here) == [("docs(1-02): do the work of 02", ["02.txt"])]
    assert (here.root / "half.txt").exists()


def test_after_a_task_was_parked_for_talk_alone_continue_goes_on(project) -> None:
    here = start_plan(project(), "--retries", "2", plan=a_plan(a_task("01")))
    said = run_script(here, turn_on("01", say="TASK FAILED: 01: beyond me"))
    assert "Paused: Task 01 failed after 2 retries: beyond me" in said.out, said.out + said.err

    assert here.run("continue").code == 0
    assert here.loop.status == "running"
    assert run_script(here, turn_writing("01")).code == 0


def test_without_git_a_plan_is_executed_in_place_and_nothing_is_committed(project) -> None:
    here = start_plan(project(git=False))
    said = run_script(here, turn_writing("01"), turn_writing("02"))

    assert said.code == 0, said.out + said.err
    assert "ommitted" not in said.out


def test_what_tools_leave_behind_is_in_no_commit_of_a_task(project) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01")))
    caches = {"01.txt": "x\n", "__pycache__/a.pyc": "x", ".pytest_cache/v": "x"}
    said = run_script(here, turn_on("01", write=caches))
    assert said.code == 0, said.out + said.err
    assert [names for _, names in files_of(here)] == [["01.txt"]]


def test_what_changes_in_place_while_no_agent_works_is_reported(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here our check commits and our commit writes, as a person might; an agent's commit is its own."""
    own = "git -c user.name=A -c user.email=a commit -q"
    check = f'cmd="test -f 01.txt && {own} --allow-empty -m mine"'
    here = project()
    here.write({"PLAN.md": a_plan(a_task("01", checks=(check,)), a_task("02", wave=2))})
    here.commit("the plan")
    here.run("start", "--plan", "PLAN.md", "--yes", "--room", "off")
    assert here.run("allow", "--yes").code == 0
    commit = user_repo.commit_changes

    def commit_and_write(*words: Any) -> str:
        made = commit(*words)
        here.write({"late.txt": "x\n"})
        return made

    monkeypatch.setattr(user_repo, "commit_changes", commit_and_write)
    agent = [f"git add 02.txt && {own} -m 'by the agent'"]
    said = run_script(here, turn_writing("01"), turn_writing("02", run=agent))
    rows = [row for row in said.out.splitlines() if "that no task made" in row]
    assert rows, said.out + said.err
    assert all(" mine" in row and "by the agent" not in row for row in rows)
    assert "Changed in the checkout while no agent worked: late.txt" in said.out
    assert "Changed in the checkout while no agent worked: late.txt" in here.run("report").out


def test_a_task_that_would_be_committed_on_another_branch_waits_for_its_own(project) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01")))
    elsewhere = turn_writing("01", run=["git switch -q -c elsewhere"])
    said = run_script(here, elsewhere, turn_on("01"))

    assert said.code == 4, said.out + said.err
    assert "the branch elsewhere is checked out now" in here.loop.pause.why
    here.git("switch", "-q", "main")
    said = here.run("run", "--continue")
    assert said.code == 0, said.out + said.err
    assert [names for _, names in files_of(here)] == [["01.txt"]]
    assert here.git("log", "--format=%s", "elsewhere") != here.git("log", "--format=%s", "main")


@pytest.mark.parametrize(
    ("place", "name"),
    [(parts_of_proof, "run_part_of_proof"), (headless.iteration_files, "append_iteration")],
    ids=["before its checks", "before its commit"],
)
def test_a_task_whose_runner_was_killed_is_committed_by_the_next(
    project, monkeypatch: pytest.MonkeyPatch, place, name: str
) -> None:
    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02", wave=2)))
    with monkeypatch.context() as patched:
        patched.setattr(place, name, kill)
        with pytest.raises(Killed):
            run_script(here, turn_writing("01"))
    said = run_script(here, turn_writing("02"))

    assert said.code == 0, said.out + said.err
    assert [names for _, names in files_of(here)] == [["01.txt"], ["02.txt"]]


def late_plan(project) -> Project:
    """A loop on a plan whose check waits for the person."""
    test = "import tool\nassert tool.VALUE == 2, tool.VALUE\n"
    main = "import tool\n\nprint(tool.VALUE)\n"
    here = project({"tool.py": "VALUE = 1\n", "main.py": main, "check.py": test})
    check = 'cmd="python3 -B check.py"'
    here.write({"PLAN.md": a_plan(a_task("01", "modify tool.py", checks=(check,)))})
    here.commit("the plan")
    assert here.run("start", "--plan", "PLAN.md", "--yes").code == 0
    return here


def test_checks_that_are_allowed_after_the_start_are_measured_and_calibrated_then(project) -> None:
    here = late_plan(project)
    said = here.run("allow", "--yes")

    assert said.code == 0, said.err
    assert "Failing now, so it can prove the work: 01.1 it works" in said.out
    assert "in a clean checkout, where the checks give the same results" in said.out
    assert [c.guard for c in here.loop.criteria if c.runs_command] == [False]
    assert here.loop.room.status == "trusted"
    said = run_script(here, TOOL_MENDED)
    assert said.code == 0, said.out + said.err
    assert here.ended.verdict.grade == "proven", here.ended.verdict


def test_a_yes_to_the_question_of_the_start_measures_the_checks_that_it_allows(project) -> None:
    here = late_plan(project)
    assert here.run("answer", "y").code == 0

    assert [c.guard for c in here.loop.criteria if c.runs_command] == [False]
    assert here.loop.room.status == "trusted"


@pytest.mark.long
def test_checks_that_are_allowed_after_a_change_say_why_the_plan_is_proven_in_place(
    project, own_terminal
) -> None:
    here = late_plan(project)
    here.write({"02.txt": "somebody works already\n"})
    assert here.run("allow", "--yes").code == 0
    said = run_script(here, TOOL_MENDED)

    why = "no clean checkout: the checks could not be tried in one at the start"
    assert said.code == 0, said.out + said.err
    assert why in said.out
    assert why in here.run("receipt").out
    assert here.ended.verdict.grade == "proven-in-place"

    said = here.run("audit", "--finish")
    assert said.code == 0, said.out + said.err
    assert here.ended.verdict.grade == "proven", "the check fails on the tree of the start"


def test_a_plan_whose_tasks_are_all_ticked_says_that_nothing_is_left(project) -> None:
    here = project()
    here.write({"PLAN.md": "# Plan\n\n- [x] write a\n- [x] write b\n"})
    here.commit("the plan")
    said = here.run("start", "--plan", "PLAN.md", "--yes")

    assert said.code == 0, said.err
    assert "Nothing is left to do: every task is ticked" in said.out
    assert "loop run" not in said.out
