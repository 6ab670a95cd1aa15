"""Records journals of today's format with fixed times: python -m tests.golden.record NUMBER [STORY ...]

Run it once for a new format, or with the name of a new story.

What lies beside this file is never recorded again: old journals must replay for ever.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from loopwright.core import events as ev
from loopwright.core.criteria import Check, Claim, Criterion, Evidence
from loopwright.core.directives import RunCheck
from loopwright.core.discovery import backlog
from loopwright.core.discovery.backlog import DISCOVERY_LIMITS, Backlog
from loopwright.core.limits import Cursor, Price
from loopwright.core.loop import Clock, Gate, Lease, Loop, LoopSettings, Shape, Step, Workflow
from loopwright.core.plan.criteria import plan_criteria
from loopwright.core.plan.plan import (
    Link,
    MustHave,
    Plan,
    PlannedFile,
    Task,
    TaskCheck,
    plan_limits,
)
from loopwright.core.record import Record, digest
from loopwright.core.signals import (
    Answered,
    BacklogEdited,
    Checked,
    Claimed,
    Claims,
    ClientEvent,
    Committed,
    MirrorLost,
    Ordered,
    Signal,
    ToolOutcome,
    TurnOver,
)
from loopwright.store import journal
from loopwright.views import facts
from tests.support.builders import advance_past_hash

HERE = Path(__file__).parent
START = 1_800_000_000.0
A, B = "session-a", "session-b"


def block(criteria: dict[str, Any], *lines: str, exit: bool = False) -> str:
    rows = [f"EXIT_SIGNAL: {json.dumps(exit)}", f"CRITERIA: {json.dumps(criteria)}", *lines]
    return "\n".join(["---LOOP_STATUS---", *rows, "---END_STATUS---"])


def a_loop() -> Loop:
    return Loop(
        "20270115-080000-golden",
        'Fix all failing tests – "quoted", ünïcode 🎉\nand a second line',
        status="asking",
        criteria=(
            Criterion("tests pass", Check("pytest -q")),
            Criterion("lint clean", Check(("ruff", "check", "."), 60, "file", False)),
            Criterion("docs read well", planned="observation", detailed=True),
        ),
        must_not=(Criterion("vendor changed", Check("! git diff --quiet vendor")),),
        steps=(Step("look"), Step("mend")),
        shape=Shape("colleague", 7),
        workflow=Workflow("B", "name the root cause"),
        gate=Gate("G1", "Here are 2 steps. Proceed?"),
        settings=LoopSettings(
            prices=(Price("claude-opus-5-5", 4, 20, 0.2, 5),), extra_json='{"notes":"kept"}'
        ),
        clock=Clock(started_at=START),
    )


def turn(tree: str, text: str = "", **more: Any) -> TurnOver:
    return TurnOver(
        0.0,
        A,
        text,
        tree,
        42,
        tool_calls=1,
        dollars=0.25,
        cursors=(Cursor("t.jsonl", 100, "msg_1", 0.25),),
        **more,
    )


RUFF = Check(("ruff", "check", "."), 60, "file", False)
READ = {"met": True, "verification": "observation", "evidence": "read"}
DONE = {"tests pass": True, "docs read well": READ}
OBSERVED = Claims(
    (Claim("docs read well", True, "observation", "read them"),),
    steps=(Step("look", True, "seen"), Step("more")),
    step_zero_note="it was the lexer",
)
FEWER = (
    Criterion("tests pass", Check("pytest -q")),
    Criterion("docs read well", detailed=True),
    Criterion("lint clean", RUFF),
)
MORE = ("STEP_DONE: mend | done", "CONFIDENCE: 90%", "ALT: rewrite")
STORY: list[tuple[Signal, ...]] = [
    (ClientEvent(0.0, "start", B),),
    (ClientEvent(0.0, "prompt", A, 42, text="what is this?"),),
    (Answered(0.0, "yes, but mind the API"),),
    (
        turn(
            "t1",
            "Looking.",
            tool_outcomes=(ToolOutcome("Bash pytest", "Exit code 1"),),
            edits=(("a.py", 2),),
        ),
    ),
    (Claimed(0.0, OBSERVED),),
    (turn("t2", block({"tests pass": True, "nonsense": True}, *MORE, exit=True)),),
    (Answered(0.0, "go on"),),
    (TurnOver(0.0, B, "hello", "t2"),),
    (
        Claimed(
            0.0,
            Claims(),
            ("docs read well",),
            ("budget",),
            ("iteration",),
            '{"notes":"kept","more":1}',
        ),
    ),
    (MirrorLost(0.0, "unreadable", ".loop/aside/1-state.json"), turn("t3", "Working.")),
    (Ordered(0.0, "refused", by="agent", reason="cancel"),),
    (ClientEvent(0.0, "compact", A),),
    (ClientEvent(0.0, "end", A),),
    (Ordered(0.0, "criteria", criteria=FEWER),),
    (Ordered(0.0, "allow", criteria=(Criterion("lint clean", RUFF.but(allowed=True)),)),),
    (Ordered(0.0, "detach"),),
    (Ordered(0.0, "attach", session=A, pid=42),),
    (turn("t3", block({}, "ASK: which printer?")),),
    (Answered(0.0, "the big one"),),
    (Ordered(0.0, "pause", reason="back soon"),),
    (Ordered(0.0, "continue", dollars=25.0, iterations=5, minutes=60.0),),
    (ClientEvent(0.0, "prompt", A, 42, text="use the other printer"),),
    (turn("t3", "Editing.", edits=(("a.py", 6),)),),
    (Ordered(0.0, "continue"),),
    (TurnOver(0.0, A, "API Error: 529 overloaded", "t3", api_failure="overloaded: 529"),),
    (turn("t4", block(DONE, exit=True)),),
    (Checked(0.0, Evidence("tests pass", True), 999, 1, "t4"),),
    (Answered(0.0, "not yet, look again"),),
    (ClientEvent(0.0, "prompt", A, 42, text="and now proceed without confirmation"),),
    (turn("t5", block(DONE, "POINTS: 3", "RISK: none", exit=True)),),
]
CONFIRMED = (
    next(
        n
        for n, (signal, *_) in enumerate(STORY)
        if isinstance(signal, TurnOver) and signal.tree == "t4"
    )
    + 1
)


def a_discovery_loop() -> Loop:
    return Loop(
        "20270115-080000-improve",
        "polish the settings page",
        policy="discovery",
        criteria=(Criterion("tests pass", Check("pytest -q")),),
        backlog=Backlog(
            "ui",
            ("look left", "look right"),
            "what is missing",
            "small steps",
            "React",
            items=("the menu",),
        ),
        limits=DISCOVERY_LIMITS,
        lease=Lease(A, 42),
        clock=Clock(started_at=START, running_since=START),
    )


def cycle(done: str, found: str) -> str:
    return f"<cycle_complete>\ndone: {done}\nfound: {found}\n</cycle_complete>"


DISCOVERY: list[tuple[Signal, ...]] = [
    (
        turn("t1", cycle("none", "weak contrast; no empty state"), head="h1"),
    ),  # the guard is broken until t4
    (
        BacklogEdited(
            0.0,
            found=("fix menu (mobile)",),
            item_order=("fix menu (mobile)", "the menu"),
            focus="the menu",
            notes="- tokens.css",
        ),
    ),
    (
        BacklogEdited(
            0.0, dropped=("weak contrast",), new_note="ask Ada", tampered_fields=("max_iterations",)
        ),
    ),
    (turn("t4", cycle("the menu", "none"), head="h2"),),
    (turn("t4", cycle("fix menu (mobile); no empty state", "none"), head="h2"),),
    *[(turn("t4", "nothing", head="h2"),)] * 3,
]
TASKS = (
    Task(
        "01",
        "Create the rows",
        files=(PlannedFile("a.py", "create"),),
        checks=(TaskCheck("file", "a.py exists", path="a.py"),),
    ),
    Task(
        "02",
        "Create the page",
        files=(PlannedFile("b.py", "create"),),
        checks=(TaskCheck("file", "b.py exists", path="b.py"),),
    ),
    Task(
        "03",
        "Join them – ünïcode 🎉",
        2,
        ("01", "02"),
        (PlannedFile("a.py"),),
        "Import a in b.",
        done_when="the page has rows",
    ),
)
MUSTS = (MustHave("tests pass", "pytest -q"), MustHave("docs read well"))


def a_plan_loop() -> Loop:
    plan = Plan(
        "1",
        "CSV export",
        "PLAN.md",
        TASKS,
        MUSTS,
        (Link("b.py", "a.py", "imports it"),),
        assigned=("01", "02"),
    )
    return Loop(
        "20270115-080000-planned",
        "Phase 1: CSV export",
        policy="plan",
        plan=plan,
        criteria=plan_criteria(plan, {"lint": Check("ruff check .")}),
        limits=plan_limits(plan),
        gates_enabled=False,
        lease=Lease(A, 42),
        tree="t0",
        clock=Clock(started_at=START, running_since=START),
    )


PLANNED: list[tuple[Signal, ...]] = [
    (
        Ordered(
            0.0, "allow", criteria=(Criterion("tests pass", Check("pytest -q", origin="proposed")),)
        ),
    ),
    (
        turn("t1", "TASK COMPLETE: 01\nTASK COMPLETE: 02\nNEW ISSUE: [low] the readme is old"),
    ),  # 02 is refuted
    (Committed(0.0, "01", "abc123"),),
    (turn("t2", "TASK COMPLETE: 02"),),
    (
        turn(
            "t2",
            "TASK FAILED: 03: no such module\nProgress: half\nBlocker: csvx\nSuggested fix: import csv",
        ),
    ),
    (turn("t3", "TASK COMPLETE: 03"),),  # and the verification finds that the tests fail
    (turn("t31", "GAP FAILED: tests pass: they will not"),),
    (turn("t4", f"GAP CLOSED: tests pass\n{block({'docs read well': READ})}"),),
]
UNTIL = {
    "tests pass": "t4",
    "02.1 b.py exists": "t2",
}  # a check that fails, and the first tree that it passes on
STORIES = {
    "": (a_loop(), STORY),
    "-confirmed": (a_loop(), [*STORY[:CONFIRMED], (Answered(0.0, "yes", "t4"),)]),
    "-cancelled": (a_loop(), [*STORY[:8], (Ordered(0.0, "cancel", keep_mirror=False),)]),
    "-discovery": (a_discovery_loop(), DISCOVERY),
    "-plan": (a_plan_loop(), PLANNED),
}


def record_journal(loop: Loop, story: list[tuple[Signal, ...]]) -> tuple[list[bytes], Loop]:
    """Every line of the journal, and the loop at its end."""
    tail, now, lines = None, START, []

    def write(loop: Loop, events: tuple[Record, ...]) -> None:
        nonlocal tail
        data = journal.encode_move(
            tail, loop, events, f"mirror-{len(lines) + 1}", now, f"signal-{len(lines) + 1}"
        )
        lines.append(data)
        tail = journal.Tail(loop, len(lines), digest(data[:-1]), "", "", 0)

    write(loop, (ev.LoopStarted(loop),))
    for waiting in story:
        while True:
            now += 60.0
            move = advance_past_hash(loop, *(signal.but(at=now) for signal in waiting))
            loop = move.loop
            if move.events:
                write(loop, move.events)
            if not isinstance(wanted := move.directive, RunCheck):
                break
            fine = wanted.tree >= UNTIL.get(wanted.criterion, "")
            code = 0 if fine and wanted.criterion != "vendor changed" else 1
            found = Evidence(
                wanted.criterion,
                code == 0,
                tree=wanted.tree,
                seconds=1.5,
                at=now,
                code=code,
                detail="2 failed",
                failures=2,
            )
            waiting = (Checked(now, found, wanted.round, wanted.fence, wanted.tree),)
    return lines, loop


def main(number: str, *names: str) -> None:
    told: set[str] = set()
    for name in names or STORIES:
        lines, loop = record_journal(*STORIES[name])
        told |= {event["is"] for line in lines for event in json.loads(line)["events"]}
        (HERE / f"journal-{number}{name}.jsonl").write_bytes(b"".join(lines))
        text = json.dumps(facts.loop_facts(loop), indent=1, ensure_ascii=False)
        (HERE / f"journal-{number}{name}.facts.json").write_text(text + "\n", encoding="utf-8")
        print(f"{name or 'the whole story'}: {len(lines)} lines, {loop.status}")
    kinds = [
        kind for module in (ev, backlog) for kind in vars(module).values() if isinstance(kind, type)
    ]
    ours = {
        kind.__name__
        for kind in kinds
        if kind.__module__ in (ev.__name__, backlog.__name__) and issubclass(kind, Record)
    }
    missing = ours - told - {"Backlog"}
    print(f"kinds of event that are in none of them: {', '.join(sorted(missing)) or 'none'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
