"""Verification, from the goal back to what is missing: every check on one tree, gaps, rounds of fixing; then the end."""

from __future__ import annotations

from .. import breakers, standing, wording
from .. import events as ev
from .. import planning as pl
from ..loop import Criterion, Loop, Turn
from ..plan import E2E, VERIFY, Gap, Round, names, plan_of
from ..reports import Reports
from ..signals import Directive, TurnOver
from . import spec
from .closing import MOVED, close
from .giving import asks, fails, go_on


def verify(draft: ev.Draft, tree: str, at: float) -> Directive:
    """Everything that must hold is looked at, on this tree."""
    draft.say(pl.StageEntered(VERIFY))
    reported = tuple(gap for gap in plan_of(draft.loop).gaps if not gap.criterion)
    return spec.begin(draft, Turn(draft.loop.rounds + 1, tree, only=all_but_the_last(draft.loop), gaps=reported, fresh=True), at)


def heard(draft: ev.Draft, turn: TurnOver, reports: Reports, following: Turn) -> Turn:
    """A session is given all gaps at once, a runner one after the other: then its own check is enough until the last."""
    plan, given = plan_of(draft.loop), following.tasks
    if turn.gaps is not None:
        reported = tuple(gap for gap in turn.gaps if gap.key not in {ours.key for ours in plan.gaps if ours.criterion})
    else:
        reported = tuple(gap for gap in plan.gaps if not gap.criterion and not _said_closed(gap, given, reports))
    following = following.but(gaps=reported)
    if plan.queue and draft.loop.headless:
        return following.but(only=tuple(gap.criterion for gap in plan.gaps if gap.key in given))
    return following.but(only=all_but_the_last(draft.loop))


def _said_closed(gap: Gap, given: tuple[str, ...], reports: Reports) -> bool:
    """No check stands behind a gap that an agent reported: the word of who worked on it is all there is."""
    return gap.key in given and any(gap.file in text or (not text and len(given) == 1) for text in reports.closed)


def all_but_the_last(loop: Loop) -> tuple[str, ...]:
    return tuple(c.name for c in loop.criteria if c.name != E2E)


def decide(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    """What was given out is closed, or was tried in vain; after the last one the whole is verified again."""
    loop, plan = draft.loop, plan_of(draft.loop)
    if plan.queue and loop.headless:
        _judge_gaps(draft, turn)
        draft.say(pl.Assigned(()))
        if tripped := breakers.tripped(draft.loop):
            return breakers.pause(draft, *tripped, at)
        return go_on(draft)
    missing = [c for c in loop.criteria if c.name != E2E and fails(loop, c)]
    last = [c for c in loop.criteria if c.name == E2E and fails(loop, c)]
    if not missing and last and E2E not in turn.ran:
        return spec.begin(draft, spec.anew(turn, loop.rounds + 1).but(only=(E2E,)), at)
    _judge_gaps(draft, turn)
    return _verified(draft, turn, missing or last, at)


def _judge_gaps(draft: ev.Draft, turn: Turn) -> None:
    for gap in plan_of(draft.loop).gaps:
        if gap.key in turn.tasks:
            _judge_gap(draft, gap, gap.key in {left.key for left in turn.gaps})


def _judge_gap(draft: ev.Draft, gap: Gap, reported: bool) -> None:
    criterion = next((c for c in draft.loop.criteria if c.name == gap.criterion), None)
    if not reported and (criterion is None or not fails(draft.loop, criterion)):
        draft.say(pl.GapClosed(gap.key))
        return
    draft.say(pl.GapTried(gap.key))
    if gap.tries + 1 >= plan_of(draft.loop).retries and gap.key not in plan_of(draft.loop).parked:
        draft.say(pl.Parked(gap.key))


def _verified(draft: ev.Draft, turn: Turn, missing: list[Criterion], at: float) -> Directive:
    """The whole is looked at: passed, or so many gaps."""
    from ..gaps import gap_of, merged

    plan = plan_of(draft.loop)
    tries = {gap.key: gap.tries for gap in plan.gaps}
    found = {gap.key: gap.but(tries=tries.get(gap.key, 0)) for gap in merged((*map(gap_of, missing), *turn.gaps))}
    gaps = tuple(found.values())
    result = Round(plan.round, VERIFY, "gaps_found" if gaps else "passed", tuple(found))
    if result != (plan.history or (None,))[-1] or gaps != plan.gaps:
        draft.say(pl.GapsFound(gaps, result))
    if turn.counts:
        streak = draft.loop.streak  # gaps are bounded by their tries and rounds; what is only claimed, by being stuck
        idle = 0 if turn.fresh else streak.idle + 1
        draft.say(ev.StreakCounted(streak.but(stuck=0 if gaps or turn.claimed else streak.stuck + 1, idle=idle)))
    return _fix(draft, at) if gaps else _passed(draft, turn, at)


def refused(draft: ev.Draft, at: float) -> Directive:
    """Every check passes, and something else speaks against it: that is a gap as good as any."""
    from ..gaps import objections

    gaps = objections(draft.loop)
    if not gaps:
        return breakers.pause(draft, "moving", MOVED, at)
    round = Round(plan_of(draft.loop).round, VERIFY, "gaps_found", tuple(gap.key for gap in gaps))
    draft.say(pl.GapsFound(gaps, round))
    return _fix(draft, at)


def _fix(draft: ev.Draft, at: float) -> Directive:
    plan = plan_of(draft.loop)
    if not plan.auto_loop:
        return breakers.pause(draft, "gaps", standing.not_fixed(plan), at)
    if plan.round >= plan.rounds:
        return breakers.pause(draft, "rounds", standing.out_of_rounds(plan), at)
    if not plan.open_gaps:
        return breakers.pause(draft, "parked", standing.parked_gaps(plan), at)
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause(draft, *tripped, at)
    if asks(draft.loop):
        asked = breakers.ask(draft, "fix", standing.fix(plan), at)
        return asked.but(say=f"{asked.say}\n{standing.listed(plan)}")
    return begin_fix(draft)


def begin_fix(draft: ev.Draft) -> Directive:
    draft.say(pl.FixBegan())
    return go_on(draft)


def _passed(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    """Nothing is missing that we can see. What no check can show is claimed with evidence, or confirmed by a person."""
    loop = draft.loop
    if undone := _left_undone(draft):
        return breakers.pause(draft, "parked", standing.undone(undone), at)
    if waiting := [c.name for c in loop.criteria if c.check and not c.check.allowed and not loop.is_met(c)]:
        return breakers.pause(draft, "allow", standing.not_allowed(tuple(waiting)), at)
    if not turn.confirmed and (loop.unmet or loop.assumed):
        if tripped := breakers.tripped(loop):
            return breakers.pause(draft, *tripped, at)
        return go_on(draft)
    if standing_in_the_way := close(draft, turn, at):
        return standing_in_the_way
    if not turn.confirmed:
        draft.say(ev.DoneClaimed(loop.tree, at))
        if asks(loop) and any(c.proof and c.proof.by == "agent" for c in draft.loop.criteria):
            return breakers.ask(draft, "G3", wording.G3, at)
    return spec.finish(draft, turn, at)


def _left_undone(draft: ev.Draft) -> tuple[str, ...]:
    """Verified with tasks still open: those whose own checks hold are done by that; of the others nobody can tell."""
    loop, plan = draft.loop, plan_of(draft.loop)
    left = []
    for task in plan.tasks:
        proven = [c for c in loop.criteria if c.name in names(task) and c.check and c.check.allowed and loop.is_met(c)]
        if task.id not in plan.done and proven:
            draft.say(pl.TaskFinished(task.id))
        elif task.id not in plan.done:
            left.append(task.id)
    return tuple(left)
