"""What `loop start` asks a person in a terminal: what a vague spec lacks, and whether to begin."""

from __future__ import annotations

import re

from ...core.criteria import Check
from ...core.loop import Loop
from ...core.person.answers import NEITHER, read_answer
from ...core.prompts.questions import choices_text
from ...core.start import rubric
from ...drive.checks import without_independent_check
from ...drive.new_loop import Request, TooVague, loop_from_request
from ...store import trust
from ...store.folder import LoopFolder
from ...views import start_notes, start_screen
from .. import here, output
from .request import checks_from_answer, is_headless

WORK_ANSWER = re.compile(r"work:? +(\S.*)")
DROP_ANSWER = re.compile(r"drop:? +(\S+)")
ALREADY_GREEN_QUESTION = "Every check passes already. Begin all the same?"


def draft_loop(
    request: Request, folder: LoopFolder, detected: dict[str, Check], timeout: int
) -> Loop:
    """The loop as it would start. If the spec is vague, ask the person and score it again."""
    try:
        return loop_from_request(request, folder, detected)
    except TooVague as vague:
        if here.agent_variable() or is_headless():
            raise
        questions = rubric.open_questions(vague.points)
        answers = {topic: output.ask_question(question) for topic, question in questions.items()}
        details = "\n".join(f"{topic}: {answer}" for topic, answer in answers.items() if answer)
        if not details:
            raise
    checks = checks_from_answer(answers.get("Success") or "", timeout)
    request = request.but(spec=f"{request.spec}\n\n{details}", criteria=request.criteria + checks)
    return loop_from_request(request, folder, detected)


def ask_to_start(loop: Loop, folder: LoopFolder, yes: bool) -> tuple[Loop, str | None]:
    """The loop, with what the person makes the work, and their answer.

    The answer is None without a question or without a person at a terminal. Enter alone is neither
    yes nor no.
    """
    question = "" if here.agent_variable() else _start_question(loop, folder, yes)
    if not question:
        return loop, None
    choices = choices_text("G1", in_session=False)
    while True:
        answer = output.ask_question(f"{question} ({choices}; {_other_answers(loop)})")
        if answer is not None and (paths := WORK_ANSWER.fullmatch(answer.strip())):
            may_change = (*loop.room.may_change, *paths[1].split())
            loop = loop.but(room=loop.room.but(may_change=may_change))
            output.show_text("\n".join(start_notes.work_notes(loop)))
        elif answer is not None and (dropped := DROP_ANSWER.fullmatch(answer.strip())):
            loop = without_independent_check(loop, dropped[1])
            output.show_text("\n".join(start_screen.final_check_rows(loop)))
        elif answer is None or read_answer(answer).meaning != NEITHER:
            return loop, answer


def _start_question(loop: Loop, folder: LoopFolder, yes: bool) -> str:
    """The question before the start, or "".

    That every check passes already is asked once: the same command a second time starts the loop.
    """
    if loop.gate:
        return loop.gate.question
    if yes or not start_notes.all_green(loop):
        return ""
    checks = [c.check.command_line for c in loop.criteria if c.check]
    asked_before = trust.record_notice_shown(folder, "\0".join((loop.spec, *checks)))
    return "" if asked_before else ALREADY_GREEN_QUESTION


def _other_answers(loop: Loop) -> str:
    """What else can be said to the question before the start."""
    independent = any(c.is_independent for c in loop.final_checks)
    drops = "; `drop NAME` leaves an independent check out" if independent else ""
    return f"`work PATH` makes a file the work{drops}"
