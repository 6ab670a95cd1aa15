"""The plan of the seed itself, in a GSD project with Windows line ends, executed to its end by the scripted agent.

Seven tasks in three waves, one of which fails twice; then one gap of each of the six types, found and fixed, each in a commit.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.loop import plan_of
from loopwright.core.prompts.gap_texts import GAP_STRATEGIES
from tests.support.project import CommandResult, Project
from tests.support.runner import script

pytestmark = pytest.mark.plans

SEED = Path(__file__).parents[1] / "importers" / "cases" / "seed-003.md"
PLAN = ".gsd/plans/phase-1/plan.md"
REPORT, SUMMARY = ".gsd/plans/phase-1/VERIFICATION.md", ".gsd/plans/phase-1/summary.md"
CONFIG = """---
mode: yolo
ci:
  test: sh test.sh
  lint: null
---
# Config
"""
STATE = """---
milestone: v1
phase: 1
open_issues: []
---

## Session Context
As it was.\t
"""
ROADMAP = """# Roadmap

## Phase 1: Loop Mechanism
**Status:** DISCUSSED

## Phase 2: More
**Status:** DISCUSSED
"""
HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash hooks/stop-hook.sh"}]}]}}\n'
HOOK = '#!/usr/bin/env bash\n# reads .gsd/STATE.md\necho \'{"decision": "allow"}\'\n'
SETTINGS = "loop:\n  execute_max_retries: 3\n  verify_max_iterations: 20\n"
EXECUTE = "### Step 7a\ntask_retries, previous_attempt, STATE.md; execute_max_retries of config.md\n## Loop State Reference\n"
VERIFY = "### Step 7a\nGap-to-Task, gaps_remaining, in .gsd/STATE.md\n## Loop State Reference\n"
PLANNED = "PLANNED\nhooks/hooks.json\n"
# What an agent that looks around finds, beyond what we can see in shell and Markdown.
FOUND = {"orphan": "src/card.ts", "missing_export": "src/stats.ts", "wrong_import": "src/page.ts"}


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def task(name: str, *more: str) -> list[str]:
    return [f'<task id="{name}"', *more]


def gap(kind: str) -> str:
    return f'<gap type="{kind}" iteration='


def appended(path: str, text: str) -> str:
    return f"cat >> {path} <<'END'\n{text}END"


def the_work(musts: list[str]) -> tuple[dict[str, Any], ...]:
    """Each task once, except 02; then the gaps; then every must-have examined, which finds three gaps more."""
    claims = {
        must: {"met": True, "verification": "observation", "evidence": "seen"} for must in musts
    }
    block = (
        f"---LOOP_STATUS---\nEXIT_SIGNAL: false\nCRITERIA: {json.dumps(claims)}\n---END_STATUS---"
    )
    listed = "".join(
        f'<gap type="{kind}" file="{file}">seen by hand</gap>' for kind, file in FOUND.items()
    )
    return (
        {
            "when": gap("stub"),
            "write": {"hooks/hooks.json": HOOKS},
            "say": "GAP CLOSED: hooks/hooks.json",
        },
        {
            "when": gap("broken_link"),
            "run": [appended("commands/verify.md", "verify_max_iterations\n")],
            "say": "GAP CLOSED: config",
        },
        {"when": gap("ci_failure"), "write": {"tested.txt": "yes\n"}, "say": "GAP CLOSED: test"},
        *(
            {"when": gap(kind), "write": {file: "x\n"}, "say": f"GAP CLOSED: {file}"}
            for kind, file in FOUND.items()
        ),
        {
            "when": task("02", "<attempt>2 of 3"),
            "run": ["echo '# STATE.md' >> hooks/stop-hook.sh"],
            "say": "TASK COMPLETE: 02",
        },
        {
            "when": task("02", "<attempt>1 of 3"),
            "say": "TASK FAILED: 02: it is beyond me\nSuggested fix: name the state file",
        },
        {
            "when": task("01"),
            "write": {"hooks/hooks.json": HOOKS.removesuffix("}\n")},
            "say": "TASK COMPLETE: 01",
        },
        {
            "when": task("02"),
            "write": {"hooks/stop-hook.sh": HOOK.replace("STATE.md", "it")},
            "say": "TASK COMPLETE: 02",
        },
        {
            "when": task("03"),
            "run": [appended(".gsd/config.md", SETTINGS)],
            "say": "TASK COMPLETE: 03",
        },
        {"when": task("04"), "write": {"commands/execute.md": EXECUTE}, "say": "TASK COMPLETE: 04"},
        {"when": task("05"), "write": {"commands/verify.md": VERIFY}, "say": "TASK COMPLETE: 05"},
        {
            "when": task("06"),
            "run": ["printf 'task_retries: history: loop:\\n' >> .gsd/STATE.md"],
            "say": "TASK COMPLETE: 06",
        },
        {
            "when": task("07"),
            "run": [appended(".gsd/ROADMAP.md", PLANNED)],
            "say": "TASK COMPLETE: 07",
        },
        {
            "write": {},
            "run": [f"test -e src/card.ts || printf '<gaps>{listed}</gaps>' > {REPORT}"],
            "say": block,
        },
    )


@pytest.fixture
def seed_project(project) -> Project:
    made = project(
        {
            PLAN: SEED.read_text("utf-8"),
            ".gsd/config.md": crlf(CONFIG),
            ".gsd/STATE.md": "",
            ".gsd/ROADMAP.md": ROADMAP,
            "commands/execute.md": "# Execute\n",
            "commands/verify.md": "# Verify\n",
            "test.sh": "test -e tested.txt\n",
        }
    )
    (made.root / ".gsd/STATE.md").write_bytes(crlf(STATE).encode())
    made.commit()
    return made


def state_of(here: Project) -> str:
    return (here.root / ".gsd/STATE.md").read_bytes().decode()


SUBJECTS = {
    "01": "feat",
    "02": "feat",
    "03": "docs",
    "04": "docs",
    "05": "docs",
    "06": "docs",
    "07": "docs",
}
BY_TASK = [f"{kind}(1-{name})" for name, kind in SUBJECTS.items()]


def executed(here: Project, *lanes: str) -> tuple[CommandResult, list[str]]:
    """All of it, from the one question to the end; and the subjects of the commits, oldest first."""
    said = here.run("execute")
    assert said.code == 0, said.err
    assert "test ← sh test.sh (waits for your yes)" in said.out
    here.run("answer", "yes")
    assert "\r\n  active: true\r\n  type: execute\r\n" in state_of(here)
    musts = [must.text for must in plan_of(here.loop).must_haves]
    said = here.run("run", "--script", script(here, *the_work(musts)), *lanes)
    return said, here.git("log", "--format=%s", "--reverse").splitlines()


def says_how_it_ended(here: Project) -> None:
    """The files of the project, every byte that is not ours as it was."""
    after = state_of(here).replace(
        "task_retries: history: loop:\n", ""
    )  # what task 06 wrote below it
    block = after[after.index("loop:\r\n") : after.index("---\r\n", 4)]
    assert after.replace(block, "") == crlf(STATE), "every other byte is as it was"
    assert "active: false\r\n  type: null\r\n  phase: null\r\n  iteration: 0\r\n" in block
    assert block.endswith("history: []\r\n  completed: true\r\n  final_iteration: 3\r\n")
    roadmap = (here.root / ".gsd/ROADMAP.md").read_text("utf-8")
    assert roadmap.startswith(ROADMAP.replace("DISCUSSED", "COMPLETE", 1))
    assert "## Status: human_needed" in (here.root / REPORT).read_text("utf-8")
    summary = (here.root / SUMMARY).read_text("utf-8")
    assert (
        "| 02 | Create cross-platform stop hook script that checks loop state | done |" in summary
    )
    assert not list(here.root.glob(".loop/VERIFICATION.md"))


IN_LANES = pytest.param(
    ("--parallel", "--max-parallel", "2"), id="side by side", marks=pytest.mark.long
)


@pytest.mark.parametrize("lanes", [pytest.param((), id="in place"), IN_LANES])
def test_the_seeds_plan_is_executed_verified_and_mended(
    seed_project: Project, lanes: tuple[str, ...]
) -> None:
    said, log = executed(seed_project, *lanes)

    plan = plan_of(seed_project.ended)
    assert said.code == 10, (
        said.out + said.err
    )  # the must-haves are what the agent says, so it is reported
    assert sorted(plan.done) == [*SUBJECTS]
    assert plan.failure_of("02").times == 2
    assert {key.partition(":")[0] for one in plan.history for key in one.gaps} == {*GAP_STRATEGIES}
    # The last two: no check notices the files of the second round. That goes back once; then the
    # agent has heard it, and the verdict says it.
    assert [one.result for one in plan.history] == ["gaps_found", "passed"] * 3
    by_task = [line.partition(":")[0] for line in log if "(1-" in line]
    assert (sorted(by_task, key=lambda line: line[-3:]) if lanes else by_task) == BY_TASK
    assert sorted(line.split()[1] for line in log if line.startswith("fix(1): ")) == sorted(
        GAP_STRATEGIES
    )
    assert seed_project.git("status", "--short").split() == [
        "M",
        ".gsd/ROADMAP.md",
        "M",
        ".gsd/STATE.md",
        "??",
        REPORT,
        "??",
        SUMMARY,
    ]
    assert not list(seed_project.root.parent.glob("*-lanes-*"))
    says_how_it_ended(seed_project)
