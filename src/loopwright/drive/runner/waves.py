"""The runner of a plan, side by side: each task in a worktree of its own, merged and checked beside main, then brought in."""

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
from .run_config import TurnSlot, turn_slots
from .tasks import TaskRunner
from .turns import TurnObserver


class WaveRunner(TaskRunner):
    """Only this thread speaks to the loop; a lane's own thread waits for its agent. Gaps are fixed in place, one by one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.finished_turns: queue.Queue[tuple[TurnSlot, TurnOver | BaseException]] = queue.Queue()
        self.lane_threads: dict[str, threading.Thread] = {}
        self.is_ending = False  # whatever is still at work is to end

    def drive_loop(self) -> Reply:
        self._refuse_unsuitable_repository()
        try:
            return super().drive_loop()
        finally:
            self.is_ending = True
            self._wait_for_lanes()
            for place in plan_of(self._load_loop()).worktrees:
                if os.path.isdir(place.path):
                    self.observer.show_message(
                        f"[LOOP] The work of task {place.task} is kept at {place.path}, on branch {place.branch}."
                    )

    def _refuse_unsuitable_repository(self) -> None:
        """Found out before a cent is spent."""
        if why := worktrees.lanes_unavailable_reason(self.folder.root):
            raise UserError(f"--parallel cannot work here: {why}")
        plan = plan_of(self.loop)
        planned = {path for task in plan.tasks if task.id not in plan.done for path in task.paths}
        ours = {f"{plan.gsd}/STATE.md"} if plan.gsd else set()
        if dirty := sorted(self.excluded_paths & planned - ours):
            raise UserError(
                f"not committed, and the plan changes them: {join_names(dirty)}. Commit them first, then: loop run"
            )

    def _stop_or_run_turn(self) -> Reply:
        if not self.stop_signals.pause_requested and plan_of(self.loop).stage == EXECUTE:
            return self._run_lanes()
        return super()._stop_or_run_turn()

    def _stop_reason(self) -> str:
        return "the run is over" if self.is_ending else super()._stop_reason()

    def _run_lanes(self) -> Reply:
        """Begin what may begin, judge what is over, until nothing works and nothing is left to begin."""
        self.loop = self._load_loop()
        reply = self._record_merged_lanes()
        while True:
            if isinstance(reply, Wait) and reply.until <= time.time():
                reply = Continue("")
            if isinstance(reply, Continue) and not self._is_stopping():
                reply = self._start_ready_lanes()
            if not self.lane_threads:
                return (
                    super()._stop_or_run_turn()
                    if isinstance(reply, Continue) and self._is_stopping()
                    else reply
                )
            with self.stop_signals.suspend_interrupts(), suppress(queue.Empty):
                post, found = self.finished_turns.get(timeout=0.3)
                self.lane_threads.pop(post.task).join()
                if isinstance(found, BaseException):
                    raise found
                said = self._judge_lane(post, found)
                # What stops or waits is not forgotten because another lane could go on.
                reply = (
                    said if isinstance(reply, Continue) or not isinstance(said, Continue) else reply
                )

    def _is_stopping(self) -> bool:
        return bool(
            self.stop_signals.pause_requested
            or self.stop_signals.stop_requested
            or os.path.exists(self.folder.path_of("STOP"))
        )

    def _start_ready_lanes(self) -> Reply:
        while len(self.lane_threads) < self.config.lanes:
            plan = plan_of(self.loop)
            task = next(iter(ready_tasks(plan)), None) if plan.stage == EXECUTE else None
            if (
                task is None and not self.lane_threads and plan.stage == EXECUTE
            ):  # nothing is left to do: what does the loop say?
                return step(self.folder, Ordered(time.time(), EXECUTE, by=self.holder))
            if task is None:
                break
            place, why = self._prepare_worktree(task.id)
            if why:  # this task alone has failed
                reply = step(
                    self.folder,
                    LaneMerged(time.time(), self.holder, task.id, problem=f"no worktree: {why}"),
                )
            else:
                reply = step(
                    self.folder,
                    TurnStarting(time.time(), self.holder, self.config.turn_dollars, place),
                )
            self.loop = self._load_loop()
            if not isinstance(reply, Continue):
                return (
                    Continue("") if self.lane_threads and self.loop.status == "running" else reply
                )
            if not why:
                self._start_lane(task.id, reply.prompt)
        return Continue("")

    def _start_lane(self, task: str, prompt: str) -> None:
        loop = self.loop
        post = next(post for post in turn_slots(loop, self.folder.root) if post.task == task)
        fence = write_scope.write_scope_file(self.folder, plan_of(loop), task, post.root)
        look = TurnObserver(self.observer, self._stop_reason, self.process_guard, fence)
        self.observer.show_message(f"[LOOP] ▶ Task {task} | {post.agent} | {post.root}")

        def work_on() -> None:
            try:
                self.finished_turns.put(
                    (post, turns.run_turn(self.folder, loop, self.config, prompt, post, look))
                )
            except BaseException as error:
                self.finished_turns.put((post, error))

        self.lane_threads[task] = threading.Thread(target=work_on, name=f"lane {task}")
        self.lane_threads[task].start()

    def _prepare_worktree(self, task: str) -> tuple[TaskWorktree, str]:
        """The worktree of the task: the one that it has, or a new one on a branch of its own; and why there is none."""
        known = plan_of(self.loop).worktree_of(task)
        path = os.path.join(f"{self.folder.root}-lanes-{self.loop.id[-6:]}", task)
        place = known or TaskWorktree(task, path, f"loop/{self.loop.id}-{task}", "")
        try:  # one that is there and not known was made by a runner that died before its note
            known_or_there = known or os.path.lexists(place.path)
            laid = (worktrees.reopen_lane if known_or_there else worktrees.create_lane)(
                self.folder.root, place.path, place.branch
            )
        except GitError as trouble:
            return place, str(trouble)
        return place.but(base_commit=place.base_commit or laid.base), laid.problem

    def _judge_lane(self, post: TurnSlot, turn: TurnOver) -> Reply:
        """What a lane came to: merged beside the main checkout, checked there, and only then brought in."""
        self.loop = self._load_loop()
        place = plan_of(self.loop).worktree_of(post.task)
        assert place is not None, "BUG: a lane has a place"
        if post.task in reports_in(turn.text, (post.task,)).complete and not turn.api_failure:
            turn = self._prepare_merge(place, turn)
        reply = self._finish_turn(
            self.loop, turn, TurnCheckout(place.path, self._lane_state_folder(post.task))
        )
        if isinstance(reply, MergeLane):
            reply = self._merge_lane(place, reply)
        return reply

    def _lane_state_folder(self, task: str) -> str:
        path = self.folder.path_of("lanes", task)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def _prepare_merge(self, place: TaskWorktree, turn: TurnOver) -> TurnOver:
        plan, root = plan_of(self.loop), self.folder.root
        task = plan.task(place.task)
        try:
            why = (
                changes.lane_problem(root, place.path, place.branch)
                or write_scope.violations(
                    plan,
                    task.id,
                    place.path,
                    worktrees.lane_base(root, place.path),
                    place.base_commit,
                )
                or write_scope.ignored_files(task, place.path)
                or changes.commit_lane(place.path, task_commit_subject(plan, task)).problem
            )
            if why:
                return turn.but(problem=why)
            made = merge.make_candidate(
                root,
                place.path,
                place.branch,
                place.base_commit,
                task_commit_subject(plan, task),
                write_scope.deletions(task),
            )
            if made.conflicts:
                files = merge.merge_main_into_lane(place.path, root)
                return turn.but(
                    problem=f"{made.problem}. Main is merged into your worktree now: resolve {join_names(files)}"
                )
            return turn.but(lane_result=LaneResult(task.id, made.commit), problem=made.problem)
        except GitError as trouble:
            return turn.but(problem=str(trouble))

    def _merge_lane(self, place: TaskWorktree, wanted: MergeLane) -> Reply:
        why = self._merge_into_main(wanted.commit)
        before = self.loop
        reply = step(
            self.folder, LaneMerged(time.time(), self.holder, wanted.task, wanted.commit, why)
        )
        self.loop = self._load_loop()
        self.observer.show_message(
            f"[LOOP] Merged {wanted.commit[:10]}: task {wanted.task}"
            if not why
            else f"[LOOP] Not merged: {why}"
        )
        if not why:
            self._remove_worktree(place)
        for row in plan_board.turn_changes(before, self.loop):
            self.observer.show_message(f"    {row}")
        return reply

    def _remove_worktree(self, place: TaskWorktree) -> None:
        """A worktree whose work is all in main goes; one that holds more stays, and we say where."""
        try:
            kept = worktrees.remove_lane(self.folder.root, place.path, place.branch)
        except GitError as trouble:
            kept = f"kept at {place.path}: {trouble}"
        if kept:
            self.observer.show_message(f"[LOOP] {kept}")
        with suppress(OSError):  # others are in it
            os.rmdir(os.path.dirname(place.path))

    def _merge_into_main(self, commit: str) -> str:
        """Our own block in STATE.md must not stand in the way of a task that writes the rest of it."""
        plan, root = plan_of(self.loop), self.folder.root
        with plan_files.without_gsd_block(root, plan.gsd):
            try:
                return merge.fast_forward_main(root, commit)
            except GitError as trouble:
                return str(trouble)

    def _record_merged_lanes(self) -> Reply:
        """A runner may have died between the merge and its note."""
        reply: Reply = Continue("")
        for place in plan_of(self.loop).worktrees:
            done = place.task in plan_of(self.loop).done
            tip = "" if done else commit_at(self.folder.root, place.branch)
            if tip and tip != place.base_commit and self._is_merged(tip, place.task):
                reply, done = (
                    step(self.folder, LaneMerged(time.time(), self.holder, place.task, tip)),
                    True,
                )
                self.loop = self._load_loop()
            if done and os.path.isdir(place.path):
                self._remove_worktree(place)
            if not isinstance(reply, Continue):
                break
        return reply

    def _is_merged(self, tip: str, task: str) -> bool:
        """Main's own history has it, and it is our commit: who merges main into a lane has landed nothing."""
        plan, root = plan_of(self.loop), self.folder.root
        return contains_commit(root, "HEAD", tip) and git_output(
            root, "log", "-1", "--format=%B", tip
        ).strip() == task_commit_subject(plan, plan.task(task))

    def _wait_for_lanes(self) -> None:
        """Whatever ends us, what the lanes cost is written down; their work stays in their worktrees."""
        while self.lane_threads:
            with suppress(queue.Empty):
                post, found = self.finished_turns.get(timeout=1.0)
                self.lane_threads.pop(post.task).join()
                if isinstance(found, TurnOver) and found.runner_report:
                    with suppress(
                        NoLoop
                    ):  # nobody merges it any more: that is no attempt, and it is begun again where it was
                        step(
                            self.folder, found.but(runner_report=found.runner_report.but(lost=True))
                        )
