"""The .loop/ folder: private, ours alone, committed line by line, archived at every end."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.core import events as ev
from loopwright.core.directives import Move, Stop
from loopwright.core.proof.state import Verdict
from loopwright.core.signals import Claimed, Claims, Ordered
from loopwright.disk import files
from loopwright.disk.files import write_atomic
from loopwright.disk.lock import FolderBusy, LocksUnsupported
from loopwright.drive.step import step
from loopwright.store import archive, journal, journal_moves, moment, second_copy
from loopwright.store import folder as folders
from loopwright.store.create import create_loop, note_ownership, prepare_folder
from loopwright.store.folder import LoopFolder, NoLoop, UnsafePath, UntrustedFolder
from loopwright.store.history import ended_loops
from loopwright.store.page_file import HISTORY_PATH
from tests.support.builders import a_discovery_loop, a_loop, a_loop_without_checks
from tests.support.hook import stop
from tests.support.project import Project


@pytest.fixture
def stored_project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "here", git=False)
    made.create(a_loop_without_checks("docs read well"))
    return made


def order(here: Project, word: str, **details: object) -> object:
    return step(here.folder, Ordered(time.time(), word, **details))


def modes(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }


# --- private ---


def test_the_folder_is_private_and_so_is_every_file_in_it(project) -> None:
    here = project()
    here.start("--check", "fine=true")
    order(here, "pause")

    assert stat.S_IMODE((here.root / ".loop").stat().st_mode) == 0o700
    ours = {
        name: mode
        for name, mode in modes(here.root / ".loop").items()
        if not name.startswith("tree/")
    }
    assert ours.keys() > {"journal.jsonl", "state.json", "lock", ".gitignore"}
    assert any(name.startswith("evidence/") for name in ours)
    assert set(ours.values()) == {0o600}, ours


def test_the_archive_is_private(stored_project: Project) -> None:
    order(stored_project, "cancel")
    place = stored_project.root / ".loop/history" / stored_project.ended.id

    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert set(modes(place).values()) == {0o600}


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / ".loop").mkdir(mode=0o755)
    create_loop(LoopFolder(str(tmp_path)), a_loop())

    assert stat.S_IMODE((tmp_path / ".loop").stat().st_mode) == 0o700


def test_git_sees_nothing_of_it(project) -> None:
    here = project()
    here.start()

    assert (here.root / ".loop/.gitignore").read_text() == "*\n"
    assert here.git("status", "--porcelain") == ""


# --- ours ---


def test_a_loop_that_was_started_here_is_ours(stored_project: Project) -> None:
    assert stored_project.loop.criteria[0].name == "docs read well"


def test_a_copied_folder_is_inert_until_it_is_allowed(
    stored_project: Project, tmp_path: Path
) -> None:
    shutil.copytree(stored_project.root / ".loop", tmp_path / "copy/.loop")
    copy = LoopFolder(str(tmp_path / "copy"))

    with pytest.raises(UntrustedFolder, match="run `loop allow`"):
        copy.read_loop()
    with pytest.raises(UntrustedFolder), copy.locked():
        raise AssertionError("not reached")

    tail = journal.read(copy.journal_path)
    note_ownership(copy, tail.loop.id, tail.head)
    assert copy.read_loop() == stored_project.loop


def test_a_folder_that_comes_with_a_clone_is_inert(project, tmp_path: Path) -> None:
    here = project()
    here.start()
    here.git("add", "-f", ".loop/journal.jsonl", ".loop/state.json")
    here.git("commit", "-qm", "look what I have")
    subprocess.run(["git", "clone", "-q", str(here.root), str(tmp_path / "clone")], check=True)

    with pytest.raises(UntrustedFolder):
        LoopFolder(str(tmp_path / "clone")).read_loop()


def test_another_loop_at_the_same_place_is_not_ours(stored_project: Project) -> None:
    shutil.rmtree(stored_project.root / ".loop")
    other = a_loop(id="from-elsewhere")
    prepare_folder(stored_project.folder)
    data = journal.encode_move(None, other, (ev.LoopStarted(other),), "", 1.0, "start")
    journal.append_line(stored_project.folder.journal_path, data, None)

    with pytest.raises(UntrustedFolder):
        stored_project.folder.read_loop()


def test_a_symlink_to_the_folder_is_the_same_place(stored_project: Project, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(stored_project.root)

    assert LoopFolder(str(tmp_path / "link")).read_loop() == stored_project.loop


@pytest.mark.parametrize("name", ["this start", ""])
def test_a_note_is_waited_for_only_where_the_start_of_the_machine_has_no_name(
    stored_project: Project, monkeypatch, name: str
) -> None:
    if name:
        (stored_project.root / "boot_id").write_text(f"{name}\n")
    monkeypatch.setattr(moment, "BOOT_ID_FILE", str(stored_project.root / "boot_id"))
    stored_project.folder.write_note("loop-1", "0" * 32, "0" * 32)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    stored_project.folder.write_note("loop-1", "1" * 32, "0" * 32)

    assert (folders.boot_id(), len(synced)) == (name, 0 if name else 1)


def test_who_drives_is_told_to_the_script_that_halts(stored_project: Project) -> None:
    order(stored_project, "attach", session="s2")

    assert (stored_project.root / ".loop/driver").read_text() == "s2\n"


# --- the lock ---


def test_a_busy_folder_is_waited_for_and_then_given_up(stored_project: Project) -> None:
    began = time.monotonic()
    with (
        stored_project.folder.locked(),
        pytest.raises(FolderBusy, match="held by another process"),
        stored_project.folder.locked(wait=0.2),
    ):
        raise AssertionError("not reached")

    assert 0.2 <= time.monotonic() - began < 2


def test_the_lock_dies_with_its_holder(stored_project: Project) -> None:
    hold = (
        "import sys; from loopwright.store.folder import LoopFolder\n"
        "with LoopFolder(sys.argv[1]).locked(): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(stored_project.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(FolderBusy), stored_project.folder.locked(wait=0.05):
        raise AssertionError("not reached")

    holder.kill()
    holder.wait()
    with stored_project.folder.locked(wait=1.0) as book:
        assert book.loop.status == "running"
    holder.stdin.close()
    holder.stdout.close()


def test_an_error_while_the_book_is_open_lets_go_of_the_lock(stored_project: Project) -> None:
    with pytest.raises(ZeroDivisionError), stored_project.folder.locked():
        raise ZeroDivisionError

    with stored_project.folder.locked(wait=0.05) as book:
        assert book.loop.status == "running"


@pytest.mark.parametrize("gone", [".loop", ".loop/journal.jsonl"])
def test_where_the_folder_or_its_journal_is_gone_is_no_loop_and_no_lock(
    stored_project: Project, tmp_path: Path, gone: str
) -> None:
    (stored_project.root / gone).rename(tmp_path / "away")
    with pytest.raises(NoLoop, match="no active loop in"), stored_project.folder.locked():
        raise AssertionError("not reached")

    (tmp_path / "away").rename(stored_project.root / gone)
    with stored_project.folder.locked(wait=0.05) as book:
        assert book.loop.status == "running"


def test_where_the_file_system_gives_no_locks_the_reason_is_said_and_no_folder_made(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(
        fcntl,
        "flock",
        lambda *_: (_ for _ in ()).throw(OSError(errno.ENOLCK, "No locks available")),
    )

    with pytest.raises(
        LocksUnsupported, match=r"\.loop: this file system gives no locks \(No locks available\)"
    ):
        create_loop(LoopFolder(str(tmp_path)), a_loop())
    assert not (tmp_path / ".loop").exists()


# --- the archive ---


def test_cancelled_without_keep_nothing_but_history_stays(stored_project: Project) -> None:
    order(stored_project, "cancel", keep_mirror=False)

    assert not (stored_project.root / ".loop/journal.jsonl").exists()
    assert not (stored_project.root / ".loop/state.json").exists()
    assert stored_project.folder.read_loop() is None
    assert [loop.status for loop in ended_loops(stored_project.folder)] == ["cancelled"]


def test_cancelled_with_keep_the_mirror_says_so_and_keeps_spec_and_steps(
    stored_project: Project,
) -> None:
    order(stored_project, "cancel", keep_mirror=True)

    assert stored_project.state["status"] == "cancelled"
    assert stored_project.state["spec"] == "fix all failing tests"


def test_finished_the_mirror_stays_with_the_verdict(stored_project: Project) -> None:
    with stored_project.folder.locked() as book:
        events = (ev.LoopFinished(Verdict("MONITOR", False), 2000.0),)
        done = book.loop.but(
            status="finished",
            verdict=Verdict("MONITOR", False),
            clock=book.loop.clock.but(ended_at=2000.0),
        )
        book.commit(Move(done, events, Stop()), Ordered(2000.0, "finish"))

    assert (
        stored_project.state["status"],
        stored_project.state["verdict"],
        stored_project.state["proven"],
    ) == (
        "completed",
        "MONITOR",
        False,
    )
    assert stored_project.folder.read_loop() is None
    assert stored_project.ended.verdict == Verdict("MONITOR", False)


def test_an_order_to_halt_is_not_meant_for_the_next_loop(stored_project: Project) -> None:
    order(stored_project, "cancel", keep_mirror=False)
    for name in ("halt", "STOP"):
        (stored_project.root / ".loop" / name).touch()
    stored_project.create(a_loop_without_checks("docs read well"))

    assert not {"halt", "STOP"} & {*os.listdir(stored_project.root / ".loop")}


@pytest.mark.parametrize(
    "quicker", [False, True], ids=["its writer was killed", "its writer is quicker"]
)
def test_a_draft_goes_with_the_loop(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch, quicker: bool
) -> None:
    draft, remove = stored_project.root / ".loop/summary.md.tmp", os.remove
    draft.write_text("half of it")

    def removed(path: str) -> None:
        if quicker and path == str(draft):
            draft.rename(stored_project.root / ".loop/summary.md")
        remove(path)

    monkeypatch.setattr(os, "remove", removed)
    order(stored_project, "cancel", keep_mirror=False)

    assert not draft.exists()
    assert (stored_project.root / ".loop/summary.md").exists() == quicker
    assert stored_project.ended.status == "cancelled"


def end_without_archive(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies after the last journal line."""
    with monkeypatch.context() as patch:
        patch.setattr(
            LoopFolder, "archive_loop", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            order(here, "cancel", keep_mirror=False)


def test_a_crash_before_the_archive_is_finished_at_the_next_open(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_without_archive(stored_project, monkeypatch)
    assert (stored_project.root / ".loop/journal.jsonl").exists()

    with pytest.raises(NoLoop), stored_project.folder.locked():
        raise AssertionError("not reached")

    assert not (stored_project.root / ".loop/journal.jsonl").exists()
    assert not (stored_project.root / ".loop/state.json").exists()
    assert stored_project.ended.status == "cancelled"


@pytest.mark.parametrize("survived", range(4))
def test_a_crash_between_any_two_steps_of_the_archive_is_finished_later(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch, survived: int
) -> None:
    end_without_archive(stored_project, monkeypatch)
    (stored_project.root / ".loop/evidence").mkdir()
    (stored_project.root / ".loop/evidence/one.log").write_text("1 failed")
    left = survived

    def replace(old: str, new: str) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        real(old, new)

    real = os.replace
    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "replace", replace)
        try:
            stored_project.folder.archive_loop(
                journal.read(stored_project.folder.journal_path).loop
            )
        except KeyboardInterrupt:
            assert (stored_project.root / ".loop/journal.jsonl").exists(), "the journal moves last"

    with pytest.raises(NoLoop), stored_project.folder.locked():
        raise AssertionError("not reached")

    place = stored_project.root / ".loop/history" / stored_project.ended.id
    assert {path.name for path in place.iterdir()} >= {"journal.jsonl", "state.json", "evidence"}
    assert (place / "evidence/one.log").read_text() == "1 failed"


@pytest.mark.parametrize(
    "words",
    [("start", "fix all failing tests", "--criterion", "docs", "--yes"), ("history",), ("pause",)],
)
def test_a_loop_that_died_before_its_archive_is_no_active_loop_for_the_command_line(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    end_without_archive(stored_project, monkeypatch)
    said = stored_project.run(*words)

    assert "our own error" not in said.err
    assert "a loop is cancelled here" not in said.err
    assert ("no active loop" in said.err) if words[0] == "pause" else (said.code == 0)
    assert [loop.status for loop in ended_loops(stored_project.folder)] == ["cancelled"]


def test_an_archive_can_be_repeated_after_its_last_step_too(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_without_archive(stored_project, monkeypatch)
    tail = journal.read(stored_project.folder.journal_path)
    first, second = (Path(stored_project.folder.archive_loop(tail.loop)) for _ in range(2))

    assert {path.name for path in second.iterdir()} == {"journal.jsonl", "state.json"}
    assert journal.read(str(first / "journal.jsonl")) == tail
    seal = Path(archive.seal_path(tail.loop.id)).read_text().split("\n")
    assert (seal[0], seal[2]) == (f"{tail.seq} {tail.head}", stored_project.folder.real_root)


def test_who_looks_while_one_loop_ends_and_the_next_begins_sees_the_next(
    stored_project: Project, monkeypatch
) -> None:
    end_without_archive(stored_project, monkeypatch)
    ended, locked = journal.read(stored_project.folder.journal_path).loop, LoopFolder.locked

    def meanwhile(folder: LoopFolder) -> folders.LockedFolder:
        folder.archive_loop(ended)
        create_loop(folder, a_loop_without_checks("docs read well", id="loop-2"))
        return locked(folder)

    monkeypatch.setattr(LoopFolder, "locked", meanwhile)
    seen = stored_project.folder.read_loop()

    assert seen is not None
    assert seen.id == "loop-2", "not the one that has ended"
    assert (stored_project.loop.id, stored_project.loop.status) == ("loop-2", "running")
    assert [loop.id for loop in ended_loops(stored_project.folder)] == ["loop-1"]


def test_a_pause_that_nobody_ordered_leaves_one_copy_of_the_page(tmp_path: Path) -> None:
    here = Project(tmp_path / "here", git=False)
    here.create(a_discovery_loop("fix the menu"))
    paused = ev.LoopPaused("stuck", "five times nothing", 2000.0)
    for _ in range(2):  # paused again is no other pause
        with here.folder.locked() as book:
            book.commit(Move(paused.apply(book.loop), (paused,), Stop()), Ordered(2000.0, "pause"))

    assert len(list((here.root / HISTORY_PATH).glob("*.md"))) == 1


# --- writes that fail ---

TIGHT = """
import os, resource, sys, time
from loopwright.core.signals import Ordered
from loopwright.drive.step import step
from loopwright.store.folder import LoopFolder
from loopwright.disk.files import write_atomic
room = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
try:
    {what}
except OSError as error:
    print("refused:", type(error).__name__)
"""


def with_room_for(room: int, root: Path, what: str) -> str:
    """Do it in a process that may write no file larger than `room` bytes: as good as a full disk."""
    argv = [sys.executable, "-c", TIGHT.format(what=what), str(root), str(room)]
    return subprocess.run(
        argv, capture_output=True, text=True, check=True, timeout=30
    ).stdout.strip()


def test_a_write_that_fails_leaves_the_journal_as_it_was(stored_project: Project) -> None:
    before = (stored_project.root / ".loop/journal.jsonl").read_bytes()
    said = with_room_for(
        len(before) + 40,
        stored_project.root,
        "step(LoopFolder(sys.argv[1]), Ordered(time.time(), 'pause'))",
    )

    assert said.startswith("refused")
    assert (stored_project.root / ".loop/journal.jsonl").read_bytes() == before
    assert stored_project.loop.status == "running"
    order(stored_project, "pause")
    assert stored_project.loop.status == "paused"


def test_readers_see_the_old_file_or_the_new_one_never_half_of_either(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(str(path), b"old")
    what = f"write_atomic({str(path)!r}, b'new' * 1000)"

    assert with_room_for(100, tmp_path, what).startswith("refused")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"], "no draft is left behind"


# --- many at once ---

WRITER = """
import sys, time
from loopwright.core.signals import Ordered
from loopwright.drive.step import step
from loopwright.store.folder import LoopFolder
folder, who = LoopFolder(sys.argv[1]), sys.argv[2]
for n in range(int(sys.argv[3])):
    step(folder, Ordered(time.time(), "refused", by="agent", reason=f"{who}-{n}"))
    time.sleep(0.0005)
"""


def test_two_processes_at_once_lose_no_event(stored_project: Project) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(stored_project.root), who, "200"],
            stderr=subprocess.PIPE,
        )
        for who in "ab"
    ]
    errors = [writer.communicate(timeout=600)[1].decode() for writer in writers]

    assert errors == ["", ""]
    told = [event["order"] for event in stored_project.events("OrderRefused")]
    assert sorted(told) == sorted(f"{who}-{n}" for who in "ab" for n in range(200))
    assert [name for name in told if name.startswith("a")] == [f"a-{n}" for n in range(200)]
    assert journal.read(stored_project.folder.journal_path).seq == 401


# --- a claim between two stops ---


def test_what_is_committed_is_in_the_mirror(stored_project: Project) -> None:
    step(stored_project.folder, Claimed(time.time(), Claims(exit=True)))

    assert stored_project.state["exit_signal"] is True
    assert stored_project.loop.exit_claimed


def test_evidence_that_comes_after_the_archive_does_not_keep_it_from_ending(
    stored_project: Project,
) -> None:
    ended = stored_project.loop.but(status="cancelled")
    (stored_project.root / ".loop/history" / ended.id / "evidence").mkdir(parents=True)
    (stored_project.root / ".loop/history" / ended.id / "evidence/early.log").write_text("early")
    (stored_project.root / ".loop/evidence").mkdir(exist_ok=True)
    (stored_project.root / ".loop/evidence/late.log").write_text("late")

    place = Path(stored_project.folder.archive_loop(ended))

    assert (place / "evidence/early.log").read_text() == "early"
    assert (place / "evidence.2/late.log").read_text() == "late"
    assert not (stored_project.root / ".loop/journal.jsonl").exists()


def test_two_that_start_at_once_make_one_loop(stored_project: Project) -> None:
    with pytest.raises(FolderBusy, match="another loop was started"):
        create_loop(stored_project.folder, a_loop_without_checks("docs read well", id="second"))

    assert stored_project.loop.id == "loop-1"


def test_the_last_loop_is_the_one_that_ended_last_whatever_its_name(
    stored_project: Project,
) -> None:
    order(stored_project, "cancel")
    create_loop(
        stored_project.folder, a_loop_without_checks("docs read well", id="loop-0")
    )  # in the same second, or when the clocks were put back
    order(stored_project, "cancel")

    assert [loop.id for loop in ended_loops(stored_project.folder)] == ["loop-0", "loop-1"]


# --- links ---


def test_a_folder_that_is_a_link_is_refused_and_what_it_leads_to_stays_as_it_is(
    tmp_path: Path,
) -> None:
    made, away = Project(tmp_path / "cloned", git=False), tmp_path / "away"
    away.mkdir(mode=0o755)
    (made.root / ".loop").symlink_to(away)

    with pytest.raises(UnsafePath, match=r"\.loop is a link"):
        made.create(a_loop_without_checks("docs read well"))
    assert stat.S_IMODE(away.stat().st_mode) == 0o755
    assert not list(away.iterdir())


@pytest.mark.parametrize("name", ["evidence", "journal.jsonl", "lock", "history"])
def test_nothing_in_the_folder_is_read_or_written_through_a_link(
    stored_project: Project, tmp_path: Path, name: str
) -> None:
    path = stored_project.root / ".loop" / name
    if path.exists():
        path.rename(tmp_path / "away")
    path.symlink_to(tmp_path / "away")

    with pytest.raises(UnsafePath, match=name):
        order(stored_project, "pause")


def test_a_pipe_in_the_folder_keeps_nobody_waiting(stored_project: Project) -> None:
    os.remove(stored_project.folder.journal_path)
    os.mkfifo(stored_project.folder.journal_path)

    with pytest.raises(UnsafePath):
        stored_project.folder.read_loop()


@pytest.mark.parametrize("name", ["journal.jsonl", "lock", "driver"])
def test_a_folder_where_a_file_of_ours_belongs_is_named(stored_project: Project, name: str) -> None:
    (stored_project.root / ".loop" / name).unlink()
    (stored_project.root / ".loop" / name).mkdir()

    with pytest.raises(UnsafePath, match=f"{name} is a folder"):
        stored_project.folder.read_loop()
    assert f"{name} is a folder" in stored_project.run("status").err
    assert "our own error" not in stored_project.run("audit").err
    assert f"{name} is a folder" in stop(stored_project).message


def test_whatever_the_umask_every_new_folder_is_the_users_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files.make_folder(str(tmp_path / "one/two/three"))
    finally:
        os.umask(before)

    assert {
        stat.S_IMODE((tmp_path / name).stat().st_mode)
        for name in ("one", "one/two", "one/two/three")
    } == {0o700}


def test_a_folder_in_the_place_of_the_mirror_is_set_aside_and_the_loop_goes_on(
    stored_project: Project,
) -> None:
    (stored_project.root / ".loop/state.json").unlink()
    (stored_project.root / ".loop/state.json").mkdir()
    step(stored_project.folder, Ordered(time.time(), "refused", by="agent", reason="x"))

    assert stored_project.state["spec"] == stored_project.loop.spec
    assert (stored_project.root / ".loop/aside/state.json").is_dir()


# --- rare ways ---


def test_without_a_state_folder_of_their_own_it_is_the_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")

    assert folders.state_home() == f"{os.environ['HOME']}/.local/state/loopwright"


def test_a_torn_line_has_no_mirror(stored_project: Project) -> None:
    known = journal_moves.mirror_digests(stored_project.folder.journal_path)
    with open(stored_project.folder.journal_path, "ab") as file:
        file.write(b'{"torn')

    assert journal_moves.mirror_digests(stored_project.folder.journal_path) == known


def test_a_mirror_may_be_a_link_to_a_file(stored_project: Project, tmp_path: Path) -> None:
    mirror = Path(stored_project.folder.mirror_path)
    mirror.rename(tmp_path / "elsewhere.json")
    mirror.symlink_to(tmp_path / "elsewhere.json")

    order(stored_project, "pause")

    assert stored_project.loop.status == "paused"
    assert not mirror.is_symlink(), "replaced, never written through"


def test_after_a_reboot_a_note_of_another_journal_is_still_refused(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LoopFolder, "note_may_be_outdated", lambda self: True)
    tail = journal.read(stored_project.folder.journal_path)

    with pytest.raises(journal.JournalChanged, match="is not as we left it"):
        stored_project.folder.require_unchanged_journal(tail, ["id", "0", "another", "yet another"])


# --- Small decisions ---


def test_less_than_a_second_of_sleep_is_no_jump() -> None:
    now = moment.Moment(110.4, 60.0, "b")

    assert moment.skipped_seconds(moment.Moment(100.0, 50.0, "b"), now) == 0.0
    assert moment.skipped_seconds(None, now) == 0.0


def test_a_missing_journal_is_restored_before_it_is_read(
    stored_project: Project, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.move(stored_project.root / ".loop", copy)
    folder = stored_project.folder
    folder.restore_missing = lambda: shutil.move(copy, stored_project.root / ".loop")

    folder.restore_if_missing()

    assert folder.read_loop() is not None


def test_in_the_sandbox_of_claude_code_the_way_out_is_named(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.remove(stored_project.folder.note_path)
    monkeypatch.setenv("SANDBOX_RUNTIME", "1")

    with pytest.raises(UntrustedFolder, match="as a command of its own"):
        stored_project.folder.read_loop()


def test_an_agent_in_our_sandbox_reads_its_loop_without_the_note(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.remove(stored_project.folder.note_path)
    monkeypatch.setenv("LOOP_INBOX", stored_project.folder.path_of("inbox"))

    assert stored_project.folder.read_loop() is not None


def test_a_session_that_takes_over_takes_the_note_of_the_one_before(
    stored_project: Project,
) -> None:
    before, after = "11111111-1111", "22222222-2222"
    stored_project.folder.note_session(before)
    stored_project.folder.note_session(after, before)
    stored_project.folder.note_session(after, "never-noted")

    assert not os.path.exists(folders.session_path(before))
    assert os.path.exists(folders.session_path(after))


def test_the_session_that_drives_is_noted_until_the_loop_ends(stored_project: Project) -> None:
    first, second = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"

    order(stored_project, "attach", session=first)
    assert Path(folders.session_path(first)).read_text() == f"{stored_project.root}\n"
    order(stored_project, "attach", session=second)
    assert not os.path.exists(folders.session_path(first))
    order(stored_project, "cancel")
    assert not os.path.exists(folders.session_path(second))


def test_the_second_copy_follows_the_journal_and_goes_with_the_loop(
    stored_project: Project,
) -> None:
    copy = Path(second_copy.copy_path(stored_project.loop.id))

    order(stored_project, "pause")
    assert copy.read_bytes() == Path(stored_project.folder.journal_path).read_bytes()
    order(stored_project, "cancel")
    assert not copy.exists()


def test_after_a_reboot_a_note_that_is_one_line_older_is_ours(
    stored_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = journal.read(stored_project.folder.journal_path).head
    order(stored_project, "pause")
    order(stored_project, "continue")
    tail = journal.read(stored_project.folder.journal_path)
    monkeypatch.setattr(LoopFolder, "note_may_be_outdated", lambda self: True)

    stored_project.folder.require_unchanged_journal(
        tail, ["id", "0", "a line that was lost", older]
    )
    stored_project.folder.require_unchanged_journal(
        tail, ["id", "0", older, "a line that was lost"]
    )
