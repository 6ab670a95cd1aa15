"""What one run of a check under an overlay says: noticed, not noticed or inconclusive."""

from __future__ import annotations

from .. import lazy_re as re
from ..cleanroom.findings import CheckRun
from ..cleanroom.load_errors import is_load_error
from ..core.proof.strength import EARLIER_TESTS, INCONCLUSIVE, NOT_NOTICED, NOTICED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

NOT_COMPILED = "does not compile or import"
TIMED_OUT = "time-out"
NAME_MISSING = "fails only because a name is missing"
COULD_NOT_RUN = "the check could not run"
ONLY_COVERAGE = "no test fails, only the coverage is lower"
# The floors of pytest-cov, coverage, jest, vitest, nyc, c8 and simplecov.
COVERAGE_FLOOR = re.compile(
    r"(?i)coverage failure|required test coverage of \S+ not reached|coverage threshold for"
    r"|coverage for \w+ \([\d.]+%\) does not meet|coverage \([\d.]+%\) is below the expected"
)
# A name that the part defined and that is gone with it.
MISSING_NAME = (
    r"(?:NameError|AttributeError|ImportError|TypeError|ReferenceError|NoMethodError|undefined"
    r"|not defined|not a function|has no attribute|cannot import|command not found"
    r"|unexpected keyword)[^\n]*\b(?:{names})\b|\b(?:{names})\b[^\n]*(?:is not defined"
    r"|is not a function|: (?:command )?not found)"
)


def result_of(
    run: CheckRun, missing: frozenset[str] = frozenset(), work_tests: Collection[str] = ()
) -> tuple[str, str]:
    """The result and its reason. `missing` are names that are nowhere in the file any more.

    `work_tests` are all tests that fail without the work, as far as they are known.
    """
    evidence = run.evidence
    if evidence.passed:
        return NOT_NOTICED, ""
    if evidence.outcome == "timeout":
        return INCONCLUSIVE, TIMED_OUT
    if evidence.outcome == "missing":
        return INCONCLUSIVE, COULD_NOT_RUN
    if run.report.passed and not run.report.failed and COVERAGE_FLOOR.search(evidence.detail):
        return NOT_NOTICED, ONLY_COVERAGE
    # With the messages of single tests, one that fails for another reason is enough.
    messages = [test.message for test in run.report.failed if test.message.strip()]
    texts = messages or [evidence.detail]
    if all(map(is_load_error, texts)):
        return INCONCLUSIVE, NOT_COMPILED
    if missing:
        names = re.compile(MISSING_NAME.format(names="|".join(map(re.escape, sorted(missing)))))
        if all(names.search(text) or is_load_error(text) for text in texts):
            return INCONCLUSIVE, NAME_MISSING
    is_seen_by_others = bool(work_tests) and set(work_tests) <= set(run.report.passed)
    return NOTICED, EARLIER_TESTS if is_seen_by_others else ""
