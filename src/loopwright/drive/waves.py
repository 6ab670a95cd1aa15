"""The runner of a plan, side by side: each task in a worktree of its own, merged and checked beside main, then brought in."""

from __future__ import annotations

import os
import queue
import threading
import time
from contextlib import suppress
from typing import Any

from ..core.plan import EXECUTE, Laned, Place, plan_of
from ..core.reports import reports_in
from ..core.schedule import ready
from ..core.signals import Began, Continue, Land, Landed, Ordered, Reply, TurnOver, Wait
from ..core.standing import subject
from ..store.folder import NoLoop
from ..verify import lanes, merge, work
from ..verify.git import GitTrouble, ask, commit_at, holds, several
from ..views import executing
from . import fences, papers, turns
from .crew import Post, posts
from .orders import UserError
from .step import Site, step
from .tasks import TaskRunner
from .turns import Look


class Waves(TaskRunner):
    """Only this thread speaks to the loop; a lane's own thread waits for its agent. Gaps are fixed in place, one by one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.over: queue.Queue[tuple[Post, TurnOver | BaseException]] = queue.Queue()
        self.working: dict[str, threading.Thread] = {}
        self.leaving = False  # whatever is still at work is to end

    def drive(self) -> Reply:
        self._must_be_able()
        try:
            return super().drive()
        finally:
            self.leaving = True
            self._wait_for_lanes()
            for place in plan_of(self._look()).places:
                if os.path.isdir(place.path):
                    self.watch.said(f"[LOOP] The work of task {place.task} is kept at {place.path}, on branch {place.branch}.")

    def _must_be_able(self) -> None:
        """Found out before a cent is spent."""
        if why := lanes.able(self.folder.root):
            raise UserError(f"--parallel cannot work here: {why}")
        plan = plan_of(self.loop)
        planned = {path for task in plan.tasks if task.id not in plan.done for path in task.paths}
        ours = {f"{plan.gsd}/STATE.md"} if plan.gsd else set()
        if dirty := sorted(self.spared & planned - ours):
            raise UserError(f"not committed, and the plan changes them: {several(dirty)}. Commit them first, then: loop run")

    def _next(self) -> Reply:
        if not self.halting.soon and plan_of(self.loop).stage == EXECUTE:
            return self._lanes()
        return super()._next()

    def _stop_now(self) -> str:
        return "the run is over" if self.leaving else super()._stop_now()

    def _lanes(self) -> Reply:
        """Begin what may begin, judge what is over, until nothing works and nothing is left to begin."""
        self.loop = self._look()
        reply = self._find_landed()
        while True:
            if isinstance(reply, Wait) and reply.until <= time.time():
                reply = Continue("")
            if isinstance(reply, Continue) and not self._stopping():
                reply = self._begin()
            if not self.working:
                return super()._next() if isinstance(reply, Continue) and self._stopping() else reply
            with self.halting.polled(), suppress(queue.Empty):
                post, found = self.over.get(timeout=0.3)
                self.working.pop(post.task).join()
                if isinstance(found, BaseException):
                    raise found
                said = self._judge(post, found)
                # What stops or waits is not forgotten because another lane could go on.
                reply = said if isinstance(reply, Continue) or not isinstance(said, Continue) else reply

    def _stopping(self) -> bool:
        return bool(self.halting.soon or self.halting.now or os.path.exists(self.folder.inside("STOP")))

    def _begin(self) -> Reply:
        while len(self.working) < self.crew.lanes:
            plan = plan_of(self.loop)
            task = next(iter(ready(plan)), None) if plan.stage == EXECUTE else None
            if task is None and not self.working and plan.stage == EXECUTE:  # nothing is left to do: what does the loop say?
                return step(self.folder, Ordered(time.time(), EXECUTE, by=self.holder))
            if task is None:
                break
            place, why = self._place(task.id)
            if why:  # this task alone has failed
                reply = step(self.folder, Landed(time.time(), self.holder, task.id, problem=f"no worktree: {why}"))
            else:
                reply = step(self.folder, Began(time.time(), self.holder, self.crew.turn_dollars, place))
            self.loop = self._look()
            if not isinstance(reply, Continue):
                return Continue("") if self.working and self.loop.status == "running" else reply
            if not why:
                self._send(task.id, reply.prompt)
        return Continue("")

    def _send(self, task: str, prompt: str) -> None:
        loop = self.loop
        post = next(post for post in posts(loop, self.folder.root) if post.task == task)
        fence = fences.laid(self.folder, plan_of(loop), task, post.root)
        look = Look(self.watch, self._stop_now, self.hold, fence)
        self.watch.said(f"[LOOP] ▶ Task {task} | {post.agent} | {post.root}")

        def work_on() -> None:
            try:
                self.over.put((post, turns.take(self.folder, loop, self.crew, prompt, post, look)))
            except BaseException as error:
                self.over.put((post, error))

        self.working[task] = threading.Thread(target=work_on, name=f"lane {task}")
        self.working[task].start()

    def _place(self, task: str) -> tuple[Place, str]:
        """The worktree of the task: the one that it has, or a new one on a branch of its own; and why there is none."""
        known = plan_of(self.loop).place(task)
        path = os.path.join(f"{self.folder.root}-lanes-{self.loop.id[-6:]}", task)
        place = known or Place(task, path, f"loop/{self.loop.id}-{task}", "")
        try:  # one that is there and not known was made by a runner that died before its note
            known_or_there = known or os.path.lexists(place.path)
            laid = (lanes.again if known_or_there else lanes.lay)(self.folder.root, place.path, place.branch)
        except GitTrouble as trouble:
            return place, str(trouble)
        return place.but(base=place.base or laid.base), laid.problem

    def _judge(self, post: Post, turn: TurnOver) -> Reply:
        """What a lane came to: merged beside the main checkout, checked there, and only then brought in."""
        self.loop = self._look()
        place = plan_of(self.loop).place(post.task)
        assert place is not None, "BUG: a lane has a place"
        if post.task in reports_in(turn.text, (post.task,)).complete and not turn.failure:
            turn = self._merged(place, turn)
        reply = self._over(self.loop, turn, Site(place.path, self._state_of(post.task)))
        if isinstance(reply, Land):
            reply = self._land(place, reply)
        return reply

    def _state_of(self, task: str) -> str:
        path = self.folder.inside("lanes", task)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def _merged(self, place: Place, turn: TurnOver) -> TurnOver:
        plan, root = plan_of(self.loop), self.folder.root
        task = plan.task(place.task)
        try:
            why = (
                work.wrong(root, place.path, place.branch)
                or fences.broken(plan, task.id, place.path, lanes.base_of(root, place.path), place.base)
                or fences.hidden(task, place.path)
                or work.save(place.path, subject(plan, task)).problem
            )
            if why:
                return turn.but(problem=why)
            made = merge.candidate(root, place.path, place.branch, place.base, subject(plan, task), fences.doomed(task))
            if made.conflicts:
                files = merge.bring(place.path, root)
                return turn.but(problem=f"{made.problem}. Main is merged into your worktree now: resolve {several(files)}")
            return turn.but(lane=Laned(task.id, made.commit), problem=made.problem)
        except GitTrouble as trouble:
            return turn.but(problem=str(trouble))

    def _land(self, place: Place, wanted: Land) -> Reply:
        why = self._brought_in(wanted.commit)
        before = self.loop
        reply = step(self.folder, Landed(time.time(), self.holder, wanted.task, wanted.commit, why))
        self.loop = self._look()
        self.watch.said(f"[LOOP] Merged {wanted.commit[:10]}: task {wanted.task}" if not why else f"[LOOP] Not merged: {why}")
        if not why:
            self._clear(place)
        for row in executing.turn(before, self.loop):
            self.watch.said(f"    {row}")
        return reply

    def _clear(self, place: Place) -> None:
        """A worktree whose work is all in main goes; one that holds more stays, and we say where."""
        try:
            kept = lanes.clear(self.folder.root, place.path, place.branch)
        except GitTrouble as trouble:
            kept = f"kept at {place.path}: {trouble}"
        if kept:
            self.watch.said(f"[LOOP] {kept}")
        with suppress(OSError):  # others are in it
            os.rmdir(os.path.dirname(place.path))

    def _brought_in(self, commit: str) -> str:
        """Our own block in STATE.md must not stand in the way of a task that writes the rest of it."""
        plan, root = plan_of(self.loop), self.folder.root
        with papers.set_aside(root, plan.gsd):
            try:
                return merge.land(root, commit)
            except GitTrouble as trouble:
                return str(trouble)

    def _find_landed(self) -> Reply:
        """A runner may have died between the merge and its note."""
        reply: Reply = Continue("")
        for place in plan_of(self.loop).places:
            done = place.task in plan_of(self.loop).done
            tip = "" if done else commit_at(self.folder.root, place.branch)
            if tip and tip != place.base and self._is_landed(tip, place.task):
                reply, done = step(self.folder, Landed(time.time(), self.holder, place.task, tip)), True
                self.loop = self._look()
            if done and os.path.isdir(place.path):
                self._clear(place)
            if not isinstance(reply, Continue):
                break
        return reply

    def _is_landed(self, tip: str, task: str) -> bool:
        """Main's own history has it, and it is our commit: who merges main into a lane has landed nothing."""
        plan, root = plan_of(self.loop), self.folder.root
        return holds(root, "HEAD", tip) and ask(root, "log", "-1", "--format=%B", tip).strip() == subject(plan, plan.task(task))

    def _wait_for_lanes(self) -> None:
        """Whatever ends us, what the lanes cost is written down; their work stays in their worktrees."""
        while self.working:
            with suppress(queue.Empty):
                post, found = self.over.get(timeout=1.0)
                self.working.pop(post.task).join()
                if isinstance(found, TurnOver) and found.told:
                    with suppress(NoLoop):  # nobody merges it any more: that is no attempt, and it is begun again where it was
                        step(self.folder, found.but(told=found.told.but(lost=True)))
