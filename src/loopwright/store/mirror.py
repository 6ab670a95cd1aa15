"""state.json: a mirror of the loop in the documented format, and an inbox for claims.

What others write into it is read by mirror_edits.py, only where the file differs from ours.
"""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.json_text import dumps, loads
from ..core.loop import Loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.plan.plan import Plan
    from ..core.proof.demands import Demands

STATUS_WORDS = {"running": "in_progress", "asking": "awaiting_user", "finished": "completed"}
MAX_BYTES = 1_000_000  # of the file
# In characters. A mirror with the longest of both is still short enough for us to read.
MAX_EXTRA = 100_000
MAX_SPEC = 150_000


def mirror_fields(loop: Loop) -> dict[str, Any]:
    """The fields that we write: those of the documented format first, then our own."""
    last_unmet = loop.unmet_criteria[:1] if loop.spend.iterations else ()
    is_active = loop.status in ("running", "asking")
    ours: dict[str, Any] = {
        "spec": loop.spec,
        "criteria": [c.name for c in loop.criteria],
        "criteriaStatus": {c.name: _criterion_status(c, loop) for c in loop.criteria},
        "exit_signal": loop.exit_claimed,
        "steps": [step.name for step in loop.steps],
        "completedSteps": [step.name for step in loop.completed_steps],
        "remainingSteps": [step.name for step in loop.remaining_steps],
        "iteration": loop.spend.iterations + is_active,
        "status": STATUS_WORDS.get(loop.status, loop.status),
        "circuitBreaker": {"stuckCount": loop.streak.stuck, "lastUnmet": "".join(last_unmet)},
        "mustNot": [c.name for c in loop.must_not],
        "criteriaEvidence": {
            c.name: evidence for c in loop.criteria if (evidence := _evidence_of(c, loop))
        },
        "id": loop.id,
        "shape": loop.shape.name,
        "workflow": loop.workflow.letter,
        "reversibility": loop.reversibility,
        "maxIterations": loop.limits.iterations,
        "budget": loop.limits.dollars,
        "minutes": loop.limits.minutes,
        "cost": round(loop.spend.dollars, 6),
        "session": loop.lease.holder,
        "fence": loop.lease.fence,
    }
    if loop.backlog:
        ours |= {
            "policy": loop.policy,
            "preset": loop.backlog.preset,
            "found": loop.backlog.found_count,
            "fixed": loop.backlog.fixed_count,
        }
    if loop.plan:
        ours |= {
            "policy": loop.policy,
            "mode": "prd",
            "prdPath": loop.plan.file,
            "tasks": _task_statuses(loop.plan),
            "parallelActive": list(loop.plan.running_tasks),
        }
    if loop.demands:
        ours["demands"] = _demand_statuses(loop, loop.demands)
    if loop.status == "paused":
        ours["pauseReason"] = loop.pause.why
    if loop.gate:
        ours["awaiting"] = {"gate": loop.gate.name, "question": loop.gate.question}
    if loop.verdict:
        ours["verdict"] = loop.verdict.name
        ours["proven"] = loop.verdict.proven
        ours["grade"] = loop.verdict.grade_word
    return ours


def _demand_statuses(loop: Loop, demands: Demands) -> list[dict[str, Any]]:
    """The demands of the spec in their order, with what shows each once the final proof knows."""
    rows = [
        {"number": number, "text": d.text, "shownBy": d.criterion or d.shows, "status": ""}
        for number, d in enumerate(demands.items, 1)
    ]
    if not loop.verdict and not loop.room.runs:
        return rows
    from ..core.proof.demand_results import demand_results

    return [
        {**row, "shownBy": result.shown_by, "status": result.outcome}
        for row, result in zip(rows, demand_results(loop), strict=True)
    ]


def _task_statuses(plan: Plan) -> dict[str, Any]:
    """The status of each task, in the documented format."""
    words = dict.fromkeys((task.id for task in plan.tasks), "pending")
    words |= dict.fromkeys((*plan.assigned, *plan.running_tasks), "in_progress")
    words |= dict.fromkeys(plan.parked, "parked")
    words |= dict.fromkeys(plan.done, "completed")
    return {task.id: {"status": words[task.id]} for task in plan.tasks}


def _criterion_status(criterion: Criterion, loop: Loop) -> Any:
    """True or false, as readers of that form test it; an object where that form is in use."""
    met = loop.is_met(criterion)
    if not criterion.detailed:
        return met
    planned = criterion.planned
    evidence = _evidence_of(criterion, loop)
    return {"met": met, "verification": planned, **evidence, "planned": planned}


def _evidence_of(criterion: Criterion, loop: Loop) -> dict[str, Any]:
    """What shows that the criterion is met; empty if it is not, or if nothing was said."""
    proof, claim = criterion.proof, criterion.claim
    if not loop.is_met(criterion):
        return {}
    if proof:
        return {"verification": proof.kind, "evidence": proof.detail[-500:], "at": proof.at}
    if claim and (claim.kind or criterion.detailed):
        return {"verification": claim.kind, "evidence": claim.evidence[:500]}
    return {}


def render_mirror(loop: Loop) -> bytes:
    """The content of state.json, one field per line, with the foreign fields that it had."""
    whole = {**loads(loop.settings.extra_json), **mirror_fields(loop)}
    rows = ",\n".join(f"  {dumps(name)}: {dumps(value)}" for name, value in whole.items())
    return f"{{\n{rows}\n}}\n".encode()
