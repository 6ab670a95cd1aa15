"""Compares what two assertions expect: is it written out, does it say more, is it a message?"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache

from ... import lazy_re as re
from ..readers.suite import Assertion

# A name or a call in an expected value: then the value is computed, not written out.
COMPUTED = re.compile(
    r"(?<![\w.'\"])(?!(?:true|false|null|none|undefined|nan|not|in|is|and|or|new)\b)"
    r"(?!(?:int|str|float|bool|bytes|list|dict|set|tuple|object)\b(?!\())"  # a type of Python
    r"(?:[a-z_$][\w$]*|[A-Z]\w*(?=\())",
)
CONSTRUCTOR = re.compile(r"(?<![\w.])_*[A-Z]\w*\(|(?:date|datetime|timedelta)\(")
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`")
WORD = re.compile(r"\w+")
ESCAPE = re.compile(r"\\[nrt]")
NAME = re.compile(r"[A-Za-z_$][\w$]*")
LETTERS = re.compile(r"[A-Za-z]{3,}")
# Assertions about the words of an error, a warning or a help text.
MESSAGE_SUBJECT = re.compile(
    r"(?i)raise|raised|exc|err|warn|message|\bmsg|stderr|throw|reject|__doc__|\blog|caplog|output"
)
# A program as the input of a test: lines of code in quotes, and the words by which it fails.
PROGRAM = re.compile(r"\\n(?:import|from) \w+.*\\n", re.S)
FAILING = re.compile(r"(?:assert|raise|exit)\b")  # a line break is `\n` here, so no \b before
PATCHED_NAME = re.compile(r"\bpatch\('[\w.]+'")  # where a mock is put is no input of the test
MIN_MESSAGE_WORDS = 3
SIMILAR_MESSAGE = 0.5
MIN_COMMON_WORDS = 0.5
MIN_LIST = 6  # words of an allow-list
MAX_LIST_GROWTH = 0.5


def expected_value(assertion: Assertion) -> str:
    """What the subject is compared with. A matcher without a value expects true or false."""
    after_subject = assertion.predicate.partition("·")[2].lstrip(") ").rstrip()
    word, _, expected = after_subject.partition(" ")
    if expected:
        return expected
    if assertion.text.startswith("not "):
        return "false"
    return "true" if word else ""


def is_computed(expected: str) -> bool:
    """Is the value an expression with names or calls of functions?"""
    plain = CONSTRUCTOR.sub("(", QUOTED.sub("''", expected))
    return bool(COMPUTED.search(plain))


def has_all_texts(old: str, new: str) -> bool:
    """Has the new value every text in quotes that the old one has?"""
    return set(QUOTED.findall(old)) <= set(QUOTED.findall(new))


def has_other_input(old: str, new: str) -> bool:
    """Do two subjects differ only in values that are written out: `total([1, 2])`, `total([1])`?

    Where names differ too, the set-up was rewritten, and the values may be in it.
    """
    if "patch(" in old or "patch(" in new:
        old, new = (PATCHED_NAME.sub("patch(", text) for text in (old, new))
    if _programs(old) and _programs(new):
        old, new = _without_programs(old, new), _without_programs(new, old)
    if old == new or _names_outside_quotes(old) != _names_outside_quotes(new):
        return False
    counts = _written_values(new)
    return any(count > counts[value] for value, count in _written_values(old).items())


def _without_programs(text: str, other: str) -> str:
    """Without programs that are written out, if the other text has a similar one as strict."""
    for quoted in _programs(text):
        if any(_is_similar_program(quoted, program) for program in _programs(other)):
            text = text.replace(quoted, "''")
    return text


# One text is compared with many others, so what is read in it is kept.
@lru_cache(maxsize=10_000)
def _programs(text: str) -> tuple[str, ...]:
    return tuple(filter(PROGRAM.search, QUOTED.findall(text)))


@lru_cache(maxsize=10_000)
def _names_outside_quotes(text: str) -> tuple[str, ...]:
    return tuple(NAME.findall(QUOTED.sub("", text)))


def _is_similar_program(one: str, other: str) -> bool:
    is_as_strict = len(FAILING.findall(one)) == len(FAILING.findall(other))
    return is_as_strict and word_share(one, other) >= MIN_COMMON_WORDS


@lru_cache(maxsize=10_000)
def _written_values(text: str) -> Counter[str]:
    """The values that are written out, and how often; capitals make no difference."""
    text = text.casefold()
    return Counter([*QUOTED.findall(text), *re.findall(r"\b\d[\d.]*", QUOTED.sub("", text))])


def word_share(old: str, new: str) -> float:
    """The share of the words of both texts that they have in common."""
    old_words, new_words = words_of(old), words_of(new)
    return len(old_words & new_words) / max(1, len(old_words | new_words))


@lru_cache(maxsize=10_000)
def words_of(text: str) -> frozenset[str]:
    """The words of an assertion, which is compared with many others."""
    return frozenset(WORD.findall(text))


def has_more_keys(old: str, new: str) -> bool:
    """A mapping with all that the old one had, in its order, and more."""
    if "{" not in old or ":" not in old or len(new) <= len(old):
        return False
    rest = iter(_parts(new))
    return all(part in rest for part in _parts(old))


def _parts(text: str) -> list[str]:
    return re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\w.]+|[\[\](){}]", text)


def is_same_message(old: Assertion, new: Assertion) -> bool:
    """The words of an error or a warning, reworded or completed."""
    if not MESSAGE_SUBJECT.search(old.text) or not MESSAGE_SUBJECT.search(new.text):
        return False
    old_words, new_words = _message_words(old), _message_words(new)
    if min(len(old_words), len(new_words)) < MIN_MESSAGE_WORDS:
        return False
    if _numbers(old) != _numbers(new):
        return False
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    return matcher.ratio() >= SIMILAR_MESSAGE


def _message_words(assertion: Assertion) -> list[str]:
    return LETTERS.findall(" ".join(QUOTED.findall(_expected_text(assertion))))


def _numbers(assertion: Assertion) -> list[str]:
    return re.findall(r"\d+", QUOTED.sub("", _expected_text(assertion)))


def _expected_text(assertion: Assertion) -> str:
    if assertion.text.startswith("raises ("):
        return assertion.text.removesuffix(assertion.subject)
    return expected_value(assertion)


def is_grown_allow_list(old: Assertion, new: Assertion) -> bool:
    """`name in {…}` with a long list of names: some were added, and all others are still there."""
    old_names, new_names = QUOTED.findall(expected_value(old)), QUOTED.findall(expected_value(new))
    if len(old_names) < MIN_LIST or len(new_names) > len(old_names) * (1 + MAX_LIST_GROWTH):
        return False
    return set(old_names) <= set(new_names)


def changed_words(old: str, new: str) -> tuple[set[str], set[str]]:
    """The words that only the old text has, and those that only the new one has."""
    old_words, new_words = all_words(old), all_words(new)
    return old_words - new_words, new_words - old_words


def all_words(text: str) -> set[str]:
    """The words of a text; `\\n` and its like in quotes begin none."""
    return set(WORD.findall(ESCAPE.sub(" ", text)))


def is_part_of(old: str, new: str) -> bool:
    """Has the new text all words of the old one, in their order, and more?"""
    old_words, new_words = (WORD.findall(ESCAPE.sub(" ", text)) for text in (old, new))
    rest = iter(new_words)
    return len(old_words) < len(new_words) and all(word in rest for word in old_words)


def has_same_texts(old: str, new: str) -> bool:
    """Are the texts in quotes the same?"""
    return Counter(QUOTED.findall(old)) == Counter(QUOTED.findall(new))
