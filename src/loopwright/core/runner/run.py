"""What only a runner knows and does: money set aside before a turn, turns cut off, usage limits waited for, another agent."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..engine import advance_clock
from ..loop import ENDED, Loop
from ..prompts import phrases
from ..record import Record
from ..signals import Ask, Continue, Directive, RunnerAttached, Stop, TurnOver, TurnStarting, Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

RUNNER_PREFIX = "runner:"  # so begins the name of a runner in the lease
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = (
    10.0,
    900.0,
)  # seconds, doubled from one to the other, where nobody says when a fault passes


class RunnerReport(Record):
    """What the runner saw of a turn beyond what every driver sees."""

    agent: str
    session: str = ""  # the agent's own
    tokens: tuple[int, ...] = ()  # reported by that session so far, where it counts on
    cut_reason: str = ""  # why the turn was cut off
    lost: bool = False  # the runner died in it: it is begun again, and is no iteration
    denied_calls: tuple[str, ...] = ()  # tool calls that nobody was there to permit
    usage_limited: bool = False  # a usage limit
    limit_reset_at: float = 0.0  # and when it is reset; 0: nobody says
    answer_tail: str = ""  # the end of its answer, without secrets: for who comes next with a fresh context


class Run(Record):
    agents: tuple[str, ...]
    agent: str = ""  # who works now
    base_commit: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    strict: bool = False  # the first task that is out of retries pauses the loop
    turn_started_at: float = 0.0  # since then a turn is under way; 0: none
    reserved_dollars: float = 0.0  # dollars set aside for it
    turns_started: int = 0  # begun so far, those that were cut off or failed among them; each has its log
    session: str = ""
    tokens: tuple[int, ...] = ()
    answer_tail: str = ""
    cut_reason: str = ""
    denied_calls: tuple[str, ...] = ()
    blocked_by_denials: bool = False  # denied, and nothing has changed
    agent_limits: tuple[tuple[str, float], ...] = ()  # agents that cannot work, and until when
    consecutive_faults: int = 0  # turns in a row that met a limit or a passing fault
    waiting_until: float = 0.0  # waits until then
    waiting_since: float = 0.0  # since then
    waiting_reason: str = ""
    waited_seconds: float = 0.0  # seconds in all

    @staticmethod
    def is_runner(holder: str) -> bool:
        """Is the driver a runner?"""
        return holder.startswith(RUNNER_PREFIX)


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


def handle_runner_attached(draft: ev.Draft, signal: RunnerAttached) -> Directive:
    """A runner takes over. What the last driver left in the middle is finished first."""
    loop = draft.loop
    if loop.status in ENDED:
        return Stop(message=f"this loop has ended ({loop.status})")
    pending = loop.check_round
    draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    draft.record(RunnerStarted(signal.agents, signal.base_commit, signal.lanes, signal.strict))
    if loop.gate:
        return Ask(loop.gate.question, phrases.question_text(loop))
    if loop.status == "paused":
        return Stop(loop.why, phrases.pause_text(loop))
    if pending and not pending.lane_commit:  # its turn was over, its checks were not; a lane's are made in its own worktree
        again = pending.but(
            number=loop.rounds_started + 1, second_pass=False, ran=(), tree_now="", file_changing_checks=(), changed_files=""
        )
        from ..policies import spec

        return spec.start_check_round(draft, again, signal.at)
    run = run_of(draft.loop)
    if run.waiting_until > signal.at:
        return Wait(run.waiting_until, run.waiting_reason)
    return Continue("")


def handle_turn_starting(draft: ev.Draft, signal: TurnStarting) -> Directive:
    """A turn is about to start: with what prompt, and with how much money at most."""
    loop = draft.loop
    if loop.lease.holder != signal.session:
        return Stop("another driver", f"[LOOP] {loop.lease.holder or 'nobody'} drives this loop now.")
    if loop.gate:
        return Ask(loop.gate.question, phrases.question_text(loop))
    if loop.status != "running":
        return Stop(loop.why, phrases.pause_text(loop) if loop.status == "paused" else "")
    for name in phrases.RAISE_FLAGS:
        if why := breakers.BREAKERS[name](advance_clock(loop, signal.at, True)):  # what has passed since the last turn counts too
            return breakers.pause_loop(draft, name, why, signal.at)
    run = run_of(loop)
    agent = next((name for name in run.agents if available_at(run, name) <= signal.at), run.agents[0])
    if loop.plan:
        from ..policies.assigning import start_lane

        if signal.worktree:
            return start_lane(draft, signal, agent)
    from ..orders import next_prompt

    left, prompt = loop.limits.dollars - loop.spend.dollars, next_prompt(draft)
    draft.record(TurnStarted(signal.at, agent, min(left, signal.max_dollars or left)))
    return Continue(prompt)


def available_at(run: Run, agent: str) -> float:
    """When the agent can work again; 0: it can."""
    return dict(run.agent_limits).get(agent, 0.0)


def settle_turn_cost(draft: ev.Draft, turn: TurnOver) -> None:
    """Nobody asks how the turn went any more; what it cost is written down all the same."""
    draft.record(
        ev.TurnEnded(
            turn.at, draft.loop.tree, turn.dollars, unpriced=turn.unpriced, counts_as_iteration=False, head=draft.loop.head
        )
    )
    _record_report(draft, turn, moved=True)


def handle_runner_report(draft: ev.Draft, turn: TurnOver, before: Loop) -> Directive | None:
    """After a turn of a runner: None where it is judged like any other; else why not, and what follows."""
    told = turn.runner_report
    assert told is not None
    _record_report(draft, turn, moved=turn.tree != before.tree)
    if told.lost:
        return Continue("")
    if turn.api_failure and not told.usage_limited:
        from ..errors import TRANSIENT, classify_error

        if classify_error(turn.api_failure, from_api=True) != TRANSIENT:
            return None
    elif not told.usage_limited:
        return None
    return wait_or_switch_agent(draft, told, turn.api_failure or "its usage limit is reached", turn.at)


def _record_report(draft: ev.Draft, turn: TurnOver, moved: bool) -> None:
    assert turn.runner_report is not None
    failed = bool(turn.api_failure or turn.runner_report.usage_limited)
    helpless = (
        bool(turn.runner_report.denied_calls) and not moved and not draft.loop.plan
    )  # a task that was denied failed; its retries bound it
    draft.record(TurnReported(turn.runner_report, failed, blocked_by_denials=helpless))
    if turn.lane_result:
        from ..plan.events import LaneEnded

        draft.record(LaneEnded(turn.lane_result.task))


def wait_or_switch_agent(draft: ev.Draft, told: RunnerReport, why: str, at: float) -> Directive:
    """The agent cannot work: another one goes on, or all wait for the first that can."""
    run = run_of(draft.loop)
    known = told.limit_reset_at > at
    pause = (
        0.0
        if known and not run.consecutive_faults
        else min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(run.consecutive_faults, 10))
    )  # a reset that was none
    draft.record(AgentLimited(told.agent, max(told.limit_reset_at, at + pause), known))
    run, words = run_of(draft.loop), f"{told.agent}: {phrases.clip_text(' '.join(why.split()), 200)}"
    agent = min(run.agents, key=lambda name: max(available_at(run, name), at))
    until = available_at(run, agent)
    if until <= at:
        return Continue("", f"[LOOP] {words}. {agent} goes on.")
    seconds = until - at
    if run.waited_seconds + seconds > draft.loop.limits.wait * 60:
        more = f"{words}. It would take {seconds / 60:.0f} more minutes, over the {draft.loop.limits.wait:g} of limits.wait"
        return breakers.pause_loop(draft, "limit", more, at)
    draft.record(WaitStarted(at, until, words))
    return Wait(until, words, f"[LOOP] ⏳ {words}. Waiting {phrases.duration(seconds)}.")


def run_of(loop: Loop) -> Run:
    assert loop.run is not None, "BUG: no runner has come yet"
    return loop.run


def _apply_runner_started(loop: Loop, e: RunnerStarted) -> Loop:
    """Counters go on; the time in which nobody worked does not count."""
    known = loop.run or Run(e.agents, base_commit=e.base_commit)
    limits = tuple(pair for pair in known.agent_limits if pair[0] in e.agents)
    waits = known.waiting_until if set(e.agents) <= set(known.agents) else 0.0  # a new agent need not wait for the old
    known = known.but(
        agents=e.agents,
        lanes=e.lanes,
        strict=e.strict,
        agent_limits=limits,
        waiting_until=waits,
        turn_started_at=0.0,
        reserved_dollars=0.0,
    )
    return loop.but(run=known, running_since=0.0)


def with_wait_ended(run: Run, at: float) -> Run:
    """Somebody works again: how long nobody did is added up."""
    more = max(0.0, min(at, run.waiting_until) - run.waiting_since) if run.waiting_until else 0.0
    return run.but(waiting_until=0.0, waiting_since=0.0, waiting_reason="", waited_seconds=run.waited_seconds + more)


def _apply_turn_started(loop: Loop, e: TurnStarted) -> Loop:
    run = with_wait_ended(run_of(loop), e.at)
    if e.agent != run.agent:
        run = run.but(agent=e.agent, session="", tokens=())
    run = run.but(turn_started_at=e.at, reserved_dollars=e.reserved_dollars, turns_started=run.turns_started + 1)
    return advance_clock(loop, e.at, True).but(run=run, prompt_queued=False)


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
    return loop.but(run=run.but(session=told.session or run.session, tokens=told.tokens or run.tokens, consecutive_faults=faults))


def _apply_agent_limited(loop: Loop, e: AgentLimited) -> Loop:
    run = run_of(loop)
    limits = {**dict(run.agent_limits), e.agent: e.until}
    return loop.but(run=run.but(agent_limits=tuple(limits.items()), consecutive_faults=run.consecutive_faults + 1))


EVOLUTIONS: dict[str, Callable[[Loop, Any], Loop]] = {
    "RunnerStarted": _apply_runner_started,
    "TurnStarted": _apply_turn_started,
    "TurnReported": _apply_turn_reported,
    "AgentLimited": _apply_agent_limited,
    "WaitStarted": lambda loop, e: loop.but(
        run=run_of(loop).but(waiting_until=e.until, waiting_since=e.at, waiting_reason=e.why)
    ),
}


def evolve(loop: Loop, event: Record) -> Loop:
    """The loop after an event of its runner."""
    return EVOLUTIONS[type(event).__name__](loop, event)
