"""Every path of a loop in a small world: the real rules, all that can happen, until nothing new comes of it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest

from loopwright.core import directives
from loopwright.core import signals as sg
from loopwright.core.discovery.backlog import DISCOVERY_LIMITS
from loopwright.core.engine import advance
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop
from loopwright.core.plan.plan import plan_limits
from loopwright.core.runner.run import Run
from loopwright.core.status import ENDED, TRANSITIONS
from tests.support.plan_stories import a_plan
from tests.torture.conftest import Figure
from tests.torture.model.alphabet import PENDING, TREES, Letter, World, alphabet, worlds
from tests.torture.size import size

GROWS = {
    "rounds_started": 0,
    "refuted_claims": 0,
    "errors": (),
    "foreign_sessions": (),
    "guidance": "",
    "why": "",
    "running_since": 0,
    "turn_continued": 0,
}


class State(NamedTuple):
    """A loop, what it has asked for, and what is true: the tree, and how each check last came out, on which."""

    loop: Loop
    asked: directives.Directive
    tree: str
    found: tuple[tuple[str, str, bool], ...] = ()
    raised: bool = False

    def after(self, said: Letter, loop: Loop, directive: directives.Directive) -> State:
        signal, found = said.signal, {fact[0]: fact for fact in self.found}
        answered = (
            isinstance(signal, sg.Checked | sg.BaselineComparison | sg.TreeHashed | sg.LaneMerged)
            and "," not in said.word
        )
        asked = self.asked if loop.check_round and not answered else directives.Stop()
        if isinstance(signal, sg.Checked) and answered:
            it = signal.evidence
            holds = (
                it.passed if it.criterion != "no debug" else it.outcome == "exit" and it.code != 0
            )
            found[it.criterion] = (
                it.criterion,
                it.tree,
                holds and signal.tree == it.tree == self.tree,
            )
        asked, facts = (
            directive if isinstance(directive, PENDING) else asked,
            tuple(sorted(found.values())),
        )
        return State(
            loop,
            asked,
            said.tree or self.tree,
            facts,
            self.raised or said.word == "raise",
        )

    def key(self, numbers: dict[int, tuple[int, Any]], kinds: dict[Any, int]) -> Any:
        """The state without what only grows, and no limit looks at."""
        loop, asked, streak = self.loop, self.asked, self.loop.streak
        if loop.status in ENDED:
            return loop.status, loop.verdict, loop.exit_claimed
        current = isinstance(asked, PENDING) and getattr(asked, "fence", 0) == loop.lease.fence
        unmet = (*sorted(set(streak.unmet)), streak.unmet[-1:])
        fields: dict[str, Any] = {
            **loop.__dict__,
            **GROWS,
            "prompt_queued": 0,
            "checkpoint_at": 0,
            "lease": loop.lease.but(fence=0),
        }
        fields["streak"] = streak.but(trees=(), scores=(), toolless=0, error_text="", unmet=unmet)
        fields["spend"] = tuple(min(pair) for pair in spent_of(loop))
        if loop.check_round:
            current = current and getattr(asked, "round", 0) == loop.check_round.number
            fields["check_round"] = loop.check_round.but(number=0)
        if run := loop.run:
            known = Run(
                run.agents,
                lanes=run.lanes,
                blocked_by_denials=run.blocked_by_denials,
                waited_seconds=run.waited_seconds // 30,
            )
            fields["run"] = known.but(
                consecutive_faults=min(run.consecutive_faults, 3),
                turn_started_at=bool(run.turn_started_at),
            )
        if plan := loop.plan:
            fields["plan"] = plan.but(
                history=plan.history[-1:],
                fix_rounds=0,
                max_fix_rounds=max(0, min(2, plan.max_fix_rounds - plan.fix_rounds)),
            )
        if held := loop.backlog:
            fields["backlog"] = held.but(
                found_count=0,
                fixed_count=0,
                recent_sizes=(),
                mode_since=0,
                task_since=0,
                yield_since_stop=bool(held.yield_since_stop),
            )
        for (
            name,
            value,
        ) in (
            fields.items()
        ):  # most are the very same as in the state before, and are not looked into
            if id(value) not in numbers:
                numbers[id(value)] = (kinds.setdefault(value, len(kinds)), value)
            fields[name] = numbers[id(value)][0]
        return *fields.values(), type(asked), getattr(asked, "criterion", ""), current, self[2:]


def spent_of(loop: Loop) -> list[tuple[float, float]]:
    spend, most = loop.spend, loop.limits
    return [
        (spend.iterations, most.iterations),
        (spend.dollars, most.dollars),
        (spend.seconds, most.minutes * 60),
    ]


def explore(name: str, world: World, most: int) -> tuple[int, list[str], bool]:
    """Breadth first: how many steps, what was wrong, and whether that was all."""
    cache: tuple[dict[int, tuple[int, Any]], dict[Any, int]] = ({}, {})
    todo, bad, steps = [State(world.loop, directives.Stop(), TREES[0])], list[str](), 0
    known = {todo[0].key(*cache): 0}
    goes_on: list[tuple[int, int, str]] = []  # with nobody there, from one state to another
    for here, state in enumerate(todo):  # it grows as we go
        for said in alphabet(world, state.loop, state.asked, state.tree, state.raised):
            move, folded, steps = advance(state.loop, said.signal), state.loop, steps + 1
            following, where = (
                state.after(said, move.loop, move.directive),
                f"{name}: {state.loop.status}, {said.word}",
            )
            bad += [f"{where}: {why}" for why in wrongs(state, following, move.directive)]
            for event in move.events if folded.status != move.loop.status else ():
                before, folded = folded.status, event.apply(folded)
                if folded.status not in (before, *TRANSITIONS[before]):
                    bad.append(f"{where}: from {before} to {folded.status}")
            if (key := following.key(*cache)) not in known:
                known[key] = len(known)
                todo.append(following)
            if not said.person and isinstance(move.directive, directives.Continue | PENDING):
                goes_on.append((here, known[key], where))
        if len(known) > most:
            return steps, bad + endless(goes_on), False
    return steps, bad + endless(goes_on), True


def wrongs(before: State, after: State, directive: directives.Directive) -> list[str]:
    """What must never happen in one step."""
    loop, wrong, going = (
        after.loop,
        [],
        isinstance(directive, directives.Continue) and directive.prompt,
    )
    if before.loop.status in ENDED and (
        loop != before.loop or not isinstance(directive, directives.Stop)
    ):
        wrong.append("it had ended")
    if (
        going
        and before.loop.spend != loop.spend
        and any(spent >= most for spent, most in spent_of(loop))
    ):
        wrong.append("it goes on past its limits")
    if loop.rounds_started < before.loop.rounds_started or (
        loop.rounds_started == before.loop.rounds_started
        and loop.check_round
        and not before.loop.check_round
    ):
        wrong.append("a round without a number of its own")
    if loop.status == "finished" != before.loop.status:
        if loop.tree != after.tree:
            wrong.append("finished, and the files are others")
        found = {name: (tree, fine) for name, tree, fine in after.found}
        wrong += [
            f"finished while {name} fails"
            for name, fact in found.items()
            if fact == (loop.tree, False)
        ]
        for c in (
            (*loop.criteria, *loop.final_checks) if loop.verdict and loop.verdict.proven else ()
        ):
            if found.get(c.name) != (loop.tree, True):
                wrong.append(f"proven, and {c.name} is not")
    return wrong


def endless(goes_on: list[tuple[int, int, str]]) -> list[str]:
    """Circles in which the agent goes on and on: what is left when every end was taken away, again and again."""
    while True:
        starts = Counter(start for start, _, _ in goes_on)
        left = [edge for edge in goes_on if starts[edge[1]]]
        if len(left) == len(goes_on):
            return [f"{where}: round and round, and nobody is there" for _, _, where in left]
        goes_on = left


@pytest.mark.parametrize("name", worlds(1))
def test_every_path_ends_and_none_leads_from_a_failed_check_to_finished(
    figure: Figure, name: str
) -> None:
    steps, bad, all_of_it = explore(name, worlds(1)[name], size(commit=150, long=200_000))
    figure(
        "state machine",
        of=steps,
        bad=bad + ([] if all_of_it or size(1, 0) else [f"{name}: no end in sight"]),
    )


def test_the_default_limits_of_every_policy_are_finite(figure: Figure) -> None:
    given = {"spec": Limits(), "discovery": DISCOVERY_LIMITS, "plan": plan_limits(a_plan())}
    bad = [
        f"{policy}: {name}"
        for policy, most in given.items()
        for name in most.FIELDS
        if not 0 < getattr(most, name) <= 1_000
    ]
    figure("state machine", of=len(given), bad=bad)
