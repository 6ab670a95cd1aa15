"""The discovery policy: find and fix items within a scope, until explorations find nothing more.

A failing guard is repaired before anything else. While the backlog has items, the agent works on
them. It explores when the backlog is empty or a cycle is complete.

It decides in this order: count the turn, nothing left to find, breakers, continue.
"""

from __future__ import annotations

from .. import events as ev
from ..directives import Continue, Directive, Stop
from ..discovery import backlog as bl
from ..discovery import events
from ..draft import Draft
from ..limits import Streak
from ..loop import Loop, backlog_of
from ..pausing import breakers
from ..prompts import discovery, messages, phrases
from ..proof.state import CheckRound
from ..record import digest
from ..replies.cycle import CYCLE_OPEN, CycleReport, cycle_in
from ..signals import TurnOver
from ..status import ENDED

# The prompt that it sends has the words of a discovery loop: see prompts/messages.py.
from .spec import handle_refutation as handle_refutation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..signals import BacklogEdited


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """Record what the agent found and did. A turn without any change is idle."""
    if CYCLE_OPEN in turn.text and (cycle := cycle_in(turn.text)):
        complete_cycle(draft, cycle)
    has_dispute = _record_disputes(draft, turn)
    is_active = (
        _files_changed(turn, before)
        or turn.head != before.head
        or backlog_of(draft.loop).changed_since_stop
        or has_dispute
    )
    if phrases.STATUS_OPEN in turn.text:
        from ..replies.claims import stop_for_agent
        from ..replies.markers import claims_in

        if stop := stop_for_agent(draft, claims_in(turn.text), turn.at):
            streak = draft.loop.streak
            draft.record(ev.StreakCounted(streak.but(idle=0 if is_active else streak.idle)))
            return stop
    return CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=turn.tree,
        is_active=is_active,
        tree_changed=turn.tree != before.tree,
    )


def _record_disputes(draft: Draft, turn: TurnOver) -> bool:
    """Record the guards that the agent calls wrong. Was anything new?"""
    if "DISPUTE" not in turn.text:
        return False
    from ..replies.claims import record_agent_disputes
    from ..replies.markers import disputes_in

    return record_agent_disputes(draft, disputes_in(turn.text), turn.at)


def _files_changed(turn: TurnOver, before: Loop) -> bool:
    if turn.tree:
        return turn.tree != before.tree
    return bool(turn.tool_calls)  # without a tree, a tool call counts as activity


def complete_cycle(draft: Draft, cycle: CycleReport) -> None:
    """Record a cycle. In task mode it finishes its one item, whatever the agent calls it."""
    backlog = backlog_of(draft.loop)
    newly_done = bl.new_items(cycle.done, backlog.done)
    found = bl.new_items(cycle.found, (*backlog.items, *backlog.done, *newly_done))
    if cycle.done and not newly_done and not found:  # the agent repeats the tag of an earlier turn
        return
    done = tuple(bl.matching_item(text, backlog.items) or text for text in newly_done)
    has_current_item = backlog.task_mode and backlog.mode == bl.EXPLOITATION and backlog.items
    reports_work = newly_done or not cycle.done
    if has_current_item and reports_work and not set(done) & set(backlog.items):
        done = backlog.items[:1]
    only_found = found and not done and backlog.mode == bl.EXPLORATION
    if not only_found:  # an exploration that only reports items is no reason to explore again
        draft.record(events.CycleCompleted())
    finish_items(draft, done)
    find_items(draft, found)


def find_items(draft: Draft, texts: tuple[str, ...]) -> None:
    """Add new open items, as long as the backlog has space."""
    items = backlog_of(draft.loop).items
    space = max(0, bl.MAX_ITEMS - len(items))
    if new := bl.new_items(texts, items)[:space]:
        draft.record(events.ItemsFound(new))


def finish_items(draft: Draft, texts: tuple[str, ...]) -> None:
    """Mark items as done. One that was never in the backlog was found and fixed in one turn."""
    if new := bl.new_items(texts, backlog_of(draft.loop).done):
        find_items(draft, new)
        draft.record(events.ItemsDone(new))


def handle_backlog_edited(draft: Draft, signal: BacklogEdited) -> Directive:
    """Apply `loop backlog` or an edit of the page. What the backlog already has is not recorded."""
    if draft.loop.status in ENDED or not draft.loop.backlog:
        return Stop()
    if signal.tampered_fields:
        draft.record(ev.TamperingSeen(signal.tampered_fields))
    backlog = backlog_of(draft.loop)
    if dropped := tuple(text for text in signal.dropped if backlog.has_item(text)):
        draft.record(events.ItemsDropped(dropped))
    finish_items(draft, signal.done)
    find_items(draft, signal.found)
    items = backlog_of(draft.loop).items
    if signal.item_order and bl.items_in_order(items, signal.item_order) != items:
        draft.record(events.ItemsReordered(signal.item_order))
    _record_focus(draft, signal.focus)
    _record_notes(draft, signal)
    if signal.tampered_fields:
        return Stop(message=discovery.page_tampering_notice(signal.tampered_fields))
    return Stop()


def _record_focus(draft: Draft, focus: str | None) -> None:
    backlog, shown = backlog_of(draft.loop), discovery.current_focus(draft.loop)
    if focus is None or focus in (shown, backlog.focus):
        return
    lines = focus.split("\n")
    if shown != backlog.focus:  # the page shows our own text in place of the focus
        lines = [line for line in lines if line != shown]
    draft.record(events.FocusSet("\n".join(lines).strip()))


def _record_notes(draft: Draft, signal: BacklogEdited) -> None:
    """Replace the notes by those of the page. Notes by command that it did not show yet stay."""
    backlog = backlog_of(draft.loop)
    if signal.notes is not None and signal.notes != backlog.notes:
        on_page = {bl.item_key(text) for text in signal.notes_on_page}
        draft.record(events.NotesReplaced(signal.notes))
        for text in backlog.added_notes:
            if bl.item_key(text) not in on_page:
                draft.record(events.NoteAdded(text))
    if signal.new_note and signal.new_note not in backlog_of(draft.loop).added_notes:
        draft.record(events.NoteAdded(signal.new_note))


def decide_after_checks(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """The guards have run: what is the next turn for, if there is one?"""
    if check_round.is_first_decision:
        draft.record(ev.StreakCounted(count_streak(draft.loop, check_round)))
        draft.record(events.ModeChosen(next_mode(draft.loop)))
    elif draft.loop.failing_guards:  # a guard that passed before fails in the last round
        draft.record(events.ModeChosen(next_mode(draft.loop)))
    loop = draft.loop
    if loop.streak.dry >= loop.limits.dry and loop.disputed_criteria:
        from .disputes import DISPUTE_CAUSE, ask_for_ruling

        return ask_for_ruling(draft, DISPUTE_CAUSE, loop.disputed_criteria, at)
    if loop.streak.dry >= loop.limits.dry and not loop.failing_guards:
        from .final_proof import run_final_proof

        return run_final_proof(draft, check_round, at) or finish_loop(draft, at)
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    draft.record(ev.TurnContinued())
    return Continue(discovery.continue_prompt(loop), messages.iteration_note(loop, ""))


def count_streak(loop: Loop, check_round: CheckRound) -> Streak:
    """The counters. Dry: an exploration found nothing. Stuck: the same guards keep failing."""
    output = _guard_output(loop)
    is_same = bool(output) and output == loop.streak.guard_output
    streak = breakers.count_progress(loop, check_round, same_output=is_same)
    streak, backlog = streak.but(guard_output=output), backlog_of(loop)
    if backlog.items or backlog.yield_since_stop:
        streak = streak.but(dry=0)
    elif backlog.mode == bl.EXPLORATION and not loop.failing_guards:
        streak = streak.but(dry=streak.dry + 1)
    return streak if loop.failing_guards else breakers.reset_stuck(streak)


def _guard_output(loop: Loop) -> str:
    """A digest of what the failing guards print, without what changes from run to run."""
    if not loop.failing_guards:
        return ""
    from ..pausing.errors import signature

    proofs = [c.proof for c in loop.criteria if c.name in loop.failing_guards and c.proof]
    text = "\n".join(signature(proof.criterion, proof.detail) for proof in proofs)
    return digest(text.encode("utf-8", "replace"))


def next_mode(loop: Loop) -> str:
    backlog = backlog_of(loop)
    if loop.failing_guards:
        return bl.REPAIR
    if not backlog.items or (backlog.cycle_completed and not backlog.task_mode):
        return bl.EXPLORATION
    return bl.EXPLOITATION


def finish_loop(draft: Draft, at: float) -> Directive:
    """Explorations find nothing more. Guards that pass on this tree prove that nothing broke."""
    from ..prompts.end_screen import end_screen
    from ..proof.verdict import verdict_of

    verdict = verdict_of(draft.loop)
    draft.record(ev.LoopFinished(verdict, at))
    text = discovery.finish_text(draft.loop, end_screen(draft.loop))
    return Stop("complete", text, verdict)
