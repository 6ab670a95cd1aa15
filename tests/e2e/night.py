"""What the stories of a night share: turns of the agent, and what the journal and the machine tell of them in the morning."""

from __future__ import annotations

import signal
from typing import Any

from tests.e2e.background import Background, living_processes
from tests.e2e.session_steps import DONE
from tests.e2e.turn import Turn, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED, World

FREELY = ("--permissions", "all")
PAUSING = "[LOOP] Pausing after this turn."
FRESH = "You work alone, without a person to ask, in a fresh context"


def fixes(world: World) -> list[Turn]:
    """A turn that does what is asked, and says so."""
    return [writes(world.path("greet.py"), FIXED), says(DONE)]


def interrupt(running: Background, times: int = 1) -> None:
    """Ctrl-C. The second is typed after the first was heard."""
    running.signal(signal.SIGINT)
    until(lambda: PAUSING in running.out, lambda: running.out)
    for _ in range(times - 1):
        running.signal(signal.SIGINT)


# --- what happened ---


def is_proven(world: World, iterations: int) -> bool:
    """Has it ended by our own proof, after so many iterations, each of them one turn that counted?"""
    ended = world.project.ended
    assert ended.verdict, f"it is {ended.status}"
    found = (
        ended.verdict.name,
        ended.verdict.proven,
        ended.spend.iterations,
        counted_turns(world).count(True),
    )
    return found == ("SHIP", True, iterations, iterations)


def counted_turns(world: World) -> list[bool]:
    """Turn by turn: was it an iteration?"""
    return [event["counts_as_iteration"] for event in world.project.events("TurnEnded")]


def dollars(world: World) -> list[float]:
    """Turn by turn: what it cost."""
    return [round(event.get("dollars", 0.0), 4) for event in world.project.events("TurnEnded")]


def runner_reports(world: World, what: str) -> list[Any]:
    """Turn by turn: what the runner saw of it (session, cut_reason, denied_calls, tokens); None where there was nothing."""
    return [event["report"].get(what) for event in world.project.events("TurnReported")]


def turn_starts(world: World, what: str = "agent") -> list[Any]:
    """Turn by turn: who began it, or the money that was set aside for it."""
    return [event[what] for event in world.project.events("TurnStarted")]


def wait_until_quiet(world: World) -> None:
    """Nothing that was started here runs any more, or it soon does not."""
    until(lambda: not living_processes(world.home), lambda: f"{living_processes(world.home)}")
