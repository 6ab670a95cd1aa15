"""What was edited in state.json: its content is never taken as fact, an edit of it is a claim."""

from __future__ import annotations

from ..core.criteria import Claim
from ..core.json_text import dumps, json_object
from ..core.loop import Loop, Step
from ..core.signals import Claimed, Claims, MirrorLost
from .mirror import MAX_BYTES, MAX_EXTRA, mirror_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT_FIELDS = ("maxIterations", "budget", "minutes")  # raising one by an edit is tampering
SPEND_FIELDS = ("cost",)  # lowering one by an edit is tampering
LEASE_FIELDS = ("session", "fence")
CLAIM_FIELDS = ("criteriaStatus", "exit_signal", "steps", "completedSteps", "remainingSteps")
# Ours, but not always written.
OPTIONAL_FIELDS = ("pauseReason", "awaiting", "verdict", "proven", "grade")


def read_edits(data: bytes, loop: Loop, at: float) -> Claimed | MirrorLost:
    """What was edited in the mirror. The next write restores the fields that are ours."""
    edited = json_object(data[:MAX_BYTES])
    if edited is None:
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
