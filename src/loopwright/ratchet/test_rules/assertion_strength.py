"""How much an assertion of a test says: which is more similar to another, and which says less."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from ... import lazy_re as re
from ...core.findings import HIGH, LOW, MEDIUM
from ..readers import assertion_words as words
from ..readers.assertion_reader import CONDITIONAL, LITERAL, NAME, Assertion
from ..readers.test_heads import without_texts
from ..readers.token_lists import closing_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_SAME_NAMES = 0.5
NUMBER = re.compile(r"\d[\d_]*(?:\.\d+)?(?:[eE]-?\d+)?")
ERROR = re.compile(r"(?i)rais|throw|panic|reject|exception|error|fails\b")
TRUTH = frozenset(("only that it is true", "only that there is a value"))


def share_of(some: frozenset[str], others: frozenset[str]) -> float:
    return len(some & others) / len(some) if some else 1.0


def is_as_strict(check: Assertion, kinds: frozenset[str]) -> bool:
    return weak_kinds(check) <= kinds and not cannot_fail(check)


def most_similar(assertion: Assertion, others: Sequence[Assertion]) -> Assertion | None:
    """The one that has most of its tokens; at least a name or a value."""
    own = Counter(assertion.key)

    def telling(other: Assertion) -> int:
        """How many names and values they share."""
        shared = own & Counter(other.key)
        return sum(n for token, n in shared.items() if _is_word(token))

    def likeness(other: Assertion) -> float:
        shared = own & Counter(other.key)
        weaker = len(weak_kinds(other) - weak_kinds(assertion))
        all_tokens = 1 + len(assertion.key) + len(other.key)
        return telling(other) - weaker / 2 + shared.total() / all_tokens

    similar = [other for other in others if telling(other)]
    return max(similar, key=likeness, default=None)


def _is_word(token: str) -> bool:
    return bool(NAME.fullmatch(token) or LITERAL.fullmatch(token))


def weak_kinds(assertion: Assertion) -> frozenset[str]:
    """In which ways it says less than an exact comparison."""
    return _weak_kinds_of(assertion.text)


@lru_cache(maxsize=20_000)  # each is compared with many others
def _weak_kinds_of(text: str) -> frozenset[str]:
    text = without_texts(text)
    if text.startswith(("if ", "if(")):  # it fails if this is so
        text = text.replace("!=", "\0").replace("==", "!=").replace("\0", "==")
    kinds = {name for name, pattern in words.WEAKER if pattern.search(text)}
    if words.FAILURE.search(text) and not words.KIND_OF_ERROR.search(text):
        kinds.add("any error")
    if words.PLAIN_TRUTH.search(text) and not words.COMPARES.search(text):
        kinds.add("only that it is true")
    return frozenset(kinds)


def is_negated(assertion: Assertion) -> bool:
    fails_if = assertion.text.startswith(("if ", "if("))
    return (fails_if + sum(token in ("not", "!") for token in assertion.key)) % 2 == 1


def cannot_fail(assertion: Assertion) -> bool:
    """Is it always true, or an `expect(…)` that asks for nothing?"""
    is_bare = (
        assertion.key[:2] == ("expect", "(")
        and closing_place(assertion.key, 1) == len(assertion.key) - 1
    )
    return is_bare or bool(words.CANNOT_FAIL.search(assertion.text))


def change_between(old: Assertion, new: Assertion) -> tuple[str, str]:
    """How much an assertion says less than the one whose place it took: severity and rule."""
    if new.context and new.context != old.context:
        is_condition = new.context.startswith(CONDITIONAL)
        return (MEDIUM, "assertion-loosened") if is_condition else (HIGH, "assertion-cannot-fail")
    if cannot_fail(new) and not cannot_fail(old):
        return HIGH, "assertion-cannot-fail"
    if _is_wider(old, new):
        return HIGH, "assertion-widened"
    kinds = weak_kinds(new) - weak_kinds(old)
    if "any error" in kinds and not ERROR.search(old.text):
        kinds -= {"any error"}
    if kinds and share_of(old.names, new.names) >= MIN_SAME_NAMES:
        return _loosened_severity(old, new, kinds), "assertion-loosened"
    is_kept = old.literals <= new.literals and share_of(old.names, new.names) >= MIN_SAME_NAMES
    is_kept = is_kept and is_negated(old) == is_negated(new)
    is_same = is_kept and not kinds and not old.is_comparison
    return (LOW if is_same else MEDIUM), "expected-value-changed"


def _loosened_severity(old: Assertion, new: Assertion, kinds: frozenset[str]) -> str:
    """`isReady(x).isTrue()` may say as much as what stood there, if it asks another function."""
    other = {name for name in new.names - old.names if not _is_weak_word(name)}
    return MEDIUM if other and kinds <= TRUTH else HIGH


def _is_weak_word(name: str) -> bool:
    return any(pattern.search(f".{name}(") for _, pattern in words.WEAKER)


def _is_wider(old: Assertion, new: Assertion) -> bool:
    """Is only the number of a tolerance or a bound larger?"""
    if len(old.key) != len(new.key) or "only about" not in weak_kinds(new):
        return False
    pairs = [(was, now) for was, now in zip(old.key, new.key, strict=True) if was != now]
    if len(pairs) != 1 or not all(map(NUMBER.fullmatch, pairs[0])):
        return False
    was, now = (float(number.replace("_", "")) for number in pairs[0])
    return now != was
