"""Strength as --json prints it, with every item, and as a list in Markdown."""

from __future__ import annotations

from ..core.loop import Loop
from ..core.prompts.thin_work import strength_lines
from ..core.proof.measured_strength import is_wanted, strength_of, unmeasured_reason
from ..core.proof.strength import Strength
from ..core.record import encode
from .markdown import inline_text
from .rows import prefix_rows


def strength_facts(strength: Strength) -> dict[str, object]:
    result = "not thin" if strength.is_measured else "not measured"
    return {
        "result": "thin" if strength.is_thin else result,
        "reasons": list(strength.thin_reasons),
        "judged": len(strength.judged),
        "noticed": len(strength.noticed),
        "inconclusive": len(strength.inconclusive),
        "unrunLines": strength.unrun_lines,
        "measuredLines": strength.measured_lines,
        "unmeasuredLines": strength.other_lines,
        "control": strength.control,
        "selection": strength.selection,
        "mutantsBy": strength.mutants_by,
        "runs": strength.runs,
        "seconds": strength.seconds,
        "items": [_plain(encode(item)) for item in strength.items],
        "unmeasured": [_plain(encode(row)) for row in strength.unmeasured],
    }


def strength_facts_of_loop(loop: Loop) -> dict[str, object] | None:
    """The measurement of the files as they are now, or why there is none; None: nobody wants it."""
    if not is_wanted(loop):
        return None
    facts = strength_facts(strength_of(loop))
    return {**facts, "mode": loop.settings.strength_mode, "why": unmeasured_reason(loop)}


def strength_rows(loop: Loop) -> list[str]:
    """The block as a list in Markdown: what the checks notice, and where they do not."""
    return prefix_rows("- ", map(inline_text, strength_lines(loop)))


def _plain(record: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in record.items() if name != "is"}
