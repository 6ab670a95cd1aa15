"""Grades: how well the end of a loop is shown, and by what."""

from __future__ import annotations

from ..criteria import Criterion
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
from .measured_strength import strength_of
from .reasons import (
    failed_proof,
    flaky_checks,
    tasks_without_evidence,
    unchecked_must_not,
    unmet_tests,
    unsettled_dispute,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .clean_checkout import RoomCheck

REPOSITORY_TESTS = "tests pass"  # the criterion of the repository's own tests
REFACTOR_WORKFLOW = "C"  # its aim is that everything that passed still passes
REPAIR_WORKFLOW = "B"
# How well the end is shown, from the best to the least: by checks that the worker did not write, by
# tests of its own that fail without the work, by the yes of a person, by the words of the agent.
PROVEN, PROVEN_IN_PLACE = "proven", "proven-in-place"
TESTED = "tested"
ACCEPTED, REPORTED = "accepted", "reported"
GRADES = (PROVEN, PROVEN_IN_PLACE, TESTED, ACCEPTED, REPORTED)  # from the best to the least
REQUIRABLE = GRADES[:3]  # of these, a person says which is enough for exit code 0
OWN_TESTS_RULE = "only-new-tests"


def grade_of(loop: Loop, proven: bool) -> str:
    if proven:
        return PROVEN if is_proven_in_clean_checkout(loop) else PROVEN_IN_PLACE
    if is_tested(loop):
        return TESTED
    if unshown_criteria(loop):
        return REPORTED
    return ACCEPTED if accepted_criteria(loop) or is_accepted_after_end(loop) else REPORTED


def is_enough(loop: Loop) -> bool:
    """Has the loop ended with the grade that the person requires, or a better one?"""
    verdict, required = loop.verdict, loop.settings.required_grade or TESTED
    if verdict is None or not verdict.is_shown:
        return False
    return GRADES.index(verdict.grade_word) <= GRADES.index(required)


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

    That the spec is satisfied is what they show. Where tests are the work, nothing fails without
    it; their strength shows it.
    """
    shown = {check.criterion for check in checks_with_work_tests(loop)}
    is_shown = bool(shown) and _new_checks(loop) <= shown
    return (is_shown or strength_of(loop).of_tests) and _holds_but_for_proof(loop)


def lacks_test(loop: Loop) -> bool:
    """Has the product changed, and does no check or test fail without that?

    The demands of a spec ask for their tests themselves, and so does a second agent.
    """
    if loop.policy != "spec" or loop.demands or not strength_of(loop).can_be_tested:
        return False
    if any(c.is_independent for c in loop.final_checks):
        return False
    return has_only_guards(loop) and not checks_with_work_tests(loop)


def only_misses_names(loop: Loop) -> bool:
    """Do the tests of the agent fail without the work for want of a name or a file alone?"""
    return all(c.missing_count >= c.work_test_count for c in checks_with_work_tests(loop))


def is_weak_evidence(loop: Loop) -> bool:
    """Do they notice no change of the work, or is that all that they show of a small work?"""
    strength = strength_of(loop)
    if not checks_with_work_tests(loop):
        return False
    is_unnoticed = bool(strength.weak_items) and not strength.has_enough_judged
    return strength.is_noticed_by_earlier_tests or (is_unnoticed and only_misses_names(loop))


def is_shown_independently(loop: Loop) -> bool:
    """The same, but checks that a second agent wrote before the work show it."""
    if not any(c.is_independent for c in loop.final_checks) or not _holds_but_for_proof(loop):
        return False
    from ..second_eyes.independent import is_shown_by_others

    return is_shown_by_others(loop)


def _holds_but_for_proof(loop: Loop) -> bool:
    """Does all hold that we can run, where no check of the start can show the work?"""
    is_run = not unsettled_dispute(loop) and all(
        c.is_verified_by("loop") for c in checked_criteria(loop)
    )
    if not (is_run and is_proven_in_clean_checkout(loop) and _may_show_by_own_tests(loop)):
        return False
    if failed_proof(loop) or tasks_without_evidence(loop):
        return False
    if unchecked_must_not(loop) or flaky_checks(loop) or unmet_tests(loop):
        return False
    # That the tests are the agent's own is answered by what fails without the work.
    return all(f.rule == OWN_TESTS_RULE for f in open_findings(loop, HIGH, MEDIUM))


def checked_criteria(loop: Loop) -> list[Criterion]:
    """The criteria that say something of their own."""
    return [c for c in loop.criteria if not c.stands_for_spec]


def _may_show_by_own_tests(loop: Loop) -> bool:
    """Is there something that no check of the start can show?"""
    if has_only_guards(loop) or _new_checks(loop):
        return True
    if loop.backlog or loop.workflow.letter == REFACTOR_WORKFLOW or is_done_when_red_passes(loop):
        return False
    return any(c.stands_for_spec for c in loop.criteria)


def _new_checks(loop: Loop) -> set[str]:
    """The checks that could not run at the start, for want of tests."""
    return {c.name for c in loop.criteria if c.could_not_run}


def checks_with_work_tests(loop: Loop) -> tuple[RoomCheck, ...]:
    """The checks with new or changed tests that fail on the product of the start."""
    if loop.room.status != TRUSTED:
        return ()
    runs = [run for run in loop.room.runs if (run.kind, run.tree) == (REVERT_RUN, loop.tree)]
    return tuple(check for run in runs for check in run.checks if check.work_test_count)


def is_proven(loop: Loop) -> bool:
    """Did our own run prove every criterion?"""
    if unsettled_dispute(loop):
        return False
    is_by_others = keeps_behaviour(loop) or is_done_when_red_passes(loop)
    needed = checked_criteria(loop) if is_by_others else loop.criteria
    return bool(needed) and all(c.is_verified_by("loop") for c in needed)


def keeps_behaviour(loop: Loop) -> bool:
    """Is it a refactoring after which all that passed before passes, also the tests of the start?

    That is its proof: no command can say whether it is the refactoring that was asked for.
    """
    is_refactoring = loop.workflow.letter == REFACTOR_WORKFLOW and not loop.backlog
    if not is_refactoring or loop.tree == loop.baseline.start_tree:
        return False
    return any(c.guard for c in checked_criteria(loop)) and is_proven_in_clean_checkout(loop)


def is_done_when_red_passes(loop: Loop) -> bool:
    """Does a check that failed at the start show, when it passes, that the spec is satisfied?

    The spec asks to make it pass, or points to its tests. What else it asks for has to be shown
    demand by demand.
    """
    failed = [c for c in checked_criteria(loop) if c.guard is False and not c.could_not_run]
    if not failed or loop.policy != "spec" or loop.backlog:
        return False
    from ..start.binding import (
        asks_until_checks_pass,
        checks_wanted_by_spec,
        is_asked_for,
        names_test_file,
    )

    red = {c.name for c in failed}
    is_by_tests = REPOSITORY_TESTS in red and names_test_file(loop.spec)
    is_by_tests = is_by_tests or any(c.of_work for c in failed)
    if loop.workflow.letter == REPAIR_WORKFLOW:  # «Fix the links. `make check` lists them.»
        commands = [c.check.command_line for c in failed if c.check]
        is_by_tests = is_by_tests or any(is_asked_for(line, loop.spec) for line in commands)
    if not (is_by_tests or red.intersection(checks_wanted_by_spec(loop.spec))):
        return False
    return is_by_tests or bool(loop.demands) or asks_until_checks_pass(loop.spec)


def accepted_criteria(loop: Loop) -> tuple[str, ...]:
    """Criteria that no command proved and a person accepted."""
    return tuple(c.name for c in loop.criteria if c.is_verified_by("person"))


def unshown_criteria(loop: Loop) -> tuple[str, ...]:
    """Criteria that neither a command proved nor a person accepted."""
    shown_by = ("loop", "person")
    is_by_others = keeps_behaviour(loop) or is_done_when_red_passes(loop)
    asked = checked_criteria(loop) if is_by_others else loop.criteria
    return tuple(c.name for c in asked if not c.proof or c.proof.by not in shown_by)


def has_only_guards(loop: Loop) -> bool:
    """A discovery loop and a refactoring only have to keep their guards passing."""
    if loop.backlog or loop.workflow.letter == REFACTOR_WORKFLOW:
        return False
    # What was not measured at the start passes on the same files: it passed then too.
    is_unchanged = bool(loop.tree) and loop.tree == loop.baseline.start_tree
    return all(c.guard or (is_unchanged and c.guard is None) for c in checked_criteria(loop))
