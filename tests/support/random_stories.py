"""Any plan, and what becomes of it: stories that go deep, because every choice is made for the loop as it stands then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from loopwright.core.criteria import Check
from loopwright.core.directives import Directive, MergeLane, Move, RunCheck, Wait
from loopwright.core.loop import Lease, Loop, plan_of
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.plan import (
    Gap,
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
from loopwright.core.runner.run import RunnerReport
from loopwright.core.signals import (
    Answered,
    Claimed,
    Claims,
    ClientEvent,
    LaneMerged,
    Ordered,
    RunnerAttached,
    Signal,
    TurnOver,
    TurnStarting,
)
from tests.support.builders import a_loop, advance_past_hash, answer_to, block, failed, passed
from tests.support.night import OTHER, RUNNER

IDS = ("01", "02", "03", "04", "05")
FILES = ("src/a.py", "src/b.py", "src/c.py")
SAW = {"met": True, "verification": "observation", "evidence": "I looked"}
GUESSED = {"met": True, "verification": "assumption"}
ANSWERS = ("yes", "yes", "no", "mind the docs", "proceed without confirmation")
CHECKS = {
    "file": TaskCheck("file", "it exists", path="src/a.py"),
    "command": TaskCheck("test", "it works", command="make check"),
    "browser": TaskCheck("browser", "it shows"),
}
ToldMove = tuple[Loop, Signal, Move]


@st.composite
def any_plan(draw: st.DrawFn) -> Plan:
    """A plan as lint lets it pass: no cycle, no id twice."""
    tasks: list[Task] = []
    for name in IDS[: draw(st.integers(1, len(IDS)))]:
        known = [task.id for task in tasks]
        depends = draw(st.lists(st.sampled_from(known), unique=True, max_size=2)) if known else []
        wave = max((task.wave for task in tasks if task.id in depends), default=0) + 1
        files = draw(st.lists(st.sampled_from(FILES), unique=True, max_size=2))
        kinds = draw(st.lists(st.sampled_from(sorted(CHECKS)), max_size=2))
        made, checks = (
            tuple(PlannedFile(path, "create") for path in files),
            tuple(CHECKS[kind] for kind in kinds),
        )
        alone = draw(st.sampled_from((False, False, True)))
        tasks.append(
            Task(name, f"Do {name}", wave, tuple(depends), made, checks=checks, runs_alone=alone)
        )
    musts = draw(
        st.sampled_from(((), (MustHave("it looks good"),), (MustHave("it starts", "make run"),)))
    )
    return Plan(
        "1",
        "A phase",
        "PLAN.md",
        tuple(tasks),
        musts,
        links=draw(st.sampled_from(((), (Link("src/a.py", "src/b.py"),)))),
        eager=draw(st.booleans()),
        auto_loop=draw(st.sampled_from((True, True, True, False))),
        retries=draw(st.integers(0, 2)),
        max_fix_rounds=draw(st.integers(1, 4)),
    )


@st.composite
def any_plan_loop(draw: st.DrawFn) -> Loop:
    """Interactive or not; in some the commands of the plan wait for the person."""
    plan = draw(any_plan())
    commands = {
        name: Check(f"make {name}")
        for name in draw(st.sampled_from(((), ("lint",), ("lint", "e2e"))))
    }
    found = plan_criteria(plan, commands)
    if draw(st.sampled_from((True, True, False))):
        found = tuple(c.but(check=c.check.but(allowed=True)) if c.check else c for c in found)
    most = plan_limits(plan).but(dollars=5.0, wait=30.0)
    return a_loop(
        policy="plan",
        plan=plan.but(assigned=tuple(task.id for task in ready_tasks(plan))),
        criteria=found,
        limits=most.but(iterations=min(most.iterations, draw(st.sampled_from((3, 12, 50))))),
        gates_enabled=draw(st.booleans()),
        tree="tree-0",
    )


class Choices:
    """Choices, one after the other; when they are used up, always the first."""

    def __init__(self, choices: bytes) -> None:
        self.choices, self.at = choices, 0

    def __repr__(self) -> str:
        return f"Fate({self.choices!r})"

    @property
    def used_up(self) -> bool:
        return self.at >= len(self.choices)

    def pick(self, options: Any) -> Any:
        chosen = 0 if self.used_up else self.choices[self.at]
        self.at += 1
        return options[chosen % len(options)]


class Teller:
    """Tells a loop what happens, and keeps the clock."""

    def __init__(self, loop: Loop, fate: Choices) -> None:
        self.loop, self.fate, self.now, self.trees = loop, fate, loop.clock.started_at, 0
        self.directive: Directive | None = None

    def tell(self, signal: Any) -> ToldMove:
        self.now += 7.0
        before, signal = self.loop, signal.but(at=self.now)
        move = advance_past_hash(before, signal)
        self.loop, self.directive = move.loop, move.directive
        return before, signal, move

    def tree(self) -> str:
        self.trees += self.fate.pick((1, 1, 1, 0))
        return f"tree-{self.trees}"

    def check(self) -> Any:
        """The check that is asked for has run."""
        wanted = self.directive
        assert isinstance(wanted, RunCheck)
        kind = {"artifact": "stub", "link": "broken_link"}.get(
            wanted.criterion.split(" ")[0], "exit"
        )
        outcome = self.fate.pick(("", "", "", "", kind, kind, "timeout"))
        left = self.fate.pick(("", "", "", "", "", "", "", f"tree-{self.trees}-x"))
        name = wanted.criterion
        found = (
            failed(name, "src/a.py:3: no", left, outcome=outcome) if outcome else passed(name, left)
        )
        return answer_to(wanted, found, self.now)

    def report(self, tasks: tuple[str, ...]) -> str:
        """What an agent says at the end of its turn."""
        fate, plan = self.fate, plan_of(self.loop)
        words = (
            "TASK COMPLETE: {}",
            "TASK COMPLETE: {}",
            "TASK COMPLETE: {}",
            "TASK FAILED: {}: boom\nBlocker: no module",
            "",
        )
        rows = [fate.pick(words).format(task) for task in tasks]
        rows += [
            fate.pick(("GAP CLOSED: {}", "GAP CLOSED: {}", "GAP FAILED: {}", "")).format(gap.file)
            for gap in plan.gaps
        ]
        rows.append(fate.pick(("", "", "", "NEW ISSUE: [low] old", "TASK COMPLETE: 09", "")))
        rows.append(fate.pick(("", "", "", "", "", "", "", "CHECKPOINT: which port?")))
        said = {
            c.name: fate.pick((SAW, SAW, GUESSED, False)) for c in self.loop.criteria if not c.check
        }
        if said:
            rows.append(
                block(
                    said,
                    *fate.pick(((),) * 6 + (("BLOCKED: why",),)),
                    exit=fate.pick((False, True)),
                )
            )
        return "\n".join(row for row in rows if row)

    def turn(self, tasks: tuple[str, ...], session: str = "s1", **more: Any) -> TurnOver:
        fate = self.fate
        gaps = fate.pick(
            (None, None, None, None, (), (Gap("orphan", "src/x.py", "nobody imports it"),))
        )
        tools, dollars = fate.pick((1, 1, 1, 0)), fate.pick((0.1, 0.0, 0.4))
        return TurnOver(
            0.0,
            session,
            self.report(tasks),
            self.tree(),
            dollars=dollars,
            tool_calls=tools,
            reported_gaps=gaps,
            **more,
        )

    def person(self) -> Signal:
        """A word of a person, or of their client. Who drives and what comes next is not theirs to say while a runner works."""
        fate, loop = self.fate, self.loop
        if loop.status == "asking" and fate.pick((True, True, False)):
            return Answered(0.0, fate.pick(ANSWERS), loop.tree, fate.pick((True, False)))
        waiting = tuple(
            c.but(check=c.check.but(allowed=True))
            for c in loop.criteria
            if c.check and not c.check.allowed
        )
        more = {"iterations": fate.pick((0, 4)), "dollars": float(fate.pick((0, 2)))}
        words: list[Signal] = [
            Ordered(0.0, "continue", **more),
            Ordered(0.0, "continue", **more),
            Ordered(0.0, "allow", criteria=waiting),
            Ordered(0.0, "steer", reason="mind the docs"),
            Ordered(0.0, "pause"),
            Ordered(0.0, "cancel" if fate.pick((False, False, False, True)) else "pause"),
            ClientEvent(0.0, fate.pick(("prompt", "start", "end")), "s1", text="go on"),
            Claimed(0.0, Claims(exit=True)),
            TurnOver(0.0, "s9", "TASK COMPLETE: 01", "tree-9"),
        ]
        if not (
            loop.headless_run
            and (loop.check_round or loop.headless_run.turn_started_at or plan_of(loop).lanes)
        ):
            words += [
                Ordered(0.0, "execute"),
                Ordered(0.0, "verify", tree=f"tree-{self.trees}"),
                Ordered(0.0, "attach", session=fate.pick(("s1", "s2"))),
                Ordered(0.0, "detach"),
            ]
        said: Signal = fate.pick(words)
        return said


def session_story(loop: Loop, fate: Choices, alone: bool = False) -> Iterator[ToldMove]:
    """A session works on a plan. Alone: nobody says a word."""
    teller = Teller(loop, fate)
    while not (fate.used_up and not alone):
        if isinstance(teller.directive, RunCheck) and (alone or fate.pick((True,) * 11 + (False,))):
            yield teller.tell(teller.check())
        elif teller.loop.status == "running" and (alone or fate.pick((True,) * 9 + (False,))):
            holder = teller.loop.lease.holder
            yield teller.tell(
                teller.turn(
                    plan_of(teller.loop).assigned, holder if holder in ("s1", "s2") else "s1"
                )
            )
        elif alone:
            return
        else:
            yield teller.tell(teller.person())
        if teller.loop.status in ("finished", "cancelled") and fate.pick((False, True)):
            return


def runner_story(loop: Loop, fate: Choices) -> Iterator[ToldMove]:
    """A runner works on a plan, in place or in lanes; now and then it dies, or a person says a word."""
    teller = Teller(loop.but(lease=Lease()), fate)
    runner = RUNNER
    yield teller.tell(_runner_attached(fate, runner))
    while not fate.used_up:
        said, plan, run = teller.directive, plan_of(teller.loop), teller.loop.run
        begun = [lane.task for lane in plan.lanes]
        if isinstance(said, RunCheck):
            yield teller.tell(
                teller.check() if fate.pick((True,) * 11 + (False,)) else teller.person()
            )
        elif isinstance(said, MergeLane):
            problem = fate.pick(("", "", "", "main has moved"))
            yield teller.tell(
                LaneMerged(0.0, runner, said.task, said.commit, problem, teller.tree())
            )
        elif isinstance(said, Wait) and not begun:
            teller.now, teller.directive = max(teller.now, said.until), None
        elif not fate.pick((True,) * 11 + (False,)):
            runner = fate.pick((RUNNER, OTHER))
            for lane in (*begun, *([""] if run and run.turn_started_at else [])):
                yield teller.tell(_turn_over(teller, lane, runner, lost=True))
            yield teller.tell(_runner_attached(fate, runner))
        elif (begun and fate.pick((True, False))) or (run and run.turn_started_at):
            yield teller.tell(_turn_over(teller, fate.pick(begun) if begun else "", runner))
        elif teller.loop.status == "running" and fate.pick((True,) * 9 + (False,)):
            yield teller.tell(_turn_starting(teller, runner))
        else:
            yield teller.tell(teller.person())
        if teller.loop.status in ("finished", "cancelled") and fate.pick((False, True)):
            return


def _runner_attached(fate: Choices, runner: str) -> RunnerAttached:
    agents = fate.pick((("claude",), ("claude", "codex")))
    return RunnerAttached(
        0.0, runner, 7, agents, "c0ffee", fate.pick((3, 0, 2)), fate.pick((False, False, True))
    )


def _turn_starting(teller: Teller, runner: str) -> TurnStarting:
    plan, run = plan_of(teller.loop), teller.loop.headless_run
    most = teller.fate.pick((0.0, 0.0, 1.0))
    if not (run and run.lanes and plan.stage == "execute"):
        return TurnStarting(0.0, runner, most)
    task = next((task.id for task in ready_tasks(plan)), teller.fate.pick(plan.tasks).id)
    return TurnStarting(
        0.0, runner, most, TaskWorktree(task, f"lanes/{task}", f"loop/{task}", "c0ffee")
    )


def _turn_over(teller: Teller, lane: str, runner: str, lost: bool = False) -> TurnOver:
    fate, plan = teller.fate, plan_of(teller.loop)
    agent = teller.loop.run.agent if teller.loop.run else "claude"
    until = teller.now + 100.0 if fate.pick((False, True)) else 0.0
    cut, limited = (
        fate.pick(("", "", "", "it hung")),
        fate.pick((False,) * 7 + (True,)) and not lost,
    )
    told = RunnerReport(
        agent, cut_reason=cut, lost=lost, usage_limited=limited, limit_reset_at=until
    )
    tasks = (lane,) if lane else plan.assigned
    turn = teller.turn(
        tasks, runner, runner_report=told, api_failure=fate.pick(("",) * 9 + ("overloaded",))
    )
    problem = fate.pick(("",) * 7 + ("not its files",))
    done = lane and f"COMPLETE: {lane}" in turn.text and not problem
    return turn.but(
        problem=problem, lane_result=LaneResult(lane, "commit-1" if done else "") if lane else None
    )
