"""Reads the tests of a file, in every language: their names, their marks, and what skips them.

What a test asserts is read by assertion_reader.py. The words that decide are in assertion_words.py.
"""

from __future__ import annotations

from functools import cached_property

from ... import lazy_re as re
from . import assertion_words as words
from .assertion_reader import (
    ALWAYS_FALSE,
    CONSTANT_TRUE,
    NAME,
    Assertion,
    assertions_of,
    assertions_of_test,
)
from .statement import Statement, tokens_of
from .statements import read_statements
from .test_heads import group_name, test_name, without_texts
from .token_lists import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A skip on other systems and older versions takes nothing away here.
ELSEWHERE = re.compile(
    r"(?i)win32|windows|darwin|macos|cygwin|os\.name == .nt|\bpypy|\baix\b|version_info *<"
)
HERE = re.compile(r"(?i)!=|\bnot\b|linux|\bor\b|\|\||unless|version_info *>")
MAX_HEAD = 400  # letters
NO_PARAMETERS = re.compile(r"\(\s*(?:self|this|&self|t \*testing\.T)?\s*\)|\bdef \w+\s*$")


class Test:
    def __init__(
        self,
        name: str,
        line: int,
        source: str,
        statements: list[Statement],
        head: Statement | None = None,
    ) -> None:
        self.name = name  # with its class or describe blocks
        self.line = line
        self.source = source
        self.statements = statements
        self.head = head  # of a test; None for a helper
        self.disabled_by = ""
        self.skip_condition = ""
        self.patience = 0.0
        self.constants: dict[str, str] = {}  # of its file, with their values

    @property
    def could_be_test(self) -> bool:
        """Has a helper no parameters? Only such a function could be a test without its mark."""
        head = self.source[:MAX_HEAD].partition("{")[0].partition(":")[0]
        return bool(NO_PARAMETERS.search(head))

    @property
    def is_helper(self) -> bool:
        return self.head is None

    @cached_property
    def assertions(self) -> list[Assertion]:
        """Read when it is asked for: most tests of a changed file did not change."""
        compares = self.is_helper and bool(words.COMPARER.search(self.own_name))
        found = assertions_of(self.statements, "", compares=compares)
        assertions = list(assertions_of_test(self.head) if self.head else found)
        constants = self.constants | _constants_in(self.statements)
        for assertion in assertions:
            assertion.key = tuple(constants.get(token, token) for token in assertion.key)
        return assertions

    @property
    def identity(self) -> str:
        """What it says, with the values of the constants that it names."""
        return f"{self.source} {sorted(self.constants.items())}"

    @property
    def own_name(self) -> str:
        return self.name.rpartition(" > ")[2]

    @property
    def checks(self) -> list[Assertion]:
        """What it asserts, without the rows of its tables."""
        return [assertion for assertion in self.assertions if not assertion.is_row]

    @property
    def rows(self) -> list[Assertion]:
        return [assertion for assertion in self.assertions if assertion.is_row]

    @cached_property
    def tokens(self) -> frozenset[str]:
        return frozenset(tokens_of(self.source))


class Suite:
    def __init__(self) -> None:
        self.tests: list[Test] = []
        self.helpers: list[Test] = []  # functions that are no tests, and the rest
        self.only: list[Assertion] = []  # the runner runs only these


def read_tests(path: str, text: str) -> Suite | None:
    """The tests of a file; None if it cannot be read."""
    try:
        statements = read_statements(path, text)
    except (RecursionError, ValueError, MemoryError):
        return None
    if statements is None:
        return None
    suite = Suite()
    reader = _TestReader(suite)
    reader.read_group(statements, "", "")
    for test in (*suite.tests, *suite.helpers):
        test.constants = {n: v for n, v in reader.constants.items() if n in test.tokens}
    return suite


def _constants_in(statements: Sequence[Statement]) -> dict[str, str]:
    """Names that stand for a value throughout: `WANT = 3`."""
    found = [words.CONSTANT.match(each.source) for each in statements if not each.children]
    values = [(match["name"], *tokens_of(match["value"])) for match in found if match]
    names = [row[0] for row in values]
    return {row[0]: "".join(row[1:]) for row in values if names.count(row[0]) == 1}


def helper_calls(test: Test, helpers: dict[str, Test]) -> Iterator[Assertion]:
    """The calls of helpers that assert; each asserts what its helper does."""
    known = {id(statement) for statement in test.statements}
    known_keys = {assertion.key for assertion in test.assertions}
    for top in test.statements:
        for statement in top.walk():
            if statement.children and id(statement) not in known:
                continue
            key = tuple(tokens_of(statement.own_text))
            called = [name for name in _called_names(key) if name in helpers]
            if called and key_of(statement.source) not in known_keys:
                weight = max(len(helpers[name].checks) for name in called)
                yield Assertion(statement.source, statement.line, key, weight=weight)


def _called_names(key: Sequence[str]) -> Iterator[str]:
    """The functions that are called by their own name, not as methods of something."""
    for index, token in enumerate(key[:-1]):
        is_called = key[index + 1] in ("(", "!") or index == 0
        is_own = index < 2 or key[index - 1] not in ".>" or key[index - 2] in ("self", "this", "-")
        if is_called and is_own and NAME.fullmatch(token):
            yield token


class _TestReader:
    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.constants: dict[str, str] = {}

    def read_group(self, statements: Sequence[Statement], prefix: str, marks: str) -> None:
        rest: list[Statement] = []
        skip = _group_skip(statements, not prefix)
        marks = f"{marks} {skip}".strip()
        for statement in statements:
            head = f"{statement.marks} {statement.head or statement.source}".strip()
            is_only = words.ONLY.search(without_texts(head))  # a title may say that things fit
            if is_only and (test_name(head) or group_name(head)):
                self.suite.only.append(Assertion(head[:200], statement.line, (head,)))
            name = test_name(head)
            if name is not None:
                self._read_test(statement, f"{prefix}{name}", marks)
            elif statement.children and (group := group_name(head)):
                self.read_group(statement.children, f"{prefix}{group} > ", f"{marks} {head}")
            elif statement.children and (match := words.FUNCTION_HEAD.match(head)):
                function = match["name"] or match["bound"] or match["method"]
                self._add_helper(f"{prefix}{function}", statement.children, statement)
            elif statement.head and words.CONDITION.match(head) and not ALWAYS_FALSE.match(head):
                self.read_group(statement.children, prefix, marks)
            else:
                rest.append(statement)
        self.constants |= _constants_in(rest)
        self._add_helper(f"{prefix}the file", rest)

    def _add_helper(
        self, name: str, statements: list[Statement], head: Statement | None = None
    ) -> None:
        if statements:
            around = [head] if head else statements
            source = " ".join(f"{each.marks} {each.source}" for each in around)
            self.suite.helpers.append(Test(name, around[0].line, source, statements))

    def _read_test(self, statement: Statement, name: str, marks: str) -> None:
        head = f"{statement.marks} {statement.head or statement.source}".strip()
        own = f"{head} {statement.tail} {marks}".strip()
        source = f"{statement.marks} {statement.source}"
        test = Test(name, statement.line, source, statement.children, statement)
        skip = words.SKIPS.search(without_texts(own)) or words.SKIPS.search(own)
        condition = words.SKIPS_WITH_CONDITION.search(own)
        if skip and not (condition and condition.start() == skip.start()):
            test.disabled_by = _around(own, skip)
        elif condition and not _is_elsewhere(own):
            test.skip_condition = _around(own, condition)
        self._read_skips(statement, test)
        test.patience = _patience(f"{head} {statement.tail}")
        self.suite.tests.append(test)
        for child in statement.children:
            self._read_nested(child, f"{name} > ", own)

    def _read_nested(self, statement: Statement, prefix: str, marks: str) -> None:
        name = test_name(statement.head or statement.source)
        if name is not None:
            self._read_test(statement, f"{prefix}{name}", marks)
            return
        for child in statement.children:
            self._read_nested(child, prefix, marks)

    def _read_skips(self, statement: Statement, test: Test) -> None:
        for child in statement.children:
            if words.SKIP_CALL.search(without_texts(child.source)) and not child.children:
                if words.SKIPS_IF.search(child.source):
                    test.skip_condition = test.skip_condition or child.source
                elif not words.ASSERTS.match(child.source):
                    test.disabled_by = test.disabled_by or child.source
            elif child.children and words.CONDITION.match(child.head):
                skips = [
                    c for c in child.children if words.SKIP_CALL.search(without_texts(c.source))
                ]
                if skips and CONSTANT_TRUE.match(child.head):
                    test.disabled_by = test.disabled_by or child.source
                elif skips and not _is_elsewhere(child.head):
                    test.skip_condition = test.skip_condition or child.source


def _is_elsewhere(condition: str) -> bool:
    return bool(ELSEWHERE.search(condition)) and not HERE.search(condition)


def _around(text: str, match: re.Match[str]) -> str:
    """The words around a match."""
    start = max(text.rfind("@", 0, match.end()), text.rfind("#[", 0, match.end()), 0)
    return text[start:][:160] if start else text[:160]


def _group_skip(statements: Sequence[Statement], is_file: bool) -> str:
    """What skips a whole file or class: `pytestmark = …`, a skip in its set-up."""
    for statement in statements:
        text = statement.source
        if statement.children and words.SET_UP_HEAD.search(f"{statement.marks} {statement.head}"):
            skips = [c.source for c in statement.children if words.SKIP_CALL.match(c.source)]
            if skips:
                return f"mark.skip {skips[0]}"
        if not is_file:
            continue
        if text.startswith("pytestmark") or "allow_module_level" in text:
            return f"@{text}"
        if words.SKIP_CALL.match(text) or text.startswith("__test__ = False"):
            return f"mark.skip {text}"
    return ""


def _patience(text: str) -> float:
    found = [match["number"] or match["last"] for match in words.PATIENCE.finditer(text)]
    return sum(float(number.replace("_", "")) for number in found)
