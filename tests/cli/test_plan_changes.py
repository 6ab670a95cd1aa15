"""A plan that changes after the start, its pictures, what is still to go, and worktrees that were left."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from loopwright.views.plan_estimate import remaining_facts, remaining_text
from tests.support.plan_projects import (
    a_plan,
    a_task,
    run_script,
    start_plan,
    turn_on,
    turn_writing,
)
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.plans

TWO = ("--parallel", "--max-parallel", "2")


def tasks_of(here: Project) -> list[str]:
    return [task.id for task in plan_of(here.loop).tasks]


def test_an_edited_plan_is_noticed_and_its_difference_shown_before_it_is_taken_over(
    project,
) -> None:
    here = start_plan(project())
    assert "edited" not in here.run("status").out
    here.write(
        {"PLAN.md": a_plan(a_task("01", does="Do it in another way."), a_task("03"))},
    )
    assert "edited after the start. Look: `loop plan reload`" in here.run("status").out
    said = here.run("plan", "reload")
    assert said.out.splitlines() == [
        "+ 03 Do the work of 03",
        "- 02 Do the work of 02",
        "~ 01 Do it in another way (title, action)",
        "Take it over: loop plan reload --yes",
    ]
    assert tasks_of(here) == ["01", "02"]
    assert here.run("plan", "reload", "--yes").code == 0
    assert tasks_of(here) == ["01", "03"]
    assert "edited" not in here.run("status").out
    said = run_script(here, turn_writing("01"), turn_writing("03"))
    assert said.code == 0, said.out + said.err


@pytest.mark.long
def test_a_run_says_that_the_plan_was_edited_and_so_does_the_report(project) -> None:
    here = start_plan(project())
    here.write({"PLAN.md": a_plan(a_task("01"), a_task("02"), a_task("03"))})
    said = run_script(here, turn_writing("01"), turn_writing("02"), words=TWO)
    assert said.code == 0, said.out + said.err
    assert said.out.count("PLAN.md was edited after the start") == 1
    assert "PLAN.md was edited after the start" in here.run("report").out


def test_a_task_can_be_added_left_out_and_done_once_more(project) -> None:
    here = start_plan(project())
    said = here.run("plan", "add", "write three", "--check", "test -f 3.txt", "--after", "01")
    assert (said.code, "waits for your yes: loop allow" in said.out) == (0, True), said.err
    assert here.run("allow", "--yes").code == 0
    assert "no task '9'" in here.run("plan", "skip", "9").err
    assert here.run("plan", "skip", "02").code == 0
    assert tasks_of(here) == ["01", "03"]
    said = run_script(
        here, turn_writing("01"), turn_on("03", write={"other.txt": "x"}), words=("--strict",)
    )
    assert plan_of(here.loop).parked == ("03",), said.out
    assert here.run("plan", "retry", "03").code == 0
    assert plan_of(here.loop).parked == ()
    here.run("continue")
    said = run_script(here, turn_on("03", write={"3.txt": "x"}))
    assert said.code == 0, said.out + said.err


def test_a_task_that_is_done_once_more_loses_its_tick(project) -> None:
    here = project()
    here.write({"todo.md": "- [ ] one (check: `test -f 1.txt`)\n- [ ] two (check: `false`)\n"})
    here.run("start", "--plan", "todo.md", "--yes", "--retries", "0")
    here.run("allow", "--yes")
    run_script(here, turn_on("01", write={"1.txt": "x"}), turn_on("02"))
    assert (here.root / "todo.md").read_text().startswith("- [x] one")
    assert here.run("plan", "retry", "01").code == 0
    assert (here.root / "todo.md").read_text().startswith("- [ ] one")


def test_an_agent_may_not_change_the_plan(project) -> None:
    here = start_plan(project())
    said = here.run("plan", "skip", "02", CLAUDECODE="1")
    assert (said.code, "is the person's to run" in said.err) == (1, True)
    assert tasks_of(here) == ["01", "02"]


PICTURED = a_plan(
    a_task("01", does='Say "a" & <b>.'), a_task("02"), a_task("03", wave=2, depends="01")
)


def test_a_plan_is_drawn_for_mermaid_graphviz_and_the_browser(project) -> None:
    here = project({"PLAN.md": PICTURED})
    mermaid = here.run("plan", "show", "--mermaid").out
    assert mermaid.startswith('flowchart LR\n  subgraph w1["Wave 1"]')
    assert "t0 ==> t2" in mermaid
    assert '"a"' not in mermaid
    dot = here.run("plan", "show", "--dot").out
    assert '"01" -> "03" [penwidth=3, color="#c0392b"];' in dot
    assert dot.count("{") == dot.count("}")
    svg = ElementTree.fromstring(here.run("plan", "show", "--svg").out)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert len([part for part in svg if part.get("class", "").startswith("task ")]) == 3


@pytest.mark.parametrize("words", every(2, [(), TWO]))
def test_status_and_report_say_how_long_it_takes_and_what_it_costs(project, words) -> None:
    tasks = [a_task(f"0{number}") for number in range(1, 4)]
    here = start_plan(project(), "--retries", "0", plan=a_plan(*tasks))
    last = turn_on("03", say="TASK FAILED: 03: no", dollars=0.5)
    run_script(
        here, turn_writing("01", dollars=0.5), turn_writing("02", dollars=0.5), last, words=words
    )
    assert "and $0.50, as 3 tasks took so far" in here.run("status").out
    assert "and $0.50, as 3 tasks took so far" in here.run("report").out
    to_go = here.run("status", "--json").json["plan"]["to_go"]
    assert (to_go["dollars"], to_go["measured"]) == (0.5, 3)
    assert to_go["seconds"] > 0
    without_price = here.loop.but(spend=here.loop.spend.but(unpriced=("some-model",)))
    estimate = remaining_facts(without_price)
    assert estimate is not None
    assert estimate["dollars"] is None
    assert "$" not in remaining_text(without_price)


def test_worktrees_that_a_cancelled_loop_left_are_listed_and_cleared(project) -> None:
    here = start_plan(project(), "--retries", "0")
    fails = turn_on("01", say="TASK FAILED: 01: no", write={"01.txt": "half\n"})
    run_script(here, fails, turn_writing("02"), words=TWO)
    [path] = here.root.parent.glob(f"{here.root.name}-lanes-*/01")
    assert "its loop works on it" in here.run("lanes").out
    assert "kept, its loop is active" in here.run("lanes", "--clear").out
    assert path.is_dir()
    said = here.run("cancel")
    assert "1 worktree of tasks left. Look: loop lanes" in said.out
    assert "left by a loop that has ended; not committed: 01.txt" in here.run("lanes").out
    said = here.run("lanes", "--clear")
    assert "01: removed; its work is kept: git show refs/loop/" in said.out
    assert not path.parent.exists()
    ref = here.git("for-each-ref", "--format=%(refname)", "refs/loop/*/cleared").strip()
    assert here.git("show", f"{ref}:01.txt") == "half\n"
    assert here.run("lanes").out == "No worktrees of tasks are here.\n"
    assert here.git("branch", "--list", "loop/*") == ""


COMMIT = "git -c user.name=agent -c user.email=agent@localhost commit"


@pytest.mark.parametrize(
    ("switch", "where", "named"),
    every(
        2,
        [
            pytest.param("--detach", "on no branch", "", id="on no branch"),
            pytest.param("-c feature", "on branch feature", "feature", id="on another branch"),
        ],
    ),
)
def test_a_worktree_whose_agent_left_its_branch_is_listed_and_cleared_with_its_work(
    project, switch: str, where: str, named: str
) -> None:
    here = start_plan(project(), "--retries", "0")
    commit = f"git switch -q {switch}; git add -A; {COMMIT} -qm half"
    fails = turn_on("01", say="TASK FAILED: 01: no", write={"01.txt": "half\n"}, run=[commit])
    said = run_script(here, fails, turn_writing("02"), words=TWO)
    [path] = here.root.parent.glob(f"{here.root.name}-lanes-*/01")
    tip = here.git("-C", str(path), "rev-parse", "HEAD").strip()

    assert f"is kept at {path}, {where}. See: loop lanes" in said.out
    holds = f"commits that main does not have: git log HEAD..{named or tip[:12]}"
    assert f"(its loop works on it; {holds})" in here.run("lanes").out
    assert "kept, its loop is active" in here.run("lanes", "--clear").out
    here.run("cancel")
    assert f"(left by a loop that has ended; {holds})" in here.run("lanes").out
    assert "01: removed; its work is kept: git show refs/loop/" in here.run("lanes", "--clear").out
    assert here.git("for-each-ref", "--format=%(objectname)", "refs/loop/*/cleared").strip() == tip
    assert here.git("branch", "--list", "loop/*") == ""


@pytest.mark.long
def test_tasks_begin_when_their_dependencies_are_done_unless_waves_are_wanted(
    project, tmp_path: Path
) -> None:
    """03 is of the second wave and needs 01 only; 02 works until 03 is there, or for a moment if it cannot come."""
    plan = a_plan(a_task("01"), a_task("02"), a_task("03", wave=2, depends="01"))
    for words, order, looks in (
        ((), ["01", "03", "02"], 3000),
        (("--waves",), ["01", "02", "03"], 20),
    ):
        here = start_plan(Project(tmp_path / f"p{len(words)}"), plan=plan)
        wait = f"for i in $(seq {looks}); do test -e {here.root}/03.txt && break; sleep 0.02; done"
        said = run_script(
            here,
            turn_writing("01"),
            turn_writing("02", run=[wait]),
            turn_writing("03"),
            words=(*TWO, *words),
        )
        assert said.code == 0, said.out + said.err
        assert list(plan_of(here.ended).done) == order


@pytest.mark.long
def test_stories_that_name_no_other_keep_their_order_in_parallel(project) -> None:
    story = '{"id": "US-%d", "title": "story %d", "passes": false, "priority": %d, "acceptanceCriteria": ["it works (check: `test -f %d.txt`)"]}'
    stories = ",".join(story % (n, n, n, n) for n in (1, 2, 3))
    here = project()
    here.write({"prd.json": f'{{"userStories": [{stories}]}}'})
    here.run("start", "--prd", "prd.json", "--yes")
    here.run("allow", "--yes")
    turns = [turn_on(f"US-{n}", write={f"{n}.txt": "x"}) for n in (1, 2, 3)]
    said = run_script(here, *turns, words=TWO)
    assert said.code == 0, said.out + said.err
    events = [e["is"] for e in here.events() if e["is"] in ("LaneStarted", "TaskFinished")]
    assert events == ["LaneStarted", "TaskFinished"] * 3
    assert (here.root / "prd.json").read_text().count('"passes": true') == 3


def test_what_was_taken_over_is_no_longer_called_edited(project) -> None:
    here = project({"todo.md": "# List\n\n- [ ] Write `a.txt`\n- [ ] Write `b.txt`\n"})
    here.run("start", "--plan", "todo.md", "--yes")
    assert here.run("plan", "skip", "2").code == 0, "2 is 02"
    assert "was edited" not in here.run("status").out
    with open(here.root / "todo.md", "a", encoding="utf-8") as file:
        file.write("- [ ] Write `c.txt`\n")
    assert "was edited" in here.run("status").out
    assert "+ 03" in here.run("plan", "reload", "--yes").out
    assert "was edited" not in here.run("status").out


def test_a_file_may_come_after_the_kind_of_picture(project) -> None:
    here = project({"todo.md": "# List\n\n- [ ] Write `a.txt`\n"})
    assert here.run("plan", "show", "--mermaid", "todo.md").out.startswith("flowchart")
    said = here.run("plan", "show", "--mermaid", "todo.md", "--no-such")
    assert (said.code, "no option --no-such" in said.err) == (64, True)


@pytest.mark.long
def test_a_task_that_has_landed_is_done_once_more_in_a_new_lane(project) -> None:
    here = start_plan(project(), "--retries", "1")
    failed = turn_on("02", say="TASK FAILED: 02: no")
    said = run_script(here, turn_writing("01"), failed, words=TWO)
    assert "Task 02 failed after 1 retry" in said.out
    assert here.run("plan", "retry", "1").code == 0
    here.run("continue")
    said = run_script(
        here, turn_on("01", write={"01.txt": "again\n"}), turn_writing("02"), words=TWO
    )
    assert said.code == 0, said.out + said.err
    assert (here.root / "01.txt").read_text() == "again\n"
    subjects = here.git("log", "--format=%s").splitlines()
    assert subjects.count("docs(1-01): do the work of 01") == 2
