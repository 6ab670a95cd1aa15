"""The runner of a plan, in your checkout: every turn is for one task or one gap, and each that is done is a commit of its own."""

from __future__ import annotations

import time
from typing import Any

from ...core.loop import Loop, plan_of
from ...core.plan.plan import EXECUTE
from ...core.prompts.plan_person import fix_commit_subject, task_commit_subject
from ...core.signals import Committed, TurnOver
from ...repo import user_repo
from ...store.folder import NoLoop
from .. import plan_files
from ..step import step
from . import turns, write_scope
from .headless import Runner
from .run_config import turn_slots
from .turns import TurnObserver


class TaskRunner(Runner):
    unrecorded_commits: tuple[
        tuple[str, str], ...
    ] = ()  # commits of the last turn, when the journal was closed already

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.base_commits: dict[str, str] = {}
        self.excluded_paths = frozenset(
            user_repo.uncommitted_files(self.folder.root)
        )  # not committed by us, and so not ours to commit

    def _load_loop(self) -> Loop:
        loop = super()._load_loop()
        plan = plan_of(loop)
        return loop.but(plan=plan.but(commits=(*plan.commits, *self.unrecorded_commits)))

    def _run_agent(self, loop: Loop, prompt: str) -> TurnOver:
        plan, root = plan_of(loop), self.folder.root
        task = plan.assigned[0] if plan.stage == EXECUTE and plan.assigned else ""
        base = self.base_commits.setdefault(
            task, user_repo.current_commit(root)
        )  # what an attempt committed itself is its own too
        fence = write_scope.write_scope_file(self.folder, plan, task, root) if task and base else ""
        turn = turns.run_turn(
            self.folder,
            loop,
            self.config,
            prompt,
            turn_slots(loop, root)[0],
            TurnObserver(self.observer, self._stop_reason, self.process_guard, fence),
        )
        return (
            turn.but(
                problem=write_scope.violations(plan, task, root, base, base, self.excluded_paths)
            )
            if fence
            else turn
        )

    def _commit_turn(self, before: Loop, turn: TurnOver) -> None:
        """One commit for each task that was finished here, and for each gap that was closed."""
        if turn.lane_result:
            return
        old, plan = plan_of(before), plan_of(self.loop)
        for name in plan.done:
            if name not in old.done:
                self._commit_work(
                    name,
                    task_commit_subject(plan, plan.task(name)),
                    self.excluded_paths - plan.task(name).paths,
                )
        for gap in old.gaps:
            if gap.key in old.assigned and gap.key not in {left.key for left in plan.gaps}:
                self._commit_work(
                    gap.key, fix_commit_subject(plan, gap), self.excluded_paths - {gap.file}
                )
        if set(plan.parked) - set(
            old.parked
        ):  # what a parked task leaves behind is in nobody's commit
            self.excluded_paths |= frozenset(user_repo.uncommitted_files(self.folder.root))

    def _commit_work(self, name: str, message: str, spared: frozenset[str]) -> None:
        plan = plan_of(self.loop)
        own = plan.task(name).paths if name in plan.done else frozenset()
        spared |= plan_files.plan_file_paths(plan) - own
        made = user_repo.commit_changes(self.folder.root, message, spared)
        if made:
            self.observer.show_message(f"[LOOP] Committed {made}: {message}")
            try:
                step(self.folder, Committed(time.time(), name, made))
            except NoLoop:
                self.unrecorded_commits += ((name, made),)
            self.loop = self._load_loop()
        elif set(user_repo.uncommitted_files(self.folder.root)) - spared:
            self.observer.show_message(
                f"[LOOP] Not committed, git would not: {message}. See: git status"
            )
