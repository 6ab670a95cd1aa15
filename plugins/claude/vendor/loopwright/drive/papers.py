"""The files that people read of a plan: VERIFICATION.md, the summary of a phase, and a GSD project's STATE.md and ROADMAP.md.

They show what the journal knows. A full disk, or a file that cannot be written, costs the file and not the loop.
What writes and reads them is imported where it is needed: most Stops of a plan loop need none of it.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from ..core.loop import Loop
from ..core.plan import VERIFY, Gap, Plan, plan_of
from ..core.record import digest
from ..core.signals import MirrorLost, Move
from ..store.folder import LoopFolder
from ..store.journal import write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT, SUMMARY = "VERIFICATION.md", "summary.md"
WROTE = "verified"  # in .loop/: the name of the report as we last wrote it
MOST = 2_000_000


def of(plan: Plan) -> frozenset[str]:
    """The papers that we write into the project itself: no task's, so in no task's commit."""
    return frozenset({plan.beside(REPORT), plan.beside(SUMMARY), f"{plan.gsd}/STATE.md", f"{plan.gsd}/ROADMAP.md"})


def keep(folder: LoopFolder, move: Move) -> None:
    """After a move of a plan loop."""
    loop, plan = move.loop, plan_of(move.loop)
    kinds = {type(event).__name__ for event in move.events}
    with suppress(OSError):
        if kinds & {"GapsFound", "LoopFinished"}:
            from ..views import verification

            body = verification.text(loop).encode("utf-8", "replace")
            write_atomic(folder.inside(WROTE), digest(body).encode())
            for path in _places(folder, loop, REPORT):
                write_atomic(path, body)
        if "LoopFinished" in kinds:
            summarise(folder, loop)
    if plan.gsd and move.events:
        keep_state(folder.root, loop)
        if "LoopFinished" in kinds:
            from ..store import gsd_roadmap

            roadmap = os.path.join(folder.root, plan.gsd, "ROADMAP.md")
            _rewrite(roadmap, lambda text: gsd_roadmap.mark(text, plan.phase, "COMPLETE"))


def summarise(folder: LoopFolder, loop: Loop) -> None:
    from ..views import verification

    for path in _places(folder, loop, SUMMARY):
        write_atomic(path, verification.summary(loop).encode("utf-8", "replace"))


def _places(folder: LoopFolder, loop: Loop, name: str) -> list[str]:
    """Where people look for it; after the end also with the rest of the loop."""
    archive = folder.inside("history", loop.id)
    here = os.path.join(folder.root, plan_of(loop).beside(name))
    return [here, os.path.join(archive, name)] if os.path.isdir(archive) else [here]


def keep_state(root: str, loop: Loop) -> None:
    """The `loop:` block of STATE.md; every other byte of it is somebody else's."""
    from ..store import gsd_state

    values = gsd_state.of(loop, time.time())
    _rewrite(os.path.join(root, plan_of(loop).gsd, "STATE.md"), lambda text: gsd_state.write(text, values))


def _rewrite(path: str, change: Callable[[str], str]) -> None:
    with suppress(OSError):
        text = _text(path)
        if text is not None and (now := change(text)) != text:
            write_atomic(path, now.encode("utf-8", "surrogateescape"))


@contextmanager
def set_aside(root: str, gsd: str) -> Iterator[None]:
    """Our block is out of STATE.md for a moment: git would not move a file that has changes, even if they are only ours."""
    from ..store import gsd_state
    from ..verify import clone

    path = os.path.join(root, gsd, "STATE.md")
    text = _text(path) if gsd else None
    found = gsd_state.read(text) if text is not None else None
    committed = clone.committed(root, f"{gsd}/STATE.md") if found else None
    if text is None or found is None or committed is None or gsd_state.write(committed, found) != gsd_state.write(text, found):
        yield
        return
    write_atomic(path, committed.encode("utf-8", "surrogateescape"))
    try:
        yield
    finally:
        _rewrite(path, lambda now: gsd_state.write(now, found))


def reported(root: str, state: str, loop: Loop) -> tuple[Gap, ...] | None:
    """The gaps of a report that somebody else wrote; None where it is as we left it, not there, or nobody verifies yet."""
    plan = plan_of(loop)
    text = _text(os.path.join(root, plan.beside(REPORT))) if plan.stage == VERIFY else None
    if text is None or digest(text.encode("utf-8", "surrogateescape")) == _text(os.path.join(state, WROTE)):
        return None
    from ..core.gaps import GAPS_FOUND, gaps_in, status_in

    gaps = gaps_in(text)
    if not gaps and status_in(text) == GAPS_FOUND:
        gaps = (Gap("ci_failure", plan.beside(REPORT), f"it says {GAPS_FOUND}, and names none inside <gaps>"),)
    return gaps


def edited(root: str, loop: Loop) -> tuple[MirrorLost, ...]:
    """A person who writes `paused: true` into STATE.md means it."""
    from ..store import gsd_state

    text = _text(os.path.join(root, plan_of(loop).gsd, "STATE.md"))
    found = gsd_state.read(text) if text is not None else None
    if found is None or not found.paused or loop.status == "paused":
        return ()
    return (MirrorLost(time.time(), "paused", file="STATE.md"),)


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read(MOST)
    except OSError:
        return None
