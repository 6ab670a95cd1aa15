"""Asks for independent checks before the work, and screens each of them by running it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from ...cleanroom.checkout_files import RoomError
from ...cleanroom.trees import room_trees
from ...core.loop import Loop
from ...core.prompts import second_eyes as words
from ...core.record import Record
from ...core.second_eyes.agreement import (
    KeptCheck,
    Refusal,
    Screened,
    agreed_checks,
    flaw_of_words,
)
from ...core.second_eyes.answers import MAX_ANSWER, Proposal, read_proposals
from ...disk.files import make_folder, read_text, write_private
from ...repo.checkout import CheckoutFailed
from ...store import holdouts
from ...store.folder import LoopFolder
from ..errors import UserError
from .agent import Answer, Budget, SecondAgent, ask_agent, own_budget
from .trials import (
    SECONDS,
    Place,
    contradicted_test,
    flaw_of_failing,
    open_boxed_room,
    run_trial,
)

RUNS = 3  # of each proposal, with the same result
NO_TIME = "there was no time left to run it"
Report = Callable[[str], None]


class Proposed(Record):
    """What came of it."""

    kept: tuple[KeptCheck, ...]
    refused: tuple[Refusal, ...]
    dollars: float = 0.0


def propose_checks(
    folder: LoopFolder, loop: Loop, agents: tuple[SecondAgent, ...], report: Report
) -> Proposed:
    """Two independent writings, screened on the tree of the start. A UserError if that fails."""
    budget = own_budget()
    deadline = time.monotonic() + budget.seconds
    writers = (agents[0], agents[-1])  # one agent writes twice, each time with a fresh context
    try:
        place = _place_of_start(folder, loop)
        answers: list[Answer] = []
        for number, writer in enumerate(writers, 1):
            report(f"asking {writer.name} for independent checks ({number} of {len(writers)}) …")
            share = Budget(budget.dollars / len(writers), deadline - time.monotonic())
            answers.append(_ask_writer(place, writer, number, share))
        return _judge_writings(place, answers, "independent", deadline, report)
    except (RoomError, CheckoutFailed) as error:
        raise UserError(f"no independent checks: no clean checkout can be used: {error}") from error


def await_own_writings(loop: Loop) -> None:
    """The person asked for checks by sub-agents of the session: two writings will come."""
    make_folder(holdouts.holdout_folder(loop.id))
    write_private(_first_writing_path(loop), b"")


def own_writing_number(loop: Loop) -> int:
    """Which of the two writings comes next."""
    return 2 if _first_writing(loop) else 1


def take_own_writing(folder: LoopFolder, loop: Loop, text: str, report: Report) -> Proposed | None:
    """Judge what sub-agents of the session wrote; None: the second writing is still to come."""
    answers = [Answer(first) for first in (_first_writing(loop),) if first] + [Answer(text)]
    if len(answers) == 1:
        _read_writing(answers[0])  # a mistake in it is found at once
        write_private(_first_writing_path(loop), text.encode())
        return None
    deadline = time.monotonic() + own_budget().seconds
    try:
        place = _place_of_start(folder, loop)
        proposed = _judge_writings(place, answers, "self", deadline, report)
    except (RoomError, CheckoutFailed) as error:
        raise UserError(f"no independent checks: no clean checkout can be used: {error}") from error
    os.remove(_first_writing_path(loop))  # there are two writings, and no further try
    return proposed


def _first_writing(loop: Loop) -> str:
    text = read_text(_first_writing_path(loop), MAX_ANSWER, exact=True)
    if text is None:
        raise UserError("no writing is awaited; two are after /loop:start SPEC --checks-by self")
    return text


def _first_writing_path(loop: Loop) -> str:
    return os.path.join(holdouts.holdout_folder(loop.id), "first-writing.json")


def _judge_writings(
    place: Place, answers: list[Answer], origin: str, deadline: float, report: Report
) -> Proposed:
    writings = [_read_writing(answer) for answer in answers]
    report(f"running {sum(map(len, writings))} proposed checks on the files as they are …")
    screened, refused = screen_writings(place, writings, deadline)
    pairs, others = agreed_checks(screened[0], screened[1], place.loop.spec)
    kept = tuple(kept_check(n, pair, origin) for n, pair in enumerate(pairs, 1))
    return Proposed(kept, (*refused, *others), sum(answer.dollars for answer in answers))


def _place_of_start(folder: LoopFolder, loop: Loop) -> Place:
    baseline = room_trees(folder, loop).baseline
    return Place(folder, loop, baseline, holdouts.holdout_folder(loop.id))


def _ask_writer(place: Place, writer: SecondAgent, number: int, share: Budget) -> Answer:
    prompt = words.proposal_prompt(place.loop.spec, number)
    with open_boxed_room(place) as room:
        return ask_agent(writer, place.folder, place.loop, room, prompt, share)


def _read_writing(answer: Answer) -> tuple[Proposal, ...]:
    proposals = read_proposals(answer.text)
    if answer.problem or proposals is None:
        why = answer.problem or "its answer is not in the form asked for"
        raise UserError(f"no independent checks: {why}. Start without --checks-by, or try again")
    return proposals


def screen_writings(
    place: Place, writings: list[tuple[Proposal, ...]], deadline: float
) -> tuple[list[tuple[Screened, ...]], list[Refusal]]:
    """Each proposal that passes every screen, and the others with the first reason."""
    screened: list[tuple[Screened, ...]] = []
    refused = []
    for proposals in writings:
        rows = []
        for proposal in proposals:
            late = NO_TIME if time.monotonic() > deadline else ""
            why = late or screen_proposal(place, proposal)
            if why:
                refused.append(Refusal(proposal.says or "(says nothing)", why))
            else:
                rows.append(Screened(proposal, proposal.is_guard))
        screened.append(tuple(rows))
    return screened, refused


def screen_proposal(place: Place, proposal: Proposal) -> str:
    """Why it is refused; "" if not: it runs, is red or a guard, stable, and contradicts no test."""
    if (flaw := flaw_of_words(proposal, place.loop.spec)) or not proposal.trial:
        return flaw
    trial = proposal.trial
    first = run_trial(place, trial)
    if not first.has_run and not first.passed:
        return "it cannot run"
    if proposal.is_guard and not first.passed:
        return "it says that it passes now, and it fails"
    if not proposal.is_guard:
        if first.passed:
            return "it passes before the work"
        if flaw := flaw_of_failing(place, trial, first):
            return flaw
    if any(run_trial(place, trial).passed != first.passed for _ in range(RUNS - 1)):
        return "it gives different results on the same files"
    if test := contradicted_test(place, trial):
        return f"it contradicts a test of the project, {test}"
    return ""


def kept_check(number: int, pair: tuple[Screened, Screened], origin: str) -> KeptCheck:
    """Two proposals of one sentence as one held-out check."""
    one, other = pair
    assert one.proposal.trial
    assert other.proposal.trial
    scripts = (one.proposal.trial.script(True), other.proposal.trial.script(True))
    c = holdouts.holdout_criterion(f"independent-{number}", scripts, 4 * SECONDS, origin)
    return KeptCheck(c.but(quote=one.proposal.quote, guard=one.passed), scripts, one.proposal.says)


def kept_commands(kept: tuple[KeptCheck, ...]) -> dict[str, holdouts.Command]:
    return {check.criterion.name: check.scripts for check in kept}


def proposed_text(proposed: Proposed) -> str:
    """For the person: it says more than the worker may know."""
    rows = [words.kept_row(k.criterion.name, k.criterion.quote, k.says) for k in proposed.kept]
    refused = [f"- {refusal.says}: {refusal.why}" for refusal in proposed.refused]
    return words.proposed_text(rows, refused, proposed.dollars)
