"""The turns of a run, from the events of its journal: what each came to. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ..core import events as ev
from ..core.event import Event
from ..core.loop import Loop
from ..core.prompts.end_screen import is_shown
from ..core.prompts.phrases import LOOP_COMPLETE, STATUS_OPEN
from ..core.record import Record
from ..core.runner.events import AgentLimited, TurnReported, TurnStarted, WaitStarted
from .rows import prefix_rows


class TurnRow(Record):
    """One turn: `flips` are the criteria that changed in it, `words` the last of the agent."""

    number: str
    agent: str = ""
    seconds: float = 0.0
    cost: str = ""
    flips: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    words: str = ""
    # The trees before and after it, as git names them; empty if they are the same or not known.
    trees: tuple[str, str] = ("", "")


class TurnHistory(Record):
    """The turns of a run, and the reasons of its pauses and warnings."""

    rows: tuple[TurnRow, ...] = ()
    breakers: tuple[str, ...] = ()
    earlier: int = 0  # iterations before these turns


def turn_history(moves: Iterable[tuple[Event, ...]], before: Loop | None = None) -> TurnHistory:
    """Each turn of these moves, with the criteria that it changed; `before` is the loop before."""
    rows: list[TurnRow] = []
    breakers: list[str] = []
    loop = before
    met = _true_now(loop) if loop else set()
    agent, started_at = "", 0.0
    for event in chain.from_iterable(moves):
        match event:
            case TurnStarted():
                agent, started_at = event.agent, event.at
            case ev.TurnEnded() if loop:
                met = _record_flips(rows, loop, met)
                rows.append(_turn_row(event, loop, agent, started_at))
                started_at = 0.0
            case ev.LoopPaused():
                breakers.append(event.why)
            case ev.TamperingSeen():
                breakers.append(f"tampering: {', '.join(event.fields)}")
        if rows and isinstance(event, TurnReported):
            rows[-1] = rows[-1].but(words=last_words(event.report.answer_tail))
        notes = _event_notes(event)
        if rows and notes:
            rows[-1] = _with_notes(rows[-1], notes)
        if loop:
            loop = event.apply(loop)
        elif isinstance(event, ev.LoopStarted):
            loop = event.loop
    if loop:
        _record_flips(rows, loop, met)
    earlier = before.spend.iterations if before else 0
    return TurnHistory(tuple(rows), tuple(dict.fromkeys(breakers)), earlier)


def _turn_row(event: ev.TurnEnded, loop: Loop, agent: str, started_at: float) -> TurnRow:
    return TurnRow(
        number=str(loop.spend.iterations + 1) if event.counts_as_iteration else "–",
        agent=agent,
        seconds=event.at - started_at if started_at else 0.0,
        cost="unknown" if event.unpriced else f"${event.dollars:.2f}",
        trees=changed_trees(loop.tree, event.tree),
    )


def changed_trees(before: str, after: str) -> tuple[str, str]:
    """Git's names of two trees that differ; empty names where git has none."""
    names = before.partition("+")[0], after.partition("+")[0]
    return names if names[0] != names[1] and all(len(name) == 40 for name in names) else ("", "")


def _record_flips(rows: list[TurnRow], loop: Loop, met: set[str]) -> set[str]:
    """Add to the last turn what became true or false in it; return what is true now."""
    now = _true_now(loop)
    if rows:
        gained = prefix_rows("✓ ", sorted(now - met))
        lost = prefix_rows("✗ ", sorted(met - now))
        rows[-1] = rows[-1].but(flips=(*gained, *lost))
    return now


def _true_now(loop: Loop) -> set[str]:
    """The criteria that a command has shown, or the tasks of a plan that are done."""
    if loop.plan:
        return {f"task {name}" for name in loop.plan.done}
    return {c.name for c in loop.criteria if is_shown(c, loop)}


def _with_notes(row: TurnRow, notes: list[str]) -> TurnRow:
    return row.but(notes=tuple(dict.fromkeys((*row.notes, *notes))))


def _event_notes(event: Record) -> list[str]:
    """What an event adds to the notes of the turn before it."""
    match event:
        case TurnReported():
            return _report_notes(event)
        case WaitStarted():
            return [f"waited {(event.until - event.at) / 60:.0f} min"]
        case AgentLimited() if event.reset_known:
            return ["usage limit"]
        case ev.ClaimRefuted():
            return ["claimed done, and was not"]
    return []


def _report_notes(event: TurnReported) -> list[str]:
    report = event.report
    notes = []
    if report.cut_reason:
        notes.append(f"cut off: {report.cut_reason}")
    if report.denied_calls:
        notes.append(f"denied: {'; '.join(report.denied_calls[:2])}")
    if event.failed and not report.usage_limited:
        notes.append("the API failed")
    return notes


def last_words(answer: str) -> str:
    """The last line that the agent wrote for a person, without our status block."""
    visible = answer.partition(STATUS_OPEN)[0].replace(LOOP_COMPLETE, "")
    lines = [line.strip() for line in visible.splitlines() if line.strip()]
    return lines[-1] if lines else ""
