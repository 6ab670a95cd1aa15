"""Simulation: a loop played to its end by an agent that is only written down, on a clock that is only counted. Pure.

What decides is the engine itself; nothing is written, no command runs, nobody waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ..core.criteria import Criterion, Evidence
from ..core.directives import Ask, CompareWithBaseline, Continue, Directive, RunCheck, Wait
from ..core.discovery.backlog import REPAIR
from ..core.engine import advance
from ..core.json_text import dumps
from ..core.loop import Lease, Loop, plan_of
from ..core.prompts.phrases import STATUS_CLOSE, STATUS_OPEN
from ..core.record import Record
from ..core.runner.run import RUNNER_PREFIX, RunnerReport
from ..core.signals import (
    Answered,
    BacklogEdited,
    BaselineComparison,
    Checked,
    RunnerAttached,
    Signal,
    ToolOutcome,
    TurnOver,
    TurnStarting,
)

RUNNER_HOLDER = f"{RUNNER_PREFIX}0"
START_TIME = 1.0
MAX_TURNS = 10_000  # a loop is bounded by its limits; a script in which no turn counts, by this
PROBE_OUTCOMES = {
    "artifact": "stub",
    "link": "broken_link",
}  # how a probe fails, by the first word of its criterion


class ScriptedTurn(Record):
    """What the agent does in one turn. The words are those of a rehearsal, where they mean the same."""

    say: str = ""
    done: bool = False  # it says that all it was given is done; then every check passes, but for those in `fails`
    passes: tuple[
        str, ...
    ] = ()  # checks that pass from now on, by name; * and ? stand for anything
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
    turns: tuple[ScriptedTurn, ...]
    answers: tuple[
        str, ...
    ] = ()  # what a person says to each question; the night ends at the first that has none
    passing: tuple[
        str, ...
    ] = ()  # checks that pass before anything is done; of a discovery loop all do, unless some are named


class PlayedTurn(Record):
    """One turn, and what it came to."""

    turn: int
    script: ScriptedTurn
    loop: Loop
    results: tuple[tuple[str, bool], ...]
    reply: Directive
    tasks: tuple[str, ...] = ()


class Simulation:
    def __init__(self, loop: Loop, script: Script) -> None:
        self.script, self.now, self.trees, self.turns = script, START_TIME, 0, 0
        self.answers, self.results = list(script.answers), list[tuple[str, bool]]()
        passing = script.passing or (("*",) if loop.backlog else ())
        self.check_passes = {
            c.name: matches_any(c.name, passing) for c in (*loop.criteria, *loop.final_checks)
        }
        self.check_passes |= {c.name: True for c in loop.must_not}
        self.must_not = {c.name for c in loop.must_not}
        criteria = tuple(map(self._with_baseline_result, loop.criteria))
        self.loop = loop.but(
            criteria=criteria,
            lease=Lease(),
            tree=self._tree_name,
            clock=loop.clock.but(started_at=START_TIME, running_since=START_TIME),
        )
        if loop.gate:  # the question of the start: who simulates it says yes
            self.loop = self.loop.but(status="running", gate=None)
        if loop.backlog and self.loop.failing_guards:
            self.loop = self.loop.but(backlog=loop.backlog.but(mode=REPAIR))

    def play_turns(self) -> Iterator[PlayedTurn]:
        """Turn after turn, until the loop stops or asks what nobody answers."""
        reply = self._send_signal(RunnerAttached(self.now, RUNNER_HOLDER, 0, ("script",)))
        while self.turns < MAX_TURNS:
            while isinstance(reply, Ask) and self.answers:
                reply = self._send_signal(Answered(self.now, self.answers.pop(0), self._tree_name))
            if isinstance(reply, Wait):
                self.now = max(self.now, reply.until)
            elif not isinstance(reply, Continue):
                return
            reply = self._send_signal(TurnStarting(self.now, RUNNER_HOLDER))
            if isinstance(reply, Continue):
                yield (played := self._play_turn(reply.prompt))
                reply = played.reply

    def _play_turn(self, prompt: str) -> PlayedTurn:
        self.turns, self.results = self.turns + 1, []
        act, tasks = (
            choose_turn(self.script.turns, prompt, self.turns),
            self.loop.plan.assigned if self.loop.plan else (),
        )
        self.now += act.seconds
        self._apply_script(act)
        if act.found or act.fixed:
            self._send_signal(BacklogEdited(self.now, found=act.found, done=act.fixed))
        reply = self._send_signal(self._turn_over(act, tasks))
        return PlayedTurn(self.turns, act, self.loop, tuple(self.results), reply, tasks)

    def _apply_script(self, act: ScriptedTurn) -> None:
        self.trees += not act.idle and not act.fail and act.limit is None
        for name in self.check_passes:
            held = self.check_passes[name] or act.done or matches_any(name, act.passes)
            self.check_passes[name] = held and not matches_any(name, act.fails)

    def _turn_over(self, act: ScriptedTurn, tasks: tuple[str, ...]) -> TurnOver:
        until = self.now + act.limit if act.limit is not None else 0.0
        return TurnOver(
            self.now,
            RUNNER_HOLDER,
            "\n".join([act.say, *(self._done_report(tasks) if act.done else ())]).strip(),
            self._tree_name,
            dollars=act.dollars,
            tool_outcomes=(ToolOutcome("script", act.error),) if act.error else (),
            edits=act.edits,
            tool_calls=0 if act.idle else 1,
            api_failure=act.fail,
            runner_report=RunnerReport(
                "script",
                usage_limited=act.limit is not None,
                limit_reset_at=until,
                answer_tail=act.say,
            ),
        )

    def _done_report(self, tasks: tuple[str, ...]) -> list[str]:
        """Done, in the words that the loop listens for."""
        if self.loop.plan:
            gaps = [f"GAP CLOSED: {gap.file}" for gap in plan_of(self.loop).gaps]
            return [
                *(f"TASK COMPLETE: {task}" for task in tasks),
                *gaps,
                *self._status_block(exit=False),
            ]
        return self._status_block(exit=True)

    def _status_block(self, exit: bool) -> list[str]:
        met = {
            c.name: {"met": True, "verification": "observation", "evidence": "scripted"}
            for c in self.loop.criteria
        }
        return [STATUS_OPEN, f"EXIT_SIGNAL: {dumps(exit)}", f"CRITERIA: {dumps(met)}", STATUS_CLOSE]

    def _send_signal(self, signal: Signal) -> Directive:
        """What the loop is told; the checks that it asks for say what the script has made of them."""
        while True:
            move = advance(self.loop, signal)
            self.loop, wanted = move.loop, move.directive
            if isinstance(wanted, CompareWithBaseline):
                signal = BaselineComparison(self.now, wanted.round, wanted.fence, wanted.tree)
            elif isinstance(wanted, RunCheck):
                self.results.append((wanted.criterion, self.check_passes[wanted.criterion]))
                signal = Checked(
                    self.now,
                    self._evidence_for(wanted.criterion),
                    wanted.round,
                    wanted.fence,
                    wanted.tree,
                )
            else:
                return wanted

    def _evidence_for(self, name: str) -> Evidence:
        held = self.check_passes[name]
        outcome = "exit" if held else PROBE_OUTCOMES.get(name.split(" ")[0], "exit")
        code = held == (name not in self.must_not)  # what must not be exits with 0 where it is
        return Evidence(
            name,
            held,
            tree=self._tree_name,
            at=self.now,
            outcome=outcome,
            code=int(not code),
            detail="" if held else "as the script says",
        )

    def _with_baseline_result(self, c: Criterion) -> Criterion:
        """As at a start: what passes already is a guard. Nothing runs, so every check may."""
        if not c.check or c.check.probe:
            return c
        return c.but(
            check=c.check.but(allowed=True),
            proof=self._evidence_for(c.name),
            guard=self.check_passes[c.name],
        )

    @property
    def _tree_name(self) -> str:
        return f"tree-{self.trees}"


def matches_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def choose_turn(turns: tuple[ScriptedTurn, ...], prompt: str, number: int) -> ScriptedTurn:
    """The first that fits the prompt; the others in their order, and past their end the last one again."""
    for act in turns:
        if act.when and all(text in prompt for text in act.when):
            return act
    others = [act for act in turns if not act.when]
    return others[min(number, len(others)) - 1]
