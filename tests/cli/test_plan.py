"""loop plan lint, show and new: what a person types before a plan runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.core.loop import Loop
from loopwright.core.plan.plan import Plan, Task
from tests.support.project import Project

pytestmark = pytest.mark.plans

SEED = (Path(__file__).parent.parent / "importers/cases/seed-003.md").read_text(encoding="utf-8")
LIST = "- [ ] one (check: `true`)\n- [x] two\n"
BROKEN = '<task id="01" depends="02">\n<done>x</done>\n</task>\n'


@pytest.fixture
def plan_file_project(project) -> Project:
    return project({"PLAN.md": SEED})


def test_lint_warns_by_line_and_lets_the_seed_start(plan_file_project: Project) -> None:
    said = plan_file_project.run("plan", "lint", "PLAN.md")

    assert said.code == 0
    assert said.out.splitlines()[0].startswith(
        "PLAN.md:152: warning: task 03 is to modify .gsd/config.md, but it is not there"
    )
    assert said.out.splitlines()[-1] == "PLAN.md: 5 warnings: it can start"


def test_an_error_is_exit_code_1(project) -> None:
    here = project({"docs/p.md": BROKEN})
    said = here.run("plan", "lint", "p.md", at="docs")

    assert said.code == 1
    assert (
        said.out.splitlines()[0]
        == "p.md:1: error: task 01 depends on '02', which does not exist. No other task is there"
    )
    assert here.run("plan", "show", "docs/p.md").code == 1


def test_show_draws_the_seed_in_three_waves(plan_file_project: Project) -> None:
    said = plan_file_project.run("plan", "show")
    lines = said.out.splitlines()

    assert said.code == 0
    assert lines[0] == "Phase 1: Loop Mechanism  (PLAN.md)"
    assert [line for line in lines if line.startswith("Wave")] == [
        "Wave 1: 3 tasks, 3 at a time",
        "Wave 2: 2 tasks, 2 at a time",
        "Wave 3: 2 tasks, 2 at a time",
    ]
    assert "Critical path, 3 of 7 tasks: 01 → 04 → 06" in lines
    assert lines[-1] == "PLAN.md: 5 warnings: it can start. Look: loop plan lint PLAN.md"


def test_both_speak_json(plan_file_project: Project) -> None:
    lint, show = (
        plan_file_project.run("plan", "lint", "--json").json,
        plan_file_project.run("plan", "show", "--json").json,
    )

    assert lint["file"] == show["file"] == "PLAN.md"
    assert lint["problems"] == show["problems"]
    assert {problem["severity"] for problem in lint["problems"]} == {"warning"}
    assert [[task["id"] for task in wave["tasks"]] for wave in show["waves"]] == [
        ["01", "02", "03"],
        ["04", "05"],
        ["06", "07"],
    ]


def test_without_a_file_the_first_plan_of_the_project_is_taken(project) -> None:
    here = project(
        {
            "prd.json": '[{"id": "1", "title": "a", "acceptanceCriteria": ["b"]}]',
            "PRD.md": LIST,
            ".gsd/plans/phase-1/plan.md": SEED,
            ".gsd/plans/phase-2/plan.md": SEED,
        }
    )
    (here.root / "sub").mkdir()
    os.utime(here.root / ".gsd/plans/phase-2/plan.md", (1, 1))

    def shown() -> str:
        return here.run("plan", "show", "--json", at="sub").json["file"]

    taken = []
    for name in (".gsd/plans/phase-1/plan.md", ".gsd/plans/phase-2/plan.md", "PRD.md", "prd.json"):
        taken.append(shown())
        (here.root / name).unlink()
    here.write({"PLAN.md": SEED})

    assert taken == [
        ".gsd/plans/phase-1/plan.md",
        ".gsd/plans/phase-2/plan.md",
        "PRD.md",
        "prd.json",
    ]
    assert shown() == "PLAN.md"


def test_the_plan_of_the_loop_here_goes_before_every_file(plan_file_project: Project) -> None:
    plan_file_project.write({"night.md": LIST})
    plan = Plan(
        "7",
        "Night",
        "night.md",
        (Task("01", "one", done_when="x"), Task("02", "two", 2, ("01",), done_when="x")),
        done=("01",),
    )
    plan_file_project.create(Loop("loop-1", "do it", policy="plan", plan=plan))

    assert plan_file_project.run("plan", "show").out.splitlines()[:5] == [
        "Phase 7: Night  (night.md)",
        "2 tasks in 2 waves, 0 checks, 0 must-haves, 0 key links, 1 done",
        "",
        "Wave 1: 1 task, 1 at a time",
        "  ✓ 01  one",
    ]
    assert plan_file_project.run("plan", "lint").out.splitlines()[-1].startswith("night.md: ")
    assert plan_file_project.run("plan", "show", "PLAN.md").out.startswith(
        "Phase 1: Loop Mechanism"
    )


def test_a_project_without_a_plan_is_told_how_to_get_one(project) -> None:
    said = project().run("plan", "lint")

    assert said.code == 1
    assert (
        said.err
        == "loop: no plan here. Write one: loop plan new GOAL. Or name it: loop plan show FILE\n"
    )


def test_new_writes_a_template_that_lint_wants_filled_in(project) -> None:
    here = project()
    said = here.run("plan", "new", "add", "CSV export", at=".")

    assert said.code == 0
    assert (
        said.out
        == "PLAN.md is a template. Fill in what stands between ‹ and ›, then: loop plan lint PLAN.md\n"
    )
    assert "\n# Phase 1: add CSV export\n" in (here.root / "PLAN.md").read_text(encoding="utf-8")
    lint = here.run("plan", "lint")
    assert lint.code == 1
    assert "error: still to be filled in: path/of/a/file\n" in lint.out


def test_new_never_writes_over_a_file(plan_file_project: Project) -> None:
    said = plan_file_project.run("plan", "new", "another goal")

    assert (said.code, said.err) == (
        1,
        "loop: PLAN.md is there already, and stays as it is. Another one: --file NAME\n",
    )
    assert (plan_file_project.root / "PLAN.md").read_text(encoding="utf-8") == SEED
    assert plan_file_project.run("plan", "new", "another goal", "--file", "next.md").code == 0
    assert "# Phase 1: another goal" in (plan_file_project.root / "next.md").read_text(
        encoding="utf-8"
    )


def test_a_slip_is_answered_with_the_way_out(plan_file_project: Project) -> None:
    for words, hint in [
        (("new",), 'what is the goal? Say it: loop plan new "add CSV export"'),
        (("lint", "a.md", "b.md"), "one plan at a time: loop plan lint [FILE]"),
        (("show", "--file", "a.md"), "one plan at a time: loop plan show [FILE]"),
        (("show", "nowhere.md"), "no plan at nowhere.md. Write one: loop plan new GOAL"),
        (
            ("new", "x", "--file", "no/such/folder.md"),
            "cannot write no/such/folder.md: No such file or directory",
        ),
    ]:
        said = plan_file_project.run("plan", *words)

        assert (said.code, said.out, said.err) == (1, "", f"loop: {hint}\n")


def test_an_agent_may_lint_and_show_its_plan(plan_file_project: Project) -> None:
    assert plan_file_project.run("plan", "lint", CLAUDECODE="1").code == 0
    assert plan_file_project.run("plan", "show", CLAUDECODE="1").code == 0
