"""Answers to a gate: which words mean yes, which mean no, and what is neither.

Only a yes passes a gate. A doubt is neither: the loop asks again, which costs little, while a
wrong yes starts work that nobody wanted.
"""

from __future__ import annotations

from ..record import Record

YES, NO, NEITHER = "yes", "no", "neither"
LIFT_GATES = "proceed without confirmation"

# An answer that begins with one of these is a yes; what follows is guidance.
YES_PHRASES = (
    *("y", "yes", "yep", "yeah", "yup", "ok", "okay", "k", "sure", "fine", "agreed", "approved"),
    *("approve", "confirm", "confirmed", "accept", "accepted", "lgtm", "go", "go ahead", "go on"),
    *("go for it", "proceed", "start", "begin", "continue", "resume", "do it", "do that"),
    *("let's go", "lets go", "looks good", "sounds good", "all good", "ship it", "carry on"),
)
# An answer that begins with one of these is a no.
NO_PHRASES = (
    *("n", "no", "nope", "nah", "not", "never", "don't", "dont", "do not", "stop", "wait"),
    *("cancel", "later", "hold", "pause", "abort", "quit", "exit", "halt", "decline", "reject"),
    *("refuse", "deny", "forget it"),
)
# They begin like a yes and are none.
FALSE_YES_PHRASES = (
    *("go away", "go back", "go home", "start over", "start again", "do it yourself"),
    *("accept nothing", "approve nothing", "confirm nothing"),
)
# Words before the answer itself.
FILLERS = ("please", "well", "oh", "hm", "hmm", "um", "uh", "actually", "so")
# Words between a yes and what takes it back.
LINKS = (
    *FILLERS,
    *("but", "and", "then", "or", "just", "let's", "lets", "i", "i'd", "i'll", "we", "you"),
    *("aber", "pero", "mais"),
)
# Directly after a yes they take it back: "ok, wait".
DOUBTS = (
    *("n", "no", "nope", "nah", "never", "nothing", "maybe", "perhaps"),
    *("nein", "nicht", "non", "pas", "não", "nunca", "nie", "niet", "nej", "нет", "не"),
    *("what", "why", "how", "which", "where", "who", "when", "is", "are", "does", "did", "was"),
)
# In the few words after a yes they take it back: "ok, let's wait".
DELAYS = (
    *("wait", "stop", "cancel", "later", "hold", "pause", "abort", "quit", "halt"),
    *("tomorrow", "tonight"),
)
FEW_WORDS = 4
# Anywhere after a yes they take it back.
POSTPONEMENTS = ("not now", "not yet", "hold on", "hold off", "never mind", "on second thought")
# Directly after a yes: "ok, not yet" takes it back, "yes, not the parser" guides.
NEGATIONS = ("not", "don't", "dont", "do not")
NEGATED_STARTS = (
    *("yet", "now", "today", "ever", "ready", "sure", "really", "quite", "start", "begin"),
    *("continue", "proceed", "go", "run", "do", "resume", "at", "until", "before", "if", "unless"),
)
# Before `LIFT_GATES` they take it back: "never proceed without confirmation".
NEGATING_WORDS = (
    *("not", "no", "never", "dont", "cannot", "nor", "neither", "stop", "unless", "if", "when"),
    *("whether", "without"),
)
# After a yes to the end they ask for more work first: "yes, but rename it".
CONDITIONS = ("but", "first", "except", "after", "once", "if", "unless", "before", "also", "then")
DELETE = "delete"  # "y delete": yes, and delete state.json at the end


class GateAnswer(Record):
    """What an answer means, and what it says beyond that."""

    meaning: str  # YES, NO or NEITHER
    guidance: str = ""
    lifts_gates: bool = False
    deletes_mirror: bool = False
    has_condition: bool = False  # a yes that asks for more work first


def read_answer(text: str) -> GateAnswer:
    """Read the answer to a gate."""
    text = text.strip()
    if lifts_gates(text):
        is_plain = _words(text) == LIFT_GATES.split()
        return GateAnswer(YES, "" if is_plain else text, lifts_gates=True)
    words = _without_fillers(_words(text))
    if size := _longest_phrase(words, NO_PHRASES):
        return GateAnswer(NO, text if _has_more(words[size:]) else "")
    size = _yes_size(words)
    if not size or _longest_phrase(words, FALSE_YES_PHRASES) or _is_question(text):
        return GateAnswer(NEITHER, text)
    rest = words[size:]
    if rest == [DELETE]:
        return GateAnswer(YES, deletes_mirror=True)
    if _is_taken_back(words, size) or _is_bare_letter(text, words):
        return GateAnswer(NEITHER, text)
    has_condition = not set(rest).isdisjoint(CONDITIONS)
    return GateAnswer(YES, text if rest else "", has_condition=has_condition)


def lifts_gates(text: str) -> bool:
    """Does the person end all gates? Not with "never proceed without confirmation"."""
    words, wanted = _words(text), LIFT_GATES.split()
    if _is_question(text):
        return False
    for at in range(len(words) - len(wanted) + 1):
        if words[at : at + len(wanted)] == wanted:
            return not any(_negates(word) for word in words[:at])
    return False


def _negates(word: str) -> bool:
    return word in NEGATING_WORDS or word.endswith("n't")


def _words(text: str) -> list[str]:
    """The words in lower case; an apostrophe is part of a word."""
    text = text.lower().replace("’", "'").replace("`", "'")
    return "".join(x if x.isalnum() or x == "'" else " " for x in text).split()


def _without_fillers(words: list[str]) -> list[str]:
    for at, word in enumerate(words):
        if word not in FILLERS or _longest_phrase(words[at:], (*YES_PHRASES, *NO_PHRASES)):
            return words[at:]
    return []


def _longest_phrase(words: list[str], phrases: tuple[str, ...]) -> int:
    """How many words the longest of the phrases has that the words begin with."""
    begin = " ".join(words[:3]) + " "
    return max((len(p.split()) for p in phrases if begin.startswith(f"{p} ")), default=0)


def _yes_size(words: list[str]) -> int:
    """How many words of yes the answer begins with: "sure, go ahead" has three."""
    size = 0
    while more := _longest_phrase(words[size:], YES_PHRASES):
        size += more
    return size


def _has_more(words: list[str]) -> bool:
    """Does a no say more than no?"""
    polite = ("thanks", "thank", "you", "now", "yet", *FILLERS)
    while words:
        size = _longest_phrase(words, NO_PHRASES) or int(words[0] in polite)
        if not size:
            return True
        words = words[size:]
    return False


def _is_taken_back(words: list[str], size: int) -> bool:
    """Does what follows a yes of this size take it back?"""
    text = f" {' '.join(words)} "  # with the yes: "go on second thought" begins with "go on"
    if any(f" {phrase} " in text for phrase in POSTPONEMENTS):
        return True
    rest = words[size:]
    if len(rest) <= FEW_WORDS and (set(rest) & set(DELAYS) or rest[-1:] == ["not"]):
        return True
    while rest and rest[0] in LINKS:
        rest = rest[1:]
    if rest and rest[0] in (*DOUBTS, *DELAYS):
        return True
    size = _longest_phrase(rest, NEGATIONS)
    return bool(size) and (len(rest) == size or rest[size] in NEGATED_STARTS)


def _is_question(text: str) -> bool:
    """Is the first sentence a question?"""
    end = min((at for at, letter in enumerate(text) if letter in ".!;\n?？؟"), default=-1)
    return end >= 0 and text[end] in "?？؟"


def _is_bare_letter(text: str, words: list[str]) -> bool:
    """Is the yes only the first letter of a sentence? In Spanish, "y" means "and"."""
    if words[0] not in ("y", "k") or len(words) == 1 or _longest_phrase(words[1:], YES_PHRASES):
        return False
    after = text.lower().partition(words[0])[2]
    return after[:1].isspace()
