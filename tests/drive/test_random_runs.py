"""Two hundred nights with agents that behave at random under limits at random, played by real processes on real repositories.

At each commit the first fifteen of them are played; `make torture` plays all.
No run exceeds a cap, and every run ends with a reason that has a name.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.process import TurnTimeouts
from loopwright.cli import exits
from loopwright.core import events as ev
from loopwright.core.criteria import Check, Criterion
from loopwright.core.limits import Limits
from loopwright.core.loop import Clock, Loop, run_of
from loopwright.core.record import Record
from loopwright.core.runner.events import TurnStarted
from loopwright.drive.runner.observer import RunObserver
from loopwright.drive.runner.run import run
from loopwright.drive.runner.run_config import RunConfig
from loopwright.store import journal_moves
from loopwright.store.history import last_ended_loop
from loopwright.verify.process_groups import processes_with_variable
from loopwright.views import report
from loopwright.views.turn_history import turn_history
from tests.support.builders import block
from tests.support.project import Project
from tests.torture.size import size

RUNS = size(commit=15, long=200)
SEEN = {"met": True, "verification": "observation"}
DONE = block({"done": True, "docs read well": SEEN}, exit=True)

# A turn that the scripted agent plays, and the reasons to end that it may bring beside those that any turn may.
BEHAVIOURS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "honest": ({"write": {"done.txt": "x"}, "say": DONE, "dollars": 0.1}, {"proven", "reported"}),
    "liar": ({"say": DONE, "dollars": 0.1}, set()),
    "stuck": ({"run": ["true"], "say": block({"done": False}), "dollars": 0.1}, set()),
    "talker": ({"say": "I think about it.", "dollars": 0.1}, set()),
    "idle": ({}, set()),
    "expensive": ({"run": ["date +%N > noise.txt"], "say": "Look!", "dollars": 0.9}, set()),
    "failing API": ({"fail": "API Error: 529 overloaded"}, set()),
    "locked out": ({"fail": "invalid api key"}, {"trouble"}),
    "limited": ({"fail": "usage limit reached", "limit": 0.15}, set()),
    "hanging": ({"seconds": 60}, set()),
    "hanging in a tool": ({"write": {"half.txt": "x"}, "run": ["sleep 60"]}, set()),
    "slow": (
        {"seconds": 0.1, "run": ["date +%N > noise.txt"], "say": "At last.", "dollars": 0.1},
        set(),
    ),
    "silent exit": ({"exit": 0}, set()),
    "crashing": ({"run": ["true"], "exit": 3}, {"crash"}),
    "leaving a process": (
        {"run": ["sleep 60 > /dev/null 2>&1 &", "date +%N > noise.txt"], "say": "Gone."},
        set(),
    ),
    "asking": ({"say": block({}, "ASK: Which one?")}, {"question"}),
    "blocked": ({"say": block({}, "BLOCKED: no access")}, {"blocked"}),
    "same file": ({"write": {"again.txt": "x"}, "say": "Once more.", "dollars": 0.1}, set()),
    "same error": ({"run": ["echo boom; exit 3"], "say": "Hm.", "dollars": 0.1}, {"same-error"}),
    "stopped": ({"run": ["touch .loop/STOP"], "say": "Oh."}, {"person"}),
}
# What any turn may end in: the limits, and the streaks, since a turn of which a busy machine hears too late is cut off.
ANY = {"budget", "iterations", "clock", "limit", "stuck", "idle", "same-file"}


def limits_of(chance: random.Random) -> Limits:
    return Limits(
        iterations=chance.randint(1, 5),
        dollars=chance.choice((0.15, 1.0, 5.0)),
        minutes=chance.choice((0.003, 0.02, 1.0, 1.0)),
        wait=chance.choice((0.001, 0.01, 0.05)),
        stuck=chance.choice((3, 5)),
        same_error=chance.choice((1, 3)),
        same_file=chance.choice((1, 5, 5)),
        idle=chance.choice((1, 3)),
    )


def patience_of(chance: random.Random) -> TurnTimeouts:
    quiet = chance.choice((0.25, 0.4))
    return TurnTimeouts(
        start=quiet,
        idle=quiet,
        tool=quiet,
        turn=chance.choice((0.5, 2.0)),
        exit_grace=0.2,
        kill_grace=0.2,
    )


def loop_of(name: str, limits: Limits, chance: random.Random) -> Loop:
    done = Criterion("done", Check("test -e done.txt", timeout=10))
    told = (Criterion("docs read well"),) if chance.random() < 0.2 else ()
    now = time.time()
    return Loop(
        name,
        "make it done",
        criteria=(done, *told),
        limits=limits,
        clock=Clock(started_at=now, running_since=now),
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One repository with one commit; each run has a copy of it."""
    made = Project(tmp_path_factory.mktemp("template"), git=False)
    made.git("init", "-q", "-b", "main", "--template=")
    made.commit()
    return made.root


@pytest.mark.parametrize("seed", range(RUNS))
def test_no_run_exceeds_a_cap_and_every_run_ends_with_a_reason(
    template: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    names = chance.choices(sorted(BEHAVIOURS), k=chance.randint(1, 3)) + chance.choices(
        ("honest", "liar")
    )
    limits, most = limits_of(chance), chance.choice((0.0, 0.0, 0.3))
    here = Project(Path(shutil.copytree(template, tmp_path / "project")), git=False)
    here.create(loop_of(f"night-{seed}", limits, chance))
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [BEHAVIOURS[name][0] for name in names]}))

    run(
        here.folder,
        RunConfig(("script",), (str(script),), turn_dollars=most, timeouts=patience_of(chance)),
        RunObserver(),
    )

    loop = here.folder.read_loop() or last_ended_loop(here.folder)
    assert loop is not None
    allowed = ANY.union(*(BEHAVIOURS[name][1] for name in names))
    assert reason(loop) in allowed, f"{names}: {loop.status}, {loop.pause.why}"
    must_be_named(loop, here)
    must_stay_below(
        limits, most, here.folder.journal_path if loop.verdict is None else archived(here, loop)
    )
    must_be_written_down(loop, here)
    assert gone(f"LOOP_CHILD={loop.id}")


def reason(loop: Loop) -> str:
    """How it ended, in one word."""
    if loop.verdict:
        return "proven" if loop.verdict.proven else "reported"
    return "question" if loop.gate else loop.pause.cause


def must_be_named(loop: Loop, here: Project) -> None:
    code = exits.exit_code(loop)
    assert loop.status in ("finished", "paused", "asking")
    assert code in exits.MEANINGS
    assert code != exits.ERROR
    assert (code == exits.PROVEN) == (reason(loop) == "proven"), "a running loop is no end either"
    assert bool(loop.pause.why) == (loop.status == "paused")
    if loop.verdict:
        assert (here.root / "done.txt").exists()
        assert loop.verdict.proven == (len(loop.criteria) == 1)


def archived(here: Project, loop: Loop) -> str:
    return here.folder.path_of("history", loop.id, "journal.jsonl")


def must_stay_below(limits: Limits, most: float, path: str) -> None:
    """At every event of the journal; and what a turn may cost is written down before it starts."""
    for before, event, after in retold(path):
        run_now = run_of(after) if after.run else None
        assert after.spend.iterations <= limits.iterations
        assert not run_now or run_now.waited_seconds <= limits.wait * 60
        if isinstance(event, TurnStarted):
            assert 0 < event.reserved_dollars <= limits.dollars - before.spend.dollars
            assert event.reserved_dollars <= (most or limits.dollars)
            assert before.spend.seconds < limits.minutes * 60
            assert before.spend.iterations < limits.iterations
        if isinstance(event, ev.TurnEnded):
            assert after.spend.dollars < limits.dollars + event.dollars or not event.dollars
        last_one = after
    assert (run_of(last_one).turn_started_at, run_of(last_one).reserved_dollars) == (0.0, 0.0)
    assert last_one.limits == limits


def retold(path: str) -> Iterator[tuple[Loop, Record, Loop]]:
    """Each event with the loop before and after it."""
    (started,), *moves = journal_moves.events_by_move(path)
    assert isinstance(started, ev.LoopStarted)
    loop = started.loop
    for event in (event for events in moves for event in events):
        before, loop = loop, event.apply(loop)
        yield before, event, loop


def must_be_written_down(loop: Loop, here: Project) -> None:
    """One line a turn, a summary, and a report that says how it ended."""
    lines = (
        (here.root / ".loop/iterations.jsonl").read_text().splitlines()
        if run_of(loop).turns_started
        else []
    )
    assert len(lines) == run_of(loop).turns_started
    assert (
        f"**Iterations:** {loop.spend.iterations}/{loop.limits.iterations}"
        in (here.root / ".loop/summary.md").read_text()
    )
    path = (
        here.folder.journal_path
        if os.path.exists(here.folder.journal_path)
        else archived(here, loop)
    )
    history = turn_history(journal_moves.events_by_move(path))
    assert ("NOT DONE" in report.text(loop, history)) == (loop.verdict is None)


def gone(mark: str) -> bool:
    """Nothing that a run has started is there any more. A process that was killed may take a moment."""
    deadline = time.monotonic() + 20
    while processes_with_variable(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not processes_with_variable(mark)
