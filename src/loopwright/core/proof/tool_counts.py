"""Counts of a tool, such as tests, problems and coverage: what got worse since the baseline."""

from __future__ import annotations

from ..criteria import Criterion, Evidence
from ..findings import HIGH, LOW, MEDIUM, Finding
from ..record import Record

# Count of a tool → the direction in which it gets worse, and the rule that this breaks.
WORSE_DIRECTION = {
    "tests": (-1, "fewer-tests-run"),
    "coverage": (-1, "coverage-fell"),
    "problems": (1, "more-problems"),
    "failures": (1, "more-failures"),
}
SMALL_COVERAGE_FALL = 1.0  # points


class ExplainedTests(Record):
    """How many tests fewer there may be, because changed test files have fewer of them.

    The ratchet compares what these files assert, and reports what was lost.
    """

    by_changes: int = 0
    by_permission: int = 0  # in files that the person named in advance
    new_skips: int = 0  # tests that are new and skipped


def worse_count_findings(criterion: Criterion, explained: ExplainedTests) -> tuple[Finding, ...]:
    """Counts of the criterion's tool that got worse since the baseline."""
    now = comparable_counts(criterion.proof) if criterion.proof else {}
    findings = []
    if _has_lost_counts(criterion, now):
        findings.append(Finding(HIGH, "counts-gone", criterion.name))
    for name, count in criterion.baseline_counts:
        if name not in WORSE_DIRECTION or name not in now:
            continue
        direction, rule = WORSE_DIRECTION[name]
        if (now[name] - count) * direction > 0:
            before, after = f"{count:g} {name}", f"{now[name]:g} {name}"
            severity = HIGH
            if name == "tests":
                severity = _loss_severity(count - now[name], explained)
            elif name == "coverage":
                severity = _coverage_severity(criterion, now)
            findings.append(Finding(severity, rule, criterion.name, before=before, after=after))
    return (*findings, *_skip_findings(criterion, now, explained))


def _coverage_severity(criterion: Criterion, now: dict[str, float]) -> str:
    """A small fall is only named, and so is one where no more code than before is not run.

    Who removes code that the tests run makes the percentage fall too.
    """
    before = dict(criterion.baseline_counts)
    fall = before["coverage"] - now["coverage"]
    is_as_much = now.get("uncovered", float("inf")) <= before.get("uncovered", -1.0)
    return LOW if is_as_much or fall <= SMALL_COVERAGE_FALL else HIGH


def _skip_findings(
    criterion: Criterion, now: dict[str, float], explained: ExplainedTests
) -> tuple[Finding, ...]:
    """Tests that ran at the start and are skipped now; without their names, the counts decide.

    The skipped ones may be new, or in files that did not load at the start. If neither explains
    them and no fewer tests run, a person must look.
    """
    rule, proof, before = "more-tests-skipped", criterion.proof, dict(criterion.baseline_counts)
    if proof and proof.newly_skipped:
        names = ", ".join(proof.newly_skipped)
        return (Finding(HIGH, rule, criterion.name, after=names),)
    if not proof or "skipped" not in before or "skipped" not in now:
        return ()
    more = now["skipped"] - before["skipped"] - proof.excused_skips
    ran_before, runs = (counts.get("tests", 0.0) - counts["skipped"] for counts in (before, now))
    if more <= 0 or (runs >= ran_before and more <= explained.new_skips):
        return ()
    severity = HIGH
    if runs >= ran_before:
        severity = LOW if before.get("unloaded") else MEDIUM
    was, is_now = f"{before['skipped']:g} skipped", f"{now['skipped']:g} skipped"
    return (Finding(severity, rule, criterion.name, before=was, after=is_now),)


def _has_lost_counts(criterion: Criterion, now: dict[str, float]) -> bool:
    """Did the tool count tests at the start, and does it count none now?

    A run that ends early and prints no summary is not a run that passes. A linter that finds
    nothing may print no count, so only its failure counts. A summary that we cannot parse says
    nothing: the names of the tests and the exit code decide then.
    """
    if not criterion.proof or criterion.proof.counts_unknown:
        return False
    if criterion.proof.passed:
        return "tests" in dict(criterion.baseline_counts) and "tests" not in now
    return bool(criterion.baseline_counts) and not now


def _loss_severity(lost: float, explained: ExplainedTests) -> str:
    if lost <= explained.by_permission:
        return LOW
    return MEDIUM if lost <= explained.by_changes + explained.by_permission else HIGH


def comparable_counts(evidence: Evidence) -> dict[str, float]:
    """The counts of a tool, with its failures unless it counts the same as problems."""
    counts = dict(evidence.counts)
    if evidence.failures is not None and "problems" not in counts:
        counts["failures"] = float(evidence.failures)
    return counts


def tolerate_known_failures(evidence: Evidence, frozen: tuple[str, ...]) -> Evidence:
    """Pass a run that names all its failures if each of them failed at the baseline already."""
    failing = set(evidence.failing)
    names_all = evidence.failures in (None, len(failing))
    only_known = bool(failing) and failing <= set(frozen)
    if evidence.outcome != "exit" or not only_known or not names_all:
        return evidence
    note = f"no worse than at the start: {len(failing)} known to fail"
    return evidence.but(passed=True, detail=f"{note}\n{evidence.detail}")
