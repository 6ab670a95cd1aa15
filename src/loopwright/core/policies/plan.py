"""The plan policy: execute tasks wave by wave, then verify the whole and fix its gaps in rounds.

A failed task is tried again with the reason of its failure. A task without retries left is parked,
together with all tasks that depend on it.

It decides in this order: judge the tasks of the turn, verify if all are done, pause for parked
tasks, breakers, questions to the person, the next tasks.
"""

from __future__ import annotations

from .. import events as ev
from ..criteria import Criterion
from ..directives import Continue, Directive, MergeLane
from ..draft import Draft
from ..loop import Loop, plan_of
from ..pausing import breakers
from ..plan import events as pl
from ..plan.plan import EXECUTE, PASSED, UNPROVEN, VERIFY, Plan, criterion_names
from ..plan.schedule import ready_tasks
from ..prompts import parts, phrases, plan_person
from ..prompts import plan as assignments
from ..prompts.task_failures import SILENT_REASON, UNMERGED_REASON, denied_text, refutation_analysis
from ..proof.state import CheckRound
from ..replies.markers import disputes_in
from ..replies.reports import Reports, TaskReport, reports_in
from ..signals import TurnOver
from . import verification
from .assignments import asks_person, assign_and_continue, is_failing, uses_lanes
from .permission import ALLOW
from .verification import handle_refutation as handle_refutation


def read_turn(draft: Draft, turn: TurnOver, before: Loop) -> CheckRound | Directive:
    """Record what the agent reports about its tasks: claims, which the next round checks."""
    if turn.lane_result and not plan_of(draft.loop).has_work(turn.lane_result.task):
        return Continue("")  # a verification in the meantime has found that nothing is to do
    assigned = (turn.lane_result.task,) if turn.lane_result else plan_of(draft.loop).assigned
    reports = reports_in(turn.text, assigned)
    for issue in reports.issues:
        draft.record(pl.IssueSeen(issue))
    pending = draft.loop.pending_claims
    if disputes := disputes_in(turn.text):
        from ..replies.claims import record_agent_disputes

        has_news = record_agent_disputes(draft, disputes, turn.at)
        pending = pending.but(has_news=pending.has_news or has_news)
    if phrases.STATUS_OPEN in turn.text:
        from ..replies.claims import read_claims, record_claims, stop_for_agent

        claims = read_claims(draft, turn.text)
        pending = pending.merged_with(record_claims(draft, claims.but(exit=None), turn.at))
        if stop := stop_for_agent(draft, claims, turn.at):
            return stop
    if reports.checkpoint:
        return breakers.ask_person(draft, "ask", reports.checkpoint, turn.at)
    following = CheckRound(
        number=draft.loop.rounds_started + 1,
        tree=turn.tree,
        is_active=bool(turn.tool_calls or turn.tree != before.tree or pending.has_news),
        tree_changed=turn.tree != before.tree,
        claimed=pending.names,
    )
    if turn.lane_result and plan_of(draft.loop).gap(turn.lane_result.task):
        return verification.read_gap_lane(turn, reports, following, plan_of(draft.loop))
    if turn.lane_result or plan_of(draft.loop).stage == EXECUTE:
        return _round_for_tasks(draft, turn, reports, assigned, following)
    return verification.read_fix_turn(draft, turn, reports, following.but(tasks=assigned))


def _round_for_tasks(
    draft: Draft, turn: TurnOver, reports: Reports, assigned: tuple[str, ...], following: CheckRound
) -> CheckRound:
    """Fail the tasks that the agent gave up, and return the round for those it completed."""
    complete = tuple(name for name in assigned if name in reports.complete)
    problem = _turn_problem(turn)
    if problem and complete:
        fail_task(draft, complete[0], problem)
        complete = ()
    given_up = {report.task: report for report in reports.failed}
    for name in assigned:
        if name in given_up:
            _fail_given_up_task(draft, turn, given_up[name])
        elif turn.runner_report and name not in reports.complete:
            # In a session the agent has only stopped too early, and continues.
            reason = turn.runner_report.cut_reason or SILENT_REASON
            fail_task(draft, name, reason, _denied_text(turn))
    plan = plan_of(draft.loop)
    lane_commit = turn.lane_result.commit if turn.lane_result and complete else ""
    return following.but(
        only_criteria=tuple(name for task in complete for name in criterion_names(plan.task(task))),
        tasks=complete,
        failed_tasks=_judged_tasks(draft),
        lane_commit=lane_commit,
    )


def _turn_problem(turn: TurnOver) -> str:
    """Why the work of the turn cannot be used, whatever the agent reports."""
    if turn.problem:
        return turn.problem
    if turn.lane_result and not turn.lane_result.commit:
        return UNMERGED_REASON
    return ""


def _fail_given_up_task(draft: Draft, turn: TurnOver, report: TaskReport) -> None:
    details = (report.progress, report.blocker, _denied_text(turn))
    analysis = "; ".join(filter(None, details))
    reason = report.reason or "the agent says so"
    fail_task(draft, report.task, reason, analysis, report.fix)


def _denied_text(turn: TurnOver) -> str:
    """The tool calls that were denied, so that the next attempt does without them."""
    if turn.runner_report and turn.runner_report.denied_calls:
        return denied_text(turn.runner_report.denied_calls)
    return ""


def decide_after_checks(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    if check_round.gap_lane:
        return verification.judge_gap_lane(draft, check_round, at)
    is_executing = plan_of(draft.loop).stage == EXECUTE
    if check_round.lane_commit or (is_executing and not check_round.confirmed):
        return _judge_tasks(draft, check_round, at)
    return verification.decide_after_verification(draft, check_round, at)


def _judge_tasks(draft: Draft, check_round: CheckRound, at: float) -> Directive:
    """Finish each claimed task whose checks pass, and fail the others."""
    for name in check_round.tasks:
        names = criterion_names(plan_of(draft.loop).task(name))
        own_criteria = [c for c in draft.loop.criteria if c.name in names]
        failing = [c for c in own_criteria if is_failing(draft.loop, c)]
        if failing:
            why = "our own run of the check does not pass on this tree"
            draft.record(ev.ClaimRefuted(tuple(c.name for c in failing), why))
            error = "\n".join(parts.unmet_criterion_text(c, draft.loop) for c in failing)
            fail_task(draft, name, error, *refutation_analysis(failing))
        elif check_round.lane_commit and (disputed := _disputed(draft.loop, own_criteria)):
            # Only work that its checks prove is merged, and another attempt would not help.
            fail_task(draft, name, plan_person.disputed_reason(disputed))
            if name not in plan_of(draft.loop).parked:
                draft.record(pl.WorkParked(name))
        elif check_round.lane_commit:
            return MergeLane(name, check_round.lane_commit)
        else:
            is_unshown = plan_of(draft.loop).is_unshown(name)
            draft.record(pl.TaskFinished(name, is_unshown=is_unshown))
    return decide_next_tasks(draft, check_round, at)


def _disputed(loop: Loop, criteria: list[Criterion]) -> tuple[str, ...]:
    names = (c.name for c in criteria if not loop.is_met(c))
    return tuple(name for name in names if name in loop.disputed_criteria)


def fail_task(draft: Draft, task: str, error: str, analysis: str = "", fix: str = "") -> None:
    """Record the failure of a task, and park the task if it has no retries left."""
    draft.record(pl.TaskFailed(task, error[:4_000], analysis[:1_000], fix[:1_000]))
    plan = plan_of(draft.loop)
    if plan.failure_of(task).times > plan.retries:
        draft.record(pl.WorkParked(task))


def decide_next_tasks(
    draft: Draft, check_round: CheckRound | None, at: float, tree: str = ""
) -> Directive:
    """Decide what follows after tasks were judged.

    `tree` is the tree of the main checkout if the turn worked in another worktree.
    """
    loop, plan = draft.loop, plan_of(draft.loop)
    judged = _judged_tasks(draft)
    if check_round:
        judged = (*check_round.failed_tasks, *judged)
        _count_attempts(draft, check_round, judged)
    all_run = not ready_tasks(plan) and not plan.lanes and not plan.landings
    if all_run and len(plan.done) == len(plan.tasks):
        if uses_lanes(loop) and not tree:  # a lane is not what the plan has come to
            return Continue("")
        return verification.start_verification(draft, tree or loop.tree, at)
    is_strict = bool(loop.headless_run and loop.headless_run.strict)
    if all_run or (plan.parked and is_strict):
        return breakers.pause_loop(draft, "parked", plan_person.parked_reason(plan), at)
    if pause := breakers.pause_if_tripped(draft, at):
        return pause
    if asks_person(loop) and (ask := _ask_between_tasks(draft, check_round, judged, at)):
        return ask
    return assign_and_continue(draft)


def _count_attempts(draft: Draft, check_round: CheckRound, judged: tuple[str, ...]) -> None:
    """Judged tasks count as activity: a task that fails again and again runs out of retries."""
    streak = breakers.count_stuck(draft.loop.streak, check_round, progress=bool(judged))
    idle = 0 if judged or check_round.is_active else streak.idle + 1
    draft.record(ev.StreakCounted(streak.but(idle=idle)))


def _judged_tasks(draft: Draft) -> tuple[str, ...]:
    """The tasks that finished or failed in this move."""
    return tuple(e.task for e in draft.events if isinstance(e, pl.TaskFailed | pl.TaskFinished))


def _ask_between_tasks(
    draft: Draft, check_round: CheckRound | None, judged: tuple[str, ...], at: float
) -> Directive | None:
    """Ask whether to retry a failed task, or to continue after a complete wave."""
    plan = plan_of(draft.loop)
    to_retry = [name for name in judged if name not in (*plan.done, *plan.parked)]
    if to_retry:
        question = plan_person.retry_question(plan, to_retry[0])
        return breakers.ask_person(draft, "retry", question, at)
    if check_round and check_round.tasks and (question := _wave_question(plan, check_round)):
        return breakers.ask_person(draft, "wave", question, at)
    return None


def _wave_question(plan: Plan, check_round: CheckRound) -> str:
    wave = max(plan.task(name).wave for name in check_round.tasks)
    closed = (*plan.done, *plan.parked)
    is_complete = all(task.id in closed for task in plan.tasks if task.wave <= wave)
    return f"Wave {wave} complete. Continue?" if is_complete and not plan.eager else ""


def handle_plan_answer(draft: Draft, gate: str, tree: str, at: float) -> Directive:
    """Continue after an answer: yes to one of the plan's questions or to G1, or no to G3."""
    loop = draft.loop
    if gate == "fix":
        return verification.start_fix_round(draft)
    if gate == "rule" or (gate == ALLOW and loop.spend.iterations):
        return resume_plan(draft, tree, at)
    at_start = gate in ("G1", ALLOW)
    if at_start and plan_of(loop).stage == VERIFY:  # the loop started with all tasks done
        return verification.start_verification(draft, tree or loop.tree, at)
    if at_start:
        return Continue(assignments.opening_prompt(loop))
    return assign_and_continue(draft)


def resume_plan(draft: Draft, tree: str, at: float) -> Directive:
    """Resume with the tasks, with the gaps that verification found, or with verification."""
    plan = plan_of(draft.loop)
    has_work = plan.queue or plan.assigned or draft.loop.dialogue.guidance
    if plan.stage == VERIFY and has_work:
        return assign_and_continue(draft)
    if plan.stage == VERIFY and plan.open_gaps and plan.fix_rounds < plan.max_fix_rounds:
        return verification.start_fix_round(draft)
    has_passed = bool(plan.history) and plan.history[-1].result in (PASSED, UNPROVEN)
    has_open_tasks = len(plan.done) < len(plan.tasks)
    executes = plan.stage == EXECUTE or (has_passed and has_open_tasks)
    return enter_stage(draft, EXECUTE if executes else VERIFY, tree, at)


def enter_stage(draft: Draft, stage: str, tree: str, at: float) -> Directive:
    """Execute or verify the plan, as the person ordered."""
    if stage == VERIFY:
        return verification.start_verification(draft, tree or draft.loop.tree, at)
    if plan_of(draft.loop).stage != EXECUTE:
        if draft.loop.check_round:  # a round about gaps does not apply to tasks
            draft.record(ev.CheckRoundEnded())
        draft.record(pl.StageEntered(EXECUTE))
    return decide_next_tasks(draft, None, at, tree)
