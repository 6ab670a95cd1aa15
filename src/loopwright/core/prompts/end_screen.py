"""The end screen: the verdict, what was asked, what a command has shown, what not, what is next."""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop
from ..proof.grades import ACCEPTED, PROVEN, TESTED, is_enough, keeps_behaviour
from ..proof.verdict import VERDICT_SIGNS, only_reported
from .box import draw_box
from .end_words import ADVICE
from .parts import spec_summary
from .phrases import clip_text, count_phrase, one_line

MAX_NOTES, MAX_ROWS, MAX_SPEC, MAX_COMMAND = 12, 20, 200, 160
NO_EVIDENCE = "no evidence given"
# How long it takes to undo the change: what the types 2A, 2B and 1 mean.
UNDO_WORDS = {"2A": "quick to undo", "2B": "takes minutes to undo", "1": "takes hours to undo"}


def end_screen(loop: Loop) -> str:
    """What a person reads when a loop has ended; the same for every grade."""
    # A discovery loop has said its scope already.
    asked = [] if loop.backlog else [f"Asked: {spec_summary(loop, MAX_SPEC)}"]
    if loop.baseline.change:
        asked.append(f"Changed: {one_line(loop.baseline.change)}")
    rows = [verdict_box(loop), *asked, *_shown_rows(loop)]
    notes = loop.verdict.notes[:MAX_NOTES] if loop.verdict else ()
    rows += [f"· {clip_text(note, 200)}" for note in notes]
    rows += [*_demand_rows(loop), *_strength_rows(loop)]
    from .open_questions import question_lines  # at the end alone

    return "\n".join(rows) + question_lines(loop) + _next_row(loop)


def verdict_box(loop: Loop) -> str:
    """The verdict and what it rests on."""
    verdict, estimate = loop.verdict, loop.estimate
    assert verdict is not None, "BUG: a box needs a verdict"
    shown = sum(is_shown(c, loop) for c in loop.criteria)
    confidence = f"Agent {estimate.confidence}% sure" if estimate.confidence is not None else ""
    effort = f"effort {count_phrase(estimate.points, 'point')}" if estimate.points else ""
    undo = UNDO_WORDS[loop.reversibility]
    rest = " · ".join(filter(None, (confidence, undo, effort)))
    rows = [
        _grade_row(loop),
        f"Checklist: {shown}/{len(loop.criteria)} criteria verified",
        f"{undo[0].upper()}{undo[1:]}" if undo == rest else rest,
    ]
    if verdict.why and verdict.why not in rows[0]:
        rows.insert(1, f"{'Note' if is_enough(loop) else 'Held back'}: {verdict.why}")
    tail = []
    if estimate.alternative:
        tail.append(f"↳ Alternative: {estimate.alternative}")
    if estimate.risk:
        tail.append(f"↳ Risk: {estimate.risk}")
    title = f"{VERDICT_SIGNS[verdict.name]} {verdict.name}: {ADVICE[verdict.name]}"
    return draw_box(title, rows, tail)


def _grade_row(loop: Loop) -> str:
    verdict = loop.verdict
    assert verdict is not None
    shown = [c for c in loop.criteria if is_shown(c, loop) and not c.stands_for_spec]
    kinds = {c.proof.kind or NO_EVIDENCE for c in shown if c.proof}
    if verdict.proven:
        where = "in a clean checkout" if verdict.grade_word == PROVEN else verdict.grade_text
        return f"Verified: {', '.join(sorted(kinds)) or 'commands'} ({where})"
    if verdict.grade_word == TESTED:
        return "Tested: tests of the agent fail without the work"
    if verdict.grade_word == ACCEPTED:
        return f"Not verified: {verdict.why or 'accepted by you'}"
    words = only_reported(loop)
    return f"Not verified: {words}" if words else "Not proven"


def is_shown(c: Criterion, loop: Loop) -> bool:
    """Has a command of ours shown it? What stands for the whole spec is shown by the rest."""
    if c.stands_for_spec:
        if keeps_behaviour(loop):
            return False  # the guards show that nothing broke, not that it is what was asked for
        return bool(loop.verdict and loop.verdict.is_shown) and not _is_open_demand(c, loop)
    return c.is_verified_by("loop") and loop.is_met(c)


def _is_open_demand(c: Criterion, loop: Loop) -> bool:
    """Is it a demand in the spec's own words that no test shows?"""
    if not c.by_demand:
        return False
    from ..proof.demand_results import open_demands

    return any(each.text in c.name for each in open_demands(loop))


def _shown_rows(loop: Loop) -> list[str]:
    shown = [_shown_row(c) for c in loop.criteria if is_shown(c, loop)]
    not_shown = [_not_shown_row(c) for c in loop.criteria if not is_shown(c, loop)]
    if loop.plan:
        from .plan_person import task_rows

        names = {c.name for c in loop.criteria if is_shown(c, loop)}
        shown = task_rows(loop.plan, tuple(c.name for c in loop.criteria), names)
        unchecked = [task for task in loop.plan.tasks if not task.checks]
        not_shown += [f"? {task.id} {one_line(task.title)}: no check" for task in unchecked]
    return [*_section("Shown:", shown), *_section("Not shown by a command:", not_shown)]


def _section(title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    more = [f"… and {len(rows) - MAX_ROWS} more"] if len(rows) > MAX_ROWS else []
    return [title, *(f"  {row}" for row in (*rows[:MAX_ROWS], *more))]


def _shown_row(c: Criterion) -> str:
    if not c.check or not c.proof:
        return f"✓ {one_line(c.name)}"
    if c.check.probe:
        return f"✓ {one_line(c.name)} ({c.proof.result_text})"
    tests = int(dict(c.proof.counts).get("tests", 0))
    count = f", {count_phrase(tests, 'test')}" if tests else ""
    command = clip_text(one_line(c.check.command_line), MAX_COMMAND)
    return f"✓ {one_line(c.name)} ← {command} ({c.proof.timed_result}{count})"


def _not_shown_row(c: Criterion) -> str:
    name, proof = one_line(c.name), c.proof
    if not proof:
        return f"? {name}: nothing has shown it"
    if proof.by == "person":
        return f"? {name}: accepted by you"
    if proof.by == "agent":
        return f"? {name}: reported by the agent ({proof.kind or NO_EVIDENCE})"
    return f"✗ {name}: its check does not pass ({proof.result_text})"


def _demand_rows(loop: Loop) -> list[str]:
    """What shows each demand of the spec."""
    if not loop.demands:
        return []
    from .demands import demand_lines

    return ["Demands of the spec:", *demand_lines(loop)]


def _strength_rows(loop: Loop) -> list[str]:
    """What the checks notice, if that was to be measured."""
    if not loop.settings.strength_mode:
        return []
    from .thin_work import strength_lines

    return strength_lines(loop)


def _next_row(loop: Loop) -> str:
    if not loop.baseline.tree_id:
        return ""
    if loop.verdict and loop.verdict.is_shown:
        return "\nThe proof: `loop receipt`. To re-run it: `loop audit`"
    return "\nCheck it yourself before you keep it. The record: `loop receipt`"
