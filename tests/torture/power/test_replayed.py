"""Every write of a loop's life is recorded; then the power goes after each of them, in every way that the disk may choose."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.hook import HOOK_SCRIPT, stop_event
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.power.disk import LOSSES, Disk, Files
from tests.torture.power.judge import FILES, LIFE, MEMORY, WORK, problems
from tests.torture.power.trace import Recorder
from tests.torture.size import FIGURES

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is not here: nobody sees what is written"
)


def lived(here: Project) -> Recorder:
    """Through the real door and the real command line."""
    seen = Recorder(
        here.root, f"{here.folder.path}/", f"{here.root}/work/", f"{os.environ['XDG_STATE_HOME']}/"
    )
    argv = {
        "loop": [sys.executable, "-m", "loopwright.cli.main"],
        "stop": [sys.executable, "-I", "-S", HOOK_SCRIPT],
        "work": [*WORK],
    }
    for kind, *words in LIFE:
        said = json.dumps(stop_event(here, *words)).encode() if kind == "stop" else b""
        seen.run([*argv[kind], *(["claude"] if said else words)], said)
    return seen


def lay(files: Files, places: tuple[str, ...]) -> None:
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
    for name, data in files.items():
        os.makedirs(os.path.dirname(name), mode=0o700, exist_ok=True)
        Path(name).write_bytes(data)


def journal_in(files: Files) -> bytes:
    return next((data for name, data in files.items() if name.endswith("/journal.jsonl")), b"")


@pytest.mark.parametrize(
    ("rule", "git"),
    [
        ("ext4", True),
        pytest.param("any", False, marks=pytest.mark.long),
        pytest.param("ext4", False, marks=pytest.mark.long),
        pytest.param("any", True, marks=pytest.mark.long),
    ],
)
def test_nothing_that_was_told_is_lost(
    rule: str, git: bool, monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as memory:
        monkeypatch.setenv("XDG_STATE_HOME", f"{memory}/state")
        here = Project(Path(memory, "project"), FILES, git)
        seen = lived(here)
        disk, told, known, bad = Disk(seen.ops, rule), [b""], set(), []
        whole = disk.surviving_files(len(seen.ops), "all there")
        paths = [path for place in seen.places for path in Path(place).rglob("*") if path.is_file()]
        assert whole == {str(path): path.read_bytes() for path in paths}, (
            "what was recorded is what is there"
        )
        for number, op in enumerate(seen.ops, 1):
            told.append(
                journal_in(disk.surviving_files(number, "all there"))
                if op.kind == "told"
                else told[-1]
            )
        cuts = [
            (number, fate)
            for number in range(len(told))
            for fate in (*LOSSES, *range(number, number + 4))
        ]
        for number, fate in cuts if FIGURES else random.Random(rule).sample(cuts, 2):
            files, last = disk.surviving_files(number, fate), seen.ops[number - 1]
            if (state := hash((frozenset(files.items()), told[number]))) not in known:
                known.add(state)
                lay(files, seen.places)
                where = f"{rule}, git {git}, {fate}, after {number} of {len(seen.ops)} ({last.kind} {last.to or last.path})"
                bad += [
                    f"{where}: {why}" for why in problems(here, told[number], journal_in(whole))
                ]
    figure("power cut, replayed", of=len(known), bad=bad, note="each state of the disk once")
