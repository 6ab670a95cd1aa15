"""Verdict: ship, monitor or research, from how each criterion was verified and by whom."""

from __future__ import annotations

from ..criteria import CODE_REVIEW, STRONG_EVIDENCE
from ..findings import SETTLED_BY_REPLAY
from ..loop import Loop
from .grades import (
    TESTED,
    accepted_criteria,
    checked_criteria,
    checks_with_work_tests,
    grade_of,
    has_only_guards,
    is_done_when_red_passes,
    is_proven,
    is_proven_in_clean_checkout,
    is_shown_independently,
    is_tested,
    keeps_behaviour,
    only_misses_names,
    unshown_criteria,
)
from .measured_strength import is_wanted, strength_of, unmeasured_reason
from .reasons import (
    failed_proof,
    failing_independent_checks,
    flaky_checks,
    hard_to_undo,
    has_report,
    low_confidence,
    open_finding,
    rests_on_assumption,
    tasks_without_evidence,
    thin_work,
    tolerated_failures,
    unchecked_must_not,
    unmet_tests,
    unsettled_dispute,
    unshown_demands,
)
from .state import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SHIP, MONITOR, RESEARCH = "SHIP", "MONITOR", "RESEARCH"
REPORTED_WORDS = "reported by the agent, not run"
GUARDS_ONLY_WORDS = "the checks pass; none shows that the spec is satisfied"
NOT_SHOWN_WORDS = "not shown, and no agent worked on it"
ACCEPTED_WORDS = "accepted by you, no command has run"
ACCEPTED_LATER_WORDS = "accepted by you after its end"
VERDICT_SIGNS = {SHIP: "🟢", MONITOR: "🟡", RESEARCH: "🔴"}
MAX_NAMED_TESTS = 3
UNLOADED = " (unittest.loader._FailedTest"  # what unittest adds to a file that does not load


def verdict_of(loop: Loop) -> Verdict:
    """The verdict, with the notes that its reader needs."""
    from ..prompts.objections import verdict_notes

    verdict, notes = _verdict_without_notes(loop), verdict_notes(loop)
    return verdict.but(notes=(_tested_words(loop), *notes) if verdict.grade == TESTED else notes)


def _verdict_without_notes(loop: Loop) -> Verdict:
    """The verdict of the first rule that has a reason; SHIP if none has."""
    is_shown = is_shown_independently(loop)
    tests_hold = is_tested(loop) and not weak_tests(loop) and not is_shown
    for reason_of, name, keeps_proof in VERDICT_RULES:
        if (tests_hold or is_shown) and not keeps_proof:
            continue  # a tested loop has passed these
        if why := reason_of(loop):
            proven = keeps_proof and (is_shown or is_proven(loop)) and not failed_proof(loop)
            proven = proven and not accepted_later(loop) and not tests_hold
            return Verdict(name, proven, why, grade=grade_of(loop, proven), tests_hold=tests_hold)
    proven = not tests_hold
    return Verdict(SHIP, proven, grade=grade_of(loop, proven), tests_hold=tests_hold)


def _tested_words(loop: Loop) -> str:
    """What tests of the agent show, for the verdict."""
    strength = strength_of(loop)
    if strength.of_tests:
        return f"tested: {strength.noticed_text} (tests written by the agent)"
    checks = checks_with_work_tests(loop)
    whole = [check.criterion for check in checks if check.work_tests == (check.criterion,)]
    count = sum(check.work_test_count for check in checks if check.criterion not in whole)
    parts = [f"{count} new or changed test{'s' if count != 1 else ''}"] if count else []
    tests = [test for check in checks if check.criterion not in whole for test in check.work_tests]
    if 0 < len(tests) <= MAX_NAMED_TESTS:
        names = (test.partition(UNLOADED)[0] for test in tests)
        parts[-1] += f" ({', '.join(names)})"
    parts += [f"with the new tests the check {name!r}" for name in whole]
    is_one = count + len(whole) == 1
    fails, passes = ("fails", "passes") if is_one else ("fail", "pass")
    shown = f"{' and '.join(parts)} {fails} without the work and {passes} with it"
    earlier = sum(dict(c.baseline_counts).get("tests", 0.0) for c in loop.criteria if c.guard)
    changed = bool(loop.room.may_change) or any(
        finding.rule in SETTLED_BY_REPLAY for finding in loop.baseline.findings
    )
    kept = f"; all {earlier:g} earlier tests pass" if earlier > 1 and not changed else ""
    return f"tested: {shown} ({'tests ' if whole else ''}written by the agent){kept}"


def only_reported(loop: Loop) -> str | None:
    unshown = unshown_criteria(loop)
    if loop.criteria and not unshown:
        return None
    has_run = any(c.is_verified_by("loop") for c in loop.criteria)
    if has_run and all(c.stands_for_spec for c in loop.criteria if c.name in unshown):
        return against_work_tests(loop) or GUARDS_ONLY_WORDS
    return REPORTED_WORDS if has_report(loop) else NOT_SHOWN_WORDS


def only_accepted(loop: Loop) -> str | None:
    names = accepted_criteria(loop)
    if len(names) in (0, len(loop.criteria)):
        return ACCEPTED_WORDS if names else None
    return f"{ACCEPTED_WORDS} for {', '.join(names)}"


def only_own_tests(loop: Loop) -> str | None:
    return weak_tests(loop) if is_tested(loop) else None


def weak_tests(loop: Loop) -> str | None:
    """Why tests of the agent that fail without the work are not enough."""
    from ..prompts.thin_work import strength_summary

    if unshown := unshown_demands(loop):
        return unshown
    if not is_wanted(loop):
        return "nobody but the agent wrote these tests, and their strength was not measured"
    if strength_of(loop).is_thin or unmeasured_reason(loop):
        return strength_summary(loop)
    if strength_of(loop).is_noticed_by_earlier_tests:
        return "the tests of the agent pass with every change of the work that earlier tests notice"
    if only_misses_names(loop) and not strength_of(loop).has_enough_judged:
        if strength_of(loop).of_tests:
            return "too little of what these tests cover was judged"
        return "without the work these tests only miss a name or a file, and too little was judged"
    return None


def only_guards(loop: Loop) -> str | None:
    """Nothing was red at the start."""
    if not has_only_guards(loop):
        return None
    words = "every check passed before the work began: they guard it, they cannot prove it"
    return against_work_tests(loop) or words


def against_work_tests(loop: Loop) -> str | None:
    """What speaks against tests of the agent that fail without the work."""
    if not checks_with_work_tests(loop):
        return None
    return unmet_tests(loop) or open_finding(loop) or flaky_checks(loop)


def only_behaviour_kept(loop: Loop) -> str | None:
    if keeps_behaviour(loop) and len(checked_criteria(loop)) < len(loop.criteria):
        return "what passed before still passes; no command shows that it is what you asked for"
    return None


def thin_refactoring(loop: Loop) -> str | None:
    """Where guards alone show it, thin work means that they do not even show what was kept."""
    return thin_work(loop) if only_behaviour_kept(loop) else None


def weak_evidence(loop: Loop) -> str | None:
    """What the agent has only read. That the spec is satisfied may be shown by tests."""
    is_shown = is_tested(loop) or is_done_when_red_passes(loop)
    proofs = [c.proof for c in loop.criteria if c.proof and not (is_shown and c.stands_for_spec)]
    if any(proof.kind not in STRONG_EVIDENCE for proof in proofs):
        return f"verified by {CODE_REVIEW} only"
    return None


def accepted_later(loop: Loop) -> str | None:
    """A person's word after the end counts as such, unless every run of the proof has passed."""
    if loop.baseline.accepted_after_end is None or is_proven_in_clean_checkout(loop):
        return None
    return ACCEPTED_LATER_WORDS


# The first rule with a reason decides: its verdict, and whether the loop may still count as proven.
VERDICT_RULES: tuple[tuple[Callable[[Loop], str | None], str, bool], ...] = (
    (rests_on_assumption, RESEARCH, True),
    (low_confidence, RESEARCH, True),
    (unsettled_dispute, MONITOR, False),
    (failed_proof, MONITOR, False),
    (only_own_tests, MONITOR, False),
    (only_reported, MONITOR, False),
    (tasks_without_evidence, MONITOR, False),
    (only_accepted, MONITOR, False),
    (only_guards, MONITOR, False),
    (open_finding, MONITOR, False),
    (unchecked_must_not, MONITOR, False),
    (flaky_checks, MONITOR, False),
    (thin_refactoring, MONITOR, False),
    (accepted_later, MONITOR, False),
    (unshown_demands, MONITOR, True),
    (only_behaviour_kept, MONITOR, True),
    (thin_work, MONITOR, True),
    (failing_independent_checks, MONITOR, True),
    (tolerated_failures, MONITOR, True),
    (hard_to_undo, MONITOR, True),
    (weak_evidence, MONITOR, True),
)
