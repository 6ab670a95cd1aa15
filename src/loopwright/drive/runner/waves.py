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
from ...core.plan.plan import EXECUTE, Plan, TaskWorktree
from ...core.plan.schedule import ready_tasks
from ...core.record import digest
from ...core.replies.reports import reports_in
from ...core.signals import Checked, LaneMerged, LaneReady, Ordered, TurnOver, TurnStarting
from ...repo.git import GitError, join_names
from ...repo.lanes import merge, worktrees
from ...repo.lanes.changes import git_ignored_files
from ...store.folder import NoLoop
from ...verify.room_files import RoomError
from ...views import plan_board
from .. import plan_files
from ..errors import UserError
from ..lane_checkout import prepare_lane, save_lane_files
from ..room_checkout import RoomOptions
from ..step import step
from ..turn_facts import TurnCheckout
from . import turns, unplanned, write_scope
from .landing import (
    LandingLine,
    WaitingLane,
    commit_subject,
    lane_problem,
    turn_with_candidate,
)
from .lane_trial import try_lane
from .run_config import TurnSlot, turn_slots
from .tasks import TaskRunner
from .verify_ahead import verify_ahead

PREPARED = "prepared"  # a file in the state folder of a lane
Found = TurnOver | tuple[Checked, ...] | BaseException


def next_work(plan: Plan) -> str:
    """The task, or the gap by its key, that a free lane takes next; "" for none."""
    if plan.stage == EXECUTE:
        return next((task.id for task in ready_tasks(plan)), "")
    busy = {gap.file for gap in plan.gaps if gap.key in plan.running_tasks}
    gaps = (gap for gap in plan.gaps if gap.key in plan.queue and gap.file not in busy)
    return next((gap.key for gap in gaps), "")


def lane_name(task: str) -> str:
    """A name for the folder and the branch; the key of a gap may hold a path."""
    is_gap = ":" in task or "/" in task
    return f"gap-{digest(task.encode())[:8]}" if is_gap else task


def _is_task(plan: Plan, name: str) -> bool:
    return any(task.id == name for task in plan.tasks)


class WaveRunner(TaskRunner):
    """Drives a plan with several lanes.

    Only the main thread changes the loop. The thread of a lane waits for its agent or its checks.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.results: queue.Queue[tuple[TurnSlot | WaitingLane, int, Found]] = queue.Queue()
        self.lane_threads: dict[str, threading.Thread] = {}
        self.has_begun = False
        self.is_ending = False  # agents that still work must stop
        self.blocked = ""  # why nothing can land until a person has done something
        self.lane_options = RoomOptions("")
        self.main_before: dict[str, frozenset[tuple[str, str]]] = {}
        self.line = LandingLine(
            self.folder,
            self._lane_state_folder,
            lambda: bool(self._stop_reason()),
            lambda lane, number, found: self.results.put((lane, number, found)),
        )

    def begin(self) -> Reply:
        self._refuse_unsuitable_repository()
        self.has_begun = True
        return super().begin()

    def close(self) -> None:
        if self.has_begun:
            self.is_ending = True
            self._wait_for_lanes()
            self._report_kept_worktrees()

    def _report_kept_worktrees(self) -> None:
        for worktree in plan_of(self._load_loop()).worktrees:
            if os.path.isdir(worktree.path):
                self.observer.show_message(
                    f"[LOOP] The work of task {worktree.task} is kept at {worktree.path}, "
                    f"on branch {worktree.branch}. See: loop lanes"
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
        plan = plan_of(self.loop)
        if plan.stage != EXECUTE or len(plan.done) == len(plan.tasks):
            return
        try:
            self.lane_options = save_lane_files(self.folder, self.loop)
            if plan.worktrees:  # an earlier run has tried them
                return
            show = self.observer.show_message
            problem = try_lane(
                self.folder, self.loop, self.lane_options, self._lanes_folder(), show
            )
        except (RoomError, GitError, OSError) as error:
            problem = str(error)
        if problem:
            raise UserError(f"--parallel cannot work here: {problem}")

    def _lanes_folder(self) -> str:
        return f"{self.folder.root}-lanes-{self.loop.id[-6:]}"

    def _stop_or_run_turn(self) -> Reply:
        plan = plan_of(self.loop)
        in_lanes = plan.stage == EXECUTE or len(plan.queue) > 1
        if not self.stop_signals.pause_requested and in_lanes:
            return self._run_lanes()
        return super()._stop_or_run_turn()

    def _stop_reason(self) -> str:
        return "the run is over" if self.is_ending else super()._stop_reason()

    def _run_lanes(self) -> Reply:
        """Start and judge lanes until none is left and none can start."""
        self.loop = self._load_loop()
        self.blocked = ""
        reply = self._record_merged_lanes()
        self._line_up_earlier_work()
        while True:
            if isinstance(reply, Wait) and reply.until <= time.time():
                reply = Continue("")
            if isinstance(reply, Continue) and not self._is_stopping():
                reply = self._start_ready_lanes()
            if not self.lane_threads and not self.line.lanes:
                break
            lane_reply = self._handle_next_result()
            # A reply that stops or waits stays, even if another lane could continue.
            if isinstance(reply, Continue) or not isinstance(lane_reply, Continue):
                reply = lane_reply
        if isinstance(reply, Continue) and self.blocked:
            return self._pause_for_person(self.blocked)
        if isinstance(reply, Continue) and self._is_stopping():
            return super()._stop_or_run_turn()
        return reply

    def _is_stopping(self) -> bool:
        return bool(
            self.blocked
            or self.stop_signals.pause_requested
            or self.stop_signals.stop_requested
            or os.path.exists(self.folder.path_of("STOP"))
        )

    def _handle_next_result(self) -> Reply:
        """Wait for an agent or for checks, and land what can land."""
        with self.stop_signals.suspend_interrupts():
            reply: Reply = Continue("")
            with suppress(queue.Empty):
                source, number, result = self.results.get(timeout=0.3)
                if isinstance(source, TurnSlot):
                    self.lane_threads.pop(source.task).join()
                if isinstance(result, BaseException):
                    raise result
                if isinstance(source, TurnSlot):
                    assert isinstance(result, TurnOver)
                    reply = self._judge_turn(source, result)
                elif number == source.round:
                    assert isinstance(result, tuple)
                    source.ahead = result
            while isinstance(reply, Continue) and (lane := self.line.take_first(self.loop)):
                reply = self._judge_lane(lane)
            return reply

    def _start_ready_lanes(self) -> Reply:
        while self._has_free_lane():
            plan = plan_of(self.loop)
            name = next_work(plan)
            if not name:
                if self.lane_threads or self.line.lanes or plan.stage != EXECUTE:
                    break
                # No task is left: the loop decides what comes next.
                return step(self.folder, Ordered(time.time(), EXECUTE, by=self.holder))
            if self._notice_switched_branch():
                break
            self._notice_edited_plan()
            reply, has_worktree = self._begin_lane_turn(name)
            self.loop = self._load_loop()
            if not isinstance(reply, Continue):
                others_work = self.lane_threads and self.loop.status == "running"
                return Continue("") if others_work else reply
            if self.blocked:
                break
            if has_worktree:
                self._start_lane(name, reply.prompt)
        return Continue("")

    def _has_free_lane(self) -> bool:
        """May another agent begin? While checks run, unless one lane is all that is wanted."""
        most, waiting = self.config.lanes, len(self.line.lanes)
        busy = len(self.lane_threads) + (waiting if most == 1 else 0)
        return busy < most and waiting < 2 * most

    def _begin_lane_turn(self, task: str) -> tuple[Reply, bool]:
        """The loop's reply to a turn of this task, and whether the task has a worktree."""
        worktree, problem = self._prepare_worktree(task)
        if problem:  # no agent can do anything about it
            self.blocked = f"task {task} has no worktree: {problem}"
            return Continue(""), False
        starting = TurnStarting(time.time(), self.holder, self.config.turn_dollars, worktree)
        return step(self.folder, starting), True

    def _start_lane(self, task: str, prompt: str) -> None:
        loop = self.loop
        slot = next(slot for slot in turn_slots(loop, self.folder.root) if slot.task == task)
        scope_file = ""
        if not plan_of(loop).gap(task):  # a fix may be anywhere
            scope_file = write_scope.write_scope_file(self.folder, plan_of(loop), task, slot.root)
        checkout = TurnCheckout(slot.root, self._lane_state_folder(task))
        observer = self._turn_observer(scope_file, checkout)
        self.observer.show_message(f"[LOOP] ▶ Task {task} | {slot.agent} | {slot.root}")
        self.main_before[task] = unplanned.changed_in_main(self.folder.root, plan_of(loop))

        def run_lane() -> None:
            try:
                turn = turns.run_turn(self.folder, loop, self.config, prompt, slot, observer)
                self.results.put((slot, 0, turn))
            except BaseException as error:
                self.results.put((slot, 0, error))

        self.lane_threads[task] = threading.Thread(target=run_lane, name=f"lane {task}")
        self.lane_threads[task].start()

    def _prepare_worktree(self, task: str) -> tuple[TaskWorktree, str]:
        """The worktree of the task, created if needed; and why it has none ("": it has one)."""
        recorded = plan_of(self.loop).worktree_of(task)
        name = lane_name(task)
        path = os.path.join(self._lanes_folder(), name)
        if recorded and plan_of(self.loop).gap(task) and not os.path.lexists(recorded.path):
            recorded = None  # of an earlier fix of the same gap, which has landed
        if recorded and not os.path.lexists(recorded.path):  # the project may be elsewhere now
            recorded = recorded.but(path=path)
        worktree = recorded or TaskWorktree(task, path, f"loop/{self.loop.id}-{name}", "")
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

    def _judge_turn(self, slot: TurnSlot, turn: TurnOver) -> Reply:
        """Let a complete lane wait for its landing; judge any other turn at once."""
        self.loop = self._load_loop()
        worktree = plan_of(self.loop).worktree_of(slot.task)
        assert worktree is not None, "BUG: a lane has a worktree"
        self._report_main_changes(slot.task)
        reports = reports_in(turn.text, (slot.task,))
        is_gap = bool(plan_of(self.loop).gap(slot.task))
        is_complete = bool(reports.closed_gaps) if is_gap else slot.task in reports.complete
        if is_complete and not turn.api_failure:
            try:
                problem = lane_problem(plan_of(self.loop), self.folder.root, worktree)
            except GitError as error:
                problem = str(error)
            if not problem:
                self.line.add(self.loop, WaitingLane(worktree, turn))
                return Continue("")
            turn = turn.but(problem=problem)
        checkout = TurnCheckout(worktree.path, self._lane_state_folder(slot.task))
        return self._finish_turn(self.loop, turn, checkout)

    def _judge_lane(self, lane: WaitingLane) -> Reply:
        """Judge a lane that is first in line, and merge it into main when the loop says so."""
        self.loop = self._load_loop()
        path = lane.worktree.path
        checkout = TurnCheckout(path, self._lane_state_folder(lane.task), lane.ahead or ())
        if lane.turn:
            reply = self._finish_turn(self.loop, turn_with_candidate(lane), checkout)
        else:
            reply = self._judge_earlier_work(lane, checkout)
        if isinstance(reply, MergeLane):
            reply = self._merge_lane(lane, reply)
        return reply

    def _judge_earlier_work(self, lane: WaitingLane, checkout: TurnCheckout) -> Reply:
        now, commit = time.time(), lane.candidate.commit
        if lane.candidate.problem:
            failed = LaneMerged(now, self.holder, lane.task, problem=lane.candidate.problem)
            return step(self.folder, failed)
        ready = LaneReady(now, self.holder, lane.task, commit)
        return step(self.folder, ready, checkout=checkout)

    def _lane_state_folder(self, task: str) -> str:
        path = self.folder.path_of("lanes", lane_name(task))
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def _merge_lane(self, lane: WaitingLane, wanted: MergeLane) -> Reply:
        self._report_unplanned(unplanned.foreign_commits(self.folder.root, self.loop))
        problem = self._merge_into_main(wanted.commit)
        if problem:  # only the person, or a commit of theirs, can be in the way
            self.blocked = f"task {wanted.task} is proven and cannot land: {problem}"
        before = self.loop
        merged = LaneMerged(
            at=time.time(),
            session=self.holder,
            task=wanted.task,
            commit=wanted.commit,
            problem=problem,
            blocked=bool(problem),
            unchanged=lane.candidate.unchanged,
        )
        ahead = () if problem else self._verify_ahead(wanted.task)
        checkout = TurnCheckout(self.folder.root, self.folder.path, ahead)
        reply = step(self.folder, merged, checkout=checkout)
        self.loop = self._load_loop()
        if problem:
            self.observer.show_message(f"[LOOP] Not merged: {problem}")
            return reply
        if lane.candidate.unchanged:
            self.observer.show_message(f"[LOOP] Task {wanted.task}: main passes its checks already")
        else:
            self.observer.show_message(f"[LOOP] Merged {wanted.commit[:10]}: task {wanted.task}")
            self._report_unplanned(unplanned.new_files(self.folder.root, self.loop, wanted))
        self._remove_worktree(lane.worktree)
        for row in plan_board.turn_changes(before, self.loop):
            self.observer.show_message(f"    {row}")
        return reply

    def _verify_ahead(self, task: str) -> tuple[Checked, ...]:
        """With the last task, run the checks of the whole plan side by side."""
        plan = plan_of(self.loop)
        open_tasks = {other.id for other in plan.tasks} - {*plan.done}
        if open_tasks != {task} or self.blocked or self.config.lanes < 2:
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
        if reason := self._switched_branch():
            return reason
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
            if not _is_task(plan_of(self.loop), task) and not os.path.isdir(worktree.path):
                continue
            done = task in plan_of(self.loop).done
            commit = "" if done else self._landed_commit(worktree)
            if commit:
                if os.path.isdir(worktree.path):
                    merge.settle_lane(worktree.path, worktree.branch, commit)
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
        if not _is_task(plan, worktree.task) and not plan.gap(worktree.task):
            return ""  # a gap that is closed
        subject = commit_subject(plan, worktree.task)
        try:
            return merge.landed_commit(self.folder.root, worktree.base_commit, subject)
        except GitError:  # the commit is gone: another branch is there
            return ""

    def _line_up_earlier_work(self) -> None:
        """Try to land what is proven and could not land in an earlier run."""
        plan = plan_of(self.loop)
        waiting = {lane.task for lane in self.line.lanes}
        for task, _ in plan.landings:
            worktree = plan.worktree_of(task)
            if worktree and task not in waiting:
                worktrees.reopen_lane(self.folder.root, worktree.path, worktree.branch)
                self.line.add(self.loop, WaitingLane(worktree, None))

    def _notice_switched_branch(self) -> bool:
        self.blocked = self.blocked or self._switched_branch()
        return bool(self.blocked)

    def _report_main_changes(self, task: str) -> None:
        """Say which files changed in the main checkout while the agent worked in its lane."""
        before = self.main_before.pop(task, frozenset())
        now = unplanned.changed_in_main(self.folder.root, plan_of(self.loop))
        self._report_unplanned(unplanned.main_changes(before, now, task))

    def _report_unplanned(self, changes: tuple[Any, ...]) -> None:
        for row in unplanned.record(self.folder, changes):
            self.observer.show_message(f"[LOOP] {row}")

    def _wait_for_lanes(self) -> None:
        """Record what the lanes cost, however the run ends. Their work stays in their worktrees."""
        self.line.join()
        for lane in self.line.lanes:
            if lane.turn:
                self._settle_lost_turn(lane.turn)
        while self.lane_threads:
            with suppress(queue.Empty):
                source, _, result = self.results.get(timeout=1.0)
                if not isinstance(source, TurnSlot):
                    continue
                self.lane_threads.pop(source.task).join()
                if isinstance(result, TurnOver):
                    self._settle_lost_turn(result)

    def _settle_lost_turn(self, turn: TurnOver) -> None:
        """Lost: it will not be merged, so it is not an attempt, and is started again."""
        if turn.runner_report:
            report = turn.runner_report.but(lost=True)
            with suppress(NoLoop):
                step(self.folder, turn.but(runner_report=report))
