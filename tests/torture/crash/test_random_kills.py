"""kill -9 at random moments, again and again in the same world: a hook that stops, a person who types, a runner at work."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.hook import SESSION
from tests.support.project import Project
from tests.support.runner import CLAIM, script
from tests.torture.conftest import Figure
from tests.torture.crash.judge import kinds, problems
from tests.torture.crash.worlds import RUN, Scene, World, at_stop, is_proven, is_running, types
from tests.torture.size import chunks, size

# Each try brings it one nearer, so that it is never stuck; and it is proven once we say so: with a
# file beside the project, which the clean checkout finds too.
CHECK = """done=echo "$((100000 - $(wc -l <worked))) failed"; test -e '{finish}'"""
LIMITS = ("--iterations", "900", "--budget", "900", "--minutes", "900")


def begun(*words: str) -> Callable[[Project], None]:
    def prepare(here: Project) -> None:
        here.write({"worked": ""})
        here.start("--check", CHECK.format(finish=here.root.parent / "finish"), *LIMITS, *words)
        script(here, {"run": ["echo x >>worked"], "say": CLAIM})

    return prepare


BOUND = begun("--session", SESSION)
VICTIMS = {  # and how many of a hundred kills each gets, and the event that each life of it is to leave
    "hook": (Scene(BOUND, at_stop("at work"), is_running, hook=True), 70, "TurnEnded"),
    "person": (
        Scene(BOUND, types("steer", "leave the database alone"), is_running),
        22,
        "GuidanceGiven",
    ),
    "runner": (Scene(begun(), RUN, is_proven), 8, ""),
}


@pytest.mark.parametrize("hundred", chunks(1, 10, 1), ids=lambda seeds: f"hundred {seeds[0]}")
@pytest.mark.parametrize("who", VICTIMS)
def test_killed_at_any_moment_nothing_is_lost_doubled_or_left(
    tmp_path: Path, who: str, hundred: range, figure: Figure
) -> None:
    (scene, share, event), seed = VICTIMS[who], hundred[0]
    kills = size(commit=1 + share // 8, long=share)
    world, chance, bad = World(tmp_path, scene), random.Random(f"{who} {seed}"), list[str]()
    (world.now / "finish").touch()
    world.here.write({"worked": "x\n"})
    began = time.monotonic()
    assert heard(world, 60), "it does not work even if nobody kills it"
    most, usual = time.monotonic() - began, kinds(world.files())
    world.restore()
    acknowledged = 1
    for number in range(kills):
        world.here.write({"worked": "x\n" * number} if scene.hook else {})
        acknowledged += heard(world, chance.random() * most * 1.2)
    (world.now / "finish").touch()
    said = world.after_minutes().run()
    told = len(world.here.events(event))
    if event and not acknowledged <= told <= kills + 1:
        bad.append(
            f"{acknowledged} were acknowledged, {kills + 1} were tried, {told} are in the journal"
        )
    turns = [
        each["is"] for each in world.here.events() if each["is"] in ("TurnStarted", "TurnEnded")
    ]
    if not event and turns != ["TurnStarted", "TurnEnded"] * (len(turns) // 2):
        bad.append(f"turns are lost, or ended twice: {turns}")
    bad += problems(world, usual, said)
    figure("kill -9 at random", of=kills, bad=[f"{who}, seed {seed}: {what}" for what in bad])


def heard(world: World, seconds: float) -> bool:
    """It lives so long, unless it is done before. Was it heard to its end?"""
    pipe = subprocess.PIPE
    victim = subprocess.Popen(
        world.argv, cwd=world.here.root, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    )
    try:
        said, _ = victim.communicate(world.stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        victim.kill()
        said, _ = victim.communicate()
    return victim.returncode == 0 and bool(said)
