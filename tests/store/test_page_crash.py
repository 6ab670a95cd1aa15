"""The page and a process that dies, or a disk that refuses, in the middle of a write: what was found or done is never lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.store.page_file import BACKUP_PATH
from tests.store.conftest import A, B
from tests.store.test_page_file import edit, look, order, page_of, shown, tell
from tests.support.project import Project

# Dies at the rename after so many: mirror, backup, page, copy.
MORTAL = """
import os, signal, sys, time
from loopwright.core.signals import BacklogEdited
from loopwright.drive.step import step
from loopwright.store.folder import LoopFolder
left, rename = int(sys.argv[2]), os.replace
def replace(old, new):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(old, new)
os.replace = replace
step(LoopFolder(sys.argv[1]), BacklogEdited(time.time(), found=("by command",), done=(sys.argv[3],)))
"""
# (Our note of the journal's head, outside the project, is written in its place, without a rename.)
WRITES = {
    "before the mirror": 0,
    "before the backup": 1,
    "between journal and page": 2,
    "between page and copy": 3,
}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")


def dies(here: Project, survived: int) -> None:
    """`loop backlog`, killed: the journal has its line, the files only as far as it came."""
    argv = [sys.executable, "-c", MORTAL, str(here.root), str(survived), A]
    assert subprocess.run(argv, check=False, timeout=30).returncode == -9


@pytest.mark.parametrize("survived", WRITES.values(), ids=WRITES)
def test_killed_in_the_middle_of_a_write_nothing_is_lost_or_told_twice(
    page_project: Project, survived: int
) -> None:
    edit(page_project, f"- {A}\n- {B}\n", f"- {A}\n- theirs <!-- mine -->\n")
    dies(page_project, survived)

    tell(page_project, found=("afterwards",))

    b = page_project.loop.backlog
    assert (set(b.items), b.done) == ({"theirs", "by command", "afterwards"}, (A,))
    assert (b.found_count, b.fixed_count) == (3, 1)
    assert (set(shown(page_project).open_items or []), shown(page_project).done_items) == (
        {"theirs", "by command", "afterwards"},
        [A],
    )
    assert "- theirs <!-- mine -->\n" in shown(page_project).lines
    assert look(page_project) == ()


@pytest.mark.parametrize("survived", WRITES.values(), ids=WRITES)
def test_what_a_person_saves_after_the_death_is_heard_and_what_the_dead_one_did_stays(
    page_project: Project, survived: int
) -> None:
    dies(page_project, survived)
    edit(page_project, f"- {B}\n", f"- {B}\n- later <!-- mine -->\n")

    tell(page_project)

    assert (
        set(page_project.loop.backlog.items)
        == {B, "by command", "later"}
        == set(shown(page_project).open_items or [])
    )
    assert page_project.loop.backlog.done == (A,)
    assert page_project.loop.status == "running"


@pytest.mark.parametrize("survived", WRITES.values(), ids=WRITES)
def test_an_item_that_a_person_took_out_does_not_come_back_with_the_crash(
    page_project: Project, survived: int
) -> None:
    edit(page_project, f"- {B}\n", "")
    dies(page_project, survived)
    tell(page_project)

    assert page_project.loop.backlog.items == ("by command",)
    assert shown(page_project).open_items == ["by command"]


# --- a disk that refuses ---


def in_the_way(here: Project, name: str) -> Path:
    """A folder where a file is to be: no write can succeed there, not even root's."""
    place = here.root / name
    place.mkdir()
    (place / "occupied").touch()
    return place


def test_an_item_whose_page_could_not_be_written_is_in_the_next_one(page_project: Project) -> None:
    before = page_of(page_project).read_bytes()
    place = in_the_way(page_project, BACKUP_PATH)
    said = page_project.run("backlog", "add", "third")
    assert page_project.loop.backlog.items == (A, B, "third"), said.err
    assert page_of(page_project).read_bytes() == before

    (place / "occupied").unlink()
    place.rmdir()
    edit(page_project, f"- {A}\n", f"- {A} <!-- mine -->\n")
    tell(page_project)
    assert shown(page_project).open_items == [A, B, "third"]
    assert f"- {A} <!-- mine -->\n" in shown(page_project).lines


def test_a_loop_whose_page_cannot_be_written_goes_on_without(page_project: Project) -> None:
    """The page is a view: the journal has it all."""
    in_the_way(page_project, BACKUP_PATH)

    said = page_project.run("backlog", "done", A)

    assert (said.code, said.err) == (0, "") or "loop-state" in said.err, (
        "nothing, or what is in the way; no crash"
    )
    assert "our own error" not in said.err
    assert page_project.loop.backlog.done == (A,)


def test_a_folder_in_the_place_of_the_page_is_set_aside_like_any_page_that_cannot_be_read(
    page_project: Project,
) -> None:
    page_of(page_project).unlink()
    in_the_way(page_project, ".claude/loop-state.local.md")

    said = tell(page_project)

    assert "It is kept as .loop/aside/loop-state.local.md" in said
    assert (page_project.root / ".loop/aside/loop-state.local.md/occupied").exists()
    assert shown(page_project).open_items == [A, B]


def test_whatever_lies_in_the_place_of_the_page_a_loop_can_be_cancelled(
    page_project: Project,
) -> None:
    page_of(page_project).unlink()
    page_of(page_project).parent.rmdir()
    page_of(page_project).parent.write_text("a file where a folder was")

    order(page_project, "cancel")

    assert page_project.ended.status == "cancelled"
    assert page_of(page_project).parent.read_text() == "a file where a folder was"
