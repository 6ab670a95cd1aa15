"""Builders that read as English, and Story: a loop, and all that it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Claim, Criterion, Evidence
from loopwright.core.directives import Directive, HashTree, Move, RunCheck
from loopwright.core.discovery.backlog import DISCOVERY_LIMITS, EXPLOITATION, EXPLORATION, Backlog
from loopwright.core.engine import advance
from loopwright.core.json_text import dumps
from loopwright.core.loop import (
    Clock,
    Dialogue,
    Estimate,
    Gate,
    Lease,
    Loop,
    LoopSettings,
    Pause,
    Shape,
)
from loopwright.core.proof.state import Baseline
from loopwright.core.record import Record
from loopwright.core.signals import (
    Answered,
    BacklogEdited,
    Checked,
    Claimed,
    Claims,
    ClientEvent,
    MirrorLost,
    Ordered,
    Signal,
    TreeHashed,
    TurnOver,
)

SESSION = "s1"
START = 1_000.0
TREE = "tree-1"


# --- Loops ---


def with_check(
    name: str, command: str | tuple[str, ...] = "pytest -q", **changes: Any
) -> Criterion:
    return Criterion(name, check=Check(command), **changes)


def without_check(name: str, **changes: Any) -> Criterion:
    return Criterion(name, **changes)


def a_loop(**changes: Any) -> Loop:
    """A running loop of session s1 with one criterion that has a check."""
    usual: dict[str, Any] = {
        "id": "loop-1",
        "spec": "fix all failing tests",
        "criteria": (with_check("tests pass"),),
        "lease": Lease(SESSION),
        "started_at": START,
        "running_since": START,
    }
    return Loop(**nest_fields({**usual, **changes}))


PARTS: dict[str, type[Record]] = {
    "baseline": Baseline,
    "estimate": Estimate,
    "pause": Pause,
    "dialogue": Dialogue,
    "settings": LoopSettings,
    "clock": Clock,
}


def nest_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of a loop as tests write them, flat; those of a part are put into it."""
    nested = {
        name: value
        for name, value in fields.items()
        if not any(name in part.FIELDS for part in PARTS.values())
    }
    for name, kind in PARTS.items():
        own = {field: fields[field] for field in kind.FIELDS if field in fields}
        if own:
            nested[name] = nested.get(name, kind()).but(**own)
    return nested


def a_loop_without_checks(*names: str, **changes: Any) -> Loop:
    """A loop whose criteria no check can prove: all it knows is what it is told."""
    return a_loop(criteria=tuple(map(without_check, names)), **changes)


def a_colleague(**changes: Any) -> Loop:
    """A loop that a person watches: it asks at the three gates."""
    return a_loop(shape=Shape("colleague", 7), **changes)


def an_asking_loop(gate: str, question: str = "Go on?", **changes: Any) -> Loop:
    return a_colleague(status="asking", gate=Gate(gate, question), running_since=0.0, **changes)


def proof(
    name: str, *, tree: str = TREE, by: str = "loop", fine: bool = True, **changes: Any
) -> Evidence:
    code = {"code": 0 if fine else 1} if by == "loop" else {}
    return Evidence(name, fine, tree=tree, by=by, **{**code, **changes})


# --- Signals. One without a time happens ten seconds after the one before. ---


def turn(text: str = "", tree: str = TREE, **facts: Any) -> TurnOver:
    """The agent has stopped talking. It used a tool, unless we say otherwise."""
    return TurnOver(
        **{"at": 0.0, "session": SESSION, "text": text, "tree": tree, "tool_calls": 1, **facts}
    )


def block(criteria: dict[str, Any] | None = None, *lines: str, exit: bool | str = False) -> str:
    """A status block as the agent is taught to write it."""
    word = exit if isinstance(exit, str) else dumps(exit)
    rows = [f"EXIT_SIGNAL: {word}", f"CRITERIA: {dumps(criteria or {})}", *lines, "NEXT: something"]
    return "\n".join(["---LOOP_STATUS---", *rows, "---END_STATUS---"])


def claim(met: dict[str, bool] | None = None, **said: Any) -> Claimed:
    """`loop claim`."""
    return Claimed(
        0.0, Claims(tuple(Claim(name, yes) for name, yes in (met or {}).items()), **said)
    )


def order(word: str, **details: Any) -> Ordered:
    return Ordered(0.0, word, **details)


def answer(text: str, tree: str = TREE) -> Answered:
    return Answered(0.0, text, tree)


def prompt(text: str = "go on please", session: str = SESSION, **details: Any) -> ClientEvent:
    return ClientEvent(0.0, "prompt", session, text=text, **details)


def session(event: str, session: str = SESSION, **details: Any) -> ClientEvent:
    return ClientEvent(0.0, event, session, **details)


def mirror_lost(how: str, aside: str = "") -> MirrorLost:
    return MirrorLost(0.0, how, aside)


@dataclass(frozen=True)
class Result:
    """What a check found; Story adds the round, the fence and the tree that it was asked on."""

    name: str
    fine: bool
    facts: dict[str, Any]
    left: str = ""  # the tree afterwards; empty: the check changed nothing
    moved: str = ""


def passed(name: str, left: str = "", moved: str = "", **facts: Any) -> Result:
    return Result(name, True, {"code": 0, **facts}, left, moved)


def failed(
    name: str, detail: str = "1 failed", left: str = "", moved: str = "", **facts: Any
) -> Result:
    return Result(name, False, {"code": 1, "detail": detail, "failures": 1, **facts}, left, moved)


def answer_to(wanted: RunCheck, result: Result, at: float = 0.0) -> Checked:
    evidence = Evidence(result.name, result.fine, tree=wanted.tree, at=at, **result.facts)
    return Checked(
        at, evidence, wanted.round, wanted.fence, result.left or wanted.tree, result.moved
    )


def hashed(wanted: Any, tree: str = "", **facts: Any) -> TreeHashed:
    """The last hash of the files; the same tree, unless another is named."""
    assert isinstance(wanted, HashTree), f"nobody has asked for the last hash, but {wanted!r}"
    return TreeHashed(0.0, wanted.round, wanted.fence, tree or wanted.tree, **facts)


def advance_past_hash(loop: Loop, *signals: Any) -> Move:
    """The move of the engine. If it asks for the last hash of the files, they are as they were."""
    move = advance(loop, *signals)
    while isinstance(move.directive, HashTree):
        last = hashed(move.directive).but(at=signals[-1].at)
        following = advance(move.loop, last)
        move = following.but(events=(*move.events, *following.events))
    return move


# --- Stories ---


class Story:
    """A loop and what it is told, one thing after the other. Its journal must always be able to rebuild it."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.now = loop.clock.started_at
        self.directive: Directive | None = None
        self.events: list[Record] = []
        self.latest: tuple[Record, ...] = ()

    def tell(self, *signals: Signal | Result) -> Any:
        """What happened, all at once; what the agent is told in return.

        The last hash of the files finds what it must, unless the story says otherwise first.
        """
        directive = self.tell_only(*signals)
        while isinstance(directive, HashTree):
            directive = self.tell_only(hashed(directive))
        return directive

    def tell_only(self, *signals: Signal | Result) -> Any:
        """What happened, without the last hash of the files."""
        move = advance(self.loop, *map(self._complete_signal, signals))
        folded = self.loop
        for event in move.events:
            folded = event.apply(folded)
        assert folded == move.loop, "the events alone must rebuild the loop"
        self.loop, self.latest, self.directive = move.loop, move.events, move.directive
        self.events += move.events
        return move.directive

    def turn(
        self,
        text: str = "",
        tree: str = TREE,
        *,
        checks: dict[str, bool] | None = None,
        **facts: Any,
    ) -> Any:
        """A whole turn: every check that is asked for is answered."""
        directive = self.tell(turn(text, tree, **facts))
        while isinstance(directive, RunCheck):
            name = directive.criterion
            directive = self.tell(passed(name) if (checks or {})[name] else failed(name))
        return directive

    def events_of(self, kind: type[Record]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def checks_run(self) -> list[str]:
        return [event.evidence.criterion for event in self.events_of(ev.CheckRan)]

    def _complete_signal(self, signal: Signal | Result) -> Signal:
        at = getattr(signal, "at", 0.0)
        self.now = at or self.now + 10.0
        if isinstance(signal, Result):
            wanted = self.directive
            assert isinstance(wanted, RunCheck), f"no check was asked for, but {wanted!r}"
            assert wanted.criterion == signal.name, (
                f"{wanted.criterion!r} was asked for, not {signal.name!r}"
            )
            return answer_to(wanted, signal, self.now)
        return signal.but(at=self.now)


def first_line(directive: Any) -> str:
    return directive.prompt.splitlines()[0]


# --- Loops that find and fix ---


def a_discovery_loop(
    *items: str, guards: tuple[str, ...] = (), backlog: dict[str, Any] | None = None, **changes: Any
) -> Loop:
    """A running discovery loop of session s1: these items are open, and each guard has a check."""
    usual: dict[str, Any] = {
        "preset": "ui",
        "suggestions": ("one", "two", "three"),
        "items": items,
        "mode": EXPLOITATION if items else EXPLORATION,
    }
    improving = {
        "policy": "discovery",
        "spec": "polish the settings page",
        "criteria": tuple(map(with_check, guards)),
        "backlog": Backlog(**{**usual, **(backlog or {})}),
        "limits": DISCOVERY_LIMITS,
        "tree": TREE,
    }
    return a_loop(**{**improving, **changes})


def cycle(done: str = "", found: str = "") -> str:
    """The end of a cycle as the agent is taught to write it."""
    rows = [f"{word}: {said}" for word, said in (("done", done), ("found", found)) if said]
    return "\n".join(["<cycle_complete>", *rows, "</cycle_complete>"])


def edit_backlog(**said: Any) -> BacklogEdited:
    """`loop backlog`, or an edit of the page."""
    return BacklogEdited(0.0, **said)


def at_work(story: Story, *texts: str, **facts: Any) -> list[Any]:
    """One turn after the other, each on a tree of its own, so that none is idle."""
    return [story.turn(text, f"tree-{story.loop.spend.iterations + 2}", **facts) for text in texts]
