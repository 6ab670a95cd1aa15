"""Verdict: ship, monitor or research, from how each criterion was verified and who says so."""

from __future__ import annotations

from .loop import ASSUMPTION, REVIEW, STRONG, Loop, Verdict

SHIP, MONITOR, RESEARCH = "SHIP", "MONITOR", "RESEARCH"
SIGNS = {SHIP: "🟢", MONITOR: "🟡", RESEARCH: "🔴"}


def judge(loop: Loop) -> Verdict:
    """The seeds' verdict, held down to MONITOR where nobody but the agent has seen it."""
    proofs = [c.proof for c in loop.criteria if c.proof]
    proven = len(proofs) == len(loop.criteria) > 0 and all(p.by in ("loop", "person") for p in proofs)
    kinds = {p.kind for p in proofs} or {""}
    if ASSUMPTION in kinds:
        return Verdict(RESEARCH, proven, "a criterion stands on an assumption")
    if loop.confidence is not None and loop.confidence < 70:
        return Verdict(RESEARCH, proven, f"the agent is {loop.confidence}% sure")
    if not proven:
        return Verdict(MONITOR, False, "reported by the agent, not run")
    if any(c.check and not c.check.allowed for c in loop.forbidden):
        return Verdict(MONITOR, True, "a must-not was never checked: it waits for `loop allow`")
    if loop.reversibility == "1":
        return Verdict(MONITOR, True, "type 1: hard to take back")
    if not kinds <= set(STRONG):
        return Verdict(MONITOR, True, f"verified by {REVIEW} only")
    return Verdict(SHIP, True)
