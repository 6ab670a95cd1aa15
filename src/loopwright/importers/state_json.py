"""A state.json of the seeds' schema with no journal beside it: written by a model, a person or the original plugin.

It is adopted at the next Stop of its session, with default limits, if it is younger than the session and not in git.
"""

from __future__ import annotations

import os
import time

from ..agents.claude.transcript import next_timestamp
from ..core.criteria import Claim, Criterion
from ..core.directives import Reply, Stop
from ..core.intake import SPEC_SATISFIED
from ..core.json_text import JSONError, loads
from ..core.limits import Limits, Price, Spend, Streak
from ..core.loop import Clock, Loop, LoopSettings, PendingClaims, Step
from ..core.replies.markers import criterion_claims_in
from ..core.signals import Signal, TurnOver
from ..core.status import ENDED
from ..repo.plumbing import run_git
from ..store.create import create_loop
from ..store.folder import LoopFolder
from ..store.mirror import (
    MAX_BYTES,
    MAX_EXTRA,
    MAX_SPEC,
    STATUS_WORDS,
    extra_fields,
    mirror_fields,
    names_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def adopt_state_file(folder: LoopFolder, signal: Signal) -> Reply | None:
    """Make a loop of the file if it is one to adopt. A directive ends the hook; None means that the loop is there now."""
    if not isinstance(signal, TurnOver) or not signal.session:
        return Stop()
    with open(folder.mirror_path, "rb") as file:
        raw = file.read(MAX_BYTES)
    try:
        found = loads(raw)
    except JSONError:
        found = None
    if not isinstance(found, dict):
        say = "[LOOP] .loop/state.json cannot be read and there is no journal to rebuild it from. See: `loop doctor`"
        return Stop("invalid state file", say)
    if not is_live(folder, found):
        return Stop()
    if has_lost_journal(folder, found):
        say = f"[LOOP] {folder.journal_path} is gone, and with it all proof. The stop is allowed. See: `loop doctor`"
        return Stop("no journal", say)
    if not belongs_to_session(folder, signal.transcript):
        return Stop()
    write_backup(folder, raw)
    create_loop(folder, loop_from_state(found, signal))
    return None


def is_live(folder: LoopFolder, found: dict[str, Any]) -> bool:
    """Still in progress, and not the mirror of a loop that has ended here."""
    status = found.get("status", "in_progress")
    ended = [STATUS_WORDS.get(word, word) for word in ENDED] + [
        "paused"
    ]  # not a set: a status may be a list
    known = found.get("id")
    archived = (
        isinstance(known, str)
        and known
        and os.path.isdir(folder.path_of("history", os.path.basename(known)))
    )
    return (
        status not in ended
        and not archived
        and isinstance(found.get("spec", found.get("criteriaStatus")), str | dict)
    )


def has_lost_journal(folder: LoopFolder, found: dict[str, Any]) -> bool:
    """Our own mirror without its journal: adopted, it would be a loop without checks, with counters that anybody may edit."""
    try:
        with open(folder.note_path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline().rstrip("\n") == found.get("id")
    except OSError:
        return False


def belongs_to_session(folder: LoopFolder, transcript: str) -> bool:
    """Younger than the session, and no part of the repository: a file that came with a clone is nobody's loop."""
    began = session_start(transcript)
    if not began or os.stat(folder.mirror_path).st_mtime < began:
        return False
    code, out = run_git(folder.root, "", "ls-files", "--", ".loop/state.json", own_config=False)
    return not out.strip() or code != 0


def session_start(transcript: str) -> float:
    """When the session's first line was written; 0 when that cannot be told."""
    try:
        with open(transcript, "rb") as file:
            stamp = next_timestamp(file.read(65536))[:19].decode("ascii")
        import calendar

        return float(calendar.timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S")))
    except (OSError, ValueError):
        return 0.0


def write_backup(folder: LoopFolder, raw: bytes) -> None:
    os.makedirs(folder.path_of("backup"), mode=0o700, exist_ok=True)
    place = folder.path_of("backup", f"state-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.json")
    with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(raw)


def loop_from_state(found: dict[str, Any], signal: TurnOver) -> Loop:
    """The loop that the file describes. Limits are the defaults; counters are taken over, since they only tighten."""
    claims = {claim.name: claim for claim in criterion_claims_in(found.get("criteriaStatus"))}
    given = found.get("criteriaStatus")
    status: dict[str, Any] = given if isinstance(given, dict) else {}
    names = dict.fromkeys([*names_in(found.get("criteria")), *claims]) or {SPEC_SATISFIED: None}
    finished = set(names_in(found.get("completedSteps")))
    steps = dict.fromkeys(
        [*names_in(found.get("steps")), *finished, *names_in(found.get("remainingSteps"))]
    )
    spec, breaker = found.get("spec"), found.get("circuitBreaker")
    stuck = _positive_number(breaker.get("stuckCount")) if isinstance(breaker, dict) else 0
    unmet = tuple(sorted(name for name in names if not (name in claims and claims[name].met)))
    loop = Loop(
        time.strftime("%Y%m%d-%H%M%S", time.gmtime(signal.at)) + "-adopted",
        spec[:MAX_SPEC] if isinstance(spec, str) else "(no spec given)",
        criteria=tuple(
            _claimed_criterion(name, claims.get(name), status.get(name)) for name in names
        ),
        steps=tuple(Step(name, name in finished) for name in steps),
        limits=Limits(),
        spend=Spend(
            iterations=max(0, int(_positive_number(found.get("iteration"))) - 1),
            dollars=_positive_number(found.get("cost")),
        ),
        streak=Streak(unmet=(unmet,), stuck=int(stuck) - 1) if stuck else Streak(),
        gates_enabled=False,
        exit_claimed=found.get("exit_signal") is True,
        pending_claims=PendingClaims(exit=found.get("exit_signal") is True),
        settings=LoopSettings(prices=_current_prices()),
        clock=Clock(started_at=signal.at, running_since=signal.at),
    )
    extra = extra_fields(found, mirror_fields(loop))
    return (
        loop.but(settings=loop.settings.but(extra_json=extra)) if len(extra) <= MAX_EXTRA else loop
    )  # the file itself lies in the backup


def _current_prices() -> tuple[Price, ...]:
    from ..store.config import prices  # reads TOML: paid only when a loop is really adopted

    return prices()


def _claimed_criterion(name: str, claim: Claim | None, value: Any) -> Criterion:
    planned = (
        value.get("verification", "")
        if isinstance(value, dict) and value.get("met") is not True
        else ""
    )
    return Criterion(
        name,
        claim=claim,
        detailed=isinstance(value, dict),
        planned=planned if isinstance(planned, str) else "",
    )


def _positive_number(value: Any) -> float:
    return (
        float(min(value, 1e6))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        else 0.0
    )
