"""Which proposed checks are kept: those on which two independent writings agree."""

from __future__ import annotations

from ... import lazy_re as re
from ..criteria import Criterion
from ..proof.demand_results import ASKS_TO_KEEP
from ..record import Record
from .answers import Proposal

MIN_QUOTE = 12  # letters: less is no sentence
# A name that begins with one underscore, outside the test's own object.
PRIVATE_NAME = re.compile(
    r"(?<!\bself)(?<!\bcls)(?<!\bthis)\.(_(?!_)[A-Za-z]\w*)"
    r"|\bimport\s+(?:[\w, ]*,\s*)?(_(?!_)[A-Za-z]\w*)"
)
ONLY_ONE = "only one of the two writings has it"


class Screened(Record):
    """A proposal that ran, and whether it passed on the files of the start."""

    proposal: Proposal
    passed: bool


class KeptCheck(Record):
    """Two checks of one sentence as one: it fails only if both do."""

    criterion: Criterion
    scripts: tuple[str, str]
    says: str  # for the person alone: it may say more than the sentence


class Refusal(Record):
    """A proposal that is not kept, and why."""

    says: str
    why: str


def flaw_of_words(proposal: Proposal, spec: str) -> str:
    """Why a proposal is refused before anything runs; "" if nothing speaks against it."""
    if proposal.flaw or not proposal.trial:
        return proposal.flaw
    if _place(proposal.quote, spec) is None:
        return "it quotes no sentence of the spec"
    text = f"{proposal.trial.command}\n{proposal.trial.text}"
    if found := PRIVATE_NAME.search(text):
        return f"it uses a private name, {(found[1] or found[2])[:60]}"
    if proposal.is_guard and not ASKS_TO_KEEP.search(proposal.quote):
        return "it says that it passes now, but its sentence asks for something new"
    return ""


def is_same_sentence(one: str, other: str, spec: str) -> bool:
    """Do both quote the same part of the spec? Half of the shorter one is enough."""
    first, second = _place(one, spec), _place(other, spec)
    if not first or not second:
        return False
    shared = min(first[1], second[1]) - max(first[0], second[0])
    return 2 * shared >= min(first[1] - first[0], second[1] - second[0])


def _place(quote: str, spec: str) -> tuple[int, int] | None:
    """Where the quote is among the letters of the spec; layout and signs do not count."""
    letters, whole = _letters(quote), _letters(spec)
    at = whole.find(letters)
    if at < 0 or (len(letters) < MIN_QUOTE and letters != whole):
        return None
    return at, at + len(letters)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def agreed_checks(
    first: tuple[Screened, ...], second: tuple[Screened, ...], spec: str
) -> tuple[list[tuple[Screened, Screened]], list[Refusal]]:
    """Pairs of the same sentence and the same result; the others, each with its reason."""
    pairs: list[tuple[Screened, Screened]] = []
    free, refused = list(second), []
    for one in first:
        quote = one.proposal.quote
        same = [s for s in free if is_same_sentence(quote, s.proposal.quote, spec)]
        match = next((s for s in same if s.passed == one.passed), None)
        if match:
            pairs.append((one, match))
            free.remove(match)
        else:
            why = "the results of the two writings differ" if same else ONLY_ONE
            refused.append(Refusal(one.proposal.says, why))
    return pairs, [*refused, *(Refusal(s.proposal.says, ONLY_ONE) for s in free)]
