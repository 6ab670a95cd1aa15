"""Plans for tests, and two stories whose checks are answered from what holds: Executing in a session, Lanes under a runner."""

from __future__ import annotations

from typing import Any

from loopwright.core.criteria import Check
from loopwright.core.directives import RunCheck
from loopwright.core.loop import Lease, Loop, plan_of, run_of
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.plan import (
    LaneResult,
    Link,
    MustHave,
    Plan,
    PlannedFile,
    Task,
    TaskCheck,
    TaskWorktree,
    plan_limits,
)
from loopwright.core.plan.schedule import ready_tasks
from loopwright.core.runner.run import Run
from loopwright.core.signals import LaneMerged, TurnStarting
from tests.support.builders import TREE, Story, a_loop, failed, passed, turn
from tests.support.night import RUNNER, runner_attached, runner_turn_over

PASSES = "src/{}.py exists"


def a_task(name: str, wave: int = 1, depends: str = "", **changes: Any) -> Task:
    """A task that creates one file of its own name, with a check that looks for it."""
    path = f"src/{name}.py"
    usual: dict[str, Any] = {
        "title": f"Create {path}",
        "wave": wave,
        "depends": tuple(depends.split()),
        "files": (PlannedFile(path, "create"),),
        "action": f"Create {path}.",
        "done_when": f"{path} is there",
        "checks": (TaskCheck("file", PASSES.format(name), path=path),),
    }
    return Task(name, **{**usual, **changes})


def a_plan(*tasks: Task, **changes: Any) -> Plan:
    """Two tasks in the first wave, one after them, unless we say otherwise."""
    usual = tasks or (a_task("01"), a_task("02"), a_task("03", 2, "01 02"))
    return Plan(**{"phase": "1", "title": "A phase", "file": "PLAN.md", "tasks": usual, **changes})


def check_of(name: str) -> str:
    """The criterion that proves the task of that name."""
    return f"{name}.1 {PASSES.format(name)}"


def a_plan_loop(plan: Plan | None = None, commands: tuple[str, ...] = (), **changes: Any) -> Loop:
    """A running loop of session s1 on a plan. Yolo unless `gates_enabled`; `commands` are the project's own."""
    plan = plan or a_plan()
    usual: dict[str, Any] = {
        "spec": f"Phase {plan.phase}: {plan.title}",
        "policy": "plan",
        "plan": plan.but(assigned=tuple(task.id for task in ready_tasks(plan))),
        "criteria": plan_criteria(plan, {name: Check(f"make {name}") for name in commands}),
        "limits": plan_limits(plan),
        "gates_enabled": False,
        "tree": TREE,
    }
    return a_loop(**{**usual, **changes})


class PlanStory(Story):
    """What fails is named once, and fails until it is mended; every other check passes."""

    def __init__(self, loop: Loop | None = None, failing: tuple[str, ...] = ()) -> None:
        super().__init__(loop or a_plan_loop())
        self.failing = {*failing}
        self.trees = 1

    @property
    def plan(self) -> Plan:
        return plan_of(self.loop)

    def answer_checks(self, directive: Any) -> Any:
        while isinstance(directive, RunCheck):
            name = directive.criterion
            directive = self.tell(
                failed(name, outcome=self.outcome(name)) if name in self.failing else passed(name)
            )
        return directive

    def outcome(self, name: str) -> str:
        return (
            "stub"
            if name.startswith("artifact")
            else "broken_link"
            if name.startswith("link")
            else "exit"
        )

    def says(self, *lines: str, mended: tuple[str, ...] = (), **facts: Any) -> Any:
        """A turn that changes files and ends with these lines."""
        self.failing -= {*mended}
        self.trees += 1
        return self.answer_checks(self.tell(turn("\n".join(lines), f"tree-{self.trees}", **facts)))

    def completes(self, *tasks: str, **more: Any) -> Any:
        return self.says(*(f"TASK COMPLETE: {task}" for task in tasks), **more)


def must_have(text: str, command: str = "") -> MustHave:
    return MustHave(text, command)


def a_link(source: str, target: str) -> Link:
    return Link(source, target, "imports it")


class LanesStory(PlanStory):
    """A plan that a runner has come to: in lanes, or with none of them in place."""

    def __init__(
        self,
        loop: Loop | None = None,
        failing: tuple[str, ...] = (),
        lanes: int = 3,
        **details: Any,
    ) -> None:
        super().__init__((loop or a_plan_loop()).but(lease=Lease()), failing)
        self.first = self.loop
        self.tell(runner_attached(lanes=lanes, **details))

    @property
    def run(self) -> Run:
        return run_of(self.loop)

    def begin(self, task: str = "", most: float = 0.0, at: float = 0.0) -> Any:
        """A turn is about to start: in the worktree of a task, or in place."""
        return self.tell(TurnStarting(at, RUNNER, most, a_place(task) if task else None))

    def says(
        self,
        *lines: str,
        mended: tuple[str, ...] = (),
        task: str = "",
        commit: str = "",
        **facts: Any,
    ) -> Any:
        """A turn is over: in place, or in the lane of a task, whose work would be merged as that commit."""
        self.failing -= {*mended}
        self.trees += 1
        lane = LaneResult(task, commit) if task else None
        return self.answer_checks(
            self.tell(
                runner_turn_over("\n".join(lines), f"tree-{self.trees}", lane_result=lane, **facts)
            )
        )

    def completes(self, *tasks: str, **more: Any) -> Any:
        """In place one after the other."""
        for task in tasks:
            self.begin()
            self.says(f"TASK COMPLETE: {task}", **more)
        return self.directive

    def finishes(self, task: str, **more: Any) -> Any:
        """The lane of a task ends well: its work is to be landed."""
        return self.says(
            f"TASK COMPLETE: {task}", **{"task": task, "commit": f"commit-{task}", **more}
        )

    def merges(self, task: str, problem: str = "", **more: Any) -> Any:
        landed = LaneMerged(
            **{
                "at": 0.0,
                "session": RUNNER,
                "task": task,
                "commit": f"commit-{task}",
                "tree": "main-1",
                **more,
            }
        )
        return self.answer_checks(self.tell(landed.but(problem=problem)))


def a_place(task: str) -> TaskWorktree:
    return TaskWorktree(task, f"lanes/{task}", f"loop/{task}", "c0ffee")
