"""The plan policy: tasks are executed wave by wave, a failed one is tried again with what went wrong, one out of retries is
parked with all that depends on it; then the whole is verified, and what is missing becomes gaps to fix, round by round.

The order of the decision: evaluate the turn, park, breakers, retry, the next tasks; in the end verify, fix, verify again.
"""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import Continue, Directive, MergeLane
from ..draft import Draft
from ..loop import CheckRound, Loop, plan_of
from ..plan import events as pl
from ..plan.plan import EXECUTE, VERIFY, Plan, criterion_names
from ..plan.schedule import ready_tasks
from ..prompts import parts, phrases, plan_person
from ..prompts import plan as assignments
from ..replies.reports import Reports, reports_in
from ..signals import Committed, LaneMerged, TurnOver
from . import verifying
from .assigning import asks_person, assign_and_continue, is_failing
from .verifying import handle_refutation as handle_refutation

UNMERGED_REASON = "its work was not merged"
SILENT_REASON = "the turn ended without TASK COMPLETE or TASK FAILED"


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """What the agent says of its tasks is a claim; the round of checks that follows is of what it claims."""
    given = (turn.lane_result.task,) if turn.lane_result else plan_of(draft.loop).assigned
    reports = reports_in(turn.text, given)
    for issue in reports.issues:
        draft.record(pl.IssueSeen(issue))
    taken = draft.loop.pending_claims
    if phrases.STATUS_OPEN in turn.text:
        from ..replies.claims import read_claims, record_claims, stop_for_agent

        claims = read_claims(draft, turn.text)
        taken = taken.merged_with(record_claims(draft, claims.but(exit=None), turn.at))
        if pausing := stop_for_agent(draft, claims, turn.at):
            return pausing
    if reports.checkpoint:
        return breakers.ask_person(draft, "ask", reports.checkpoint, turn.at)
    fresh = bool(turn.tool_calls or turn.tree != before.tree or taken.has_news)
    following = CheckRound(
        draft.loop.rounds_started + 1, turn.tree, is_active=fresh, claimed=taken.names
    )
    if turn.lane_result or plan_of(draft.loop).stage == EXECUTE:
        return _round_for_tasks(draft, turn, reports, given, following)
    return verifying.read_fix_turn(draft, turn, reports, following.but(tasks=given))


def _round_for_tasks(
    draft: Draft, turn: TurnOver, reports: Reports, given: tuple[str, ...], following: CheckRound
) -> CheckRound:
    told = {report.task: report for report in reports.failed}
    complete = tuple(name for name in given if name in reports.complete)
    problem = turn.problem or (
        UNMERGED_REASON if turn.lane_result and not turn.lane_result.commit else ""
    )
    if problem and complete:
        fail_task(draft, complete[0], problem)
        complete = ()
    for name in given:
        if name in told:
            said = told[name]
            analysis = "; ".join(
                part for part in (said.progress, said.blocker, _denied_text(turn)) if part
            )
            fail_task(draft, name, said.reason or "the agent says so", analysis, said.fix)
        elif (
            turn.runner_report and name not in reports.complete
        ):  # in a session the agent has merely stopped too early
            fail_task(
                draft, name, turn.runner_report.cut_reason or SILENT_REASON, _denied_text(turn)
            )
    only = tuple(
        name for task in complete for name in criterion_names(plan_of(draft.loop).task(task))
    )
    lane = turn.lane_result.commit if turn.lane_result and complete else ""
    return following.but(
        only_criteria=only, tasks=complete, failed_tasks=_judged_tasks(draft), lane_commit=lane
    )


def _denied_text(turn: TurnOver) -> str:
    """What the agent wanted to do and was not allowed to, so that the next attempt does without."""
    return (
        f"it was denied: {'; '.join(turn.runner_report.denied_calls)}"
        if turn.runner_report and turn.runner_report.denied_calls
        else ""
    )


def decide_after_checks(draft: Draft, turn: CheckRound, at: float) -> Directive:
    if turn.lane_commit or (plan_of(draft.loop).stage == EXECUTE and not turn.confirmed):
        return _judge_tasks(draft, turn, at)
    return verifying.decide_after_verification(draft, turn, at)


def _judge_tasks(draft: Draft, turn: CheckRound, at: float) -> Directive:
    for name in turn.tasks:
        task = plan_of(draft.loop).task(name)
        if false := [
            c
            for c in draft.loop.criteria
            if c.name in criterion_names(task) and is_failing(draft.loop, c)
        ]:
            draft.record(
                ev.ClaimRefuted(
                    tuple(c.name for c in false),
                    "our own run of the check does not pass on this tree",
                )
            )
            fail_task(
                draft,
                name,
                "\n".join(parts.unmet_criterion_text(c, draft.loop) for c in false),
                *plan_person.refutation_analysis(false),
            )
        elif turn.lane_commit:
            return MergeLane(name, turn.lane_commit)
        else:
            draft.record(pl.TaskFinished(name))
    return decide_next_tasks(draft, turn, at)


def fail_task(draft: Draft, task: str, error: str, analysis: str = "", fix: str = "") -> None:
    draft.record(pl.TaskFailed(task, error[:4_000], analysis[:1_000], fix[:1_000]))
    if plan_of(draft.loop).failure_of(task).times > plan_of(draft.loop).retries:
        draft.record(pl.WorkParked(task))


def handle_lane_merged(draft: Draft, signal: LaneMerged) -> Directive:
    """The work of a lane is in the main checkout, or git would not."""
    known = signal.task in plan_of(draft.loop).done
    if draft.loop.lease.holder != signal.session or draft.loop.status != "running" or known:
        return Continue("")
    if signal.problem:
        fail_task(draft, signal.task, signal.problem)
    else:
        draft.record(pl.TaskFinished(signal.task, signal.commit))
    return decide_next_tasks(draft, None, signal.at, signal.tree)


def handle_committed(draft: Draft, signal: Committed) -> Directive:
    draft.record(pl.CommitMade(signal.name, signal.commit))
    return Continue("")


def decide_next_tasks(
    draft: Draft, turn: CheckRound | None, at: float, tree: str = ""
) -> Directive:
    """The tasks of this turn are judged: what comes next? `tree` is that of the main checkout, where the turn was in another."""
    loop = draft.loop
    plan, tried = plan_of(loop), (*(turn.failed_tasks if turn else ()), *_judged_tasks(draft))
    if turn:
        idle = (
            0 if turn.is_active or tried else loop.streak.idle + 1
        )  # a failed attempt is bounded by the retries
        streak = loop.streak.but(stuck=0 if tried else loop.streak.stuck + 1, idle=idle)
        draft.record(ev.StreakCounted(streak))
    over = not ready_tasks(plan) and not plan.lanes
    if over and len(plan.done) == len(plan.tasks):
        return verifying.start_verification(draft, tree or loop.tree, at)
    if over or (plan.parked and loop.headless_run and loop.headless_run.strict):
        return breakers.pause_loop(draft, "parked", plan_person.parked_reason(plan), at)
    if tripped := breakers.tripped(draft.loop):
        return breakers.pause_loop(draft, *tripped, at)
    again = next((name for name in tried if name not in (*plan.done, *plan.parked)), "")
    if again and asks_person(loop):
        return breakers.ask_person(draft, "retry", plan_person.retry_question(plan, again), at)
    if turn and turn.tasks and asks_person(loop) and (wave := _wave_question(plan, turn)):
        return breakers.ask_person(draft, "wave", wave, at)
    return assign_and_continue(draft)


def _judged_tasks(draft: Draft) -> tuple[str, ...]:
    """Tasks that were judged in this very move."""
    return tuple(e.task for e in draft.events if isinstance(e, pl.TaskFailed | pl.TaskFinished))


def _wave_question(plan: Plan, turn: CheckRound) -> str:
    wave = max(plan.task(name).wave for name in turn.tasks)
    over = all(task.id in (*plan.done, *plan.parked) for task in plan.tasks if task.wave <= wave)
    return "" if plan.eager or not over else f"Wave {wave} complete. Continue?"


def handle_plan_answer(draft: Draft, gate: str, tree: str, at: float) -> Directive:
    """A yes to one of our own questions, or to the start of a loop that came with its tasks done; a no to G3."""
    if gate == "fix":
        return verifying.start_fix_round(draft)
    loop = draft.loop
    if gate == "G1" and loop.plan and loop.plan.stage == VERIFY:
        return verifying.start_verification(draft, tree or loop.tree, at)
    if gate == "G1":
        return Continue(assignments.opening_prompt(loop))
    return assign_and_continue(draft)


def resume_plan(draft: Draft, tree: str, at: float) -> Directive:
    """The person says go on: with the tasks, with the gaps that were found, or with looking for them."""
    plan = plan_of(draft.loop)
    if plan.stage == VERIFY and (plan.queue or plan.assigned):
        return assign_and_continue(draft)
    if plan.stage == VERIFY and plan.open_gaps and plan.fix_rounds < plan.max_fix_rounds:
        return verifying.start_fix_round(draft)
    undone = (
        len(plan.done) < len(plan.tasks) and plan.history and plan.history[-1].result == "passed"
    )
    return enter_stage(draft, EXECUTE if plan.stage == EXECUTE or undone else VERIFY, tree, at)


def enter_stage(draft: Draft, order: str, tree: str, at: float) -> Directive:
    """/loop:execute and /loop:verify: the person says which of the two it is now."""
    if order == VERIFY:
        return verifying.start_verification(draft, tree or draft.loop.tree, at)
    if plan_of(draft.loop).stage != EXECUTE:
        if draft.loop.check_round:  # it is about gaps, and no task is called so
            draft.record(ev.CheckRoundEnded())
        draft.record(pl.StageEntered(EXECUTE))
    return decide_next_tasks(draft, None, at, tree)
