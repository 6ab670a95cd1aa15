"""What statements assert: those that can make a test fail, and the rows of tables of cases.

An assertion is compared by its tokens, so that layout, quotes and comments do not count.
"""

from __future__ import annotations

from functools import cached_property

from ... import lazy_re as re
from . import assertion_words as words
from .matchers import word_set
from .statement import Statement, tokens_of
from .test_heads import test_name, without_texts
from .token_lists import OPENERS, closing_place, key_of, split_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LITERAL = re.compile(
    r"-?\d[\w.]*|\"(?s:.*)\"|'(?s:.*)'|`(?s:.*)`|True|False|None|true|false|nil|null"
)
NAME = re.compile(r"[A-Za-z_$][\w$]*")
ALWAYS_FALSE = re.compile(r"(?:if|when)\s*\(?\s*(?:False|false|0)\s*\)?:?$")
CONSTANT_TRUE = re.compile(r"(?:if|when)\s*\(?\s*(?:True|true|1)\s*\)?:?$")
NEVER, CONDITIONAL = "never reached", "under a condition"
MIN_ROWS = 2
KEYWORDS = word_set(
    "if for in not and or is fail await async return let var val const new self this t assert"
    " expect with as to be pytest raises toBe toEqual equal eq it Assert Equal int double float"
    " String def function fn func lambda require err nil len true false None True False null"
    " undefined errors Is nothing assertThat isEqualTo Should Be must_equal should shouldBe from"
    " the static class raise"
)


def names_in(tokens: Iterable[str]) -> frozenset[str]:
    """The names among tokens, without the words of the language and of assertions."""
    names = {word.lstrip("$") for word in tokens if NAME.fullmatch(word)} - KEYWORDS
    return frozenset(name for name in names if not name.startswith(("assert", "expect")))


class Assertion:
    def __init__(
        self,
        text: str,
        line: int,
        key: tuple[str, ...],
        is_row: bool = False,
        context: str = "",
        is_comparison: bool = False,
        weight: int = 1,
    ) -> None:
        self.text = text  # for people
        self.line = line
        self.key = key  # the tokens by which it is compared
        self.is_row = is_row
        self.context = context  # what keeps it from being checked: a condition, a `try`
        self.is_comparison = is_comparison  # of a helper that compares for tests
        self.weight = weight  # how many assertions the helper has that it calls

    @cached_property
    def literals(self) -> frozenset[str]:
        """Its values; the place of an element (`rows[0]`) is none."""
        around = zip(("", *self.key), self.key, (*self.key[1:], ""), strict=False)
        return frozenset(
            word
            for before, word, after in around
            if LITERAL.fullmatch(word) and not (before == "[" and after == "]" and word.isdigit())
        )

    @cached_property
    def names(self) -> frozenset[str]:
        return names_in(self.key)


def _assertion(text: str, line: int, context: str = "", is_row: bool = False) -> Assertion:
    return Assertion(text, line, key_of(text), is_row, context)


def assertions_of_test(statement: Statement) -> Iterator[Assertion]:
    head = f"{statement.marks} {statement.head or statement.source}".strip()
    inner = [child for child in statement.walk() if child is not statement]
    nested = [child for child in inner if test_name(child.head or child.source) is not None]
    yield from _rows_of_marks(head)
    has_loop = words.LOOP.search(statement.source)  # otherwise a list is no table of cases
    for assertion in assertions_of(statement.children, "", nested):
        if has_loop or not assertion.is_row:
            yield assertion
    if not statement.children and words.ASSERTS.search(statement.source):
        yield from assertions_of([statement], "")
    if "should_panic" in head:
        yield _assertion(head[head.find("#[should_panic") :], statement.line)
    if words.ASSERTS.search(statement.tail):  # Pest: `})->throws(…)`
        yield _assertion(statement.tail, statement.line)
    elif words.TABLE.search(statement.tail):
        yield from _rows(statement.tail, statement.line)


def assertions_of(
    statements: Sequence[Statement],
    context: str,
    nested: Sequence[Statement] = (),
    compares: bool = False,
) -> Iterator[Assertion]:
    """What statements assert, with those of their blocks; not that of tests inside.

    `compares`: they are of a function that compares for tests, so each comparison is an assertion.
    """
    ids = {id(each) for each in nested}
    for index, statement in enumerate(statements):
        if id(statement) in ids:
            continue
        if not statement.children:
            if words.ENDS_TEST.match(statement.source) and index < len(statements) - 1:
                context = context or f"{NEVER}: {statement.source}"
            elif words.LEAVES_IF.match(statement.source):
                context = context or f"{CONDITIONAL}: {statement.source}"
            yield from _simple_assertions(statement, context, compares)
            continue
        head = statement.head
        if compares and words.CONDITION.match(head) and words.COMPARES.search(head):
            yield Assertion(head, statement.line, key_of(head), False, context, True)
        if _is_assertion(statement):
            yield from _simple_assertions(statement, context)
            continue
        if not words.CONTROL.match(head):
            inner = context or _context_of_function(statement, statements)
            inner = inner or _context_of_block(statement, ())
            yield from _rows(head, statement.line)
            yield from assertions_of(statement.children, inner, nested)
            continue
        yield from _rows(head, statement.line)
        fails = [c for c in statement.children if not c.children and words.FAILS.match(c.source)]
        if fails and words.CONDITION.match(head):
            text = f"{head.rstrip(':{')}: fail"
            yield _assertion(text, statement.line, context)
            others = [c for c in statement.children if c not in fails]
            yield from assertions_of(others, context or f"{CONDITIONAL}: {head}", nested)
            continue
        yield from assertions_of(
            statement.children,
            context or _context_of_block(statement, statements[index + 1 :]),
            nested,
        )
        ends = [c for c in statement.children if words.ENDS_TEST.match(c.source)]
        if ends and words.CONDITION.match(head) and index < len(statements) - 1:
            always = CONSTANT_TRUE.match(head)
            context = context or f"{NEVER if always else CONDITIONAL}: {head} {ends[0].source}"


def _is_assertion(statement: Statement) -> bool:
    """Does a statement with a block assert as a whole: `with pytest.raises(…):`, `expect { … }`?"""
    own = statement.own_text
    if words.FUNCTION_HEAD.match(own) or re.match(r"(?:if|for|while|try|else)\b", own):
        return False
    return bool(words.ASSERTS.search(without_texts(own)))


def _context_of_function(statement: Statement, around: Sequence[Statement]) -> str:
    """A function inside of a test that nothing calls is never reached."""
    match = words.FUNCTION_HEAD.match(statement.head)
    name = match and (match["name"] or match["bound"])
    if not name or statement.marks or name.startswith("__"):
        return ""
    others = " ".join(f"{each.marks} {each.source}" for each in around if each is not statement)
    return "" if re.search(rf"\b{re.escape(name)}\b", others) else f"{NEVER}: {statement.head}"


def _context_of_block(statement: Statement, following: Sequence[Statement]) -> str:
    head = statement.head
    if words.CONDITION.match(head):
        if CONSTANT_TRUE.match(head):
            return ""
        return f"{NEVER if ALWAYS_FALSE.match(head) else CONDITIONAL}: {head}"
    if words.NOT_AWAITED.match(statement.own_text):
        return f"nobody waits for it: {statement.own_text}"
    if words.SUPPRESSES.search(statement.own_text):
        return f"its failure is caught: {statement.own_text}"
    if words.TRIES.match(head):
        inside = [
            each for each in statement.children if words.CATCHES.match(each.head or each.source)
        ]
        after = [each for each in following[:1] if words.CATCHES.match(each.head or each.source)]
        for handler in (*inside, *after):
            says = " ".join(each.source for each in handler.children)
            handles = (words.FAILS, words.ASSERTS, words.RETHROWS)
            if not any(pattern.search(says) for pattern in handles):
                return f"its failure is caught: {handler.head or handler.source}"
    return ""


def _simple_assertions(
    statement: Statement, context: str, compares: bool = False
) -> Iterator[Assertion]:
    text = statement.source
    if module := words.MODULE_OF_NAME.match(text):
        if words.ASSERTS.search(module["name"]):  # where it comes from decides what it asserts
            key = ("import", module["name"], module["module"])
            yield Assertion(text, statement.line, key, False, context)
        return
    if text.startswith(("import ", "from ", "use ", "using ", "package ")):
        return
    if words.SUPPRESSES.search(text):
        context = context or "its failure is caught"
    is_failure = bool(context) and words.FAILS.match(text)
    if is_failure or words.ASSERTS.search(without_texts(text)):
        yield _assertion(text, statement.line, context)
    elif compares and words.COMPARES.search(text):
        yield Assertion(text, statement.line, key_of(text), False, context, True)
    else:
        yield from _rows(text, statement.line)


def _rows(text: str, line: int) -> Iterator[Assertion]:
    """The rows of the longest table in a statement."""
    tokens = list(tokens_of(text))
    best: list[list[str]] = []
    for _, parts in _lists_in(tokens):
        if len(parts) >= MIN_ROWS and all(map(_is_row, parts)):
            best = max(best, parts, key=len)
    if len(best) < MIN_ROWS and words.TABLE.search(text):
        best = _scalar_rows(tokens)
    for part in best:
        yield Assertion(" ".join(part), line, tuple(part), is_row=True)


def _is_row(part: list[str]) -> bool:
    """A tuple, a list, an object, or a call that makes one; with or without a key before it."""
    for index, word in enumerate(part):
        if word in OPENERS:
            closes = closing_place(part, index) == len(part) - 1
            return closes and any(LITERAL.fullmatch(each) for each in part)
    return False


def _lists_in(tokens: list[str]) -> Iterator[tuple[int, list[list[str]]]]:
    """The place of each opening bracket, and what commas divide inside of it."""
    for index, word in enumerate(tokens):
        end = closing_place(tokens, index) if word in OPENERS else 0
        if end > 0:
            yield index, [part for part in split_tokens(tokens[index + 1 : end], ",") if part]


def _scalar_rows(tokens: list[str]) -> list[list[str]]:
    best: list[list[str]] = []
    for index, parts in _lists_in(tokens):
        is_list = tokens[index] != "(" or tokens[index - 1].endswith(("Of", "of"))
        if is_list and parts and all(len(p) <= 2 and LITERAL.fullmatch("".join(p)) for p in parts):
            best = max(best, parts, key=len)
    return best


def _rows_of_marks(head: str) -> Iterator[Assertion]:
    """The rows of the decorators, attributes and annotations of a test."""
    calls = list(words.ROW_CALL.finditer(head))
    if calls and not head.lstrip().startswith("@pytest"):
        for match in calls:
            tokens = list(tokens_of(head[match.end() - 1 :]))
            end = closing_place(tokens, 0)
            inner = tokens[1:end]
            if inner[:1] == ["{"]:
                for part in filter(None, split_tokens(inner[1:-1], ",")):
                    yield Assertion(" ".join(part), 0, tuple(part), is_row=True)
            else:
                yield Assertion(" ".join(inner), 0, tuple(inner), is_row=True)
        return
    if words.TABLE.search(head):
        yield from _rows(head, 0)
