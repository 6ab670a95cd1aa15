"""What happened in a loop, one entry for each event that a person wants to read about. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..core import events as ev
from ..core.plan import events as plan
from ..core.prompts.end_words import end_text
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..core.proof import dispute_events as disputes
from ..core.proof import events as proof
from ..core.proof.clean_checkout import (
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    SKIPPED,
)
from ..core.record import Record
from ..core.runner import events as runner
from .clock import clock_time
from .useful_line import find_useful_line

GOOD, BAD, WAITS, PLAIN = "good", "bad", "waits", ""
MAX_TITLE, MAX_DETAIL = 200, 4_000
RUN_WORDS = {
    FINAL_TREE_RUN: "the final files",
    REPLAY_RUN: "with the tests and settings of the start",
    REVERT_RUN: "the final tests without the work",
}
# A run that was not made is neither good nor bad.
CHECKOUT_TONES = {PASSED: GOOD, NOT_NEEDED: PLAIN, SKIPPED: PLAIN}
REVERT_PASSED = "Clean checkout, the final tests without the work: they fail, as they must"


class TimelineEntry(Record):
    """One thing that happened; `kind` chooses its sign, `tone` its colour."""

    kind: str
    title: str
    tone: str = PLAIN
    detail: str = ""
    criterion: str = ""  # of a check
    log: str = ""  # the file with its output
    dollars: float = 0.0
    useful_line: int = 0  # of the detail: where to look first


def timeline_entries(events: Iterable[Record]) -> tuple[TimelineEntry, ...]:
    """The entries of one line of the journal."""
    entries = []
    for event in events:
        describe = DESCRIPTIONS.get(type(event).__name__)
        entry = describe(event) if describe else None
        if entry:
            title = strip_control_characters(" ".join(entry.title.split()))
            detail = strip_control_characters(entry.detail)
            entries.append(
                entry.but(title=clip_text(title, MAX_TITLE), detail=clip_text(detail, MAX_DETAIL))
            )
    return tuple(entries)


def _start_entry(e: ev.LoopStarted) -> TimelineEntry:
    return TimelineEntry("start", "The loop started", detail=e.loop.spec)


def _turn_start_entry(e: runner.TurnStarted) -> TimelineEntry:
    return TimelineEntry("turn", f"A turn of {e.agent} started")


def _turn_end_entry(e: ev.TurnEnded) -> TimelineEntry:
    if not e.counts_as_iteration:
        return TimelineEntry("turn", "A turn failed and is not counted", BAD, dollars=e.dollars)
    return TimelineEntry("iteration", "An iteration is over", dollars=e.dollars)


def _report_entry(e: runner.TurnReported) -> TimelineEntry | None:
    report = e.report
    if report.cut_reason:
        return TimelineEntry("turn", f"The turn was cut off: {report.cut_reason}", BAD)
    if report.denied_calls:
        calls = "\n".join(report.denied_calls)
        return TimelineEntry("turn", "Tool calls were denied", WAITS, detail=calls)
    if report.answer_tail:
        return TimelineEntry("words", "The agent said", detail=report.answer_tail)
    return None


def _check_entry(e: ev.CheckRan) -> TimelineEntry:
    evidence = e.evidence
    failing = f", {evidence.failures} failing" if evidence.failures else ""
    return TimelineEntry(
        kind="check",
        title=f"{evidence.named_result} ({evidence.timed_result}{failing})",
        tone=GOOD if evidence.passed else BAD,
        detail=evidence.detail,
        criterion=evidence.criterion,
        log=evidence.log,
        useful_line=find_useful_line(evidence.detail),
    )


def _ruling_entry(e: disputes.CriterionRuled) -> TimelineEntry:
    command = f": {e.check.command_line}" if e.check else ""
    return TimelineEntry("dispute", f"A person ruled on {e.criterion}: {e.ruling}{command}")


def _comparison_entry(e: proof.BaselineCompared) -> TimelineEntry:
    if not e.findings:
        return TimelineEntry("proof", "Compared with the start: nothing was weakened", GOOD)
    rows = "\n".join(f"{f.severity}: {f.file}: {f.text}" for f in e.findings)
    count = len(e.findings)
    title = f"Compared with the start: {count} finding{'s' if count > 1 else ''}"
    return TimelineEntry("proof", title, BAD, detail=rows)


def _clean_checkout_entry(e: proof.RoomRunEnded) -> TimelineEntry:
    run = e.run
    tone = CHECKOUT_TONES.get(run.outcome, BAD)
    title = f"Clean checkout, {RUN_WORDS.get(run.kind, run.kind)}: {run.result_text}"
    if (run.kind, run.outcome) == (REVERT_RUN, PASSED):
        title = REVERT_PASSED
    return TimelineEntry("proof", title, tone, run.why)


def _task_failure_entry(e: plan.TaskFailed) -> TimelineEntry:
    return TimelineEntry("task", f"Task {e.task} failed", BAD, detail=e.error)


def _gaps_entry(e: plan.GapsFound) -> TimelineEntry:
    rows = "\n".join(f"{gap.key}: {gap.text}" for gap in e.gaps)
    result = e.history_entry.result.replace("_", " ")
    return TimelineEntry("proof", f"Verification: {result}", BAD if e.gaps else GOOD, rows)


def _end_entry(e: ev.LoopFinished) -> TimelineEntry:
    verdict = e.verdict
    tone = GOOD if verdict.is_shown else WAITS
    title = f"Finished, {end_text(verdict)}"
    return TimelineEntry("end", title, tone, "\n".join(verdict.notes))


def _acceptance_entry(e: proof.ResultAccepted) -> TimelineEntry:
    names = [f'"{name}", which no command shows' for name in e.names]
    accepted = ", ".join((*names, *(f"finding {key}" for key in e.keys)))
    title = f"You accepted the result as it is, in a terminal{': ' if accepted else ''}{accepted}"
    return TimelineEntry("answer", title, WAITS)


def _new_verdict_entry(e: proof.ProofFinished) -> TimelineEntry:
    tone = GOOD if e.verdict.is_shown else WAITS
    return TimelineEntry("end", f"The end is now {end_text(e.verdict)}", tone)


DESCRIPTIONS: dict[str, Callable[[Any], TimelineEntry | None]] = {
    "LoopStarted": _start_entry,
    "TurnStarted": _turn_start_entry,
    "TurnEnded": _turn_end_entry,
    "TurnReported": _report_entry,
    "CheckRan": _check_entry,
    "DoneClaimed": lambda e: TimelineEntry("claim", "The agent says that it is done"),
    "ClaimRefuted": lambda e: TimelineEntry("claim", f"The claim is refuted: {e.why}", BAD),
    "BreakerTripped": lambda e: TimelineEntry("breaker", f"A reason to pause: {e.why}", BAD),
    "GateOpened": lambda e: TimelineEntry("gate", f"Asks: {e.gate.question}", WAITS),
    "GateAnswered": lambda e: TimelineEntry("answer", f"A person answered: {e.text}", GOOD),
    "PersonTalked": lambda e: TimelineEntry("answer", f"A person said: {e.text}"),
    "GuidanceGiven": lambda e: TimelineEntry("steer", f"The person says: {e.text}"),
    "LimitsRaised": lambda e: TimelineEntry("steer", "The limits were raised"),
    "LoopPaused": lambda e: TimelineEntry("pause", f"Paused: {e.why}", WAITS),
    "LoopResumed": lambda e: TimelineEntry("resume", "Continued", GOOD),
    "LoopFinished": _end_entry,
    "LoopCancelled": lambda e: TimelineEntry("end", "Cancelled by a person", WAITS),
    "TamperingSeen": lambda e: TimelineEntry("breaker", f"Tampering: {', '.join(e.fields)}", BAD),
    "OrderRefused": lambda e: TimelineEntry("breaker", f"Refused: {e.order} ({e.why})", BAD),
    "StepFinished": lambda e: TimelineEntry("task", f"Step done: {e.name}", GOOD, e.note),
    "CriterionDisputed": lambda e: TimelineEntry(
        "dispute", f"The agent calls {e.criterion} wrong: {e.why}", WAITS
    ),
    "DisputeWithdrawn": lambda e: TimelineEntry("dispute", f'Withdrawn: "{e.criterion}" passes'),
    "CriterionRuled": _ruling_entry,
    "BaselineCompared": _comparison_entry,
    "RoomRunEnded": _clean_checkout_entry,
    "FindingsAccepted": lambda e: TimelineEntry("proof", "A person accepted findings"),
    "ResultAccepted": _acceptance_entry,
    "AcceptanceRevoked": lambda e: TimelineEntry(
        "answer", "You took back what you had accepted", WAITS
    ),
    "ProofFinished": _new_verdict_entry,
    "FilesRewound": lambda e: TimelineEntry("steer", f"Files of iteration {e.iteration} restored"),
    "AgentLimited": lambda e: TimelineEntry("wait", f"{e.agent} reached its usage limit", WAITS),
    "WaitStarted": lambda e: TimelineEntry(
        "wait", f"Waits until {clock_time(e.until)}: {e.why}", WAITS
    ),
    "TaskFinished": lambda e: TimelineEntry("task", f"Task {e.task} is done", GOOD),
    "TaskFailed": _task_failure_entry,
    "WorkParked": lambda e: TimelineEntry("task", f"{e.name} has no retries left", BAD),
    "GapsFound": _gaps_entry,
    "GapClosed": lambda e: TimelineEntry("task", f"Gap closed: {e.key}", GOOD),
    "LaneStarted": lambda e: TimelineEntry("lane", f"Lane of task {e.lane.task} started"),
    "LaneEnded": lambda e: TimelineEntry("lane", f"Lane of task {e.task} ended"),
    "IssueSeen": lambda e: TimelineEntry("steer", f"New issue: {e.text}", WAITS),
    "ItemsFound": lambda e: TimelineEntry("task", f"Found: {'; '.join(e.items)}"),
    "ItemsDone": lambda e: TimelineEntry("task", f"Done: {'; '.join(e.items)}", GOOD),
}
KINDS = frozenset(DESCRIPTIONS)
