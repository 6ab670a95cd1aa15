"""What is wrong with a world after a blow, once its command was given again. Nothing should be."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from loopwright.store import history, journal, mirror
from loopwright.store.chain import chain_errors, differences_from_seal, sealed_end
from tests.support.hook import stop
from tests.support.project import CommandResult
from tests.torture.crash.worlds import World

ID = re.compile(r"\d{8}-\d{6}-(?:[0-9a-f]{6}|adopted)")
MAY_WAIT = re.compile(r".*\.tmp|project/\.loop/anew/.*|project/\.loop/tree/.*")
AT_ONCE = (
    "project/.loop/tree/index.lock"  # no tree can be told beside it, so every stop takes it away
)
VARYING = re.compile(rf"{ID.pattern}|[0-9a-f]{{32,}}|\d+")


def kinds(files: list[str]) -> set[str]:
    """Names without what differs from run to run: loops, digests, times and processes."""
    return {VARYING.sub("#", name) for name in files}


def problems(world: World, usual: set[str], said: CommandResult) -> list[str]:
    """`usual` are the kinds of files that an undisturbed run leaves; `said` is what the last run said, which was one."""
    try:
        found = [*_journals(world), *_left_running(world.now)]
        if not world.scene.is_reached(world.here):
            found.append(f"the end is not the right one: {said}")
        found += _stray_files(world, usual)
    except (OSError, AssertionError, journal.JournalError) as error:
        found = [f"the loop cannot be read: {error!r}; it said {said}"]
    if world.scene.hook and (said.code or said.err):
        found.append(f"the hook ended with {said.code}: {said.err}")
    return found


def _journals(world: World) -> Iterator[str]:
    folder, data = world.here.folder, world.journal()
    if not data.startswith(world.begun):
        yield "what was acknowledged before is lost"
    told = [entry["signal"] for entry in map(json.loads, data.splitlines())]
    if len(told) != len(set(told)):
        yield "something was written twice"
    for name in history.ended_loop_ids(folder):
        path = folder.path_of("history", name, "journal.jsonl")
        yield from (
            f"{name}: {what}"
            for what in (*chain_errors(path), *differences_from_seal(path, *sealed_end(name)))
        )
    if os.path.exists(folder.journal_path):
        yield from chain_errors(folder.journal_path)
        if not os.path.exists(
            folder.mirror_path
        ):  # a start was killed right before it, and the first stop writes it
            stop(world.here)
        with open(folder.mirror_path, "rb") as file:
            if file.read() != mirror.render_mirror(journal.read(folder.journal_path).loop):
                yield "state.json is not what the journal says"


def _stray_files(world: World, usual: set[str]) -> list[str]:
    """What lies there and is of no loop, or of no kind that belongs there. A draft must go with the next loop at the latest."""
    files, folder = world.files(), world.here.folder
    loop = folder.read_loop()
    known = {*history.ended_loop_ids(folder), loop.id if loop else ""}
    of_none = [
        name for name in files if {part for part in name.split("/") if ID.fullmatch(part)} - known
    ]
    odd = [name for name in files if VARYING.sub("#", name) not in usual]
    waiting = {
        name
        for name in odd
        if MAY_WAIT.fullmatch(name) and not (world.scene.hook and name == AT_ONCE)
    }
    if waiting:
        world.here.start("--replace")
        world.here.run("cancel")
        odd = [name for name in odd if name not in waiting or name in world.files()]
    return [f"of no loop: {name}" for name in of_none] + [f"left behind: {name}" for name in odd]


def _left_running(now: Path) -> list[str]:
    """Who holds the agents of a runner leaves a moment after it."""
    patience, found = time.monotonic() + 20, [""]
    while found and time.monotonic() < patience:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if os.readlink(process / "cwd").startswith(str(now)):
                    found.append(f"left running: {(process / 'cmdline').read_bytes()!r}")
    return found
