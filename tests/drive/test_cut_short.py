"""What a start or a git that was killed leaves behind: the next one goes on as if it had not been."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.drive.proof.start_baseline import measure_baseline
from loopwright.store import holdouts
from loopwright.store.create import note_ownership
from loopwright.verify import process_groups
from tests.e2e.waiting import until
from tests.support.builders import a_loop
from tests.support.hook import SESSION, stop
from tests.support.project import Project


def test_a_start_that_was_killed_before_the_mirror_is_no_mirror_deleted_by_hand(project) -> None:
    here = project()
    here.start("--session", SESSION)
    (here.root / ".loop/state.json").unlink()
    name, place, head, _, *rest = Path(here.folder.note_path).read_text().split("\n")
    Path(here.folder.note_path).write_text("\n".join([name, place, head, "-" * len(head), *rest]))

    assert stop(here).prompt.startswith("unmet criteria")
    assert here.loop.status == "running"
    assert here.state["spec"] == here.loop.spec


@pytest.mark.parametrize(
    "head", ["", "5e" * 16], ids=["while it measured", "right before its first line"]
)
def test_a_start_that_was_killed_leaves_no_tree_no_command_and_no_record_of_a_group_for_good(
    project, head: str
) -> None:
    here = project()
    os.mkdir(here.folder.path)
    measure_baseline(a_loop(id="never-came"), here.folder)
    holdouts.save_commands("never-came", {"more": "true"})
    note_ownership(here.folder, "never-came", head, before="-" * len(head))
    here.write({".loop/running/4194305": "", ".loop/running/4194305.tmp": ""})
    assert "refs/loop/never-came/0" in here.git("for-each-ref")
    here.start()

    assert "never-came" not in here.git("for-each-ref")
    assert not os.path.exists(holdouts.holdout_folder("never-came"))
    assert not os.path.exists(here.folder.path_of("running"))
    assert f"refs/loop/{here.loop.id}/0" in here.git("for-each-ref")


def test_a_git_that_was_killed_keeps_no_other_from_the_tree(project) -> None:
    """Its lock lay there for good: no result was kept from one stop to the next, and no iteration to go back to."""
    here = project()
    here.start("--session", SESSION)
    here.write({"readme.md": "changed\n"})
    for lock in (
        ".loop/tree/index.lock",
        ".loop/tree/kept.lock",
        f".git/refs/loop/{here.loop.id}/1.lock",
    ):
        here.write({lock: ""})
        os.utime(here.root / lock, (time.time() - 600,) * 2)
    stop(here)

    assert here.loop.tree
    assert f"refs/loop/{here.loop.id}/1" in here.git("for-each-ref")
    assert not [path for path in here.root.rglob("*.lock") if path.parent.name != ".loop"]


def test_a_draft_of_a_runner_that_was_killed_goes_with_the_loop(project) -> None:
    here = project()
    here.start()
    (here.root / ".loop/summary.md.tmp").write_text("half of it")
    here.run("cancel")

    assert not (here.root / ".loop/summary.md.tmp").exists()


def test_a_note_that_the_disk_will_not_give_is_not_taken_for_a_no(project) -> None:
    here = project()
    here.start("--session", SESSION)
    os.remove(here.folder.note_path)
    os.mkdir(here.folder.note_path)

    assert "Is a directory" in stop(here).message, (
        "told, not silent: as it is where the loop is nobody's"
    )


def an_agent_of_a_killed_runner(
    here: Project,
) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
    """The agent works on; the runner is dead, and nobody has buried it."""
    agent = subprocess.Popen(["sleep", "60"], start_new_session=True)
    code = "import os, sys; from loopwright.verify.process_groups import record_group; "
    code += "its = record_group(sys.argv[1], int(sys.argv[2])); its.__enter__(); os.kill(os.getpid(), 9)"
    runner = subprocess.Popen([sys.executable, "-c", code, here.folder.path, str(agent.pid)])
    until(lambda: ") Z " in Path(f"/proc/{runner.pid}/stat").read_text(), lambda: "it lives")
    return agent, runner


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="only /proc tells the dead from the living")
def test_an_agent_whose_runner_is_killed_and_not_yet_buried_is_ended_by_the_next(project) -> None:
    here = project()
    here.start()
    agent, runner = an_agent_of_a_killed_runner(here)

    assert process_groups.end_orphaned_groups(here.folder.path) == [agent.pid]
    until(lambda: agent.poll() is not None, lambda: "it lives on")
    runner.wait()


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="only /proc tells the dead from the living")
def test_an_agent_whose_runner_is_killed_is_ended_with_the_loop_at_the_latest(project) -> None:
    here = project()
    here.start()
    agent, runner = an_agent_of_a_killed_runner(here)
    assert here.run("cancel").code == 0

    until(lambda: agent.poll() is not None, lambda: "it lives on")
    assert not os.path.exists(here.folder.path_of("running"))
    runner.wait()
