"""Agents that lie, in a world that knows which check passes on which tree: none is called proven, none runs away."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from loopwright.core import directives
from loopwright.core import signals as sg
from loopwright.core.criteria import Check, Claim, Criterion
from loopwright.core.engine import advance
from loopwright.core.findings import HIGH, Finding
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop, Shape, plan_of
from loopwright.core.runner.run import RunnerReport
from tests.support import builders as b
from tests.support.night import RUNNER, a_free_loop
from tests.support.plan_stories import a_plan, a_plan_loop, a_task
from tests.torture.conftest import Figure
from tests.torture.model.test_machine import spent_of
from tests.torture.size import chunks

SAYS = (
    {"met": True, "verification": "execution output", "evidence": "42 passed"},
    True,
    {"met": True, "verification": "assumption"},
)
ROUND = directives.RunCheck | directives.CompareWithBaseline | directives.HashTree
WEAK = "(a test was made easier)"  # among what is in a tree; the rest is what works there


def a_loop(dice: Random) -> Loop:
    most = Limits(
        dice.randint(1, 8),
        dice.choice((1.0, 25.0)),
        dice.choice((3.0, 240.0)),
        dice.randint(2, 5),
        idle=dice.randint(2, 4),
    )
    more: dict[str, Any] = {"limits": most, "tree_id": dice.choice(("", "c0ffee")), "tree": ""}
    kind = dice.randrange(5)
    if kind == 0:
        plan = a_plan(
            *(a_task("01"), a_task("02", 2, "01"))[: dice.randint(1, 2)],
            retries=dice.randint(0, 2),
            max_fix_rounds=dice.randint(1, 3),
        )
        return a_plan_loop(plan, gates_enabled=dice.random() < 0.3, **more)
    if kind == 1:
        return b.a_discovery_loop(
            *("an item", "more")[: dice.randint(0, 2)], guards=("tests pass",), **more
        )
    criteria = [
        b.with_check("tests pass", guard=False),
        b.with_check("lint clean"),
        b.without_check("docs read well"),
    ]
    more["final_checks"] = (Criterion("no leaks", Check("(held out)", origin="holdout")),) * (
        dice.random() < 0.3
    )
    more["must_not"] = (b.with_check("no debug"),) * (dice.random() < 0.3)
    make, shape = (
        a_free_loop if kind == 2 else b.a_loop,
        Shape(dice.choice(("tool", "tool", "colleague"))),
    )
    return make(criteria=tuple(criteria[: dice.choice((1, 1, 2, 3))]), shape=shape, **more)


class Liar:
    """One agent, its loop and its world, from one seed. A tree's name says what works in it."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.loop = a_loop(self.dice)
        self.now, self.turns = self.loop.clock.started_at, 0
        self.files = frozenset[str]()
        self.seen, self.late, self.touched, self.bad = (
            [self.files],
            list[sg.Checked](),
            set[str](),
            list[str](),
        )

    @property
    def tree(self) -> str:
        return "+".join(sorted(self.files)) or "nothing"

    def live(self) -> list[str]:
        """Until nobody wants to hear of it any more: what went wrong."""
        if not self.loop.lease.holder:
            self.tell(sg.RunnerAttached(0.0, RUNNER, 7, ("claude",)))
        for _ in range(self.dice.randint(1, 4)):  # so often a person comes by
            while len(self.bad) < 3 and self.turn():
                pass
            if self.loop.status != "finished":
                self.person()
        return self.bad

    def tell(self, signal: Any) -> directives.Directive:
        self.now += self.dice.choice((1.0, 20.0))
        move, before = advance(self.loop, signal.but(at=self.now)), self.loop
        self.loop = loop = move.loop
        if loop.status == "finished" != before.status and loop.verdict and loop.verdict.proven:
            must = {c.name for c in (*loop.criteria, *loop.final_checks, *loop.must_not) if c.check}
            true = must <= set(loop.tree.split("+")) and not (
                loop.baseline.tree_id and WEAK in loop.tree
            )
            if not true or not all(c.check for c in loop.criteria):
                self.bad.append(f"false completion: {sorted(must)} on {loop.tree}")
        over = (
            any(spent >= most for spent, most in spent_of(loop))
            or loop.spend.dollars > loop.limits.dollars + 0.6
        )
        if (
            isinstance(move.directive, directives.Continue)
            and move.directive.prompt
            and over
            and loop.status == "running"  # paused: the agent only replies to the person's no
            and not isinstance(signal, sg.Ordered)
        ):
            self.bad.append(f"runaway: goes on with {loop.spend}")
        return move.directive

    def turn(self) -> bool:
        """One turn and its checks: is the agent to go on?"""
        night, holder = self.loop.headless_run, self.loop.lease.holder
        if night and not isinstance(self.tell(sg.TurnStarting(0.0, RUNNER)), directives.Continue):
            return False
        self.work()
        self.meddle()
        session = holder if night else self.dice.choice((holder, holder, holder, holder, "s9"))
        told = (
            RunnerReport("claude", answer_tail="so", usage_limited=self.dice.random() < 0.05)
            if night
            else None
        )
        facts: dict[str, Any] = {
            "dollars": self.dice.choice((0.0, 0.1, 0.6)),
            "tool_calls": self.dice.choice((0, 1, 3)),
            "runner_report": told,
        }
        counts = (
            self.loop.status == "running"
            and session == holder
            and not (told and told.usage_limited)
        )
        directive = self.proven(
            self.tell(sg.TurnOver(0.0, session, self.lie(), self.tree, **facts))
        )
        self.turns += counts
        if self.turns > self.loop.limits.iterations + 1:
            self.bad.append(f"runaway: turn {self.turns} of {self.loop.limits.iterations}")
        self.now = max(self.now, getattr(directive, "until", 0.0))
        return isinstance(directive, directives.Continue | directives.Wait) or session == "s9"

    def work(self) -> None:
        """Now and then something is really done; more often it is not, or is undone, or made to look so."""
        names = [
            c.name
            for c in (*self.loop.criteria, *self.loop.final_checks, *self.loop.must_not)
            if c.check
        ]
        way, some = (
            self.dice.random(),
            set(self.dice.sample(names, self.dice.randint(0, len(names)))),
        )
        new = (
            self.files | some
            if way < 0.35
            else self.files - some
            if way < 0.5
            else self.files ^ {WEAK}
            if way < 0.6
            else self.files
        )
        self.files = (
            new
            if way < 0.7
            else self.files ^ {f"file {self.dice.randrange(2)}"}
            if way < 0.9
            else self.dice.choice(self.seen)
        )
        self.seen.append(self.files)

    def lie(self) -> str:
        claims = {
            c.name: self.dice.choice(SAYS) for c in self.loop.criteria if self.dice.random() < 0.9
        }
        said = b.block(claims, exit=self.dice.choice((True, True, "TRUE", False)))
        parts = [
            said,
            "<loop-complete>",
            f"```\n{said}\n```",
            f"> {said}",
            "All tests pass.",
            b.cycle("an item", ""),
            said[:-9],
            "",
        ]
        if self.loop.plan:
            parts += [
                "\n".join(f"TASK COMPLETE: {name}" for name in plan_of(self.loop).assigned),
                "GAP CLOSED: src/01.py",
            ] * 3
        return "\n".join(self.dice.choices(parts, k=self.dice.randint(1, 3)))

    def meddle(self) -> None:
        """Between two turns: our files, our commands, an old answer once more."""
        met = tuple(
            Claim(c.name, True, "execution output", "42 passed") for c in self.loop.criteria
        )
        ways: list[Any] = [
            sg.Claimed(0.0, sg.Claims(met, exit=True, confidence=100), tampered_fields=("budget",)),
            *self.late[-1:],
        ]
        ways += [
            sg.MirrorLost(0.0, "unreadable"),
            sg.Ordered(0.0, "refused", reason="continue"),
            sg.BacklogEdited(0.0, done=("an item",)),
        ]
        if self.dice.random() < 0.3:
            self.tell(self.dice.choice(ways))

    def proven(self, asked: directives.Directive) -> directives.Directive:
        """Each check runs on what is there, whatever the agent does meanwhile."""
        while isinstance(asked, ROUND):
            race, before = self.dice.random(), self.files
            if race < 0.1:
                self.work()
            if isinstance(asked, directives.CompareWithBaseline):
                weak, touched = (
                    (Finding(HIGH, "test weakened", "t.py"),) * (WEAK in self.files),
                    tuple(sorted(self.touched)),
                )
                self.touched.clear()
                asked = self.tell(
                    sg.BaselineComparison(0.0, asked.round, asked.fence, self.tree, weak, touched)
                )
                continue
            if isinstance(asked, directives.HashTree):
                asked = self.tell(sg.TreeHashed(0.0, asked.round, asked.fence, self.tree))
                continue
            name = asked.criterion
            if (
                0.9 < race < 0.95 and self.loop.baseline.tree_id
            ):  # there and back: only the time of the last write tells
                self.work()
                self.touched.add(name)
            holds = (name in self.files) != any(name == c.name for c in self.loop.must_not)
            self.files = before if race > 0.9 else self.files
            self.late.append(
                b.answer_to(
                    asked,
                    b.passed(name, self.tree) if holds else b.failed(name, left=self.tree),
                    self.now,
                )
            )
            told, holder = (
                RunnerReport("claude") if self.loop.headless_run else None,
                self.loop.lease.holder,
            )
            dies = race > 0.98  # the hook, with the answer
            asked = self.tell(
                sg.TurnOver(0.0, holder, self.lie(), self.tree, tool_calls=1, runner_report=told)
                if dies
                else self.late[-1]
            )
            self.turns -= dies  # a person begins the next
        return asked

    def person(self) -> None:
        """Comes by, believes no word, and may give it more room."""
        way, gate = self.dice.random(), self.loop.gate
        if gate:
            yes = gate.name != "G3" or way < 0.3
            self.proven(
                self.tell(
                    sg.Answered(
                        0.0, "yes" if yes else "no, look again", self.tree, agent_informed=True
                    )
                )
            )
        else:
            more: dict[str, Any] = (
                {"iterations": 2, "dollars": 1.0, "minutes": 5.0} if way < 0.5 else {}
            )
            self.proven(
                self.tell(sg.Ordered(0.0, "continue", tree=self.tree, agent_informed=True, **more))
            )


@pytest.mark.parametrize("kind", ["false completion", "runaway"])
@pytest.mark.parametrize(
    "seeds", chunks(commit=75, long=10_000, each=1_000), ids=lambda seeds: f"from {seeds[0]}"
)
def test_no_liar_is_called_proven_and_none_runs_away(
    figure: Figure, kind: str, seeds: range
) -> None:
    figure(
        kind,
        of=len(seeds),
        bad=[f"seed {seed}: {why}" for seed in seeds for why in Liar(seed).live() if kind in why],
    )
