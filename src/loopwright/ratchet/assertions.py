"""What one assertion is to another: as strong, stronger, weaker, or the same in other words."""

from __future__ import annotations

import re

from ..core.findings import HIGH, MEDIUM
from .suite import EXACT, LOOSE, Assertion

LOOSENED, WIDENED, CHANGED = "assertion-loosened", "assertion-widened", "expected-value-changed"
POINTLESS = "assertion-cannot-fail"
COUNT_SUBJECT = re.compile(r"·\)*\.(length|size)$|len\(·\)$")
# What has but a name here, and is held elsewhere.
NAME_ONLY = re.compile(
    r"(?!(?:true|false|null|undefined|nan|none)$)[a-z_$][\w$]*+(?:\.[a-z_$][\w$]*+)*+", re.I
)
ABSENT_VALUES = ("null", "undefined", "None", "false", "False")


def strength_loss(old: Assertion, new: Assertion) -> tuple[str, str] | None:
    """How much weaker the new one is, where both look at the same: severity and rule; None where it is as strong."""
    wider = new.slack > old.slack + 1e-9 * max(1.0, abs(old.slack))
    alike, turned = (
        old.predicate == new.predicate or both_compare_with_names(old, new),
        _comparison_kind(old) != _comparison_kind(new),
    )
    if new.strength < old.strength or not new.strength:
        return HIGH, LOOSENED if new.strength else POINTLESS
    if wider and not turned:
        return HIGH, WIDENED
    opposite = f"not {old.text}" == new.text or f"not {new.text}" == old.text
    stricter = new.strength > old.strength or (new.slack < old.slack and not turned)
    return (
        None if (alike or stricter or old.strength == LOOSE) and not opposite else (MEDIUM, CHANGED)
    )


def both_compare_with_names(old: Assertion, new: Assertion) -> bool:
    """Both are held against what has but a name here: which it is, tells nothing."""
    names = [NAME_ONLY.fullmatch(one.predicate.partition("· == ")[2]) for one in (old, new)]
    return all(names) and old.text[:4] != "not " != new.text[:4]


def _comparison_kind(one: Assertion) -> str:
    """The sign or the word between the subject and what it is held against: bounds of different kinds do not compare."""
    return re.split(r"[\d'\"(\[{-]", one.predicate.partition("·")[2])[0]


def is_implied(old: Assertion, new: Assertion) -> bool:
    """The new one says more of the same, or the same of all of which the old subject is a part."""
    if not old.subject or not new.subject or new.strength < old.strength:
        return False
    if old.subject == new.subject:
        return new.strength > old.strength and strength_loss(old, new) is None
    if old.strength == LOOSE and not old.text.endswith(("Called", ")")):  # what has parts is there
        return new.strength > LOOSE and new.subject.startswith(old.subject)
    expected = _expected_value(old)
    part = old.subject.startswith((f"{new.subject}.", f"{new.subject}["))
    return part and new.strength == EXACT and bool(expected) and expected in new.predicate


def is_contained_in(old: Assertion, new: Assertion) -> bool:
    """The new one names the part that the old one looked at, with the same value: `{name: 'Ann'}` for `.name == 'Ann'`."""
    key, expected = (re.findall(r"[\w-]+", old.subject) or [""])[-1], _expected_value(old)
    if not new.subject or new.strength <= LOOSE or new.text.startswith("not ") or not expected:
        return False
    if _expected_value(new)[:1] in ("[", "{") and COUNT_SUBJECT.search(
        old.subject.replace(new.subject, "·")
    ):
        return new.strength == EXACT
    said = rf"(?<!\w){re.escape(key)}['\"]?(: ?|=){re.escape(expected)}(?![\w.])"
    return bool(key and re.search(said, new.predicate))


def is_reworded(old: Assertion, new: Assertion) -> bool:
    """By another matcher, the same value: of the same thing as far as the words tell, or one that is not met by chance."""
    one, two = _expected_value(old), _expected_value(new)
    whole = old.subject != new.subject and two[:1] in ("[", "{") and len(two) > len(one)
    if (
        new.strength < old.strength
        or not one
        or (_comparison_kind(old) == _comparison_kind(new) and not whole)
    ):
        return False
    if new.strength > old.strength and new.subject.startswith(old.subject):
        return True
    two = one if one in ABSENT_VALUES and two in ABSENT_VALUES else two
    shared = set(re.findall(r"[a-z]{3,}", old.text.lower())) & set(
        re.findall(r"[a-z]{3,}", new.text.lower())
    )
    return bool(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", two)) and (
        bool(shared) or len(one) > 3
    )


def _expected_value(one: Assertion) -> str:
    """What the subject is held against; where there is nothing but a word for it: whether it is so."""
    word, _, expected = one.predicate.partition("·")[2].strip().partition(" ")
    return expected or ("false" if one.text.startswith("not ") else "true" if word else "")


def is_similar(old: Assertion, new: Assertion) -> bool:
    """The same words, or the same said of a subject that shares most of them: in other tests, chance must be ruled out."""
    one, two = (set(re.findall(r"\w+", a.text)) for a in (old, new))
    return old.predicate == new.predicate and 2 * len(one & two) >= len(one | two)
