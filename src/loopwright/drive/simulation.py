"""Simulation: play a loop to its end with a scripted agent and a simulated clock. Pure.

The real engine decides. Nothing is written, no command runs and no time passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ..core.criteria import Criterion, Evidence
from ..core.directives import (
    Ask,
    CompareWithBaseline,
    Continue,
    Directive,
    HashTree,
    RunCheck,
    Wait,
)
from ..core.discovery.backlog import REPAIR
from ..core.engine import advance
from ..core.json_text import dumps
from ..core.loop import Lease, Loop
from ..core.prompts.phrases import STATUS_CLOSE, STATUS_OPEN
from ..core.record import Record
from ..core.replies.markers import MAX_CLAIMS
from ..core.runner.run import RUNNER_PREFIX, RunnerReport
from ..core.signals import (
    Answered,
    BacklogEdited,
    BaselineComparison,
    Checked,
    RunnerAttached,
    Signal,
    ToolOutcome,
    TreeHashed,
    TurnOver,
    TurnStarting,
)

RUNNER_HOLDER = f"{RUNNER_PREFIX}0"
START_TIME = 1.0
# The limits bound a loop; this bounds a script in which no turn counts as an iteration.
MAX_TURNS = 10_000
# How a probe fails, by the first word of its criterion.
PROBE_OUTCOMES = {"artifact": "stub", "link": "broken_link"}


class ScriptedTurn(Record):
    """What the agent does in one turn. Fields that a rehearsal also has mean the same there."""

    say: str = ""
    # It claims that its work is done; then every check passes, except those in `fails`.
    done: bool = False
    # Checks that pass from now on, by name; * and ? are wildcards.
    passes: tuple[str, ...] = ()
    # Checks that fail; a must-not that fails has been violated.
    fails: tuple[str, ...] = ()
    # It only talks.
    idle: bool = False
    # Files, and how often each is written.
    edits: tuple[tuple[str, int], ...] = ()
    # In a discovery loop: items that it adds to the backlog, and items that it completes.
    found: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    # The error of its last tool call.
    error: str = ""
    # The API fails instead of answering.
    fail: str = ""
    # A usage limit is reached; it resets after so many seconds.
    limit: float | None = None
    dollars: float = 0.0
    seconds: float = 60.0
    # Play this turn if the prompt contains all of these.
    when: tuple[str, ...] = ()


class Script(Record):
    """The turns of the agent, and the answers of the person."""

    turns: tuple[ScriptedTurn, ...]
    # The answer to each question; the simulation ends at the first question without one.
    answers: tuple[str, ...] = ()
    # Checks that pass at the baseline; in a discovery loop all do, unless some are named.
    passing: tuple[str, ...] = ()


class PlayedTurn(Record):
    """One simulated turn and its result."""

    turn: int
    script: ScriptedTurn
    loop: Loop
    results: tuple[tuple[str, bool], ...]
    reply: Directive
    tasks: tuple[str, ...] = ()


class Simulation:
    """One simulated run of a loop."""

    def __init__(self, loop: Loop, script: Script) -> None:
        self.script = script
        self.now = START_TIME
        self.trees = 0
        self.turns = 0
        self.answers = list(script.answers)
        self.results: list[tuple[str, bool]] = []
        self.must_not = {c.name for c in loop.must_not}
        self.check_passes = self._baseline_results(loop)
        self.loop = self._started_loop(loop)

    def _baseline_results(self, loop: Loop) -> dict[str, bool]:
        passing = self.script.passing
        if loop.backlog and not passing:
            passing = ("*",)
        criteria = (*loop.criteria, *loop.final_checks)
        results = {c.name: matches_any(c.name, passing) for c in criteria}
        return results | dict.fromkeys(self.must_not, True)

    def _started_loop(self, loop: Loop) -> Loop:
        started = loop.but(
            criteria=tuple(map(self._with_baseline_result, loop.criteria)),
            lease=Lease(),
            tree=self._tree_name,
            clock=loop.clock.but(started_at=START_TIME, running_since=START_TIME),
        )
        # The simulation answers the question before the first turn with yes.
        if loop.gate:
            started = started.but(status="running", gate=None)
        if loop.backlog and started.failing_guards:
            started = started.but(backlog=loop.backlog.but(mode=REPAIR))
        return started

    def play_turns(self) -> Iterator[PlayedTurn]:
        """Play turns until the loop stops or asks a question that the script does not answer."""
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
                played = self._play_turn(reply.prompt)
                yield played
                reply = played.reply

    def _play_turn(self, prompt: str) -> PlayedTurn:
        self.turns += 1
        self.results = []
        act = choose_turn(self.script.turns, prompt, self.turns)
        tasks = self.loop.plan.assigned if self.loop.plan else ()
        self.now += act.seconds
        self._apply_script(act)
        if act.found or act.fixed:
            self._send_signal(BacklogEdited(self.now, found=act.found, done=act.fixed))
        reply = self._send_signal(self._turn_over(act, tasks))
        return PlayedTurn(
            turn=self.turns,
            script=act,
            loop=self.loop,
            results=tuple(self.results),
            reply=reply,
            tasks=tasks,
        )

    def _apply_script(self, act: ScriptedTurn) -> None:
        """Change the files and the results of the checks as the script says."""
        changes_files = not act.idle and not act.fail and act.limit is None
        self.trees += changes_files
        for name, passed in self.check_passes.items():
            passes = passed or act.done or matches_any(name, act.passes)
            self.check_passes[name] = passes and not matches_any(name, act.fails)

    def _turn_over(self, act: ScriptedTurn, tasks: tuple[str, ...]) -> TurnOver:
        report = RunnerReport(
            "script",
            usage_limited=act.limit is not None,
            limit_reset_at=self.now + act.limit if act.limit is not None else 0.0,
            answer_tail=act.say,
        )
        words = [act.say]
        if act.done:
            words += self._done_report(tasks)
        return TurnOver(
            at=self.now,
            session=RUNNER_HOLDER,
            text="\n".join(words).strip(),
            tree=self._tree_name,
            dollars=act.dollars,
            tool_outcomes=(ToolOutcome("script", act.error),) if act.error else (),
            edits=act.edits,
            tool_calls=0 if act.idle else 1,
            api_failure=act.fail,
            runner_report=report,
        )

    def _done_report(self, tasks: tuple[str, ...]) -> list[str]:
        """What an agent writes when its work is done, in the format that the loop parses."""
        if not self.loop.plan:
            return self._status_block(exit=True)
        return [
            *(f"TASK COMPLETE: {task}" for task in tasks),
            *(f"GAP CLOSED: {gap.file}" for gap in self.loop.plan.gaps),
            *self._status_block(exit=False),
        ]

    def _status_block(self, exit: bool) -> list[str]:
        claim = {"met": True, "verification": "observation", "evidence": "scripted"}
        # One message holds so many claims; an agent goes on with what is still open.
        by_need = sorted(self.loop.criteria, key=self.loop.is_met)
        claims = {c.name: claim for c in by_need[:MAX_CLAIMS]}
        return [
            STATUS_OPEN,
            f"EXIT_SIGNAL: {dumps(exit)}",
            f"CRITERIA: {dumps(claims)}",
            STATUS_CLOSE,
        ]

    def _send_signal(self, signal: Signal) -> Directive:
        """Send a signal to the engine and answer its checks until it wants something else."""
        while True:
            move = advance(self.loop, signal)
            self.loop = move.loop
            wanted = move.directive
            if isinstance(wanted, CompareWithBaseline):
                signal = BaselineComparison(self.now, wanted.round, wanted.fence, wanted.tree)
            elif isinstance(wanted, HashTree):
                signal = TreeHashed(self.now, wanted.round, wanted.fence, wanted.tree)
            elif isinstance(wanted, RunCheck):
                self.results.append((wanted.criterion, self.check_passes[wanted.criterion]))
                signal = Checked(
                    at=self.now,
                    evidence=self._evidence_for(wanted.criterion),
                    round=wanted.round,
                    fence=wanted.fence,
                    tree=wanted.tree,
                )
            else:
                return wanted

    def _evidence_for(self, name: str) -> Evidence:
        passed = self.check_passes[name]
        kind = name.split(" ")[0]
        # The command of a must-not exits with 0 if the constraint is violated.
        exits_with_zero = not passed if name in self.must_not else passed
        return Evidence(
            criterion=name,
            passed=passed,
            tree=self._tree_name,
            at=self.now,
            outcome="exit" if passed else PROBE_OUTCOMES.get(kind, "exit"),
            code=0 if exits_with_zero else 1,
            detail="" if passed else "as the script says",
            failures=0 if passed else 1,  # a test runner counts its failures
        )

    def _with_baseline_result(self, c: Criterion) -> Criterion:
        """The criterion as a real start leaves it: what passes at the baseline is a guard.

        Nothing runs here, so every check is allowed.
        """
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
    """The first turn whose `when` matches the prompt, else the turn without `when` of this number.

    After the last turn, the last one repeats.
    """
    for act in turns:
        if act.when and all(text in prompt for text in act.when):
            return act
    unconditional = [act for act in turns if not act.when]
    return unconditional[min(number, len(unconditional)) - 1]
