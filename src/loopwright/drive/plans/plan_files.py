"""The files of a plan that people read.

VERIFICATION.md, the summary of a phase, and STATE.md and ROADMAP.md of a GSD project. They show
what the journal has. When a file cannot be written, the loop continues without it.

Most Stops of a plan loop need none of these files, so their readers and writers are imported late.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from ...core.directives import Move
from ...core.loop import Loop, plan_of
from ...core.plan.plan import VERIFY, Gap, Plan, ProgressMark, criterion_names
from ...core.record import digest
from ...core.signals import MirrorLost
from ...disk.files import read_text, write_atomic
from ...store.folder import LoopFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT, SUMMARY = "VERIFICATION.md", "summary.md"
REPORT_DIGEST = "verified"  # in .loop/: holds the digest of the report as we last wrote it
MAX_CHARS = 2_000_000


def plan_file_paths(plan: Plan) -> frozenset[str]:
    """The files that we write into the project itself. They belong to no task's commit."""
    return frozenset(
        {
            plan.phase_file(REPORT),
            plan.phase_file(SUMMARY),
            f"{plan.gsd}/STATE.md",
            f"{plan.gsd}/ROADMAP.md",
            *progress_files(plan),
        }
    )


def progress_files(plan: Plan) -> frozenset[str]:
    """The files of the plan into which we write its progress."""
    return frozenset(mark.file for mark in plan.marks)


def write_plan_files(folder: LoopFolder, move: Move) -> None:
    """Write the files that a move of a plan loop changes."""
    loop, plan = move.loop, plan_of(move.loop)
    kinds = {type(event).__name__ for event in move.events}
    with suppress(OSError):
        if kinds & {"GapsFound", "LoopFinished"}:
            from ...views import verification

            body = verification.text(loop).encode("utf-8", "replace")
            write_atomic(folder.path_of(REPORT_DIGEST), digest(body).encode())
            for path in _target_paths(folder, loop, REPORT):
                write_atomic(path, body)
        if "LoopFinished" in kinds:
            write_phase_summary(folder, loop)
    if plan.marks and kinds & {"TaskFinished", "LoopFinished", "ProofFinished"}:
        write_progress(folder.root, loop)
    if plan.gsd and move.events:
        write_gsd_state(folder.root, loop)
        if "LoopFinished" in kinds:
            from ...formats import gsd_roadmap

            _rewrite_file(
                folder.root,
                f"{plan.gsd}/ROADMAP.md",
                lambda text: gsd_roadmap.set_phase_status(text, plan.phase, "COMPLETE"),
            )


def write_progress(root: str, loop: Loop) -> None:
    """Set the marks of all tasks that are proven, and no others."""
    plan, proven, passed = plan_of(loop), proven_tasks(loop), _passed_criteria(loop)
    marks = []
    for mark in plan.marks:
        # The box of a criterion that no command shows stays open until the whole is verified.
        is_shown = not mark.check or loop.status == "finished"
        is_shown = is_shown or any(name.endswith(f" {mark.check}") for name in passed)
        if proven.issuperset(mark.tasks) and is_shown:
            marks.append(mark)
    set_progress(root, marks, done=True)


def take_progress_back(root: str, plan: Plan, task: str) -> None:
    """Set the marks of a task back that is to be done again."""
    set_progress(root, [mark for mark in plan.marks if task in mark.tasks], done=False)


def set_progress(root: str, marks: list[ProgressMark], done: bool) -> None:
    from ...formats.plan_progress import set_marks
    from ...repo.user_repo import leads_out

    for file in dict.fromkeys(mark.file for mark in marks):
        path = os.path.join(root, file)
        own = [mark for mark in marks if mark.file == file]
        if leads_out(root, path) or (os.path.lexists(path) and not os.path.isfile(path)):
            continue
        text = read_text(path, MAX_CHARS, exact=True) or ""
        new_text = set_marks(text, own, done)
        with suppress(OSError):
            if new_text and new_text != text:
                _replace_text(path, new_text)
            elif text and not new_text:
                os.remove(path)


def text_digest(root: str, plan: Plan) -> str:
    """A digest of the text of the plan, whatever its marks say; "" where it cannot be read."""
    from ...formats.plan_progress import set_marks

    path = os.path.join(root, plan.file)
    names = [plan.file]
    if os.path.isdir(path):
        names = [f"{plan.file}/{n}" for n in sorted(os.listdir(path)) if n.endswith("PLAN.md")]
    texts = []
    for name in names:
        text = read_text(os.path.join(root, name), MAX_CHARS, exact=True)
        if text is None:
            return ""
        texts.append(set_marks(text, [mark for mark in plan.marks if mark.file == name]))
    return digest("\0".join(texts).encode("utf-8", "surrogateescape"))


def is_edited(root: str, plan: Plan) -> bool:
    """Was the file of the plan changed after the start?"""
    return bool(plan.text_digest) and plan.text_digest != text_digest(root, plan)


def proven_tasks(loop: Loop) -> frozenset[str]:
    """The tasks that our own run of a check has proven; at the end, all that are done.

    A task without a check of its own is proven by the verification of the whole plan only.
    """
    plan = plan_of(loop)
    if loop.status == "finished":
        return frozenset(plan.done)
    passed = _passed_criteria(loop)
    marked = {name for mark in plan.marks for name in mark.tasks if len(mark.tasks) == 1}
    return frozenset(
        task.id
        for task in plan.tasks
        if task.id in plan.done
        and (task.id not in marked or not passed.isdisjoint(criterion_names(task)))
    )


def _passed_criteria(loop: Loop) -> frozenset[str]:
    """The criteria whose check we ran, and that passed."""
    passed = (c for c in loop.criteria if c.may_run and c.proof and c.proof.passed)
    return frozenset(c.name for c in passed)


def write_phase_summary(folder: LoopFolder, loop: Loop) -> None:
    from ...views import verification

    for path in _target_paths(folder, loop, SUMMARY):
        write_atomic(path, verification.summary(loop).encode("utf-8", "replace"))


def _target_paths(folder: LoopFolder, loop: Loop, name: str) -> list[str]:
    """The path in the project, and after the end also the one in the archive of the loop."""
    from ...repo.user_repo import leads_out

    archive = folder.path_of("history", loop.id)
    here = os.path.join(folder.root, plan_of(loop).phase_file(name))
    kept = [os.path.join(archive, name)] if os.path.isdir(archive) else []
    return kept if leads_out(folder.root, os.path.dirname(here)) else [here, *kept]


def write_gsd_state(root: str, loop: Loop) -> None:
    """Update the `loop:` block of STATE.md. Every other byte stays as it is."""
    from ...formats import gsd_state

    values = gsd_state.gsd_loop_from(loop, time.time())
    name = f"{plan_of(loop).gsd}/STATE.md"
    _rewrite_file(root, name, lambda text: gsd_state.update_block(text, values))


def _rewrite_file(root: str, name: str, change: Callable[[str], str]) -> None:
    with suppress(OSError):
        text = _read_inside(root, name)
        if text is None:
            return
        new_text = change(text)
        if new_text != text:
            _replace_text(os.path.join(root, name), new_text)


def _read_inside(root: str, name: str) -> str | None:
    """The text of a plain file of the project; None for any other.

    An agent may leave a link, and what it leads to we would copy into the project, or a pipe.
    """
    from ...repo.user_repo import leads_out

    path = os.path.join(root, name)
    if leads_out(root, path) or not os.path.isfile(path):
        return None
    return read_text(path, MAX_CHARS, exact=True)


def _replace_text(path: str, text: str) -> None:
    """Write a file of the project; one that is there keeps its permissions."""
    mode = os.stat(path).st_mode if os.path.exists(path) else 0o644
    write_atomic(path, text.encode("utf-8", "surrogateescape"))
    os.chmod(path, mode)


@contextmanager
def without_gsd_block(root: str, gsd: str) -> Iterator[None]:
    """Take our block out of STATE.md for a moment: git does not replace a file with changes.

    Only when our block is the only change since the last commit.
    """
    from ...formats import gsd_state
    from ...repo import user_repo

    path = os.path.join(root, gsd, "STATE.md")
    text = _read_inside(root, f"{gsd}/STATE.md") if gsd else None
    block = gsd_state.read_block(text) if text is not None else None
    committed = user_repo.committed_text(root, f"{gsd}/STATE.md") if block else None
    if text is None or block is None or committed is None:
        yield
        return
    if gsd_state.update_block(committed, block) != gsd_state.update_block(text, block):
        yield
        return
    write_atomic(path, committed.encode("utf-8", "surrogateescape"))
    try:
        yield
    finally:
        _rewrite_file(root, f"{gsd}/STATE.md", lambda now: gsd_state.update_block(now, block))


def reported_gaps(root: str, state: str, loop: Loop) -> tuple[Gap, ...] | None:
    """The gaps of a report that an agent or a person wrote; None when there is no such report.

    Only while the plan is verified, and only when the report is not as we left it.
    """
    plan = plan_of(loop)
    if plan.stage != VERIFY:
        return None
    report_path = plan.phase_file(REPORT)
    text = _read_inside(root, report_path)
    if text is None:
        return None
    our_digest = read_text(os.path.join(state, REPORT_DIGEST), MAX_CHARS)
    if digest(text.encode("utf-8", "surrogateescape")) == our_digest:
        return None
    from ...core.plan.gaps import gaps_in, status_in
    from ...core.plan.plan import GAPS_FOUND

    gaps = gaps_in(text)
    if not gaps and status_in(text) == GAPS_FOUND:
        problem = f"it says {GAPS_FOUND}, and names none inside <gaps>"
        gaps = (Gap("ci_failure", report_path, problem),)
    return gaps


def gsd_pause_signals(root: str, loop: Loop) -> tuple[MirrorLost, ...]:
    """The pause that a person ordered by `paused: true` in STATE.md."""
    from ...formats import gsd_state

    text = _read_inside(root, f"{plan_of(loop).gsd}/STATE.md")
    block = gsd_state.read_block(text) if text is not None else None
    if block is None or not block.paused or loop.status == "paused":
        return ()
    return (MirrorLost(time.time(), "paused", file="STATE.md"),)
