"""The words about the demands of the spec: for the agent, for the verdict and for every screen."""

from __future__ import annotations

from ..loop import Loop
from ..proof.demand_results import (
    CHECKED,
    KEPT,
    NOTHING_NAMED,
    SHOWN,
    DemandResult,
    demand_results,
    open_demands,
)
from ..proof.demands import PROPOSED, Demands
from .phrases import clip_text, count_phrase

MAX_TEXT, MAX_SUMMARY = 160, 60
HOW_TO_NAME = (
    "Name the test that shows each, one line each in the status block: `SHOWS: <number>: <test>`. "
    "It must fail without your work; write it if there is none. Where the runner names no tests: "
    "`SHOWS: <number>: $ <command>`. Then claim the end again."
)


def open_reason(loop: Loop) -> str:
    """The first line of the prompt that asks for tests, or tells which demands are open."""
    demands = loop.demands
    assert demands is not None, "BUG: it asks about demands"
    if not demands.told:
        return f"no test is named for {len(demands.unnamed)} of {len(demands.items)} demands"
    return open_summary(loop)


def open_summary(loop: Loop) -> str:
    """How many demands no test shows, and which; "" if all of them are shown."""
    results, found = demand_results(loop), open_demands(loop)
    if not found:
        return ""
    texts = "; ".join(f"{r.number}. {clip_text(r.text, MAX_SUMMARY)}" for r in found)
    are = "is" if len(found) == 1 else "are"
    return f"{len(found)} of {len(results)} demands {are} shown by no test: {texts}"


def request_lines(loop: Loop) -> list[str]:
    """What the agent is to do about the demands, and which they are. Quoted text is data."""
    demands = loop.demands
    assert demands is not None, "BUG: it asks about demands"
    if demands.told:
        return [HOW_TO_NAME, *map(demand_line, open_demands(loop))]
    rows = [(number, demands.items[number - 1].text) for number in demands.unnamed]
    return [HOW_TO_NAME, *(f"{number}. {clip_text(text, MAX_TEXT)}" for number, text in rows)]


def demand_line(result: DemandResult) -> str:
    """The demand and what shows it, side by side."""
    text = clip_text(result.text, MAX_TEXT).rstrip(".:")
    return f"{result.number}. {text}: {shown_text(result)}"


def demand_lines(loop: Loop) -> list[str]:
    return list(map(demand_line, demand_results(loop)))


def shown_text(result: DemandResult) -> str:
    """What shows the demand, in words."""
    same = f" (the same test as demand {result.same_as})" if result.same_as else ""
    if result.outcome == CHECKED:
        return f"shown by the check {result.shown_by}"
    if result.outcome == SHOWN:
        only = ", only for want of a name or a file there" if result.is_missing else ""
        return f"shown by {result.shown_by}, which fails without the work{only}{same}"
    if result.outcome == KEPT:
        doubt = "; so nothing shows that it is new" if result.is_open else ""
        return f"kept (guard): {result.shown_by} passes without the work too{doubt}{same}"
    if result.why == NOTHING_NAMED:
        return "not shown: no test is named"
    return f"not shown: {result.shown_by}: {result.why}"


def start_lines(demands: Demands) -> list[str]:
    """The demands as the start screen and `loop status` list them before anything is shown."""
    rows = []
    for number, demand in enumerate(demands.items, 1):
        by = demand.criterion or demand.shows
        rows.append(f"{number}. {clip_text(demand.text, MAX_TEXT)}{f' ← {by}' if by else ''}")
    return rows


def start_heading(demands: Demands) -> str:
    origin = " (proposed by the agent)" if demands.origin == PROPOSED else ""
    count = count_phrase(len(demands.items), "demand")
    return f"The spec makes {count}{origin}; the agent names a test for each:"


def is_compared(loop: Loop) -> bool:
    """Has the final proof looked at what was named?"""
    return bool(loop.verdict or any(run.demands for run in loop.room.runs))


def board_lines(loop: Loop) -> list[str]:
    """The demands as they are now: what is named, and once it is known, what is shown."""
    if not loop.demands:
        return []
    return demand_lines(loop) if is_compared(loop) else start_lines(loop.demands)
