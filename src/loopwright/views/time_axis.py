"""The time axis of a loop: turns, checks, waits, tasks and claims, each with its time. Pure.

It is folded from the journal line by line, as the history is. Page and report draw its picture
(`axis_picture.py`), the terminal its lines (`axis_text.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import events as ev
from ..core.plan import events as plan
from ..core.prompts.end_words import end_text
from ..core.prompts.phrases import clip_text, one_line, strip_control_characters
from ..core.proof import clean_checkout
from ..core.proof import events as proof
from ..core.record import Record
from ..core.runner import events as runner
from .clock import clock_time

# Kinds of a stretch of time. In an idle one, nothing works on the loop.
TURN, BAD_TURN, PASSED, FAILED, WAIT, QUESTION, PAUSE = (
    "turn",
    "failed turn",
    "passed",
    "failed",
    "wait",
    "question",
    "pause",
)
IDLE = (WAIT, QUESTION, PAUSE)
# Kinds of a moment.
REFUTED, BREAKER, TASK_DONE, TASK_FAILED, END, ACCEPTED = (
    "refuted",
    "breaker",
    "done",
    "task failed",
    "end",
    "accepted",
)
CLEAN_RUNS = {
    clean_checkout.PASSED: PASSED,
    clean_checkout.FAILED: FAILED,
    clean_checkout.COULD_NOT_PREPARE: FAILED,
}
MAX_SPANS, MAX_MOMENTS = 600, 200
MAX_TITLE = 160


class Span(Record):
    """A stretch of time; `end` is 0 while it lasts. `row` is a task, or "" for the whole loop."""

    kind: str
    start: float
    end: float
    title: str
    row: str = ""
    dollars: float = 0.0
    number: int = 0  # the iteration that a turn was


class Moment(Record):
    kind: str
    at: float
    title: str
    row: str = ""


class TimeAxis:
    """What a loop did when. Only the newest spans and moments are kept."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.moments: list[Moment] = []
        self._iterations = 0
        self._now = 0.0  # of the last event that tells its time
        self._free_at = 0.0  # the last thing that worked ended here: a session's turn began
        self._tasks: tuple[str, ...] = ()  # that the turn works on

    def add(self, event: Record, at: float) -> None:
        """`at` is when the line was written, for an event before which none tells a time."""
        fold = FOLDS.get(type(event).__name__)
        if fold:
            self._now = _time_of(event) or self._now or at
            fold(self, event, self._now)

    def _add_span(self, span: Span) -> None:
        self.spans.append(span.but(title=_clean(span.title)))
        if len(self.spans) > MAX_SPANS:
            del self.spans[: MAX_SPANS // 4]

    def _add_moment(self, kind: str, at: float, title: str, row: str = "") -> None:
        self.moments.append(Moment(kind, at, _clean(title), row))
        del self.moments[:-MAX_MOMENTS]

    def _end_spans(self, kinds: tuple[str, ...], at: float, row: str = "", **changes: Any) -> bool:
        """End what still lasts; did anything?"""
        found = False
        for place, span in enumerate(self.spans):
            if span.end == 0 and span.kind in kinds and span.row == row:
                self.spans[place] = span.but(end=max(at, span.start), **changes)
                found = True
        return found

    def _start_loop(self, event: ev.LoopStarted, at: float) -> None:
        self._iterations = event.loop.spend.iterations
        self._free_at = at

    def _assign_work(self, event: plan.WorkAssigned, at: float) -> None:
        self._tasks = event.names

    def _start_turn(self, event: runner.TurnStarted, at: float) -> None:
        self._end_spans(IDLE, event.at)
        # Of a killed runner: we cannot know when it stopped.
        self._end_spans((TURN,), 0.0, title="a turn that was cut off", kind=BAD_TURN)
        self._add_span(Span(TURN, event.at, 0.0, f"turn of {event.agent}"))

    def _end_turn(self, event: ev.TurnEnded, at: float) -> None:
        self._iterations += event.counts_as_iteration
        number = self._iterations if event.counts_as_iteration else 0
        title = f"iteration {number}" if number else "a turn that failed"
        open_turn = next((s for s in self.spans if s.kind == TURN and not (s.end or s.row)), None)
        if open_turn:
            self.spans.remove(open_turn)
        start = open_turn.start if open_turn else self._free_at or event.at
        words = f"{title}: {_duration(event.at - start)}, ${event.dollars:.2f}"
        kind = TURN if number else BAD_TURN
        turn = Span(kind, min(start, event.at), event.at, words, "", event.dollars, number)
        self._add_span(turn)
        for task in self._tasks:
            self._add_span(turn.but(row=task, title=f"task {task}, {words}", dollars=0.0))
        self._tasks, self._free_at = (), event.at

    def _add_check(self, event: ev.CheckRan, at: float) -> None:
        evidence = event.evidence
        if evidence.by != "loop":
            return
        kind = PASSED if evidence.passed else FAILED
        words = f"{evidence.named_result} ({evidence.timed_result})"
        self._add_span(Span(kind, at - evidence.seconds, at, words))
        self._free_at = at

    def _add_clean_run(self, event: proof.RoomRunEnded, at: float) -> None:
        run = event.run
        kind = CLEAN_RUNS.get(run.outcome)
        if kind:  # else it was not needed, or is still to come
            words = f"clean checkout, {run.kind}: {run.result_text}"
            self._add_span(Span(kind, min(self._free_at, at), at, words))
        self._free_at = at

    def _start_wait(self, event: runner.WaitStarted, at: float) -> None:
        self._end_spans(IDLE, event.at)
        words = f"waits until {clock_time(event.until)}: {event.why}"
        self._add_span(Span(WAIT, event.at, 0.0, words))

    def _open_gate(self, event: ev.GateOpened, at: float) -> None:
        self._end_spans(IDLE, at)
        self._add_span(Span(QUESTION, at, 0.0, f"asks: {event.gate.question}"))

    def _pause(self, event: ev.LoopPaused, at: float) -> None:
        self._end_spans((TURN, *IDLE), at)
        self._add_span(Span(PAUSE, at, 0.0, f"paused: {event.why}"))

    def _go_on(self, event: Record, at: float) -> None:
        self._end_spans(IDLE, at)
        self._free_at = at

    def _start_lane(self, event: plan.LaneStarted, at: float) -> None:
        lane = event.lane
        self._end_spans(IDLE, lane.started_at)
        words = f"task {lane.task} in a lane of {lane.agent}"
        self._add_span(Span(TURN, lane.started_at, 0.0, words, lane.task))

    def _end_lane(self, event: plan.LaneEnded, at: float) -> None:
        self._end_spans((TURN,), event.at or at, event.task)

    def _report_turn(self, event: runner.TurnReported, at: float) -> None:
        if event.report.cut_reason:
            self._mark_last_turn("")

    def _fail_task(self, event: plan.TaskFailed, at: float) -> None:
        self._mark_last_turn(event.task)
        self._add_moment(TASK_FAILED, at, f"task {event.task} failed: {event.error}", event.task)

    def _mark_last_turn(self, row: str) -> None:
        """The last turn of this row has failed."""
        for place in range(len(self.spans) - 1, -1, -1):
            span = self.spans[place]
            if span.row == row and span.kind in (TURN, BAD_TURN):
                self.spans[place] = span.but(kind=BAD_TURN)
                return

    def _end_loop(self, event: Record, at: float) -> None:
        for row in {span.row for span in self.spans}:
            self._end_spans((TURN, *IDLE), at, row)
        verdict = getattr(event, "verdict", None)
        title = f"finished, {end_text(verdict)}" if verdict else "cancelled by you"
        self._add_moment(END, at, title)


def _time_of(event: Any) -> float:
    """When it happened, as the event itself tells; 0 if it does not."""
    if isinstance(event, ev.LoopStarted):
        return event.loop.clock.started_at
    if isinstance(event, ev.CheckRan):
        began = event.evidence.at
        return began + event.evidence.seconds if began else 0.0
    if isinstance(event, proof.RoomRunEnded):
        return event.run.at
    return float(getattr(event, "at", 0.0))


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _clean(text: str) -> str:
    return clip_text(strip_control_characters(one_line(text)), MAX_TITLE)


def _moment(
    kind: str, words: Callable[[Any], str], row: Callable[[Any], str] = lambda event: ""
) -> Callable[[TimeAxis, Any, float], None]:
    return lambda axis, event, at: axis._add_moment(kind, at, words(event), row(event))


FOLDS: dict[str, Callable[[TimeAxis, Any, float], None]] = {
    "LoopStarted": TimeAxis._start_loop,
    "WorkAssigned": TimeAxis._assign_work,
    "TurnStarted": TimeAxis._start_turn,
    "TurnEnded": TimeAxis._end_turn,
    "CheckRan": TimeAxis._add_check,
    "RoomRunEnded": TimeAxis._add_clean_run,
    "WaitStarted": TimeAxis._start_wait,
    "GateOpened": TimeAxis._open_gate,
    "GateAnswered": TimeAxis._go_on,
    "LoopPaused": TimeAxis._pause,
    "LoopResumed": TimeAxis._go_on,
    "LaneStarted": TimeAxis._start_lane,
    "LaneEnded": TimeAxis._end_lane,
    "ClaimRefuted": _moment(REFUTED, lambda e: f"claim refuted: {e.why}"),
    "BreakerTripped": _moment(BREAKER, lambda e: f"a reason to pause: {e.why}"),
    "TaskFinished": _moment(TASK_DONE, lambda e: f"task {e.task} is done", lambda e: e.task),
    "TurnReported": TimeAxis._report_turn,
    "TaskFailed": TimeAxis._fail_task,
    "ResultAccepted": _moment(ACCEPTED, lambda e: "you accepted the result as it is"),
    "AcceptanceRevoked": _moment(ACCEPTED, lambda e: "you took back what you had accepted"),
    "LoopFinished": TimeAxis._end_loop,
    "LoopCancelled": TimeAxis._end_loop,
}
KINDS = frozenset(FOLDS)
