"""In the place of a file that we write lies a link, a pipe, a folder: nothing outside changes, nobody waits for ever."""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.store import journal
from loopwright.store.create import note_ownership
from tests.support.hook import block, stop
from tests.support.project import Project
from tests.support.runner import script
from tests.torture.conftest import Figure
from tests.torture.size import FIGURES, chunks

from .test_untrusted import differing, seen

IN_LOOP = "journal.jsonl state.json lock driver driver.lock evidence notes.md page.md history halt STOP tree running logs moved"
IN_LOOP += " .gitignore iterations.jsonl summary.md shape start aside backup crash judged lanes fences VERIFICATION.md"
IN_LOOP += " tree/index tree/config tree/objects tree/known tree/info evidence/x.log logs/0001-script.log state.json.tmp"
OTHERS = ".claude .claude/.gitignore .claude/loop-state.local.md .claude/loop-state.backup.md .claude/loop-history"
START = ("start", "--preset", "generic", "polish it", "--check", "fine=test -e app", "--yes")
NAMES = [
    *(f".loop/{name}" for name in IN_LOOP.split()),
    *OTHERS.split(),
    ".loop",
    ".git/info/exclude",
]
KINDS: dict[str, Callable[[Path, Path], object]] = {
    "a link to a file": lambda path, away: path.symlink_to(away / "keys"),
    "a link to a new file": lambda path, away: path.symlink_to(away / "new"),
    "a link to a folder": lambda path, away: path.symlink_to(away / "folder"),
    "a link to itself": lambda path, away: path.symlink_to(path.name),
    "a hard link": lambda path, away: os.link(away / "keys", path),
    "a pipe": lambda path, away: os.mkfifo(path),
    "a device": lambda path, away: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3)),
    "a folder": lambda path, away: path.mkdir(),
}
LAYOUTS = [
    (name, kind) for name in NAMES for kind in KINDS if kind != "a device" or os.geteuid() == 0
]
LAYOUTS.remove((".claude/.gitignore", "a pipe"))  # git itself waits there, whoever calls it
random.Random(8).shuffle(LAYOUTS)  # a commit tries the first of them


class Forever(BaseException): ...


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    def enough(*_: object) -> None:
        raise Forever

    before = signal.signal(signal.SIGALRM, enough)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "numbers", chunks(7, len(LAYOUTS), 14), ids=lambda numbers: str(numbers.start)
)
def test_nothing_is_written_through_what_lies_in_the_place_of_a_file_of_ours(
    numbers: range, project: Callable[..., Project], figure: Figure
) -> None:
    first = project()
    first.run(*START)
    stop(first, "not yet")
    bad = [
        f"{name}, {kind}: {what}"
        for name, kind in LAYOUTS[numbers.start : numbers.stop]
        for what in laid(first, name, kind)
    ]
    figure("links", of=len(numbers), bad=bad)


def laid(first: Project, name: str, kind: str) -> list[str]:
    place = first.root.parent / "layout"
    shutil.rmtree(place, ignore_errors=True)
    here = Project(place / "project", {"app.txt": "x\n"}, git=False)
    shutil.copytree(first.root, here.root, dirs_exist_ok=True, symlinks=True)
    note_ownership(here.folder, first.loop.id, journal.read(here.folder.journal_path).head)
    (place / "away/folder").mkdir(parents=True)
    (place / "away/keys").write_text("secret\n")
    (path := here.root / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    KINDS[kind](path, place / "away")
    before = seen(place)
    found = []
    try:
        with patience(40):
            said = stop(here, block({"fine": True}, exit=True)).message
            found += (
                [said]
                if "Our own error" in said and kind not in ("a folder", "a hard link")
                else []
            )
            here.run("status")
            if FIGURES:
                turns = script(here, {"say": block({}, "BLOCKED: no")})
                here.run("run", "--attach", "--yes", "--agent", "script", "--script", turns)
            here.run("cancel")
            here.run(*START)
    except (AssertionError, Forever) as error:
        found.append(f"{error!r:.300}")
    return found + [
        f"{path} changed" for path in differing(before, seen(place)) if path.startswith("away")
    ]
