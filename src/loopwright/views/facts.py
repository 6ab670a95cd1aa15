"""Facts: the loop as plain values under stable names, as `--json` prints it."""

from __future__ import annotations

from typing import Any

from ..core.criteria import Criterion
from ..core.findings import Finding
from ..core.loop import Loop, backlog_of, plan_of
from ..core.plan.plan import Gap, HistoryEntry, Plan, Task
from ..core.prompts.demands import is_compared
from ..core.prompts.discovery import current_focus
from ..core.proof.demand_results import demand_results
from ..core.proof.grades import is_enough
from ..core.start.check_result import check_result
from .plan_estimate import remaining_facts
from .plan_waves import task_state
from .strength_facts import strength_facts_of_loop


def loop_facts(loop: Loop) -> dict[str, Any]:
    """Everything about a loop; `backlog` and `plan` only for loops that have one."""
    facts: dict[str, Any] = {
        "id": loop.id,
        "policy": loop.policy,
        "status": loop.status,
        "why": loop.pause.why,
        "cause": loop.pause.cause,
        "spec": loop.spec,
        "criteria": [criterion_facts(c, loop) for c in loop.criteria],
        "must_not": [c.name for c in loop.must_not],
        "unmet": list(loop.unmet_criteria),
        "exit_claimed": loop.exit_claimed,
        "steps": [{"name": s.name, "done": s.done, "note": s.note} for s in loop.steps],
        "workflow": {
            "letter": loop.workflow.letter,
            "gate": loop.workflow.step_zero,
            "recorded": loop.workflow.step_zero_note,
        },
        "shape": {
            "name": loop.shape.name,
            "score": loop.shape.score,
            "points": [p.__dict__ for p in loop.shape.points],
        },
        "reversibility": loop.reversibility,
        "iterations": loop.spend.iterations,
        "dollars": round(loop.spend.dollars, 6),
        "unpriced_models": list(loop.spend.unpriced),
        "minutes": round(loop.spend.seconds / 60, 2),
        "limits": loop.limits.__dict__,
        "counters": {
            "stuck": loop.streak.stuck,
            "same_error": loop.streak.same_error,
            "idle": loop.streak.idle,
        },
        "refuted_claims": loop.dialogue.refuted_claims,
        "question": {"gate": loop.gate.name, "text": loop.gate.question} if loop.gate else None,
        "waits_for_person": loop.waits_for_person,
        "driver": loop.lease.holder,
        "fence": loop.lease.fence,
        "verdict": _verdict_facts(loop),
        "at_the_end": [c.name for c in loop.final_checks],
        "not_required": [criterion_facts(c, loop) for c in loop.unrequired_checks],
        "offered": [offer.__dict__ for offer in loop.offered_checks],
        "work": [*loop.room.work_files, *loop.room.may_change],
        "deciding": list(loop.room.deciding_files),
        "protected": list(loop.baseline.protected_paths),
        "findings": finding_facts(loop),
        "demands": demand_facts(loop),
        "strength": strength_facts_of_loop(loop),
    }
    if loop.backlog:
        facts["backlog"] = backlog_facts(loop)
    if loop.plan:
        facts["plan"] = plan_facts(loop)
    facts["started_at"] = loop.clock.started_at
    facts["ended_at"] = loop.clock.ended_at or None
    return facts


def _verdict_facts(loop: Loop) -> dict[str, Any] | None:
    if not loop.verdict:
        return None
    verdict = loop.verdict
    return {
        **verdict.__dict__,
        "notes": list(verdict.notes),
        "grade": verdict.grade_word,
        "enough": is_enough(loop),
    }


def finding_facts(loop: Loop) -> list[dict[str, Any]]:
    accepted = loop.baseline.accepted_findings
    return [
        {**finding_fields(finding), "accepted": finding.key in accepted}
        for finding in loop.baseline.findings
    ]


def finding_fields(finding: Finding) -> dict[str, Any]:
    """A finding as --json prints it: `rule` has the words, `id` the fixed id of the rule."""
    return {
        **finding.__dict__,
        "rule": finding.text,
        "id": finding.rule,
        "key": finding.key,
    }


def backlog_facts(loop: Loop) -> dict[str, Any]:
    backlog = backlog_of(loop)
    return {
        "preset": backlog.preset,
        "mode": backlog.mode,
        "task_mode": backlog.task_mode,
        "focus": current_focus(loop),
        "items": list(backlog.items),
        "done": list(backlog.done),
        "found": backlog.found_count,
        "fixed": backlog.fixed_count,
        "idle": loop.streak.idle,
        "dry": loop.streak.dry,
        "sizes": list(backlog.recent_sizes),
    }


def plan_facts(loop: Loop) -> dict[str, Any]:
    plan = plan_of(loop)
    return {
        "phase": plan.phase,
        "title": plan.title,
        "file": plan.file,
        "stage": plan.stage,
        "round": plan.fix_rounds,
        "rounds": plan.max_fix_rounds,
        "retries": plan.retries,
        "tasks": [_task_facts(task, plan) for task in plan.tasks],
        "gaps": [_gap_facts(gap, plan) for gap in plan.gaps],
        "history": [_history_facts(entry) for entry in plan.history],
        "issues": list(plan.issues),
        "to_go": remaining_facts(loop),
    }


def _task_facts(task: Task, plan: Plan) -> dict[str, Any]:
    failure = plan.failure_of(task.id)
    return {
        "id": task.id,
        "title": task.title,
        "wave": task.wave,
        "depends": list(task.depends),
        "state": task_state(plan, task),
        "failures": failure.times,
        "error": failure.error,
        "commit": dict(plan.commits).get(task.id),
    }


def _gap_facts(gap: Gap, plan: Plan) -> dict[str, Any]:
    return {
        "type": gap.kind,
        "file": gap.file,
        "to": gap.target,
        "text": gap.text,
        "parked": gap.key in plan.parked,
    }


def _history_facts(entry: HistoryEntry) -> dict[str, Any]:
    return {
        "iteration": entry.iteration,
        "type": entry.kind,
        "result": entry.result,
        "gaps": list(entry.gaps),
    }


def demand_facts(loop: Loop) -> list[dict[str, Any]]:
    """The demands of the spec; `status` is empty until the final proof has looked at them."""
    if not loop.demands:
        return []
    results = demand_results(loop)
    is_known = is_compared(loop)
    return [
        {
            "number": result.number,
            "text": result.text,
            "shown_by": result.shown_by or None,
            "status": result.outcome if is_known else "",
            "open": result.is_open,
            "why": result.why if is_known else "",
            "same_as": result.same_as or None,
        }
        for result in results
    ]


def dispute_facts(loop: Loop) -> list[dict[str, Any]]:
    """What the agent called wrong, and what a person decided; `ruling` is empty until then."""
    return [
        {"criterion": d.criterion, "why": d.why, "ruling": d.ruling or None} for d in loop.disputes
    ]


def criterion_facts(c: Criterion, loop: Loop) -> dict[str, Any]:
    result = check_result(c)
    return {
        "name": c.name,
        "met": loop.is_met(c),
        "command": c.check.command if c.check else None,
        "allowed": c.check.allowed if c.check else None,
        "planned": c.planned,
        "claimed": bool(c.claim and c.claim.met),
        "guard": c.guard,
        "flaky": c.flaky,
        "result": result._asdict() if result else None,
        "evidence": c.proof.__dict__ if c.proof else None,
    }
