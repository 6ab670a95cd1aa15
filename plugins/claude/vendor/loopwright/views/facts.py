"""Facts: the loop as plain values for programs, under stable names. What `--json` prints."""

from __future__ import annotations

from typing import Any

from ..core.backlog import backlog_of
from ..core.coaching import focus
from ..core.loop import Criterion, Loop
from ..core.plan import plan_of
from .waves import state


def of(loop: Loop) -> dict[str, Any]:
    return {
        "id": loop.id,
        "policy": loop.policy,
        "status": loop.status,
        "why": loop.why,
        "cause": loop.cause,
        "spec": loop.spec,
        "criteria": [criterion(c, loop) for c in loop.criteria],
        "must_not": [c.name for c in loop.forbidden],
        "unmet": list(loop.unmet),
        "exit_claimed": loop.exit_claimed,
        "steps": [{"name": s.name, "done": s.done, "note": s.note} for s in loop.steps],
        "workflow": {"letter": loop.workflow.letter, "gate": loop.workflow.gate, "recorded": loop.workflow.recorded},
        "shape": {"name": loop.shape.name, "score": loop.shape.score, "points": [p.__dict__ for p in loop.shape.points]},
        "reversibility": loop.reversibility,
        "iterations": loop.spend.iterations,
        "dollars": round(loop.spend.dollars, 6),
        "unpriced_models": list(loop.spend.unpriced),
        "minutes": round(loop.spend.seconds / 60, 2),
        "limits": loop.limits.__dict__,
        "counters": {"stuck": loop.streak.stuck, "same_error": loop.streak.same_error, "idle": loop.streak.idle},
        "refuted_claims": loop.refuted,
        "question": {"gate": loop.gate.name, "text": loop.gate.question} if loop.gate else None,
        "driver": loop.lease.holder,
        "fence": loop.lease.fence,
        "verdict": {**loop.verdict.__dict__, "notes": list(loop.verdict.notes)} if loop.verdict else None,
        "at_the_end": [c.name for c in loop.last],
        "protected": list(loop.protect),
        "findings": findings(loop),
        **({"backlog": backlog(loop)} if loop.backlog else {}),
        **({"plan": plan(loop)} if loop.plan else {}),
        "started_at": loop.started_at,
        "ended_at": loop.ended_at or None,
    }


def findings(loop: Loop) -> list[dict[str, Any]]:
    return [{**f.__dict__, "key": f.key, "accepted": f.key in loop.accepted} for f in loop.findings]


def backlog(loop: Loop) -> dict[str, Any]:
    b = backlog_of(loop)
    return {
        "preset": b.preset,
        "mode": b.mode,
        "task_mode": b.task_mode,
        "focus": focus(loop),
        "items": list(b.items),
        "done": list(b.done),
        "found": b.found,
        "fixed": b.fixed,
        "idle": loop.streak.idle,
        "dry": loop.streak.dry,
        "sizes": list(b.sizes),
    }


def plan(loop: Loop) -> dict[str, Any]:
    p = plan_of(loop)
    commits = dict(p.commits)
    return {
        "phase": p.phase,
        "title": p.title,
        "file": p.file,
        "stage": p.stage,
        "round": p.round,
        "rounds": p.rounds,
        "retries": p.retries,
        "tasks": [
            {
                "id": task.id,
                "title": task.title,
                "wave": task.wave,
                "depends": list(task.depends),
                "state": state(p, task),
                "failures": p.failure(task.id).times,
                "error": p.failure(task.id).error,
                "commit": commits.get(task.id),
            }
            for task in p.tasks
        ],
        "gaps": [{"type": g.kind, "file": g.file, "to": g.target, "text": g.text, "parked": g.key in p.parked} for g in p.gaps],
        "history": [{"iteration": r.iteration, "type": r.kind, "result": r.result, "gaps": list(r.gaps)} for r in p.history],
        "issues": list(p.issues),
    }


def criterion(c: Criterion, loop: Loop) -> dict[str, Any]:
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
