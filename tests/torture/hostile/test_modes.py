"""Whatever the umask is: what we write is the user's alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cheats.world import BROKEN, DONE, FILES, FIXED, NAME, UNITTEST
from tests.support.hook import stop
from tests.support.plan_projects import start_plan, turn_writing
from tests.support.project import Project
from tests.support.runner import script
from tests.torture.conftest import Figure

CHECK = ("--check", f"{NAME}={UNITTEST}", "--yes")


@pytest.mark.parametrize("umask", [0o000, pytest.param(0o022, marks=pytest.mark.long)])
def test_every_file_of_ours_is_the_users_alone(
    umask: int, project: Callable[..., Project], figure: Figure
) -> None:
    before = os.umask(umask)
    try:
        made = [
            proven(project(FILES)),
            damaged(project(FILES, git=False)),
            start_plan(project()),
            project(),
        ]
        made[2].run(
            "run", "--script", script(made[2], turn_writing("01"), turn_writing("02")), "--yes"
        )
        made[3].run("start", "--preset", "generic", "polish it", "--check", "fine=true", "--yes")
        stop(made[3], "nothing yet")
    finally:
        os.umask(before)
    state = Path(os.environ["XDG_STATE_HOME"])
    ours = [
        path
        for place in (state, *(here.root / ".loop" for here in made))
        for path in (place, *place.rglob("*"))
    ]
    bad = [
        f"{path} {path.lstat().st_mode:o} under {umask:03o}"
        for path in ours
        if path.lstat().st_mode & 0o077
    ]
    kinds = {path.name for path in ours} | {path.parent.name for path in ours}
    assert kinds >= {
        "journal.jsonl",
        "evidence",
        "heads",
        "holdouts",
        "loops",
        "index",
        "page.md",
        "start",
        "aside",
        "logs",
    }
    figure("file modes", of=len(ours), bad=bad)


def proven(here: Project) -> Project:
    here.run("start", "fix all failing tests", *CHECK, "--holdout", "held=true")
    stop(here, DONE)
    here.write({"parse.py": FIXED})
    assert "SHIP" in stop(here, DONE).message
    assert here.run("audit").code == 0
    here.write({"parse.py": BROKEN})
    here.run("start", "fix all failing tests", *CHECK)
    return here


def damaged(here: Project) -> Project:
    """A torn journal, a mirror that nobody can read, and the copies of a start without git."""
    here.run("start", "fix all failing tests", *CHECK)
    stop(here, "not yet")
    with open(here.folder.journal_path, "ab") as file:
        file.write(b'{"torn')
    Path(here.folder.mirror_path).write_bytes(b"\xff")
    stop(here, "not yet")
    return here
