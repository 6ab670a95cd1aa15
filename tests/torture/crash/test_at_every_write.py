"""At each call that writes, of a command or of the git that it runs: kill -9, or an error of the disk. Then the command again."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from loopwright.store.journal import JournalError
from tests.support.project import CommandResult
from tests.torture.conftest import Figure
from tests.torture.crash.fault_injection import Call, Calls
from tests.torture.crash.judge import kinds, problems
from tests.torture.crash.worlds import SCENES, World
from tests.torture.size import FIGURES

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace strikes the blows, and it is not here"
)
NOTES = {"project/.loop/crash/#-#-#.txt"}  # each is named to the person
NOTES |= {
    "project/.loop/start/files.json",
    "project/.loop/start/#",
}  # where git cannot keep the start, it is copied


STILLBORN = (
    "Fatal Python error",
    "python3: can't open file",
)  # a child's number may strike the interpreter before it runs us


@pytest.mark.parametrize("name", [*SCENES] if FIGURES else ["a stop with a claim"])
def test_struck_at_a_write_it_goes_on_to_the_right_end(
    tmp_path: Path, name: str, figure: Figure
) -> None:
    world = World(tmp_path, SCENES[name])
    calls = Calls(world)
    usual = kinds(world.files())
    dead, failed = [], []
    children = (
        some(calls.writing(True, answers=False), name) if name != "run" else []
    )  # its agent is one, and may well fail
    kills = some(calls.writing(False, answers=True), name) + children
    for call in kills:
        world.restore()
        world.run(*calls.once(call, "signal=KILL"))
        dead += [
            f"{name}, {call}: {what}"
            for what in problems(world, usual, world.after_minutes().run())
        ]
    faults = some(calls.writing(False, answers=False), name) + children
    for count, call in enumerate(faults):
        one, other = ("error=ENOSPC", "error=EIO") if count % 2 else ("error=EIO", "error=ENOSPC")
        for blow in (calls.once(call, one), calls.for_good(call, other)):
            world.restore()
            how = f"{name}, {call}, {blow[blow.index('-e') + 3]}"
            failed += [f"{how}: {what}" for what in untold(world, world.run(*blow))]
            continue_after_pause(world)
            failed += [
                f"{how}, and then: {what}"
                for what in problems(world, usual | NOTES, world.after_minutes().run())
            ]
    try:
        figure("kill -9 at every write", of=len(kills), bad=dead)
    finally:
        figure("I/O errors", of=2 * len(faults), bad=failed)


def continue_after_pause(world: World) -> None:
    """Where git cannot write its index, the loop pauses and says why. The person makes room and continues."""
    loop = world.here.folder.read_loop()
    if loop and loop.status == "paused":
        assert world.here.run("continue").code == 0


def some(found: list[Call], name: str) -> list[Call]:
    """All of them at length, one at each commit."""
    return found if FIGURES else random.Random(name).sample(found, min(1, len(found)))


def untold(world: World, said: CommandResult) -> list[str]:
    """A command that could not do its work says so, in words; and what was written before it is there."""
    found = [] if world.journal().startswith(world.begun) else ["the journal has lost what it had"]
    if any(words in said.err for words in STILLBORN):
        return found
    if "Traceback" in said.err:
        found.append(f"a traceback: {said.err[-500:]}")
    if world.scene.hook:
        answer = json.loads(said.out or "{}")
        told = "systemMessage" in answer
        if said.code or said.err or not isinstance(answer, dict):
            found.append(f"the hook ended with {said.code}: {said.err}")
    else:
        told = said.code != 0 and "loop: " in said.err
    return found if told or _reached(world) else [*found, f"nobody was told: {said}"]


def _reached(world: World) -> bool:
    try:
        return world.scene.is_reached(world.here)
    except (AssertionError, OSError, JournalError):
        return False
