"""A fault of the machine at the last Stop: the loop pauses, and `loop continue` ends as proven."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from loopwright.disk.files import write_all
from loopwright.disk.problems import disk_problem
from loopwright.disk.user_folders import state_home
from loopwright.store.machine_faults import MachineFault, find_fault, require_writable
from tests.drive.test_room_runs import FIXED, begin, end
from tests.support.hook import SESSION
from tests.support.project import Project
from tests.torture.gauntlet.disks import CAN_MOUNT, mount

pytestmark = [
    pytest.mark.room,
    pytest.mark.usefixtures("own_terminal"),
    pytest.mark.skipif(os.name == "nt", reason="other errors there"),
]


@contextmanager
def no_temporary_folder(here: Project) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, str(here.root.parent / "gone")
    yield
    tempfile.tempdir = before


@contextmanager
def read_only_git(here: Project) -> Iterator[None]:
    git = str(here.root / ".git")
    if CAN_MOUNT:  # root may write whatever the mode says
        assert mount("--bind", git, git)
        assert mount("-o", "remount,ro,bind", git)
        yield
        subprocess.run(["umount", "-l", git], check=True)
    else:
        subprocess.run(["chmod", "-R", "a-w", git], check=True)
        yield
        subprocess.run(["chmod", "-R", "u+w", git], check=True)


@contextmanager
def full_state_folder(here: Project) -> Iterator[None]:
    filler = Path(os.environ["XDG_STATE_HOME"]) / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    yield
    filler.unlink()


@pytest.fixture
def small_state_folder() -> Iterator[None]:
    place = os.environ["XDG_STATE_HOME"]
    os.makedirs(place, exist_ok=True)
    assert mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", place)
    yield
    subprocess.run(["umount", "-l", place], check=True)


def is_cut_off(here: Project, fault: Callable[[Project], AbstractContextManager[None]]) -> str:
    """The reason of the pause at the last Stop, during this fault."""
    here.write({"parse.py": FIXED})
    with fault(here):
        end(here)
        loop = here.loop
        assert (loop.status, loop.pause.cause) == ("paused", "disk")
        finish = here.run("audit", "--finish")
        assert "To continue: `loop continue`" in finish.err
    return loop.pause.why


def continues_as_proven(here: Project) -> None:
    said = here.run("continue")
    assert said.code == 0, said.err
    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")
    assert here.ended.spend.iterations == 1


@pytest.mark.long
def test_a_temporary_folder_that_is_gone_pauses(project) -> None:
    here = begin(project)
    why = is_cut_off(here, no_temporary_folder)

    place = here.root.parent / "gone"
    assert why.startswith(f"the folder for temporary files is gone: {place} (ENOENT). Create it")
    continues_as_proven(here)


@pytest.mark.skipif(os.geteuid() == 0 and not CAN_MOUNT, reason="root may write everywhere")
def test_a_git_folder_that_cannot_be_written_pauses(project) -> None:
    here = begin(project)
    why = is_cut_off(here, read_only_git)

    assert f"{here.root}/.git/objects (E" in why
    continues_as_proven(here)


@pytest.mark.skipif(not CAN_MOUNT, reason="needs a small disk of its own")
def test_a_full_disk_under_the_state_folder_pauses(small_state_folder, project) -> None:
    here = begin(project, "--session", SESSION)
    why = is_cut_off(here, full_state_folder)

    assert why.startswith("the disk is full: ")
    assert why.endswith("(ENOSPC). Make room first")
    continues_as_proven(here)


def test_a_check_that_fails_on_a_sound_machine_is_the_works(project) -> None:
    here = begin(project)
    end(here)

    assert here.loop.status == "running"


CAUSES = {
    "a full disk": (OSError(errno.ENOSPC, "no room", "/x/y"), "the disk is full: /x/y (ENOSPC)"),
    "no memory": (MemoryError(), "there is no memory left (ENOMEM)"),
    "no process": (OSError(errno.EAGAIN, "again", "git"), "no more processes can be started: git"),
    "a share that is gone": (OSError(errno.ESTALE, "stale", "/net/a"), "cannot be reached: /net/a"),
    "a file of the project that is gone": (FileNotFoundError(errno.ENOENT, "gone", "/p/a.py"), ""),
    "a bug": (ValueError("no"), ""),
}


def test_which_errors_are_of_the_machine(project) -> None:
    here = begin(project, "--room", "off")
    for error, words in CAUSES.values():
        fault = find_fault(error, here.folder, here.loop)

        assert (words in str(fault)) if words else fault is None
        wrapped = RuntimeError("a room cannot be prepared")
        wrapped.__cause__ = error
        assert str(find_fault(wrapped, here.folder, here.loop)) == str(fault)


TEMPORARY = {
    "no room": (OSError(errno.ENOSPC, "", "T/loop-report-1"), "the disk is full: T (ENOSPC)"),
    "read-only": (OSError(errno.EROFS, "", "T/loop-report-1/a"), "is read-only: T (EROFS)"),
    "a project there": (OSError(errno.ENOSPC, "", "T/p/a.py"), "the disk is full: T/p/a.py (ENO"),
    "its file is gone": (FileNotFoundError(errno.ENOENT, "", "T/p/a.py"), ""),
    "ours is gone": (FileNotFoundError(errno.ENOENT, "", "T/loop-a"), "were removed: T (ENOENT)"),
}


@pytest.mark.parametrize(("error", "words"), TEMPORARY.values(), ids=TEMPORARY.keys())
def test_of_our_temporary_files_the_folder_is_named(
    tmp_path: Path, monkeypatch, error: OSError, words: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    error.filename = error.filename.replace("T", str(tmp_path))
    problem, _ = disk_problem(error)

    assert words.replace("T", str(tmp_path), 1) in problem if words else problem == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
def test_a_full_disk_is_named_with_the_file_that_was_written() -> None:
    fd = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OSError, match="No space") as caught:
        write_all(fd, b"x", "/p/.loop/journal.jsonl")
    os.close(fd)

    assert disk_problem(caught.value)[0] == "the disk is full: /p/.loop/journal.jsonl (ENOSPC)"


def test_a_file_in_the_place_of_the_state_folder_is_named_with_the_way_out(project) -> None:
    here = begin(project, "--room", "off")
    state = Path(state_home())
    state.rename(f"{state}.aside")
    state.touch()
    said = here.run("pause")
    state.unlink()
    Path(f"{state}.aside").rename(state)

    assert f"a file is where our folder must be: {state} (ENOTDIR)" in said.err
    assert said.err.endswith("Move it away, then try again\n")
    assert here.run("pause").code == 0


def test_what_could_not_be_written_at_the_start_need_not_be_at_the_end(project) -> None:
    here = begin(project, "--room", "off")
    loop = here.loop
    without_git = loop.but(baseline=loop.baseline.but(tree_id=""))
    (here.root / ".git/objects").rename(here.root / ".git/elsewhere")

    require_writable(here.folder, without_git)
    with pytest.raises(MachineFault, match="objects cannot be written"):
        require_writable(here.folder, loop)
