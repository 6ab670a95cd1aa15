"""What the person reads when the agent claims more than the checks show."""

from __future__ import annotations

from ..criteria import Criterion, Evidence
from ..findings import HIGH
from ..loop import Loop, open_findings
from .parts import cost_text, iteration_number
from .phrases import clip_text, one_line

MAX_NAMED, MAX_COMMAND = 3, 120


def refutation_note(loop: Loop, said_done: bool, refuted: tuple[str, ...]) -> str:
    """The claim, what refutes it, and that the loop continues: one line."""
    claim = "done"
    if not said_done:
        names = ", ".join(f'"{one_line(name)}"' for name in refuted[:MAX_NAMED])
        claim = f"{names} {'is' if len(refuted) == 1 else 'are'} met"
    reasons = clip_text("; ".join(_reasons(loop)), 500)
    number, most = iteration_number(loop), loop.limits.iterations
    return f"The agent said {claim}; {reasons}. Iteration {number}/{most}, {cost_text(loop)}."


def last_refutation(loop: Loop) -> list[str]:
    """Why the last claim was refuted, for a person who reads that the loop pauses."""
    if not loop.dialogue.refuted_claims or not (loop.unmet_criteria or loop.objections):
        return []
    from .objections import finding_text

    rows = [f"The last claim was refuted: {clip_text('; '.join(_reasons(loop)), 500)}"]
    if loop.unmet_criteria:
        return rows
    return [*rows, *map(finding_text, open_findings(loop, HIGH)[:MAX_NAMED])]


def unable_reason(loop: Loop, refuted: tuple[str, ...]) -> str:
    """Why no work can turn the refuted checks green: they cannot run here; "" if one of them can.

    What the spec names may be the work: a module that the tests import, a script.
    """
    from ..start.check_result import CANNOT_IMPORT, MISSING, check_result  # it is dear

    unmet = [c for c in loop.criteria if not loop.is_met(c)]
    results = [(c.name, check_result(c)) for c in unmet]
    if {name for name, _ in results} != {*refuted}:
        return ""
    rows = []
    for name, result in results:
        is_unable = result is not None and result.word in (MISSING, CANNOT_IMPORT)
        if result is None or not is_unable or result.lacks.rpartition("/")[2] in loop.spec:
            return ""
        rows.append(f'"{name}" cannot run here ({result.text}). Fix: {result.fix}')
    return "; ".join(rows)


def _reasons(loop: Loop) -> list[str]:
    unmet = [c for c in loop.criteria if not loop.is_met(c)]
    failing = [c for c in unmet if c.may_run and c.proof and c.fails_on(loop.tree)]
    not_shown = [one_line(c.name) for c in unmet if c not in failing]
    reasons = [_failure_text(c, c.proof, loop) for c in failing[:MAX_NAMED] if c.proof]
    if len(failing) > MAX_NAMED:
        reasons.append(f"{len(failing) - MAX_NAMED} more fail")
    if not_shown:
        reasons.append(f"not shown yet: {', '.join(not_shown[:MAX_NAMED])}")
    if loop.assumed_criteria:
        reasons.append(f"only assumed: {', '.join(map(one_line, loop.assumed_criteria))}")
    if not reasons:
        from .objections import objection_reason

        reasons.append(one_line(objection_reason(loop).removeprefix("claim refuted: ")))
    return reasons


def _failure_text(c: Criterion, proof: Evidence, loop: Loop) -> str:
    again = "fails again" if c.name in loop.streak.ever_proven else "still fails"
    if not c.check or c.check.probe:
        return f"{one_line(c.name)} {again}"
    command = clip_text(one_line(c.check.command_line), MAX_COMMAND)
    return f"`{command}` {again} ({failure_count(proof)})"


def failure_count(proof: Evidence) -> str:
    """How much of a check fails, as precisely as its tool says it."""
    tests = int(dict(proof.counts).get("tests", 0))
    if proof.outcome != "exit" or not proof.failures:
        return proof.result_text
    return (
        f"{proof.failures} of {tests}" if tests >= proof.failures else f"{proof.failures} failing"
    )
