"""The ratchet: what may only move one way, what was found against it, and what of that a person takes as it is."""

from __future__ import annotations

from .criteria import Criterion, Evidence
from .record import Record, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

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
        return digest(
            "\0".join((self.rule, self.file, self.before, self.after)).encode("utf-8", "replace")
        )[:8]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


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
    known = (
        evidence.outcome == "exit"
        and named
        and named <= set(frozen)
        and evidence.failures in (None, len(named))
    )
    if not known:
        return evidence
    return evidence.but(
        passed=True,
        detail=f"no worse than at the start: {len(named)} known to fail\n{evidence.detail}",
    )
