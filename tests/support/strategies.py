"""Strategies: any loop, anything that can happen to it, any record, any JSON."""

from __future__ import annotations

import functools
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hypothesis import strategies as st

from loopwright.core import events, loop, prices, record, signals
from loopwright.core.criteria import Check, Claim, Criterion
from loopwright.core.directives import Continue, Directive, Move, RunCheck
from loopwright.core.discovery import backlog
from loopwright.core.event import Event
from loopwright.core.json_text import dumps, loads
from loopwright.core.limits import Limits
from loopwright.core.loop import Clock, Gate, Lease, Loop, Shape, Step
from loopwright.core.plan import plan
from loopwright.core.record import KIND_MODULES, KINDS_BY_MODULE, Record, decode, encode, kind_of
from loopwright.core.signals import (
    Answered,
    BacklogEdited,
    Checked,
    Claimed,
    Claims,
    ClientEvent,
    MirrorLost,
    Ordered,
    ToolOutcome,
    TurnOver,
)
from tests.support.builders import advance_past_hash, answer_to, block, failed, passed

NAMES = ("tests pass", "lint clean", "docs read well", "exit")
TREES = ("tree-1", "tree-2", "tree-3")
SESSIONS = ("s1", "s1", "s1", "s2", "")

# --- JSON ---

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

# --- Loops ---


@st.composite
def criteria(draw: st.DrawFn, **size: Any) -> tuple[Criterion, ...]:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, **size))
    checks = st.none() | st.builds(
        Check, st.just("make"), allowed=st.sampled_from((True, True, False))
    )
    return tuple(Criterion(name, draw(checks)) for name in names)


@st.composite
def loops(draw: st.DrawFn) -> Loop:
    """A loop as it may be started: bounded, perhaps watched, perhaps not bound to a session yet."""
    asks = draw(st.booleans())
    return Loop(
        "loop-1",
        "fix all failing tests",
        status="asking" if asks else "running",
        gate=Gate("G1", "Here are 2 steps. Proceed?") if asks else None,
        criteria=draw(criteria(min_size=1)),
        must_not=tuple(c.but(name=f"no {c.name}") for c in draw(criteria(max_size=1))),
        steps=draw(st.sampled_from(((), (Step("find it"), Step("fix it"))))),
        limits=Limits(
            iterations=draw(st.integers(1, 6)),
            dollars=draw(st.sampled_from((5.0, 25.0))),
            minutes=60,
        ),
        shape=Shape("colleague" if asks else draw(st.sampled_from(("tool", "colleague")))),
        lease=Lease(draw(st.sampled_from(("s1", "s1", "")))),
        clock=Clock(started_at=1_000.0, running_since=0.0 if asks else 1_000.0),
    )


# --- What may happen ---

claimed_values = st.booleans() | st.sampled_from(
    (
        {"met": True, "verification": "observation"},
        {"met": True, "verification": "assumption"},
        {"met": False},
        "false",
        1,
        None,
    )
)
lines = st.sampled_from(
    (
        "STEP_DONE: find it",
        "STEP_DONE: Fix one more",
        "ASK: which?",
        "BLOCKED: why",
        "MUST_NOT: that",
        "GATE: cause",
        "CONFIDENCE: 50",
    )
)
texts = st.one_of(
    st.sampled_from(("", "I went on", "<loop-complete>", "```\n<loop-complete>\n```")),
    st.builds(
        lambda met, more, leave: block(met, *more, exit=leave),
        st.dictionaries(st.sampled_from((*NAMES, "unknown")), claimed_values),
        st.lists(lines, max_size=2),
        st.booleans(),
    ),
    st.just(block(dict.fromkeys(NAMES, True), exit=True)),
)
outcomes = st.builds(
    ToolOutcome,
    st.sampled_from(("pytest", "curl")),
    st.sampled_from(("", "boom 1", "timed out", "permission denied")),
)
turns = st.builds(
    TurnOver,
    at=st.just(0.0),
    session=st.sampled_from(SESSIONS),
    text=texts,
    tree=st.sampled_from(TREES),
    dollars=st.sampled_from((0.0, 0.5, 3.0)),
    tool_outcomes=st.lists(outcomes, max_size=2).map(tuple),
    edits=st.sampled_from(((), (("a.py", 2),), (("a.py", 5),))),
    tool_calls=st.sampled_from((None, 0, 1, 1)),
    api_failure=st.sampled_from(("", "", "", "overloaded", "teapot")),
    busy=st.sampled_from((False, False, False, True)),
    plan_mode=st.sampled_from((False, False, False, True)),
)
claims = st.builds(
    Claims,
    criteria=st.lists(st.builds(Claim, st.sampled_from(NAMES), st.booleans()), max_size=3).map(
        tuple
    ),
    exit=st.sampled_from((None, True, False)),
    steps=st.sampled_from(((), (Step("find it", True),))),
    ask=st.sampled_from(("", "", "which?")),
    blocked=st.sampled_from(("", "", "why")),
    disputes=st.sampled_from(((), (), *((f"{name}: wrong",) for name in (*NAMES, "unknown")))),
)
edits = st.builds(
    Claimed,
    at=st.just(0.0),
    claims=claims,
    tampered_fields=st.sampled_from(((), ("budget",))),
    extra_json=st.sampled_from(("", "{}")),
)
lost_mirrors = st.builds(
    MirrorLost,
    at=st.just(0.0),
    how=st.sampled_from(("deleted", "paused", "cancelled", "unreadable")),
)
answers = st.builds(
    Answered,
    at=st.just(0.0),
    text=st.sampled_from(
        ("yes", "no", "ok", "keep", "drop", "mind the docs", "proceed without confirmation", "")
    ),
    tree=st.sampled_from(("", *TREES)),
    agent_informed=st.booleans(),
)
client_events = st.builds(
    ClientEvent,
    at=st.just(0.0),
    event=st.sampled_from(("start", "prompt", "end", "compact")),
    session=st.sampled_from(SESSIONS),
    pid=st.sampled_from((0, 7)),
    source=st.sampled_from(("", "clear", "resume")),
    text=st.sampled_from(("hello", "yes", "no", "/help")),
    tree=st.sampled_from(("", *TREES)),
)


def orders(*words: str, raising: bool = True) -> st.SearchStrategy[Ordered]:
    more = st.sampled_from((0, 2)) if raising else st.just(0)
    return st.builds(
        Ordered,
        at=st.just(0.0),
        order=st.sampled_from(words),
        session=st.sampled_from(("s1", "s2")),
        dollars=more.map(float),
        iterations=more,
        criteria=criteria(min_size=1, max_size=2),
        agent_informed=st.booleans(),
        arguments=st.tuples(st.sampled_from(NAMES), st.sampled_from(("keep", "drop", "change"))),
    )


# --- Loops that find and fix ---

# Some are the same item spelled otherwise, some are a part of another.
ITEMS = ("the menu", "The menu.", "fix the menu on mobile", "a typo", "dark mode", "no empty state")
items = st.lists(st.sampled_from(ITEMS), max_size=3).map(tuple)
backlog_edits = st.builds(
    BacklogEdited,
    at=st.just(0.0),
    found=items,
    done=items,
    dropped=st.just(()) | items,
    item_order=st.just(()) | items,
    focus=st.sampled_from((None, None, "", "the menu", "the look of it")),
    notes=st.sampled_from((None, None, "", "- seen")),
    new_note=st.sampled_from(("", "", "seen")),
    tampered_fields=st.sampled_from(((), (), ("max_iterations",))),
)


@st.composite
def discovery_loops(draw: st.DrawFn) -> Loop:
    """A discovery loop as it may be started, or adopted from a page: bounded, perhaps guarded, perhaps in task mode."""
    known = draw(st.lists(st.sampled_from(ITEMS), unique_by=backlog.item_key, max_size=4))
    cut = draw(st.integers(0, len(known)))
    mode = backlog.EXPLOITATION if cut else backlog.EXPLORATION
    held = backlog.Backlog(
        suggestions=("one", "two"),
        task_mode=draw(st.booleans()),
        items=tuple(known[:cut]),
        done=tuple(known[cut:]),
        mode=mode,
    )
    return Loop(
        "loop-1",
        "polish the settings page",
        policy="discovery",
        criteria=draw(criteria(max_size=2)),
        backlog=held,
        limits=backlog.DISCOVERY_LIMITS.but(
            iterations=draw(st.integers(1, 12)), dollars=draw(st.sampled_from((5.0, 25.0)))
        ),
        lease=Lease(draw(st.sampled_from(("s1", "s1", "")))),
        tree=draw(st.sampled_from(("", TREES[0]))),
        clock=Clock(started_at=1_000.0, running_since=1_000.0),
    )


@dataclass(frozen=True)
class Reply:
    """A check has run: what it found, and the tree that it left (empty: as it was). Stale: it comes too late."""

    fine: bool
    left: str = ""
    outcome: str = "exit"
    seconds: float = 0.0
    stale: bool = False


replies = st.builds(
    Reply,
    fine=st.booleans(),
    left=st.sampled_from(("", "", "", *TREES)),
    outcome=st.sampled_from(("exit", "exit", "exit", "timeout", "missing")),
    seconds=st.sampled_from((1.0, 90.0)),
    stale=st.sampled_from((False, False, False, True)),
)
ALL_ORDERS = (
    "pause",
    "continue",
    "continue",
    "attach",
    "detach",
    "criteria",
    "allow",
    "deny",
    "refused",
    "rule",
    "cancel",
)


def weighted_choice(*strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of them, by how often it is given: `one_of` forgets what it is given twice."""
    return st.sampled_from(range(len(strategies))).flatmap(strategies.__getitem__)


happenings = weighted_choice(
    *[turns, replies] * 3, edits, lost_mirrors, answers, client_events, orders(*ALL_ORDERS)
)


class LoopTeller:
    """Tells a loop what happens, with a clock of its own, and keeps what was decided."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.now = loop, loop.clock.started_at
        self.wanted: RunCheck | None = None

    def tell(self, *said: Any) -> Move | None:
        """The move, or None for a reply that nobody waits for."""
        signals = [self._signal(one) for one in said]
        if None in signals:
            return None
        move = advance_past_hash(self.loop, *signals)
        self.loop = move.loop
        if isinstance(move.directive, RunCheck):
            self.wanted = move.directive
        return move

    def answer_all(self, directive: Directive, results: Any) -> tuple[Move | None, int]:
        """Answer every check that is asked for; how many there were."""
        move, count = None, 0
        while isinstance(directive, RunCheck):
            move, count = self.tell(next(results)), count + 1
            assert move is not None
            directive = move.directive
        return move, count

    def _signal(self, said: Any) -> Any:
        self.now += 7.0
        if not isinstance(said, Reply):
            return said.but(at=self.now)
        if not self.wanted:
            return None
        wanted = self.wanted.but(round=self.wanted.round - 1) if said.stale else self.wanted
        facts = {"outcome": said.outcome, "seconds": said.seconds}
        fine = said.fine and said.outcome == "exit"
        result = (
            passed(wanted.criterion, said.left, **facts)
            if fine
            else failed(wanted.criterion, left=said.left, **facts)
        )
        checked: Checked = answer_to(wanted, result, self.now)
        return checked


def moves(loop: Loop, said: list[Any]) -> Iterator[tuple[Loop, Any, Move]]:
    """Every move, with the loop before it and what was said."""
    telling = LoopTeller(loop)
    for one in said:
        before = telling.loop
        if move := telling.tell(one):
            yield before, one, move


def rebuilt_loops(loop: Loop, said: list[Any]) -> Iterator[tuple[Loop, Loop]]:
    """After every move: the loop from the events alone, as a journal writes and reads them, and the loop as it is."""
    folded = loop
    for _, _, move in moves(loop, said):
        for event in move.events:
            folded = decode(loads(dumps(encode(event)))).apply(folded)
        yield folded, move.loop


whatever_the_checks_say = st.lists(
    replies.map(lambda r: Reply(r.fine, r.left, r.outcome, r.seconds)), max_size=30
)


def must_stay_within_bounds(loop: Loop, said: list[Any], results: Iterator[Reply]) -> None:
    """Held below its limits only, whatever is said while nobody raises them, and never for more turns than it has."""
    telling, continued = LoopTeller(loop), 0
    for one in said:
        move = telling.tell(one)
        assert move is not None
        last, rounds = telling.answer_all(move.directive, results)
        assert rounds <= 2 * (len(loop.criteria) + len(loop.must_not)), (
            "one more round, and no more"
        )
        directive = (last or move).directive
        if isinstance(directive, Continue) and "Do not continue the work" in directive.prompt:
            assert telling.loop.status in ("asking", "paused"), "the person talks, nothing is held"
        elif isinstance(directive, Continue):
            assert telling.loop.spend.iterations < telling.loop.limits.iterations, (
                "held past its limit"
            )
            assert telling.loop.spend.dollars < telling.loop.limits.dollars
            assert telling.loop.status == "running"
            continued += isinstance(one, TurnOver)
    assert telling.loop.spend.iterations <= telling.loop.limits.iterations
    assert continued < loop.limits.iterations


# --- Records ---

MODULES = (
    *(loop, signals, events, prices),
    *(import_module(f"loopwright.core.{name}") for name in KINDS_BY_MODULE),
)
KINDS = sorted(
    {
        kind
        for module in MODULES
        for kind in vars(module).values()
        if isinstance(kind, type) and kind in record.KINDS.values()
    },
    key=lambda kind: kind.__name__,
)
SOME_EVENTS = st.sampled_from(
    (
        events.CheckRoundEnded(),
        events.StepAdded("x"),
        events.ErrorSeen("boom"),
        events.LimitsRaised(1.0),
    )
)


@functools.cache
def records(kind: type[Record]) -> st.SearchStrategy[Any]:
    """Any value of this kind, by the annotations of its fields."""
    # The annotations are text: they mean what they mean where they stand, and to the checker.
    elsewhere = {**vars(plan), **{name: kind_of(name) for name in KIND_MODULES}}
    names = {**elsewhere, **vars(sys.modules[kind.__module__])}
    return st.builds(
        kind, **{field: _values(eval(kind.__annotations__[field], names)) for field in kind.FIELDS}
    )


def _values(hint: Any) -> st.SearchStrategy[Any]:
    if hint in (Record, Event):
        return SOME_EVENTS
    if isinstance(hint, type) and issubclass(hint, Record):
        return st.deferred(lambda: records(hint))
    if isinstance(hint, types.UnionType):
        return st.one_of(*map(_values, typing.get_args(hint)))
    if typing.get_origin(hint) is tuple:
        parts = typing.get_args(hint)
        if parts[-1] is Ellipsis:
            return st.lists(_values(parts[0]), max_size=2).map(tuple)
        return st.tuples(*map(_values, parts))
    return SIMPLE[hint]


SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: st.integers(-5, 1000),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    type(None): st.none(),
}
