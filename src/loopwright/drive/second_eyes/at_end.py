"""An independent check at the end: in a clean checkout of the final tree, and without a word of it.

The loop learns whether it passes. What it prints could quote its source, so it stays outside.
"""

from __future__ import annotations

import time

from ...cleanroom.checkout_files import RoomError
from ...core.criteria import Check, Criterion, Evidence
from ...core.directives import RunCheck
from ...core.loop import Loop
from ...core.prompts import second_eyes as words
from ...core.second_eyes.independent import DISAGREED
from ...repo.checkout import CheckoutFailed
from ...store import holdouts
from ...store.folder import LoopFolder
from .trials import Place, TrialResult, place_of_end, run_script


def run_independent_check(folder: LoopFolder, wanted: RunCheck, loop: Loop) -> Evidence:
    """Run the check that is kept outside the project; the evidence says nothing of its content."""
    criterion: Criterion = next(c for c in loop.final_checks if c.name == wanted.criterion)
    evidence = Evidence(criterion.name, passed=False, tree=wanted.tree, at=time.time())
    check = holdouts.load_check(loop.id, criterion)
    try:
        if check is None:
            raise RoomError("its command is gone")
        return _run(folder, loop, check, evidence)
    except (RoomError, CheckoutFailed) as error:
        return evidence.but(outcome="missing", detail=str(error))


def _run(folder: LoopFolder, loop: Loop, check: Check, evidence: Evidence) -> Evidence:
    place = place_of_end(folder, loop, evidence.tree, holdouts.holdout_folder(loop.id))
    writings = [_run_twice_if_red(place, script) for script in check.command]
    evidence = evidence.but(seconds=round(time.time() - evidence.at, 3), at=time.time())
    if all(run.passed for runs in writings for run in runs):
        return evidence.but(passed=True, code=0)
    if any(runs[-1].passed for runs in writings):
        return evidence.but(passed=True, code=1, outcome=DISAGREED, detail=words.DISAGREES)
    is_endless = all(runs[-1].is_timeout for runs in writings)
    return evidence.but(code=1, detail=words.NO_END if is_endless else words.FAILED)


def _run_twice_if_red(place: Place, script: str) -> list[TrialResult]:
    """A failing run is made once more: one that passes then counts for nothing."""
    first = run_script(place, script)
    return [first] if first.passed else [first, run_script(place, script)]
