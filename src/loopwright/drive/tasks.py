"""The runner of a plan, in your checkout: every turn is for one task or one gap, and each that is done is a commit of its own."""

from __future__ import annotations

import time
from typing import Any

from ..core.loop import Loop
from ..core.plan import EXECUTE, plan_of
from ..core.signals import Committed, TurnOver
from ..core.standing import fix_subject, subject
from ..store.folder import NoLoop
from ..verify import clone
from . import fences, papers, turns
from .crew import posts
from .headless import Runner
from .step import step
from .turns import Look


class TaskRunner(Runner):
    unnoted: tuple[tuple[str, str], ...] = ()  # commits of the last turn, when the journal was closed already

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.bases: dict[str, str] = {}
        self.spared = frozenset(clone.dirty(self.folder.root))  # not committed by us, and so not ours to commit

    def _look(self) -> Loop:
        loop = super()._look()
        plan = plan_of(loop)
        return loop.but(plan=plan.but(commits=(*plan.commits, *self.unnoted)))

    def _take(self, loop: Loop, prompt: str) -> TurnOver:
        plan, root = plan_of(loop), self.folder.root
        task = plan.assigned[0] if plan.stage == EXECUTE and plan.assigned else ""
        base = self.bases.setdefault(task, clone.commit_of(root))  # what an attempt committed itself is its own too
        fence = fences.laid(self.folder, plan, task, root) if task and base else ""
        turn = turns.take(
            self.folder, loop, self.crew, prompt, posts(loop, root)[0], Look(self.watch, self._stop_now, self.hold, fence)
        )
        return turn.but(problem=fences.broken(plan, task, root, base, base, self.spared)) if fence else turn

    def _commit(self, before: Loop, turn: TurnOver) -> None:
        """One commit for each task that was finished here, and for each gap that was closed."""
        if turn.lane:
            return
        old, plan = plan_of(before), plan_of(self.loop)
        for name in plan.done:
            if name not in old.done:
                self._commit_as(name, subject(plan, plan.task(name)), self.spared - plan.task(name).paths)
        for gap in old.gaps:
            if gap.key in old.assigned and gap.key not in {left.key for left in plan.gaps}:
                self._commit_as(gap.key, fix_subject(plan, gap), self.spared - {gap.file})
        if set(plan.parked) - set(old.parked):  # what a parked task leaves behind is in nobody's commit
            self.spared |= frozenset(clone.dirty(self.folder.root))

    def _commit_as(self, name: str, message: str, spared: frozenset[str]) -> None:
        plan = plan_of(self.loop)
        own = plan.task(name).paths if name in plan.done else frozenset()
        spared |= papers.of(plan) - own
        made = clone.commit(self.folder.root, message, spared)
        if made:
            self.watch.said(f"[LOOP] Committed {made}: {message}")
            try:
                step(self.folder, Committed(time.time(), name, made))
            except NoLoop:
                self.unnoted += ((name, made),)
            self.loop = self._look()
        elif set(clone.dirty(self.folder.root)) - spared:
            self.watch.said(f"[LOOP] Not committed, git would not: {message}. See: git status")
