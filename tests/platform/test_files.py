"""Locks, renames and the disk, here and where fcntl and folders that open are missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loopwright.disk.files import replace_file
from loopwright.repo.tree import tree_hash
from tests.platform.systems import System, soon
from tests.support.project import Project

HOLDER = """
import sys, time
from loopwright.disk.lock import FileLock
with FileLock(sys.argv[1], 5.0):
    print("held", flush=True)
    sys.stdin.read()
"""
TRIES = """
import sys
from loopwright.disk.lock import FileLock, FolderBusy
try:
    with FileLock(sys.argv[1], float(sys.argv[2])):
        print("mine")
except FolderBusy as error:
    print(error)
"""
COUNTS = """
import sys
from loopwright.disk.lock import FileLock
for _ in range(100):
    with FileLock(sys.argv[1], 20.0):
        with open(sys.argv[2], "rb") as file:
            number = int(file.read())
        with open(sys.argv[2], "wb") as file:
            file.write(str(number + 1).encode())
"""


def test_the_lock_is_held_by_one_and_waited_for_by_the_other(
    system: System, tmp_path: Path
) -> None:
    lock = str(tmp_path / "lock")
    holder = system.begin(HOLDER, lock)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"held"

    assert "is held by another process for over 0.2 s" in system.code(TRIES, lock, "0.2")
    waiting = system.begin(TRIES, lock, "20")
    assert not soon(lambda: waiting.poll() is not None, 0.3)
    holder.communicate()
    assert waiting.communicate()[0].strip() == b"mine"


def test_a_lock_ends_with_the_process_that_held_it(system: System, tmp_path: Path) -> None:
    lock = str(tmp_path / "lock")
    holder = system.begin(HOLDER, lock)
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.kill()
    holder.communicate()

    assert system.code(TRIES, lock, "1") == "mine"


def test_two_processes_that_count_under_the_lock_lose_nothing(
    system: System, tmp_path: Path
) -> None:
    (tmp_path / "count").write_text("0")
    both = [system.begin(COUNTS, str(tmp_path / "lock"), str(tmp_path / "count")) for _ in range(2)]

    assert [process.communicate()[1] for process in both] == [b"", b""]
    assert (tmp_path / "count").read_text() == "200"


def test_a_torn_line_is_set_aside_byte_for_byte(system: System, tmp_path: Path) -> None:
    """\\r and the end-of-file letter of old are letters like any other."""
    code = """
import sys
from loopwright.core.loop import Loop
from loopwright.core.events import LoopStarted
from loopwright.store import journal
loop = Loop("1", "spec")
journal.append_line(sys.argv[1], journal.encode_move(None, loop, (LoopStarted(loop),), "", 1.0, "start"), None)
with open(sys.argv[1], "ab") as file:
    file.write(b"torn\\r\\n\\x1a\\r")
tail = journal.read(sys.argv[1])
journal.append_line(sys.argv[1], journal.encode_move(tail, loop, (), "", 2.0, "more"), tail)
print(journal.read(sys.argv[1]).seq, tail.size)
"""
    seq, size = system.code(code, str(tmp_path / "journal.jsonl")).split()

    assert seq == "2"
    assert (tmp_path / f"journal.jsonl.torn-{size}").read_bytes() == b"torn\r\n\x1a\r"
    assert b"\r" not in (tmp_path / "journal.jsonl").read_bytes()


@pytest.mark.parametrize("git", [True, False], ids=["git", "no git"])
def test_the_tree_is_the_same_everywhere_and_another_when_a_file_is(
    windows: System, project, git: bool
) -> None:
    code = "import sys; from loopwright.repo.tree import tree_hash; print(tree_hash(sys.argv[1], sys.argv[2]))"
    here: Project = project({"a.py": "a = 1\n", "ü/b.txt": "x\r\n"}, git=git)
    first, second = here.root / ".loop/first", here.root / ".loop/second"
    for place in (first, second):
        place.mkdir(parents=True)
    there, ours = (
        windows.code(code, str(here.root), str(first)),
        tree_hash(str(here.root), str(second)),
    )
    here.write({"a.py": "a = 2\n"})

    assert there == ours != ""
    assert (
        windows.code(code, str(here.root), str(first))
        == tree_hash(str(here.root), str(second))
        != ours
    )


REPLACES = """
import sys, time
from loopwright.disk.files import replace_file
began = time.monotonic()
try:
    replace_file(sys.argv[1], sys.argv[2])
    print("replaced")
except PermissionError:
    print("refused", 1 <= time.monotonic() - began < 5)
"""


def test_a_file_that_somebody_reads_is_replaced_when_they_are_done(
    windows: System, tmp_path: Path
) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new")
    old.write_text("old")
    with open(old) as reader:
        assert windows.code(REPLACES, str(new), str(old)) == "refused True"
        waiting = windows.begin(REPLACES, str(new), str(old))
        assert not soon(lambda: waiting.poll() is not None, 0.4)
        assert reader.read() == "old"

    assert waiting.communicate()[0].strip() == b"replaced"
    assert old.read_text() == "new"


@pytest.mark.skipif(sys.platform == "win32", reason="there we do wait")
def test_elsewhere_a_rename_that_is_forbidden_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def forbidden(path: str, place: str) -> None:
        asked.append(path)
        raise PermissionError(place)

    monkeypatch.setattr(os, "replace", forbidden)
    with pytest.raises(PermissionError):
        replace_file("old", "new")
    assert asked == ["old"]
