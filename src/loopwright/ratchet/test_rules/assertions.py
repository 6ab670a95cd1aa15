"""Compares two assertions: is the new one weaker, as strong, stronger, or only reworded?"""

from __future__ import annotations

from functools import lru_cache

from ... import lazy_re as re
from ...core.findings import HIGH, LOW, MEDIUM
from ..readers.suite import EXACT, LOOSE, Assertion
from .expected_values import (
    ESCAPE,
    expected_value,
    has_all_texts,
    has_more_keys,
    has_other_input,
    is_computed,
    is_grown_allow_list,
    is_same_message,
    word_share,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Ids of rules (core/findings.py).
LOOSENED = "assertion-loosened"
WIDENED = "assertion-widened"
CHANGED = "expected-value-changed"
POINTLESS = "assertion-cannot-fail"

COUNT_SUBJECT = re.compile(r"·\)*\.(length|size)$|len\(·\)$")
# An expected value that is only a name here: its value is defined elsewhere.
NAME_ONLY = re.compile(
    r"(?!(?:true|false|null|undefined|nan|none)$)[a-z_$][\w$]*+(?:\.[a-z_$][\w$]*+)*+", re.I
)
# `errors.As(err, &target)` names a variable, too.
NAMED_VALUE = re.compile(r"· == (.+)|· toThrow &(.+)")
COUNT_OF_ELEMENTS = re.compile(r"len\(·\) == \d+")
ABSENT_VALUES = ("null", "undefined", "None", "false", "False")
LONG_WORD = re.compile(r"[a-z]{3,}")
# A value of more letters than this is not equal by chance.
CHANCE_LETTERS = 3
QUALIFIER = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
VALUE_START = re.compile(r"[\d'\"(\[{-]")
INDEX = re.compile(r"\[(?:-?\d+|_)\]")
ANY_INDEX = "[_]"  # the subject of an assertion in a loop over an unknown list
TYPE_TESTS = ("isinstance(", "issubclass(")
RAISES = "raises ("  # how the assertion of an error begins
MIN_COMMON_WORDS = 0.5
LARGE_BOUND, SMALL_SHARE = 100.0, 0.1
NO_ERROR = re.compile(r"(?:.*\.)?err\w* == null|.*(?:\[\d\]|\)) == null")
MAPPING = re.compile(r"^\{.*(?:=>|: )|^['\":]?\w+['\"]?=>")
KEY_CLAIM = re.compile(r"(not )?.+\.(?:keys|Keys|keySet)(?:\(\))? toContain ['\":]?([\w-]+)['\"]?")
ERROR_TYPE = re.compile(r"· toThrow [\\\w]")
TEXT_CLAIM = re.compile(r" toContain ['\"](.+)['\"]")


def strength_loss(old: Assertion, new: Assertion) -> tuple[str, str] | None:
    """How much weaker the new one is, if both have one subject: severity and rule, or None."""
    if not new.strength:
        return HIGH, POINTLESS
    if _counts_instead(old, new) or _is_opposite(old, new) or _is_told_now(old, new):
        return MEDIUM, CHANGED
    if _raises_now(old, new):
        return MEDIUM, CHANGED
    if new.strength < old.strength:
        return HIGH, LOOSENED
    comparable = _comparison_kind(old) == _comparison_kind(new)
    rounding = 1e-9 * max(1.0, abs(old.slack))
    if comparable and new.slack > old.slack + rounding:
        return _widening_severity(old, new), WIDENED
    if old.predicate == new.predicate and has_other_input(old.subject, new.subject):
        return MEDIUM, CHANGED
    if old.predicate == new.predicate or both_compare_with_names(old, new):
        return None
    stricter = new.strength > old.strength or (comparable and new.slack < old.slack)
    if stricter or old.strength == LOOSE:
        return None
    return (LOW if comparable and is_harmless_change(old, new) else MEDIUM), CHANGED


def _raises_now(old: Assertion, new: Assertion) -> bool:
    """The call had an answer, and must raise a certain error now."""
    is_error = new.text.startswith(RAISES) and new.strength > LOOSE
    return is_error and not old.text.startswith(RAISES)


def _is_told_now(old: Assertion, new: Assertion) -> bool:
    """Is the answer, a name of unknown value before, written out: `== expected`, `== true`?"""
    if old.subject != new.subject or expected_value(new) not in ("true", "false"):
        return False
    return bool(NAME_ONLY.fullmatch(old.predicate.partition("· == ")[2]))


def _widening_severity(old: Assertion, new: Assertion) -> str:
    if is_grown_allow_list(old, new):
        return LOW
    is_bound = _comparison_kind(old).strip(") ") in ("<", "<=", ">", ">=")
    growth = new.slack - old.slack
    # A budget, as the size of a bundle, grows a little with each feature: a person may decide.
    if is_bound and abs(old.slack) >= LARGE_BOUND and growth <= SMALL_SHARE * abs(old.slack):
        return MEDIUM
    return HIGH


def _counts_instead(old: Assertion, new: Assertion) -> bool:
    """`not x` says that x has no element, `len(x) == 1` that it has one: another number."""
    if old.text != f"not {old.subject}" or new.subject != old.subject:
        return False
    return bool(COUNT_OF_ELEMENTS.fullmatch(new.predicate))


def is_harmless_change(old: Assertion, new: Assertion) -> bool:
    """Is another value expected, but not less: more keys, other words, another computed value?"""
    if is_same_message(old, new) or has_same_layout(old, new):
        return True
    old_value, new_value = expected_value(old), expected_value(new)
    if has_more_keys(old_value, new_value) or has_more_keys(old.text, new.text):
        return True
    if _is_same_text(old_value, new_value):
        return word_share(old.text, new.text) >= MIN_COMMON_WORDS
    if not is_computed(old_value) or not is_computed(new_value):
        return False
    if not has_all_texts(old_value, new_value):
        return False  # it may read another file
    return word_share(old.text, new.text) >= MIN_COMMON_WORDS


def _is_same_text(old: str, new: str) -> bool:
    """The same letters, once as bytes and once as text."""
    return old != new and old.removeprefix("b") == new.removeprefix("b") and len(old) > 1


def has_same_layout(old: Assertion, new: Assertion) -> bool:
    """Do only blanks, line breaks and the modules of classes differ?"""
    return _plain_text(old) == _plain_text(new)


def _plain_text(assertion: Assertion) -> str:
    """The text without blanks and line breaks, and without the modules of classes."""
    return QUALIFIER.sub("", "".join(ESCAPE.sub(" ", assertion.text).split()))


def has_same_form(old: Assertion, new: Assertion) -> bool:
    """Does only the subject differ, or what comes before the last part of it?"""
    if old.predicate != new.predicate or new.strength < old.strength or new.slack > old.slack:
        return False
    if has_other_input(old.subject, new.subject):
        return False
    return _last_part(old.subject) == _last_part(new.subject) or (
        word_share(old.text, new.text) >= MIN_COMMON_WORDS
    )


def _last_part(subject: str) -> str:
    return re.split(r"[.\[]", subject)[-1] if re.search(r"[.\[]", subject) else subject


def holds_for_all(old: Assertion, new: Assertion) -> bool:
    """Does an assertion in a loop say of every element what the old one said of one?"""
    if ANY_INDEX not in new.text or new.strength < old.strength:
        return False
    return INDEX.sub(ANY_INDEX, old.text) == INDEX.sub(ANY_INDEX, new.text)


def _is_opposite(old: Assertion, new: Assertion) -> bool:
    return f"not {old.text}" == new.text or f"not {new.text}" == old.text


def both_compare_with_names(old: Assertion, new: Assertion) -> bool:
    """Both compare with a name whose value is elsewhere, so a change of the name proves nothing."""
    if old.text.startswith("not ") or new.text.startswith("not "):
        return False
    expected = [NAMED_VALUE.fullmatch(assertion.predicate) for assertion in (old, new)]
    return all(match and NAME_ONLY.fullmatch(match[1] or match[2]) for match in expected)


def _comparison_kind(assertion: Assertion) -> str:
    """The operator after the subject. Bounds of different operators cannot be compared."""
    if assertion.text.startswith(TYPE_TESTS):
        return TYPE_TESTS[0]
    return _operator_of(assertion.predicate)


@lru_cache(maxsize=10_000)
def _operator_of(predicate: str) -> str:
    return VALUE_START.split(predicate.partition("·")[2], maxsplit=1)[0]


def is_implied(old: Assertion, new: Assertion) -> bool:
    """The new one says more of the same subject, or the same of a whole that contains it."""
    if not old.subject or not new.subject or new.strength < old.strength:
        return False
    if old.subject == new.subject:
        if _names_error_type(old) and not _names_error_type(new):
            return False  # the message of an error says nothing about its type
        return new.strength > old.strength and strength_loss(old, new) is None
    if old.strength == LOOSE and not old.text.endswith(("Called", ")")):
        # A value that has parts exists.
        return new.strength > LOOSE and new.subject.startswith(old.subject)
    is_part = old.subject.startswith((f"{new.subject}.", f"{new.subject}["))
    if not is_part or new.strength != EXACT:
        return False
    expected = expected_value(old)
    return bool(expected) and expected in new.predicate


def _names_error_type(assertion: Assertion) -> bool:
    return bool(ERROR_TYPE.match(assertion.predicate))


def is_contained_in(old: Assertion, new: Assertion) -> bool:
    """The new one names the old part with its value: `{name: 'Ann'}` for `.name == 'Ann'`."""
    expected = expected_value(old)
    if new.text.startswith(RAISES) and new.subject in old.subject and new.subject:
        raised = new.text.removesuffix(new.subject)
        return expected.strip(")") in raised and len(expected) > CHANCE_LETTERS
    if not new.subject or new.strength <= LOOSE or new.text.startswith("not ") or not expected:
        return False
    compares_collection = expected_value(new)[:1] in ("[", "{")
    if compares_collection and COUNT_SUBJECT.search(old.subject.replace(new.subject, "·")):
        return new.strength == EXACT
    words = re.findall(r"[\w-]+", old.subject)
    if not words:
        return False
    key = rf"(?<!\w){re.escape(words[-1])}['\"]?(: ?|=>|=)"
    if new.strength == EXACT and MAPPING.search(expected_value(new)):
        if asked := KEY_CLAIM.fullmatch(old.text):
            has_key = re.search(rf"['\":]{re.escape(asked[2])}['\"]?(: ?|=>|=)", new.predicate)
            return bool(has_key) != bool(asked[1])
        if expected in ("null", "nil", "None", "undefined") and not re.search(key, new.predicate):
            return True
        if part := TEXT_CLAIM.fullmatch(old.text.removeprefix(old.subject)):
            key_and_part = rf"{key}['\"][^'\"]*{re.escape(part[1])}"
            return bool(re.search(key_and_part, new.predicate))
    return bool(re.search(rf"{key}{re.escape(expected)}(?![\w.])", new.predicate))


def tells_message_apart(old: Assertion, new: Assertion, others: Sequence[Assertion]) -> bool:
    """The error is the same, and another assertion has its message: `error.message == 'no'`."""
    if " toThrow " not in old.text or not old.text.startswith(f"{new.text}, "):
        return False
    message = old.text.removeprefix(f"{new.text}, ").strip("/'\"")
    return any(other.strength > LOOSE and message in expected_value(other) for other in others)


def says_little(assertion: Assertion) -> bool:
    """That there is a value, or that one step had no error."""
    return assertion.strength == LOOSE or bool(NO_ERROR.fullmatch(assertion.text))


def has_similar_words(old: Assertion, new: Assertion) -> bool:
    """As strong, with the same matcher and most of the words."""
    if new.strength < old.strength or _comparison_kind(old) != _comparison_kind(new):
        return False
    return word_share(old.text, new.text) >= MIN_COMMON_WORDS


def is_reworded(old: Assertion, new: Assertion) -> bool:
    """Another matcher with the same value, about the same thing as far as the words tell."""
    old_value, new_value = expected_value(old), expected_value(new)
    if new.strength < old.strength or not old_value:
        return False
    if _comparison_kind(old) == _comparison_kind(new):
        is_collection = new_value[:1] in ("[", "{") and len(new_value) > len(old_value)
        if old.subject == new.subject or not is_collection:
            return False
    if new.strength > old.strength and new.subject.startswith(old.subject):
        return True
    if old_value in ABSENT_VALUES and new_value in ABSENT_VALUES:
        new_value = old_value
    if not re.search(rf"(?<![\w.]){re.escape(old_value)}(?![\w.])", new_value):
        return False
    return len(old_value) > CHANCE_LETTERS or not _long_words(old).isdisjoint(_long_words(new))


def _long_words(assertion: Assertion) -> set[str]:
    return set(LONG_WORD.findall(assertion.text.lower()))


def has_most_words(old: Assertion, new: Assertion) -> bool:
    """Most words in common: with the same predicate, in another test, that is not chance."""
    old_words, new_words = words_of(old.text), words_of(new.text)
    return 2 * len(old_words & new_words) >= len(old_words | new_words)
