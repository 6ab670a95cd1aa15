"""Verdict: ship, monitor or research, from how each criterion was verified and who says so."""

from __future__ import annotations

from .criteria import ASSUMPTION, CODE_REVIEW, STRONG_EVIDENCE
from .findings import MEDIUM
from .loop import Loop, Verdict, open_findings

REFACTOR_WORKFLOW = "C"  # the workflow whose very aim is that what passed goes on to pass
SHIP, MONITOR, RESEARCH = "SHIP", "MONITOR", "RESEARCH"
VERDICT_SIGNS = {SHIP: "🟢", MONITOR: "🟡", RESEARCH: "🔴"}


def verdict_of(loop: Loop) -> Verdict:
    """The verdict, and what its reader must know."""
    from .prompts.objections import verdict_notes

    return _verdict_without_notes(loop).but(notes=verdict_notes(loop))


def _verdict_without_notes(loop: Loop) -> Verdict:
    """The seeds' verdict, held down to MONITOR where nobody but the agent has seen it."""
    proofs = [c.proof for c in loop.criteria if c.proof]
    proven = len(proofs) == len(loop.criteria) > 0 and all(
        p.by in ("loop", "person") for p in proofs
    )
    kinds = {p.kind for p in proofs} or {""}
    if ASSUMPTION in kinds:
        return Verdict(RESEARCH, proven, "a criterion stands on an assumption")
    if loop.estimate.confidence is not None and loop.estimate.confidence < 70:
        return Verdict(RESEARCH, proven, f"the agent is {loop.estimate.confidence}% sure")
    if not proven:
        return Verdict(MONITOR, False, "reported by the agent, not run")
    if (
        not loop.backlog
        and loop.workflow.letter != REFACTOR_WORKFLOW
        and all(c.guard for c in loop.criteria)
    ):
        return Verdict(
            MONITOR,
            False,
            "every check passed before the work began: they guard it, they cannot prove it",
        )
    if found := open_findings(loop, MEDIUM):
        return Verdict(MONITOR, False, f"a person must look: {found[0].text} ({found[0].place})")
    if any(c.check and not c.check.allowed for c in loop.must_not):
        return Verdict(MONITOR, True, "a must-not was never checked: it waits for `loop allow`")
    if flaky := [c.name for c in (*loop.criteria, *loop.final_checks) if c.flaky]:
        return Verdict(MONITOR, True, f"flaky: {', '.join(flaky)}")
    if any(p.code and p.passed for p in proofs):
        return Verdict(MONITOR, True, "tests that failed at the start still fail")
    if loop.reversibility == "1":
        return Verdict(MONITOR, True, "type 1: hard to take back")
    if not kinds <= set(STRONG_EVIDENCE):
        return Verdict(MONITOR, True, f"verified by {CODE_REVIEW} only")
    return Verdict(SHIP, True)
