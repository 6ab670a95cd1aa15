"""Events about the whole proof: baseline compared, findings accepted, proofs voided, rewind."""

from __future__ import annotations

from ..criteria import Criterion, change_criteria
from ..event import Event
from ..findings import Finding, settle_findings
from ..loop import Loop
from .clean_checkout import TRUSTED
from .state import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .clean_checkout import RoomCheck, RoomRun


class BaselineCompared(Event):
    """The tree was compared with the baseline."""

    tree: str
    findings: tuple[Finding, ...] = ()
    kept_commit: str = ""  # the commit that holds the tree, so that the proof can be re-run
    change: str = ""  # since the start, in words: files, lines added and removed

    def apply(self, loop: Loop) -> Loop:
        """The findings of the comparison, and those of earlier runs that are still valid."""
        runs = tuple(run for run in loop.room.runs if run.tree == self.tree)
        in_checkout = tuple(finding for run in runs for finding in run.findings)
        settled = {path for run in runs for path in run.settled}
        findings = settle_findings((*self.findings, *in_checkout), settled)
        if loop.strength and loop.strength.tree == self.tree:
            from .strength import settle_tests_alone

            findings = settle_tests_alone(findings, loop.strength.result)
        check_round = loop.check_round
        if check_round:
            check_round = check_round.but(comparisons=check_round.comparisons + 1)
        return loop.but(
            baseline=loop.baseline.but(
                findings=findings, change=self.change, end_commit=self.kept_commit
            ),
            room=loop.room.but(runs=runs),
            check_round=check_round,
        )


class FindingsAccepted(Event):
    keys: tuple[str, ...]

    def apply(self, loop: Loop) -> Loop:
        keys = dict.fromkeys((*loop.baseline.accepted_findings, *self.keys))
        return loop.but(baseline=loop.baseline.but(accepted_findings=tuple(keys)))


class ResultAccepted(Event):
    """A person accepted an ended loop as it is: these findings, and these criteria."""

    keys: tuple[str, ...]
    names: tuple[str, ...]
    at: float

    def apply(self, loop: Loop) -> Loop:
        def accept(c: Criterion) -> Criterion:
            return c.accepted(loop.tree, self.at)

        loop = FindingsAccepted(self.keys).apply(loop)
        before = loop.baseline.accepted_after_end or ()
        accepted = tuple(dict.fromkeys((*before, *self.keys, *self.names)))
        return loop.but(
            criteria=change_criteria(loop.criteria, self.names, accept),
            baseline=loop.baseline.but(accepted_after_end=accepted),
        )


class AcceptanceRevoked(Event):
    """A person took back what they had accepted after the end."""

    at: float

    def apply(self, loop: Loop) -> Loop:
        """Nothing shows any more what only the person's word showed."""
        revoked = loop.baseline.accepted_after_end or ()

        def revoke(c: Criterion) -> Criterion:
            return c.but(proof=None) if c.name in revoked and c.is_verified_by("person") else c

        kept = tuple(key for key in loop.baseline.accepted_findings if key not in revoked)
        return loop.but(
            criteria=tuple(map(revoke, loop.criteria)),
            baseline=loop.baseline.but(accepted_findings=kept, accepted_after_end=None),
        )


class ProofsVoided(Event):
    """Files were written while a check ran, or since: we cannot know which state it saw."""

    names: tuple[str, ...]
    written_files: str

    def apply(self, loop: Loop) -> Loop:
        def void(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
            return change_criteria(criteria, self.names, lambda c: c.but(proof=None))

        return loop.but(
            criteria=void(loop.criteria),
            must_not=void(loop.must_not),
            final_checks=void(loop.final_checks),
            unrequired_checks=void(loop.unrequired_checks),
        )


class FilesRewound(Event):
    """A person restored the files of an iteration. A commit keeps what was there before."""

    at: float
    iteration: int
    commit: str
    saved_commit: str

    def apply(self, loop: Loop) -> Loop:
        return loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False))


class ChecksMeasured(Event):
    """Checks that were allowed after the start ran in place, on the tree of the start."""

    at: float
    criteria: tuple[Criterion, ...]
    room_status: str = ""
    room_why: str = ""
    baseline_commit: str = ""
    files_digest: str = ""

    def apply(self, loop: Loop) -> Loop:
        measured = {c.name: c for c in self.criteria}

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
            status=self.room_status,
            why=self.room_why,
            baseline_commit=self.baseline_commit,
            files_digest=self.files_digest,
        )
        return loop.but(criteria=tuple(map(measure, loop.criteria)), room=checkout)


class RoomCalibrated(Event):
    """The checks ran in a clean checkout of the tree of the start."""

    at: float
    status: str
    why: str = ""
    setup: str = ""
    checks: tuple[RoomCheck, ...] = ()
    binding: str = ""
    packages: str = ""
    prepare_seconds: float = 0.0

    def apply(self, loop: Loop) -> Loop:
        checkout = loop.room.but(
            status=self.status,
            why=self.why,
            setup=self.setup,
            baseline=self.checks,
            binding=self.binding,
            packages=self.packages,
            prepare_seconds=self.prepare_seconds,
            must_announce=self.status != TRUSTED,
        )
        return loop.but(room=checkout)


class RoomAnnounced(Event):
    """The person was told that the clean checkout cannot be used."""

    def apply(self, loop: Loop) -> Loop:
        return loop.but(room=loop.room.but(must_announce=False))


class RoomRunEnded(Event):
    """A run of the final proof in a clean checkout has ended."""

    run: RoomRun

    def apply(self, loop: Loop) -> Loop:
        """The result replaces that of an earlier run of this kind, with its findings."""
        same_tree = [run for run in loop.room.runs if run.tree == self.run.tree]
        runs = tuple(run for run in same_tree if run.kind != self.run.kind)
        replaced = [f for run in same_tree if run.kind == self.run.kind for f in run.findings]
        findings = tuple(f for f in loop.baseline.findings if f not in replaced)
        findings = settle_findings(findings, set(self.run.settled))
        check_round = loop.check_round
        if check_round:
            check_round = check_round.but(room_runs=(*check_round.room_runs, self.run.kind))
        return loop.but(
            room=loop.room.but(runs=(*runs, self.run)),
            baseline=loop.baseline.but(findings=(*findings, *self.run.findings)),
            check_round=check_round,
        )


class NewPackagesDecided(Event):
    """A person decided whether packages that the agent added are installed for the proof."""

    names: tuple[str, ...]
    is_allowed: bool
    at: float

    def apply(self, loop: Loop) -> Loop:
        checkout = loop.room.but(
            allow_new_packages=self.is_allowed or loop.room.allow_new_packages,
            packages_refused=not self.is_allowed,
        )
        return loop.but(room=checkout)


class ProofFinished(Event):
    """Runs that did not fit into the time of the end were made later: the verdict with them."""

    verdict: Verdict
    at: float

    def apply(self, loop: Loop) -> Loop:
        return loop.but(verdict=self.verdict)
