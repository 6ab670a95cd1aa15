"""Events about the whole proof: baseline compared, findings accepted, proofs voided, rewind."""

from __future__ import annotations

from .criteria import Criterion
from .loop import Loop
from .record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .findings import Finding


class BaselineCompared(Record):
    """The tree was compared with the baseline."""

    tree: str
    findings: tuple[Finding, ...] = ()
    kept_commit: str = ""  # the commit that holds the tree, so that the proof can be re-run


class FindingsAccepted(Record):
    keys: tuple[str, ...]


class ProofsVoided(Record):
    """Files were written while a check ran, or since: we cannot know which state it saw."""

    names: tuple[str, ...]
    written_files: str


class FilesRewound(Record):
    """A person restored the files of an iteration. A commit keeps what was there before."""

    at: float
    iteration: int
    commit: str
    saved_commit: str


def _apply_proofs_voided(loop: Loop, e: ProofsVoided) -> Loop:
    def void(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        return tuple(c.but(proof=None) if c.name in e.names else c for c in criteria)

    return loop.but(
        criteria=void(loop.criteria),
        must_not=void(loop.must_not),
        final_checks=void(loop.final_checks),
        unrequired_checks=void(loop.unrequired_checks),
    )


def _apply_findings_accepted(loop: Loop, e: FindingsAccepted) -> Loop:
    keys = dict.fromkeys((*loop.baseline.accepted_findings, *e.keys))
    return loop.but(baseline=loop.baseline.but(accepted_findings=tuple(keys)))


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "BaselineCompared": lambda loop, e: loop.but(baseline=loop.baseline.but(findings=e.findings)),
    "FindingsAccepted": _apply_findings_accepted,
    "ProofsVoided": _apply_proofs_voided,
    "FilesRewound": lambda loop, e: loop.but(
        exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False)
    ),
}


def evolve_proof(loop: Loop, event: Record) -> Loop:
    """The loop after an event about its proof."""
    return EVOLUTIONS[type(event).__name__](loop, event)
