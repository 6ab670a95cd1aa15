"""Bring the work of lanes into main: one commit for each, in line, checked before it lands.

Lanes that are complete wait in a line. Each one's commit stands on that of the lane before it, and
the checks of all of them run at the same time. The first in line lands when its checks pass. If it
does not, the commits behind it are made again without its work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...core.criteria import Criterion
from ...core.directives import RunCheck
from ...core.loop import Loop, plan_of
from ...core.plan.plan import LaneResult, Plan, TaskWorktree
from ...core.prompts.plan_person import fix_commit_subject, task_commit_subject
from ...core.prompts.task_failures import NO_LONGER_NEEDED, UNCHANGED_REASON, merge_conflict_text
from ...core.signals import Checked, TurnOver
from ...repo.git import GitError, git_output, join_names
from ...repo.lanes import changes, merge, worktrees
from ...repo.tree import tree_hash
from ...store.folder import LoopFolder
from ...verify.halting import CheckHalted, halting_when, join_threads
from ..proof.parts_of_proof import prove_criterion
from ..turn_facts import TurnCheckout
from . import write_scope
from .lane_files import undo_ticks
from .lane_secrets import secrets_problem


class WaitingLane:
    """A lane whose agent says that the task is complete."""

    def __init__(self, worktree: TaskWorktree, turn: TurnOver | None) -> None:
        self.worktree, self.turn = worktree, turn  # without a turn: of an earlier run
        self.candidate = merge.Candidate()
        self.stands_on = ""  # where main must be when it lands
        self.round = 0  # of its checks; results of an earlier one are dropped
        self.ahead: tuple[Checked, ...] | None = None  # None: its checks still run
        self.thread: threading.Thread | None = None

    @property
    def task(self) -> str:
        return self.worktree.task


def own_criteria(loop: Loop, task: str) -> list[Criterion]:
    """The criteria that prove a task and may run."""
    names = plan_of(loop).proving_criteria(task)
    return [c for c in loop.criteria if c.name in names and c.may_run]


def lane_problem(plan: Plan, root: str, worktree: TaskWorktree, main: str) -> str:
    """Why the work of the lane cannot be merged into main, or ""; then it is committed there."""
    path, task = worktree.path, plan.task(worktree.task)
    worktrees.return_to_branch(path, worktree.branch)
    if problem := changes.lane_problem(root, path, worktree.branch):
        return problem
    base = worktrees.lane_base(root, path, main)
    undo_ticks(plan, task.id, path, base)
    outside = ""
    if not plan.gap(task.id):  # a fix may be anywhere
        outside = write_scope.violations(plan, task.id, path, base, worktree.base_commit)
    return (
        outside
        or write_scope.ignored_files(task, path)
        or changes.commit_lane(path, commit_subject(plan, task.id)).problem
    )


def commit_subject(plan: Plan, name: str) -> str:
    """The subject of the commit of a task, or of the fix of a gap."""
    gap = plan.gap(name)
    return fix_commit_subject(plan, gap) if gap else task_commit_subject(plan, plan.task(name))


def make_candidate(loop: Loop, root: str, lane: WaitingLane, onto: str) -> merge.Candidate:
    """The commit that main would become, or why there is none."""
    plan, worktree = plan_of(loop), lane.worktree
    if not plan.has_work(worktree.task):
        return merge.Candidate(problem=NO_LONGER_NEEDED)
    task = plan.task(worktree.task)
    worktrees.return_to_branch(worktree.path, worktree.branch)
    candidate = merge.make_candidate(
        root,
        worktree.path,
        worktree.branch,
        worktree.base_commit,
        commit_subject(plan, task.id),
        write_scope.deletions(task),
        onto,
    )
    if candidate.conflicts and onto:  # with work that has not landed: wait until it has
        return candidate
    if candidate.conflicts:
        files = merge.merge_main_into_lane(worktree.path, root)
        text = merge_conflict_text(candidate.problem, join_names(files))
        return candidate.but(problem=text)
    # "Run all tests" may find nothing to change; a task that names files has work to show.
    must_change = bool(task.files or plan.gap(task.id))
    if candidate.unchanged and must_change and not own_criteria(loop, task.id):
        return merge.Candidate(problem=UNCHANGED_REASON)
    adds = candidate.commit if not candidate.unchanged else ""
    problem = secrets_problem(root, adds) if adds else ""
    return merge.Candidate(problem=problem) if problem else candidate


def turn_with_candidate(lane: WaitingLane) -> TurnOver:
    """The turn with the commit that would be merged, or with the problem that prevents it."""
    assert lane.turn is not None
    candidate = lane.candidate
    result = LaneResult(lane.task, "" if candidate.problem else candidate.commit)
    return lane.turn.but(lane_result=result, problem=candidate.problem)


def run_checks_ahead(
    folder: LoopFolder, loop: Loop, lane: WaitingLane, state: str, is_halted: Callable[[], bool]
) -> tuple[Checked, ...]:
    """Run the checks of the task in the lane. The loop asks for the results when it judges it."""
    root, checkout = lane.worktree.path, TurnCheckout(lane.worktree.path, state)
    tree = tree_hash(root, state, loop.settings.volatile_globs)
    results: list[Checked] = []
    try:
        with halting_when(is_halted):
            for c in own_criteria(loop, lane.task):
                assert c.check is not None
                if c.check.retries:  # each run of these counts, so the loop asks for each
                    continue
                wanted = RunCheck(c.check, c.name, 0, 0, tree)
                results.append(prove_criterion(folder, checkout, wanted, loop))
                if results[-1].tree != tree:
                    break  # what follows would run on another tree
    except CheckHalted:
        pass
    return tuple(results)


class LandingLine:
    """The lanes that wait, first come first served, and the threads that run their checks."""

    def __init__(
        self,
        folder: LoopFolder,
        state_folder: Callable[[str], str],
        is_halted: Callable[[], bool],
        report: Callable[[WaitingLane, int, tuple[Checked, ...] | BaseException], None],
    ) -> None:
        self.folder, self.state_folder = folder, state_folder
        self.is_halted, self.report = is_halted, report
        self.lanes: list[WaitingLane] = []

    def add(self, loop: Loop, lane: WaitingLane, held_at: str = "") -> None:
        """Make the lane's commit on top of the last one in line, and start its checks.

        `held_at` is our last commit of main, where it is at one that is not ours.
        """
        commits = [other.candidate.commit for other in self.lanes if other.candidate.commit]
        self._prepare(loop, lane, commits[-1] if commits else held_at)
        self.lanes.append(lane)

    def _prepare(self, loop: Loop, lane: WaitingLane, onto: str) -> None:
        lane.round += 1
        lane.ahead = None
        try:
            lane.stands_on = onto or git_output(self.folder.root, "rev-parse", "HEAD")
            lane.candidate = make_candidate(loop, self.folder.root, lane, onto)
        except GitError as error:
            lane.candidate = merge.Candidate(problem=str(error))
        if lane.candidate.problem:
            lane.ahead = ()
        else:
            self._start_checks(loop, lane)

    def _start_checks(self, loop: Loop, lane: WaitingLane) -> None:
        number, state = lane.round, self.state_folder(lane.task)

        def run_checks() -> None:
            try:
                found = run_checks_ahead(self.folder, loop, lane, state, self.is_halted)
                self.report(lane, number, found)
            except BaseException as error:
                self.report(lane, number, error)

        lane.thread = threading.Thread(target=run_checks, name=f"checks {lane.task}")
        lane.thread.start()

    def take_first(self, loop: Loop, held_at: str) -> WaitingLane | None:
        """Take the first out of the line, if its checks have run on the commit that can land now.

        If main is elsewhere than its commit begins, all commits in line are made again. If a person
        must look at main first (`held_at`, as for `add`), the commit is judged as it is, and lands
        later; one that failed on a main which moved meanwhile is made again on our last commit.
        """
        if not self.lanes or self.lanes[0].ahead is None:
            return None
        first = self.lanes[0]
        if held_at:
            if first.candidate.problem and first.stands_on != held_at:
                self._prepare(loop, first, held_at)
                return None
            return self.lanes.pop(0)
        if first.stands_on != git_output(self.folder.root, "rev-parse", "HEAD"):
            self._make_again(loop)
            return None
        if first.candidate.commit:
            place = first.worktree
            problem = merge.settle_lane(place.path, place.branch, first.candidate.commit)
            first.candidate = first.candidate.but(problem=problem)
        return self.lanes.pop(0)

    def _make_again(self, loop: Loop) -> None:
        self.join()
        last = ""
        for lane in self.lanes:
            self._prepare(loop, lane, last)
            last = lane.candidate.commit or last

    def join(self) -> None:
        join_threads(lane.thread for lane in self.lanes if lane.thread)
