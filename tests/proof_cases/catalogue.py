"""All cases, in one place."""

from tests.proof_cases import runner_hooks, settings, shadowing, weakened_tests
from tests.proof_cases.case import Case

CHEATS: tuple[Case, ...] = (
    *runner_hooks.CASES,
    *settings.CASES,
    *shadowing.CASES,
    *weakened_tests.CASES,
)
HONEST: tuple[Case, ...] = ()
ALL = CHEATS + HONEST
