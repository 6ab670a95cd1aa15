"""loop execute, verify and import: how a plan starts, what is refused, what waits for a yes, what an agent may do."""

from __future__ import annotations

import os

import pytest

from loopwright.core.loop import plan_of
from tests.support.hook import SESSION, types
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

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
COMMAND = a_plan(a_task("01", checks=('cmd="test -e 01.txt"',)), a_task("02", wave=2))
STATE = """---
phase: 1
loop:
  active: true
  type: execute
  phase: 1
  iteration: 4
  task_retries:
    T02: 2
---
"""
GSD = {".gsd/plans/phase-1/plan.md": a_plan(), ".gsd/STATE.md": STATE}


@pytest.fixture
def planned_project(project) -> Project:
    return project({"PLAN.md": a_plan(), "readme.md": "a project\n"})


# --- how it starts ---


def test_execute_finds_the_plan_and_shows_it_before_anything_runs(planned_project: Project) -> None:
    said = planned_project.run("execute")

    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].startswith(
        "[LOOP] Starting | Phase 1 | 2 tasks in 1 wave | Retries: 3 | Rounds: 20 | Budget: $25"
    )
    assert lines[1].startswith("interactive: asks before a retry, a fix and the next wave")
    assert "Wave 1: 2 tasks, 2 at a time" in lines
    assert "Limits: 29 iterations, $25, 480 minutes; whichever comes first pauses it." in lines
    assert (
        planned_project.loop.policy,
        planned_project.loop.status,
        plan_of(planned_project.loop).file,
    ) == (
        "plan",
        "running",
        "PLAN.md",
    )
    assert not (planned_project.root / ".gsd").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("start", "--plan", "PLAN.md", "--mode", "yolo", "--retries", "1"),
        ("execute", "PLAN.md", "--mode", "yolo", "--retries", "1"),
        ("execute", "--mode", "yolo", "--retries", "1"),
        ("execute", "--mode=yolo", "--retries=1"),
    ],
)
def test_the_flags_are_those_of_start(planned_project: Project, words: tuple[str, ...]) -> None:
    said = planned_project.run(*words)

    assert said.code == 0, said.err
    assert "yolo: retries and fixes without asking" in said.out
    assert (
        plan_of(planned_project.loop).retries,
        planned_project.loop.gates_enabled,
        planned_project.loop.limits.iterations,
    ) == (
        1,
        False,
        2 * 2 + 20 + 1,
    )


def test_once_and_eager_and_from_a_folder_below(project) -> None:
    here = project({"docs/p.md": a_plan(), "docs/x": "x"})
    said = here.run("execute", "p.md", "--once", "--eager", at="docs")

    assert said.code == 0, said.err
    plan = plan_of(here.loop)
    assert (plan.auto_loop, plan.retries, plan.eager, plan.file) == (False, 0, True, "docs/p.md")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tasks.md", "# Do it\n\n- [ ] first (check: `true`)\n- [ ] second\n"),
        (
            "prd.json",
            '{"userStories": [{"id": "US-1", "title": "One", "acceptanceCriteria": ["it works"], "priority": 1}]}',
        ),
    ],
)
def test_a_prd_is_a_plan_too(project, name: str, text: str) -> None:
    here = project({name: text})
    said = here.run("start", "--prd", name, "--yes")

    assert said.code == 0, said.err
    assert here.loop.policy == "plan"


def test_the_phase_of_a_gsd_project_is_found(project) -> None:
    here = project(GSD)
    here.write({".gsd/plans/phase-2/plan.md": a_plan(phase="2")})
    os.utime(here.root / ".gsd/plans/phase-2/plan.md", (2e9, 2e9))
    said = here.run("execute")

    assert said.code == 0, said.err
    assert plan_of(here.loop).phase == "1"
    assert (
        "  active: true\n  type: execute\n  phase: 1\n  iteration: 0\n"
        in (here.root / ".gsd/STATE.md").read_text()
    )


def test_import_goes_on_where_the_original_plugin_was(project) -> None:
    here = project(GSD)
    said = here.run("import")

    assert said.code == 0, said.err
    assert said.out.startswith(
        ".gsd: .gsd/plans/phase-1/plan.md; the loop was at execute, iteration 4\n"
    )
    assert plan_of(here.loop).failure_of("02").times == 2


GSD1_PLAN = """---
plan: 01
---
<tasks>
<task type="auto">
  <name>Task 1: Write it</name>
  <files>src/a.py</files>
  <action>Write it.</action>
  <verify><automated>test -f src/a.py</automated></verify>
  <done>It is there</done>
</task>
</tasks>
"""


@pytest.mark.parametrize(
    ("file", "text", "plan"),
    [
        (".planning/phases/01-a/01-01-PLAN.md", GSD1_PLAN, ".planning/phases/01-a"),
        (
            ".gsd/milestones/M001/slices/S01/S01-PLAN.md",
            "# S01: a\n\n## Tasks\n\n- [ ] **T01: Write it** `est:5m`\n  - Verify: `test -f a`\n",
            ".gsd/milestones/M001/slices/S01/S01-PLAN.md",
        ),
    ],
)
def test_a_newer_gsd_project_is_executed_and_not_imported(
    project, file: str, text: str, plan: str
) -> None:
    here = project({file: text})

    assert f"Execute the open plan: loop execute {plan}" in here.run("import").err
    started = here.run("execute", "--yes", "--unproven")
    assert started.code == 0, started.err
    (task,) = plan_of(here.loop).tasks
    assert (task.title, len(task.checks), plan_of(here.loop).gsd) == ("Write it", 1, "")
    checks = [criterion.check for criterion in here.loop.criteria if criterion.check]
    assert [check.allowed for check in checks if not check.probe] == [False]


# --- what does not start ---

WRONG = {
    ("execute", "gone.md"): "no plan at ",
    (
        "start",
        "--plan",
        "broken.md",
    ): "broken.md:1: error: task 01 depends on '02', which does not exist. No other task is there",
    (
        "start",
        "--plan",
        "PLAN.md",
        "--retries",
        "21",
    ): "--retries takes a whole number from 0 to 20, not '21'",
    (
        "start",
        "--plan",
        "PLAN.md",
        "--retries",
        "two",
    ): "--retries takes a whole number from 0 to 20, not 'two'",
    (
        "start",
        "--plan",
        "PLAN.md",
        "--retries",
        "-1",
    ): "--retries takes a whole number from 0 to 20, not '-1'",
    (
        "start",
        "--plan",
        "PLAN.md",
        "--rounds",
        "51",
    ): "--rounds takes a whole number from 0 to 50, not '51'",
    ("start", "--plan", "PLAN.md", "--mode", "bold"): "argument --mode: invalid choice: 'bold'",
    ("start", "--plan", "PLAN.md", "--step", "one"): "--step belongs to another kind of loop",
    ("start", "--plan", "PLAN.md", "--preset", "ui"): "--preset belongs to another kind of loop",
    ("start", "--plan", "PLAN.md", "--score", "9"): "--score belongs to another kind of loop",
    ("start", "fix it", "--mode", "yolo"): "--mode belongs to a plan: loop start --plan FILE",
    ("start", "fix it", "--once"): "--once belongs to a plan: loop start --plan FILE",
    (
        "start",
        "--plan",
        "PLAN.md",
        "--from-state",
    ): "no STATE.md with a `loop:` block here. Begin: loop start --plan FILE",
    ("import",): "neither .gsd nor .opti-gsd in ",
    ("verify",): "no loop with a plan here. Start one: loop execute FILE",
}


def test_a_mistake_is_named_before_anything_starts(planned_project: Project) -> None:
    planned_project.write({"broken.md": '<task id="01" depends="02">\n<done>x</done>\n</task>\n'})
    for words, why in WRONG.items():
        said = planned_project.run(*words)

        is_wrong_value = {"--retries", "--rounds"} & {*words} or words[-1] == "bold"
        assert (said.code, why in said.err) == (64 if is_wrong_value else 1, True), said.err
        assert planned_project.folder.read_loop() is None


def test_a_project_without_a_plan_is_told_how_to_get_one(project) -> None:
    assert (
        "no plan here. Write one: loop plan new GOAL; or name it: loop execute FILE"
        in project().run("execute").err
    )


def test_a_loop_without_a_plan_is_not_executed_or_verified(planned_project: Project) -> None:
    planned_project.start()
    for order in ("execute", "verify"):
        said = planned_project.run(order)
        assert (said.code, "the loop here has no plan" in said.err, "loop cancel" in said.err) == (
            1,
            True,
            True,
        )


def test_another_plan_is_not_quietly_taken_for_the_one_that_runs(planned_project: Project) -> None:
    start_plan(planned_project)
    planned_project.write({"OTHER.md": a_plan(phase="9")})
    said = planned_project.run("execute", "OTHER.md")

    assert (said.code, "PLAN.md" in said.err, "--replace" in said.err) == (1, True, True)
    assert planned_project.run("execute", "PLAN.md").code == 0
    assert planned_project.run("execute", "OTHER.md", "--replace", "--yes").code == 0
    assert plan_of(planned_project.loop).phase == "9"


# --- commands wait for a yes ---


def test_commands_of_a_plan_are_shown_once_and_wait_for_a_yes(project) -> None:
    here = project({"PLAN.md": COMMAND})
    said = here.run("execute")

    assert said.code == 0, said.err
    assert "- 01.1 it works ← test -e 01.txt (from PLAN.md, waits for your yes)" in said.out
    assert here.loop.status == "asking"
    asked = here.run("status").out
    assert "A yes also lets 1 listed command run at every stop." in asked
    assert asked.count("test -e 01.txt") == 1, "the command is named once"
    refused = run_script(here, turn_writing("01"))
    assert (refused.code, "it waits for an answer first" in refused.err) == (6, True)
    assert here.run("answer", "yes").code == 0
    assert run_script(here, turn_writing("01"), turn_writing("02")).code == 0


def test_without_questions_they_wait_for_loop_allow_and_nothing_is_done(project) -> None:
    here = start_plan(project(), plan=COMMAND)
    said = run_script(here, turn_writing("01"), turn_writing("02"))

    assert said.code == 6, said.out + said.err
    assert "1 check may not run yet: 01.1 it works ← test -e 01.txt" in said.err
    assert "loop run --unproven" in said.err
    assert (here.loop.spend.iterations, here.loop.plan.done) == (0, ())
    assert "(from PLAN.md; in " in here.run("allow", "--yes").out

    said = run_script(here, turn_writing("01"), turn_writing("02"))
    assert said.code == 0, said.out + said.err
    assert here.ended.verdict is not None
    assert here.ended.verdict.proven


def test_the_repositorys_own_checks_guard_a_plan_whose_settings_name_other_commands(
    project,
) -> None:
    settings = "---\nci:\n  lint: test -e lint-is-clean\n---\n"
    makefile = "test:\n\t@test ! -e broken\nlint:\n\t@test -e lint-is-clean\n"
    here = project({**GSD, ".gsd/config.md": settings, "Makefile": makefile})

    said = here.run("execute")

    assert said.code == 0, said.err
    checks = {c.name: c for c in here.loop.criteria}
    assert checks["lint"].check.command_line == "test -e lint-is-clean"
    assert (checks["tests pass"].check.command_line, checks["tests pass"].guard) == (
        "make test",
        True,
    )
    assert [c.name for c in here.loop.unrequired_checks] == ["lint clean"], "fails already"


def test_who_works_without_them_gets_no_proof(project) -> None:
    here = project()
    here.run("config", "limits.crashes", "1")  # the script ends before the plan does
    start_plan(here, plan=COMMAND)
    assert here.run("continue", "--unproven").code == 0

    run_script(here, turn_writing("01"), turn_writing("02"))

    assert "verification: passed" not in here.run("status").out
    assert {entry.result for entry in here.loop.plan.history} == {"unproven"}


# --- under an agent ---


def test_an_agent_starts_it_with_the_usual_limits_and_shows_the_question(project) -> None:
    here = project({"PLAN.md": COMMAND})
    said = here.run("execute", "PLAN.md", **AGENT)

    assert said.code == 0, said.err
    assert "End your turn now, in one short sentence" in said.out
    assert (here.loop.status, here.loop.lease.holder, here.loop.gates_enabled) == (
        "asking",
        SESSION,
        True,
    )


def test_without_commands_an_agent_gets_its_first_tasks_at_once(planned_project: Project) -> None:
    said = planned_project.run("execute", **AGENT)

    assert "It runs, and you drive it. Begin now." in said.out
    assert '<task id="01"' in said.out
    assert "give each to a sub-agent of its own" in said.out


def test_what_loosens_it_is_the_persons_to_say(planned_project: Project) -> None:
    for words in [
        ("--mode", "yolo"),
        ("--retries", "9"),
        ("--rounds", "9"),
        ("--yes",),
        ("--replace",),
        ("--budget", "99"),
    ]:
        said = planned_project.run("execute", "PLAN.md", *words, **AGENT)

        assert (said.code, "the person's to" in said.err) == (1, True), said.out + said.err
        assert planned_project.folder.read_loop() is None


def test_what_the_person_typed_after_the_slash_may_be_said_again_for_them(
    planned_project: Project,
) -> None:
    """The skill runs `loop execute $ARGUMENTS`."""
    assert types(planned_project, "/loop:execute PLAN.md --mode yolo --retries 1").reply is None
    said = planned_project.run("execute", "PLAN.md", "--mode", "yolo", "--retries", "1", **AGENT)

    assert said.code == 0, said.err
    assert (planned_project.loop.gates_enabled, plan_of(planned_project.loop).retries) == (False, 1)


def test_an_agent_is_told_where_a_plan_stands_and_moves_nothing(project) -> None:
    here = start_plan(project(), "--retries", "0")
    assert "Loop active. Continuing execute loop" in here.run("execute", **AGENT).out
    run_script(here, turn_on("01", say="TASK FAILED: 01: no"), turn_writing("02"))
    before = here.loop
    for order in ("execute", "verify"):
        said = here.run(order, **AGENT)
        assert (said.code, "⏸ Paused: Task 01 failed after 0 retries: no" in said.out) == (0, True)
    assert here.loop == before
    assert here.run("continue", **AGENT).code == 1
    assert here.run("import", **AGENT).code == 1
    assert here.loop.status == "paused"
