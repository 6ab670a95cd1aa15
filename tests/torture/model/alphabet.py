"""All that can happen to a loop in a small world: two trees, three drivers, checks that answer as they like.

Everything happens at the same second, except where time is what happens: so two paths to one state are one state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from loopwright.core import directives
from loopwright.core import signals as sg
from loopwright.core.criteria import Check, Criterion
from loopwright.core.findings import HIGH, MEDIUM, Finding
from loopwright.core.limits import Limits
from loopwright.core.loop import Loop, Shape, plan_of
from loopwright.core.plan.plan import LaneResult, TaskWorktree
from loopwright.core.plan.schedule import ready_tasks
from loopwright.core.runner.run import RunnerReport
from tests.support import builders as b
from tests.support.night import RUNNER, a_free_loop
from tests.support.plan_stories import a_plan, a_plan_loop, a_task

NOW, LATE = b.START, b.START + 100_000  # the one second, and one past every clock
TREES = ("tree-a", "tree-b")
PENDING = (
    directives.RunCheck
    | directives.CompareWithBaseline
    | directives.HashTree
    | directives.MergeLane
)
SAW = {"met": True, "verification": "observation", "evidence": "seen"}
ASSUMED = {"met": True, "verification": "assumption"}
TINY = Limits(2, 2.0, 60, stuck=2, rethink=1, same_error=2, same_file=2, idle=2, dry=2, wait=1.0)
PLAIN = "a turn/all done/pause/continue/cancel/answer yes/answer no"
RUN = "a runner, 0 lanes/begins/lost/cut off/denied/dear/attach/detach"


class Letter(NamedTuple):
    """One letter: what happened, whether a person did it, and the tree of the world afterwards."""

    word: str
    signal: Any
    person: bool = False
    tree: str = ""


class World(NamedTuple):
    """A loop with next to no room, and what can happen there beside turns, claims, checks and plain orders."""

    loop: Loop
    words: str


def worlds(iterations: int) -> dict[str, World]:
    one: dict[str, Any] = {"limits": TINY.but(iterations=iterations), "tree": TREES[0]}
    two = (b.with_check("tests pass", guard=False), b.without_check("docs read well"))
    last = (Criterion("no leaks", Check("(held out)", origin="holdout")),)
    tasks, few = (
        (a_task("01"), a_task("02", 2, "01")),
        {"retries": iterations - 1, "max_fix_rounds": 1},
    )
    asked = b.a_loop(**one, criteria=two, shape=Shape("colleague", 7))
    improving = b.a_discovery_loop("an item", guards=("tests pass",), **one)
    planned, alone = (
        a_plan_loop(a_plan(*tasks[:iterations], **few), gates_enabled=True, **one),
        a_free_loop(**one),
    )
    return {
        "sessions": World(
            b.a_loop(**one),
            "claim/lost file/deleted/prompt/start/end/attach/detach/stranger/busy/refused/dies/late",
        ),
        "breakers": World(
            b.a_loop(**one), "talk/an error/thrashing/dear/slow/overloaded/a teapot/raise"
        ),
        "a colleague": World(
            asked,
            "a guess/a step/blocked/asks/answer mind the docs/answer proceed without confirmation",
        ),
        "must not": World(
            b.a_loop(**one, must_not=(b.with_check("no debug"),)), "claim/moves/misses"
        ),
        "looks back": World(
            b.a_loop(**one, tree_id="c0ffee", final_checks=last), "accept/moves/misses"
        ),
        "improving": World(
            improving.but(limits=TINY.but(iterations=iterations + 1, dry=1)),
            "page/talk/blocked/asks",
        ),
        "a plan": World(planned, "failed/execute/verify"),
        "a night": World(alone, RUN),
        "a night of limits": World(alone, "a runner, 0 lanes/begins/a usage limit/overloaded"),
        "a planned night": World(
            a_plan_loop(a_plan(tasks[0], **few), lease=alone.lease, **one),
            "a runner, 0 lanes/a runner, 1 lanes/begins/lost/cut off",
        ),
    }


def alphabet(
    world: World, loop: Loop, asked: directives.Directive, tree: str, raised: bool
) -> Iterator[Letter]:
    allowed = {*PLAIN.split("/"), *world.words.split("/")} - ({"raise"} if raised else set())
    unheard = [
        word
        for kind, word in (("moves", "and moves"), ("misses", "cannot"), ("late", ","))
        if kind not in allowed
    ]
    yield from (
        said for said in of_the_world(asked, tree) if not any(word in said.word for word in unheard)
    )
    for said in (
        *turns(loop, tree, loop.lease.holder or "s1"),
        *of_a_runner(loop, tree),
        *words(loop, tree),
    ):
        turn = isinstance(said.signal, sg.TurnOver | sg.TurnStarting)
        fits = not isinstance(asked, PENDING) and bool(loop.headless_run) == (
            getattr(said.signal, "session", "") == RUNNER
        )
        if said.word in allowed and (fits or not turn):
            yield said
        elif (
            said.word in allowed and "dies" in allowed
        ):  # our hook, in the middle of a check: a person begins the next turn
            yield said._replace(person=True)


def of_the_world(asked: directives.Directive, tree: str) -> Iterator[Letter]:
    other = TREES[tree == TREES[0]]
    if isinstance(asked, directives.RunCheck):
        name = asked.criterion
        fine = b.answer_to(asked, b.passed(name, tree), NOW)
        yield Letter(f"{name} passes", fine)
        yield Letter(f"{name} fails", b.answer_to(asked, b.failed(name, left=tree), NOW))
        yield Letter(
            f"{name} passes and moves",
            b.answer_to(asked, b.passed(name, other, "x.py"), NOW),
            tree=other,
        )
        yield Letter(
            f"{name} cannot be run",
            b.answer_to(asked, b.failed(name, left=tree, outcome="missing"), NOW),
        )
        yield Letter(f"{name} passes, too late", fine.but(round=fine.round - 1))
        yield Letter(f"{name} passes, under another lease", fine.but(fence=fine.fence - 1))
    elif isinstance(asked, directives.CompareWithBaseline):
        back = sg.BaselineComparison(NOW, asked.round, asked.fence, tree)
        yield Letter("nothing is found", back)
        yield Letter(
            "something grave is found", back.but(findings=(Finding(HIGH, "test-deleted", "t.py"),))
        )
        yield Letter(
            "a doubt is found", back.but(findings=(Finding(MEDIUM, "test renamed", "t.py"),))
        )
        yield Letter("files were written", back.but(raced_checks=("tests pass",)))
        yield Letter("the tree has moved", back.but(tree=other), tree=other)
    elif isinstance(asked, directives.HashTree):
        last = sg.TreeHashed(NOW, asked.round, asked.fence, tree)
        yield Letter("the files are hashed", last)
        yield Letter("the files are hashed and moves", last.but(tree=other), tree=other)
    elif isinstance(asked, directives.MergeLane):
        for problem in ("", "main has moved"):
            yield Letter(
                f"it lands {problem}",
                sg.LaneMerged(NOW, RUNNER, asked.task, asked.commit, problem, tree),
            )


def turns(loop: Loop, tree: str, session: str, **more: Any) -> Iterator[Letter]:
    """All that an agent can come up with, on the tree as it was or on another."""
    here = sg.TurnOver(NOW, session, "on it", tree, tool_calls=1, **more)
    done = b.block({c.name: SAW for c in loop.criteria}, exit=True)
    if loop.plan:
        done = "\n".join(
            [
                *(f"TASK COMPLETE: {name}" for name in plan_of(loop).assigned),
                "GAP CLOSED: src/01.py",
                done,
            ]
        )
    for turn in (here, here.but(tree=TREES[tree == TREES[0]])):
        yield Letter("a turn", turn, tree=turn.tree)
        yield Letter(
            "all done",
            turn.but(text=f"{b.cycle('an item')}\n{done}" if loop.backlog else done),
            tree=turn.tree,
        )
    lines = {"a step": "STEP_DONE: one", "blocked": "BLOCKED: no key", "asks": "ASK: which?"}
    yield from (Letter(word, here.but(text=b.block({}, line))) for word, line in lines.items())
    yield Letter(
        "a guess", here.but(text=b.block({c.name: ASSUMED for c in loop.criteria}, exit=True))
    )
    yield Letter("failed", here.but(text="TASK FAILED: 01: boom\nTASK FAILED: 02: boom"))
    facts: dict[str, dict[str, Any]] = {
        "talk": {"tool_calls": 0},
        "thrashing": {"edits": (("a.py", 9),)},
        "dear": {"dollars": 5.0},
        "slow": {"at": LATE},
    }
    facts |= {
        "overloaded": {"api_failure": "overloaded"},
        "a teapot": {"api_failure": "teapot"},
        "busy": {"busy": True},
    }
    facts |= {
        "an error": {"tool_outcomes": (sg.ToolOutcome("pytest", "boom"),)},
        "stranger": {"session": "s9", "text": done},
    }
    yield from (Letter(word, here.but(**fact)) for word, fact in facts.items())


def words(loop: Loop, tree: str) -> Iterator[Letter]:
    """Of the person, of their client, and of whoever edits our files."""
    yield Letter("claim", sg.Claimed(NOW, sg.Claims(exit=True)))
    yield Letter("page", sg.BacklogEdited(NOW, found=("a find",), done=("an item",)))
    yield Letter("lost file", sg.MirrorLost(NOW, "unreadable"))
    yield Letter("deleted", sg.MirrorLost(NOW, "deleted"), True)
    name = loop.criteria[0].name if loop.criteria else "none"
    yield Letter("dispute", sg.Claimed(NOW, sg.Claims(disputes=(f"{name}: wrong",))))
    for ruling in ("keep", "drop"):
        order = sg.Ordered(NOW, "rule", arguments=(name, ruling), tree=tree)
        yield Letter(f"rule {ruling}", order, True)
    for text in ("yes", "no", "keep", "mind the docs", "proceed without confirmation"):
        yield Letter(f"answer {text}", sg.Answered(NOW, text, tree, agent_informed=True), True)
    for word in ("pause", "continue", "cancel", "execute", "verify", "detach", "refused"):
        yield Letter(word, sg.Ordered(NOW, word, tree=tree), True)
    yield Letter("attach", sg.Ordered(NOW, "attach", session="s1", agent_informed=True), True)
    yield Letter(
        "accept",
        sg.Ordered(NOW, "accept", arguments=tuple(f.key for f in loop.baseline.findings)),
        True,
    )
    yield Letter(
        "raise",
        sg.Ordered(NOW, "continue", iterations=1, dollars=6.0, minutes=2_000.0, tree=tree),
        True,
    )
    for event in ("prompt", "start", "end"):
        yield Letter(event, sg.ClientEvent(NOW, event, "s1", text="hello", tree=tree), True)


def of_a_runner(loop: Loop, tree: str) -> Iterator[Letter]:
    """What its turns came to. That it comes again is a person's doing, and so is its death."""
    run, plan = loop.headless_run, loop.plan
    if not loop.lease.holder.startswith("s"):
        yield from (
            Letter(
                f"a runner, {n} lanes",
                sg.RunnerAttached(NOW, RUNNER, 7, ("claude",), "c0ffee", n),
                True,
            )
            for n in (0, 1)
        )
    if run and (run.turn_started_at or (plan and plan.lanes)):
        lane, told = (
            LaneResult(plan.lanes[0].task, "commit-1") if plan and plan.lanes else None,
            RunnerReport("claude", answer_tail="so"),
        )
        yield from turns(loop, tree, RUNNER, runner_report=told, lane_result=lane)
        over = sg.TurnOver(NOW, RUNNER, "", tree, tool_calls=1, lane_result=lane)
        yield Letter("lost", over.but(runner_report=told.but(lost=True)), True)
        yield Letter("cut off", over.but(runner_report=told.but(cut_reason="it hung")))
        yield Letter("denied", over.but(runner_report=told.but(denied_calls=("rm",))))
        yield Letter(
            "a usage limit",
            over.but(runner_report=told.but(usage_limited=True, limit_reset_at=NOW + 50.0)),
        )
    elif run:
        waits = (
            [task.id for task in ready_tasks(plan)]
            if plan and run.lanes and plan.stage == "execute"
            else []
        )
        place = TaskWorktree(waits[0], "lanes/x", "loop/x", "c0ffee") if waits else None
        yield Letter("begins", sg.TurnStarting(max(NOW, run.waiting_until), RUNNER, worktree=place))
