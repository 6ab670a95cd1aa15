"""The papers of a plan: VERIFICATION.md, the summary, and a GSD project's STATE.md and ROADMAP.md. They never cost the loop."""

from __future__ import annotations

import pytest

from loopwright.core.loop import plan_of
from loopwright.drive.plans.plan_files import without_gsd_block
from tests.sandbox.user import needs_bwrap
from tests.support.hook import block
from tests.support.plan_projects import (
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

GAP = {
    "when": '<gap type="stub" iteration=',
    "write": {"two.txt": "found\n"},
    "say": "GAP CLOSED: two.txt",
}
# Where the agent writes the gaps that it finds: .loop itself is read-only in a sandbox.
NAMED = {"off": "into .loop/VERIFICATION.md", "auto": "into .loop/inbox/VERIFICATION.md"}
WRITTEN = '"${LOOP_INBOX:-.loop}/VERIFICATION.md"'
sandboxes = pytest.mark.parametrize(
    "sandbox", ["off", pytest.param("auto", marks=[needs_bwrap, pytest.mark.long])]
)
STATE = "---\nphase: 1\nopen: []\n---\n\n## Session\nAs it was.\t\n"
ROADMAP = "# Roadmap\n\n## Phase 1: A phase\n**Status:** PLANNED\n"
PLAN = ".gsd/plans/phase-1/plan.md"
BESIDE = ".gsd/plans/phase-1/VERIFICATION.md"


def gsd(project, plan: str = "", state: str = STATE) -> Project:
    """A GSD project, in which nothing is asked."""
    here = project(
        {
            PLAN: plan or a_plan(),
            ".gsd/ROADMAP.md": ROADMAP,
            ".gsd/config.md": "---\nmode: yolo\n---\n",
        }
    )
    (here.root / ".gsd/STATE.md").write_bytes(state.encode())
    here.commit()
    said = here.run("execute")
    assert said.code == 0, said.err
    return here


def text(here: Project, name: str) -> str:
    return (here.root / name).read_bytes().decode()


def unwritable(here: Project, name: str) -> None:
    """Whoever wants to replace this file meets a folder in the way of the draft; modes would not stop root."""
    (here.root / f"{name}.tmp").mkdir()


# --- without GSD ---


@sandboxes
def test_without_gsd_everything_lies_in_the_loops_own_folder(project, sandbox: str) -> None:
    here = project({"readme.md": "a project\n", ".gitignore": "seen.md\n"})
    here = start_plan(here, plan=a_plan(musts=("it reads well",)))
    report = here.root / ".loop/VERIFICATION.md"
    looks = f'cp {report} seen.md; printf \'<gaps><gap type="stub" file="two.txt">no two</gap></gaps>\' > {WRITTEN}'
    claim = block(
        {"it reads well": {"met": True, "verification": "observation", "evidence": "read"}}
    )
    said = run_script(
        here,
        GAP,
        turn_writing("01"),
        turn_writing("02"),
        {"when": NAMED[sandbox], "run": [f"test -e two.txt || {{ {looks}; }}"], "say": claim},
        words=("--sandbox", sandbox),
    )

    assert said.code == 10, said.out + said.err
    seen = (here.root / "seen.md").read_text("utf-8")
    assert seen.startswith("# Verification Report: Phase 1\n\n## Status: human_needed\n")
    assert [one.result for one in plan_of(here.ended).history] == ["passed", "gaps_found", "passed"]
    assert ("fix(1): stub two.txt", ["two.txt"]) in files_of(here), (
        "what an agent wrote into it is a gap like any other"
    )
    archive = here.root / ".loop/history" / here.ended.id
    for name in ("VERIFICATION.md", "summary.md"):
        assert (archive / name).read_bytes() == (here.root / ".loop" / name).read_bytes()
    assert [path.name for path in here.root.rglob("*gsd*")] == []
    assert not list(here.root.glob("VERIFICATION.md"))
    start_plan(here)
    assert not report.exists(), "the next loop begins without it"


def test_an_agent_cannot_take_away_what_we_found(project) -> None:
    here = start_plan(project(), "--retries", "1", plan=a_plan(a_task("01", "create tool.py")))
    empty = [f"printf '<gaps></gaps>' > {here.root}/.loop/VERIFICATION.md"]
    said = run_script(
        here,
        turn_on("01", write={"tool.py": "x = 1\n"}),
        {"run": empty, "say": "GAP CLOSED: tool.py"},
    )

    assert said.code == 4, said.out + said.err
    assert [gap.key for gap in plan_of(here.loop).gaps] == ["orphan:tool.py"]
    assert '<gap type="orphan" file="tool.py" parked="true">' in (
        here.root / ".loop/VERIFICATION.md"
    ).read_text("utf-8")


@sandboxes
def test_an_agent_that_says_gaps_found_and_names_none_is_asked_for_them(
    project, sandbox: str
) -> None:
    here = start_plan(project(), plan=a_plan(musts=("it reads well",)))
    found = [f"printf '# Report\\n\\n## Status: gaps_found\\n' > {WRITTEN}"]
    said = run_script(
        here,
        turn_writing("01"),
        turn_writing("02"),
        {"run": found, "say": "GAP FAILED: I do not know which"},
        words=("--sandbox", sandbox),
    )

    assert said.code == 4, said.out + said.err
    (gap,) = plan_of(here.loop).gaps
    assert (gap.key, gap.text) == (
        "ci_failure:.loop/VERIFICATION.md",
        "it says gaps_found, and names none inside <gaps>",
    )


# --- with GSD ---


def test_in_a_gsd_project_they_lie_beside_the_plan(project) -> None:
    here = gsd(project)
    said = run_script(here, turn_writing("01"), turn_writing("02"))

    assert said.code == 0, said.out + said.err
    assert "## Status: passed" in text(here, BESIDE)
    assert "| 01 | Do the work of 01 | done |" in text(
        here, BESIDE.replace("VERIFICATION", "summary")
    )
    assert not (here.root / ".loop/VERIFICATION.md").exists()
    assert (here.root / ".loop/history" / here.ended.id / "VERIFICATION.md").read_text(
        "utf-8"
    ) == text(here, BESIDE)
    assert "**Status:** COMPLETE" in text(here, ".gsd/ROADMAP.md")
    assert files_of(here)[-2:] == [
        ("docs(1-01): do the work of 01", ["01.txt"]),
        ("docs(1-02): do the work of 02", ["02.txt"]),
    ]


@pytest.mark.parametrize(
    "end", [pytest.param("\n", id="LF", marks=pytest.mark.long), pytest.param("\r\n", id="CRLF")]
)
def test_the_state_is_kept_current_and_every_other_byte_left_alone(project, end: str) -> None:
    here = gsd(project, state=STATE.replace("\n", end))
    running = text(here, ".gsd/STATE.md")
    said = run_script(
        here,
        turn_on("01", say="TASK FAILED: 01: no", run=["true"]),
        turn_writing("02"),
        words=("--parallel",),
    )
    assert said.code == 4, said.out + said.err
    paused = text(here, ".gsd/STATE.md")

    for state in (running, paused):
        start = state.index("loop:")
        block = state[start : state.index(f"{end}---{end}", start) + len(end)]
        assert state.replace(block, "") == STATE.replace("\n", end)
        assert block.count("\n") == block.count(end)
    assert f"  active: true{end}  type: execute{end}" in running
    assert f"  active: false{end}" in paused
    assert f"  task_retries:{end}    T01: 3{end}" in paused
    assert "Task 01 failed after 3 retries" in paused
    assert f"  paused: true{end}" in paused
    here.run("continue")
    assert f"  paused: false{end}" in text(here, ".gsd/STATE.md")


def test_paused_true_written_by_hand_pauses_at_the_next_stop(project) -> None:
    here = gsd(project)
    by_hand = "sed -i.bak 's/  paused: false/  paused: true/' .gsd/STATE.md && rm .gsd/STATE.md.bak"
    said = run_script(here, turn_writing("01", run=[by_hand]), turn_writing("02"))

    assert said.code == 8, said.out + said.err
    assert "⏸ Paused: STATE.md was set to paused by hand" in said.out
    assert here.loop.spend.iterations == 0, "the turn was settled, and is begun again"
    assert here.run("continue").code == 0
    said = run_script(here, turn_writing("01"), turn_writing("02"))
    assert said.code == 0, said.out + said.err


@pytest.mark.parametrize(
    "name",
    [
        ".gsd/STATE.md",
        *(pytest.param(name, marks=pytest.mark.long) for name in (".gsd/ROADMAP.md", BESIDE)),
    ],
)
def test_a_file_that_cannot_be_written_costs_the_file_and_not_the_loop(project, name: str) -> None:
    here = gsd(project)
    unwritable(here, name)
    before = text(here, name) if (here.root / name).exists() else ""
    said = run_script(here, turn_writing("01"), turn_writing("02"))

    assert said.code == 0, said.out + said.err
    assert (text(here, name) if (here.root / name).exists() else "") == before


def test_a_project_whose_papers_vanish_goes_on(project) -> None:
    here = gsd(project)
    said = run_script(
        here, turn_writing("01", run=["rm .gsd/STATE.md .gsd/ROADMAP.md"]), turn_writing("02")
    )

    assert said.code in (0, 4), said.out + said.err
    assert "our own error" not in said.err


def test_a_lane_that_writes_the_rest_of_the_state_lands_beside_our_block(project) -> None:
    plan = a_plan(
        a_task("01", "modify .gsd/STATE.md", checks=('.gsd/STATE.md contains "decided"',)),
        a_task("02"),
    )
    here = gsd(project, plan)
    said = run_script(
        here,
        turn_on("01", run=["echo decided >> .gsd/STATE.md"]),
        turn_writing("02"),
        words=("--parallel",),
    )

    assert said.code == 0, said.out + said.err
    assert "Not merged" not in said.out
    assert here.git("show", "HEAD:.gsd/STATE.md").replace("\r", "") == f"{STATE}decided\n", (
        "our block is in no commit"
    )
    state = text(here, ".gsd/STATE.md")
    assert state.endswith("As it was.\t\ndecided\n")
    assert "completed: true" in state


def test_what_a_person_changed_in_the_state_is_not_overwritten_by_a_landing(project) -> None:
    """Only our own block is set aside; with other changes git says no, and the task is told."""
    plan = a_plan(
        a_task("01", "modify .gsd/STATE.md", checks=('.gsd/STATE.md contains "decided"',))
    )
    here = gsd(project, plan)
    mine = text(here, ".gsd/STATE.md") + "a note of the person\n"
    note = f"printf 'a note of the person\\n' >> {here.root}/.gsd/STATE.md; echo decided >> .gsd/STATE.md"
    said = run_script(
        here,
        turn_on("01", "<previous_attempt>", say="TASK FAILED: 01: cannot"),
        turn_on("01", run=[note]),
        words=("--parallel",),
    )

    assert said.code == 4, said.out + said.err
    assert "changes that are not committed" in said.out
    assert mine.rpartition("---")[2] == text(here, ".gsd/STATE.md").rpartition("---")[2]


def test_set_aside_is_put_back_whatever_happens(project) -> None:
    here = gsd(project)
    before = text(here, ".gsd/STATE.md")

    def land() -> None:
        with without_gsd_block(str(here.root), ".gsd"):
            assert text(here, ".gsd/STATE.md") == STATE
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        land()
    assert text(here, ".gsd/STATE.md") == before
