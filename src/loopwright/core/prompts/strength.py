"""The block about strength in verdict, receipt and `loop strength`."""

from __future__ import annotations

from ..proof.strength import (
    CANNOT_RUN,
    LINE,
    MIN_JUDGED,
    MUTANT,
    NOTICED,
    PART,
    Strength,
    StrengthItem,
)

MAX_ROWS = 12
KIND_WORDS = {PART: "parts taken away", MUTANT: "small changes"}


def strength_block(strength: Strength, max_rows: int = MAX_ROWS) -> list[str]:
    """What was measured, each number with its reach, and what no check notices."""
    rows = [headline(strength)]
    if strength.selection:
        rows.append(f"  tests that ran: {strength.selection}")
    rows += [
        f"  {KIND_WORDS[kind]}{_tool(strength, kind)}: {text}"
        for kind in KIND_WORDS
        if (text := _reach(strength, kind))
    ]
    if strength.measured_lines or strength.other_lines:
        rows.append(f"  lines: {_lines_text(strength)}")
    weak = strength.weak_items
    rows += [f"  ✗ {item_text(item)}" for item in weak[:max_rows]]
    if len(weak) > max_rows:
        rows.append(f"  … and {len(weak) - max_rows} more")
    rows += [f"  · no difference: {item_text(item)}" for item in strength.no_difference[:max_rows]]
    rows += [f"  · cannot run here: {item_text(item)}" for item in strength.cannot_run[:max_rows]]
    rows += [f"  · not measured: {row.text}" for row in strength.unmeasured]
    return rows


def headline(strength: Strength) -> str:
    if strength.is_thin:
        return f"Strength: thin. {'; '.join(strength.thin_reasons)}."
    if not strength.is_measured:
        return "Strength: not measured."
    few = len(strength.noticed) < len(strength.judged) < MIN_JUDGED
    return f"Strength: {'too little to judge' if few else 'not thin'}. {strength.noticed_text}."


def item_text(item: StrengthItem) -> str:
    reason = f" ({item.reason})" if item.reason else ""
    return f"{item.file}:{item.line}: {item.taken}{reason}"


def _reach(strength: Strength, kind: str) -> str:
    items = [item for item in strength.items if item.kind == kind]
    if not items:
        return ""
    judged = [item for item in strength.judged if item.kind == kind]
    noticed = sum(item.result == NOTICED for item in judged)
    text = f"{noticed} of {len(judged)} noticed" if judged else "none could be judged"
    if inconclusive := [item for item in strength.inconclusive if item.kind == kind]:
        text += f"; {len(inconclusive)} inconclusive ({_reasons(inconclusive)})"
    if elsewhere := sum(item.result == CANNOT_RUN for item in items):
        text += f"; {elsewhere} cannot run here"
    return text


def _tool(strength: Strength, kind: str) -> str:
    """By whom, if it was the project's own tool."""
    return f" (by {strength.mutants_by})" if kind == MUTANT and strength.mutants_by else ""


def _reasons(items: list[StrengthItem]) -> str:
    return "; ".join(dict.fromkeys(item.reason for item in items if item.reason))


def _lines_text(strength: Strength) -> str:
    text = "not measured"
    if measured := strength.measured_lines:
        text = f"{measured - strength.unrun_lines} of {measured} changed lines are run by a check"
    if strength.measured_lines and strength.other_lines:
        text += f"; not measured for {strength.other_lines} more"
    elsewhere = sum(item.lines for item in strength.cannot_run if item.kind == LINE)
    return f"{text}; {elsewhere} cannot run here" if elsewhere else text
