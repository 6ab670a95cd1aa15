"""A plan at night on the real Claude Code: a wave side by side, each task behind its fence and in one commit; or in place."""

from __future__ import annotations

import re

import pytest

from loopwright.core.loop import plan_of
from tests.e2e.night import is_proven, wait_until_quiet
from tests.e2e.plan_project import (
    LINKED,
    ROWS,
    TEST_FILE,
    USAGE,
    WRITER,
    answer_count,
    calls,
    edit,
    read,
    subjects,
    write_file_call,
    write_project,
)
from tests.e2e.server import flat
from tests.e2e.turn import runs, says, writes
from tests.e2e.world import FIXED

MEETING = """# both are here at the same time, each in its own folder, or it fails
pwd > "$2/met-$1"
for _ in $(seq 1000); do
    [ -e "$2/met-01" ] && [ -e "$2/met-02" ] && echo together && exit
    sleep 0.05
done
exit 1
"""
SMALL = """---
phase: 2
title: Docs
wave_count: 1
task_count: 1
---

# Phase 2: Docs

## Wave 1

<task id="01" wave="1">
  <files>
    <file action="create">usage.md</file>
  </files>
  <action>
    Describe the flag.
  </action>
  <verify>
    <check type="content">usage.md contains "--csv"</check>
    <check type="test" cmd="test -s usage.md">it is not empty</check>
  </verify>
  <done>the flag is described</done>
</task>
"""


def begin(world, plan):
    """The person allows what the plan brings along."""
    started = world.loop("start", "--plan", plan)
    assert "It waits for a yes" in started.out, started.err
    assert world.loop("answer", "yes").code == 0


@pytest.mark.long
def test_two_tasks_run_side_by_side_behind_their_fences_and_land_as_a_commit_each(world):
    write_project(world, {"meet.sh": MEETING})
    prompts, refusals = {}, []

    def script(_, body):
        """Every conversation is about one task, in a worktree of its own."""
        text = flat(body["messages"])
        task = re.search(r'<task id="(\d+)"', text)[1]
        prompts.setdefault(task, text)
        refusals.extend(re.findall("PreToolUse:.*", text))
        there = world.path(plan_of(world.project.loop).worktree_of(task).path)
        meets, done = runs(f"sh meet.sh {task} {world.home}"), says(f"TASK COMPLETE: {task}")
        return {
            "01": [
                meets,
                calls(read(there / "greet.py")),
                calls(
                    write_file_call(there / "export.py", "x = 1\n"),
                    edit(there / "greet.py", "Hello", "Goodbye"),
                ),
                calls(
                    write_file_call(there / "rows.py", ROWS),
                    write_file_call(there / "notes/rows.txt", "Ada\n"),
                ),
                done,
            ],
            "02": [
                meets,
                calls(
                    write_file_call(there / "export.py", WRITER),
                    write_file_call(there / "test_export.py", TEST_FILE),
                ),
                done,
            ],
            "03": [calls(read(there / "report.py")), writes(there / "report.py", LINKED), done],
            "04": [writes(there / "usage.md", USAGE), done],
        }[task][answer_count(body)]

    begin(world, "PLAN.md")
    said = world.loop(
        "run", "--parallel", "--agent", "claude", "--allow", "Bash(sh meet.sh:*)", script=script
    )

    assert said.code == 0, said.out
    first, second = ((world.home / f"met-{task}").read_text().strip() for task in ("01", "02"))
    assert [request.news.count("together") for request in world.model.lane()].count(1) == 2
    assert first.endswith("/01")
    assert second.endswith("/02")
    assert str(world.project.root) not in (first, second)
    assert '<task id="02"' not in prompts["01"], "the others are not its business"

    assert set(refusals) == {
        "PreToolUse:Write hook error: export.py belongs to another task of the plan. Task 01 may write: rows.py",
        "PreToolUse:Edit hook error: greet.py is not among the files of task 01: rows.py. New files are fine",
    }
    assert "01/export.py" not in prompts["03"], "what another lane was denied"

    *late, first, second = subjects(world)
    assert {first, second} == {"feat(1-01): create the table", "feat(1-02): create the writer"}
    assert late == [
        "docs(1-04): describe the flag",
        "feat(1-03): add `--csv` to the command, and hand the rows to write_csv",
    ]
    files = {
        "rows.py": ROWS,
        "export.py": WRITER,
        "test_export.py": TEST_FILE,
        "report.py": LINKED,
        "usage.md": USAGE,
    }
    assert {name: world.path(name).read_text() for name in files} == files
    assert world.path("notes/rows.txt").exists(), "new, and no task's"
    assert world.path("greet.py").read_text() == FIXED
    assert world.project.git("status", "--porcelain") == ""

    assert world.project.git("branch", "--format=%(refname:short)").split() == ["main"]
    assert len(world.project.git("worktree", "list").splitlines()) == 1
    assert list(world.project.root.parent.iterdir()) == [world.project.root], (
        "nothing of the lanes is left"
    )
    assert is_proven(world, iterations=4)
    assert len(plan_of(world.project.ended).commits) == 4
    wait_until_quiet(world)


@pytest.mark.long
def test_in_place_a_refused_attempt_is_tried_again_and_the_commit_is_ours(world):
    write_project(world, {"SMALL.md": SMALL})
    world.project.write({"draft.txt": "mine\n"})
    script = [
        calls(read(world.path("greet.py"))),
        calls(edit(world.path("greet.py"), "Hello", "Goodbye")),
        says("TASK FAILED: 01: I may not touch greet.py"),
        writes(world.path("usage.md"), USAGE),
        says("TASK COMPLETE: 01"),
    ]

    begin(world, "SMALL.md")
    said = world.loop("run", "--agent", "claude", "--yes", script=script)

    assert said.code == 0, said.out
    heard = [request.news for request in world.model.lane()]
    assert "greet.py is not among the files of task 01: usage.md" in heard[2]
    assert "<previous_attempt>" not in heard[0]
    assert "<error>I may not touch greet.py</error>" in heard[3]
    assert "<attempt>1 of 3</attempt>" in heard[3]
    assert "[LOOP] Committed" in said.out
    assert subjects(world) == ["docs(2-01): describe the flag"]
    assert world.project.git("show", "--name-only", "--format=").split() == ["usage.md"]
    assert world.project.git("status", "--porcelain") == "?? draft.txt\n", (
        "what was there before is the person's"
    )
    assert is_proven(world, iterations=2)
