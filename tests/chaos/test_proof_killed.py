"""Killed in the final proof, on real files: the grade, the verdict and the exit code are those of the run that was not killed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loopwright.core.directives import Move
from loopwright.core.loop import Loop
from loopwright.core.signals import Signal, TurnOver
from loopwright.drive.step import step
from loopwright.store.folder import LockedFolder
from tests.e2e.waiting import until
from tests.support.discovery import cycle
from tests.support.hook import SESSION, block
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import Project
from tests.support.runner import script

pytestmark = pytest.mark.room

NAME = "tests pass"
CLAIM = block({NAME: True}, exit=True)
TESTS = """\
import unittest

from parse import parse


class Parse(unittest.TestCase):
    def test_letters(self):
        self.assertEqual(parse("a"), "a")
"""
FILES = {
    "parse.py": "def parse(text):\n    return text + '!'\n",
    "test_parse.py": TESTS,
    ".gitignore": "__pycache__/\n",
}
CHECK = ("--check", f"{NAME}=python3 -B -m unittest")
HOLDOUT = ("--holdout", "no debug=! grep -q print parse.py")
REPAIRED = {"parse.py": "def parse(text):\n    return text\n"}
EMPTIED = {"test_parse.py": TESTS.replace('assertEqual(parse("a"), "a")', "assertTrue(True)")}
TRIED = ("run", "--yes", "--sandbox", "off")


class Scene(NamedTuple):
    """How a loop begins, and what its agent does in its one turn before it claims the end."""

    start: tuple[str, ...]
    work: dict[str, str]
    grade: str  # "": the loop does not end
    says: str = CLAIM
    files: dict[str, str] = FILES


SPEC = ("start", "fix all failing tests", "--yes", "--iterations", "1", *CHECK)
SCENES = {
    "honest": Scene((*SPEC, *HOLDOUT), REPAIRED, "proven"),
    "emptied test": Scene(SPEC, EMPTIED, ""),
    "held-out check": Scene(
        (*SPEC, *HOLDOUT), {"parse.py": f"{REPAIRED['parse.py']}# print\n"}, ""
    ),
    "no clean checkout": Scene((*SPEC, "--room", "off"), REPAIRED, "proven-in-place"),
    "discovery": Scene(
        ("start", "--preset", "ui", "polish it", *CHECK),
        {},
        "proven",
        cycle(),
        {**FILES, **REPAIRED, ".loop.toml": "limits.dry = 1\n"},
    ),
    "plan": Scene(
        ("start", "--plan", "PLAN.md", "--yes"),
        {"01.txt": "x\n"},
        "proven",
        "TASK COMPLETE: 01",
        {**FILES, **REPAIRED, "PLAN.md": a_plan(a_task("01"))},
    ),
}
End = tuple[Any, ...]


class World:
    """A project and the user's state in one folder, kept after each line of the final proof."""

    def __init__(self, place: Path, scene: Scene) -> None:
        self.now, self.kept = place / "now", place / "kept"
        os.environ["XDG_STATE_HOME"] = str(self.now / "state")  # a fixture restores it
        self.here = Project(self.now / "project", scene.files)
        said = self.here.run(*scene.start)
        assert said.code == 0, said.err
        self.scene, self.lines = scene, 0

    def keep_each_line(self, patch: pytest.MonkeyPatch) -> None:
        """A kill leaves what is on the disk after a line: no more, and nothing is tidied up."""
        commit = LockedFolder.commit

        def commit_and_keep(book: LockedFolder, move: Move, signal: Signal) -> None:
            commit(book, move, signal)
            if move.events and is_in_proof(move.loop):
                shutil.copytree(self.now, self.kept / str(self.lines), symlinks=True)
                self.lines += 1

        patch.setattr(LockedFolder, "commit", commit_and_keep)

    def restore(self, line: int) -> None:
        shutil.rmtree(self.now)
        shutil.copytree(self.kept / str(line), self.now, symlinks=True)

    def end(self, code: int | None = None) -> End:
        loop = self.here.folder.read_loop() or self.here.ended
        verdict = loop.verdict and (loop.verdict.name, loop.verdict.grade, loop.verdict.why)
        return loop.status, verdict, loop.pause.cause, code


def is_in_proof(loop: Loop) -> bool:
    return bool(loop.status == "running" and loop.check_round and loop.spend.iterations)


def run_agent(world: World) -> End:
    turn = {"write": world.scene.work, "say": world.scene.says}
    words = ("--script", script(world.here, turn))
    return world.end(world.here.run(*TRIED, *words).code)


def resume_all(world: World) -> End:
    """What a machine does after a reboot: a runner without a terminal, whose exit code is not seen."""
    said = world.here.run("run", "--resume-all")
    assert said.code == 0, said.err
    until(
        lambda: world.here.folder.read_loop() is None or world.here.loop.status == "paused",
        lambda: world.here.run("logs", "--runner").out,
        seconds=60,
    )
    return world.end()


def stop_in_session(world: World) -> End:
    """The Stop of a session, with the work done before it."""
    world.here.write(world.scene.work)
    loop = world.here.loop
    said = TurnOver(time.time(), loop.lease.holder or SESSION, world.scene.says, tool_calls=1)
    reply = step(world.here.folder, said)
    return (*world.end(), type(reply).__name__)


DRIVERS: dict[str, tuple[Callable[[World], End], Callable[[World], End]]] = {
    "loop run": (run_agent, run_agent),
    "hook": (stop_in_session, stop_in_session),
    "resume-all": (run_agent, resume_all),
}
QUICK = [("honest", "loop run"), ("emptied test", "loop run")]
LONG = [(scene, driver) for scene in SCENES for driver in DRIVERS if (scene, driver) not in QUICK]


@pytest.mark.parametrize(
    ("scene", "driver"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)],
)
def test_killed_between_any_two_lines_of_the_proof_it_ends_as_if_it_were_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: str, driver: str
) -> None:
    begin, resume = DRIVERS[driver]
    world = World(tmp_path, SCENES[scene])
    with monkeypatch.context() as patch:
        world.keep_each_line(patch)
        end = begin(world)
    if resume is resume_all:
        end = (*end[:-1], None)

    assert world.lines > 2, "there was a proof to be killed in"
    assert (end[1][1] if end[1] else "") == SCENES[scene].grade
    for line in range(world.lines):
        world.restore(line)
        assert resume(world) == end, f"after line {line + 1} of {world.lines}"
