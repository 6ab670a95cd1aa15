"""Simulation: a loop played to its end by an agent that is only written down, on a clock that is only counted. Pure.

What decides is the engine itself; nothing is written, no command runs, nobody waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from .backlog import REPAIR
from .engine import advance
from .loop import Criterion, Evidence, Lease, Loop
from .plan import plan_of
from .record import Record, dumps
from .running import HOLDER, Told
from .signals import (
    Answered,
    Ask,
    Began,
    Came,
    Checked,
    Compare,
    Compared,
    Continue,
    Directive,
    Outcome,
    RunCheck,
    Signal,
    Tended,
    TurnOver,
    Wait,
)
from .wording import CLOSE, OPEN

RUNNER = f"{HOLDER}0"
START = 1.0
MOST_TURNS = 10_000  # a loop is bounded by its limits; a script in which no turn counts, by this
FOUND = {"artifact": "stub", "link": "broken_link"}  # how a probe fails, by the first word of its criterion


class Act(Record):
    """What the agent does in one turn. The words are those of a rehearsal, where they mean the same."""

    say: str = ""
    done: bool = False  # it says that all it was given is done; then every check passes, but for those in `fails`
    passes: tuple[str, ...] = ()  # checks that pass from now on, by name; * and ? stand for anything
    fails: tuple[str, ...] = ()  # and that fail; a must-not that fails has come true
    idle: bool = False  # it only talks
    edits: tuple[tuple[str, int], ...] = ()  # files, and how often each is written
    found: tuple[str, ...] = ()  # of a discovery loop: what goes on the list
    fixed: tuple[str, ...] = ()
    error: str = ""  # that its last tool met
    fail: str = ""  # the API fails instead of an answer
    limit: float | None = None  # its usage limit is reached, for so many seconds
    dollars: float = 0.0
    seconds: float = 60.0
    when: tuple[str, ...] = ()  # played where the prompt holds all of these


class Script(Record):
    turns: tuple[Act, ...]
    answers: tuple[str, ...] = ()  # what a person says to each question; the night ends at the first that has none
    passing: tuple[str, ...] = ()  # checks that pass before anything is done; of a discovery loop all do, unless some are named


class Played(Record):
    """One turn, and what it came to."""

    turn: int
    act: Act
    loop: Loop
    results: tuple[tuple[str, bool], ...]
    reply: Directive
    tasks: tuple[str, ...] = ()


class Simulation:
    def __init__(self, loop: Loop, script: Script) -> None:
        self.script, self.now, self.trees, self.turns = script, START, 0, 0
        self.answers, self.results = list(script.answers), list[tuple[str, bool]]()
        passing = script.passing or (("*",) if loop.backlog else ())
        self.holds = {c.name: matches(c.name, passing) for c in (*loop.criteria, *loop.last)}
        self.holds |= {c.name: True for c in loop.forbidden}
        self.forbidden = {c.name for c in loop.forbidden}
        criteria = tuple(map(self._measured, loop.criteria))
        self.loop = loop.but(criteria=criteria, lease=Lease(), tree=self._tree, started_at=START, since=START)
        if loop.gate:  # the question of the start: who simulates it says yes
            self.loop = self.loop.but(status="running", gate=None)
        if loop.backlog and self.loop.broken:
            self.loop = self.loop.but(backlog=loop.backlog.but(mode=REPAIR))

    def play(self) -> Iterator[Played]:
        """Turn after turn, until the loop stops or asks what nobody answers."""
        reply = self._told(Came(self.now, RUNNER, 0, ("script",)))
        while self.turns < MOST_TURNS:
            while isinstance(reply, Ask) and self.answers:
                reply = self._told(Answered(self.now, self.answers.pop(0), self._tree))
            if isinstance(reply, Wait):
                self.now = max(self.now, reply.until)
            elif not isinstance(reply, Continue):
                return
            reply = self._told(Began(self.now, RUNNER))
            if isinstance(reply, Continue):
                yield (played := self._turn(reply.prompt))
                reply = played.reply

    def _turn(self, prompt: str) -> Played:
        self.turns, self.results = self.turns + 1, []
        act, tasks = chosen(self.script.turns, prompt, self.turns), self.loop.plan.assigned if self.loop.plan else ()
        self.now += act.seconds
        self._happens(act)
        if act.found or act.fixed:
            self._told(Tended(self.now, found=act.found, done=act.fixed))
        reply = self._told(self._over(act, tasks))
        return Played(self.turns, act, self.loop, tuple(self.results), reply, tasks)

    def _happens(self, act: Act) -> None:
        self.trees += not act.idle and not act.fail and act.limit is None
        for name in self.holds:
            held = self.holds[name] or act.done or matches(name, act.passes)
            self.holds[name] = held and not matches(name, act.fails)

    def _over(self, act: Act, tasks: tuple[str, ...]) -> TurnOver:
        until = self.now + act.limit if act.limit is not None else 0.0
        return TurnOver(
            self.now,
            RUNNER,
            "\n".join([act.say, *(self._report(tasks) if act.done else ())]).strip(),
            self._tree,
            dollars=act.dollars,
            outcomes=(Outcome("script", act.error),) if act.error else (),
            edits=act.edits,
            tools=0 if act.idle else 1,
            failure=act.fail,
            told=Told("script", limited=act.limit is not None, until=until, said=act.say),
        )

    def _report(self, tasks: tuple[str, ...]) -> list[str]:
        """Done, in the words that the loop listens for."""
        if self.loop.plan:
            gaps = [f"GAP CLOSED: {gap.file}" for gap in plan_of(self.loop).gaps]
            return [*(f"TASK COMPLETE: {task}" for task in tasks), *gaps, *self._block(exit=False)]
        return self._block(exit=True)

    def _block(self, exit: bool) -> list[str]:
        met = {c.name: {"met": True, "verification": "observation", "evidence": "scripted"} for c in self.loop.criteria}
        return [OPEN, f"EXIT_SIGNAL: {dumps(exit)}", f"CRITERIA: {dumps(met)}", CLOSE]

    def _told(self, signal: Signal) -> Directive:
        """What the loop is told; the checks that it asks for say what the script has made of them."""
        while True:
            move = advance(self.loop, signal)
            self.loop, wanted = move.loop, move.directive
            if isinstance(wanted, Compare):
                signal = Compared(self.now, wanted.round, wanted.fence, wanted.tree)
            elif isinstance(wanted, RunCheck):
                self.results.append((wanted.criterion, self.holds[wanted.criterion]))
                signal = Checked(self.now, self._evidence(wanted.criterion), wanted.round, wanted.fence, wanted.tree)
            else:
                return wanted

    def _evidence(self, name: str) -> Evidence:
        held = self.holds[name]
        outcome = "exit" if held else FOUND.get(name.split(" ")[0], "exit")
        code = held == (name not in self.forbidden)  # what must not be exits with 0 where it is
        return Evidence(
            name,
            held,
            tree=self._tree,
            at=self.now,
            outcome=outcome,
            code=int(not code),
            detail="" if held else "as the script says",
        )

    def _measured(self, c: Criterion) -> Criterion:
        """As at a start: what passes already is a guard. Nothing runs, so every check may."""
        if not c.check or c.check.probe:
            return c
        return c.but(check=c.check.but(allowed=True), proof=self._evidence(c.name), guard=self.holds[c.name])

    @property
    def _tree(self) -> str:
        return f"tree-{self.trees}"


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def chosen(turns: tuple[Act, ...], prompt: str, number: int) -> Act:
    """The first that fits the prompt; the others in their order, and past their end the last one again."""
    for act in turns:
        if act.when and all(text in prompt for text in act.when):
            return act
    others = [act for act in turns if not act.when]
    return others[min(number, len(others)) - 1]
