"""All cases, in one place."""

from tests.proof_cases import (
    detection,
    exit_codes,
    flaky_time,
    git_tricks,
    honest,
    ignored_files,
    invocation,
    orders,
    programs,
    runner_hooks,
    settings,
    shadowing,
    starts,
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
)
HONEST: tuple[Case, ...] = honest.CASES
ALL = CHEATS + HONEST
