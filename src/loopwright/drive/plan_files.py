"""The files that people read of a plan: VERIFICATION.md, the summary of a phase, and a GSD project's STATE.md and ROADMAP.md.

They show what the journal knows. A full disk, or a file that cannot be written, costs the file and not the loop.
What writes and reads them is imported where it is needed: most Stops of a plan loop need none of it.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from ..core.directives import Move
from ..core.loop import Loop, plan_of
from ..core.plan.plan import VERIFY, Gap, Plan
from ..core.record import digest
from ..core.signals import MirrorLost
from ..disk.files import read_text, write_atomic
from ..store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT, SUMMARY = "VERIFICATION.md", "summary.md"
REPORT_DIGEST = "verified"  # in .loop/: the name of the report as we last wrote it
MAX_CHARS = 2_000_000


def plan_file_paths(plan: Plan) -> frozenset[str]:
    """The papers that we write into the project itself: no task's, so in no task's commit."""
    return frozenset(
        {
            plan.phase_file(REPORT),
            plan.phase_file(SUMMARY),
            f"{plan.gsd}/STATE.md",
            f"{plan.gsd}/ROADMAP.md",
        }
    )


def write_plan_files(folder: LoopFolder, move: Move) -> None:
    """After a move of a plan loop."""
    loop, plan = move.loop, plan_of(move.loop)
    kinds = {type(event).__name__ for event in move.events}
    with suppress(OSError):
        if kinds & {"GapsFound", "LoopFinished"}:
            from ..views import verification

            body = verification.text(loop).encode("utf-8", "replace")
            write_atomic(folder.path_of(REPORT_DIGEST), digest(body).encode())
            for path in _target_paths(folder, loop, REPORT):
                write_atomic(path, body)
        if "LoopFinished" in kinds:
            write_phase_summary(folder, loop)
    if plan.gsd and move.events:
        write_gsd_state(folder.root, loop)
        if "LoopFinished" in kinds:
            from ..formats import gsd_roadmap

            roadmap = os.path.join(folder.root, plan.gsd, "ROADMAP.md")
            _rewrite_file(
                roadmap, lambda text: gsd_roadmap.set_phase_status(text, plan.phase, "COMPLETE")
            )


def write_phase_summary(folder: LoopFolder, loop: Loop) -> None:
    from ..views import verification

    for path in _target_paths(folder, loop, SUMMARY):
        write_atomic(path, verification.summary(loop).encode("utf-8", "replace"))


def _target_paths(folder: LoopFolder, loop: Loop, name: str) -> list[str]:
    """Where people look for it; after the end also with the rest of the loop."""
    archive = folder.path_of("history", loop.id)
    here = os.path.join(folder.root, plan_of(loop).phase_file(name))
    return [here, os.path.join(archive, name)] if os.path.isdir(archive) else [here]


def write_gsd_state(root: str, loop: Loop) -> None:
    """The `loop:` block of STATE.md; every other byte of it is somebody else's."""
    from ..formats import gsd_state

    values = gsd_state.gsd_loop_from(loop, time.time())
    _rewrite_file(
        os.path.join(root, plan_of(loop).gsd, "STATE.md"),
        lambda text: gsd_state.update_block(text, values),
    )


def _rewrite_file(path: str, change: Callable[[str], str]) -> None:
    with suppress(OSError):
        text = read_text(path, MAX_CHARS, exact=True)
        if text is not None and (now := change(text)) != text:
            write_atomic(path, now.encode("utf-8", "surrogateescape"))


@contextmanager
def without_gsd_block(root: str, gsd: str) -> Iterator[None]:
    """Our block is out of STATE.md for a moment: git would not move a file that has changes, even if they are only ours."""
    from ..formats import gsd_state
    from ..repo import user_repo

    path = os.path.join(root, gsd, "STATE.md")
    text = read_text(path, MAX_CHARS, exact=True) if gsd else None
    found = gsd_state.read_block(text) if text is not None else None
    committed = user_repo.committed_text(root, f"{gsd}/STATE.md") if found else None
    if (
        text is None
        or found is None
        or committed is None
        or gsd_state.update_block(committed, found) != gsd_state.update_block(text, found)
    ):
        yield
        return
    write_atomic(path, committed.encode("utf-8", "surrogateescape"))
    try:
        yield
    finally:
        _rewrite_file(path, lambda now: gsd_state.update_block(now, found))


def reported_gaps(root: str, state: str, loop: Loop) -> tuple[Gap, ...] | None:
    """The gaps of a report that somebody else wrote; None where it is as we left it, not there, or nobody verifies yet."""
    plan = plan_of(loop)
    text = (
        read_text(os.path.join(root, plan.phase_file(REPORT)), MAX_CHARS, exact=True)
        if plan.stage == VERIFY
        else None
    )
    if text is None or digest(text.encode("utf-8", "surrogateescape")) == read_text(
        os.path.join(state, REPORT_DIGEST), MAX_CHARS
    ):
        return None
    from ..core.plan.gaps import GAPS_FOUND, gaps_in, status_in

    gaps = gaps_in(text)
    if not gaps and status_in(text) == GAPS_FOUND:
        gaps = (
            Gap(
                "ci_failure",
                plan.phase_file(REPORT),
                f"it says {GAPS_FOUND}, and names none inside <gaps>",
            ),
        )
    return gaps


def gsd_pause_signals(root: str, loop: Loop) -> tuple[MirrorLost, ...]:
    """A person who writes `paused: true` into STATE.md means it."""
    from ..formats import gsd_state

    text = read_text(os.path.join(root, plan_of(loop).gsd, "STATE.md"), MAX_CHARS, exact=True)
    found = gsd_state.read_block(text) if text is not None else None
    if found is None or not found.paused or loop.status == "paused":
        return ()
    return (MirrorLost(time.time(), "paused", file="STATE.md"),)
