"""Facts: the loop as plain values for programs, under stable names. What `--json` prints."""

from __future__ import annotations

from typing import Any

from ..core.criteria import Criterion
from ..core.findings import Finding
from ..core.loop import Loop, backlog_of, plan_of
from ..core.prompts.discovery import current_focus
from .plan_waves import task_state


def loop_facts(loop: Loop) -> dict[str, Any]:
    return {
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
        "driver": loop.lease.holder,
        "fence": loop.lease.fence,
        "verdict": {**loop.verdict.__dict__, "notes": list(loop.verdict.notes)}
        if loop.verdict
        else None,
        "at_the_end": [c.name for c in loop.final_checks],
        "protected": list(loop.baseline.protected_paths),
        "findings": finding_facts(loop),
        **({"backlog": backlog_facts(loop)} if loop.backlog else {}),
        **({"plan": plan_facts(loop)} if loop.plan else {}),
        "started_at": loop.clock.started_at,
        "ended_at": loop.clock.ended_at or None,
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
    b = backlog_of(loop)
    return {
        "preset": b.preset,
        "mode": b.mode,
        "task_mode": b.task_mode,
        "focus": current_focus(loop),
        "items": list(b.items),
        "done": list(b.done),
        "found": b.found_count,
        "fixed": b.fixed_count,
        "idle": loop.streak.idle,
        "dry": loop.streak.dry,
        "sizes": list(b.recent_sizes),
    }


def plan_facts(loop: Loop) -> dict[str, Any]:
    p = plan_of(loop)
    commits = dict(p.commits)
    return {
        "phase": p.phase,
        "title": p.title,
        "file": p.file,
        "stage": p.stage,
        "round": p.fix_rounds,
        "rounds": p.max_fix_rounds,
        "retries": p.retries,
        "tasks": [
            {
                "id": task.id,
                "title": task.title,
                "wave": task.wave,
                "depends": list(task.depends),
                "state": task_state(p, task),
                "failures": p.failure_of(task.id).times,
                "error": p.failure_of(task.id).error,
                "commit": commits.get(task.id),
            }
            for task in p.tasks
        ],
        "gaps": [
            {
                "type": g.kind,
                "file": g.file,
                "to": g.target,
                "text": g.text,
                "parked": g.key in p.parked,
            }
            for g in p.gaps
        ],
        "history": [
            {"iteration": r.iteration, "type": r.kind, "result": r.result, "gaps": list(r.gaps)}
            for r in p.history
        ],
        "issues": list(p.issues),
    }


def criterion_facts(c: Criterion, loop: Loop) -> dict[str, Any]:
    return {
        "name": c.name,
        "met": loop.is_met(c),
        "command": c.check.command if c.check else None,
        "allowed": c.check.allowed if c.check else None,
        "planned": c.planned,
        "claimed": bool(c.claim and c.claim.met),
        "guard": c.guard,
        "flaky": c.flaky,
        "evidence": c.proof.__dict__ if c.proof else None,
    }
