"""Lanes that something comes between: Ctrl-C, kill -9, a limit. What they hold stays, what they cost is counted."""

from __future__ import annotations

import copy
import json
import random
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.loop import plan_of, run_of
from tests.e2e.waiting import until
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
from tests.support.runner import Runner, script, wait_until_gone, write_fake_agent

pytestmark = pytest.mark.plans

TWO = ("--parallel", "--max-parallel", "2")
# Speaks as claude does: writes half of its work, then waits; asked to end, it says what it has cost.
HALF = """
import re
task = re.search('<task id="(..)"', sys.stdin.read())[1]
def say(*_):
    print(json.dumps({"type": "result", "is_error": False, "result": "stopped", "total_cost_usd": 0.75}), flush=True)
    os._exit(1)
signal.signal(signal.SIGINT, say)
print(json.dumps({"type": "system", "subtype": "init", "session_id": "s1"}), flush=True)
open(f"{task}.txt", "w").write(f"half of {task}\\n")
open(f"{FOLDER}/{task}.tmp", "w").write(f"{os.getpid()}\\n")
os.rename(f"{FOLDER}/{task}.tmp", f"{FOLDER}/{task}")
time.sleep(300)
"""
REST = {
    task: turn_on(
        task, run=[f"grep 'half of {task}' {task}.txt && echo the rest >> {task}.txt"], dollars=0.5
    )
    for task in ("01", "02")
}


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    place = tmp_path / "pids"
    place.mkdir()
    return place


def halfway(here: Project, pids: Path) -> tuple[Runner, list[int]]:
    """A runner in the middle of two lanes, and their agents."""
    path = write_fake_agent(here, "claude", f"FOLDER = {str(pids)!r}\n{HALF}")
    runner = Runner(here, "--agent", "claude", *TWO, PATH=path)
    files = pids / "01", pids / "02"
    until(
        lambda: all(file.exists() for file in files) or runner.process.poll() is not None,
        lambda: runner.out,
    )
    assert runner.process.poll() is None, runner.ends()
    return runner, [int(file.read_text()) for file in files]


def ended_well(here: Project) -> None:
    """Both tasks are done once, from what the first attempt left, and nothing else is anywhere."""
    assert sorted(files_of(here)) == DONE
    assert [(here.root / f"{task}.txt").read_text() for task in ("01", "02")] == [
        f"half of {t}\nthe rest\n" for t in ("01", "02")
    ]
    assert not list(here.root.parent.glob("*-lanes-*/*"))
    assert here.git("branch", "--list", "loop/*") == ""
    assert plan_of(here.ended).failures == ()


@pytest.mark.long
def test_ctrl_c_twice_ends_both_agents_and_the_rest_is_done_later(project, pids: Path) -> None:
    here = start_plan(project())
    runner, agents = halfway(here, pids)
    with runner:
        runner.hears(signal.SIGINT).shows("Pausing after this turn")
        said = runner.hears(signal.SIGINT).ends()

    assert said.code == 8, said.out + said.err
    assert wait_until_gone(*agents)
    assert (here.loop.status, here.loop.pause.cause, here.loop.spend.dollars) == (
        "paused",
        "person",
        1.5,
    )
    assert (plan_of(here.loop).lanes, plan_of(here.loop).failures) == ((), ())
    assert here.run("continue").code == 0
    said = run_script(here, *REST.values(), words=TWO)
    assert said.code == 0, said.out + said.err
    ended_well(here)
    assert here.ended.spend.dollars == 2.5


def test_kill_9_with_two_lanes_under_way_loses_neither(project, pids: Path) -> None:
    here = start_plan(project())
    runner, agents = halfway(here, pids)
    with runner:
        runner.kill()

    assert wait_until_gone(*agents)
    assert plan_of(here.loop).running_tasks == ("01", "02")
    said = run_script(here, *REST.values(), words=TWO)
    assert said.code == 0, said.out + said.err
    assert said.out.count("An earlier runner died in its turn") == 2
    assert here.ended.spend.iterations == 2, "what a runner died in is no iteration"
    ended_well(here)


@pytest.mark.long
def test_a_commit_on_main_while_the_lanes_had_no_runner_is_not_taken_for_ours(
    project, pids: Path
) -> None:
    here = start_plan(project())
    runner, agents = halfway(here, pids)
    with runner:
        runner.kill()
    assert wait_until_gone(*agents)
    here.git("commit", "-q", "--allow-empty", "-m", "mine")
    mine = here.git("rev-parse", "HEAD")[:12]

    said = run_script(here, *REST.values(), words=TWO)
    assert said.code == 4, said.out + said.err
    assert f"main is at {mine} (mine), a commit that no task made" in said.out
    assert here.run("continue").code == 0
    said = run_script(here, *REST.values(), words=TWO)
    assert said.code == 0, said.out + said.err


@pytest.mark.long
def test_a_kill_while_the_whole_is_verified_leaves_no_worktree_after_the_next_run(
    project, pids: Path
) -> None:
    """The check kills its runner once, when the last task is in main and its lane is still there."""
    flag = pids / "killed"
    kills = f"test -e {flag} || {{ touch {flag}; kill -9 $PPID; sleep 5; }}"
    must = f"it works (check: `test ! -f 02.txt || {{ {kills}; }}`)"
    here = start_plan(project(), plan=a_plan(a_task("01"), a_task("02"), musts=(must,)))
    assert here.run("allow", "--yes").code == 0
    turns = script(here, turn_writing("01"), turn_writing("02"))
    with Runner(here, "--script", turns, *TWO) as runner:
        runner.process.wait(60)
    assert flag.exists(), runner.out
    assert list(here.root.parent.glob("*-lanes-*/*"))

    said = run_script(here, {"say": "never asked"}, words=TWO)
    assert said.code == 0, said.out + said.err
    assert not list(here.root.parent.glob("*-lanes-*"))
    assert here.git("branch", "--list", "loop/*") == ""


def lane(here: Project, task: str) -> Project:
    """The worktree of a task, as a project."""
    place = plan_of(here.loop).worktree_of(task)
    assert place is not None
    side = copy.copy(here)
    side.root = Path(place.path)
    return side


def stopped(here: Project, **does: Any) -> None:
    """Both lanes were at work when the person touched .loop/STOP."""
    there = here.root.parent / "there"
    turns = (
        turn_writing(
            "01", run=[f"{UNTIL.format(there)} && touch {here.root}/.loop/STOP; sleep 60"], **does
        ),
        turn_writing("02", run=[f"touch {there}; sleep 60"], **does),
    )
    said = run_script(here, *turns, words=TWO)
    assert said.code == 8, said.out + said.err
    assert here.run("continue").code == 0


def test_what_a_killed_runner_merged_and_did_not_note_is_not_done_twice(project) -> None:
    """In the moment before the note the lane holds the candidate, and main has moved to it."""
    here = start_plan(project())
    stopped(here)
    for task, (subject, _) in zip(("01", "02"), DONE, strict=True):
        side = lane(here, task)
        side.commit(subject)
        side.git("rebase", "-q", "main")
        here.git("merge", "-q", "--ff-only", side.git("branch", "--show-current").strip())
    heads = here.git("rev-list", "--max-count=2", "HEAD").split()
    said = run_script(here, {"say": "TASK FAILED: 01: it is done already"}, words=TWO)

    assert said.code == 0, said.out + said.err
    assert "<loop-complete>" in said.out
    assert "▶ Task" not in said.out
    assert dict(plan_of(here.ended).commits) == {"01": heads[1], "02": heads[0]}
    assert files_of(here) == DONE
    assert not list(here.root.parent.glob("*-lanes-*/*"))


def test_a_lane_that_merely_caught_up_with_main_is_not_taken_for_done(project) -> None:
    """Its branch is in main, but none of its work is."""
    here = start_plan(project())
    stopped(here, write={})
    here.write({"other.txt": "of the person\n"})
    here.commit("something else")
    lane(here, "01").git("merge", "-q", "--ff-only", "main")
    said = run_script(here, turn_writing("01"), turn_writing("02"), {"say": "nothing"}, words=TWO)

    assert "▶ Task 01" in said.out
    assert said.code == 0, said.out + said.err
    assert (here.root / "01.txt").read_text() == "the work of 01\n"


@pytest.mark.long
def test_a_usage_limit_in_one_lane_lets_the_other_end_and_is_waited_for(
    project, tmp_path: Path
) -> None:
    here = start_plan(project())
    (tmp_path / "later.json").write_text(
        json.dumps({"turns": [turn_writing("01"), turn_writing("02")]})
    )
    then = f"cp {tmp_path}/later.json {script(here)}"
    turns = script(
        here,
        turn_on("01", fail="usage limit reached", limit=2, run=[then]),
        turn_writing("02", run=["sleep 0.3"]),
    )
    said = here.run("run", "--script", turns, *TWO)

    assert said.code == 0, said.out + said.err
    began = [
        (event["lane"]["task"], event["lane"]["started_at"]) for event in here.events("LaneStarted")
    ]
    assert [task for task, _ in began] == ["01", "02", "01"]
    assert began[2][1] >= here.events("WaitStarted")[0]["until"]
    assert here.ended.spend.iterations == 2, "a limit costs no iteration"
    assert plan_of(here.ended).failures == (), "and no attempt"
    assert run_of(here.ended).waited_seconds > 0


@pytest.mark.long
def test_a_folder_in_the_way_of_one_lane_costs_the_other_nothing(project) -> None:
    here = start_plan(project())
    way = here.root.parent / f"{here.root.name}-lanes-{here.loop.id[-6:]}/02"
    way.mkdir(parents=True)
    (way / "mine.txt").write_text("the person's\n")
    said = run_script(here, turn_writing("01"), words=TWO)

    assert said.code == 4, said.out + said.err
    assert f"Paused: task 02 has no worktree: {way}" in said.out
    assert plan_of(here.loop).failures == (), "no attempt of an agent is spent on it"
    assert (plan_of(here.loop).done, [*way.iterdir()]) == (("01",), [way / "mine.txt"])
    (way / "mine.txt").unlink()
    way.rmdir()
    here.run("continue")
    said = run_script(here, turn_writing("02"), words=TWO)
    assert said.code == 0, said.out + said.err


def test_an_error_of_our_own_in_one_lane_is_no_attempt_of_the_others(
    project, tmp_path: Path, monkeypatch
) -> None:
    """One lane is cut off by it; another was over just before, and nobody has brought its work in yet."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # for the note of the crash
    modify = a_task("01", "modify readme.md", checks=('readme.md contains "project"',))
    here = start_plan(project(), plan=a_plan(modify, a_task("02"), a_task("03"), a_task("04")))
    way = here.root / ".loop/fences/04.json"
    way.mkdir(parents=True)
    slow = turn_writing("03", run=["sleep 60"])
    said = run_script(
        here,
        turn_on("01", run=["echo more >> readme.md; sleep 60"]),
        turn_writing("02", run=["sleep 0.5"]),
        slow,
        words=("--parallel",),
    )

    assert (said.code, "our own error" in said.err) == (1, True), said.out + said.err
    assert (plan_of(here.loop).failures, plan_of(here.loop).done) == ((), ())
    way.rmdir()
    rest = (
        turn_on("02", run=["grep 'the work of 02' 02.txt"]),
        turn_on("01", run=["grep more readme.md"]),
        turn_on("03", run=["grep 'the work of 03' 03.txt"]),
        turn_writing("04"),
    )
    said = run_script(here, *rest, words=TWO)
    assert said.code == 0, said.out + said.err
    assert (here.root / "readme.md").read_text() == "a project\nmore\n"


def test_a_question_in_one_lane_is_answered_to_it_and_the_other_loses_nothing(
    project, tmp_path: Path
) -> None:
    here = start_plan(project())
    asked = tmp_path / "asked"
    said = run_script(
        here,
        turn_on("01", say="CHECKPOINT: which colour?", run=[f"touch {asked}"]),
        turn_writing("02", run=[UNTIL.format(asked), "sleep 0.5"]),
        words=TWO,
    )
    assert (said.code, "which colour?" in said.out) == (6, True), said.out + said.err
    assert here.run("answer", "blue").code == 0
    said = run_script(
        here,
        turn_writing("01", "The person says: blue"),
        turn_on("02", run=["grep 'the work of 02' 02.txt"]),
        words=TWO,
    )

    assert said.code == 0, said.out + said.err
    assert sorted(files_of(here)) == DONE


def test_a_worktree_that_was_made_and_not_noted_is_used(project) -> None:
    """A runner was killed in the moment between the two."""
    here = start_plan(project())
    place = here.root.parent / f"{here.root.name}-lanes-{here.loop.id[-6:]}/01"
    here.git("worktree", "add", "-q", "-b", f"loop/{here.loop.id}-01/work", str(place))
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=TWO)

    assert said.code == 0, said.out + said.err
    assert sorted(files_of(here)) == DONE


def test_cancelled_from_elsewhere_both_agents_end_and_their_work_stays(project, pids: Path) -> None:
    here = start_plan(project())
    runner, agents = halfway(here, pids)
    with runner:
        assert here.run("cancel").code == 0
        said = runner.ends()

    assert said.code == 8, said.out + said.err
    assert wait_until_gone(*agents)
    kept = sorted(here.root.parent.glob("*-lanes-*/*/0?.txt"))
    assert [path.read_text() for path in kept] == ["half of 01\n", "half of 02\n"]
    assert all(str(path.parent) in said.out for path in kept)


@pytest.mark.long
def test_after_many_kills_each_task_is_committed_once(project) -> None:
    """Kill -9 at chance moments, also while commits wait in line and their checks run."""
    dice = random.Random(7)
    names = [f"{number:02}" for number in range(1, 9)]
    tasks = [a_task(name, checks=(f'cmd="sleep 0.3; test -f {name}.txt"',)) for name in names]
    here = project()
    here.write({"PLAN.md": a_plan(*tasks)})
    here.run("start", "--plan", "PLAN.md", "--yes", "--room", "off")
    here.run("allow", "--yes")
    turns = script(here, *(turn_writing(name, run=["sleep 0.3"]) for name in names))
    words = ("--script", turns, "--parallel", "--max-parallel", "3")
    for _ in range(10):
        if here.folder.read_loop() is None:
            break
        with Runner(here, *words) as runner:
            with suppress(subprocess.TimeoutExpired):
                runner.process.wait(timeout=dice.uniform(0.8, 4.0))
            runner.kill()
    if here.folder.read_loop() is not None:
        with Runner(here, *words) as runner:
            said = runner.ends()
        assert said.code == 0, said.out + said.err
    assert here.ended.status == "finished"
    subjects = [subject for subject, _ in files_of(here)]
    assert sorted(subjects) == [f"docs(1-{name}): do the work of {name}" for name in names]
    assert plan_of(here.ended).failures == ()
    assert here.git("branch", "--list", "loop/*") == ""
