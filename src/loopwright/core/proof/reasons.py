"""Reasons to hold back the verdict that one look at the loop gives; None: no reason."""

from __future__ import annotations

from ..criteria import ASSUMPTION, Evidence
from ..findings import HIGH, MEDIUM
from ..loop import Loop, open_findings
from .disputes import DROP

LOW_CONFIDENCE = 70  # percent
MAX_NAMED = 3


def _proofs(loop: Loop) -> list[Evidence]:
    return [c.proof for c in loop.criteria if c.proof]


def rests_on_assumption(loop: Loop) -> str | None:
    if any(proof.kind == ASSUMPTION for proof in _proofs(loop)):
        return "a criterion stands on an assumption"
    return None


def low_confidence(loop: Loop) -> str | None:
    confidence = loop.estimate.confidence
    if confidence is not None and confidence < LOW_CONFIDENCE:
        return f"the agent is {confidence}% sure"
    return None


def unsettled_dispute(loop: Loop) -> str | None:
    """A criterion that was dropped, or disputed and not decided, is not shown by anything."""
    disputes = [d for d in loop.disputes if not d.independent]
    dropped = [d.criterion for d in disputes if d.ruling == DROP]
    undecided = [d.criterion for d in disputes if not d.ruling]
    if dropped:
        return f"dropped by you: {', '.join(dropped)}"
    return f"disputed and not decided: {', '.join(undecided)}" if undecided else None


def failed_proof(loop: Loop) -> str | None:
    proofs = [(c.name, c.proof) for c in loop.criteria]
    names = [name for name, proof in proofs if proof and proof.by == "loop" and not proof.passed]
    return f"its check does not pass: {', '.join(names)}" if names else None


def has_report(loop: Loop) -> bool:
    """Has an agent said anything about the result? A loop can end without a turn."""
    return loop.spend.iterations > 0 or any(proof.by == "agent" for proof in _proofs(loop))


def tasks_without_evidence(loop: Loop) -> str | None:
    """Tasks that only the agent calls done: no check, no file and no must-have is about them."""
    plan = loop.plan
    if not plan or plan.must_haves:
        return None
    names = [name for name in plan.unshown if name in plan.done]
    return f"no check shows task {', '.join(names)}" if names else None


def thin_work(loop: Loop) -> str | None:
    if not loop.strength:
        return None
    from ..prompts.thin_work import strength_summary
    from .measured_strength import current_strength, strength_of

    measured = current_strength(loop)
    is_worse = bool(measured and measured.worse)
    return strength_summary(loop) if is_worse or strength_of(loop).is_thin else None


def open_finding(loop: Loop) -> str | None:
    findings = open_findings(loop, HIGH, MEDIUM)
    return f"a person must look: {findings[0].text} ({findings[0].place})" if findings else None


def unshown_demands(loop: Loop) -> str | None:
    if not loop.demands:
        return None
    from ..prompts.demands import open_summary

    return open_summary(loop) or None


def unmet_tests(loop: Loop) -> str | None:
    """Tests of the start that do not pass on the final product."""
    runs = (run for run in loop.room.runs if run.tree == loop.tree)
    names = [test for run in runs for test in run.unmet_tests]
    more = ", …" if len(names) > MAX_NAMED else ""
    who = "a test of the start does" if len(names) == 1 else "tests of the start do"
    named = ", ".join(names[:MAX_NAMED])
    return f"{who} not pass on the final product: {named}{more}" if names else None


def unchecked_must_not(loop: Loop) -> str | None:
    if any(c.awaits_permission for c in loop.must_not):
        return "a must-not was never checked: it waits for `loop allow`"
    return None


def flaky_checks(loop: Loop) -> str | None:
    names = [c.name for c in (*loop.criteria, *loop.final_checks) if c.flaky]
    return f"flaky: {', '.join(names)}" if names else None


def failing_independent_checks(loop: Loop) -> str | None:
    """What a second agent wrote fails, and no person has decided whether it is right."""
    names = ", ".join(loop.left_to_verdict)
    return f"an independent check fails and waits for your decision: {names}" if names else None


def tolerated_failures(loop: Loop) -> str | None:
    if any(proof.code and proof.passed for proof in _proofs(loop)):
        return "tests that failed at the start still fail"
    return None


def hard_to_undo(loop: Loop) -> str | None:
    return "type 1: hard to take back" if loop.reversibility == "1" else None
