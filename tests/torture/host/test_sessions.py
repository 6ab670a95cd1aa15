"""Many short sessions of the real client. Its last message is usually not on disk when the hook starts; none may end early."""

from __future__ import annotations

import random

import pytest

from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import NOT_YET
from tests.e2e.turn import Turn, runs, says, writes
from tests.e2e.world import CHECK, FIXED, World
from tests.support.hook import block
from tests.torture.size import chunks

DONE = says(block({"tests pass": True}, exit=True))


def a_session(world: World, seed: int) -> str:
    """One from its first prompt to its proof; what was wrong with it, or ""."""
    chance = random.Random(seed)
    world.project.git("checkout", "-q", "--", ".")
    world.project.run("cancel")  # one that was left by a session that went wrong
    world.project.start("--check", f"tests pass={CHECK}", "--iterations", "9")
    talk = (says("x"), says(NOT_YET), DONE, says("y" * 50_000))
    early: list[Turn] = [
        chance.choice(talk) for _ in range(chance.randint(1, 2))
    ]  # a third would be idle talk
    acts = [runs(f"echo {seed}")] if chance.random() < 0.5 else []
    run = world.headless(
        "go", [*early, *acts, writes(world.path("greet.py"), FIXED), DONE], *WITH, env=OWN
    )
    left = world.project.folder.read_loop()
    if run.rc or left:
        return f"seed {seed}: exit code {run.rc}, {left.pause.why if left else 'ended'}, {len(run.requests)} requests"
    ended = world.project.ended
    if not (ended.verdict and ended.verdict.proven):
        return f"seed {seed}: {ended.status}"
    if ended.spend.iterations != len(early) + 1:
        return f"seed {seed}: {ended.spend.iterations} iterations, not {len(early) + 1}"
    return ""


@pytest.mark.long
@pytest.mark.parametrize("seeds", chunks(1, 100, each=10), ids=str)
def test_no_short_session_ends_before_its_proof(world: World, figure, seeds: range) -> None:
    figure("real host", len(seeds), [wrong for seed in seeds if (wrong := a_session(world, seed))])
