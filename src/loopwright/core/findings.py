"""The ratchet: what may only move one way, what was found against it, and what of that a person takes as it is."""

from __future__ import annotations

from .loop import Criterion, Evidence, Loop
from .record import Record, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HIGH = "high"  # refutes the claim and goes back to the agent
MEDIUM = "medium"  # the loop may end, but not as proven: a person must look
LOW = "low"  # is named in the verdict
MAX_FINDINGS = 50
WORSE = {  # count → the direction that is wrong, and what that means
    "tests": (-1, "fewer tests run than at the start"),
    "skipped": (1, "more tests are skipped than at the start"),
    "coverage": (-1, "less is covered than at the start"),
    "problems": (1, "more problems are reported than at the start"),
}


class Finding(Record):
    """One way in which the work became easier to prove since the start."""

    severity: str
    rule: str  # in words: "test deleted"
    file: str
    line: int = 0
    before: str = ""
    after: str = ""

    @property
    def key(self) -> str:
        """What a person accepts: this change, wherever it stands in the file."""
        return digest("\0".join((self.rule, self.file, self.before, self.after)).encode("utf-8", "replace"))[:8]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class BaselineCompared(Record):
    """The tree was held against that of the start."""

    tree: str
    findings: tuple[Finding, ...] = ()
    kept_commit: str = ""  # the commit that holds the tree, for who wants to see it proven once more


class FindingsAccepted(Record):
    keys: tuple[str, ...]


class ProofsVoided(Record):
    """Files were written again while a check ran, or since: nobody knows which of them it saw."""

    names: tuple[str, ...]
    written_files: str


class FilesRewound(Record):
    """A person put the files back to how an iteration left them; what was there is kept in a commit."""

    at: float
    iteration: int
    commit: str
    saved_commit: str


def open_findings(loop: Loop, *severities: str) -> tuple[Finding, ...]:
    """Findings that nobody has accepted."""
    return tuple(f for f in loop.findings if f.severity in severities and f.key not in loop.accepted_findings)


def worse_count_findings(criterion: Criterion) -> tuple[Finding, ...]:
    """Counts of the criterion's tool that went the wrong way since the start."""
    now = dict(criterion.proof.counts) if criterion.proof else {}
    return tuple(
        Finding(HIGH, WORSE[name][1], criterion.name, 0, f"{was:g} {name}", f"{now[name]:g} {name}")
        for name, was in criterion.baseline_counts
        if name in WORSE and name in now and (now[name] - was) * WORSE[name][0] > 0
    )


def tolerate_known_failures(evidence: Evidence, frozen: tuple[str, ...]) -> Evidence:
    """A failing run in which nothing fails but what failed at the start. If it does not name all failures, we do not know."""
    named = set(evidence.failing)
    known = evidence.outcome == "exit" and named and named <= set(frozen) and evidence.failures in (None, len(named))
    if not known:
        return evidence
    return evidence.but(passed=True, detail=f"no worse than at the start: {len(named)} known to fail\n{evidence.detail}")


def _apply_proofs_voided(loop: Loop, e: ProofsVoided) -> Loop:
    def void(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        return tuple(c.but(proof=None) if c.name in e.names else c for c in criteria)

    return loop.but(criteria=void(loop.criteria), must_not=void(loop.must_not), final_checks=void(loop.final_checks))


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "BaselineCompared": lambda loop, e: loop.but(findings=e.findings),
    "FindingsAccepted": lambda loop, e: loop.but(accepted_findings=tuple(dict.fromkeys((*loop.accepted_findings, *e.keys)))),
    "ProofsVoided": _apply_proofs_voided,
    "FilesRewound": lambda loop, e: loop.but(exit_claimed=False, pending_claims=loop.pending_claims.but(exit=False)),
}


def evolve(loop: Loop, event: Record) -> Loop:
    return EVOLUTIONS[type(event).__name__](loop, event)
