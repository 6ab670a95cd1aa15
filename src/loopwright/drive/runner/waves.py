"""The runner of a plan with parallel tasks: each task has its own worktree, its lane.

A lane is merged and checked beside the main checkout, and only then brought into it.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from contextlib import suppress
from typing import Any

from ...core.directives import Continue, MergeLane, Reply, Wait
from ...core.loop import plan_of
from ...core.plan.plan import EXECUTE, LaneResult, TaskWorktree
from ...core.plan.schedule import ready_tasks
from ...core.prompts.plan import merge_conflict_text
from ...core.prompts.plan_person import task_commit_subject
from ...core.replies.reports import reports_in
from ...core.signals import LaneMerged, Ordered, TurnOver, TurnStarting
from ...repo.git import GitError, commit_at, contains_commit, git_output, join_names
from ...repo.lanes import changes, merge, worktrees
from ...store.folder import NoLoop
from ...views import plan_board
from .. import plan_files
from ..errors import UserError
from ..step import step
from ..turn_facts import TurnCheckout
from . import turns, write_scope
from .lane_files import undo_ticks
from .run_config import TurnSlot, turn_slots
from .tasks import TaskRunner


class WaveRunner(TaskRunner):
    """Drives a plan with several lanes. Gaps are fixed in place, one by one.

    Only the main thread changes the loop. The thread of a lane waits for its agent.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.finished_turns: queue.Queue[tuple[TurnSlot, TurnOver | BaseException]] = queue.Queue()
        self.lane_threads: dict[str, threading.Thread] = {}
        self.is_ending = False  # agents that still work must stop

    def drive_loop(self) -> Reply:
        try:
            return super().drive_loop()
        finally:
            self.is_ending = True
            self._wait_for_lanes()
            self._report_kept_worktrees()

    def begin(self) -> Reply:
        self._refuse_unsuitable_repository()
        return super().begin()

    def _report_kept_worktrees(self) -> None:
        for worktree in plan_of(self._load_loop()).worktrees:
            if os.path.isdir(worktree.path):
                self.observer.show_message(
                    f"[LOOP] The work of task {worktree.task} is kept at {worktree.path}, "
                    f"on branch {worktree.branch}."
                )

    def _refuse_unsuitable_repository(self) -> None:
        """Raise an error when lanes cannot work here, before a turn costs anything."""
        if reason := worktrees.lanes_unavailable_reason(self.folder.root):
            raise UserError(f"--parallel cannot work here: {reason}")
        plan = plan_of(self.loop)
        planned = {path for task in plan.tasks if task.id not in plan.done for path in task.paths}
        own_files = {f"{plan.gsd}/STATE.md"} if plan.gsd else set()
        if dirty := sorted(self.excluded_paths & planned - own_files):
            raise UserError(
                f"not committed, and the plan changes them: {join_names(dirty)}. "
                "Commit them first, then: loop run"
            )

    def _stop_or_run_turn(self) -> Reply:
        if not self.stop_signals.pause_requested and plan_of(self.loop).stage == EXECUTE:
            return self._run_lanes()
        return super()._stop_or_run_turn()

    def _stop_reason(self) -> str:
        return "the run is over" if self.is_ending else super()._stop_reason()

    def _run_lanes(self) -> Reply:
        """Start and judge lanes until none is left and none can start."""
        self.loop = self._load_loop()
        reply = self._record_merged_lanes()
        while True:
            if isinstance(reply, Wait) and reply.until <= time.time():
                reply = Continue("")
            if isinstance(reply, Continue) and not self._is_stopping():
                reply = self._start_ready_lanes()
            if not self.lane_threads:
                break
            with self.stop_signals.suspend_interrupts(), suppress(queue.Empty):
                slot, result = self.finished_turns.get(timeout=0.3)
                self.lane_threads.pop(slot.task).join()
                if isinstance(result, BaseException):
                    raise result
                lane_reply = self._judge_lane(slot, result)
                # A reply that stops or waits stays, even if another lane could continue.
                if isinstance(reply, Continue) or not isinstance(lane_reply, Continue):
                    reply = lane_reply
        if isinstance(reply, Continue) and self._is_stopping():
            return super()._stop_or_run_turn()
        return reply

    def _is_stopping(self) -> bool:
        return bool(
            self.stop_signals.pause_requested
            or self.stop_signals.stop_requested
            or os.path.exists(self.folder.path_of("STOP"))
        )

    def _start_ready_lanes(self) -> Reply:
        while len(self.lane_threads) < self.config.lanes:
            plan = plan_of(self.loop)
            if plan.stage != EXECUTE:
                break
            task = next(iter(ready_tasks(plan)), None)
            if task is None:
                if self.lane_threads:
                    break
                # No task is left: the loop decides what comes next.
                return step(self.folder, Ordered(time.time(), EXECUTE, by=self.holder))
            reply, has_worktree = self._begin_lane_turn(task.id)
            self.loop = self._load_loop()
            if not isinstance(reply, Continue):
                others_work = self.lane_threads and self.loop.status == "running"
                return Continue("") if others_work else reply
            if has_worktree:
                self._start_lane(task.id, reply.prompt)
        return Continue("")

    def _begin_lane_turn(self, task: str) -> tuple[Reply, bool]:
        """The loop's reply to a turn of this task, and whether the task has a worktree."""
        worktree, problem = self._prepare_worktree(task)
        now = time.time()
        if problem:  # only this task fails
            failure = LaneMerged(now, self.holder, task, problem=f"no worktree: {problem}")
            return step(self.folder, failure), False
        starting = TurnStarting(now, self.holder, self.config.turn_dollars, worktree)
        return step(self.folder, starting), True

    def _start_lane(self, task: str, prompt: str) -> None:
        loop = self.loop
        slot = next(slot for slot in turn_slots(loop, self.folder.root) if slot.task == task)
        scope_file = write_scope.write_scope_file(self.folder, plan_of(loop), task, slot.root)
        checkout = TurnCheckout(slot.root, self._lane_state_folder(task))
        observer = self._turn_observer(scope_file, checkout)
        self.observer.show_message(f"[LOOP] ▶ Task {task} | {slot.agent} | {slot.root}")

        def run_lane() -> None:
            try:
                turn = turns.run_turn(self.folder, loop, self.config, prompt, slot, observer)
                self.finished_turns.put((slot, turn))
            except BaseException as error:
                self.finished_turns.put((slot, error))

        self.lane_threads[task] = threading.Thread(target=run_lane, name=f"lane {task}")
        self.lane_threads[task].start()

    def _prepare_worktree(self, task: str) -> tuple[TaskWorktree, str]:
        """The worktree of the task, created if needed; and why it has none ("": it has one)."""
        recorded = plan_of(self.loop).worktree_of(task)
        path = os.path.join(f"{self.folder.root}-lanes-{self.loop.id[-6:]}", task)
        worktree = recorded or TaskWorktree(task, path, f"loop/{self.loop.id}-{task}", "")
        # One that exists without a record is of a runner that died before it could record it.
        exists = recorded or os.path.lexists(worktree.path)
        open_lane = worktrees.reopen_lane if exists else worktrees.create_lane
        try:
            lane = open_lane(self.folder.root, worktree.path, worktree.branch)
        except GitError as error:
            return worktree, str(error)
        return worktree.but(base_commit=worktree.base_commit or lane.base), lane.problem

    def _judge_lane(self, slot: TurnSlot, turn: TurnOver) -> Reply:
        """Judge the turn of a lane and, when the loop says so, merge the lane into main."""
        self.loop = self._load_loop()
        worktree = plan_of(self.loop).worktree_of(slot.task)
        assert worktree is not None, "BUG: a lane has a worktree"
        is_complete = slot.task in reports_in(turn.text, (slot.task,)).complete
        if is_complete and not turn.api_failure:
            turn = self._prepare_merge(worktree, turn)
        checkout = TurnCheckout(worktree.path, self._lane_state_folder(slot.task))
        reply = self._finish_turn(self.loop, turn, checkout)
        if isinstance(reply, MergeLane):
            reply = self._merge_lane(worktree, reply)
        return reply

    def _lane_state_folder(self, task: str) -> str:
        path = self.folder.path_of("lanes", task)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def _prepare_merge(self, worktree: TaskWorktree, turn: TurnOver) -> TurnOver:
        """The turn with the commit that would be merged, or with the problem that prevents it."""
        try:
            problem = self._lane_problem(worktree)
            return turn.but(problem=problem) if problem else self._make_candidate(worktree, turn)
        except GitError as error:
            return turn.but(problem=str(error))

    def _lane_problem(self, worktree: TaskWorktree) -> str:
        """Why the work of the lane cannot be merged; else it is committed in the lane."""
        plan, root, path = plan_of(self.loop), self.folder.root, worktree.path
        task = plan.task(worktree.task)
        if problem := changes.lane_problem(root, path, worktree.branch):
            return problem
        base = worktrees.lane_base(root, path)
        undo_ticks(plan, task.id, path, base)
        return (
            write_scope.violations(plan, task.id, path, base, worktree.base_commit)
            or write_scope.ignored_files(task, path)
            or changes.commit_lane(path, task_commit_subject(plan, task)).problem
        )

    def _make_candidate(self, worktree: TaskWorktree, turn: TurnOver) -> TurnOver:
        plan, root = plan_of(self.loop), self.folder.root
        task = plan.task(worktree.task)
        candidate = merge.make_candidate(
            root,
            worktree.path,
            worktree.branch,
            worktree.base_commit,
            task_commit_subject(plan, task),
            write_scope.deletions(task),
        )
        if candidate.conflicts:
            files = merge.merge_main_into_lane(worktree.path, root)
            return turn.but(problem=merge_conflict_text(candidate.problem, join_names(files)))
        result = LaneResult(task.id, candidate.commit)
        return turn.but(lane_result=result, problem=candidate.problem)

    def _merge_lane(self, worktree: TaskWorktree, wanted: MergeLane) -> Reply:
        problem = self._merge_into_main(wanted.commit)
        before = self.loop
        merged = LaneMerged(
            at=time.time(),
            session=self.holder,
            task=wanted.task,
            commit=wanted.commit,
            problem=problem,
        )
        reply = step(self.folder, merged)
        self.loop = self._load_loop()
        if problem:
            self.observer.show_message(f"[LOOP] Not merged: {problem}")
        else:
            self.observer.show_message(f"[LOOP] Merged {wanted.commit[:10]}: task {wanted.task}")
            self._remove_worktree(worktree)
        for row in plan_board.turn_changes(before, self.loop):
            self.observer.show_message(f"    {row}")
        return reply

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
        with plan_files.without_gsd_block(root, plan.gsd):
            try:
                return merge.fast_forward_main(root, commit)
            except GitError as error:
                return str(error)

    def _record_merged_lanes(self) -> Reply:
        """Record merges that an earlier runner made and could not record, because it died."""
        reply: Reply = Continue("")
        for worktree in plan_of(self.loop).worktrees:
            task = worktree.task
            done = task in plan_of(self.loop).done
            tip = "" if done else commit_at(self.folder.root, worktree.branch)
            if tip and tip != worktree.base_commit and self._is_merged(tip, task):
                reply = step(self.folder, LaneMerged(time.time(), self.holder, task, tip))
                done = True
                self.loop = self._load_loop()
            if done and os.path.isdir(worktree.path):
                self._remove_worktree(worktree)
            if not isinstance(reply, Continue):
                break
        return reply

    def _is_merged(self, tip: str, task: str) -> bool:
        """Is the tip in main, and our own commit? A lane that only merged main is not merged."""
        plan, root = plan_of(self.loop), self.folder.root
        if not contains_commit(root, "HEAD", tip):
            return False
        message = git_output(root, "log", "-1", "--format=%B", tip).strip()
        return message == task_commit_subject(plan, plan.task(task))

    def _wait_for_lanes(self) -> None:
        """Record what the lanes cost, however the run ends. Their work stays in their worktrees."""
        while self.lane_threads:
            with suppress(queue.Empty):
                slot, result = self.finished_turns.get(timeout=1.0)
                self.lane_threads.pop(slot.task).join()
                if isinstance(result, TurnOver) and result.runner_report:
                    # Lost: it will not be merged, so it is not an attempt, and is started again.
                    report = result.runner_report.but(lost=True)
                    with suppress(NoLoop):
                        step(self.folder, result.but(runner_report=report))
