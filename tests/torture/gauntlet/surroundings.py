"""Where the loop lives and who else is there: missing programs, clocks, other sessions, persons; counters that an agent edits."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from loopwright.core.limits import Limits
from loopwright.core.loop import Lease
from tests.support.builders import a_loop, with_check
from tests.support.hook import OTHER, SESSION, event, stop_event, types
from tests.support.runner import CLAIM
from tests.torture.gauntlet.scenario import (
    PLACES,
    Scenario,
    Step,
    case,
    cli,
    done,
    edits,
    free,
    hold,
    put,
    works,
)

PATIENT = Limits(iterations=99, stuck=99, idle=99)
HONEST = (works, hold(CLAIM), done, free())
LOWER = {"iteration": 0, "cost": 0, "circuitBreaker": {"stuckCount": 0, "lastUnmet": ""}}
RAISE = {"maxIterations": 5000, "budget": 1e6, "minutes": 1e6, "session": OTHER, "fence": 99}


def only(*programs: str) -> Step:
    """From now on these programs alone are on the PATH."""

    def step(one: Scenario) -> None:
        (bin := one.beside / "bin").mkdir()
        for name in programs:
            (bin / name).symlink_to(str(shutil.which(name)))
        one.env["PATH"] = str(bin)

    return step


def creates_loop(*ago: float, **changes: Any) -> Step:
    """A loop that no flag of the command line could make; it began so many seconds ago, or is still to begin."""

    def step(one: Scenario) -> None:
        at, check = (
            time.time() - one.chance.choice(ago or [0]),
            with_check("done", "test -e done.txt"),
        )
        one.here.create(
            a_loop(
                **{
                    "criteria": (check,),
                    "lease": Lease(SESSION),
                    "started_at": at,
                    "running_since": at,
                    **changes,
                }
            )
        )

    return step


def below(one: Scenario) -> str:
    (path := one.here.root / one.chance.choice(PLACES) / one.chance.choice(PLACES)).mkdir(
        parents=True, exist_ok=True
    )
    return str(path)


def other_sessions(one: Scenario) -> None:
    before = one.seen
    one.judge(one.stops(CLAIM, False, OTHER).out == "", "wrong session", "it is told twice")
    one.judge(one.seen == before, "wrong session", f"it was counted: {before} → {one.seen}")
    for order in ("cancel", "continue --budget 99", "answer yes"):
        types(one.here, f"/loop:{order}", OTHER)
    for name in ("UserPromptSubmit", "SessionStart", "SessionEnd"):
        said = one.asks(event(name, one.here, OTHER, prompt="stop the loop", source="resume"))
        one.judge("unmet" not in said.out, "wrong session", said.out)


def at_once(*sessions: str, most: int) -> Step:
    def step(one: Scenario) -> None:
        with ThreadPoolExecutor(len(sessions)) as pool:
            said = [
                *pool.map(lambda session: one.asks(stop_event(one.here, "hm", session)), sessions)
            ]
        one.check_state()
        answered = sum(bool(answer.prompt) for answer in said)
        one.judge(1 <= answered <= most, "wrong session", f"{answered} held")
        # Hooks of one session at one moment are hooks of one event: the others repeat its answer.
        one.judge(1 <= one.seen[1] <= most, "state lost", f"{one.seen[1]} of {most} counted")

    return step


def tampers_counters(one: Scenario) -> None:
    for turn in range(3):
        one.here.edit_state(**LOWER, **dict(one.chance.sample(list(RAISE.items()), 3)))
        edits(one)
        one.stops("hm", turn < 2)
    one.judge(bool(one.here.events("TamperingSeen")), "injection", "nobody was told of the edits")


TABLE = {
    "no git in the project": case("proven", *HONEST, git=False),
    "no git on the PATH": case(
        "proven", works, only("sh", "test"), done, free(told="Install git"), lambda one: one.env.clear(), cli("continue"), free(),
    ),
    "subfolder": case("proven", hold(CLAIM, cwd=below), done, free(cwd=below)),
    "no jq": case("nothing → proven", only("sh", "test", "git"), Scenario.start, *HONEST),
    "other session": case("proven", works, free(session=OTHER, told="attach"), other_sessions, hold(CLAIM), done, other_sessions, free()),
    "many hooks at once": case("nothing → running", creates_loop(limits=PATIENT), at_once(*[SESSION] * 6, most=6)),
    "two sessions at once": case("nothing → running", creates_loop(lease=Lease()), at_once(SESSION, OTHER, most=1)),
    "clock set back": case("nothing → proven", creates_loop(-60, -1e5, -1e8), *HONEST),
    "clock set forward": case("nothing → proven", creates_loop(1e5, 1e8), *HONEST),
    "cancelled in a terminal": case("cancelled", works, cli("cancel"), free(), free()),
    "cancelled in the session": case("cancelled", works, lambda one: types(one.here, "/loop:cancel"), free()),
    "paused and resumed": case("proven", works, cli("pause"), free(), done, free(), cli("continue"), free()),
    "a stop file": case("paused: person", works, put("STOP", b""), free(told="STOP"), free()),
    "paused by hand": case("paused: person", works, lambda one: one.here.edit_state(status="paused"), free(told="by hand")),
    "taken over": case("running", works, lambda one: types(one.here, "/loop:attach --yes", OTHER), free(), hold(session=OTHER)),
    "a limit raised": case("proven", edits, free(), cli("continue", "--iterations", "9"), *HONEST, flags="--iterations 1"),
    "counters edited": case("paused: iterations", edits, hold(), tampers_counters, free(), flags="--iterations 4 --budget 1"),
}  # fmt: skip
