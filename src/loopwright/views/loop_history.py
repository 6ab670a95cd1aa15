"""The history of a loop, folded line by line: iterations, results, runs of each check.

It keeps a bounded number of points however long the journal is, and needs only the events named in
KINDS, so that a journal of many lines is read quickly and in slices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import events as ev
from ..core.criteria import Evidence
from ..core.event import Event
from ..core.loop import Loop
from ..core.plan import events as plan
from ..core.proof import dispute_events as disputes
from ..core.proof import events as proof
from ..core.record import Record
from ..core.runner import events as runner
from .time_axis import KINDS as AXIS_KINDS
from .time_axis import TimeAxis

MAX_POINTS = 2_000
MAX_RUNS = 200  # of one check
MAX_NOTES = 6  # of one iteration


class IterationPoint(Record):
    """One iteration: what it cost and what the checks said on its tree. Number 0 is the start."""

    number: int
    seq: int
    at: float
    agent: str = ""
    seconds: float = 0.0
    dollars: float = 0.0  # of this iteration
    total_dollars: float = 0.0
    failures: int | None = None  # that failing checks have counted
    results: tuple[tuple[str, bool], ...] = ()
    carried: tuple[str, ...] = ()  # of these: not run again, for the files are as they were
    notes: tuple[str, ...] = ()
    tree: str = ""
    commit: str = ""  # holds the tree; "" if it is not kept
    tasks_left: int | None = None  # of a plan
    tasks_failed: int = 0  # and are not done since then

    @property
    def met(self) -> int:
        return sum(passed for _, passed in self.results)


class CheckRun(Record):
    """One run of a check, with the file that holds its output."""

    criterion: str
    seq: int
    at: float
    iteration: int
    passed: bool
    result: str
    seconds: float
    log: str = ""
    failures: int | None = None


class LoopHistory:
    """All iterations of a loop so far. `position` is where the next line of the journal begins."""

    def __init__(self) -> None:
        self.position = 0
        self.seq = 0
        self.is_complete = False
        self.points: list[IterationPoint] = []
        self.runs: dict[str, list[CheckRun]] = {}
        self.axis = TimeAxis()
        self._proofs: dict[str, Evidence] = {}
        self._criteria: frozenset[str] = frozenset()
        self._turn_started_at, self._agent = 0.0, ""
        self._open_tasks: set[str] | None = None  # of a plan
        self._failed_tasks: set[str] = set()

    def add_move(self, seq: int, at: float, events: tuple[Event, ...]) -> None:
        """Take in the events of the next line."""
        self.seq = seq
        for event in events:
            self.axis.add(event, at)
            if fold := FOLDS.get(type(event).__name__):
                fold(self, event, at)

    def iteration_at(self, seq: int) -> int:
        """The iteration to which the line of this number belongs."""
        before = (point.number for point in reversed(self.points) if point.seq <= seq)
        return next(before, 0)

    @property
    def commits(self) -> dict[int, str]:
        """The iterations whose files are kept, and the commits that hold them."""
        return {point.number: point.commit for point in self.points if point.commit}

    def _start_loop(self, event: ev.LoopStarted, at: float) -> None:
        loop = event.loop
        self._set_criteria(loop)
        if loop.plan:
            self._open_tasks = {task.id for task in loop.plan.tasks} - set(loop.plan.done)
            self._failed_tasks = {failure.task for failure in loop.plan.failures}
        for c in loop.criteria:
            if c.proof and c.proof.by == "loop":
                self._proofs[c.name] = c.proof
                self._add_run(c.proof, at)
        point = IterationPoint(
            number=loop.spend.iterations,
            seq=self.seq,
            at=at,
            total_dollars=loop.spend.dollars,
            tree=loop.tree,
            # Without git the tree id is the digest of copies, and there is no commit.
            commit=loop.baseline.tree_id if len(loop.baseline.tree_id) == 40 else "",
        )
        self.points = [self._with_results(point)]

    def _set_criteria(self, event: Loop | ev.CriteriaChanged, at: float = 0.0) -> None:
        self._criteria = frozenset(c.name for c in event.criteria)

    def _start_turn(self, event: runner.TurnStarted, at: float) -> None:
        self._turn_started_at, self._agent = event.at, event.agent

    def _end_turn(self, event: ev.TurnEnded, at: float) -> None:
        last = self.points[-1]
        total = last.total_dollars + event.dollars
        if not event.counts_as_iteration:
            self.points[-1] = last.but(total_dollars=total)
            return
        same_tree = (p.commit for p in reversed(self.points[-20:]) if p.tree == event.tree)
        started_at = self._turn_started_at or last.at
        point = IterationPoint(
            number=last.number + 1,
            seq=self.seq,
            at=at,
            agent=self._agent,
            seconds=max(0.0, event.at - started_at),
            dollars=event.dollars,
            total_dollars=total,
            tree=event.tree,
            commit=event.kept_commit or next(same_tree, ""),
        )
        self._turn_started_at = 0.0
        self.points.append(self._with_results(point))
        if len(self.points) > MAX_POINTS:
            # Older iterations are thinned out; the start and the newest ones stay.
            self.points[1 : MAX_POINTS // 2] = self.points[1 : MAX_POINTS // 2 : 2]

    def _add_check(self, event: ev.CheckRan, at: float) -> None:
        evidence = event.evidence
        if evidence.by != "loop":
            return
        self._proofs[evidence.criterion] = evidence
        self._add_run(evidence, at)
        self.points[-1] = self._with_results(self.points[-1])

    def _change_plan(self, event: plan.PlanChanged, at: float) -> None:
        done = set(event.plan.done) - set(event.reopened)
        self._open_tasks = {task.id for task in event.plan.tasks} - done
        self._failed_tasks &= self._open_tasks
        self.points[-1] = self._with_results(self.points[-1])

    def _finish_task(self, event: plan.TaskFinished, at: float) -> None:
        self._move_task(event.task, is_open=False, is_failed=False)

    def _fail_task(self, event: plan.TaskFailed, at: float) -> None:
        self._move_task(event.task, is_open=True, is_failed=True)

    def _reopen_task(self, event: plan.TaskReopened, at: float) -> None:
        self._move_task(event.task, is_open=True, is_failed=False)

    def _move_task(self, task: str, is_open: bool, is_failed: bool) -> None:
        if self._open_tasks is None:
            return
        for names, is_member in ((self._open_tasks, is_open), (self._failed_tasks, is_failed)):
            (names.add if is_member else names.discard)(task)
        self.points[-1] = self._with_results(self.points[-1])

    def _add_run(self, evidence: Evidence, at: float) -> None:
        runs = self.runs.setdefault(evidence.criterion, [])
        runs.append(
            CheckRun(
                criterion=evidence.criterion,
                seq=self.seq,
                at=evidence.at or at,
                iteration=self.points[-1].number if self.points else 0,
                passed=evidence.passed,
                result=evidence.result_text,
                seconds=evidence.seconds,
                log=evidence.log,
                failures=evidence.failures,
            )
        )
        del runs[:-MAX_RUNS]

    def _with_results(self, point: IterationPoint) -> IterationPoint:
        """The iteration with the results of our own checks on its tree."""
        current = {
            name: proof
            for name, proof in self._proofs.items()
            if proof.tree == point.tree and name in self._criteria
        }
        # A failing check that counts nothing makes the sum unknown, never smaller.
        counts = [0 if proof.passed else proof.failures for proof in current.values()]
        last_runs = {name: runs[-1].iteration for name, runs in self.runs.items()}
        is_counted = bool(counts) and None not in counts
        return point.but(
            results=tuple((name, proof.passed) for name, proof in current.items()),
            carried=tuple(n for n in current if last_runs.get(n, point.number) != point.number),
            failures=sum(filter(None, counts)) if is_counted else None,
            tasks_left=None if self._open_tasks is None else len(self._open_tasks),
            tasks_failed=len(self._failed_tasks),
        )

    def _add_note(self, note: str) -> None:
        if self.points and note not in self.points[-1].notes:
            notes = (*self.points[-1].notes, note)[-MAX_NOTES:]
            self.points[-1] = self.points[-1].but(notes=notes)


def _note(words: str) -> Callable[[LoopHistory, Any, float], None]:
    """A fold that adds these words to the current iteration."""
    return lambda history, event, at: history._add_note(words)


FOLDS: dict[str, Callable[[LoopHistory, Any, float], None]] = {
    ev.LoopStarted.__name__: LoopHistory._start_loop,
    ev.CriteriaChanged.__name__: LoopHistory._set_criteria,
    runner.TurnStarted.__name__: LoopHistory._start_turn,
    ev.TurnEnded.__name__: LoopHistory._end_turn,
    ev.CheckRan.__name__: LoopHistory._add_check,
    plan.PlanChanged.__name__: LoopHistory._change_plan,
    plan.TaskFinished.__name__: LoopHistory._finish_task,
    plan.TaskFailed.__name__: LoopHistory._fail_task,
    plan.TaskReopened.__name__: LoopHistory._reopen_task,
    ev.ClaimRefuted.__name__: _note("claim refuted"),
    ev.BreakerTripped.__name__: _note("a reason to pause"),
    ev.GateOpened.__name__: _note("question"),
    ev.LoopPaused.__name__: _note("paused"),
    ev.TamperingSeen.__name__: _note("tampering"),
    runner.WaitStarted.__name__: _note("waited"),
    disputes.CriterionDisputed.__name__: _note("disputed"),
    ev.LoopFinished.__name__: _note("finished"),
    ev.LoopCancelled.__name__: _note("cancelled"),
    proof.ResultAccepted.__name__: _note("accepted by you"),
    proof.AcceptanceRevoked.__name__: _note("acceptance taken back"),
}
KINDS = frozenset(FOLDS) | AXIS_KINDS
