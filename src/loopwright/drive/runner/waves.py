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

from ...core.directives import Continue, MergeLane, Reply, Stop, Wait
from ...core.loop import plan_of
from ...core.plan.plan import EXECUTE, Plan
from ...core.plan.schedule import ready_tasks
from ...core.policies.runner_report import judge_despite_exit_code
from ...core.replies.reports import reports_in
from ...core.signals import Checked, LaneMerged, LaneReady, Ordered, TurnOver, TurnStarting
from ...repo.git import GitError
from ...repo.lanes import worktrees
from ...views import plan_board
from ..step import step
from ..turn_facts import TurnCheckout
from . import turns, unplanned, write_scope
from .landing import LandingLine, WaitingLane, lane_problem, own_criteria, turn_with_candidate
from .lane_runner import LaneRunner
from .run_config import TurnSlot, turn_slots

Found = TurnOver | tuple[Checked, ...] | BaseException


def next_work(plan: Plan) -> str:
    """The task, or the gap by its key, that a free lane takes next; "" for none."""
    if plan.stage == EXECUTE:
        return next((task.id for task in ready_tasks(plan)), "")
    waiting = dict(plan.landings)
    busy = {gap.file for gap in plan.gaps if gap.key in (*plan.running_tasks, *waiting)}
    gaps = (gap for gap in plan.gaps if gap.key in plan.queue and gap.file not in busy)
    return next((gap.key for gap in gaps), "")


def _may_land(plan: Plan, name: str, turn: TurnOver) -> bool:
    """Did the turn leave work that its checks can prove?"""
    if turn.api_failure or not plan.has_work(name):
        return False
    reports = reports_in(turn.text, (name,))
    if gap := plan.gap(name):  # what its check shows counts, whatever the agent says
        return bool(not gap.needs_report or reports.closed_gaps)
    return name in reports.complete


class WaveRunner(LaneRunner):
    """Drives a plan with several lanes.

    Only the main thread changes the loop. The thread of a lane waits for its agent or its checks.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.results: queue.Queue[tuple[TurnSlot | WaitingLane, int, Found]] = queue.Queue()
        self.lane_threads: dict[str, threading.Thread] = {}
        self.has_begun = False
        self.is_ending = False  # agents that still work must stop
        self.line = LandingLine(
            self.folder,
            self._lane_state_folder,
            lambda: bool(self._stop_reason()),
            lambda lane, number, found: self.results.put((lane, number, found)),
        )

    def begin(self) -> Reply:
        self._refuse_unsuitable_repository()
        self._note_main_head()
        self.has_begun = True
        return super().begin()

    def close(self) -> None:
        if self.has_begun:
            self.is_ending = True
            self._wait_for_lanes()
            self._report_kept_worktrees()
        super().close()

    def _stop_or_run_turn(self) -> Reply:
        self.loop = self._load_loop()
        plan = plan_of(self.loop)
        has_lanes = len(plan.queue) > 1 or bool(plan.landings) or plan.awaits_verification
        in_lanes = plan.stage == EXECUTE or has_lanes
        if not self.stop_signals.pause_requested and in_lanes:
            return self._run_lanes()
        reply = super()._stop_or_run_turn()
        self._note_main_head()  # the agent of a turn in main may commit there
        return reply

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
        # A stop without a reason: a check was ended because the run is stopping.
        if self._is_stopping() and (isinstance(reply, Continue) or reply == Stop()):
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
            held_at = self._held_at() if self.line.lanes else ""
            while isinstance(reply, Continue) and (
                lane := self.line.take_first(self.loop, held_at)
            ):
                reply = self._judge_lane(lane)
            return reply

    def _start_ready_lanes(self) -> Reply:
        while self._has_free_lane() and not self._notice_moved_main():
            plan = plan_of(self.loop)
            name = next_work(plan)
            if not name:
                if self.lane_threads or self.line.lanes:
                    break
                # Nothing is left to start: the loop decides what comes next, in main.
                return step(self.folder, Ordered(time.time(), plan.stage, by=self.holder))
            if self._waits_for_permission():
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

    def _waits_for_permission(self) -> bool:
        """Let what is under way land before a person is asked to allow new checks."""
        is_asked = bool(self.loop.waiting_checks) and not self.loop.settings.unproven
        return is_asked and bool(self.lane_threads or self.line.lanes)

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

    def _judge_turn(self, slot: TurnSlot, turn: TurnOver) -> Reply:
        """Let a complete lane wait for its landing; judge any other turn at once."""
        self.loop = self._load_loop()
        worktree = plan_of(self.loop).worktree_of(slot.task)
        assert worktree is not None, "BUG: a lane has a worktree"
        self._report_main_changes(slot.task)
        turn = judge_despite_exit_code(turn, self.loop)
        if _may_land(plan_of(self.loop), slot.task, turn):
            held_at, root = self._held_at(), self.folder.root
            try:  # on our own commit, because main may move while we look
                problem = lane_problem(plan_of(self.loop), root, worktree, self.main_head)
            except GitError as error:
                problem = str(error)
            if not problem:
                self.line.add(self.loop, WaitingLane(worktree, turn), held_at)
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
        has_checks = bool(own_criteria(before, wanted.task))
        ahead = () if problem else self._verify_ahead(wanted.task)
        checkout = TurnCheckout(self.folder.root, self.folder.path, ahead)
        reply = step(self.folder, merged, checkout=checkout)
        self.loop = self._load_loop()
        if problem:
            self.observer.show_message(f"[LOOP] Not merged: {problem}")
            return reply
        if lane.candidate.unchanged:
            why = "main passes its checks already" if has_checks else "nothing was to change"
            self.observer.show_message(f"[LOOP] Task {wanted.task}: {why}")
        else:
            self.observer.show_message(f"[LOOP] Merged {wanted.commit[:10]}: task {wanted.task}")
            self._report_unplanned(unplanned.new_files(self.folder.root, self.loop, wanted))
        self._remove_worktree(lane.worktree)
        for row in plan_board.turn_changes(before, self.loop):
            self.observer.show_message(f"    {row}")
        return reply

    def _line_up_earlier_work(self) -> None:
        """Try to land what is proven and could not land in an earlier run."""
        plan = plan_of(self.loop)
        waiting = {lane.task for lane in self.line.lanes}
        for task, _ in plan.landings:
            worktree = plan.worktree_of(task)
            if worktree and task not in waiting:
                worktrees.reopen_lane(self.folder.root, worktree.path, worktree.branch)
                self.line.add(self.loop, WaitingLane(worktree, None))

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
