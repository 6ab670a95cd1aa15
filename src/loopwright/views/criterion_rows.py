"""Rows about criteria: met or not, the command and its last result."""

from __future__ import annotations

from ..core.criteria import Criterion, Evidence
from ..core.loop import Loop
from ..core.prompts.end_screen import is_shown

STEP_MARKS = {True: "✓", False: "·"}


def criteria_to_show(loop: Loop) -> list[Criterion]:
    """All criteria; of a plan with its dozens only those that a person must look at."""
    if not loop.plan:
        return list(loop.criteria)
    return [c for c in loop.criteria if _needs_attention(c)]


def _needs_attention(c: Criterion) -> bool:
    """It fails, waits for a person, or has no check."""
    if not c.check or not c.check.allowed:
        return True
    return bool(c.proof and not c.proof.passed)


def criterion_line(c: Criterion, loop: Loop) -> str:
    """A criterion, whether a command has shown it, its command and its last result."""
    mark = "✓" if is_shown(c, loop) else "?" if loop.is_met(c) else "✗"
    command = f"  ← {c.check.command_line}" if c.check else ""
    line = f"{mark} {c.name}{command}"
    result = _result_text(c, loop)
    if c.name in loop.disputed_criteria:
        result = f"{result}, disputed by the agent".removeprefix(", ")
    return f"{line}  ({result})" if result else line


def _result_text(c: Criterion, loop: Loop) -> str:
    if c.check and not c.check.allowed:
        return "its check waits for `loop allow`"
    if c.proof and c.proof.by == "loop":
        return _check_result(c, c.proof, loop)
    if c.proof and c.proof.by == "person":
        return "confirmed by a person"
    if c.stands_for_spec and is_shown(c, loop):
        return "shown by what follows"
    if c.claim and c.claim.met:
        return f"claimed by the agent ({c.claim.kind or 'no evidence given'})"
    return "not run yet" if c.check else ""


def _check_result(c: Criterion, proof: Evidence, loop: Loop) -> str:
    result = f"{'passed' if proof.passed else 'failed'} in {proof.seconds:.1f} s"
    if proof.tree != loop.tree:
        result += ", on another tree"
    if c.flaky:
        result += ", flaky"
    if c.guard and not loop.backlog:
        result += ", a guard"
    return result
