"""The runner of a plan in the person's checkout: each turn is for one task or one gap.

Each task that is finished and each gap that is closed gets its own commit.
"""

from __future__ import annotations

import time
from typing import Any

from ...core.directives import Reply
from ...core.loop import Loop, plan_of
from ...core.plan.plan import EXECUTE, UnplannedChange
from ...core.prompts.plan_person import fix_commit_subject, task_commit_subject
from ...core.signals import Committed, TurnOver
from ...repo import user_repo
from ...store.folder import NoLoop
from ..plans import plan_files
from ..step import step
from . import turns, unplanned, write_scope
from .commit import switched_branch
from .headless import Runner
from .run_config import turn_slots


class TaskRunner(Runner):
    """Drives a plan, one task after the other."""

    # Commits of the last turn, when the journal was closed already.
    unrecorded_commits: tuple[tuple[str, str], ...] = ()

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.base_commits: dict[str, str] = {}
        self.edit_noticed = False
        # When the last agent had ended: the commit, and after its checks the files.
        self.idle_commit = ""
        self.idle_files: frozenset[tuple[str, str]] | None = None
        # Changes of the person, which we never commit.
        self.excluded_paths = frozenset(user_repo.uncommitted_files(self.folder.root))

    def _load_loop(self) -> Loop:
        loop = super()._load_loop()
        plan = plan_of(loop)
        return loop.but(plan=plan.but(commits=(*plan.commits, *self.unrecorded_commits)))

    def _notice_edited_plan(self) -> None:
        """Say once that the file of the plan is no longer what the loop works on."""
        plan = plan_of(self.loop)
        if self.edit_noticed or not plan_files.is_edited(self.folder.root, plan):
            return
        self.edit_noticed = True
        change = UnplannedChange("plan", (plan.file,))
        for row in unplanned.record(self.folder, (change,)):
            self.observer.show_message(f"[LOOP] {row}")

    def _run_turn(self) -> Reply:
        self._notice_edited_plan()
        self._report_idle_changes()
        return super()._run_turn()

    def write_result(self) -> None:
        self.loop = self._load_loop()
        self._report_idle_changes()
        super().write_result()

    def _report_idle_changes(self) -> None:
        """Say what changed here between two turns. In a turn it could be the agent's own work."""
        root, plan = self.folder.root, plan_of(self.loop)
        changes: tuple[UnplannedChange, ...] = ()
        if self.idle_commit:
            changes += unplanned.foreign_commits(root, self.loop, self.idle_commit)
        if self.idle_files is not None:
            now = unplanned.changed_in_main(root, plan)
            changes += unplanned.main_changes(self.idle_files, now, "")
        self.idle_commit, self.idle_files = "", None
        for row in unplanned.record(self.folder, changes):
            self.observer.show_message(f"[LOOP] {row}")

    def _switched_branch(self) -> str:
        return switched_branch(self.folder.root, self.loop)

    def _run_agent(self, loop: Loop, prompt: str) -> TurnOver:
        plan, root = plan_of(loop), self.folder.root
        slot = turn_slots(loop, root)[0]
        task = plan.assigned[0] if plan.stage == EXECUTE and plan.assigned else ""
        # The first attempt's commit: what an attempt commits itself belongs to the task too.
        base = self.base_commits.setdefault(task, user_repo.current_commit(root))
        if not task or not base:
            return turns.run_turn(
                self.folder, loop, self.config, prompt, slot, self._turn_observer()
            )
        scope_file = write_scope.write_scope_file(self.folder, plan, task, root)
        observer = self._turn_observer(scope_file)
        turn = turns.run_turn(self.folder, loop, self.config, prompt, slot, observer)
        self.idle_commit = user_repo.current_commit(root)
        excluded = self.excluded_paths | plan_files.progress_files(plan)
        problem = write_scope.violations(plan, task, root, base, base, excluded)
        return turn.but(problem=problem)

    def _commit_turn(self, before: Loop, turn: TurnOver) -> None:
        if not turn.lane_result:
            self._commit_finished(before)

    def _commit_left_turn(self, before: Loop) -> None:
        if not self.config.lanes:  # the work of a lane is merged
            self._commit_finished(before)

    def _commit_finished(self, before: Loop) -> None:
        """One commit for each task that was finished here, and for each gap that was closed."""
        if self.idle_commit:
            self.idle_files = unplanned.changed_in_main(self.folder.root, plan_of(self.loop))
        old_plan, plan = plan_of(before), plan_of(self.loop)
        committed = {name for name, _ in plan.commits}
        for name in plan.done:
            if name not in old_plan.done and name not in committed:
                task = plan.task(name)
                excluded = self.excluded_paths - task.paths
                self._commit_work(name, task_commit_subject(plan, task), excluded)
        open_gaps = {gap.key for gap in plan.gaps}
        for gap in old_plan.gaps:
            if gap.key in old_plan.assigned and gap.key not in open_gaps:
                excluded = self.excluded_paths - {gap.file}
                self._commit_work(gap.key, fix_commit_subject(plan, gap), excluded)
        if set(plan.parked) - set(old_plan.parked):
            # What a parked task leaves behind must not be in another task's commit.
            self.excluded_paths |= frozenset(user_repo.uncommitted_files(self.folder.root))

    def _commit_work(self, name: str, message: str, excluded: frozenset[str]) -> None:
        plan, root = plan_of(self.loop), self.folder.root
        own_paths = plan.task(name).paths if name in plan.done else frozenset()
        excluded |= plan_files.plan_file_paths(plan) - own_paths
        commit = user_repo.commit_changes(root, message, excluded)
        if commit:
            self.observer.show_message(f"[LOOP] Committed {commit}: {message}")
            try:
                step(self.folder, Committed(time.time(), name, commit))
            except NoLoop:
                self.unrecorded_commits += ((name, commit),)
            self.loop = self._load_loop()
        elif set(user_repo.uncommitted_files(root)) - excluded:
            self.observer.show_message(
                f"[LOOP] Not committed, git would not: {message}. See: git status"
            )
