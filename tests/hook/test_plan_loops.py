"""A plan in a session, through the door: what holds it, in the seed's words; what lets it go; what a person types."""

from __future__ import annotations

import json

import pytest

from loopwright.cli import exits
from loopwright.core.loop import plan_of
from loopwright.plugin import build
from tests.support.hook import (
    OTHER,
    SESSION,
    block,
    prompts,
    stop,
    types,
)
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import Project

pytestmark = pytest.mark.plans

EXECUTE = (
    "Loop active. Continuing execute loop iteration {}/29. Run /loop:execute to retry failed tasks."
)
VERIFY = "Loop active. Continuing verify loop iteration 1/20. Run /loop:verify to fix gaps and re-verify."
STATUS = "Loop active. Run /loop:status to check state."
IN_PLUGIN = {"CLAUDE_PLUGIN_ROOT": "/p"}


def executing(here: Project, *words: str, plan: str = "", mode: str = "yolo") -> Project:
    here.write({"PLAN.md": plan or a_plan()})
    here.commit()
    said = here.run("execute", "PLAN.md", "--mode", mode, "--session", SESSION, *words)
    assert said.code == 0, said.err
    return here


@pytest.fixture
def executing_project(project) -> Project:
    return executing(project())


def done(here: Project, *tasks: str) -> str:
    """They are done, and the agent says so."""
    here.write({f"{task}.txt": "x\n" for task in tasks})
    return "\n".join(f"TASK COMPLETE: {task}" for task in tasks)


# --- the seed's three messages ---


def test_the_seeds_three_messages_hold_it_and_the_work_follows(project) -> None:
    here = executing(
        project(),
        plan=a_plan(a_task("01"), a_task("02", "create tool.py"), musts=("it reads well",)),
    )

    said = stop(here).reply
    assert said is not None
    assert set(said) == {"decision", "reason", "systemMessage"}
    assert said["decision"] == "block"
    assert said["reason"].splitlines()[0] == EXECUTE.format(2)
    assert '<task id="01" wave="1" phase="1">' in said["reason"]
    assert '<task id="02"' in said["reason"], "the whole wave, a sub-agent each"
    assert "`docs(1-01): do the work of 01`" in said["reason"]

    here.write({"tool.py": "x = 1\n"})
    prompt = stop(here, f"{done(here, '01')}\nTASK COMPLETE: 02").prompt
    assert prompt.splitlines()[0] == VERIFY
    assert '<gap type="orphan" iteration="1/20">\n  <file>tool.py</file>' in prompt

    here.write({"main.py": "import tool\n\nprint(tool.x)\n"})
    prompt = stop(here, "GAP CLOSED: tool.py").prompt
    assert prompt.splitlines()[0] == STATUS
    assert "- it reads well: not claimed yet" in prompt

    claim = block(
        {"it reads well": {"met": True, "verification": "observation", "evidence": "read"}}
    )
    said = stop(here, claim).reply
    assert said is not None
    assert set(said) == {"systemMessage"}
    assert "╭─ " in said["systemMessage"]


def test_in_the_format_of_the_seed_it_is_the_seeds_own_answer(executing_project: Project) -> None:
    said = stop(executing_project, "", SESSION, "--format", "gsd").reply
    assert said is not None
    assert (set(said), said["decision"]) == ({"decision", "prompt"}, "block")
    assert said["prompt"].startswith(EXECUTE.format(2))
    executing_project.run("pause")
    assert stop(executing_project, "", SESSION, "--format", "gsd").reply == {"decision": "allow"}


# --- the defects of the original ---


def test_o_1_where_nothing_holds_nothing_is_said(executing_project: Project, project) -> None:
    """No {"decision": "allow"}, which the client refuses at every stop of every session."""
    assert stop(project(), session=OTHER).reply is None
    executing_project.run("pause")
    assert stop(executing_project).reply is None


def test_o_3_our_hook_lies_in_the_plugin_and_not_in_the_project() -> None:
    files = build.plugin_files(exits.MEANINGS)
    text = files["hooks/hooks.json"]
    table = json.loads(text if isinstance(text, str) else text.decode())
    commands = [
        hook["command"]
        for groups in table["hooks"].values()
        for group in groups
        for hook in group["hooks"]
    ]
    assert commands
    assert all(
        "CLAUDE_PROJECT_DIR" not in line and "${CLAUDE_PLUGIN_ROOT}" in line for line in commands
    )
    assert all("[ ! -f" in line for line in commands), "where the plugin is gone nothing fails"


def test_o_4_an_agent_that_never_works_is_let_go(executing_project: Project) -> None:
    """Each stop advances the iteration, and 25 of them are far more than it takes."""
    firsts: list[str] = []
    while (prompt := stop(executing_project, stop_hook_active=True).prompt) and len(firsts) < 25:
        firsts.append(prompt.splitlines()[0])
    assert firsts == [EXECUTE.format(number) for number in range(2, 2 + len(firsts))]
    assert 0 < len(firsts) < 25
    assert executing_project.loop.status == "paused"
    assert stop(executing_project, stop_hook_active=True).reply is None


def test_o_11_while_it_asks_it_lets_go(project) -> None:
    here = executing(project(), mode="interactive", plan=a_plan(a_task("01"), a_task("02", wave=2)))
    said = stop(here, "TASK FAILED: 01: no printer", **IN_PLUGIN)

    assert "Task 01 failed. Retry? (0/3 attempts used) y = retry it · n = pause" in said.message
    assert "Failed tasks:\n  01: " in said.message, "it shows what it asks about"
    assert (said.prompt, stop(here).prompt, here.loop.status) == ("", "", "asking")
    prompt = prompts(here, "y").prompt
    assert "<error>no printer</error>" in prompt
    assert "<attempt>1 of 3</attempt>" in prompt
    assert (
        "Wave 1 complete. Continue? y = continue · n = pause"
        in stop(here, done(here, "01")).message
    )
    assert '<task id="02"' in prompts(here, "yes").prompt
    assert "Task 02 failed. Retry? (0/3" in stop(here, "TASK COMPLETE: 02").message, (
        "its file is not there"
    )
    assert prompts(here, "no").reply["continue"] is False, "no model call"
    assert (here.loop.status, here.loop.pause.why) == ("paused", "you answered no")


# --- what a person types ---


def test_a_plan_that_is_not_begun_is_the_models_to_begin_with_the_persons_words(project) -> None:
    here = project({"PLAN.md": a_plan()})
    assert types(here, "/loop:plan add CSV export").reply is None
    assert types(here, "/loop:execute PLAN.md --budget 7").reply is None
    said = here.run("execute", "PLAN.md", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=SESSION)

    assert said.code == 0, said.err
    assert (here.loop.limits.dollars, here.loop.lease.holder) == (7, SESSION)


def test_what_cannot_be_executed_or_verified_is_said_without_a_model(project) -> None:
    here = project()
    begin = "No plan is being executed here. Begin: /loop:execute FILE"
    assert types(here, "/loop:verify").reply == {"decision": "block", "reason": begin}
    here.start("--criterion", "docs read well", "--session", SESSION)
    other = {"decision": "block", "reason": "The loop here has no plan. End it first: /loop:cancel"}
    assert types(here, "/loop:execute").reply == types(here, "/loop:verify").reply == other


def test_execute_on_a_paused_plan_goes_on_with_what_was_parked(project) -> None:
    here = executing(
        project(), "--retries", "0", plan=a_plan(a_task("01"), a_task("02", wave=2, depends="01"))
    )
    paused = stop(here, "TASK FAILED: 01: no printer", **IN_PLUGIN).message
    assert "⏸ Paused: Task 01 failed after 0 retries: no printer" in paused
    assert "`/loop:continue`" in paused
    said = types(here, "/loop:execute", **IN_PLUGIN)

    assert said.prompt.startswith("Loop active. Continuing execute loop")
    assert '<task id="01"' in said.prompt
    assert "<error>no printer</error>" in said.prompt
    assert (here.loop.status, plan_of(here.loop).parked) == ("running", ())


def test_another_plan_is_not_quietly_taken_for_the_one_that_runs(
    executing_project: Project,
) -> None:
    said = types(executing_project, "/loop:execute OTHER.md").reply

    assert said is not None
    assert (said.get("decision"), "PLAN.md" in said.get("reason", "")) == ("block", True)
    assert types(executing_project, "/loop:execute PLAN.md").prompt


def test_verify_goes_on_without_it(project) -> None:
    here = executing(project(), "--retries", "0")
    here.write({"02.txt": "x\n"})
    stop(here, "TASK FAILED: 01: no printer\nTASK COMPLETE: 02")
    said = types(here, "/loop:verify", **IN_PLUGIN)

    assert said.prompt.splitlines()[0] == VERIFY
    assert "<file>01.txt</file>" in said.prompt
    assert plan_of(here.loop).stage == "verify"


def test_a_plan_in_plan_mode_or_with_agents_at_work_is_let_go(executing_project: Project) -> None:
    before = executing_project.loop
    assert stop(executing_project, permission_mode="plan").reply is None
    assert (
        stop(
            executing_project,
            background_tasks=[{"id": "a1", "type": "subagent", "status": "running"}],
        ).reply
        is None
    )
    assert executing_project.loop == before
