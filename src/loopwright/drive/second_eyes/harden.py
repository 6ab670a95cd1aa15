"""`loop harden`: an agent tries to turn the checks green without the work, in a checkout that is
thrown away. What it finds shows where the checks of the person are weak.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ... import ratchet
from ...cleanroom.checkout import (
    PreparedRoom,
    room_criteria,
    run_check_in_room,
    run_checks,
)
from ...cleanroom.checkout_files import RoomError
from ...cleanroom.trees import room_trees
from ...core.criteria import Check, Criterion
from ...core.findings import LOW
from ...core.loop import Loop
from ...core.prompts import second_eyes as words
from ...core.second_eyes.answers import Trial, read_attempt
from ...core.second_eyes.hardening import Hardening, WayToGreen
from ...repo.baseline import Change, compare_with_baseline
from ...repo.checkout import CheckoutFailed
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ..errors import UserError
from ..proof.comparison import check_commands, file_reader
from .agent import Answer, Budget, SecondAgent, ask_agent, own_budget
from .trials import SECOND, SECONDS, Place, flaw_of_failing, open_boxed_room, run_trial


def harden_checks(
    folder: LoopFolder, loop: Loop, agent: SecondAgent, tries: int, report: Callable[[str], None]
) -> Hardening:
    """Let the agent try until it finds nothing, or its budget or the number of tries is used up."""
    red = [c for c in room_criteria(loop) if c.guard is False]
    if not red:
        raise UserError("no check is red, so there is nothing to turn green without the work")
    budget = own_budget()
    deadline = time.monotonic() + budget.seconds
    done = Hardening(tries=0)
    while done.tries < tries and not done.problem and time.monotonic() < deadline:
        report(f"{agent.name} tries to turn the checks green ({done.tries + 1} of {tries}) …")
        share = Budget(budget.dollars - done.dollars, deadline - time.monotonic())
        answer, way = _try_once(folder, loop, agent, share, red, done)
        ways = (*done.ways, way) if way else done.ways
        problem = answer.problem or ("" if way else "it found no other way")
        done = Hardening(done.tries + 1, ways, done.dollars + answer.dollars, problem)
    return done


def _try_once(
    folder: LoopFolder,
    loop: Loop,
    agent: SecondAgent,
    share: Budget,
    red: list[Criterion],
    done: Hardening,
) -> tuple[Answer, WayToGreen | None]:
    prompt = words.harden_prompt(loop.spec, red, [way.attempt.how for way in done.ways])
    try:
        place = Place(folder, loop, room_trees(folder, loop).baseline, folder.path)
        with open_boxed_room(place) as room:
            answer = ask_agent(agent, folder, loop, room, prompt, share, may_write=True)
            runs = run_checks(folder, loop, room, red)
            green = tuple(name for name, run in runs.items() if run.evidence.passed)
            if not green:
                return answer, None
            attempt = read_attempt(answer.text)
            changes = _changes_in(room, place)
            flaw = _flaw_of_stronger(place, room, attempt.stronger) if attempt.stronger else ""
    except (RoomError, CheckoutFailed) as error:
        raise UserError(f"no clean checkout can be used: {error}") from error
    commands = check_commands(loop.criteria)
    found = ratchet.findings(changes, commands, file_reader(folder.root), check_commands((*red,)))
    grave = tuple(finding for finding in found if finding.severity != LOW)
    files = tuple(change.path for change in changes)
    return answer, WayToGreen(attempt, green, files, grave, flaw)


def _changes_in(room: PreparedRoom, place: Place) -> tuple[Change, ...]:
    state = f"{room.path}.loop"
    tree = tree_hash(room.path, state, place.loop.settings.volatile_globs)
    return compare_with_baseline(
        room.path, state, place.commit, tree, (), lambda path: True
    ).changes


def _flaw_of_stronger(place: Place, room: PreparedRoom, stronger: Trial) -> str:
    """Why the suggested check is no good: it must be red here, and before the work too."""
    check = Check(stronger.script(), SECONDS, origin=SECOND)
    here = run_check_in_room(check, SECOND, place.loop.tree, room, place.logs).evidence
    if here.passed:
        return "it passes on this try too"
    return flaw_of_failing(place, stronger, run_trial(place, stronger))
