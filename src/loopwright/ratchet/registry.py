"""Every rule of the ratchet, in the order in which they are asked."""

from __future__ import annotations

from functools import lru_cache

from ..checks.code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES, is_code_template
from ..checks.commands import is_script_file
from ..checks.settings_files import is_settings_file
from ..checks.surroundings import is_surrounding_file
from ..checks.test_files import is_test_file
from .product_rules import (
    comparisons,
    hidden_fields,
    measures,
    shell_libraries,
    silenced_errors,
    suppressions,
    test_detection,
)
from .rule import COMMANDS, PRODUCT, SETTINGS, TESTS, Rule, ends_with
from .settings_rules import (
    ci_triggers,
    line_settings,
    makefiles,
    nested_projects,
    new_packages,
    runner_files,
    scripts,
    settings,
    shadowing,
)
from .test_rules import (
    changed_tests,
    examples,
    fenced_examples,
    fixture_patches,
    plain_tests,
    test_wrappers,
    unawaited_tests,
    unit_under_test,
)


def is_code(path: str) -> bool:
    return path.endswith(CODE_SUFFIXES) or is_code_template(path)


@lru_cache(maxsize=4096)  # most rules ask it about each changed file
def is_around(path: str) -> bool:
    """A file of code, or one around the product: a test, a setting, data of tests."""
    return is_code(path) or is_surrounding_file(path) or is_test_file(path)


def is_make_file(path: str) -> bool:
    """Any new file may have the name of a goal, or be in a folder that has it."""
    return is_around_or_script(path) or is_document(path)


def is_runner_file(path: str) -> bool:
    return is_around(path) or runner_files.is_watched_file(path)


def is_around_or_script(path: str) -> bool:
    return is_around(path) or is_script_file(path)


def is_linted(path: str) -> bool:
    is_program = "." not in path.rpartition("/")[2]
    return is_code(path) or is_program or path.endswith(suppressions.LINTED_TEXTS)


def is_example(path: str) -> bool:
    return is_around(path) or path.endswith(examples.EXAMPLE_SUFFIXES)


def is_document(path: str) -> bool:
    return is_around(path) or path.endswith(fenced_examples.DOCUMENTS)


def any_file(path: str) -> bool:
    return True


def is_module(path: str) -> bool:
    return is_around_or_script(path) or path.endswith(shadowing.COMPILED_SUFFIXES)


is_python = ends_with(".py")
is_script = ends_with(*SCRIPT_SUFFIXES)

RULES = (
    Rule("tests that changed", TESTS, is_around, changed_tests.find),
    Rule("tests in plain functions and scripts", TESTS, is_around, plain_tests.find),
    Rule("settings", SETTINGS, is_settings_file, settings.find),
    Rule("lines of settings", SETTINGS, line_settings.is_line_settings, line_settings.find),
    Rule("what starts CI", SETTINGS, ci_triggers.is_workflow, ci_triggers.find),
    Rule("scripts", COMMANDS, is_around_or_script, scripts.find),
    Rule("libraries of the shell", COMMANDS, is_code, shell_libraries.find),
    Rule("suppressed warnings", PRODUCT, is_linted, suppressions.find),
    Rule("examples in documentation strings", TESTS, is_example, examples.find),
    Rule("examples in documents", TESTS, is_document, fenced_examples.find),
    Rule("words of a test run", PRODUCT, is_code, test_detection.find),
    Rule("errors that are only dropped", PRODUCT, is_code, silenced_errors.find),
    Rule("comparisons of the product", PRODUCT, is_code, comparisons.find),
    Rule("files of the runner", SETTINGS, is_runner_file, runner_files.find),
    Rule("projects inside of others", SETTINGS, nested_projects.is_border, nested_projects.find),
    Rule("makefiles", COMMANDS, is_make_file, makefiles.find),
    Rule("modules that take another's place", SETTINGS, is_module, shadowing.find),
    Rule("the code under test replaced", TESTS, is_around, unit_under_test.find),
    Rule("what is put around tests", TESTS, is_code, test_wrappers.find),
    Rule("patches in fixtures", TESTS, is_python, fixture_patches.find),
    Rule("tests that nothing waits for", TESTS, is_code, unawaited_tests.find),
    Rule("plugins of the runner", SETTINGS, new_packages.is_package_list, new_packages.find),
    # These need the files of the start.
    Rule("what tests measure with", PRODUCT, any_file, measures.find, True),
    Rule("fields that are hidden", PRODUCT, is_script, hidden_fields.find, True),
    Rule("errors of one kind dropped", PRODUCT, is_code, silenced_errors.find_narrow, True),
)
