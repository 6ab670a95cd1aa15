"""Tests that call the product and assert nothing: whatever it returns, they pass."""

from __future__ import annotations

from .. import lazy_re as re
from ..checks.code_files import SCRIPT_SUFFIXES
from ..core.record import Record
from ..ratchet.readers.assertion_reader import NAME
from ..ratchet.readers.matchers import word_set
from ..ratchet.readers.statement import tokens_of
from ..ratchet.readers.test_heads import without_texts
from ..ratchet.readers.test_reader import Test, helper_calls, read_tests
from ..repo.sources import PYTHON_ENDINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

# Elsewhere a test fails by a call of its own, such as `t.Fatal`, which takes a message alone.
READ = (*PYTHON_ENDINGS, *SCRIPT_SUFFIXES)
WORD = re.compile(r"\w+")
# A helper of another file may assert under any of these names.
ASSERTS = re.compile(
    r"(?i)\b[\w.]*(?:assert|check|verif|expect|ensure|should|must|raise|throw|compare|match|equal"
    r"|fail|warn)\w*\s*\("
)
WORDS_OF_CONSTANTS = word_set(
    "assert self this t not is in and or True False None true false null undefined expect toBe"
    " toEqual toStrictEqual toBeTruthy toBeDefined toBeFalsy equal strictEqual ok assertTrue"
    " assertEqual assertFalse assertIsNone assertIsNotNone"
)


class FinalTests(Record):
    """What the new and changed tests say, in all their files."""

    hollow: frozenset[str] = frozenset()  # their own names, if they assert nothing
    words: frozenset[str] = frozenset()


NO_TESTS = FinalTests()


def read_final_tests(texts: Mapping[str, str], tests: Collection[str]) -> FinalTests:
    """`texts` are the changed files of tests and helpers, by path; of these, `tests` are tests."""
    words = frozenset(WORD.findall("\n".join(texts.values())))
    return FinalTests(hollow_tests({path: texts[path] for path in tests if path in texts}), words)


def hollow_tests(texts: Mapping[str, str]) -> frozenset[str]:
    """The names of tests in these files that assert nothing, or only what is true of itself."""
    hollow: set[str] = set()
    others: set[str] = set()
    for path, text in texts.items():
        suite = read_tests(path, text) if path.endswith(READ) else None
        if suite is None:
            continue
        helpers = {each.own_name: each for each in suite.helpers if each.checks}
        for test in suite.tests:
            (others if _asserts(test, helpers) else hollow).add(test.own_name)
    return frozenset(hollow - others)


def _asserts(test: Test, helpers: dict[str, Test]) -> bool:
    if any(not _is_constant(tokens_of(assertion.text)) for assertion in test.assertions):
        return True
    if any(helper_calls(test, helpers)):
        return True
    statements = (each for top in test.statements for each in top.walk())
    texts = (without_texts(each.own_text) for each in statements)
    return any(ASSERTS.search(text) and not _is_constant(tokens_of(text)) for text in texts)


def _is_constant(tokens: Iterable[str]) -> bool:
    names = {token for token in tokens if NAME.fullmatch(token)}
    return names <= WORDS_OF_CONSTANTS
