"""What became of an assertion that a test no longer makes, and how grave its loss is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ... import lazy_re as re
from ...core.findings import HIGH
from ..readers.suite import LOOSE, Assertion, Test
from .assertions import both_compare_with_names, has_same_layout, is_reworded, strength_loss
from .expected_values import word_share
from .fresh_demands import called_names

REMOVED = "assertion-removed"  # the id of a rule
VARIABLE = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*")
MAX_CANDIDATES = 100  # that are compared word by word


def is_called_no_more(old: Assertion, new: Test) -> bool:
    """Is what the assertion is about gone from the test, which goes another way?

    That is the function that it called, or a variable of the test.
    """
    called = called_names(old.subject)
    rest = " ".join([*(new.steps or ()), *(a.text for a in new.assertions)])
    if called:
        return called[0] not in called_names(rest)
    names = VARIABLE.findall(old.subject)
    return bool(names) and names[0] not in VARIABLE.findall(rest)


def is_about_the_same(lost: Assertion, fresh: Sequence[Assertion]) -> bool:
    """Is something else asserted of the same subject now, as strongly?"""
    if not lost.subject:
        return False
    if any(a.subject == lost.subject and a.strength >= lost.strength for a in fresh):
        return True
    # The call had an answer, and raises an error now.
    raising = [a for a in fresh if a.text.startswith("raises (") and a.strength > LOOSE]
    return "(" in lost.subject and any(lost.subject in a.subject for a in raising)


def runs_only(test: Test) -> bool:
    """Does the test assert only that its steps raise nothing?"""
    texts = [a.text for a in test.assertions]
    return len(texts) == 1 and "; ".join(test.steps or ()).endswith(texts[0])


def is_said_again(lost: Assertion, old: Test, new: Test) -> bool:
    """Did two statements of the test assert this, and one of them still does?"""
    lines = {a.line for a in old.assertions if a.text == lost.text}
    is_kept = any(a.text == lost.text and a.strength >= lost.strength for a in new.assertions)
    return len(lines) > 1 and is_kept


def asserts_as_much(old: Test, new: Test) -> bool:
    """Are there as many assertions about other things, and are they as strong together?"""
    if len(new.assertions) < len(old.assertions) or old.cases != new.cases:
        return False
    return sum(a.strength for a in new.assertions) >= sum(a.strength for a in old.assertions)


def says_the_same(old: Assertion, new: Assertion) -> bool:
    return is_reworded(old, new) or both_compare_with_names(old, new)


def loss_to_nearest(old: Assertion, near: Assertion | None) -> tuple[str, str]:
    loss = strength_loss(old, near) if near else None
    return loss or (HIGH, REMOVED)


def nearest_assertion(old: Assertion, candidates: Iterable[Assertion]) -> Assertion | None:
    """What became of an assertion: the same text with less force, or another about its subject."""

    def distance(new: Assertion) -> tuple[bool, bool, bool, int]:
        severity, _ = strength_loss(old, new) or ("", "")
        is_other = not has_same_layout(old, new)
        return new.text != old.text, is_other, severity == HIGH, -new.strength

    weaker = []
    for new in candidates:
        same_subject = old.subject and new.subject == old.subject
        if (new.text == old.text or same_subject) and strength_loss(old, new):
            weaker.append(new)
    return min(weaker, key=distance, default=None)


def most_similar(old: Assertion, candidates: Sequence[Assertion]) -> Assertion | None:
    shares = ((word_share(old.text, new.text), new) for new in candidates[:MAX_CANDIDATES])
    return max(shares, key=lambda row: row[0], default=(0.0, None))[1]
