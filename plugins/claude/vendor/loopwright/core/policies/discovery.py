"""The discovery policy: no "done", only finding and fixing within a scope. It explores when the backlog is empty or a cycle is
complete, works the backlog off while it has items, and mends a broken guard before anything else.

The order of the decision: evaluate the turn, nothing left to find, breakers, go on.
"""

from __future__ import annotations

from .. import backlog as bl
from .. import breakers, coaching, wording
from .. import events as ev
from ..backlog import backlog_of
from ..cycle import OPEN, Cycle, cycle_in
from ..loop import ENDED, Loop, Streak, Turn
from ..signals import Continue, Directive, Stop, Tended, TurnOver
from .spec import refused as refused  # what the agent is told then is in the words of its own kind of loop


def heard(draft: ev.Draft, turn: TurnOver, before: Loop) -> Turn | Directive:
    """What the agent says it found and did; idle is a turn that left tree, commits and backlog as they were."""
    if OPEN in turn.text and (cycle := cycle_in(turn.text)):
        complete(draft, cycle)
    moved = turn.tree != before.tree if turn.tree else bool(turn.tools)  # where no tree can be told, a tool is a sign of life
    fresh = moved or turn.head != before.head or backlog_of(draft.loop).touched
    if wording.OPEN in turn.text:
        from ..claims import honest_stop
        from ..markers import claims_in

        if pausing := honest_stop(draft, claims_in(turn.text), turn.at):
            draft.say(ev.StreakCounted(draft.loop.streak.but(idle=0 if fresh else draft.loop.streak.idle)))
            return pausing
    return Turn(draft.loop.rounds + 1, turn.tree, fresh=fresh)


def complete(draft: ev.Draft, cycle: Cycle) -> None:
    """A cycle is over. In task mode that is the end of its one item, whatever the agent calls it."""
    b = backlog_of(draft.loop)
    news = bl.beyond(cycle.done, b.done)
    found = bl.beyond(cycle.found, (*b.items, *b.done, *news))
    if cycle.done and not news and not found:  # the tag of an earlier turn, said once more
        return
    done = tuple(bl.match(text, b.items) or text for text in news)
    at_it = b.task_mode and b.mode == bl.EXPLOITATION and b.items
    if at_it and (news or not cycle.done) and not set(done) & set(b.items):
        done = b.items[:1]
    if done or not (found and b.mode == bl.EXPLORATION):
        draft.say(bl.CycleCompleted())  # an exploration that only reports its finds is no reason to explore again
    finish_items(draft, done)
    find_items(draft, found)


def find_items(draft: ev.Draft, texts: tuple[str, ...]) -> None:
    """Open items, each once; what is full takes no more."""
    items = backlog_of(draft.loop).items
    if new := bl.beyond(texts, items)[: max(0, bl.MOST_ITEMS - len(items))]:
        draft.say(bl.ItemsFound(new))


def finish_items(draft: ev.Draft, texts: tuple[str, ...]) -> None:
    """Done items, each once; one that was never in the backlog was found and fixed in one go."""
    if new := bl.beyond(texts, backlog_of(draft.loop).done):
        find_items(draft, new)
        draft.say(bl.ItemsDone(new))


def tended(draft: ev.Draft, signal: Tended) -> Directive:
    """`loop backlog` or an edit of the page. What it says again is no news."""
    if draft.loop.status in ENDED or not draft.loop.backlog:
        return Stop()
    if signal.tampered:
        draft.say(ev.TamperingSeen(signal.tampered))
    if dropped := tuple(text for text in signal.dropped if backlog_of(draft.loop).known(text)):
        draft.say(bl.ItemsDropped(dropped))
    finish_items(draft, signal.done)
    find_items(draft, signal.found)
    items = backlog_of(draft.loop).items
    if signal.order and bl.arranged(items, signal.order) != items:
        draft.say(bl.ItemsOrdered(signal.order))
    write_down(draft, signal)
    return Stop(say=coaching.put_back(signal.tampered) if signal.tampered else "")


def write_down(draft: ev.Draft, signal: Tended) -> None:
    """The focus and the notes. Notes by command that were not in the page yet stay, though somebody edited the others."""
    ours, b = coaching.focus(draft.loop), backlog_of(draft.loop)
    if signal.focus is not None and signal.focus not in (ours, b.focus):
        lines = signal.focus.split("\n")
        theirs = lines if ours == b.focus else [row for row in lines if row != ours]  # not what we put in its place
        draft.say(bl.FocusSet("\n".join(theirs).strip()))
    if signal.notes is not None and signal.notes != b.notes:
        seen = {bl.key(text) for text in signal.noted}
        draft.say(bl.NotesKept(signal.notes))
        for text in b.jotted:
            if bl.key(text) not in seen:
                draft.say(bl.NoteAdded(text))
    if signal.note and signal.note not in backlog_of(draft.loop).jotted:
        draft.say(bl.NoteAdded(signal.note))


def decide(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    """The guards are known: what is the next turn for, if there is one?"""
    if turn.counts:
        draft.say(ev.StreakCounted(weighed(draft.loop, turn)))
        draft.say(bl.ModeChosen(mode(draft.loop)))
    loop = draft.loop
    if loop.streak.dry >= loop.limits.dry and not loop.broken:
        from .closing import close

        return close(draft, turn, at) or finish(draft, at)
    if tripped := breakers.tripped(loop):
        return breakers.pause(draft, *tripped, at)
    draft.say(ev.TurnContinued())
    return Continue(coaching.go_on(loop), wording.note(loop, ""))


def weighed(loop: Loop, turn: Turn) -> Streak:
    """Dry: asked to explore, and nothing is there. Being stuck is a matter of guards that stay broken."""
    streak, b = breakers.count_progress(loop, turn), backlog_of(loop)
    if b.items or b.yields:
        streak = streak.but(dry=0)
    elif b.mode == bl.EXPLORATION and not loop.broken:
        streak = streak.but(dry=streak.dry + 1)
    return streak if loop.broken else streak.but(stuck=0)


def mode(loop: Loop) -> str:
    b = backlog_of(loop)
    if loop.broken:
        return bl.REPAIR
    return bl.EXPLORATION if not b.items or (b.cycled and not b.task_mode) else bl.EXPLOITATION


def finish(draft: ev.Draft, at: float) -> Directive:
    """Nothing more is found. With guards that hold on this very tree it is proven that nothing was broken on the way."""
    from ..verdict import judge

    verdict = judge(draft.loop)
    draft.say(ev.LoopFinished(verdict, at))
    return Stop("complete", coaching.finished(draft.loop), verdict)
