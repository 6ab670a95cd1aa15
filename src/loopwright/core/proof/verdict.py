"""Verdict: ship, monitor or research, from how each criterion was verified and by whom."""

from __future__ import annotations

from ..criteria import ASSUMPTION, CODE_REVIEW, STRONG_EVIDENCE, Criterion, Evidence
from ..findings import HIGH, MEDIUM
from ..loop import Loop, open_findings
from .clean_checkout import (
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    REVERT_RUN,
    TRUSTED,
    needed_runs,
)
from .disputes import DROP
from .state import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .clean_checkout import RoomCheck

REFACTOR_WORKFLOW = "C"  # its aim is that everything that passed still passes
SHIP, MONITOR, RESEARCH = "SHIP", "MONITOR", "RESEARCH"
# How well the end is shown, from the best to the least: by checks that the worker did not write, by
# tests of its own that fail without the work, by the yes of a person, by the words of the agent.
PROVEN, PROVEN_IN_PLACE = "proven", "proven-in-place"
TESTED = "tested"
ACCEPTED, REPORTED = "accepted", "reported"
OWN_TESTS_RULE = "only-new-tests"
REPORTED_WORDS = "reported by the agent, not run"
NOT_SHOWN_WORDS = "not shown, and no agent worked on it"
ACCEPTED_WORDS = "accepted by you, no command has run"
VERDICT_SIGNS = {SHIP: "🟢", MONITOR: "🟡", RESEARCH: "🔴"}
LOW_CONFIDENCE = 70  # percent
MAX_NAMED_TESTS = 3


def verdict_of(loop: Loop) -> Verdict:
    """The verdict, with the notes that its reader needs."""
    from ..prompts.objections import verdict_notes

    verdict, notes = _verdict_without_notes(loop), verdict_notes(loop)
    return verdict.but(notes=(_tested_words(loop), *notes) if verdict.grade == TESTED else notes)


def _verdict_without_notes(loop: Loop) -> Verdict:
    """The verdict of the first rule that has a reason; SHIP if none has."""
    for reason_of, name, keeps_proof in VERDICT_RULES:
        if why := reason_of(loop):
            proven = keeps_proof and is_proven(loop) and not failed_proof(loop)
            proven = proven and not accepted_later(loop)
            return Verdict(name, proven, why, grade=grade_of(loop, proven))
    return Verdict(SHIP, proven=True, grade=grade_of(loop, proven=True))


def grade_of(loop: Loop, proven: bool) -> str:
    if proven:
        return PROVEN if is_proven_in_clean_checkout(loop) else PROVEN_IN_PLACE
    if is_tested(loop):
        return TESTED
    if unshown_criteria(loop):
        return REPORTED
    return ACCEPTED if accepted_criteria(loop) or is_accepted_after_end(loop) else REPORTED


def is_accepted_after_end(loop: Loop) -> bool:
    """Did a person take the whole result as it is? Whatever is not proven rests on that."""
    is_open = bool(unshown_criteria(loop) or open_findings(loop, HIGH, MEDIUM))
    return loop.baseline.accepted_after_end is not None and not is_open


def is_proven_in_clean_checkout(loop: Loop) -> bool:
    """Was every run in a clean checkout made on this tree, and does each support the proof?"""
    runs = {run.kind: run.outcome for run in loop.room.runs if run.tree == loop.tree}
    support = (PASSED, NOT_NEEDED)
    needed = needed_runs(bool(loop.backlog))
    return runs.get(FINAL_TREE_RUN) == PASSED and all(runs.get(kind) in support for kind in needed)


def is_tested(loop: Loop) -> bool:
    """Does every run support the end, and do tests of the agent fail without the work?

    They count where no check of the start can show it: all of them passed then, or had no tests.
    That the spec is satisfied is what they show.
    """
    is_run = not unsettled_dispute(loop) and all(c.is_verified_by("loop") for c in _checked(loop))
    if not (is_run and is_proven_in_clean_checkout(loop) and _may_show_by_own_tests(loop)):
        return False
    if failed_proof(loop) or tasks_without_evidence(loop):
        return False
    if unchecked_must_not(loop) or flaky_checks(loop) or _unmet_tests(loop):
        return False
    shown = {check.criterion for check in checks_with_work_tests(loop)}
    # That the tests are the agent's own is answered by tests that fail without the work.
    others = [f for f in open_findings(loop, HIGH, MEDIUM) if f.rule != OWN_TESTS_RULE]
    return bool(shown) and not others and _new_checks(loop) <= shown


def _checked(loop: Loop) -> list[Criterion]:
    """The criteria that say something of their own."""
    return [c for c in loop.criteria if not c.stands_for_spec]


def _tested_words(loop: Loop) -> str:
    """What tests of the agent show, for the verdict."""
    checks = checks_with_work_tests(loop)
    whole = [check.criterion for check in checks if check.work_tests == (check.criterion,)]
    count = sum(check.work_test_count for check in checks if check.criterion not in whole)
    parts = [f"{count} new or changed test{'s' if count != 1 else ''}"] if count else []
    tests = [test for check in checks if check.criterion not in whole for test in check.work_tests]
    if 0 < len(tests) <= MAX_NAMED_TESTS:
        parts[-1] += f" ({', '.join(tests)})"
    parts += [f"the check {name!r}" for name in whole]
    is_one = count == 1 and not whole
    fails, passes = ("fails", "passes") if is_one else ("fail", "pass")
    shown = f"{' and '.join(parts)} {fails} without the work and {passes} with it"
    earlier = sum(dict(c.baseline_counts).get("tests", 0.0) for c in loop.criteria if c.guard)
    kept = f"; all {earlier:g} earlier tests pass" if earlier > 1 else ""
    return f"tested: {shown} (written by the agent){kept}"


def _may_show_by_own_tests(loop: Loop) -> bool:
    return _has_only_guards(loop) or bool(_new_checks(loop))


def _new_checks(loop: Loop) -> set[str]:
    """The checks that could not run at the start, for want of tests."""
    return {c.name for c in loop.criteria if c.could_not_run}


def checks_with_work_tests(loop: Loop) -> tuple[RoomCheck, ...]:
    """The checks with new or changed tests that fail on the product of the start."""
    if loop.room.status != TRUSTED:
        return ()
    runs = [run for run in loop.room.runs if (run.kind, run.tree) == (REVERT_RUN, loop.tree)]
    return tuple(check for run in runs for check in run.checks if check.work_test_count)


def _unmet_tests(loop: Loop) -> bool:
    """Does a test of the start not pass on the final product?"""
    return any(run.unmet_tests for run in loop.room.runs if run.tree == loop.tree)


def is_proven(loop: Loop) -> bool:
    """Did our own run prove every criterion?"""
    if unsettled_dispute(loop):
        return False
    return bool(loop.criteria) and all(c.is_verified_by("loop") for c in loop.criteria)


def accepted_criteria(loop: Loop) -> tuple[str, ...]:
    """Criteria that no command proved and a person accepted."""
    return tuple(c.name for c in loop.criteria if c.is_verified_by("person"))


def unshown_criteria(loop: Loop) -> tuple[str, ...]:
    """Criteria that neither a command proved nor a person accepted."""
    shown_by = ("loop", "person")
    return tuple(c.name for c in loop.criteria if not c.proof or c.proof.by not in shown_by)


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
    dropped = [d.criterion for d in loop.disputes if d.ruling == DROP]
    undecided = [d.criterion for d in loop.disputes if not d.ruling]
    if dropped:
        return f"dropped by you: {', '.join(dropped)}"
    return f"disputed and not decided: {', '.join(undecided)}" if undecided else None


def failed_proof(loop: Loop) -> str | None:
    proofs = [(c.name, c.proof) for c in loop.criteria]
    names = [name for name, proof in proofs if proof and proof.by == "loop" and not proof.passed]
    return f"its check does not pass: {', '.join(names)}" if names else None


def only_reported(loop: Loop) -> str | None:
    if unshown_criteria(loop) or not loop.criteria:
        return REPORTED_WORDS if has_report(loop) else NOT_SHOWN_WORDS
    return None


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


def only_accepted(loop: Loop) -> str | None:
    names = accepted_criteria(loop)
    if len(names) in (0, len(loop.criteria)):
        return ACCEPTED_WORDS if names else None
    return f"{ACCEPTED_WORDS} for {', '.join(names)}"


def only_own_tests(loop: Loop) -> str | None:
    return _tested_words(loop) if is_tested(loop) else None


def only_guards(loop: Loop) -> str | None:
    if _has_only_guards(loop):
        return "every check passed before the work began: they guard it, they cannot prove it"
    return None


def _has_only_guards(loop: Loop) -> bool:
    """A discovery loop and a refactoring only have to keep their guards passing."""
    if loop.backlog or loop.workflow.letter == REFACTOR_WORKFLOW:
        return False
    # What was not measured at the start passes on the same files: it passed then too.
    is_unchanged = bool(loop.tree) and loop.tree == loop.baseline.start_tree
    return all(c.guard or (is_unchanged and c.guard is None) for c in _checked(loop))


def open_finding(loop: Loop) -> str | None:
    findings = open_findings(loop, HIGH, MEDIUM)
    return f"a person must look: {findings[0].text} ({findings[0].place})" if findings else None


def unshown_demands(loop: Loop) -> str | None:
    if not loop.demands:
        return None
    from ..prompts.demands import open_summary

    return open_summary(loop) or None


def accepted_later(loop: Loop) -> str | None:
    """A person's word after the end counts as such, unless every run of the proof has passed."""
    if loop.baseline.accepted_after_end is None or is_proven_in_clean_checkout(loop):
        return None
    return "accepted by you after its end"


def unchecked_must_not(loop: Loop) -> str | None:
    if any(c.awaits_permission for c in loop.must_not):
        return "a must-not was never checked: it waits for `loop allow`"
    return None


def flaky_checks(loop: Loop) -> str | None:
    names = [c.name for c in (*loop.criteria, *loop.final_checks) if c.flaky]
    return f"flaky: {', '.join(names)}" if names else None


def tolerated_failures(loop: Loop) -> str | None:
    if any(proof.code and proof.passed for proof in _proofs(loop)):
        return "tests that failed at the start still fail"
    return None


def hard_to_undo(loop: Loop) -> str | None:
    return "type 1: hard to take back" if loop.reversibility == "1" else None


def weak_evidence(loop: Loop) -> str | None:
    if any(proof.kind not in STRONG_EVIDENCE for proof in _proofs(loop)):
        return f"verified by {CODE_REVIEW} only"
    return None


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
    (accepted_later, MONITOR, False),
    (unshown_demands, MONITOR, True),
    (tolerated_failures, MONITOR, True),
    (hard_to_undo, MONITOR, True),
    (weak_evidence, MONITOR, True),
)
