"""The plan policy: tasks are executed wave by wave, a failed one is tried again with what went wrong, one out of retries is
parked with all that depends on it; then the whole is verified, and what is missing becomes gaps to fix, round by round.

The order of the decision: evaluate the turn, park, breakers, retry, the next tasks; in the end verify, fix, verify again.
"""

from __future__ import annotations

from .. import assignments, breakers, standing, wording
from .. import events as ev
from .. import planning as pl
from ..loop import Loop, Turn
from ..plan import EXECUTE, VERIFY, Plan, names, plan_of
from ..reports import Reports, reports_in
from ..schedule import ready
from ..signals import Committed, Continue, Directive, Land, Landed, TurnOver
from . import verifying
from .giving import asks, fails, go_on
from .verifying import refused as refused

UNMERGED = "its work was not merged"
SILENT = "the turn ended without TASK COMPLETE or TASK FAILED"


def heard(draft: ev.Draft, turn: TurnOver, before: Loop) -> Turn | Directive:
    """What the agent says of its tasks is a claim; the round of checks that follows is of what it claims."""
    given = (turn.lane.task,) if turn.lane else plan_of(draft.loop).assigned
    reports = reports_in(turn.text, given)
    for issue in reports.issues:
        draft.say(pl.IssueSeen(issue))
    taken = draft.loop.waiting
    if wording.OPEN in turn.text:
        from ..claims import honest_stop, spoken, take

        claims = spoken(draft, turn.text)
        taken = taken.and_then(take(draft, claims.but(exit=None), turn.at))
        if pausing := honest_stop(draft, claims, turn.at):
            return pausing
    if reports.checkpoint:
        return breakers.ask(draft, "ask", reports.checkpoint, turn.at)
    fresh = bool(turn.tools or turn.tree != before.tree or taken.fresh)
    following = Turn(draft.loop.rounds + 1, turn.tree, fresh=fresh, claimed=taken.names)
    if turn.lane or plan_of(draft.loop).stage == EXECUTE:
        return _of_tasks(draft, turn, reports, given, following)
    return verifying.heard(draft, turn, reports, following.but(tasks=given))


def _of_tasks(draft: ev.Draft, turn: TurnOver, reports: Reports, given: tuple[str, ...], following: Turn) -> Turn:
    told = {report.task: report for report in reports.failed}
    complete = tuple(name for name in given if name in reports.complete)
    problem = turn.problem or (UNMERGED if turn.lane and not turn.lane.commit else "")
    if problem and complete:
        fail(draft, complete[0], problem)
        complete = ()
    for name in given:
        if name in told:
            said = told[name]
            analysis = "; ".join(part for part in (said.progress, said.blocker, _denied(turn)) if part)
            fail(draft, name, said.reason or "the agent says so", analysis, said.fix)
        elif turn.told and name not in reports.complete:  # in a session the agent has merely stopped too early
            fail(draft, name, turn.told.cut or SILENT, _denied(turn))
    only = tuple(name for task in complete for name in names(plan_of(draft.loop).task(task)))
    lane = turn.lane.commit if turn.lane and complete else ""
    return following.but(only=only, tasks=complete, failed=_tried(draft), lane=lane)


def _denied(turn: TurnOver) -> str:
    """What the agent wanted to do and was not allowed to, so that the next attempt does without."""
    return f"it was denied: {'; '.join(turn.told.denied)}" if turn.told and turn.told.denied else ""


def decide(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    if turn.lane or (plan_of(draft.loop).stage == EXECUTE and not turn.confirmed):
        return _judge_tasks(draft, turn, at)
    return verifying.decide(draft, turn, at)


def _judge_tasks(draft: ev.Draft, turn: Turn, at: float) -> Directive:
    for name in turn.tasks:
        task = plan_of(draft.loop).task(name)
        if false := [c for c in draft.loop.criteria if c.name in names(task) and fails(draft.loop, c)]:
            draft.say(ev.ClaimRefuted(tuple(c.name for c in false), "our own run of the check does not pass on this tree"))
            fail(draft, name, "\n".join(wording.failing(c, draft.loop) for c in false), *standing.cause_of(false))
        elif turn.lane:
            return Land(name, turn.lane)
        else:
            draft.say(pl.TaskFinished(name))
    return following(draft, turn, at)


def fail(draft: ev.Draft, task: str, error: str, analysis: str = "", fix: str = "") -> None:
    draft.say(pl.TaskFailed(task, error[:4_000], analysis[:1_000], fix[:1_000]))
    if plan_of(draft.loop).failure(task).times > plan_of(draft.loop).retries:
        draft.say(pl.Parked(task))


def landed(draft: ev.Draft, signal: Landed) -> Directive:
    """The work of a lane is in the main checkout, or git would not."""
    known = signal.task in plan_of(draft.loop).done
    if draft.loop.lease.holder != signal.session or draft.loop.status != "running" or known:
        return Continue("")
    if signal.problem:
        fail(draft, signal.task, signal.problem)
    else:
        draft.say(pl.TaskFinished(signal.task, signal.commit))
    return following(draft, None, signal.at, signal.tree)


def committed(draft: ev.Draft, signal: Committed) -> Directive:
    draft.say(pl.CommitMade(signal.name, signal.commit))
    return Continue("")


def following(draft: ev.Draft, turn: Turn | None, at: float, tree: str = "") -> Directive:
    """The tasks of this turn are judged: what comes next? `tree` is that of the main checkout, where the turn was in another."""
    loop = draft.loop
    plan, tried = plan_of(loop), (*(turn.failed if turn else ()), *_tried(draft))
    if turn:
        idle = 0 if turn.fresh or tried else loop.streak.idle + 1  # a failed attempt is bounded by the retries
        streak = loop.streak.but(stuck=0 if tried else loop.streak.stuck + 1, idle=idle)
        draft.say(ev.StreakCounted(streak))
    over = not ready(plan) and not plan.lanes
    if over and len(plan.done) == len(plan.tasks):
        return verifying.verify(draft, tree or loop.tree, at)
    if over or (plan.parked and loop.headless and loop.headless.strict):
        return breakers.pause(draft, "parked", standing.parked(plan), at)
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause(draft, *tripped, at)
    again = next((name for name in tried if name not in (*plan.done, *plan.parked)), "")
    if again and asks(loop):
        return breakers.ask(draft, "retry", standing.retry(plan, again), at)
    if turn and turn.tasks and asks(loop) and (wave := _wave_is_over(plan, turn)):
        return breakers.ask(draft, "wave", wave, at)
    return go_on(draft)


def _tried(draft: ev.Draft) -> tuple[str, ...]:
    """Tasks that were judged in this very move."""
    return tuple(e.task for e in draft.events if isinstance(e, pl.TaskFailed | pl.TaskFinished))


def _wave_is_over(plan: Plan, turn: Turn) -> str:
    wave = max(plan.task(name).wave for name in turn.tasks)
    over = all(task.id in (*plan.done, *plan.parked) for task in plan.tasks if task.wave <= wave)
    return "" if plan.eager or not over else f"Wave {wave} complete. Continue?"


def answered(draft: ev.Draft, gate: str, tree: str, at: float) -> Directive:
    """A yes to one of our own questions, or to the start of a loop that came with its tasks done; a no to G3."""
    if gate == "fix":
        return verifying.begin_fix(draft)
    loop = draft.loop
    if gate == "G1" and loop.plan and loop.plan.stage == VERIFY:
        return verifying.verify(draft, tree or loop.tree, at)
    if gate == "G1":
        return Continue(assignments.opening(loop))
    return go_on(draft)


def resumed(draft: ev.Draft, tree: str, at: float) -> Directive:
    """The person says go on: with the tasks, with the gaps that were found, or with looking for them."""
    plan = plan_of(draft.loop)
    if plan.stage == VERIFY and (plan.queue or plan.assigned):
        return go_on(draft)
    if plan.stage == VERIFY and plan.open_gaps and plan.round < plan.rounds:
        return verifying.begin_fix(draft)
    undone = len(plan.done) < len(plan.tasks) and plan.history and plan.history[-1].result == "passed"
    return ordered(draft, EXECUTE if plan.stage == EXECUTE or undone else VERIFY, tree, at)


def ordered(draft: ev.Draft, order: str, tree: str, at: float) -> Directive:
    """/loop:execute and /loop:verify: the person says which of the two it is now."""
    if order == VERIFY:
        return verifying.verify(draft, tree or draft.loop.tree, at)
    if plan_of(draft.loop).stage != EXECUTE:
        if draft.loop.turn:  # it is about gaps, and no task is called so
            draft.say(ev.RoundEnded())
        draft.say(pl.StageEntered(EXECUTE))
    return following(draft, None, at, tree)
