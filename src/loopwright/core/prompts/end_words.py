"""What the end of a loop means, in words for people; tags such as SHIP are for programs."""

from __future__ import annotations

from ..proof.grades import ACCEPTED, PROVEN, PROVEN_IN_PLACE, REPORTED, TESTED
from ..proof.verdict import (
    ACCEPTED_LATER_WORDS,
    ACCEPTED_WORDS,
    MONITOR,
    REPORTED_WORDS,
    RESEARCH,
    SHIP,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..proof.state import Verdict

GRADE_WORDS = {
    PROVEN: "The checks pass here and in a clean checkout",
    PROVEN_IN_PLACE: "The checks pass here; no clean checkout has confirmed it",
    TESTED: "Tests that the agent wrote fail without its work and pass with it",
    ACCEPTED: "You took it as it is; no command shows all of it",
    REPORTED: "The agent says so; no command shows all of it",
}
ADVICE = {
    SHIP: "you can keep it",
    MONITOR: "look at it before you keep it",
    RESEARCH: "settle what is open before you keep it",
}
# The grade says these already.
SAME_AS_GRADE = (REPORTED_WORDS, ACCEPTED_WORDS, ACCEPTED_LATER_WORDS)


def end_text(verdict: Verdict) -> str:
    """The grade, what it means, and what to do: `proven. The checks … You can keep it.`"""
    return f"{verdict.grade_text}. {meaning_text(verdict)}"


def meaning_text(verdict: Verdict) -> str:
    """The same without the name of the grade, where that stands beside it."""
    why = "" if verdict.why in SAME_AS_GRADE else verdict.why
    if verdict.grade_word == ACCEPTED and not why:
        return f"{GRADE_WORDS[ACCEPTED]}."  # the person has looked at it
    advice = f"{ADVICE[verdict.name]}{': ' if why else ''}{why}".rstrip(".")
    return f"{GRADE_WORDS[verdict.grade_word]}. {advice[0].upper()}{advice[1:]}."
