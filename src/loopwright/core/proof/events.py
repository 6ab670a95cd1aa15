"""Events about the whole proof: baseline compared, findings accepted, proofs voided, rewind."""

from __future__ import annotations

from ..criteria import Criterion, Evidence, change_criteria
from ..findings import Finding, settle_findings
from ..loop import Loop
from ..record import Record
from .clean_checkout import TRUSTED
from .state import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .clean_checkout import RoomCheck, RoomRun


class BaselineCompared(Record):
    """The tree was compared with the baseline."""

    tree: str
    findings: tuple[Finding, ...] = ()
    kept_commit: str = ""  # the commit that holds the tree, so that the proof can be re-run
    change: str = ""  # since the start, in words: files, lines added and removed


class FindingsAccepted(Record):
    keys: tuple[str, ...]


class ResultAccepted(Record):
    """A person accepted an ended loop as it is: these findings, and these criteria."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    at: float


class AcceptanceRevoked(Record):
    """A person took back what they had accepted after the end."""

    at: float


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


class ChecksMeasured(Record):
    """Checks that were allowed after the start ran in place, on the tree of the start."""

    at: float
    criteria: tuple[Criterion, ...]
    room_status: str = ""
    room_why: str = ""
    baseline_commit: str = ""
    files_digest: str = ""


class RoomCalibrated(Record):
    """The checks ran in a clean checkout of the tree of the start."""

    at: float
    status: str
    why: str = ""
    setup: str = ""
    checks: tuple[RoomCheck, ...] = ()
    binding: str = ""
    packages: str = ""
    prepare_seconds: float = 0.0


class RoomAnnounced(Record):
    """The person was told that the clean checkout cannot be used."""


class RoomRunEnded(Record):
    """A run of the final proof in a clean checkout has ended."""

    run: RoomRun


class NewPackagesDecided(Record):
    """A person decided whether packages that the agent added are installed for the proof."""

    names: tuple[str, ...]
    is_allowed: bool
    at: float


class ProofFinished(Record):
    """Runs that did not fit into the time of the end were made later: the verdict with them."""

    verdict: Verdict
    at: float


def _apply_new_packages_decided(loop: Loop, e: NewPackagesDecided) -> Loop:
    checkout = loop.room.but(
        allow_new_packages=e.is_allowed or loop.room.allow_new_packages,
        packages_refused=not e.is_allowed,
    )
    return loop.but(room=checkout)


def _apply_proofs_voided(loop: Loop, e: ProofsVoided) -> Loop:
    def void(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        return change_criteria(criteria, e.names, lambda c: c.but(proof=None))

    return loop.but(
        criteria=void(loop.criteria),
        must_not=void(loop.must_not),
        final_checks=void(loop.final_checks),
        unrequired_checks=void(loop.unrequired_checks),
    )


def _apply_findings_accepted(loop: Loop, e: FindingsAccepted) -> Loop:
    keys = dict.fromkeys((*loop.baseline.accepted_findings, *e.keys))
    return loop.but(baseline=loop.baseline.but(accepted_findings=tuple(keys)))


def _apply_result_accepted(loop: Loop, e: ResultAccepted) -> Loop:
    def accept(c: Criterion) -> Criterion:
        proof = Evidence(
            criterion=c.name, passed=True, kind="observation", by="person", tree=loop.tree, at=e.at
        )
        return c.but(proof=proof)

    loop = _apply_findings_accepted(loop, FindingsAccepted(e.keys))
    before = loop.baseline.accepted_after_end or ()
    accepted = tuple(dict.fromkeys((*before, *e.keys, *e.names)))
    return loop.but(
        criteria=change_criteria(loop.criteria, e.names, accept),
        baseline=loop.baseline.but(accepted_after_end=accepted),
    )


def _apply_acceptance_revoked(loop: Loop, e: AcceptanceRevoked) -> Loop:
    """Nothing shows any more what only the person's word showed."""
    revoked = loop.baseline.accepted_after_end or ()

    def revoke(c: Criterion) -> Criterion:
        return c.but(proof=None) if c.name in revoked and c.is_verified_by("person") else c

    kept = tuple(key for key in loop.baseline.accepted_findings if key not in revoked)
    return loop.but(
        criteria=tuple(map(revoke, loop.criteria)),
        baseline=loop.baseline.but(accepted_findings=kept, accepted_after_end=None),
    )


def _apply_baseline_compared(loop: Loop, e: BaselineCompared) -> Loop:
    """The findings of the comparison, and those of earlier runs that are still valid."""
    runs = tuple(run for run in loop.room.runs if run.tree == e.tree)
    in_checkout = tuple(finding for run in runs for finding in run.findings)
    settled = {path for run in runs for path in run.settled}
    findings = settle_findings((*e.findings, *in_checkout), settled)
    if loop.strength and loop.strength.tree == e.tree:
        from .strength import settle_tests_alone

        findings = settle_tests_alone(findings, loop.strength.result)
    check_round = loop.check_round
    if check_round:
        check_round = check_round.but(comparisons=check_round.comparisons + 1)
    return loop.but(
        baseline=loop.baseline.but(findings=findings, change=e.change, end_commit=e.kept_commit),
        room=loop.room.but(runs=runs),
        check_round=check_round,
    )


def _apply_room_run_ended(loop: Loop, e: RoomRunEnded) -> Loop:
    """The result replaces that of an earlier run of this kind, with its findings."""
    same_tree = [run for run in loop.room.runs if run.tree == e.run.tree]
    runs = tuple(run for run in same_tree if run.kind != e.run.kind)
    replaced = [f for run in same_tree if run.kind == e.run.kind for f in run.findings]
    findings = tuple(f for f in loop.baseline.findings if f not in replaced)
    findings = settle_findings(findings, set(e.run.settled))
    check_round = loop.check_round
    if check_round:
        check_round = check_round.but(room_runs=(*check_round.room_runs, e.run.kind))
    return loop.but(
        room=loop.room.but(runs=(*runs, e.run)),
        baseline=loop.baseline.but(findings=(*findings, *e.run.findings)),
        check_round=check_round,
    )


def _apply_checks_measured(loop: Loop, e: ChecksMeasured) -> Loop:
    measured = {c.name: c for c in e.criteria}

    def measure(c: Criterion) -> Criterion:
        found = measured.get(c.name)
        if not found:
            return c
        return c.but(
            check=found.check,
            proof=found.proof,
            guard=found.guard,
            baseline_counts=found.baseline_counts,
            could_not_run=found.could_not_run,
        )

    checkout = loop.room.but(
        status=e.room_status,
        why=e.room_why,
        baseline_commit=e.baseline_commit,
        files_digest=e.files_digest,
    )
    return loop.but(criteria=tuple(map(measure, loop.criteria)), room=checkout)


def _apply_room_calibrated(loop: Loop, e: RoomCalibrated) -> Loop:
    checkout = loop.room.but(
        status=e.status,
        why=e.why,
        setup=e.setup,
        baseline=e.checks,
        binding=e.binding,
        packages=e.packages,
        prepare_seconds=e.prepare_seconds,
        must_announce=e.status != TRUSTED,
    )
    return loop.but(room=checkout)


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "BaselineCompared": _apply_baseline_compared,
    "ChecksMeasured": _apply_checks_measured,
    "RoomCalibrated": _apply_room_calibrated,
    "RoomAnnounced": lambda loop, e: loop.but(room=loop.room.but(must_announce=False)),
    "RoomRunEnded": _apply_room_run_ended,
    "NewPackagesDecided": _apply_new_packages_decided,
    "ProofFinished": lambda loop, e: loop.but(verdict=e.verdict),
    "FindingsAccepted": _apply_findings_accepted,
    "ResultAccepted": _apply_result_accepted,
    "AcceptanceRevoked": _apply_acceptance_revoked,
    "ProofsVoided": _apply_proofs_voided,
    "FilesRewound": lambda loop, e: loop.but(
        exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False)
    ),
}
