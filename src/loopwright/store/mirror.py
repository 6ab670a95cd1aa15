"""state.json: a mirror of the loop in the documented format, and an inbox for claims.

Its content is never taken as fact: an edit of it is a claim.
"""

from __future__ import annotations

from ..core.criteria import Claim, Criterion
from ..core.json_text import JSONError, dumps, loads
from ..core.loop import Loop, Step
from ..core.signals import Claimed, Claims, MirrorLost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.plan.plan import Plan

STATUS_WORDS = {"running": "in_progress", "asking": "awaiting_user", "finished": "completed"}
LIMIT_FIELDS = ("maxIterations", "budget", "minutes")  # raising one by an edit is tampering
SPEND_FIELDS = ("cost",)  # lowering one by an edit is tampering
LEASE_FIELDS = ("session", "fence")
CLAIM_FIELDS = ("criteriaStatus", "exit_signal", "steps", "completedSteps", "remainingSteps")
# Ours, but not always written.
OPTIONAL_FIELDS = ("pauseReason", "awaiting", "verdict", "proven", "grade")
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
    if loop.status == "paused":
        ours["pauseReason"] = loop.pause.why
    if loop.gate:
        ours["awaiting"] = {"gate": loop.gate.name, "question": loop.gate.question}
    if loop.verdict:
        ours["verdict"] = loop.verdict.name
        ours["proven"] = loop.verdict.proven
        ours["grade"] = loop.verdict.grade_word
    return ours


def _task_statuses(plan: Plan) -> dict[str, Any]:
    """The status of each task, in the documented format."""
    words = dict.fromkeys((task.id for task in plan.tasks), "pending")
    words |= dict.fromkeys((*plan.assigned, *plan.running_tasks), "in_progress")
    words |= dict.fromkeys(plan.parked, "parked")
    words |= dict.fromkeys(plan.done, "completed")
    return {task.id: {"status": words[task.id]} for task in plan.tasks}


def _criterion_status(criterion: Criterion, loop: Loop) -> Any:
    """True or false; an object once there is evidence that it is met, or if it was one before."""
    met = loop.is_met(criterion)
    claim_has_evidence = bool(criterion.claim and criterion.claim.kind)
    if not criterion.detailed and not (met and (criterion.proof or claim_has_evidence)):
        return met
    status: dict[str, Any] = {"met": met, "verification": criterion.planned}
    if met and criterion.proof:
        proof = criterion.proof
        status |= {"verification": proof.kind, "evidence": proof.detail[-500:], "at": proof.at}
    elif met and criterion.claim:
        claim = criterion.claim
        status |= {"verification": claim.kind, "evidence": claim.evidence[:500]}
    return {**status, "planned": criterion.planned}


def render_mirror(loop: Loop) -> bytes:
    """The content of state.json, one field per line, with the foreign fields that it had."""
    whole = {**loads(loop.settings.extra_json), **mirror_fields(loop)}
    rows = ",\n".join(f"  {dumps(name)}: {dumps(value)}" for name, value in whole.items())
    return f"{{\n{rows}\n}}\n".encode()


def read_edits(data: bytes, loop: Loop, at: float) -> Claimed | MirrorLost:
    """What was edited in the mirror. The next write restores the fields that are ours."""
    try:
        edited = loads(data[:MAX_BYTES])
    except JSONError:
        return MirrorLost(at, "unreadable")
    if not isinstance(edited, dict):
        return MirrorLost(at, "unreadable")
    written = mirror_fields(loop)
    status = edited.get("status")
    if status in ("paused", "cancelled") and status != written["status"]:
        return MirrorLost(at, status)
    extra_text = extra_fields(edited, written)
    if len(extra_text) > MAX_EXTRA:  # each whole loop in the journal would repeat it
        return MirrorLost(at, "unreadable")
    changed = [name for name in written if edited.get(name) != written[name]]
    tampered = [name for name in changed if _is_tampering(name, edited.get(name), written[name])]
    not_corrected = (*CLAIM_FIELDS, *tampered)
    claims, detailed = _read_claims(edited, written)
    return Claimed(
        at=at,
        claims=claims,
        detailed=detailed,
        tampered_fields=tuple(tampered),
        corrected_fields=tuple(name for name in changed if name not in not_corrected),
        extra_json=extra_text if extra_text != loop.settings.extra_json else "",
    )


def extra_fields(edited: dict[str, Any], written: dict[str, Any]) -> str:
    """The foreign fields of the file as JSON; they are written back with our own."""
    ours = {*written, *OPTIONAL_FIELDS}
    foreign = [name for name in edited if name not in ours]
    return dumps({name: edited[name] for name in foreign if _can_be_written(edited[name])})


def _can_be_written(value: Any) -> bool:
    """1e999 reads as infinity, which JSON cannot express."""
    try:
        dumps(value)
    except (ValueError, RecursionError):
        return False
    return True


def _is_tampering(name: str, edited: Any, written: Any) -> bool:
    if name in LEASE_FIELDS:
        return edited is not None  # the documented format has no lease, so it may be missing
    if not isinstance(edited, int | float):
        return False
    if name in LIMIT_FIELDS:
        return bool(edited > written)
    return name in SPEND_FIELDS and bool(edited < written)


def _read_claims(edited: dict[str, Any], written: dict[str, Any]) -> tuple[Claims, tuple[str, ...]]:
    """The claims in an edited mirror, and the criteria whose claim is an object."""
    changed = _changed_criteria(edited.get("criteriaStatus"), written["criteriaStatus"])
    exit_signal = edited.get("exit_signal")
    if not isinstance(exit_signal, bool) or exit_signal == written["exit_signal"]:
        exit_signal = None
    claims = Claims(
        _claims_from(changed), exit=exit_signal, steps=tuple(_claimed_steps(edited, written))
    )
    return claims, tuple(name for name, value in changed.items() if isinstance(value, dict))


def _claims_from(changed: dict[str, Any]) -> tuple[Claim, ...]:
    from ..core.replies.markers import read_claim

    return tuple(read_claim(name, value) for name, value in changed.items())


def _changed_criteria(status: Any, written: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(status, dict):
        return {}
    ours = [name for name in status if name in written]
    return {name: status[name] for name in ours if not _says_the_same(status[name], written[name])}


def _says_the_same(edited: Any, written: Any) -> bool:
    """Whether an entry repeats ours; a plain true does, where we wrote an object that is met."""
    if isinstance(written, dict) and isinstance(edited, bool):
        return edited is written["met"]
    return bool(edited == written)


def _claimed_steps(edited: dict[str, Any], written: dict[str, Any]) -> list[Step]:
    """Steps that were marked as completed, then steps that were added."""
    completed = names_in(edited.get("completedSteps"))
    finished = [name for name in completed if name not in written["completedSteps"]]
    listed = [*names_in(edited.get("steps")), *names_in(edited.get("remainingSteps"))]
    old = {*written["steps"], *finished}
    added = [name for name in dict.fromkeys(listed) if name not in old]
    return [*(Step(name, True) for name in finished), *(Step(name) for name in added)]


def names_in(value: Any) -> list[str]:
    """The strings of a list in the file, bounded; empty if the value is not a list."""
    if not isinstance(value, list):
        return []
    return [name[:200] for name in value if isinstance(name, str)][:100]
