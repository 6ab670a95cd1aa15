"""Adopt a state.json in the documented format that has no journal: a model or a person wrote it.

That happens at the next Stop of its session, with default limits, if the file is younger than the
session and not in git.
"""

from __future__ import annotations

import os
import time

from ..agents.session_log import next_timestamp
from ..core.criteria import SPEC_SATISFIED, Claim, Criterion, PendingClaims
from ..core.directives import Reply, Stop
from ..core.json_text import json_object
from ..core.limits import Limits, Price, Spend, Streak
from ..core.loop import Clock, Loop, LoopSettings, Step
from ..core.replies.markers import criterion_claims_in
from ..core.signals import Signal, TurnOver
from ..core.status import ENDED
from ..disk.files import open_at_once
from ..repo.plumbing import run_git
from ..store.create import create_loop
from ..store.folder import LoopFolder, read_note
from ..store.mirror import MAX_BYTES, MAX_EXTRA, MAX_SPEC, STATUS_WORDS, mirror_fields
from ..store.mirror_edits import extra_fields, names_in
from ..store.restore import missing_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def adopt_state_file(folder: LoopFolder, signal: Signal) -> Reply | None:
    """Create a loop from the file if it is to be adopted. None: the loop exists now."""
    if not isinstance(signal, TurnOver) or not signal.session:
        return Stop()
    with open(folder.mirror_path, "rb", opener=open_at_once) as file:
        raw = file.read(MAX_BYTES)
    state = json_object(raw)
    if state is None:
        message = (
            "[LOOP] .loop/state.json cannot be read and there is no journal to rebuild it from. "
            "See: `loop doctor`"
        )
        return Stop("invalid state file", message)
    if not is_live(folder, state):
        return Stop()
    if missing_loop(folder):  # said before: the journal can be restored
        return Stop()
    if has_lost_journal(folder, state):
        message = (
            f"[LOOP] {folder.journal_path} is gone, and with it all proof. "
            "The stop is allowed. See: `loop doctor`"
        )
        return Stop("no journal", message)
    if not belongs_to_session(folder, signal.transcript):
        return Stop()
    write_backup(folder, raw)
    create_loop(folder, loop_from_state(state, signal))
    return None


def is_live(folder: LoopFolder, state: dict[str, Any]) -> bool:
    """Is it in progress, and not the mirror of a loop that has ended here?"""
    # A list, not a set: the status in the file may be a value that cannot be hashed.
    ended = [*(STATUS_WORDS.get(status, status) for status in ENDED), "paused"]
    if state.get("status", "in_progress") in ended or _is_archived(folder, state.get("id")):
        return False
    return isinstance(state.get("spec", state.get("criteriaStatus")), str | dict)


def _is_archived(folder: LoopFolder, loop_id: Any) -> bool:
    if not isinstance(loop_id, str) or not loop_id:
        return False
    return os.path.isdir(folder.path_of("history", os.path.basename(loop_id)))


def has_lost_journal(folder: LoopFolder, state: dict[str, Any]) -> bool:
    """Is it our own mirror without its journal?

    A loop made from it would have no checks, and counters that anyone can edit.
    """
    return bool(state.get("id")) and read_note(folder.note_path)[0] == state.get("id")


def belongs_to_session(folder: LoopFolder, transcript: str) -> bool:
    """Is it younger than the session and not in git? A cloned file is not this user's loop."""
    started_at = session_start(transcript)
    if not started_at or os.stat(folder.mirror_path).st_mtime < started_at:
        return False
    code, out = run_git(folder.root, "", "ls-files", "--", ".loop/state.json", own_config=False)
    return not out.strip() or code != 0


def session_start(transcript: str) -> float:
    """When the first line of the session was written; 0 if that is unknown."""
    try:
        with open(transcript, "rb", opener=open_at_once) as file:
            stamp = next_timestamp(file.read(65536))[:19].decode("ascii")
        import calendar

        return float(calendar.timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S")))
    except (OSError, ValueError):
        return 0.0


def write_backup(folder: LoopFolder, raw: bytes) -> None:
    os.makedirs(folder.path_of("backup"), mode=0o700, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = folder.path_of("backup", f"state-{stamp}-{os.getpid()}.json")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(raw)


def loop_from_state(state: dict[str, Any], signal: TurnOver) -> Loop:
    """The loop that the file describes.

    Limits are the defaults. Counters are taken from the file, since they can only tighten a limit.
    """
    exit_claimed = state.get("exit_signal") is True
    spec = state.get("spec")
    criteria = _claimed_criteria(state)
    loop = Loop(
        id=time.strftime("%Y%m%d-%H%M%S", time.gmtime(signal.at)) + "-adopted",
        spec=spec[:MAX_SPEC] if isinstance(spec, str) else "(no spec given)",
        criteria=criteria,
        steps=_read_steps(state),
        limits=Limits(),
        spend=Spend(
            iterations=max(0, int(_positive_number(state.get("iteration"))) - 1),
            dollars=_positive_number(state.get("cost")),
        ),
        streak=_read_streak(state, criteria),
        gates_enabled=False,
        exit_claimed=exit_claimed,
        pending_claims=PendingClaims(exit=exit_claimed),
        settings=LoopSettings(prices=_current_prices()),
        clock=Clock(started_at=signal.at, running_since=signal.at),
    )
    extra = extra_fields(state, mirror_fields(loop))
    if len(extra) > MAX_EXTRA:  # the backup has them
        return loop
    return loop.but(settings=loop.settings.but(extra_json=extra))


def _current_prices() -> tuple[Price, ...]:
    from ..store.config import prices  # reads TOML, so only when a loop is adopted

    return prices()


def _claimed_criteria(state: dict[str, Any]) -> tuple[Criterion, ...]:
    """The criteria of the list, and those that only have a status."""
    status = state.get("criteriaStatus")
    claims = {claim.name: claim for claim in criterion_claims_in(status)}
    names = dict.fromkeys([*names_in(state.get("criteria")), *claims]) or [SPEC_SATISFIED]
    values: dict[str, Any] = status if isinstance(status, dict) else {}
    return tuple(_claimed_criterion(name, claims.get(name), values.get(name)) for name in names)


def _claimed_criterion(name: str, claim: Claim | None, value: Any) -> Criterion:
    if not isinstance(value, dict):
        return Criterion(name, claim=claim)
    planned = value.get("verification", "") if value.get("met") is not True else ""
    if not isinstance(planned, str):
        planned = ""
    return Criterion(name, claim=claim, detailed=True, planned=planned)


def _read_steps(state: dict[str, Any]) -> tuple[Step, ...]:
    finished = set(names_in(state.get("completedSteps")))
    listed, remaining = names_in(state.get("steps")), names_in(state.get("remainingSteps"))
    names = dict.fromkeys([*listed, *finished, *remaining])
    return tuple(Step(name, name in finished) for name in names)


def _read_streak(state: dict[str, Any], criteria: tuple[Criterion, ...]) -> Streak:
    """The streak of iterations without progress, with the criteria that are unmet now."""
    breaker = state.get("circuitBreaker")
    stuck = _positive_number(breaker.get("stuckCount")) if isinstance(breaker, dict) else 0
    if not stuck:
        return Streak()
    unmet = sorted(c.name for c in criteria if not (c.claim and c.claim.met))
    # This Stop adds at least the half that is missing, so the count becomes the one in the file.
    return Streak(unmet=(tuple(unmet),), stuck=int(stuck) - 1, stuck_half=True)


def _positive_number(value: Any) -> float:
    """A number above 0, bounded; 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0.0
    return float(min(value, 1e6))
