"""state.json: a mirror of the loop in the seeds' schema, and an inbox. Never read as truth; an edit of it is a claim."""

from __future__ import annotations

from ..core.criteria import Criterion
from ..core.json_text import JSONError, dumps, loads
from ..core.loop import Loop, Step
from ..core.signals import Claimed, Claims, MirrorLost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.plan.plan import Plan

STATUS_WORDS = {"running": "in_progress", "asking": "awaiting_user", "finished": "completed"}
LIMIT_FIELDS = ("maxIterations", "budget", "minutes")  # ours; raised by an edit, it is tampering
SPEND_FIELDS = ("cost",)  # ours; lowered by an edit, it is tampering
LEASE_FIELDS = ("session", "fence")
OPTIONAL_FIELDS = (
    "pauseReason",
    "awaiting",
    "verdict",
    "proven",
)  # ours too, though not in every mirror
MAX_BYTES = 1_000_000  # bytes of the file
MAX_EXTRA, MAX_SPEC = (
    100_000,
    150_000,
)  # letters: with both of them the file is still one that we read ourselves


def mirror_fields(loop: Loop) -> dict[str, Any]:
    """The seeds' fields first, ours after them, then whatever somebody else wrote into the file."""
    unmet = loop.unmet_criteria
    ours: dict[str, Any] = {
        "spec": loop.spec,
        "criteria": [c.name for c in loop.criteria],
        "criteriaStatus": {c.name: _criterion_status(c, loop) for c in loop.criteria},
        "exit_signal": loop.exit_claimed,
        "steps": [step.name for step in loop.steps],
        "completedSteps": [step.name for step in loop.completed_steps],
        "remainingSteps": [step.name for step in loop.remaining_steps],
        "iteration": loop.spend.iterations + (loop.status in ("running", "asking")),
        "status": STATUS_WORDS.get(loop.status, loop.status),
        "circuitBreaker": {"stuckCount": loop.streak.stuck, "lastUnmet": unmet[0] if unmet else ""},
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
        }
        ours["parallelActive"] = list(loop.plan.running_tasks)
    if loop.status == "paused":
        ours["pauseReason"] = loop.pause.why
    if loop.gate:
        ours["awaiting"] = {"gate": loop.gate.name, "question": loop.gate.question}
    if loop.verdict:
        ours["verdict"] = loop.verdict.name
        ours["proven"] = loop.verdict.proven
    return ours


def _task_statuses(plan: Plan) -> dict[str, Any]:
    """The seeds' record of a plan: how each task stands."""
    closed = {**dict.fromkeys(plan.parked, "parked"), **dict.fromkeys(plan.done, "completed")}
    working = (*plan.assigned, *plan.running_tasks)
    return {
        t.id: {"status": closed.get(t.id, "in_progress" if t.id in working else "pending")}
        for t in plan.tasks
    }


def _criterion_status(criterion: Criterion, loop: Loop) -> Any:
    met = loop.is_met(criterion)
    proof = criterion.proof
    if not criterion.detailed:
        return met
    shown: dict[str, Any] = {"met": met, "verification": criterion.planned}
    if met and proof:
        shown = {
            "met": met,
            "verification": proof.kind,
            "evidence": proof.detail[-500:],
            "at": proof.at,
        }
    elif met and criterion.claim:
        shown = {
            "met": met,
            "verification": criterion.claim.kind,
            "evidence": criterion.claim.evidence[:500],
        }
    return {**shown, "planned": criterion.planned}


def render_mirror(loop: Loop) -> bytes:
    """One field to a line: people read this file."""
    whole = {**loads(loop.settings.extra_json), **mirror_fields(loop)}
    rows = ",\n".join(f"  {dumps(name)}: {dumps(value)}" for name, value in whole.items())
    return f"{{\n{rows}\n}}\n".encode()


def read_edits(data: bytes, loop: Loop, at: float) -> Claimed | MirrorLost:
    """What somebody changed in the mirror of this loop. Values that are ours to write are put back."""
    try:
        found = loads(data[:MAX_BYTES])
    except JSONError:
        return MirrorLost(at, "unreadable")
    if not isinstance(found, dict):
        return MirrorLost(at, "unreadable")
    wrote = mirror_fields(loop)
    if found.get("status") in ("paused", "cancelled") and found["status"] != wrote["status"]:
        return MirrorLost(at, found["status"])
    extra_text = extra_fields(found, wrote)
    if len(extra_text) > MAX_EXTRA:  # it would be in the journal again and again
        return MirrorLost(at, "unreadable")
    changed = [name for name in wrote if found.get(name) != wrote[name]]
    claims, detailed = _read_claims(found, wrote)
    ours = ("criteriaStatus", "exit_signal", "steps", "completedSteps", "remainingSteps")
    tampered = tuple(name for name in changed if _is_tampering(name, found.get(name), wrote[name]))
    return Claimed(
        at,
        claims,
        detailed,
        tampered,
        corrected_fields=tuple(
            name for name in changed if name not in ours and name not in tampered
        ),
        extra_json=extra_text if extra_text != loop.settings.extra_json else "",
    )


def extra_fields(found: dict[str, Any], wrote: dict[str, Any]) -> str:
    """What somebody else keeps in the file, to be written back with our own fields."""
    ours = {*wrote, *OPTIONAL_FIELDS}
    return dumps(
        {
            name: value
            for name, value in found.items()
            if name not in ours and _can_be_written(value)
        }
    )


def _can_be_written(value: Any) -> bool:
    """1e999 reads as infinity, which JSON has no word for."""
    try:
        dumps(value)
    except (ValueError, RecursionError):
        return False
    return True


def _is_tampering(name: str, found: Any, wrote: Any) -> bool:
    if name in LEASE_FIELDS:
        return found is not None  # left out is not changed: the seeds' schema knows no lease
    number = isinstance(found, int | float)
    return (name in LIMIT_FIELDS and number and found > wrote) or (
        name in SPEND_FIELDS and number and found < wrote
    )


def _read_claims(found: dict[str, Any], wrote: dict[str, Any]) -> tuple[Claims, tuple[str, ...]]:
    from ..core.replies.markers import read_claim

    status = found.get("criteriaStatus")
    status = status if isinstance(status, dict) else {}
    edited = [
        (n, v)
        for n, v in status.items()
        if n in wrote["criteriaStatus"] and v != wrote["criteriaStatus"][n]
    ]
    met = tuple(read_claim(name, value) for name, value in edited)
    detailed = tuple(name for name, value in edited if isinstance(value, dict))
    signal = found.get("exit_signal")
    leave = signal if isinstance(signal, bool) and signal != wrote["exit_signal"] else None
    finished = [
        name
        for name in names_in(found.get("completedSteps"))
        if name not in wrote["completedSteps"]
    ]
    named = [*names_in(found.get("steps")), *names_in(found.get("remainingSteps"))]
    added = [
        name for name in dict.fromkeys(named) if name not in wrote["steps"] and name not in finished
    ]
    steps = (*(Step(name, True) for name in finished), *(Step(name) for name in added))
    return Claims(met, exit=leave, steps=steps), detailed


def names_in(value: Any) -> list[str]:
    """The strings of a list that somebody wrote, bounded; anything else is no list."""
    return (
        [name[:200] for name in value if isinstance(name, str)][:100]
        if isinstance(value, list)
        else []
    )
