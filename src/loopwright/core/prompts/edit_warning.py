"""The line that an agent reads at once after an edit that weakens a test."""

from __future__ import annotations

from ..findings import Finding
from .phrases import one_line

MAX_QUOTED = 120


def edit_warning_text(finding: Finding, others: int) -> str:
    """One line: what became weaker, where, and what to do."""
    change = one_line(finding.before or finding.after)[:MAX_QUOTED]
    more = f" (and {others} more)" if others else ""
    return (
        f"[LOOP] {finding.place}: {finding.text} since the start{more}: {change}. The final proof "
        "compares all tests with the start. Restore it, unless you move it to another test."
    )
