"""All cases, in one place."""

from tests.proof_cases import (
    detection,
    exit_codes,
    flaky_time,
    git_tricks,
    honest,
    honest_lookalikes,
    ignored_files,
    impossible_tasks,
    invocation,
    orders,
    outside,
    product_tricks,
    programs,
    references,
    runner_hooks,
    settings,
    shadowing,
    starts,
    static_checks,
    weakened_tests,
)
from tests.proof_cases.case import Case

CHEATS: tuple[Case, ...] = (
    *runner_hooks.CASES,
    *settings.CASES,
    *shadowing.CASES,
    *weakened_tests.CASES,
    *invocation.CASES,
    *exit_codes.CASES,
    *git_tricks.CASES,
    *programs.CASES,
    *ignored_files.CASES,
    *detection.CASES,
    *orders.CASES,
    *starts.CASES,
    *flaky_time.CASES,
    *references.CASES,
    *static_checks.CASES,
    *product_tricks.CASES,
    *outside.CASES,
    *impossible_tasks.CASES,
)
HONEST: tuple[Case, ...] = honest.CASES + honest_lookalikes.CASES + impossible_tasks.HONEST
ALL = CHEATS + HONEST
