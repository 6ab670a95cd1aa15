"""A plan in a session: written by the model, executed wave by wave with a person who answers, verified, its gaps fixed."""

from __future__ import annotations

import pytest

from tests.e2e.plan_project import (
    HALF_LINKED,
    LINKED,
    PLAN,
    ROWS,
    TEST_FILE,
    UNLINKED,
    UNQUOTED,
    USAGE,
    WRITER,
    calls,
    commits,
    read,
    send,
    subjects,
    write_file_call,
    write_project,
)
from tests.e2e.plugin import OWN, WITH
from tests.e2e.server import flat
from tests.e2e.session_steps import Latch
from tests.e2e.turn import runs, says, writes

TALL = (120, 60)
PROMPTS = (
    "[LOOP] Starting | Phase 1 | 4 tasks in 3 waves | Retries: 3 | Rounds: 20 | Budget: $25\n[LOOP] Iteration 1/37",
    "Loop active. Continuing execute loop iteration 2/37. Run /loop:execute to retry failed tasks.",
    "Loop active. Continuing execute loop iteration 3/37. Run /loop:execute to retry failed tasks.",
    "Loop active. Continuing execute loop iteration 5/37. Run /loop:execute to retry failed tasks.",
    "Loop active. Continuing verify loop iteration 1/20. Run /loop:verify to fix gaps and re-verify.",
)


@pytest.mark.long
def test_the_model_writes_a_plan_that_is_linted_and_drawn_and_nothing_starts(world):
    script = [
        writes(world.path("PLAN.md"), PLAN.replace("task_count: 4", "task_count: 5")),
        runs("loop plan lint PLAN.md"),
        runs("sed -i 's/task_count: 5/task_count: 4/' PLAN.md && loop plan lint PLAN.md"),
        runs("loop plan show PLAN.md"),
        says("That is the plan. Begin with /loop:execute PLAN.md"),
    ]
    before = world.project.git("status", "--porcelain")

    run = world.headless("/loop:plan add CSV export", script, *WITH, env=OWN)

    assert (run.rc, len(run.requests)) == (0, len(script)), "not held"
    assert "The goal: add CSV export" in run.requests[0].text
    assert "Write it** with the Write tool to `PLAN.md`" in run.requests[0].text
    wrong, clean, drawn = (request.news for request in run.requests[2:5])
    assert "PLAN.md:5: " in wrong, "the line of task_count"
    assert "PLAN.md:5: " not in clean
    for line in (
        "4 tasks in 3 waves",
        "Wave 1: 2 tasks, 2 at a time",
        "Critical path, 3 of 4 tasks: 01 → 03 → 04",
    ):
        assert line in drawn
    assert (before, world.project.git("status", "--porcelain")) == ("", "?? PLAN.md\n")
    assert not world.path(".loop").exists()
    assert not world.path(".gsd").exists()


@pytest.mark.long
def test_a_plan_is_executed_wave_by_wave_verified_and_its_gaps_fixed(world, tmux):
    write_project(world)
    report, latch = world.path("report.py"), Latch(world.home)
    script = iter(
        [
            runs("loop execute PLAN.md", "I start it."),
            says("It waits for your yes."),
            calls(send("01"), send("02")),
            says("They work side by side."),
            # both are done
            commits("feat(1-01): create the table", "rows.py"),
            commits("feat(1-02): create the writer", "export.py", "test_export.py"),
            says("TASK COMPLETE: 01\nTASK COMPLETE: 02"),
            # its check fails
            says("I see what is wrong."),
            calls(read(world.path("export.py"))),
            writes(world.path("export.py"), WRITER),
            commits("feat(1-02): create the writer", "export.py"),
            says("TASK COMPLETE: 02"),
            # the second wave
            calls(read(report)),
            writes(report, UNLINKED),
            commits("feat(1-03): add --csv", "report.py"),
            says("TASK COMPLETE: 03"),
            # the third, after a look at the whole
            writes(world.path("usage.md"), USAGE),
            commits("docs(1-04): describe the flag", "usage.md"),
            says("TASK COMPLETE: 04"),
            # two gaps
            writes(report, HALF_LINKED),
            commits("fix(1): orphan rows.py", "report.py"),
            writes(report, LINKED),
            commits("fix(1): broken_link report.py -> export.py", "report.py"),
            says("GAP CLOSED: rows.py\nGAP CLOSED: report.py"),
        ]
    )

    def model(_, body):
        """The client wakes it whenever a sub-agent is done: while the other works on, it waits."""
        done = flat(body["messages"]).count("<status>completed</status>")
        return says("One of them works on.") if done == 1 else next(script)

    def executor(number, body):
        """A sub-agent does what it was sent for. The second lasts longer."""
        if "Do task 01." in flat(body["messages"]):
            return [writes(world.path("rows.py"), ROWS), says("TASK COMPLETE")][number - 1]
        files = (
            write_file_call(world.path("export.py"), UNQUOTED),
            write_file_call(world.path("test_export.py"), TEST_FILE),
        )
        return [calls(*files), latch.turn, says("TASK COMPLETE")][number - 1]

    with world.terminal(model, *WITH, size=TALL, env=OWN, agent=executor) as terminal:
        terminal.submit("/loop:verify")
        terminal.wait("No plan is being executed here. Begin: /loop:execute FILE")
        assert world.model.lane() == []

        terminal.submit("/loop:execute PLAN.md")
        screen = terminal.wait(r"A yes also lets \d+ listed commands? run")
        assert (
            screen.count(
                "- 02.1 the writer is tested ← python3 -B -m unittest -q test_export (from PLAN.md, waits for your yes)"
            )
            == 1
        )
        assert world.project.loop.status == "asking"

        terminal.submit("y")
        terminal.wait("Waiting for 1 background agent to finish")
        assert world.project.loop.spend.iterations == 0, (
            "nobody is held, or counted, while sub-agents work"
        )
        latch.open()
        terminal.wait(r"Task 02 failed\. Retry\? \(0/3 attempts used\) \[Y/n\]")
        assert world.project.loop.plan.done == ("01",)

        asked = len(world.model.requests)
        terminal.submit("/loop:status")
        terminal.wait(r"○ 02 Create the writer \(failed 1x\)")
        assert len(world.model.requests) == asked, "no model call"

        terminal.submit("y")
        terminal.wait(r"Wave 1 complete\. Continue\? \[Y/n\]")
        terminal.submit("y")
        terminal.wait(r"Wave 2 complete\. Continue\? \[Y/n\]")

        asked = len(world.model.requests)
        terminal.submit("/loop:verify")
        terminal.wait(r"Verification found 3 gaps\. Attempt automatic fix\? \(0/20\) \[Y/n\]")
        assert len(world.model.requests) == asked, "no model call"
        terminal.submit("/loop:execute")
        terminal.wait(r"Verification found 2 gaps\. Attempt automatic fix\? \(0/20\) \[Y/n\]")
        assert "orphan" in world.path(".loop/VERIFICATION.md").read_text()
        terminal.submit("y")
        screen = terminal.wait(r"╰─+╯")

    assert next(script, None) is None, "all of it was played"
    for line in (
        "<loop-complete>",
        "- 02 Create the writer (1 check): ✓",
        "- 1 key link: ✓",
        "🟢 SHIP",
    ):
        assert line in screen
    ended = world.project.ended
    assert (ended.verdict.proven, ended.plan.fix_rounds, ended.spend.iterations) == (True, 1, 6)
    assert [one.result for one in ended.plan.history] == ["gaps_found", "gaps_found", "passed"]

    heard = [request.news for request in world.model.lane()]
    begun, again, held, last, gaps = (
        next(news for news in heard if said in news) for said in PROMPTS
    )
    assert '<task id="01" wave="1"' in begun
    assert '<task id="02" wave="1"' in begun
    assert "`feat(1-01): create the table`; `feat(1-02): create the writer`" in begun
    for prompt in (again, held):
        assert '<task id="01"' not in prompt
        assert "AssertionError: 'name,age\\nAda, Countess,36\\n'" in prompt, "what the test printed"
        assert "<previous_attempt>" in prompt
        assert "<attempt>1 of 3</attempt>" in prompt
    assert "Stop hook" in held
    assert '<task id="04"' in last
    assert '<gap type="orphan" iteration="1/20">' in gaps
    assert '<gap type="broken_link" iteration="1/20">' in gaps

    sent = world.model.lane("agent")
    assert len(sent) == 2 + 3, "no sub-agent is held"
    assert not any("Loop active" in request.text for request in sent)
    fixes = ["fix(1): broken_link report.py -> export.py", "fix(1): orphan rows.py"]
    assert subjects(world)[:3] == [*fixes, "docs(1-04): describe the flag"]
    assert world.project.git("status", "--porcelain") == "", "none of our files is the repository's"
    assert not world.path(".gsd").exists()
