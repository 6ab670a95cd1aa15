"""Events of a runner, and what each changes."""

from __future__ import annotations

from ..clock import advance_clock
from ..event import Event
from ..loop import Loop, run_of
from .run import Run, with_wait_ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import RunnerReport
    from .sandbox import SandboxReport


EAGER, WAVES = "eager", "waves"


class RunnerStarted(Event):
    agents: tuple[str, ...]
    base_commit: str = ""
    lanes: int = 0
    strict: bool = False
    leave: float = 0.0
    branch: str = ""
    by_dependencies: bool = False
    order: str = ""  # of tasks: EAGER, WAVES, or "" for what the start said
    keeps_crashes: bool = False  # of the run that waits after a crash

    def apply(self, loop: Loop) -> Loop:
        """The counters of an earlier run continue. The time between the two runs does not count."""
        run = loop.run or Run(self.agents, base_commit=self.base_commit)
        has_new_agent = not set(self.agents) <= set(run.agents)
        run = run.but(
            agents=self.agents,
            sandbox=None,  # of this run; a probe follows if there is one
            lanes=self.lanes,
            strict=self.strict,
            leave=self.leave,
            branch=self.branch,
            paced_agents=run.paced_agents if self.leave else (),
            agent_limits=tuple(pair for pair in run.agent_limits if pair[0] in self.agents),
            crashes=run.crashes if self.keeps_crashes and run.waiting_until else (),
            turn_breaker="",
            turn_breaker_times=0,
            waiting_until=0.0 if has_new_agent else run.waiting_until,  # a new agent need not wait
            turn_started_at=0.0,
            reserved_dollars=0.0,
        )
        plan = loop.plan
        if plan:
            is_eager = self.order == EAGER or (plan.eager and self.order != WAVES)
            plan = plan.but(by_dependencies=self.by_dependencies, eager=is_eager)
        return loop.but(run=run, plan=plan, clock=loop.clock.but(running_since=0.0))


class SandboxProbed(Event):
    """A probe tried to leave the sandbox of this run's agents, or there is none."""

    at: float
    report: SandboxReport

    def apply(self, loop: Loop) -> Loop:
        """Held-out checks stay unread only if every turn so far was in a box that hides them."""
        run = run_of(loop)
        is_first = run.sandbox is None and not run.turns_started
        no_session_turns = loop.spend.iterations <= run.turns_started
        always = (is_first or run.always_hidden) and no_session_turns and self.report.hides_state
        return loop.but(run=run.but(sandbox=self.report, always_hidden=always))


class TurnStarted(Event):
    """A turn starts. Its reserve is recorded before any of it is spent."""

    at: float
    agent: str
    reserved_dollars: float

    def apply(self, loop: Loop) -> Loop:
        run = with_wait_ended(run_of(loop), self.at)
        if self.agent != run.agent:
            run = run.but(agent=self.agent, session="", tokens=())
        if run.sandbox is None:
            run = run.but(always_hidden=False)
        run = run.but(
            turn_started_at=self.at,
            reserved_dollars=self.reserved_dollars,
            turns_started=run.turns_started + 1,
        )
        loop = advance_clock(loop, self.at, running=True)
        return loop.but(run=run, dialogue=loop.dialogue.but(prompt_queued=False))


class TurnReported(Event):
    report: RunnerReport
    failed: bool = False
    blocked_by_denials: bool = False

    def apply(self, loop: Loop) -> Loop:
        run, report = run_of(loop), self.report
        if not report.breaker:
            run = run.but(turn_breaker="", turn_breaker_times=0)
        if not self.failed:
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
            blocked_by_denials=self.blocked_by_denials,
            consecutive_faults=run.consecutive_faults if self.failed else 0,
        )
        return loop.but(run=run)


class TurnBroken(Event):
    """A breaker inside the turn ended it."""

    breaker: str
    why: str
    files_changed: bool = False  # by the turn

    def apply(self, loop: Loop) -> Loop:
        run = run_of(loop)
        repeats = self.breaker == run.turn_breaker and not self.files_changed
        times = run.turn_breaker_times + 1 if repeats else 1
        return loop.but(run=run.but(turn_breaker=self.breaker, turn_breaker_times=times))


class AgentCrashed(Event):
    """The agent's process ended without a result. It is tried again then."""

    agent: str
    until: float
    why: str

    def apply(self, loop: Loop) -> Loop:
        run = run_of(loop)
        crashes = dict(run.crashes)
        crashes[self.agent] = crashes.get(self.agent, 0) + 1
        run = run.but(
            crashes=tuple(crashes.items()),
            agent_limits=tuple({**dict(run.agent_limits), self.agent: self.until}.items()),
            session="",  # a session that ended its process may do so again
            tokens=(),
        )
        return loop.but(run=run)


class AgentLimited(Event):
    agent: str
    until: float
    reset_known: bool  # the agent stated the time

    def apply(self, loop: Loop) -> Loop:
        run = run_of(loop)
        limits = {**dict(run.agent_limits), self.agent: self.until}
        run = run.but(
            agent_limits=tuple(limits.items()), consecutive_faults=run.consecutive_faults + 1
        )
        return loop.but(run=run)


class WindowReserved(Event):
    """An agent has used its window up to the share that the person leaves unused."""

    agent: str
    until: float
    used: float

    def apply(self, loop: Loop) -> Loop:
        run = run_of(loop)
        paced = {**dict(run.paced_agents), self.agent: self.until}
        return loop.but(run=run.but(paced_agents=tuple(paced.items())))


class WaitStarted(Event):
    at: float
    until: float
    why: str

    def apply(self, loop: Loop) -> Loop:
        run = run_of(loop)
        return loop.but(
            run=run.but(waiting_until=self.until, waiting_since=self.at, waiting_reason=self.why)
        )
