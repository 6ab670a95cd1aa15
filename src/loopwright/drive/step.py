"""The step that every driver takes: signal in, journal, checks, directive out."""

from __future__ import annotations

import time

from ..core.directives import (
    CompareWithBaseline,
    HashTree,
    MeasureStrength,
    Reply,
    RunCheck,
    RunInCleanCheckout,
    Stop,
)
from ..core.engine import advance
from ..core.loop import Loop
from ..core.signals import Signal
from ..core.status import ENDED
from ..disk.light_os import os
from ..store.folder import LoopFolder, NoLoop
from .redaction import redact_secrets
from .turn_facts import TurnCheckout, complete_signal, gsd_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.criteria import Criterion
    from .turn_facts import TurnFactsReader

# Directives that are carried out here, before the driver gets its reply.
PARTS_OF_PROOF = (RunCheck, CompareWithBaseline, RunInCleanCheckout, MeasureStrength, HashTree)


def step(
    folder: LoopFolder,
    signal: Signal,
    read_facts: TurnFactsReader | None = None,
    checkout: TurnCheckout | None = None,
) -> Reply:
    """Tell the loop what happened; prove what it wants proven; return what the agent should do."""
    return step_with_loop(folder, signal, read_facts, checkout)[0]


def step_with_loop(
    folder: LoopFolder,
    signal: Signal,
    read_facts: TurnFactsReader | None = None,
    checkout: TurnCheckout | None = None,
) -> tuple[Reply, Loop]:
    """What `step` returns, and the loop as it is then.

    The lock is held while we read the facts of the turn, fold and write, never while a check runs,
    so `loop pause` and `loop cancel` in another terminal take effect at once. `read_facts` adds
    what only the agent's own files know (cost, tools, errors).
    """
    messages, began, proven_loop = "", time.monotonic(), ""
    checkout = checkout or TurnCheckout(folder.root, folder.path)
    while True:
        with folder.locked() as book:
            if proven_loop not in ("", book.loop.id):  # we were frozen, and another loop began
                raise NoLoop(f"the loop {proven_loop} has ended")
            signal = complete_signal(checkout, signal, book.loop, read_facts)
            signal = redact_secrets(signal, book.loop)
            inbox = (redact_secrets(edit, book.loop) for edit in book.inbox)
            waiting = book.loop.waiting_checks
            move = advance(book.loop, *inbox, *gsd_edits(folder.root, signal, book.loop), signal)
            book.commit(move, signal)
            if move.loop.plan:
                # Only a plan has files for people to read.
                from .plans.plan_files import write_plan_files

                write_plan_files(folder, move)
        messages = f"{messages}\n{move.directive.message}".strip()
        if isinstance(move.directive, PARTS_OF_PROOF):
            # A Stop that continues or ends never pays for subprocess.
            from .proof.parts_of_proof import run_part_of_proof

            found = run_part_of_proof(folder, checkout, move.directive, move.loop, began)
            if found is None:
                return _halt_in_proof(folder)
            signal, proven_loop = found, move.loop.id
            continue
        if move.loop.status in ENDED:
            end_orphans(folder)
            _drop_clean_checkout(move.loop)
        reply = move.directive.but(message=messages)
        if waiting and len(waiting) > len(move.loop.waiting_checks):
            return _measure_allowed_checks(folder, reply, move.loop, waiting)
        return reply, move.loop


def _measure_allowed_checks(
    folder: LoopFolder, reply: Reply, loop: Loop, waiting: tuple[Criterion, ...]
) -> tuple[Reply, Loop]:
    """A person has allowed checks that were waiting: measure them, as the start measures others."""
    from ..core.proof.clean_checkout import PENDING
    from .proof.late_measurement import measure_allowed_checks

    names = frozenset(c.name for c in waiting)
    if loop.status in ENDED or not (signal := measure_allowed_checks(folder, loop, names)):
        return reply, loop
    later, loop = step_with_loop(folder, signal)
    if loop.room.status == PENDING:
        calibrate_in_background(folder, loop)
    message = f"{reply.message}\n{later.message}".strip()
    return (reply if isinstance(later, Stop) else later).but(message=message), loop


def calibrate_in_background(folder: LoopFolder, loop: Loop) -> None:
    """Calibrate in a process of its own: a session must not wait for it.

    If it is killed, the calibration runs before the final proof.
    """
    if not hasattr(os, "fork") or os.fork():
        return
    os.setsid()
    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    try:
        from ..cleanroom.calibration import calibrate_room

        step(folder, calibrate_room(folder, loop))
    finally:
        os._exit(0)


def _halt_in_proof(folder: LoopFolder) -> tuple[Reply, Loop]:
    """A person halted the loop while a check ran. The order itself is in the journal already."""
    reply: Reply = Stop()
    if os.path.exists(folder.path_of("STOP")):
        reply = pause_for_stop_file(folder, time.time())
    with folder.locked() as book:  # NoLoop if it was cancelled
        return reply, book.loop


def pause_for_stop_file(folder: LoopFolder, at: float) -> Reply:
    """Pause because of .loop/STOP, and remove the file so that it halts the loop once."""
    from ..core.signals import Ordered

    reply = step(folder, Ordered(at, "pause", reason=".loop/STOP was found"))
    folder.remove_halt_files("STOP")  # after the step: the order must be in the journal first
    return reply


def _drop_clean_checkout(loop: Loop) -> None:
    if loop.room.status:
        from ..cleanroom.checkout import drop_ended_room

        drop_ended_room(loop)


def end_orphans(folder: LoopFolder) -> list[int]:
    """End the checks and agents whose driver was killed. This also happens when the loop ends."""
    running = folder.path_of("running")
    try:
        if not os.listdir(running):
            os.rmdir(running)
            return []
    except OSError:  # there is none, or somebody has just begun something
        return []
    from ..verify.process_groups import end_orphaned_groups

    return end_orphaned_groups(folder.path)
