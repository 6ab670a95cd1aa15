"""Killed or paused between any two lines of the final proof: the end is that of the proof which was not cut off."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import pytest

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import (
    CompareWithBaseline,
    Continue,
    HashTree,
    RunCheck,
    RunInCleanCheckout,
)
from loopwright.core.discovery.backlog import DISCOVERY_LIMITS
from loopwright.core.findings import HIGH, MEDIUM, Finding
from loopwright.core.json_text import dumps, loads
from loopwright.core.loop import Lease, Loop
from loopwright.core.person.orders import PROVE
from loopwright.core.proof.clean_checkout import (
    COULD_NOT_PREPARE,
    FAILED,
    OFF,
    PASSED,
    REPLAY_RUN,
    SKIPPED,
    TRUSTED,
    UNTRUSTED,
    RoomRun,
)
from loopwright.core.proof.events import RoomRunEnded
from loopwright.core.proof.state import Room
from loopwright.core.record import decode, encode
from loopwright.core.signals import BaselineComparison, CleanCheckoutResult
from tests.support.builders import (
    SESSION,
    TREE,
    Story,
    a_discovery_loop,
    a_loop,
    block,
    cycle,
    failed,
    hashed,
    order,
    passed,
    turn,
    with_check,
)
from tests.support.night import OTHER, runner_attached, runner_turn_over, turn_starting
from tests.support.plan_stories import a_plan, a_plan_loop, a_task
from tests.torture.size import every

PROOF = RunCheck | CompareWithBaseline | RunInCleanCheckout | HashTree
START = "tree-0"
DONE = block({"tests pass": True}, exit=True)
WEAKENED = Finding(HIGH, "test-switched-off", "tests/test_cart.py")
DOUBT = Finding(MEDIUM, "expected-value-changed", "tests/test_cart.py")
EDITED = Finding(MEDIUM, "fails-with-committed-tests", "tests/test_cart.py")
FAILS_THERE = Finding(HIGH, "fails-in-clean-room", "tests pass")
LAST = (
    Criterion("no leaks", Check("(held out)", origin="holdout")),
    Criterion("review", Check("./review.sh", origin="review")),
)


class World(NamedTuple):
    """What each part of the proof finds. A tuple has one result for each time, the last for good."""

    found: tuple[Finding, ...] = ()
    room: str = TRUSTED
    runs: tuple[str, ...] = (PASSED,)
    replayed: tuple[Finding, ...] = ()
    tests: tuple[bool, ...] = (True,)
    last: tuple[bool, ...] = (True,)
    hashes: tuple[str, ...] = ("",)


WORLDS = {
    "all of it holds": World(),
    "all of it holds in place": World(room=OFF),
    "the tests were weakened": World(found=(WEAKENED,)),
    "the tests were weakened, and there is no room": World(found=(WEAKENED,), room=OFF),
    "a person must look": World(found=(DOUBT,)),
    "a test was edited before the start": World(replayed=(EDITED,)),
    "it fails in a clean checkout": World(runs=(FAILED,)),
    "it fails there once": World(runs=(FAILED, PASSED)),
    "there is no time for a clean checkout": World(runs=(SKIPPED,)),
    "there is no clean checkout": World(runs=(COULD_NOT_PREPARE,)),
    "it fails there and then here": World(
        room=UNTRUSTED, runs=(COULD_NOT_PREPARE,), tests=(True, False)
    ),
    "it fails when it runs once more": World(room=OFF, tests=(True, False)),
    "what runs last fails": World(last=(False,)),
    "what runs last fails once": World(last=(False, True)),
    "a file is broken meanwhile": World(hashes=("tree-9", ""), tests=(True, False)),
    "a file is mended meanwhile": World(hashes=("tree-9", "")),
}


def of_spec(**changes: Any) -> Loop:
    return a_loop(criteria=(with_check("tests pass", guard=False),), **changes)


def of_discovery(**changes: Any) -> Loop:
    return a_discovery_loop(
        guards=("tests pass",), **{**changes, "limits": DISCOVERY_LIMITS.but(dry=1)}
    )


def of_plan(**changes: Any) -> Loop:
    return a_plan_loop(a_plan(a_task("01")), commands=("tests pass",), **changes)


KINDS: dict[str, tuple[Callable[..., Loop], str]] = {
    "spec": (of_spec, DONE),
    "discovery": (of_discovery, cycle()),
    "plan": (of_plan, "TASK COMPLETE: 01"),
}


class Proof:
    """A loop whose agent is done, and a world that answers the proof."""

    def __init__(self, story: Story, world: World, words: str) -> None:
        self.story, self.world, self.words = story, world, words

    def goes_on(self) -> bool:
        return isinstance(self.story.directive, PROOF)

    def answer(self) -> None:
        """The next line of the journal."""
        wanted, world = self.story.directive, self.world
        result: Any
        if isinstance(wanted, CompareWithBaseline):
            result = BaselineComparison(0.0, wanted.round, wanted.fence, wanted.tree, world.found)
        elif isinstance(wanted, HashTree):
            result = hashed(wanted, pick(world.hashes, self.trees() - 1))
        elif isinstance(wanted, RunInCleanCheckout):
            made = sum(e.run.kind == wanted.kind for e in self.story.events_of(RoomRunEnded))
            outcome = pick(world.runs, made) if wanted.kind == "room" else PASSED
            findings = (FAILS_THERE,) if outcome == FAILED else ()
            findings = world.replayed if wanted.kind == REPLAY_RUN else findings
            run = RoomRun(wanted.kind, wanted.tree, outcome, findings=findings)
            result = CleanCheckoutResult(0.0, wanted.round, wanted.fence, run)
        else:
            assert isinstance(wanted, RunCheck)
            name = wanted.criterion
            result = passed(name) if self.holds(name) else failed(name)
        self.story.tell_only(result)

    def holds(self, name: str) -> bool:
        ran = self.story.checks_run.count(name)
        if name in ("no leaks", "review"):
            return pick(self.world.last, ran)
        return pick(self.world.tests, ran) if name == "tests pass" else True

    def trees(self) -> int:
        """How many trees the proof has seen, since the one of the start."""
        rounds = self.story.events_of(ev.CheckRoundStarted)
        return len({event.check_round.tree for event in rounds} - {START})

    def cut_off(self) -> Proof:
        """The same proof, as its journal alone has it."""
        kept = Story(decode(loads(dumps(encode(self.story.loop)))))
        kept.events, kept.now = list(self.story.events), self.story.now
        return Proof(kept, self.world, self.words)

    def end(self) -> tuple[Any, ...]:
        """How it ended: the verdict, or why the loop paused, or that the agent is held."""
        loop = self.story.loop
        verdict = loop.verdict and (loop.verdict.name, loop.verdict.grade, loop.verdict.why)
        is_held = isinstance(self.story.directive, Continue)
        return loop.status, verdict, loop.pause.cause, is_held


def pick(results: tuple[Any, ...], time: int) -> Any:
    return results[min(time, len(results) - 1)]


def a_loop_of(kind: str, world: World, last: tuple[Criterion, ...]) -> Loop:
    make, _ = KINDS[kind]
    loop = make(tree_id="c0ffee", tree=START, room=Room(world.room), final_checks=last)
    return loop.but(limits=loop.limits.but(looks=9))  # each Stop after a kill takes one


def under_a_runner(kind: str, world: World, last: tuple[Criterion, ...]) -> Proof:
    return after_one_turn(kind, a_loop_of(kind, world, last), world)


def after_one_turn(kind: str, loop: Loop, world: World, **facts: Any) -> Proof:
    story, words = Story(loop.but(lease=Lease())), KINDS[kind][1]
    story.tell(runner_attached())
    story.tell(turn_starting())
    story.tell_only(runner_turn_over(words, **facts))
    return Proof(story, world, words)


def in_a_session(kind: str, world: World, last: tuple[Criterion, ...]) -> Proof:
    story, words = Story(a_loop_of(kind, world, last).but(lease=Lease(SESSION))), KINDS[kind][1]
    story.tell_only(turn(words))
    return Proof(story, world, words)


def begin_another_runner(proof: Proof) -> None:
    proof.story.tell_only(runner_attached(session=OTHER, pid=8))


def stop_again(proof: Proof) -> None:
    """The hook was killed, so the client let the agent stop. The person says go on; it stops again."""
    proof.story.tell_only(turn(proof.words, proof.story.loop.tree))


def pause_and_begin_another_runner(proof: Proof) -> None:
    """SIGTERM, or Ctrl-C twice: the runner pauses the loop. `loop run --continue` comes later."""
    proof.story.tell_only(order("pause"))
    proof.story.tell_only(order("continue"))
    begin_another_runner(proof)


def fail_and_begin_another_runner(proof: Proof) -> None:
    proof.story.tell_only(order("pause", by="runner", reason="the disk is full"))
    proof.story.tell_only(order("continue"))
    begin_another_runner(proof)


def raise_the_budget_and_begin_another_runner(proof: Proof) -> None:
    """`loop run --continue --budget=5` after a kill: the loop was never paused."""
    proof.story.tell_only(order("continue", dollars=5.0))
    begin_another_runner(proof)


def pause_and_continue(proof: Proof) -> None:
    """`loop pause` and `loop continue`, which waits for the proof."""
    proof.story.tell_only(order("pause"))
    proof.story.tell_only(order("continue", arguments=(PROVE,)))


def ends(proof: Proof, resume: Callable[[Proof], None], kills: int) -> set[tuple[Any, ...]]:
    """How the proof ends if it is killed up to so many times, at all moments."""
    found = set()
    while proof.goes_on():
        if kills:
            again = proof.cut_off()
            resume(again)
            found |= ends(again, resume, kills - 1)
        proof.answer()
    return {*found, proof.end()}


# Every other one is for `make torture`.
DRIVERS = {
    "a runner": (under_a_runner, begin_another_runner),
    "a runner after a hook": (in_a_session, begin_another_runner),
    "a hook": (in_a_session, stop_again),
    "a runner with more dollars": (under_a_runner, raise_the_budget_and_begin_another_runner),
    "a runner that is stopped": (under_a_runner, pause_and_begin_another_runner),
    "a runner without a disk": (under_a_runner, fail_and_begin_another_runner),
    "a hook that is paused, and loop continue": (in_a_session, pause_and_continue),
    "a runner that is stopped, and loop continue": (under_a_runner, pause_and_continue),
}


# Each case is quicker than pytest's own work for a test, so a test has all the kinds of loop.
@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("driver", every(2, [*DRIVERS]))
@pytest.mark.parametrize("world", WORLDS)
def test_a_proof_that_is_cut_off_anywhere_ends_as_if_it_were_not(
    world: str, driver: str, kills: int
) -> None:
    if driver == "a hook" and world == "what runs last fails once":
        pytest.skip("a Stop is another claim, at which a check that failed may pass")
    begin, resume = DRIVERS[driver]
    for kind, last in product(KINDS, ((), LAST)):
        (undisturbed,) = ends(begin(kind, WORLDS[world], last), resume, 0)

        assert ends(begin(kind, WORLDS[world], last), resume, kills) == {undisturbed}, (kind, last)


@pytest.mark.parametrize("last", [(), LAST], ids=["", "with checks that run last"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", WORLDS)
def test_a_proof_that_waits_until_the_files_can_be_read_ends_as_if_it_had_not(
    world: str, kind: str, last: tuple[Criterion, ...]
) -> None:
    loop = a_loop_of(kind, WORLDS[world], last)
    loop = loop.but(limits=loop.limits.but(iterations=1))
    proof = after_one_turn(kind, loop, WORLDS[world])
    (undisturbed,) = ends(proof, begin_another_runner, 0)

    waiting = after_one_turn(
        kind, loop, WORLDS[world], tree=loop.tree, tree_problem="a file is locked"
    )
    assert waiting.story.loop.pause.cause == "tree"
    assert waiting.story.directive.message.endswith("Resume: `loop run --continue`")
    waiting.story.tell_only(order("continue"))
    waiting.story.tell_only(runner_attached(session=OTHER, tree=TREE))

    assert ends(waiting, begin_another_runner, 0) == {undisturbed}
