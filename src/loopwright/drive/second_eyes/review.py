"""The built-in reviewer: it answers fixed questions, and we run what it says shows a fault."""

from __future__ import annotations

import os
import time

from ...cleanroom.checkout_files import RoomError
from ...core.criteria import CODE_REVIEW, Evidence
from ...core.directives import RunCheck
from ...core.loop import Loop
from ...core.prompts import second_eyes as words
from ...core.prompts.phrases import clip_text
from ...core.second_eyes.answers import Objection, Review, Trial, read_review
from ...disk.files import read_text
from ...repo.checkout import CheckoutFailed
from ...store.folder import LoopFolder
from ...verify.redact import redact_text
from ..errors import UserError
from .agent import ask_agent, own_budget, parse_agent
from .trials import (
    Place,
    TrialResult,
    contradicted_test,
    flaw_of_failing,
    open_boxed_room,
    place_of_end,
    run_trial,
)

MAX_SHOWN, MAX_COMMAND = 1_500, 600
WAYS_TO_CHEAT = os.path.join("ratchet", "ways_to_cheat.md")


def run_agent_review(folder: LoopFolder, wanted: RunCheck, loop: Loop, diff: str) -> Evidence:
    """The review of the final tree. It is missing if there is no complete answer."""
    evidence = Evidence(wanted.criterion, False, kind=CODE_REVIEW, tree=wanted.tree, at=time.time())
    began = time.monotonic()
    try:
        place = place_of_end(folder, loop, wanted.tree, folder.path)
        review, cost = _ask_reviewer(place, wanted, diff)
        counted, notes = judge_review(review, place)
    except (UserError, RoomError, CheckoutFailed) as error:
        return evidence.but(outcome="missing", detail=f"the reviewer: {error}")
    return evidence.but(
        passed=not counted,
        code=1 if counted else 0,
        seconds=round(time.monotonic() - began, 3),
        detail="\n".join(counted) or f"no objection counts (${cost:.2f})",
        notes=tuple(notes),
    )


def _ask_reviewer(place: Place, wanted: RunCheck, diff: str) -> tuple[Review, float]:
    agent, budget = parse_agent(wanted.check.command_line), own_budget()
    prompt = words.review_prompt(place.loop, diff, _ways_to_cheat())
    with open_boxed_room(place) as room:
        answer = ask_agent(agent, place.folder, place.loop, room, prompt, budget)
    review = read_review(answer.text, words.review_questions(place.loop))
    if answer.problem or review is None:
        said = clip_text(" ".join(redact_text(answer.text).split()), 200)
        raise UserError(answer.problem or f"no complete answer in the form asked for: {said!r}")
    return review, answer.dollars


def _ways_to_cheat() -> str:
    package = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    return read_text(os.path.join(package, WAYS_TO_CHEAT), 20_000) or ""


def judge_review(review: Review, place: Place) -> tuple[list[str], list[str]]:
    """The objections that count, for the worker, and the notes for the report."""
    counted, notes = [], []
    for objection in review.objections:
        why, result = judge_objection(objection, place)
        if why or not objection.trial:
            notes.append(words.objection_note(objection.text, why))
        else:
            counted.append(_for_worker(objection.text, objection.trial, result))
    objected = {objection.question for objection in review.objections}
    notes += [
        words.unfounded_answer(question, answer)
        for question, answer in review.answers
        if words.is_bad_answer(question, answer) and question not in objected
    ]
    return counted, notes


def judge_objection(objection: Objection, place: Place) -> tuple[str, TrialResult]:
    """Why the objection does not count, "" if it does; and the result of its command."""
    trial, nothing = objection.trial, TrialResult(True, False)
    if trial is None:
        return objection.flaw or "no command shows it", nothing
    first = run_trial(place, trial)
    if flaw := flaw_of_failing(place, trial, first):
        return flaw, first
    if run_trial(place, trial).passed:
        return "its command does not always fail", first
    if test := contradicted_test(place, trial):
        return f"it contradicts a test of the start, {clip_text(test, 160)}", first
    return "", first


def _for_worker(text: str, trial: Trial, result: TrialResult) -> str:
    command = clip_text(trial.command, MAX_COMMAND)
    if trial.path:
        command = f"{command}   (with {trial.path}: {clip_text(trial.text, MAX_COMMAND)})"
    return words.counted_objection(text, command, result.output[-MAX_SHOWN:])
