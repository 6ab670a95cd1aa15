"""One attempt of several: a worktree from the same commit, with a loop and a budget of its own."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress

from ...cleanroom.checkout import RoomOptions, drop_room
from ...core.criteria import Criterion
from ...core.loop import Clock, Lease, Loop, open_findings
from ...core.prompts.phrases import clip_text
from ...core.proof.clean_checkout import OFF
from ...core.proof.state import Baseline, Room
from ...core.record import Record
from ...core.runner.run import Attempt
from ...repo import kept_trees
from ...repo.git import (
    GitError,
    commit_at,
    git_error_text,
    git_output,
    join_names,
    read_checkout,
    run_user_git,
)
from ...repo.lanes import changes, worktrees
from ...store import holdouts, second_copy
from ...store.create import create_loop
from ...store.folder import LoopFolder
from ...store.history import last_ended_loop
from ..errors import UserError
from ..lane_checkout import prepare_lane
from ..proof.start_baseline import measure_baseline

PROVEN, NOT_PROVEN, STOPPED, FAILED = "proven", "not proven", "stopped", "could not start"
MAX_SUBJECT = 60
MAX_FOUND = 3  # findings of an attempt that are named


class AttemptPlace(Record):
    """Where an attempt works, and the ref that keeps its work."""

    number: int
    path: str
    branch: str
    ref: str
    loop_id: str
    agent: str = ""
    model: str = ""


def attempts_folder(root: str, loop: Loop) -> str:
    return f"{root}-attempts-{loop.id[-6:]}"


def attempt_place(root: str, loop: Loop, number: int, agent: str, model: str) -> AttemptPlace:
    return AttemptPlace(
        number=number,
        path=os.path.join(attempts_folder(root, loop), str(number)),
        branch=worktrees.lane_branch(loop.id, f"attempt-{number}"),
        ref=f"refs/loop/{loop.id}/attempt-{number}",
        loop_id=f"{loop.id[:-6]}{secrets.token_hex(3)}",
        agent=agent,
        model=model,
    )


def remove_earlier_attempts(root: str, loop: Loop) -> None:
    """Remove the attempts of this loop that a lost machine left; their work is kept first."""
    folder = attempts_folder(root, loop)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in names:
        if name.isdecimal():
            place = attempt_place(root, loop, int(name), "", "")
            own = LoopFolder(place.path).read_loop()
            keep_attempt(root, place.but(ref=f"{place.ref}-earlier"))
            remove_attempt(root, place.but(loop_id=own.id if own else place.loop_id))


def keep_attempt(root: str, place: AttemptPlace) -> None:
    """Keep the work of an attempt that was cut off under its ref."""
    with suppress(GitError, OSError):
        if os.path.isdir(place.path):
            _commit_attempt(root, place, f"attempt {place.number}, cut off")
            git_output(root, "update-ref", place.ref, commit_at(place.path, "HEAD"))


def _commit_attempt(root: str, place: AttemptPlace, message: str) -> str:
    """Commit what the attempt leaves, on its own branch only; why that is not possible, or ""."""
    worktrees.return_to_branch(place.path, place.branch)
    problem = changes.lane_problem(root, place.path, place.branch)
    return problem or changes.commit_lane(place.path, message).problem


def begin_attempt(
    folder: LoopFolder, loop: Loop, place: AttemptPlace, dollars: float, options: RoomOptions
) -> None:
    """Make the worktree, prepare it like a lane, and start the loop of the attempt in it."""
    words = ("--quiet", "--no-track", "-b", place.branch, place.path, "HEAD")
    done = worktrees.change_worktrees(folder.root, "add", *words)
    if done.returncode:
        raise UserError(f"git would not make the worktree {place.path}: {git_error_text(done)}")
    if problem := prepare_lane(folder, loop, place.path, options):
        raise UserError(problem)
    own = LoopFolder(place.path)
    source = holdouts.holdout_folder(loop.id)
    if os.path.isdir(source):
        shutil.copytree(source, holdouts.holdout_folder(place.loop_id), dirs_exist_ok=True)
    os.makedirs(own.path, mode=0o700, exist_ok=True)
    started = measure_baseline(_own_loop(loop, place.loop_id, dollars), own)
    now = time.time()  # from now on, new files are the agent's
    create_loop(own, started.but(clock=Clock(started_at=now, running_since=now)))


def _own_loop(loop: Loop, loop_id: str, dollars: float) -> Loop:
    """The same request from the start, with a share of the money."""
    room = loop.room
    return Loop(
        id=loop_id,
        spec=loop.spec,
        criteria=_fresh(loop.criteria),
        must_not=_fresh(loop.must_not),
        final_checks=_fresh(loop.final_checks),
        unrequired_checks=_fresh(loop.unrequired_checks),
        baseline=Baseline(protected_paths=loop.baseline.protected_paths),
        room=Room(
            status=OFF if room.status == OFF else "",
            setup=room.setup,
            include=room.include,
            may_change=room.may_change,
            allow_new_packages=room.allow_new_packages,
        ),
        steps=loop.steps,
        limits=loop.limits.but(dollars=dollars),
        shape=loop.shape,
        workflow=loop.workflow,
        reversibility=loop.reversibility,
        gates_enabled=False,
        lease=Lease(),
        settings=loop.settings,
    )


def _fresh(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    return tuple(Criterion(c.name, c.check, c.planned) for c in criteria)


def judge_attempt(root: str, base: str, place: AttemptPlace, was_stopped: bool) -> Attempt:
    """What the attempt has proven, and how large its change is. Nobody is asked for an opinion."""
    own = LoopFolder(place.path)
    loop = own.read_loop() or last_ended_loop(own)
    attempt = Attempt(place.number, place.agent, place.model, FAILED, ref=place.ref)
    if loop is None:
        return attempt
    is_proven = bool(loop.verdict and loop.verdict.proven)
    problem = _commit_attempt(root, place, _subject(loop))
    commit = commit_at(place.path, "HEAD")
    files, lines = _size(root, base, commit)
    with suppress(GitError):
        git_output(root, "update-ref", place.ref, commit)
    outcome = PROVEN if is_proven and not problem else NOT_PROVEN
    reason = problem or loop.pause.why
    findings = open_findings(loop, "high", "medium")
    return attempt.but(
        outcome=STOPPED if was_stopped and not is_proven else outcome,
        why=" ".join(reason.split())[:300] if outcome != PROVEN else "",
        criteria=sum(bool(c.proof and c.proof.passed and loop.is_met(c)) for c in loop.criteria),
        of_criteria=len(loop.criteria),
        held_out=sum(bool(c.proof and c.proof.passed) for c in loop.final_checks),
        of_held_out=len(loop.final_checks),
        findings=len(findings),
        found=tuple(clip_text(f"{f.place}: {f.text}", 200) for f in findings[:MAX_FOUND]),
        files=files,
        lines=lines,
        dollars=loop.spend.dollars,
        unpriced=loop.spend.unpriced,
        seconds=loop.spend.seconds,
        commit=commit,
    )


def _subject(loop: Loop) -> str:
    first = loop.spec.strip().partition("\n")[0]
    return first if len(first) <= MAX_SUBJECT else f"{first[: MAX_SUBJECT - 1]}…"


def _size(root: str, base: str, commit: str) -> tuple[int, int]:
    """Files and lines that differ from the common start."""
    done = run_user_git(root, "diff", "--numstat", "--no-renames", base, commit)
    rows = [row.split("\t") for row in os.fsdecode(done.stdout).splitlines()]
    numbers = [int(n) for row in rows for n in row[:2] if n.isdecimal()]
    return len(rows), sum(numbers)


def best_attempt(attempts: list[Attempt]) -> Attempt | None:
    """The proven attempt with the most evidence: held-outs, fewer findings, the smaller change."""
    proven = [attempt for attempt in attempts if attempt.outcome == PROVEN]
    return min(
        proven,
        key=lambda a: (-a.criteria, -a.held_out, a.findings, a.lines, a.number),
        default=None,
    )


def land_attempt(root: str, base: str, commit: str) -> str:
    """Fast-forward main to the attempt; the problem, or ""."""
    main = read_checkout(root)
    if main.head != base:
        return (
            f"main is no longer at {base[:12]}, where the attempts began. "
            f"Take it over yourself: git merge {commit[:12]}"
        )
    if main.unfinished_operation or not main.branch:
        return f"{root} is on no branch, or an operation of git is not finished there"
    done = run_user_git(root, "merge", "--quiet", "--ff-only", "--no-autostash", commit)
    if not done.returncode:
        return ""
    files = [row[1:] for row in os.fsdecode(done.stderr).split("\n") if row.startswith("\t")]
    if files:
        return f"changes that are not committed are in the way: {join_names(files)}"
    return git_error_text(done)


def remove_attempt(root: str, place: AttemptPlace) -> None:
    """Remove the worktree, its branch and what the loop of the attempt left. The ref stays."""
    own = LoopFolder(place.path)
    worktrees.change_worktrees(root, "remove", "--force", "--force", place.path)
    shutil.rmtree(place.path, ignore_errors=True)
    worktrees.change_worktrees(root, "prune")
    run_user_git(root, "branch", "--quiet", "--delete", "--force", place.branch)
    kept_trees.drop_kept_trees(root, place.loop_id)
    drop_room(place.loop_id)
    holdouts.delete_holdouts(place.loop_id)
    with suppress(OSError):
        second_copy.remove_mark(own.real_root)
    with suppress(OSError):
        os.rmdir(os.path.dirname(place.path))
