"""Disputes: record what the agent calls wrong, ask the person when only that is open, and rule.

A final check without looks left is decided in the same way.
"""

from __future__ import annotations

from .. import events as ev
from ..criteria import Check
from ..directives import Directive, Stop
from ..draft import Draft
from ..loop import Loop, plan_of
from ..pausing import breakers
from ..prompts import disputes as texts
from ..proof.dispute_events import CriterionDisputed, CriterionRuled, DisputeWithdrawn
from ..proof.disputes import CHANGE, DROP, KEEP, RULINGS
from ..signals import Answered, Ordered

RULE = "rule"  # the gate
DISPUTE_CAUSE, LOOKS_CAUSE = RULING_CAUSES = ("dispute", "looks")
MAX_WHY = 500


def record_disputes(draft: Draft, lines: tuple[str, ...], at: float) -> bool:
    """Record what the agent disputes, as `<criterion>: <why>`. Was anything new?"""
    is_news = False
    for line in lines:
        name, why = split_dispute(draft.loop, line)
        if not name or _is_known(draft.loop, name, why):
            continue
        is_news = is_news or why not in {d.why for d in draft.loop.disputes if d.criterion == name}
        draft.record(CriterionDisputed(name, why, at))
    return is_news


def split_dispute(loop: Loop, line: str) -> tuple[str, str]:
    """The criterion that the line names, and why it is wrong; "" for a name that we do not know.

    Names may hold a colon, so the longest name that fits counts.
    """
    independent = (c for c in loop.final_checks if c.is_independent)
    names = sorted((c.name for c in (*loop.criteria, *independent)), key=len, reverse=True)
    for name in names:
        rest = line[len(name) :].lstrip()
        if line[: len(name)].casefold() == name.casefold() and rest[:1] in ("", ":"):
            return name, rest[1:].strip()[:MAX_WHY] or texts.NO_REASON
    return "", ""


def unknown_disputes(loop: Loop, lines: tuple[str, ...]) -> set[str]:
    """The names in these lines that are no criteria of the loop."""
    return {line.partition(":")[0].strip() for line in lines if not split_dispute(loop, line)[0]}


def _is_known(loop: Loop, name: str, why: str) -> bool:
    """Is it disputed with these words already, or did the person decide that it stays?"""
    last = next((d for d in reversed(loop.disputes) if d.criterion == name), None)
    if not last:
        return False
    return last.ruling == KEEP or (not last.ruling and last.why == why)


def withdraw_disputes(draft: Draft) -> None:
    """A disputed criterion that passes in our own run is no longer disputed."""
    loop = draft.loop
    for c in loop.criteria:
        if c.name in loop.disputed_criteria and c.may_run and loop.is_met(c):
            draft.record(DisputeWithdrawn(c.name))
    for c in loop.final_checks:
        if c.name in loop.disputed_criteria and c.passes_on(loop.tree):
            draft.record(DisputeWithdrawn(c.name))


def only_disputed(loop: Loop) -> tuple[str, ...]:
    """The unmet criteria, if the agent disputes each of them; else none."""
    unmet = loop.unmet_criteria
    is_all = set(unmet) <= set(loop.disputed_criteria) and not loop.assumed_criteria
    return unmet if is_all else ()


def ask_for_ruling(draft: Draft, cause: str, names: tuple[str, ...], at: float) -> Directive:
    """Ask the person to decide; where no person answers, pause with the reason and the command."""
    loop = draft.loop
    reason = texts.ruling_reason(loop, cause, names)
    if loop.headless_run or not loop.gates_enabled:
        return breakers.pause_loop(draft, cause, reason, at)
    return breakers.ask_person(draft, RULE, reason, at, names)


def ask_about_looks(draft: Draft, at: float) -> Directive:
    """Ask about the final checks without looks left. The agent of a plan works on gaps, so their
    objections become gaps for the time after the ruling.
    """
    if draft.loop.plan:
        _record_objection_gaps(draft)
    return ask_for_ruling(draft, LOOKS_CAUSE, draft.loop.exhausted_checks, at)


def _record_objection_gaps(draft: Draft) -> None:
    from ..plan import events as pl
    from ..plan.gaps import objection_gaps
    from ..plan.plan import GAPS_FOUND, VERIFY, HistoryEntry

    if gaps := objection_gaps(draft.loop):
        rounds = plan_of(draft.loop).fix_rounds
        entry = HistoryEntry(rounds, VERIFY, GAPS_FOUND, tuple(gap.key for gap in gaps))
        draft.record(pl.GapsFound(gaps, entry))


def ruling_problem(loop: Loop, name: str, ruling: str, check: Check | None) -> str:
    """Why the person cannot rule so; "" if they can."""
    waiting = loop.awaiting_ruling
    if name not in waiting:
        return texts.not_disputed_text(name, waiting)
    if ruling not in RULINGS:
        return texts.unknown_ruling_text(name, ruling)
    is_final = any(c.name == name for c in loop.final_checks)
    if ruling == CHANGE and is_final:
        return texts.final_check_text(name)
    if (ruling == CHANGE) != bool(check):
        return texts.command_text(name, ruling)
    is_last = len(loop.criteria) == 1 and not loop.backlog
    return texts.last_criterion_text(name) if ruling == DROP and not is_final and is_last else ""


def handle_rule(draft: Draft, order: Ordered) -> Directive:
    """Record the decision; the loop continues when nothing else awaits a ruling."""
    name, ruling = (*order.arguments, "", "")[:2]
    check = order.criteria[0].check if ruling == CHANGE and order.criteria else None
    if problem := ruling_problem(draft.loop, name, ruling, check):
        draft.record(ev.OrderRefused("rule", problem))
        return Stop(message=problem)
    draft.record(CriterionRuled(name, ruling, order.at, check))
    decision = texts.ruled_text(name, ruling, check)
    draft.record(ev.GuidanceGiven(decision))
    loop, text = draft.loop, f"[LOOP] {decision}"
    asks_for_ruling = bool(loop.gate and loop.gate.name == RULE)
    listed = loop.gate.listed if loop.gate and asks_for_ruling else loop.awaiting_ruling
    if waiting := tuple(name for name in listed if name in loop.awaiting_ruling):
        return Stop(message=f"{text}\n{texts.waiting_text(waiting)}")
    if asks_for_ruling:
        draft.record(ev.GateAnswered(RULE, f"{ruling} {name}", order.at))
    elif loop.status == "paused" and loop.pause.cause in RULING_CAUSES:
        draft.record(ev.LoopResumed(order.at))
    return Stop(message=f"{text}{texts.continues_text(draft.loop)}")


def rule_by_answer(draft: Draft, signal: Answered) -> bool:
    """Apply an answer of one word, `keep` or `drop`, to all that the question lists. Was it one?"""
    ruling = signal.text.strip().rstrip(".!").lower()
    gate = draft.loop.gate
    if ruling not in (KEEP, DROP) or not gate:
        return False
    names = [name for name in gate.listed if name in draft.loop.awaiting_ruling]
    if any(ruling_problem(draft.loop, name, ruling, None) for name in names):
        return False
    for name in names:
        draft.record(CriterionRuled(name, ruling, signal.at))
    decisions = "\n".join(texts.ruled_text(name, ruling, None) for name in names)
    draft.record(ev.GateAnswered(RULE, ruling, signal.at, guidance=decisions))
    return True
