"""Events of a runner, and what each changes."""

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
    from .sandbox import SandboxReport


EAGER, WAVES = "eager", "waves"


class RunnerStarted(Record):
    agents: tuple[str, ...]
    base_commit: str = ""
    lanes: int = 0
    strict: bool = False
    leave: float = 0.0
    branch: str = ""
    by_dependencies: bool = False
    order: str = ""  # of tasks: EAGER, WAVES, or "" for what the start said
    keeps_crashes: bool = False  # of the run that waits after a crash


class SandboxProbed(Record):
    """A probe tried to leave the sandbox of this run's agents, or there is none."""

    at: float
    report: SandboxReport


class TurnStarted(Record):
    """A turn starts. Its reserve is recorded before any of it is spent."""

    at: float
    agent: str
    reserved_dollars: float


class TurnReported(Record):
    report: RunnerReport
    failed: bool = False
    blocked_by_denials: bool = False


class TurnBroken(Record):
    """A breaker inside the turn ended it."""

    breaker: str
    why: str
    files_changed: bool = False  # by the turn


class AgentCrashed(Record):
    """The agent's process ended without a result. It is tried again then."""

    agent: str
    until: float
    why: str


class AgentLimited(Record):
    agent: str
    until: float
    reset_known: bool  # the agent stated the time


class WindowReserved(Record):
    """An agent has used its window up to the share that the person leaves unused."""

    agent: str
    until: float
    used: float


class WaitStarted(Record):
    at: float
    until: float
    why: str


def _apply_runner_started(loop: Loop, e: RunnerStarted) -> Loop:
    """The counters of an earlier run continue. The time between the two runs does not count."""
    run = loop.run or Run(e.agents, base_commit=e.base_commit)
    has_new_agent = not set(e.agents) <= set(run.agents)
    run = run.but(
        agents=e.agents,
        sandbox=None,  # of this run; a probe follows if there is one
        lanes=e.lanes,
        strict=e.strict,
        leave=e.leave,
        branch=e.branch,
        paced_agents=run.paced_agents if e.leave else (),
        agent_limits=tuple(pair for pair in run.agent_limits if pair[0] in e.agents),
        crashes=run.crashes if e.keeps_crashes and run.waiting_until else (),
        turn_breaker="",
        turn_breaker_times=0,
        waiting_until=0.0 if has_new_agent else run.waiting_until,  # a new agent need not wait
        turn_started_at=0.0,
        reserved_dollars=0.0,
    )
    plan = loop.plan
    if plan:
        is_eager = e.order == EAGER or (plan.eager and e.order != WAVES)
        plan = plan.but(by_dependencies=e.by_dependencies, eager=is_eager)
    return loop.but(run=run, plan=plan, clock=loop.clock.but(running_since=0.0))


def _apply_sandbox_probed(loop: Loop, e: SandboxProbed) -> Loop:
    """Held-out checks stay unread only if every turn so far was in a box that hides them."""
    run = run_of(loop)
    is_first = run.sandbox is None and not run.turns_started
    no_session_turns = loop.spend.iterations <= run.turns_started
    always = (is_first or run.always_hidden) and no_session_turns and e.report.hides_state
    return loop.but(run=run.but(sandbox=e.report, always_hidden=always))


def _apply_turn_started(loop: Loop, e: TurnStarted) -> Loop:
    run = with_wait_ended(run_of(loop), e.at)
    if e.agent != run.agent:
        run = run.but(agent=e.agent, session="", tokens=())
    if run.sandbox is None:
        run = run.but(always_hidden=False)
    run = run.but(
        turn_started_at=e.at,
        reserved_dollars=e.reserved_dollars,
        turns_started=run.turns_started + 1,
    )
    loop = advance_clock(loop, e.at, running=True)
    return loop.but(run=run, dialogue=loop.dialogue.but(prompt_queued=False))


def _apply_turn_reported(loop: Loop, e: TurnReported) -> Loop:
    run, report = run_of(loop), e.report
    if not report.breaker:
        run = run.but(turn_breaker="", turn_breaker_times=0)
    if not e.failed:
        run = run.but(crashes=tuple(pair for pair in run.crashes if pair[0] != report.agent))
    run = run.but(
        turn_started_at=0.0,
        reserved_dollars=0.0,
        session=report.session or run.session,
        tokens=report.tokens or run.tokens,
        answer_tail=report.answer_tail or run.answer_tail,
        attempts=report.attempts or run.attempts,
        cut_reason=report.cut_reason,
        denied_calls=report.denied_calls,
        blocked_by_denials=e.blocked_by_denials,
        consecutive_faults=run.consecutive_faults if e.failed else 0,
    )
    return loop.but(run=run)


def _apply_turn_broken(loop: Loop, e: TurnBroken) -> Loop:
    run = run_of(loop)
    repeats = e.breaker == run.turn_breaker and not e.files_changed
    times = run.turn_breaker_times + 1 if repeats else 1
    return loop.but(run=run.but(turn_breaker=e.breaker, turn_breaker_times=times))


def _apply_agent_crashed(loop: Loop, e: AgentCrashed) -> Loop:
    run = run_of(loop)
    crashes = dict(run.crashes)
    crashes[e.agent] = crashes.get(e.agent, 0) + 1
    run = run.but(
        crashes=tuple(crashes.items()),
        agent_limits=tuple({**dict(run.agent_limits), e.agent: e.until}.items()),
        session="",  # a session that ended its process may do so again
        tokens=(),
    )
    return loop.but(run=run)


def _apply_agent_limited(loop: Loop, e: AgentLimited) -> Loop:
    run = run_of(loop)
    limits = {**dict(run.agent_limits), e.agent: e.until}
    run = run.but(agent_limits=tuple(limits.items()), consecutive_faults=run.consecutive_faults + 1)
    return loop.but(run=run)


def _apply_window_reserved(loop: Loop, e: WindowReserved) -> Loop:
    run = run_of(loop)
    paced = {**dict(run.paced_agents), e.agent: e.until}
    return loop.but(run=run.but(paced_agents=tuple(paced.items())))


def _apply_wait_started(loop: Loop, e: WaitStarted) -> Loop:
    run = run_of(loop)
    return loop.but(run=run.but(waiting_until=e.until, waiting_since=e.at, waiting_reason=e.why))


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "RunnerStarted": _apply_runner_started,
    "SandboxProbed": _apply_sandbox_probed,
    "TurnStarted": _apply_turn_started,
    "TurnReported": _apply_turn_reported,
    "TurnBroken": _apply_turn_broken,
    "AgentCrashed": _apply_agent_crashed,
    "AgentLimited": _apply_agent_limited,
    "WindowReserved": _apply_window_reserved,
    "WaitStarted": _apply_wait_started,
}
