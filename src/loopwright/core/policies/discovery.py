"""The discovery policy: no "done", only finding and fixing within a scope. It explores when the backlog is empty or a cycle is
complete, works the backlog off while it has items, and mends a broken guard before anything else.

The order of the decision: evaluate the turn, nothing left to find, breakers, go on.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import Continue, Directive, Stop
from ..discovery import backlog as bl
from ..discovery import events
from ..draft import Draft
from ..limits import Streak
from ..loop import CheckRound, Loop, backlog_of
from ..prompts import discovery, messages, phrases
from ..replies.cycle import CYCLE_OPEN, CycleReport, cycle_in
from ..signals import BacklogEdited, TurnOver
from ..status import ENDED
from .spec import (
    handle_refutation as handle_refutation,
)  # what the agent is told then is in the words of its own kind of loop


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """What the agent says it found and did; idle is a turn that left tree, commits and backlog as they were."""
    if CYCLE_OPEN in turn.text and (cycle := cycle_in(turn.text)):
        complete_cycle(draft, cycle)
    moved = (
        turn.tree != before.tree if turn.tree else bool(turn.tool_calls)
    )  # where no tree can be told, a tool is a sign of life
    fresh = moved or turn.head != before.head or backlog_of(draft.loop).changed_since_stop
    if phrases.STATUS_OPEN in turn.text:
        from ..replies.claims import stop_for_agent
        from ..replies.markers import claims_in

        if pausing := stop_for_agent(draft, claims_in(turn.text), turn.at):
            draft.record(
                ev.StreakCounted(draft.loop.streak.but(idle=0 if fresh else draft.loop.streak.idle))
            )
            return pausing
    return CheckRound(draft.loop.rounds_started + 1, turn.tree, is_active=fresh)


def complete_cycle(draft: Draft, cycle: CycleReport) -> None:
    """A cycle is over. In task mode that is the end of its one item, whatever the agent calls it."""
    b = backlog_of(draft.loop)
    news = bl.new_items(cycle.done, b.done)
    found = bl.new_items(cycle.found, (*b.items, *b.done, *news))
    if cycle.done and not news and not found:  # the tag of an earlier turn, said once more
        return
    done = tuple(bl.matching_item(text, b.items) or text for text in news)
    at_it = b.task_mode and b.mode == bl.EXPLOITATION and b.items
    if at_it and (news or not cycle.done) and not set(done) & set(b.items):
        done = b.items[:1]
    if done or not (found and b.mode == bl.EXPLORATION):
        draft.record(
            events.CycleCompleted()
        )  # an exploration that only reports its finds is no reason to explore again
    finish_items(draft, done)
    find_items(draft, found)


def find_items(draft: Draft, texts: tuple[str, ...]) -> None:
    """Open items, each once; what is full takes no more."""
    items = backlog_of(draft.loop).items
    if new := bl.new_items(texts, items)[: max(0, bl.MAX_ITEMS - len(items))]:
        draft.record(events.ItemsFound(new))


def finish_items(draft: Draft, texts: tuple[str, ...]) -> None:
    """Done items, each once; one that was never in the backlog was found and fixed in one go."""
    if new := bl.new_items(texts, backlog_of(draft.loop).done):
        find_items(draft, new)
        draft.record(events.ItemsDone(new))


def handle_backlog_edited(draft: Draft, signal: BacklogEdited) -> Directive:
    """`loop backlog` or an edit of the page. What it says again is no news."""
    if draft.loop.status in ENDED or not draft.loop.backlog:
        return Stop()
    if signal.tampered_fields:
        draft.record(ev.TamperingSeen(signal.tampered_fields))
    if dropped := tuple(text for text in signal.dropped if backlog_of(draft.loop).has_item(text)):
        draft.record(events.ItemsDropped(dropped))
    finish_items(draft, signal.done)
    find_items(draft, signal.found)
    items = backlog_of(draft.loop).items
    if signal.item_order and bl.items_in_order(items, signal.item_order) != items:
        draft.record(events.ItemsReordered(signal.item_order))
    record_focus_and_notes(draft, signal)
    return Stop(
        message=discovery.page_tampering_notice(signal.tampered_fields)
        if signal.tampered_fields
        else ""
    )


def record_focus_and_notes(draft: Draft, signal: BacklogEdited) -> None:
    """The focus and the notes. Notes by command that were not in the page yet stay, though somebody edited the others."""
    ours, b = discovery.current_focus(draft.loop), backlog_of(draft.loop)
    if signal.focus is not None and signal.focus not in (ours, b.focus):
        lines = signal.focus.split("\n")
        theirs = (
            lines if ours == b.focus else [row for row in lines if row != ours]
        )  # not what we put in its place
        draft.record(events.FocusSet("\n".join(theirs).strip()))
    if signal.notes is not None and signal.notes != b.notes:
        seen = {bl.item_key(text) for text in signal.notes_on_page}
        draft.record(events.NotesReplaced(signal.notes))
        for text in b.added_notes:
            if bl.item_key(text) not in seen:
                draft.record(events.NoteAdded(text))
    if signal.new_note and signal.new_note not in backlog_of(draft.loop).added_notes:
        draft.record(events.NoteAdded(signal.new_note))


def decide_after_checks(draft: Draft, turn: CheckRound, at: float) -> Directive:
    """The guards are known: what is the next turn for, if there is one?"""
    if turn.is_first_decision:
        draft.record(ev.StreakCounted(count_streak(draft.loop, turn)))
        draft.record(events.ModeChosen(next_mode(draft.loop)))
    loop = draft.loop
    if loop.streak.dry >= loop.limits.dry and not loop.failing_guards:
        from .closing import run_final_proof

        return run_final_proof(draft, turn, at) or finish_loop(draft, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause_loop(draft, *tripped, at)
    draft.record(ev.TurnContinued())
    return Continue(discovery.continue_prompt(loop), messages.iteration_note(loop, ""))


def count_streak(loop: Loop, turn: CheckRound) -> Streak:
    """Dry: asked to explore, and nothing is there. Being stuck is a matter of guards that stay broken."""
    streak, b = breakers.count_progress(loop, turn), backlog_of(loop)
    if b.items or b.yield_since_stop:
        streak = streak.but(dry=0)
    elif b.mode == bl.EXPLORATION and not loop.failing_guards:
        streak = streak.but(dry=streak.dry + 1)
    return streak if loop.failing_guards else streak.but(stuck=0)


def next_mode(loop: Loop) -> str:
    b = backlog_of(loop)
    if loop.failing_guards:
        return bl.REPAIR
    return (
        bl.EXPLORATION
        if not b.items or (b.cycle_completed and not b.task_mode)
        else bl.EXPLOITATION
    )


def finish_loop(draft: Draft, at: float) -> Directive:
    """Nothing more is found. With guards that hold on this very tree it is proven that nothing was broken on the way."""
    from ..verdict import verdict_of

    verdict = verdict_of(draft.loop)
    draft.record(ev.LoopFinished(verdict, at))
    return Stop("complete", discovery.finish_text(draft.loop), verdict)
