"""A plan under a runner, side by side: a worktree for each task, merged one after the other, and nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from loopwright.core.plan.plan import TaskFailure
from tests.support.plan_projects import (
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

pytestmark = pytest.mark.plans

TWO = ("--parallel", "--max-parallel", "2")


@pytest.fixture
def meet(tmp_path: Path) -> Path:
    """Where the agents of two lanes leave word for each other."""
    place = tmp_path / "meet"
    place.mkdir()
    return place


def failure(here: Project, task: str) -> TaskFailure:
    return plan_of(here.folder.read_loop() or here.ended).failure_of(task)


def lane(here: Project, task: str) -> Path:
    """The worktree of a task."""
    place = plan_of(here.folder.read_loop() or here.ended).worktree_of(task)
    assert place is not None
    return Path(place.path)


def left(here: Project) -> list[str]:
    """The tasks whose worktrees are still there."""
    return sorted(path.name for path in here.root.parent.glob(f"{here.root.name}-lanes-*/*"))


def test_two_lanes_work_at_once_and_land_one_after_the_other(project, meet: Path) -> None:
    """Each waits for the other's word: one after the other neither would get anywhere."""
    here = start_plan(
        project(),
        "--budget",
        "3",
        plan=a_plan(a_task("01"), a_task("02"), a_task("03", wave=2, depends="01,02")),
    )

    def both(me: str, other: str) -> list[str]:
        return [f"touch {meet / me}; {UNTIL.format(meet / other)} && echo met > {me}.txt"]

    said = run_script(
        here,
        turn_on("01", run=both("01", "02"), dollars=0.75),
        turn_on("02", run=[*both("02", "01"), UNTIL.format(here.root / "01.txt")], dollars=1.0),
        turn_on("03", run=["cat 01.txt 02.txt > 03.txt"], dollars=0.5),
        words=TWO,
    )

    assert said.code == 0, said.out + said.err
    assert [subject.partition(":")[0] for subject, _ in files_of(here)] == [
        "docs(1-01)",
        "docs(1-02)",
        "docs(1-03)",
    ]
    assert (here.root / "03.txt").read_text() == "met\nmet\n", (
        "what depends on others begins on what they left"
    )
    assert here.git("rev-list", "--merges", "HEAD") == "", (
        "one line of commits, each on top of the last"
    )
    assert (left(here), here.git("branch", "--list", "loop/*"), here.git("status", "--short")) == (
        [],
        "",
        "?? PLAN.md\n",
    )
    assert here.ended.spend.dollars == 2.25
    assert [event["lane"]["reserved_dollars"] for event in here.events("LaneStarted")] == [
        0.75,
        0.5625,
        0.3125,
    ]


def test_money_set_aside_for_lanes_is_never_more_than_what_is_left(project) -> None:
    tasks = [a_task(f"0{number}") for number in range(1, 6)]
    here = start_plan(project(), "--budget", "4", plan=a_plan(*tasks))
    turns = [turn_writing(f"0{number}", dollars=0.5) for number in range(1, 6)]
    said = run_script(
        here, *turns, words=("--parallel", "--max-parallel", "3", "--turn-budget", "2")
    )

    assert said.code == 0, said.out + said.err
    spent, reserved, most = 0.0, dict[str, float](), 0
    for event in here.events():
        if event["is"] == "LaneStarted":
            reserved[event["lane"]["task"]] = event["lane"]["reserved_dollars"]
            assert spent + sum(reserved.values()) <= 4
            most = max(most, len(reserved))
        elif event["is"] == "TurnEnded":
            spent += event["dollars"]
        elif event["is"] == "LaneEnded":
            del reserved[event["task"]]
    assert most == 2, "two at $2 are all that $4 are good for"


@pytest.mark.long
def test_one_at_a_time_is_a_worktree_each_all_the_same(project) -> None:
    here = start_plan(project())
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=("--max-parallel", "1"))

    assert said.code == 0, said.out + said.err
    assert [e["is"] for e in here.events() if e["is"] in ("LaneStarted", "LaneEnded")] == [
        "LaneStarted",
        "LaneEnded",
    ] * 2


def test_a_conflict_goes_back_to_the_agent_with_main_merged_into_its_worktree(
    project, meet: Path
) -> None:
    here = start_plan(project())
    first, second = {"01.txt": "x\n", "both.txt": "one\n"}, {"02.txt": "x\n", "both.txt": "two\n"}
    landed = f"{UNTIL.format(here.root / '01.txt')}"
    resolve = [
        f"cp both.txt {meet}/seen; git status > {meet}/status; cat 01.txt && printf 'one\\ntwo\\n' > both.txt"
    ]
    said = run_script(
        here,
        turn_on("02", "<attempt>2 of 3", run=resolve),
        turn_on("02", "<attempt>1 of 3"),  # says that it is complete, with the marks still there
        turn_on("01", write=first),
        turn_on("02", write=second, run=[landed]),
        words=(*TWO, "--json"),
    )

    events = [json.loads(line) for line in said.out.splitlines()]
    assert (said.code, events[-1]["event"], events[-1]["code"]) == (0, "end", 0), said.err
    told = [event["text"] for event in events if event["event"] == "said"]
    assert [text.split(" ", 3)[1:2] for text in told if "Merged" in text] == [
        ["Merged"],
        ["Merged"],
    ]
    assert [
        p
        for p in (meet / "seen").read_text().splitlines()
        if p[:7] in ("<<<<<<<", "=======", ">>>>>>>")
    ]
    assert {"one", "two"} <= {*(meet / "seen").read_text().splitlines()}
    assert "both added:      both.txt" in (meet / "status").read_text()
    assert failure(here, "02").times == 2
    errors = [event["error"] for event in here.events("TaskFailed")]
    assert errors[0] == (
        "conflicts with what main has by now: both.txt. Main is merged into your worktree now: resolve both.txt"
    )
    assert errors[1].startswith("the marks of a conflict are still in both.txt")
    assert (here.root / "both.txt").read_text() == "one\ntwo\n"
    assert (left(here), here.git("rev-list", "--merges", "HEAD")) == ([], "")


@pytest.mark.long
def test_a_failing_task_does_not_disturb_its_sibling_and_keeps_its_worktree(project) -> None:
    plan = a_plan(
        a_task("01"),
        a_task("02", "create 02.txt", "delete old.txt"),
        a_task("03", wave=2, depends="01"),
    )
    here = start_plan(
        project({"readme.md": "a project\n", "old.txt": "old\n"}), "--retries", "1", plan=plan
    )
    said = run_script(
        here,
        turn_on(
            "01",
            write={"01.txt": "all of it\n"},
            run=["git rm -q readme.md && git -c user.name=A -c user.email=a commit -qm gone"],
        ),
        turn_on("02", write={"02.txt": "x\n"}, run=["rm old.txt"]),
        words=TWO,
    )

    assert said.code == 4, said.out + said.err
    assert (
        "Task 01 failed after 1 retry: it changed files that are not this task's: readme.md"
        in said.out
    )
    assert files_of(here) == [("docs(1-02): do the work of 02", ["02.txt", "old.txt"])]
    assert (here.root / "readme.md").exists()
    assert left(here) == ["01"]
    assert (lane(here, "01") / "01.txt").read_text() == "all of it\n"
    assert f"kept at {lane(here, '01')}" in said.out

    assert here.run("continue").code == 0
    said = run_script(
        here,
        turn_on("01", run=["cat 01.txt && git checkout -q HEAD~1 -- readme.md"]),
        turn_writing("03"),
        words=TWO,
    )
    assert said.code == 0, said.out + said.err
    assert (left(here), (here.root / "01.txt").read_text()) == ([], "all of it\n")


@pytest.mark.long
def test_strict_pauses_at_the_first_task_out_of_retries_and_loses_nothing(
    project, meet: Path
) -> None:
    here = start_plan(
        project(), "--retries", "0", plan=a_plan(a_task("01"), a_task("02"), a_task("03", wave=2))
    )
    slow = f"{UNTIL.format(meet / 'go')}"
    turns = (
        turn_on("01", say="TASK FAILED: 01: no\n", run=[f"touch {meet}/go; sleep 0.1"]),
        turn_writing("02", run=[slow, "sleep 0.8"], dollars=0.25),
    )
    said = run_script(here, *turns, words=(*TWO, "--strict"))

    assert said.code == 4, said.out + said.err
    assert "Paused: Task 01 failed after 0 retries: no" in said.out
    assert (left(here), here.loop.spend.dollars, failure(here, "02").times) == (
        ["01", "02"],
        0.25,
        0,
    )
    here.run("continue")
    said = run_script(
        here,
        turn_writing("01"),
        turn_on("02", run=["test -e 02.txt"]),
        turn_writing("03"),
        words=(*TWO, "--strict"),
    )
    assert said.code == 0, said.out + said.err
    assert sorted(subject[5:9] for subject, _ in files_of(here)) == ["1-01", "1-02", "1-03"]


@pytest.mark.parametrize(
    ("git", "before", "why"),
    [
        (False, None, "is no git repository. `git init` and a first commit make it one"),
        (True, "unborn", "has no commit to begin from. Make the first: `git add -A && git commit`"),
        (
            True,
            "dirty",
            "not committed, and the plan changes them: 01.txt, deep/in/02.txt. Commit them first, then: loop run",
        ),
        (
            True,
            "detached",
            "is on no branch, and what lands there would be on none. `git switch -c BRANCH` first",
        ),
    ],
)
def test_what_cannot_work_side_by_side_is_refused_before_a_cent(
    project, git: bool, before: str | None, why: str
) -> None:
    here = project(git=git)
    if before == "unborn":
        here.git("update-ref", "-d", "HEAD")
    start_plan(here, plan=a_plan(a_task("01"), a_task("02", "create deep/in/02.txt")))
    if before == "dirty":
        here.write({"01.txt": "mine\n", "deep/in/02.txt": "mine\n"})
    if before == "detached":
        here.git("checkout", "-q", "--detach")
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=TWO)

    assert (said.code, why in said.err) == (1, True), said.out + said.err
    assert here.events("LaneStarted") == []
    assert left(here) == []


def test_a_spec_has_nothing_to_run_side_by_side(project) -> None:
    here = project()
    here.start()
    for words in (("--parallel",), ("--max-parallel", "2"), ("--strict",), ("--eager",)):
        said = run_script(here, {"say": "x"}, words=words)
        assert (
            said.code,
            "--eager and --strict are for a plan" in said.err,
        ) == (1, True)
    assert here.events("TurnStarted") == []
