"""A machine with loops of every kind, for the browser tests and the pictures in the documents."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.directives import Directive, RunCheck
from loopwright.core.engine import advance
from loopwright.core.limits import Limits
from loopwright.core.loop import Clock, Gate, Lease, Loop, LoopSettings, Shape, Spend, run_of
from loopwright.core.plan.plan import Lane, Plan, Task, TaskFailure
from loopwright.core.proof.state import Baseline
from loopwright.core.runner.run import Run, RunnerReport
from loopwright.core.signals import Checked, Ordered, RunnerAttached, TurnOver, TurnStarting
from loopwright.store.create import create_loop
from loopwright.store.folder import LoopFolder
from loopwright.store.runner_lock import RunnerLock
from tests.support.hook import block
from tests.support.project import Project

RUNNER = "runner:7"
OUTPUT = """============================= test session starts ==============================
collected 42 items

tests/test_export.py {dots}

=================================== FAILURES ===================================
_____________________________ test_{name} ______________________________
    def test_{name}():
>       assert export(ORDERS).splitlines()[0] == "id;name;total"
E       AssertionError: assert 'id,name,total' == 'id;name;total'
=========================== short test summary info ============================
FAILED tests/test_export.py::test_{name}
{failures} failed, {passed} passed in 0.42s
"""


class PlayedLoop:
    """A loop in a folder of its own, and turns that are played into its journal."""

    def __init__(self, root: Path, loop: Loop) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.folder = LoopFolder(str(root))
        create_loop(self.folder, loop)
        self.now = loop.clock.started_at
        if loop.lease.holder == RUNNER:
            self.hold_runner_lock()

    def tell(self, signal: Any, seconds: float = 1.0) -> Directive:
        self.now += seconds
        with self.folder.locked() as book:
            told = signal.but(at=self.now)
            move = advance(book.loop, told)
            book.commit(move, told)
            self.loop = move.loop
        return move.directive

    def hold_runner_lock(self) -> None:
        """As a runner that lives, until this process ends."""
        self.lock = RunnerLock(self.folder)
        self.lock.__enter__()

    def attach_runner(self, agent: str = "claude") -> None:
        self.hold_runner_lock()
        self.tell(
            RunnerAttached(
                at=0.0, session=RUNNER, pid=os.getpid(), agents=(agent,), base_commit="c0ffee"
            )
        )

    def turn(
        self,
        failures: Sequence[int],
        text: str = "",
        tree: str = "",
        dollars: float = 0.1,
        kept_commit: str = "",
    ) -> Directive:
        """One turn; each check that runs then reports so many failures, in the order of criteria."""
        self.tell(TurnStarting(0.0, RUNNER, 0.0))
        report = RunnerReport("claude", answer_tail=text)
        number = self.loop.spend.iterations + 1
        over = TurnOver(
            at=0.0,
            session=RUNNER,
            text=text,
            tree=tree or f"tree-{number}",
            tool_calls=3,
            dollars=dollars,
            kept_commit=kept_commit,
            runner_report=report,
        )
        directive = self.tell(over, 140.0)
        counts = dict(zip((c.name for c in self.loop.criteria), failures, strict=False))
        while isinstance(directive, RunCheck):
            directive = self.tell(self._result(directive, counts.get(directive.criterion, 0)), 3.0)
        return directive

    def _result(self, wanted: RunCheck, failures: int) -> Checked:
        output = "42 passed in 0.40s\n"
        if failures:
            output = OUTPUT.format(
                dots="." * 20 + "F" * failures,
                name=f"header_{failures}",
                failures=failures,
                passed=42 - failures,
            )
        name = re.sub(r"\W+", "-", wanted.criterion)[:40]
        log = f"evidence/{int(self.now)}-{name}.log"
        path = Path(self.folder.path_of(log))
        path.parent.mkdir(exist_ok=True)
        path.write_text(output, encoding="utf-8")
        evidence = Evidence(
            wanted.criterion,
            not failures,
            detail=output,
            tree=wanted.tree,
            seconds=0.4,
            at=self.now,
            code=1 if failures else 0,
            log=log,
            failures=failures,
        )
        return Checked(self.now, evidence, wanted.round, wanted.fence, wanted.tree, "")

    def log_turn(self, text: str) -> None:
        number = run_of(self.loop).turns_started
        path = Path(self.folder.path_of("logs", f"{number:04d}-command.log"))
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def a_spec(loop_id: str, spec: str, *checks: tuple[str, str], **changes: Any) -> Loop:
    usual: dict[str, Any] = {
        "id": loop_id,
        "spec": spec,
        "criteria": tuple(Criterion(name, check=Check(command)) for name, command in checks),
        "tree": "tree-0",
        "clock": Clock(started_at=time.time() - 3600, running_since=time.time() - 3600),
        "limits": Limits(iterations=20, dollars=10.0),
        "gates_enabled": False,
        "baseline": Baseline(),
        "settings": LoopSettings(),
    }
    return Loop(**{**usual, **changes})


def play_working(root: Path) -> PlayedLoop:
    """A runner works: the failures become fewer from turn to turn."""
    loop = a_spec(
        "20261116-090000-a1b2c3",
        "Make the CSV export use semicolons, keep the old format behind --legacy, and leave the "
        "public API as it is",
        ("tests pass", "pytest -q"),
        ("types hold", "mypy src"),
        ("style clean", "ruff check ."),
    )
    played = PlayedLoop(root, loop)
    played.attach_runner()
    story = (
        ((12, 3, 1), "I read the exporter and wrote the new header.", 0.31),
        ((12, 3, 0), block({"tests pass": True, "types hold": True}, exit=True), 0.22),
        ((7, 1, 0), "The claim was too early: the quoting was wrong. Fixed the writer.", 0.44),
        ((7, 0, 0), "Typed the writer. Tests next.", 0.27),
        ((3, 0, 0), "Three tests of the legacy format are left.", 0.38),
        ((1, 0, 0), "One left: the header of an empty export.", 0.29),
    )
    for failures, text, dollars in story:
        played.turn(failures, text, dollars=dollars)
    played.tell(TurnStarting(0.0, RUNNER, 0.0))
    played.log_turn(
        "Reading src/export.py\n→ Bash pytest -q tests/test_export.py\n"
        "1 failed, 41 passed\nThe empty export writes no header. I add it in write_rows().\n"
    )
    return played


def play_asking(root: Path) -> PlayedLoop:
    question = (
        "Step finished: the database migration is written. "
        "It drops the column `legacy_total`. Continue with step 3, the rollout?"
    )
    loop = a_spec(
        "20261116-091500-d4e5f6",
        "Move the order totals into their own table without downtime",
        ("tests pass", "pytest -q"),
        ("migration reversible", "make migrate-check"),
        status="asking",
        gate=Gate("G2", question),
        shape=Shape("colleague", 7),
        gates_enabled=True,
        lease=Lease("session-1"),
        spend=Spend(iterations=3, dollars=1.62, seconds=1300),
        clock=Clock(started_at=time.time() - 5200),
    )
    return PlayedLoop(root, loop)


def play_paused(root: Path) -> PlayedLoop:
    loop = a_spec(
        "20261115-231000-0badc0",
        "Speed up the search index build to under ten seconds",
        ("build under 10 s", "python bench.py --below 10"),
        limits=Limits(iterations=12, dollars=10.0),
        clock=Clock(started_at=time.time() - 40_000, running_since=time.time() - 40_000),
    )
    played = PlayedLoop(root, loop)
    played.attach_runner()
    for number in range(3):
        played.turn((1,), f"Attempt {number + 1}", dollars=0.9)
    played.tell(Ordered(0.0, "pause", reason="no progress for five iterations on the build time"))
    return played


def play_plan(root: Path) -> PlayedLoop:
    names = (
        ("01", "Data model for invoices", 1, ()),
        ("02", "Number ranges per year", 1, ()),
        ("03", "PDF template", 1, ()),
        ("04", "Invoice service", 2, ("01", "02")),
        ("05", "Render invoices", 2, ("03", "01")),
        ("06", "Send by mail", 3, ("05", "04")),
        ("07", "Admin page", 3, ("04",)),
        ("08", "End-to-end test", 4, ("06", "07")),
    )
    plan = Plan(
        phase="2",
        title="Invoices",
        tasks=tuple(Task(n, title=t, wave=w, depends=d) for n, t, w, d in names),
        done=("01", "02", "03"),
        lanes=(Lane("04", time.time(), "claude", 1.0, 4), Lane("05", time.time(), "codex", 1.0, 5)),
        failures=(TaskFailure("05", 1, "the font is missing"),),
    )
    loop = a_spec(
        "20261116-083000-77aa11",
        "Invoices: number, render and send them",
        ("tests pass", "pytest -q"),
        ("build works", "make build"),
        policy="plan",
        plan=plan,
        run=Run(("claude", "codex"), agent="claude", lanes=2),
        lease=Lease(RUNNER),
        spend=Spend(iterations=5, dollars=3.4, seconds=2500),
        limits=Limits(iterations=53, dollars=25.0),
    )
    return PlayedLoop(root, loop)


def play_machine(folder: Path, demos: bool = True) -> dict[str, PlayedLoop]:
    """Loops that work, ask, are paused, follow a plan; and, with `demos`, two that have ended."""
    if demos:
        for kind in ("spec", "discovery"):
            Project(folder / "here").run("demo", kind, "--folder", str(folder / f"shop-{kind}"))
    return {
        "paused": play_paused(folder / "search"),
        "plan": play_plan(folder / "billing"),
        "asking": play_asking(folder / "orders"),
        "working": play_working(folder / "exporter"),
    }
