"""Lanes that can work, and what no agent is charged for: what a worktree lacks, what a person is in the way of."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from loopwright.drive.runner.lane_trial import remove_trials, trial_lane
from loopwright.repo.git import GitError
from tests.support.plan_projects import (
    DONE,
    UNTIL,
    a_plan,
    a_task,
    files_of,
    run_script,
    start_plan,
    turn_on,
    turn_writing,
)
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.plans

TWO = ("--parallel", "--max-parallel", "2")


def allowed(here: Project, plan: str, *words: str) -> Project:
    """A loop on a plan whose commands may run."""
    here.write({"PLAN.md": plan})
    said = here.run("start", "--plan", "PLAN.md", "--yes", *words)
    assert here.run("allow", "--yes").code == 0, said.out + said.err
    return here


def with_environment(here: Project) -> Project:
    """A project with an ignored folder of packages, whose program names its own path."""
    here.write({".gitignore": ".venv/\n.env\n"})
    here.commit("ignore")
    here.write(
        {
            ".venv/pyvenv.cfg": "home = /usr\n",
            ".venv/bin/prove": f"#!/bin/sh\ntest -f {here.root}/$1 && test -d {here.root}/.git -o -f {here.root}/.git\n",
        }
    )
    (here.root / ".venv/bin/prove").chmod(0o755)
    return here


def lane_folder(here: Project) -> str:
    return f"{here.root}-lanes-{(here.folder.read_loop() or here.ended).id[-6:]}"


def test_a_lane_has_the_packages_of_the_project_and_they_lead_into_the_lane(project) -> None:
    here = with_environment(project())
    tasks = [a_task(n, checks=(f'cmd=".venv/bin/prove {n}.txt"',)) for n in ("01", "02")]
    allowed(here, a_plan(*tasks))
    ran = ["prove 01.txt > ran.log; command -v prove > which.log; rm -f ran.log"]
    said = run_script(
        here,
        turn_writing("01", run=ran),
        turn_writing("02"),
        words=TWO,
    )
    assert said.code == 0, said.out + said.err
    assert sorted(name for _, names in files_of(here)[1:] for name in names) == [
        "01.txt",
        "02.txt",
        "which.log",
    ], "the packages are in no commit"
    assert "brought new files that no task names: which.log" in said.out


def test_what_only_the_lane_lacks_is_named_before_a_turn(project) -> None:
    here = with_environment(project())
    here.write({".env": "KEY=1\n"})
    allowed(here, a_plan(a_task("01", checks=('cmd="grep -q KEY .env && test -f 01.txt"',))))
    said = run_script(here, turn_writing("01"), words=TWO)
    assert said.code == 1
    assert "fails in a fresh worktree: grep: .env: No such file or directory" in said.err
    assert "The worktree lacks .env." in said.err
    assert here.events("LaneStarted") == []
    assert not Path(lane_folder(here)).exists()

    here.write({".worktreeinclude": ".env\n"})
    said = run_script(here, turn_writing("01"), words=TWO)
    assert said.code == 0, said.out + said.err


def test_submodules_are_checked_out_in_a_lane(project, tmp_path: Path) -> None:
    library = Project(tmp_path / "library", {"lib.txt": "the library\n"})
    here = project()
    here.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "lib")
    here.commit("with a submodule")
    allowed(here, a_plan(a_task("01", checks=('cmd="test -f lib/lib.txt && test -f 01.txt"',))))
    said = run_script(here, turn_writing("01"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert not Path(lane_folder(here)).exists()


def test_checks_of_two_lanes_run_at_once(project, tmp_path: Path) -> None:
    """Each check waits for the other: one after the other neither would pass."""
    meet = tmp_path / "meet"
    meet.mkdir()

    def check(me: str, other: str) -> str:
        wait = UNTIL.format(meet / other).replace('"', "")
        return f'cmd="test -f {me}.txt && touch {meet / me} && {{ {wait}; }}"'

    tasks = [
        a_task("01", checks=(check("01", "02"),)),
        a_task("02", checks=(check("02", "01"),)),
    ]
    here = allowed(project(), a_plan(*tasks))
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert plan_of(here.ended).failures == ()
    assert len(files_of(here)) == 2


def test_a_lane_behind_one_that_fails_lands_without_its_work(project, tmp_path: Path) -> None:
    """Its commit stood on that of the other, and is made again."""
    slow = f'cmd="{UNTIL.format(tmp_path / "second")}; test -f ok.txt"'
    tasks = [
        a_task("01", "create 01.txt", "create ok.txt", checks=(slow,)),
        a_task("02", checks=(f'cmd="touch {tmp_path / "second"}; test -f 02.txt"',)),
    ]
    here = allowed(project(), a_plan(*tasks), "--retries", "0")
    said = run_script(here, turn_writing("01"), turn_writing("02", run=["sleep 0.5"]), words=TWO)
    assert said.code == 4, said.out + said.err
    assert [names for _, names in files_of(here)] == [["02.txt"]]
    assert plan_of(here.loop).done == ("02",)


def test_an_edit_of_the_person_blocks_the_landing_and_costs_no_attempt(project) -> None:
    here = project({"readme.md": "a project\n"})
    task = a_task("01", "modify readme.md", checks=('readme.md contains "more"',))
    start_plan(here, plan=a_plan(task))
    edits = [f"echo mine >> {here.root}/readme.md", "echo more >> readme.md"]
    said = run_script(here, turn_on("01", run=edits), words=TWO)
    assert said.code == 4, said.out + said.err
    assert "task 01 is proven and cannot land" in said.out
    assert "Commit or stash them" in said.out
    assert "Changed in the main checkout while task 01 ran elsewhere: readme.md" in said.out
    assert plan_of(here.loop).failures == ()

    here.git("checkout", "-q", "--", "readme.md")
    here.run("continue")
    turns = len(here.events("LaneStarted"))
    said = run_script(here, turn_on("01", say="never asked"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert len(here.events("LaneStarted")) == turns, "its work is there already"
    assert (here.root / "readme.md").read_text() == "a project\nmore\n"


IN_MAIN = "git -c user.name=A -c user.email=a@example.invalid -C {}"
MOVES = [
    pytest.param("{git} commit -q --allow-empty -m mine", id="a commit", marks=pytest.mark.long),
    pytest.param("{git} rm -qr . && {git} commit -qm mine", id="a commit that empties main"),
    pytest.param("{git} commit -q --amend -m mine", id="a rewritten commit"),
]


@pytest.mark.parametrize("moves", every(2, [*MOVES]))
def test_a_commit_on_main_that_no_task_made_pauses_with_its_hash_and_nothing_lands(
    project, moves: str
) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02"), a_task("03", wave=2)))
    before = here.git("rev-parse", "HEAD").strip()
    move = moves.format(git=IN_MAIN.format(here.root))
    said = run_script(here, turn_writing("01", run=[move]), turn_writing("02"), words=TWO)
    assert said.code == 4, said.out + said.err
    mine = here.git("rev-parse", "HEAD").strip()
    assert here.events("TaskFinished") == []
    assert f"main is at {mine[:12]} (mine), a commit that no task made" in said.out
    assert f"git show {mine[:12]}" in said.out
    assert plan_of(here.loop).failures == ()
    assert here.git("cat-file", "-t", before) == "commit\n"


def test_work_that_waited_for_a_commit_of_the_person_lands_without_another_turn(project) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02")))
    git = IN_MAIN.format(here.root)
    commit = f"cd {here.root} && echo x > other.txt && git add other.txt && {git} commit -qm mine"
    said = run_script(here, turn_writing("01", run=[commit]), turn_writing("02"), words=TWO)
    assert (said.code, plan_of(here.loop).failures) == (4, ()), said.out + said.err

    assert here.run("continue").code == 0
    said = run_script(here, turn_on("01", say="never asked"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert len(here.events("LaneStarted")) == 2, "each turn is paid for once"
    subjects = [subject for subject, _ in files_of(here)]
    assert sorted(subjects) == sorted(["mine", *(subject for subject, _ in DONE)])
    report = here.run("report").out
    assert "Commits that no task made" in report
    assert " mine" in report


@pytest.mark.parametrize("how", every(2, ["git switch -q -c own", "git checkout -q --detach"]))
def test_a_branch_that_the_agent_made_in_its_lane_is_taken_over(project, how: str) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01")))
    moves = [f"{how} && git add -A && git commit -qm own"]
    said = run_script(here, turn_writing("01", run=moves), words=TWO)
    assert said.code == 0, said.out + said.err
    assert plan_of(here.ended).failures == ()
    assert [names for _, names in files_of(here)] == [["01.txt"]]


def test_a_task_that_main_passes_already_is_done_without_a_commit(project) -> None:
    here = project({"readme.md": "a project\n", "01.txt": "there\n"})
    start_plan(here, plan=a_plan(a_task("01", "modify 01.txt"), a_task("02")))
    said = run_script(here, turn_on("01"), turn_writing("02"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert "Task 01: main passes its checks already" in said.out
    assert [names for _, names in files_of(here)] == [["02.txt"]]
    assert plan_of(here.ended).failures == ()


@pytest.mark.parametrize("words", [(), TWO], ids=["in place", "in lanes"])
@pytest.mark.parametrize(
    "check", [pytest.param("01.txt exists", marks=pytest.mark.long), 'cmd="test -f 01.txt"']
)
def test_a_plan_that_changes_nothing_is_not_shipped(
    project, check: str, words: tuple[str, ...]
) -> None:
    """Its checks passed before; that the command is allowed after the start makes no difference."""
    here = project({"readme.md": "a project\n", "01.txt": "there\n"})
    start_plan(here, plan=a_plan(a_task("01", "modify 01.txt", checks=(check,))))
    here.run("allow", "--yes")
    said = run_script(here, turn_on("01"), words=words)
    assert said.code == 10, said.out + said.err
    assert here.ended.verdict.why.startswith("every check passed before the work began")
    assert not here.ended.verdict.proven


def test_what_looks_like_a_secret_does_not_land(project) -> None:
    here = start_plan(project(), "--retries", "0", plan=a_plan(a_task("01")))
    key = "sk-" + "a1b2c3d4e5f6g7h8i9j0"
    said = run_script(here, turn_on("01", write={"01.txt": f"key = {key}\n"}), words=TWO)
    assert said.code == 4, said.out + said.err
    assert "it adds what looks like a secret" in said.out
    assert key not in said.out
    assert files_of(here) == []


def test_a_switched_branch_pauses_the_run_and_names_both(project) -> None:
    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02", depends="01", wave=2)))
    switch = [f"git -C {here.root} switch -q -c other"]
    said = run_script(here, turn_writing("01", run=switch), words=TWO)
    assert said.code == 4, said.out + said.err
    assert "began on the branch main, and the branch other is checked out now" in said.out
    assert here.git("log", "--format=%s", "other").count("docs(1-01)") == 0
    here.git("switch", "-q", "main")
    here.run("continue")
    said = run_script(here, turn_writing("02"), words=TWO)
    assert said.code == 0, said.out + said.err


@pytest.mark.long
def test_a_kill_in_the_trial_leaves_a_worktree_that_the_next_run_removes(project) -> None:
    here = allowed(project(), a_plan(a_task("01", checks=('cmd="test -f 01.txt"',))))
    trial = Path(lane_folder(here), ".trial-1")
    trial.parent.mkdir()
    here.git("worktree", "add", "-q", "--detach", str(trial), "HEAD")
    said = run_script(here, turn_writing("01"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert not trial.parent.exists()
    assert here.git("worktree", "list").count("\n") == 1
    shutil.rmtree(trial.parent, ignore_errors=True)


def test_a_trial_that_was_killed_while_git_made_it_leaves_nothing_in_the_list(project) -> None:
    here = project()
    lanes = here.root.parent / "project-lanes-x"
    for name in (".trial-1", ".verify-1", "01"):
        here.git("worktree", "add", "-q", "--detach", str(lanes / name), "HEAD")
    here.git("worktree", "lock", str(lanes / ".trial-1"))  # as git does while it makes one
    (lanes / ".trial-1" / ".git").unlink()
    shutil.rmtree(lanes / ".verify-1")

    remove_trials(str(here.root), str(lanes))
    assert here.git("worktree", "list").count("\n") == 2
    assert [path.name for path in lanes.iterdir()] == ["01"]


def test_worktrees_that_are_made_and_removed_at_once_do_not_disturb_each_other(project) -> None:
    here = project()
    problems: list[str] = []

    def make_and_remove(number: int) -> None:
        for _ in range(4):
            try:
                with trial_lane(str(here.root), f"{here.root}-lanes-x/.trial-{number}"):
                    pass
            except GitError as error:
                problems.append(str(error))

    threads = [threading.Thread(target=make_and_remove, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert here.git("worktree", "list").count("\n") == 1
