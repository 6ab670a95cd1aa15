"""What `loop doctor` finds in a loop: journal, mirror, lease, limits, checks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from ...agents.claude import hooks
from ...core.criteria import Criterion
from ...core.json_text import json_object
from ...core.loop import Loop
from ...core.prompts.discovery import BACKLOG_PAGE
from ...core.prompts.phrases import count_phrase
from ...core.start.check_result import check_result
from ...disk.files import read_text
from ...disk.lock import FileLock, FolderBusy, LocksUnsupported
from ...store import journal
from ...store.folder import LOCK_SECONDS, LoopFolder, UnsafePath, UntrustedFolder
from ...store.restore import (
    missing_loop,
    missing_text,
    readable_copy,
    restore_loop,
    restored_text,
    set_journal_aside,
)
from ...views.board import driver_text
from .client import block_cap
from .diagnosis import Diagnosis

MAX_MIRROR_CHARS = 1_000_000


def diagnose_journal(folder: LoopFolder) -> tuple[Loop | None, list[Diagnosis]]:
    """«Session resume doesn't work», «loop stops too early»: is there a loop that can be read?"""
    if not os.path.exists(folder.journal_path):
        if lost := missing_loop(folder):
            text = missing_text(folder, lost).removeprefix("[LOOP] ")
            return None, [Diagnosis("fail", text, "loop restore, or: loop forget")]
        if os.path.exists(folder.mirror_path):
            return None, list(diagnose_orphan_mirror(folder))
        return None, [Diagnosis("ok", "no loop here: the hook is silent")]
    try:
        loop = folder.read_loop()
    except UntrustedFolder as error:
        return None, [Diagnosis("fail", str(error), "loop allow")]
    except journal.NewerFormat as error:
        return None, [Diagnosis("fail", str(error), "install the version that wrote it")]
    except journal.JournalError as error:
        return None, [Diagnosis("fail", str(error), journal_fix(folder))]
    assert loop is not None
    return loop, [
        Diagnosis("ok", f"the journal reads; the loop is {loop.status}"),
        *diagnose_lock(folder),
    ]


def diagnose_orphan_mirror(folder: LoopFolder) -> Iterator[Diagnosis]:
    mirror = json_object(read_text(folder.mirror_path, MAX_MIRROR_CHARS) or "")
    if mirror is None:
        yield Diagnosis(
            "fail",
            ".loop/state.json cannot be read and there is no journal",
            "move it away and start again",
        )
    elif mirror.get("status", "in_progress") == "in_progress":
        yield Diagnosis(
            "warn",
            "state.json is in progress but has no journal",
            "the next stop of its session adopts it",
        )
    else:
        yield Diagnosis("ok", f"the last loop here is {mirror['status']}")


def diagnose_lock(folder: LoopFolder) -> Iterator[Diagnosis]:
    try:
        with FileLock(folder.path_of("lock"), 1.0):
            yield Diagnosis("ok", "the lock works here")
    except (FolderBusy, LocksUnsupported, OSError) as error:
        yield Diagnosis(
            "fail",
            f"the lock cannot be taken: {error}",
            "end the process that holds it, or use a local file system",
        )


def journal_fix(folder: LoopFolder) -> str:
    """What `loop doctor --fix` would do about a journal that cannot be read."""
    found = readable_copy(folder)
    aside = "loop doctor --fix   (moves it to .loop/aside/"
    if found is None:
        return f"{aside}; there is no second copy that can be read, so start again)"
    lines = count_phrase(found.seq, "line")
    return f"{aside} and puts back the second copy, which has {lines})"


def repair_journal(folder: LoopFolder) -> str:
    """Set a journal aside that cannot be read, and restore the second copy; says what was done."""
    if not needs_repair(folder):
        return ""
    if readable_copy(folder):
        return restored_text(restore_loop(folder))
    with FileLock(folder.path_of("lock"), LOCK_SECONDS):
        aside = set_journal_aside(folder)
    return f"[LOOP] The damaged journal is kept as {aside}. Start again: loop start SPEC"


def needs_repair(folder: LoopFolder) -> bool:
    """Is the journal gone or damaged? One of another version or another owner is neither."""
    try:
        return folder.read_loop() is None and missing_loop(folder) is not None
    except (UntrustedFolder, journal.NewerFormat, UnsafePath):
        return False
    except journal.JournalError:
        return True


def diagnose_loop(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    """What a loop that can be read lacks, or is stopped by."""
    yield from diagnose_mirror(folder, loop)
    yield from diagnose_backlog_page(folder, loop)
    yield from diagnose_lease(loop)
    yield from diagnose_limits(folder, loop)
    yield from diagnose_checks(loop)
    yield from diagnose_spend(loop)


def diagnose_mirror(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    """«Loop stops too early»: state.json missing, broken, or claiming the exit."""
    if not os.path.exists(folder.mirror_path):
        yield Diagnosis(
            "warn",
            ".loop/state.json is missing; that pauses the loop",
            "loop continue   (rebuilds it)",
        )
    elif loop.exit_claimed:
        yield Diagnosis("ok", "exit_signal is true: the agent has claimed the exit")
    else:
        yield Diagnosis("ok", "state.json is there; exit_signal is false until the exit is claimed")


def diagnose_backlog_page(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    if loop.backlog and not os.path.exists(os.path.join(folder.root, BACKLOG_PAGE)):
        yield Diagnosis(
            "warn",
            f"{BACKLOG_PAGE} is missing; that pauses the loop",
            "loop continue   (rebuilds it)",
        )


def diagnose_lease(loop: Loop) -> Iterator[Diagnosis]:
    """«Session resume doesn't work»: another session, a paused loop."""
    if loop.status in ("paused", "asking"):
        question = loop.gate.question if loop.gate else ""
        yield Diagnosis(
            "warn", f"the loop is {loop.status}: {loop.pause.why or question}", "loop why"
        )
    if not loop.lease.holder:
        yield Diagnosis("ok", "no session drives it yet: the next prompt in this folder takes it")
    else:
        yield Diagnosis(
            "ok",
            f"driven by {driver_text(loop.lease, now=time.time())}; other sessions are left alone",
            "to take it over: loop attach --session ID",
        )


def diagnose_limits(folder: LoopFolder, loop: Loop) -> Iterator[Diagnosis]:
    """«Loop runs forever», «stops too early»: the counters, and the client's own cap."""
    steps = len(loop.remaining_steps)
    if loop.limits.iterations < steps:
        yield Diagnosis(
            "warn",
            f"{steps} steps remain but only {loop.limits.iterations} iterations",
            "loop continue --iterations=N",
        )
    cap = block_cap(folder)
    if 0 < cap < loop.limits.iterations:
        yield Diagnosis(
            "warn",
            f"Claude Code lets go after {cap} answers in a row without a tool call "
            f"({hooks.BLOCK_CAP_VARIABLE})",
            f"loop install --block-cap={max(loop.limits.iterations, 50)}",
        )
    if loop.streak.stuck:
        unmet = ", ".join(loop.unmet_criteria)
        yield Diagnosis(
            "warn",
            f"stuck {loop.streak.stuck} of {loop.limits.stuck} on: {unmet}",
            "loop why shows the failing output",
        )


def diagnose_checks(loop: Loop) -> Iterator[Diagnosis]:
    """«Circuit breaker triggers unexpectedly»: can the criterion be met, does its command exist?"""
    return map(_diagnose_check, (*loop.criteria, *loop.must_not))


def _diagnose_check(c: Criterion) -> Diagnosis:
    if not c.check:
        return Diagnosis(
            "warn",
            f"{c.name}: no check, so it can only be reported",
            f'loop criteria add "{c.name}=COMMAND"',
        )
    if not c.check.allowed:
        return Diagnosis("warn", f"{c.name}: its check waits for you", "loop allow")
    if not c.proof:
        return Diagnosis("ok", f"{c.name}: not run yet")
    result = check_result(c)
    if c.proof.outcome == "missing":
        return Diagnosis(
            "fail",
            f"{c.name}: its command cannot be run ({c.proof.detail[-120:]})",
            result.fix if result else "install it, or change the criterion",
        )
    if c.proof.outcome == "timeout":
        return Diagnosis(
            "fail",
            f"{c.name}: over its time of {c.check.timeout} s",
            "loop config check.timeout N, then start again",
        )
    return Diagnosis("ok", f"{c.name}: {'passes' if c.proof.passed else 'fails'}")


def diagnose_spend(loop: Loop) -> Iterator[Diagnosis]:
    if loop.spend.unpriced:
        names = ", ".join(loop.spend.unpriced)
        yield Diagnosis(
            "warn",
            f"no price for {names}: the budget cannot trip on it",
            "loop config prices.MODEL IN/OUT/READ/WRITE",
        )
    if loop.spend.unread_bytes:
        yield Diagnosis(
            "warn",
            f"{loop.spend.unread_bytes} bytes of transcript are not read yet",
            "they are read at the next stops",
        )
