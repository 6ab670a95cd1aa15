"""Worktrees of the lanes of a run: prepare them, bring them into main, report what was odd."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

from ...cleanroom.checkout import RoomOptions
from ...cleanroom.checkout_files import RoomError
from ...core.directives import Continue, Reply
from ...core.loop import plan_of
from ...core.plan.plan import EXECUTE, Plan, TaskWorktree
from ...core.prompts.plan_person import main_moved_text
from ...core.record import digest
from ...core.signals import Checked, LaneMerged, TurnOver
from ...repo import user_repo
from ...repo.git import GitError, join_names
from ...repo.lanes import merge, worktrees
from ...repo.lanes.changes import git_ignored_files
from ...store.folder import NoLoop
from ..errors import UserError
from ..lane_checkout import prepare_lane, save_lane_files
from ..plans import plan_files
from ..step import step
from . import unplanned
from .landing import commit_subject
from .lane_trial import remove_trials, try_lane
from .tasks import TaskRunner
from .verify_ahead import verify_ahead

PREPARED = "prepared"  # a file in the state folder of a lane


def lane_name(task: str) -> str:
    """A name for the folder and the branch; the key of a gap may hold a path."""
    is_gap = ":" in task or "/" in task
    return f"gap-{digest(task.encode())[:8]}" if is_gap else task


def _place_of_work(worktree: TaskWorktree) -> str:
    """The branch that has the work; an agent may have left its own."""
    branch = user_repo.current_branch(worktree.path)
    return f", on branch {branch}" if branch else ", on no branch"


def _is_task(plan: Plan, name: str) -> bool:
    return any(task.id == name for task in plan.tasks)


class LaneRunner(TaskRunner):
    """What every lane needs. The runner of waves decides when."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.blocked = ""  # why nothing can land until a person has done something
        self.lane_options = RoomOptions("")
        self.main_head = ""  # the commit of main that we know of
        self.main_before: dict[str, frozenset[tuple[str, str]]] = {}
        self.main_reported: frozenset[tuple[str, str]] = frozenset()

    def _report_kept_worktrees(self) -> None:
        """Say which worktrees stay. One whose work is done is of a run that was killed."""
        plan = plan_of(self._load_loop())
        for worktree in plan.worktrees:
            is_over = worktree.task in plan.done or not plan.has_work(worktree.task)
            if is_over and os.path.isdir(worktree.path):
                self._remove_worktree(worktree)
            elif os.path.isdir(worktree.path):
                self.observer.show_message(
                    f"[LOOP] The work of task {worktree.task} is kept at {worktree.path}"
                    f"{_place_of_work(worktree)}. See: loop lanes"
                )

    def _refuse_unsuitable_repository(self) -> None:
        """Raise an error when lanes cannot work here, before a turn costs anything."""
        root = self.folder.root
        if reason := worktrees.lanes_unavailable_reason(root):
            raise UserError(f"--parallel cannot work here: {reason}")
        plan = plan_of(self.loop)
        planned = {path for task in plan.tasks if task.id not in plan.done for path in task.paths}
        own_files = {f"{plan.gsd}/STATE.md"} if plan.gsd else set()
        if dirty := sorted(self.excluded_paths & planned - own_files):
            raise UserError(
                f"not committed, and the plan changes them: {join_names(dirty)}. "
                "Commit them first, then: loop run"
            )
        if ignored := git_ignored_files(root, planned):
            raise UserError(
                f"git ignores {join_names(ignored)}, which the plan changes: they could not be "
                "merged. Take them out of .gitignore, or run without --parallel"
            )
        self._prepare_lanes()

    def _prepare_lanes(self) -> None:
        """Save what lanes need, and try the checks in one, before a turn costs anything."""
        plan, problem = plan_of(self.loop), ""
        try:
            remove_trials(self.folder.root, self._lanes_folder())
            if plan.stage == EXECUTE and len(plan.done) == len(plan.tasks):
                return
            self.lane_options = save_lane_files(self.folder, self.loop)  # gaps have lanes too
            if plan.stage != EXECUTE or plan.worktrees:  # an earlier run has tried them
                return
            show = self.observer.show_message
            with self.stop_signals.suspend_interrupts():
                problem = try_lane(
                    self.folder,
                    self.loop,
                    self.lane_options,
                    self._lanes_folder(),
                    self.config.lanes,
                    show,
                    lambda: self.stop_signals.pause_requested or bool(self._stop_reason()),
                )
        except (RoomError, GitError, OSError) as error:
            problem = str(error)
        if problem:
            raise UserError(f"--parallel cannot work here: {problem}")

    def _lanes_folder(self) -> str:
        return f"{self.folder.root}-lanes-{self.loop.id[-6:]}"

    def _prepare_worktree(self, task: str) -> tuple[TaskWorktree, str]:
        """The worktree of the task, created if needed; and why it has none ("": it has one)."""
        recorded = plan_of(self.loop).worktree_of(task)
        name = lane_name(task)
        path = os.path.join(self._lanes_folder(), name)
        has_landed = any(name == task for name, _ in plan_of(self.loop).commits)
        is_redone = has_landed or plan_of(self.loop).gap(task)
        if recorded and is_redone and not os.path.lexists(recorded.path):
            recorded = None  # of work that has landed before it is done once more
        if recorded and not os.path.lexists(recorded.path):  # the project may be elsewhere now
            recorded = recorded.but(path=path)
        worktree = recorded or TaskWorktree(
            task, path, worktrees.lane_branch(self.loop.id, name), ""
        )
        # One that exists without a record is of a runner that died before it could record it.
        exists = recorded or os.path.lexists(worktree.path)
        open_lane = worktrees.reopen_lane if exists else worktrees.create_lane
        try:
            lane = open_lane(self.folder.root, worktree.path, worktree.branch)
        except GitError as error:
            return worktree, str(error)
        problem = lane.problem or self._prepare_lane_files(worktree)
        return worktree.but(base_commit=worktree.base_commit or lane.base), problem

    def _prepare_lane_files(self, worktree: TaskWorktree) -> str:
        """Give a lane packages and files once; the note is of the folder as it is now."""
        note = os.path.join(self._lane_state_folder(worktree.task), PREPARED)
        stamp = str(os.stat(worktree.path).st_ino)
        with suppress(OSError), open(note, encoding="ascii") as file:
            if file.read() == stamp:
                return ""
        problem = prepare_lane(self.folder, self.loop, worktree.path, self.lane_options)
        if not problem:
            with open(note, "w", encoding="ascii") as file:
                file.write(stamp)
        return problem

    def _lane_state_folder(self, task: str) -> str:
        path = self.folder.path_of("lanes", lane_name(task))
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def _verify_ahead(self, task: str) -> tuple[Checked, ...]:
        """With the last task, run the checks of the whole plan side by side."""
        plan = plan_of(self.loop)
        open_tasks = {other.id for other in plan.tasks} - {*plan.done}
        if open_tasks != {task} or self.blocked:
            return ()
        return verify_ahead(
            self.folder,
            self.loop,
            self.lane_options,
            self._lanes_folder(),
            self.config.lanes,
            lambda: bool(self._stop_reason()),
        )

    def _remove_worktree(self, worktree: TaskWorktree) -> None:
        """Remove a worktree whose work is all in main. One with more stays, and we say where."""
        try:
            message = worktrees.remove_lane(self.folder.root, worktree.path, worktree.branch)
        except GitError as error:
            message = f"kept at {worktree.path}: {error}"
        if message:
            self.observer.show_message(f"[LOOP] {message}")
        with suppress(OSError):  # fails when other worktrees are in it
            os.rmdir(os.path.dirname(worktree.path))

    def _merge_into_main(self, commit: str) -> str:
        """Merge the commit; the problem, or "". A task may change STATE.md beside our own block."""
        plan, root = plan_of(self.loop), self.folder.root
        if reason := self._moved_main():
            return reason
        with plan_files.without_gsd_block(root, plan.gsd):
            try:
                problem = merge.fast_forward_main(root, commit)
            except GitError as error:
                return str(error)
        self.main_head = self.main_head if problem else commit
        return problem

    def _record_merged_lanes(self) -> Reply:
        """Record merges that an earlier runner made and could not record, because it died."""
        reply: Reply = Continue("")
        for worktree in plan_of(self.loop).worktrees:
            task = worktree.task
            if not _is_task(plan_of(self.loop), task) and not os.path.isdir(worktree.path):
                continue
            done = task in plan_of(self.loop).done
            commit = "" if done else self._landed_commit(worktree)
            if commit:
                if os.path.isdir(worktree.path):
                    merge.settle_lane(worktree.path, worktree.branch, commit)
                if commit == user_repo.current_commit(self.folder.root):
                    self.main_head = commit
                reply = step(self.folder, LaneMerged(time.time(), self.holder, task, commit))
                done = True
                self.loop = self._load_loop()
            if done and os.path.isdir(worktree.path):
                self._remove_worktree(worktree)
            if not isinstance(reply, Continue):
                break
        return reply

    def _landed_commit(self, worktree: TaskWorktree) -> str:
        plan = plan_of(self.loop)
        if not plan.has_work(worktree.task):
            return ""  # a gap that is closed
        subject = commit_subject(plan, worktree.task)
        try:
            commit = merge.landed_commit(self.folder.root, worktree.base_commit, subject)
            is_known = any(commit == known for _, known in plan.commits)
            return "" if is_known else commit  # a known one landed before the task was reopened
        except GitError:  # the commit is gone: another branch is there
            return ""

    def _note_main_head(self) -> None:
        """Remember where main is. After a runner that died, what no task made is not accepted."""
        head, run, plan = user_repo.current_commit(self.folder.root), self.loop.run, self.loop.plan
        self.main_head = head
        if run and plan and plan.lanes:
            own = (run.base_commit, *(commit for _, commit in plan.commits))
            if not any(commit and head.startswith(commit) for commit in own):
                self.main_head = run.base_commit

    def _moved_main(self) -> str:
        """Why nothing may land: another branch is there, or a commit that no task made."""
        if reason := self._switched_branch():
            return reason
        head = user_repo.current_commit(self.folder.root)
        if head == self.main_head:
            return ""
        return main_moved_text(head, user_repo.subject_of_commit(self.folder.root, head))

    def _notice_moved_main(self) -> bool:
        reason = self._moved_main()
        self.blocked = self.blocked or reason
        return bool(reason)

    def _held_at(self) -> str:
        """Our last commit of main, where a person must look at main first; otherwise ""."""
        return self.main_head if self._notice_moved_main() else ""

    def _report_main_changes(self, task: str) -> None:
        """Say which files changed in the main checkout while the agent worked in its lane."""
        before = self.main_before.pop(task, frozenset())
        now = unplanned.changed_in_main(self.folder.root, plan_of(self.loop))
        # What one lane has reported, the lanes beside it need not repeat.
        known = before | self.main_reported
        self.main_reported |= now - before
        self._report_unplanned(unplanned.main_changes(known, now, task))

    def _report_unplanned(self, changes: tuple[Any, ...]) -> None:
        for row in unplanned.record(self.folder, changes):
            self.observer.show_message(f"[LOOP] {row}")

    def _settle_lost_turn(self, turn: TurnOver) -> None:
        """Lost: it will not be merged, so it is not an attempt, and is started again."""
        if turn.runner_report:
            report = turn.runner_report.but(lost=True)
            with suppress(NoLoop):
                step(self.folder, turn.but(runner_report=report))
