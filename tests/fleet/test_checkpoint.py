"""A loop works here, is packed, and continues elsewhere as if it had never moved."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.directives import Continue, Reply, Stop, Wait
from loopwright.core.prompts.discovery import BACKLOG_PAGE
from loopwright.drive.records.record_check import record_problems
from loopwright.drive.runner.observer import RunObserver
from loopwright.drive.runner.run import open_runner
from loopwright.drive.runner.run_config import RunConfig
from loopwright.drive.runner.stop_signals import StopSignals
from loopwright.fleet.archive import BadArchive, pack_files, read_file, unpack_files
from loopwright.fleet.checkpoint import Checkpoint, pack_checkpoint, unpack_checkpoint
from loopwright.fleet.checkpoint_facts import FACTS_NAME, CheckpointError
from loopwright.fleet.local_record import OlderCheckpoint, forget_checkout
from loopwright.repo.tree import tree_hash
from loopwright.repo.user_repo import head_digest
from loopwright.store import known_projects
from loopwright.store.folder import UntrustedFolder
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import Project
from tests.support.runner import DONE, script, start_checked_loop

CHANGES = [
    "mv kept.txt moved.txt",
    "git mv tracked.txt renamed.txt",
    "rm gone.txt",
    "printf '#!/bin/sh\\n' > run.sh && chmod +x run.sh",
    "ln -s moved.txt link",
    "mkdir -p 'a folder/ü' && printf 'é\\n' > 'a folder/ü/na\\303\\257ve.txt'",
    "printf 'one\\r\\ntwo\\n' > mixed.txt",
    "printf 'staged\\n' > staged.txt && git add staged.txt && printf 'later\\n' > staged.txt",
    "printf 'x' > ignored.log",
    "git -c user.name=A -c user.email=a@b commit -qm 'the agent commits' -- renamed.txt tracked.txt",
]
IN_ROOM = ("--room", "on")  # the final proof needs what was saved at the start
FILES = {
    "readme.md": "a project\n",
    "kept.txt": "1\n",
    "tracked.txt": "2\n",
    "gone.txt": "3\n",
    ".gitignore": "*.log\n",
    ".gitattributes": "mixed.txt text eol=crlf\n",
}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Project], Project]:
    """A fresh checkout of the base commit on another machine: with another home folder."""

    def go(here: Project, machine: str = "other") -> Project:
        home = tmp_path / machine
        home.mkdir(exist_ok=True)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
        return fresh_checkout(here, home / f"checkout-{len(os.listdir(home))}")

    return go


def fresh_checkout(here: Project, path: Path) -> Project:
    """The repository as it was cloned: the base commit, and nothing of the loop."""
    bare = here.root.parent / f"{here.root.name}.bare"
    subprocess.run(["git", "clone", "-q", bare, path], check=True)
    there = Project.__new__(Project)
    there.root = path
    return there


def save_base(here: Project) -> str:
    bare = here.root.parent / f"{here.root.name}.bare"
    subprocess.run(["git", "clone", "-q", "--bare", here.root, bare], check=True)
    return here.git("rev-parse", "HEAD").strip()


def take_turns(here: Project, script_path: str, count: int, lanes: int = 0) -> Reply:
    """So many turns; then the runner ends between two turns."""
    config = RunConfig(("script",), words=(script_path,), lanes=lanes)
    with open_runner(here.folder, config, RunObserver(), StopSignals()) as runner:
        reply = runner.begin()
        while count and isinstance(reply, Continue | Wait):
            reply = runner.advance(reply)
            count -= 1
    return reply


def state_of(here: Project) -> tuple[str, ...]:
    """All that must be equal after a move."""
    loop = here.loop
    files = sorted(
        f"{path.relative_to(here.root)} {path.lstat().st_mode:o} "
        f"{os.readlink(path) if path.is_symlink() else path.read_bytes()!r}"
        for path in here.root.rglob("*")
        if not path.is_dir() and not {".git", ".loop"} & set(path.relative_to(here.root).parts)
    )
    return (
        tree_hash(str(here.root), here.folder.path, loop.settings.volatile_globs),
        head_digest(str(here.root)),
        here.git("rev-parse", "HEAD"),
        here.git("rev-parse", "--abbrev-ref", "HEAD"),
        here.git("status", "--porcelain", "-uall"),
        here.git("for-each-ref", f"refs/loop/{loop.id}"),
        (here.root / ".loop/journal.jsonl").read_text(),
        *files,
    )


def pack_with_state(here: Project, base: str) -> tuple[Checkpoint, tuple[str, ...]]:
    return pack_checkpoint(here.root, base), state_of(here)


def test_a_loop_continues_elsewhere_with_all_its_files(project, elsewhere) -> None:
    here = start_checked_loop(project, *IN_ROOM, files=FILES)
    base = save_base(here)
    turns = script(here, {"run": CHANGES, "say": "some"}, {"write": {"more.txt": "m"}}, DONE)
    assert isinstance(take_turns(here, turns, 2), Continue)
    (here.root / "ignored.log").unlink()  # the only file that is not kept
    checkpoint, state = pack_with_state(here, base)

    there = elsewhere(here)
    assert unpack_checkpoint(there.root, checkpoint) == ""

    assert state_of(there) == state
    assert record_problems(there.folder, there.folder.journal_path) == []
    reply = take_turns(there, turns, 1)
    assert isinstance(reply, Stop)
    assert there.ended.status == "finished"
    assert there.ended.verdict is not None
    assert there.ended.verdict.grade == "proven"
    assert there.ended.spend.iterations == 3
    assert there.run("audit").code == 0


def test_ignored_files_are_not_kept(project, elsewhere) -> None:
    here = start_checked_loop(project, files=FILES)
    base = save_base(here)
    take_turns(here, script(here, {"write": {"a.log": "x", "b.txt": "y"}}, DONE), 1)

    checkpoint = pack_checkpoint(here.root, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert (there.root / "b.txt").exists()
    assert not (there.root / "a.log").exists()


def test_a_loop_moves_before_its_first_turn(project, elsewhere) -> None:
    here = start_checked_loop(project, *IN_ROOM)
    base = save_base(here)
    checkpoint, state = pack_with_state(here, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert state_of(there) == state
    assert isinstance(take_turns(there, script(there, DONE), 1), Stop)
    assert there.ended.verdict is not None
    assert there.ended.verdict.grade == "proven"


def test_a_plan_moves_between_two_tasks(project, elsewhere) -> None:
    here = project(
        {"readme.md": "x\n", "PLAN.md": a_plan(a_task("01"), a_task("02", depends="01"))}
    )
    base = save_base(here)
    assert here.run("start", "--plan", "PLAN.md", "--yes").code == 0
    turns = script(
        here,
        *(
            {
                "when": f"Do the work of {name}",
                "write": {f"{name}.txt": "x"},
                "say": f"TASK COMPLETE: {name}",
            }
            for name in ("01", "02")
        ),
    )
    take_turns(here, turns, 1)
    done = here.loop.plan.done
    checkpoint, state = pack_with_state(here, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert state_of(there) == state
    assert there.loop.plan.done == done


def test_tasks_in_lanes_continue_elsewhere(project, elsewhere) -> None:
    """The worktree of a task that was not finished is made again, beside the new checkout."""
    here = project({"readme.md": "x\n", "PLAN.md": a_plan(a_task("01"), a_task("02"))})
    base = save_base(here)
    assert here.run("start", "--plan", "PLAN.md", "--retries", "0", "--yes").code == 0
    done = [
        {
            "when": f"Do the work of {name}",
            "write": {f"{name}.txt": "x"},
            "say": f"TASK COMPLETE: {name}",
        }
        for name in ("01", "02")
    ]
    failing = {"when": "Do the work of 02", "say": "TASK FAILED: 02 | no idea"}
    take_turns(here, script(here, done[0], failing), 1, lanes=2)
    old = here.loop.plan.worktree_of("02")
    assert (here.loop.status, here.loop.plan.done) == ("paused", ("01",))
    checkpoint = pack_checkpoint(here.root, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)
    shutil.rmtree(os.path.dirname(old.path))
    assert there.run("continue").code == 0
    reply = take_turns(there, script(there, *done), 4, lanes=2)

    assert isinstance(reply, Stop)
    assert there.ended.status == "finished"
    assert there.git("show", "HEAD:02.txt") == "x"
    assert not os.path.exists(old.path)


@pytest.mark.parametrize("is_tracked", [True, False])
def test_files_that_are_not_part_of_the_tree_move_too(project, elsewhere, is_tracked: bool) -> None:
    own = {
        ".gsd/STATE.md": "phase: 1\n",
        "VERIFICATION.md": "passed\n",
        "docs/VERIFICATION.md": "x\n",
    }
    here = start_checked_loop(project, files={"readme.md": "x\n", **(own if is_tracked else {})})
    base = save_base(here)
    here.write({".gsd/STATE.md": "phase: 2\n", "VERIFICATION.md": "failed\n"})
    (here.root / "docs/VERIFICATION.md").unlink(missing_ok=True)
    take_turns(here, script(here, {"write": {"a.txt": "1"}}, DONE), 1)
    checkpoint, state = pack_with_state(here, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert state_of(there) == state


def test_an_ignored_file_that_the_agent_commits_is_no_obstacle(project, elsewhere) -> None:
    here = start_checked_loop(project, files=FILES)
    base = save_base(here)
    commit = "git -c user.name=A -c user.email=a@b commit -qm x"
    turn = {"run": [f"echo 1 > forced.log && git add -f forced.log && {commit}"], "say": "x"}
    take_turns(here, script(here, turn, DONE), 1)
    checkpoint = pack_checkpoint(here.root, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert (there.root / "forced.log").read_text() == "1\n"
    assert isinstance(take_turns(there, script(there, DONE), 1), Stop)


def test_held_out_commands_and_saved_files_move_along(project, elsewhere) -> None:
    here = project({"readme.md": "x\n", ".gitignore": "secret.env\n"})
    base = save_base(here)
    (here.root / "secret.env").write_text("needed by the check\n")
    here.start(
        *("--check", "done=test -e done.txt && test -e secret.env"),
        *IN_ROOM,
        *("--include", "secret.env", "--holdout", "hidden=test -e done.txt"),
    )
    checkpoint = pack_checkpoint(here.root, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)
    (there.root / "secret.env").write_text("needed by the check\n")  # ignored, so it is not kept
    take_turns(there, script(there, DONE), 1)

    assert there.ended.status == "finished"
    assert [c.is_verified_by("loop") for c in there.ended.final_checks] == [True]


def test_the_home_of_a_sandboxed_agent_is_never_packed(project) -> None:
    """It has copies of the agent's credentials, and a checkpoint goes into a database."""
    here = start_checked_loop(project, *IN_ROOM)
    base = save_base(here)
    store = Path(os.environ["XDG_STATE_HOME"]) / "loopwright/rooms" / here.loop.id
    (store / "agents/claude").mkdir(parents=True)
    (store / "agents/claude/.credentials.json").write_text("hunter22")
    (store / "room-open").mkdir()
    (store / "room-open/x").write_text("hunter22")

    checkpoint = pack_checkpoint(here.root, base)

    assert b"hunter22" not in gzip.decompress(checkpoint.holdouts)
    assert b"baseline.json" in gzip.decompress(checkpoint.holdouts)


def test_a_discovery_loop_moves_with_its_page(project, elsewhere) -> None:
    here = project()
    base = save_base(here)
    said = here.run("start", "--preset", "docs", "the manual", "--yes")
    assert said.code == 0, said.err
    checkpoint = pack_checkpoint(here.root, base)
    page = (here.root / BACKLOG_PAGE).read_text()

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert (there.root / BACKLOG_PAGE).read_text() == page
    with there.folder.locked() as book:
        assert book.inbox == ()


def test_an_ended_loop_can_be_audited_elsewhere(project, elsewhere) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    take_turns(here, script(here, DONE), 1)
    checkpoint = pack_checkpoint(here.root, base)

    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)

    assert there.ended.status == "finished"
    assert there.run("audit").code == 0
    assert there.run("receipt").code == 0


def test_it_moves_many_times_and_records_what_a_loop_that_stays_records(project, elsewhere) -> None:
    stays, here = start_checked_loop(project), start_checked_loop(project)
    base, bare = save_base(here), here.root.parent / f"{here.root.name}.bare"
    turns = script(here, *({"write": {f"{n}.txt": "x"}} for n in range(3)), DONE)
    for _ in range(4):
        take_turns(stays, turns, 1)
    recorded = [event["is"] for event in stays.events()]
    for machine in ("b", "a", "b"):
        take_turns(here, turns, 1)
        checkpoint, state = pack_with_state(here, base)
        there = elsewhere(here, machine)
        assert unpack_checkpoint(there.root, checkpoint) == ""
        assert state_of(there) == state
        (there.root.parent / f"{there.root.name}.bare").symlink_to(bare)
        here = there
    assert isinstance(take_turns(here, turns, 1), Stop)

    assert here.ended.spend.iterations == 4
    assert [event["is"] for event in here.events()] == recorded


# --- the same machine ---


def test_work_that_was_cut_off_here_is_said_and_kept(project) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    turns = script(here, {"write": {"one.txt": "1"}}, {"write": {"two.txt": "2"}}, DONE)
    take_turns(here, turns, 1)
    checkpoint = pack_checkpoint(here.root, base)
    take_turns(here, turns, 1)  # this turn never reached the database
    longer = (here.root / ".loop/journal.jsonl").read_bytes()

    there = fresh_checkout(here, here.root.parent / "second")
    notice = unpack_checkpoint(there.root, checkpoint)

    assert "not in its checkpoint" in notice
    assert Path(notice.rpartition(" ")[2]).read_bytes() == longer
    assert there.loop.spend.iterations == 1
    assert not (there.root / "two.txt").exists()
    with pytest.raises(UntrustedFolder):  # whoever still works there is refused
        take_turns(here, turns, 1)
    take_turns(there, turns, 1)
    assert record_problems(there.folder, there.folder.journal_path) == []


def test_an_older_checkpoint_is_refused_where_a_newer_one_was_used(project, elsewhere) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    turns = script(here, {"write": {"one.txt": "1"}}, {"write": {"two.txt": "2"}}, DONE)
    take_turns(here, turns, 1)
    older = pack_checkpoint(here.root, base)
    take_turns(here, turns, 1)
    newer = pack_checkpoint(here.root, base)

    unpack_checkpoint(elsewhere(here).root, older)
    there = elsewhere(here)
    unpack_checkpoint(there.root, newer)
    with pytest.raises(OlderCheckpoint, match="older than one that this machine has continued"):
        unpack_checkpoint(elsewhere(here).root, older)
    assert there.loop.spend.iterations == 2


def test_nothing_of_a_checkout_stays_once_it_is_forgotten(project, elsewhere) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    checkpoint = pack_checkpoint(here.root, base)
    there = elsewhere(here)
    unpack_checkpoint(there.root, checkpoint)
    assert len(known_projects.note_stamps()) == 1

    forget_checkout(str(there.root))

    state = Path(os.environ["XDG_STATE_HOME"]) / "loopwright"
    left = {str(path.relative_to(state)) for path in state.rglob("*") if path.is_file()}
    assert {name for name in left if not name.startswith("checkpoints/")} == set()


# --- what cannot be done ---


def test_a_checkpoint_that_is_too_large_is_refused(project) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    (here.root / "large.bin").write_bytes(os.urandom(300_000))

    with pytest.raises(CheckpointError, match="at most 0 MB are kept"):
        pack_checkpoint(here.root, base, max_bytes=200_000)


def test_a_huge_file_in_the_folder_of_the_loop_is_refused_unread(project) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    with open(here.root / ".loop/huge", "wb") as file:
        file.truncate(3 << 30)  # a hole: it takes no room on the disk

    with pytest.raises(BadArchive, match=r"with .loop/huge, the files of the loop are larger"):
        pack_checkpoint(here.root, base)


def test_a_checkout_with_a_loop_is_not_overwritten(project) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    checkpoint = pack_checkpoint(here.root, base)

    with pytest.raises(CheckpointError, match="has a loop already"):
        unpack_checkpoint(here.root, checkpoint)


def test_another_repository_is_refused(project, elsewhere) -> None:
    here, other = start_checked_loop(project), project({"other.txt": "x\n"})
    base = save_base(here)
    checkpoint = pack_checkpoint(here.root, base)
    save_base(other)

    with pytest.raises(CheckpointError, match="does not have the commit"):
        unpack_checkpoint(elsewhere(other).root, checkpoint)


def test_a_journal_that_the_agent_edited_is_not_packed(project) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    journal = here.root / ".loop/journal.jsonl"
    take_turns(here, script(here, {"write": {"one.txt": "1"}}, DONE), 1)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))

    with pytest.raises(CheckpointError, match="not as we left it"):
        pack_checkpoint(here.root, base)


def test_a_checkpoint_with_an_edited_journal_is_refused(project, elsewhere) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    take_turns(here, script(here, {"write": {"one.txt": "1"}}, DONE), 1)
    checkpoint = pack_checkpoint(here.root, base)
    edited = gzip.decompress(checkpoint.folder).replace(b'"spec":"fix', b'"spec":"fox')

    with pytest.raises(CheckpointError, match="damaged"):
        unpack_checkpoint(elsewhere(here).root, checkpoint.but(folder=gzip.compress(edited)))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"format": 1', '"format": 2', "has format 2"),
        ('"removed": []', '"removed": ["../x"]', "not a file of the project"),
        ('"removed": []', '"removed": [".git/config"]', "not a file of the project"),
        ('"refs/loop/', '"refs/other/', "not a ref of the loop"),
        ('"kept"', '"lost"', "damaged"),
        ("{", "", "damaged"),
    ],
)
def test_facts_that_are_not_ours_are_refused(project, elsewhere, old, new, reason) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    checkpoint = pack_checkpoint(here.root, base)
    facts = read_file(checkpoint.folder, FACTS_NAME).decode().replace(old, new, 1)
    folder = pack_files((), [(FACTS_NAME, facts.encode())])

    with pytest.raises(CheckpointError, match=reason):
        unpack_checkpoint(elsewhere(here).root, checkpoint.but(folder=folder))


@pytest.mark.parametrize("name", ["../out.txt", "/tmp/out.txt", ".git/hooks/x", "other.txt"])
def test_an_archive_with_a_foreign_file_is_refused(project, elsewhere, name: str) -> None:
    here = start_checked_loop(project)
    base = save_base(here)
    checkpoint = pack_checkpoint(here.root, base)
    facts = read_file(checkpoint.folder, FACTS_NAME)
    journal = read_file(checkpoint.folder, ".loop/journal.jsonl")
    foreign = pack_files((), [(FACTS_NAME, facts), (".loop/journal.jsonl", journal), (name, b"x")])

    there = elsewhere(here)
    with pytest.raises(BadArchive, match="not ours"):
        unpack_checkpoint(there.root, checkpoint.but(folder=foreign))
    assert not (there.root.parent / "out.txt").exists()


def test_an_archive_never_writes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "outside")
    data = pack_files((), [("link/file.txt", b"x")])

    with pytest.raises(BadArchive, match="behind a link"):
        unpack_files(data, str(tmp_path / "in"), lambda name: True)
    assert list((tmp_path / "outside").iterdir()) == []
