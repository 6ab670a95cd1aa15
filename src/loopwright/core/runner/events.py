"""What happens under a runner: its events, and what each changes."""

from __future__ import annotations

from ..clock import advance_clock
from ..loop import Loop, run_of
from ..record import Record
from .run import Run, with_wait_ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .run import RunnerReport


class RunnerStarted(Record):
    agents: tuple[str, ...]
    base_commit: str = ""
    lanes: int = 0
    strict: bool = False


class TurnStarted(Record):
    """The reserve is written down before a cent of it is spent."""

    at: float
    agent: str
    reserved_dollars: float


class TurnReported(Record):
    report: RunnerReport
    failed: bool = False
    blocked_by_denials: bool = False


class AgentLimited(Record):
    agent: str
    until: float
    reset_known: bool  # the agent said until when


class WaitStarted(Record):
    at: float
    until: float
    why: str


def _apply_runner_started(loop: Loop, e: RunnerStarted) -> Loop:
    """Counters go on; the time in which nobody worked does not count."""
    known = loop.run or Run(e.agents, base_commit=e.base_commit)
    limits = tuple(pair for pair in known.agent_limits if pair[0] in e.agents)
    waits = (
        known.waiting_until if set(e.agents) <= set(known.agents) else 0.0
    )  # a new agent need not wait for the old
    known = known.but(
        agents=e.agents,
        lanes=e.lanes,
        strict=e.strict,
        agent_limits=limits,
        waiting_until=waits,
        turn_started_at=0.0,
        reserved_dollars=0.0,
    )
    return loop.but(run=known, clock=loop.clock.but(running_since=0.0))


def _apply_turn_started(loop: Loop, e: TurnStarted) -> Loop:
    run = with_wait_ended(run_of(loop), e.at)
    if e.agent != run.agent:
        run = run.but(agent=e.agent, session="", tokens=())
    run = run.but(
        turn_started_at=e.at,
        reserved_dollars=e.reserved_dollars,
        turns_started=run.turns_started + 1,
    )
    loop = advance_clock(loop, e.at, running=True)
    return loop.but(run=run, dialogue=loop.dialogue.but(prompt_queued=False))


def _apply_turn_reported(loop: Loop, e: TurnReported) -> Loop:
    run, told = run_of(loop), e.report
    run = run.but(
        turn_started_at=0.0,
        reserved_dollars=0.0,
        answer_tail=told.answer_tail or run.answer_tail,
        cut_reason=told.cut_reason,
        denied_calls=told.denied_calls,
        blocked_by_denials=e.blocked_by_denials,
    )
    faults = run.consecutive_faults if e.failed else 0
    return loop.but(
        run=run.but(
            session=told.session or run.session,
            tokens=told.tokens or run.tokens,
            consecutive_faults=faults,
        )
    )


def _apply_agent_limited(loop: Loop, e: AgentLimited) -> Loop:
    run = run_of(loop)
    limits = {**dict(run.agent_limits), e.agent: e.until}
    return loop.but(
        run=run.but(
            agent_limits=tuple(limits.items()), consecutive_faults=run.consecutive_faults + 1
        )
    )


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "RunnerStarted": _apply_runner_started,
    "TurnStarted": _apply_turn_started,
    "TurnReported": _apply_turn_reported,
    "AgentLimited": _apply_agent_limited,
    "WaitStarted": lambda loop, e: loop.but(
        run=run_of(loop).but(waiting_until=e.until, waiting_since=e.at, waiting_reason=e.why)
    ),
}


def evolve_run(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its runner."""
    return EVOLUTIONS[type(event).__name__](loop, event)
