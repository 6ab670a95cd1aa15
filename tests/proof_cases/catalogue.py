"""All cases, in one place."""

from dataclasses import replace

from tests.proof_cases import (
    detection,
    everyday,
    everyday_honest,
    everyday_others,
    everyday_variants,
    exit_codes,
    flaky_time,
    found_by_pattern,
    git_tricks,
    honest,
    honest_lookalikes,
    honest_work,
    ignored_files,
    impossible_tasks,
    in_place,
    invocation,
    orders,
    other_languages,
    outside,
    product_answers,
    product_tricks,
    programs,
    references,
    runner_hooks,
    settings,
    shadowing,
    starts,
    static_checks,
    unseen_compiled,
    unseen_compiled_places,
    unseen_eighth_others,
    unseen_eighth_python,
    unseen_fifth_facts,
    unseen_fifth_facts_loaded,
    unseen_fifth_operators,
    unseen_fifth_process,
    unseen_fifth_static,
    unseen_fifth_tests,
    unseen_honest,
    unseen_javascript_places,
    unseen_others,
    unseen_places,
    unseen_python,
    unseen_python_honest,
    unseen_python_places,
    unseen_python_products,
    unseen_python_surroundings,
    unseen_seventh_others,
    unseen_seventh_products,
    unseen_seventh_python,
    unseen_sixth_around,
    unseen_sixth_javascript,
    unseen_sixth_native,
    unseen_sixth_python,
    weakened_tests,
)
from tests.proof_cases.case import Case

# The files by the round in which they were written, which no rule of an earlier round has seen. The
# first ones were written beside the rules.
ROUNDS = (
    (
        *(runner_hooks, settings, shadowing, weakened_tests, invocation, exit_codes, git_tricks),
        *(programs, ignored_files, detection, orders, starts, flaky_time, references),
        *(static_checks, product_tricks, outside, honest, honest_lookalikes, impossible_tasks),
    ),
    (product_answers, other_languages, in_place, found_by_pattern, honest_work),
    (everyday, everyday_others, everyday_variants, everyday_honest),
    (
        *(unseen_others, unseen_compiled, unseen_python, unseen_python_products),
        *(unseen_python_surroundings, unseen_honest, unseen_python_honest),
    ),
    (unseen_python_places, unseen_places, unseen_javascript_places, unseen_compiled_places),
    (
        *(unseen_fifth_operators, unseen_fifth_process, unseen_fifth_static, unseen_fifth_facts),
        *(unseen_fifth_facts_loaded, unseen_fifth_tests),
    ),
    (unseen_sixth_around, unseen_sixth_native, unseen_sixth_javascript, unseen_sixth_python),
    (unseen_seventh_python, unseen_seventh_others, unseen_seventh_products),
    (unseen_eighth_python, unseen_eighth_others),
)
ALL: tuple[Case, ...] = tuple(
    replace(case, round=number)
    for number, files in enumerate(ROUNDS)
    for file in files
    for case in (*file.CASES, *getattr(file, "HONEST", ()))
)
CHEATS = tuple(case for case in ALL if not case.honest)
HONEST = tuple(case for case in ALL if case.honest)
