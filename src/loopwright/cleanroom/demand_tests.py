"""The revert test by name: does the test that the agent names for a demand need the work? Pure."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from .. import lazy_re as re
from ..core.criteria import Evidence
from ..core.loop import Loop
from ..core.proof.demand_results import STEM, named_criterion
from ..core.proof.demands import (
    COMMAND_MARK,
    FAILS_WITHOUT,
    NO_EVIDENCE,
    NOT_ALLOWED,
    PASSES_WITHOUT,
    DemandProof,
)
from ..core.start.requests import is_english
from .findings import CheckRun, misses_interface
from .load_errors import is_load_error
from .named_tests import find_named_tests
from .test_names import ChangedTests, belongs_to_changed, is_name_of_file, tests_meant

MAX_LABELS = 3
NOT_FOUND = "no test of this name runs in the final files"
NOT_PASSED = "it does not pass on the final files"
NO_NAMES = "the runner does not name its tests"
NOT_TRIED = "it was not tried without the work"
# Go runs the tests of the other packages.
BUILD_FAILED = re.compile(r"^FAIL\s+(\S*).*\[(?:build|setup) failed\]$", re.M)
ASKED_NAME = re.compile(
    # An example, and quotes inside of code, ask for no word.
    r"(?i:\b(?:e\.g\.|for example|such as)) ([\"'`])[^\n]*?\1|`(?=[^`\n]*[\"'])[^`\n]*`"
    r"|(?P<error>\b[A-Z]\w*(?:Error|Exception)\b)|(?<![\w-])(?P<option>--[a-z][\w-]+)"
    r"|`(?P<code>[\w-]+)`|[\"'](?P<text>[^\"'\n]{2,40})[\"'](?!\w)"
)
WORD = re.compile(r"\w+")
QUOTED = re.compile(r"\"([^\"\n]{2,40})\"")
PARAMETERS = re.compile(r"`[^`\n(]*\(([^`\n]*)\)[^`\n]*`")  # a test passes values, not their names
# The words of a name in snake_case or camelCase count one by one.
WORD_OR_NUMBER = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])|\d{2,}")
SAYS_NOTHING = re.compile(
    r"the|and|for|with|that|this|then|than|when|from|into|each|must|should|shall|not|only|also|are"
    r"|has|have|does|can|may|its|new|all|any|per|one|two|tests?|assert|equal|expect|returns?|self"
    r"|def|const|import|true|false|none|null"
)
WAITS = "no person has allowed the command (`loop allow`, while the loop runs)"


def named_tests(loop: Loop) -> dict[int, str]:
    """The tests that the agent names, by the number of the demand; without checks and commands."""
    named = loop.demands.named if loop.demands else ()
    return {
        number: shows
        for number, shows in named
        if not shows.startswith(COMMAND_MARK) and not named_criterion(loop, shows)
    }


def checks_with(names: Mapping[int, str], end: Mapping[str, CheckRun]) -> set[str]:
    """The checks in which one of these tests ran, or may have: their runner names none."""
    return {
        criterion
        for criterion, run in end.items()
        if not run.report.is_complete
        or any(find_named_tests(name, run.report.passed)[0] for name in names.values())
    }


def judge_test(
    number: int,
    name: str,
    end: Mapping[str, CheckRun],
    without: Mapping[str, CheckRun],
    files: tuple[str, ...] = (),
    words: Collection[str] = (),
) -> DemandProof:
    """The best that the checks show for one named test. `files` define it, as far as is known.

    `words` are those of the new and changed tests.
    """
    proofs = [_judge_in_check(number, name, end[c], without.get(c), files, words) for c in end]
    order = (FAILS_WITHOUT, PASSES_WITHOUT)
    proofs.sort(key=lambda proof: order.index(proof.outcome) if proof.outcome in order else 2)
    best = proofs[0] if proofs else DemandProof(number, name, why=NOT_FOUND)
    # A check that knows the test says more than one that does not.
    if best.outcome == NO_EVIDENCE:
        return next((proof for proof in proofs if proof.why != NOT_FOUND), best)
    return best


def asked_names(demand: str) -> frozenset[str]:
    """The names of errors and options, and the quoted words, that a demand asks for."""
    matches = ASKED_NAME.finditer(demand)
    return frozenset(match[match.lastgroup] for match in matches if match.lastgroup)


def judge_shared_test(
    proof: DemandProof, demand: str, others: Iterable[str], texts: Iterable[str]
) -> DemandProof:
    """A test that is named for other demands too: it must say something that only this one says.

    It must also have a name that the demand asks for, if it asks for one, or its quoted text.
    """
    text, others = "\n".join(texts), list(others)
    parameters = WORD.findall(" ".join(PARAMETERS.findall("\n".join([demand, *others]))))
    asked = asked_names(demand).difference(parameters)
    own_names = asked.difference(*map(asked_names, others))
    own_words = _stems(demand).difference(*map(_stems, others))
    lacks = ""
    if asked and not any(name in text for name in (*asked, *QUOTED.findall(demand))):
        lacks = f"has no `{'` or `'.join(sorted(asked))}`"
    elif (
        not others
        or any(name in text for name in own_names)
        or not own_words
        or not is_english(demand)
    ):
        return proof
    elif others and own_words and own_words.isdisjoint(_stems(text)):
        lacks = "says nothing that only this demand says"
    if not lacks:
        return proof
    return proof.but(outcome=NO_EVIDENCE, why=f"it is named for another demand too, and {lacks}")


def _stems(text: str) -> set[str]:
    """The beginnings of the words that say what a demand or a test is about, and the numbers."""
    words = [word.casefold() for word in WORD_OR_NUMBER.findall(text)]
    return {word[:STEM] for word in words if not SAYS_NOTHING.fullmatch(word)}


def _judge_in_check(
    number: int,
    name: str,
    end: CheckRun,
    without: CheckRun | None,
    files: tuple[str, ...],
    words: Collection[str],
) -> DemandProof:
    proof = DemandProof(number, name)
    if not end.report.is_complete:
        return _judge_unnamed_pass(proof, end, without, files, words)
    tests, problem = find_named_tests(name, end.report.passed)
    if not tests:
        others = (*end.report.failed_names, *end.report.skipped)
        is_there = bool(find_named_tests(name, others)[0])
        return proof.but(why=problem or (NOT_PASSED if is_there else NOT_FOUND))
    proof = proof.but(tests=_labels(tests))
    if without is None:
        return proof.but(why=NOT_TRIED)
    failed = [test for test in without.report.failed if test.name in tests]
    has_passed = any(test in without.report.passed for test in tests)
    if not failed and has_passed:
        return proof.but(outcome=PASSES_WITHOUT)
    # A file that could not be loaded means the tests in it.
    failed = failed or [t for t in without.report.failed if tests_meant(t.name, tests)]
    if failed:
        message = failed[0].message or without.evidence.detail
        missing = failed[0].name not in tests or misses_interface(message, words)
        return proof.but(outcome=FAILS_WITHOUT, is_missing=missing)
    nothing_ran = not without.evidence.passed and not without.report.passed
    if nothing_ran or BUILD_FAILED.search(without.evidence.detail):
        missing = misses_interface(without.evidence.detail, words)
        return proof.but(outcome=FAILS_WITHOUT, is_missing=missing)
    return proof.but(why=NOT_TRIED)


def _judge_unnamed_pass(
    proof: DemandProof,
    end: CheckRun,
    without: CheckRun | None,
    files: tuple[str, ...],
    words: Collection[str],
) -> DemandProof:
    """The runner names failing tests only, or no test: what fails without the work passes now.

    Where nothing ran without the work, the test that the files define did not run either.
    """
    if not end.evidence.passed or without is None:
        return proof.but(why=NO_NAMES)
    tests, problem = find_named_tests(proof.shows, end.report.passed)
    if tests:
        is_kept = without.evidence.passed or any(test in without.report.passed for test in tests)
        outcome = PASSES_WITHOUT if is_kept else FAILS_WITHOUT
        return proof.but(outcome=outcome, tests=_labels(tests))
    tests, problem = find_named_tests(proof.shows, without.report.failed_names)
    if not tests and files and _cannot_load(files, without):
        return proof.but(outcome=FAILS_WITHOUT, is_missing=True)
    if not tests:
        return proof.but(why=problem or (NO_NAMES if files else NOT_FOUND))
    failed = [test for test in without.report.failed if test.name in tests]
    missing = all(misses_interface(test.message, words) for test in failed)
    return proof.but(outcome=FAILS_WITHOUT, tests=_labels(tests), is_missing=missing)


def _cannot_load(files: tuple[str, ...], run: CheckRun) -> bool:
    """Did no test of these files run, because they cannot be built or loaded?"""
    whole = [test for test in run.report.failed if is_name_of_file(test.name)]
    named = [ChangedTests((path,)) for path in files]
    is_named = all(any(belongs_to_changed(test, file) for test in whole) for file in named)
    return is_named or _is_unloaded(run) or _is_unbuilt(files, run)


def _is_unbuilt(files: tuple[str, ...], run: CheckRun) -> bool:
    """Are all these files in packages of go that cannot be built?"""
    packages = BUILD_FAILED.findall(run.evidence.detail)
    folders = [posixpath.dirname(path) for path in files]
    return bool(packages) and all(
        any(not folder or f"/{name}".endswith(f"/{folder}") for name in packages)
        for folder in folders
    )


def _is_unloaded(run: CheckRun) -> bool:
    """Did no test run, because the files cannot be built or loaded?"""
    is_named = bool(run.report.failed or run.report.passed)
    return not run.evidence.passed and not is_named and is_load_error(run.evidence.detail)


def _labels(tests: tuple[str, ...]) -> tuple[str, ...]:
    """The tests as people read them: one word for the cases of one test."""
    cases = Counter(test.partition("[")[0] if test.endswith("]") else test for test in tests)
    labels = (f"{name} ({count} cases)" if count > 1 else name for name, count in cases.items())
    return tests if len(tests) == 1 else tuple(labels)[:MAX_LABELS]


def judge_command(
    number: int, shows: str, end: Evidence | None, without: Evidence | None
) -> DemandProof:
    """A command that the person allowed must pass at the end and fail without the work."""
    proof = DemandProof(number, shows)
    if end is None or without is None:
        return proof.but(outcome=NOT_ALLOWED, why=WAITS)
    if not end.passed:
        return proof.but(why=NOT_PASSED)
    return proof.but(outcome=PASSES_WITHOUT if without.passed else FAILS_WITHOUT)
