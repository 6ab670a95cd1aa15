"""A person's ruling on a disputed criterion, typed in a terminal or in a session."""

from __future__ import annotations

import shlex
import time

from ...core.criteria import Check, Criterion
from ...core.directives import Reply, Stop
from ...core.loop import Loop
from ...core.policies.disputes import ruling_problem
from ...core.prompts.disputes import dispute_list, rule_command
from ...core.proof.disputes import CHANGE, RULINGS
from ...core.signals import Ordered
from ...core.start.intake import parse_named_check
from ...store.folder import LoopFolder
from ..errors import UserError
from ..step import step


def rule_by_words(folder: LoopFolder, words: list[str]) -> Reply:
    """NAME keep|drop|change [COMMAND]; without words, the list of what waits."""
    loop = folder.read_loop()
    assert loop is not None
    if not words:
        return Stop(message=dispute_list(loop))
    name, ruling, command = _split_words(words, loop)
    return rule_on_criterion(folder, loop, name, ruling, command)


def _split_words(words: list[str], loop: Loop) -> tuple[str, str, str]:
    """A name may have several words and hold a ruling's word, so known names are tried first."""
    places = [number for number, word in enumerate(words) if number and word in RULINGS]
    known = [place for place in places if " ".join(words[:place]) in loop.awaiting_ruling]
    place = next(iter((*known, *places)), None)
    if place is None:
        raise UserError(f"how do you decide? Write: {rule_command((' '.join(words),))}")
    rest = words[place + 1 :]
    command = rest[0] if len(rest) == 1 else " ".join(map(_quoted_if_needed, rest))
    return " ".join(words[:place]), words[place], command


def _quoted_if_needed(word: str) -> str:
    return word if word and not any(map(str.isspace, word)) else shlex.quote(word)


def rule_on_criterion(
    folder: LoopFolder, loop: Loop, name: str, ruling: str, command: str
) -> Reply:
    """Record the decision; an error says why it cannot be made."""
    check = _new_check(loop, name, command) if command else None
    if problem := ruling_problem(loop, name, ruling, check):
        raise UserError(problem)
    order = Ordered(
        time.time(),
        "rule",
        arguments=(name, ruling),
        criteria=(Criterion(name, check),) if ruling == CHANGE else (),
    )
    return step(folder, order)


def _new_check(loop: Loop, name: str, command: str) -> Check:
    """The new command, with the time limit and the retries of the old one."""
    try:
        check = parse_named_check(f"criterion={command}")[1]
    except ValueError as error:
        raise UserError(str(error)) from error
    assert check is not None, "BUG: there is a command"
    old = next((c.check for c in loop.criteria if c.name == name), None)
    return check.but(timeout=old.timeout, retries=old.retries) if old else check
