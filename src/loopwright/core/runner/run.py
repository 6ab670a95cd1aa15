"""The state of a runner: its turn, the reserved dollars, usage limits and waits."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .sandbox import SandboxReport

RUNNER_PREFIX = "runner:"  # the holder of a lease begins with it if it is a runner


class Attempt(Record):
    """One of several attempts at the same spec, and what is known about it."""

    number: int
    agent: str
    model: str
    outcome: str
    why: str = ""
    criteria: int = 0  # that are proven
    of_criteria: int = 0
    held_out: int = 0  # final checks that passed
    of_held_out: int = 0
    findings: int = 0
    found: tuple[str, ...] = ()  # the first of these findings, in words
    files: int = 0
    lines: int = 0  # added and removed
    dollars: float = 0.0
    unpriced: tuple[str, ...] = ()  # what of it has no known price
    seconds: float = 0.0
    commit: str = ""
    ref: str = ""  # keeps its work
    won: bool = False  # its work landed


class RunnerReport(Record):
    """What only a runner knows about a turn."""

    agent: str
    session: str = ""  # the agent's own
    tokens: tuple[int, ...] = ()  # that this session has reported so far, if it adds them up
    cut_reason: str = ""  # why the turn was cut off
    breaker: str = ""  # which breaker inside the turn ended it; see turn_watch.py
    crashed: bool = False  # its process ended without a result
    lost: bool = False  # the runner died in it: the turn is repeated and is not an iteration
    denied_calls: tuple[str, ...] = ()  # tool calls that were denied, as no person was there
    usage_limited: bool = False  # the agent has reached its usage limit
    limit_reset_at: float = 0.0  # when the limit is reset; 0: unknown
    answer_tail: str = ""  # the end of its answer, without secrets, for the next fresh context
    window_used: float = 0.0  # the used share of its usage window; 0: it does not say
    window_reset_at: float = 0.0  # when that window begins again
    attempts: tuple[Attempt, ...] = ()  # that this turn consisted of
    exit_code: int = 0  # of a process that crashed; negative: a signal


class Run(Record):
    """The state of the runner that drives the loop, or last drove it."""

    agents: tuple[str, ...]
    agent: str = ""  # the one that works now
    base_commit: str = ""
    lanes: int = 0  # how many tasks run in parallel; 0: in place, in sequence
    strict: bool = False  # the first task that has no retries left pauses the loop
    turn_started_at: float = 0.0  # of the turn under way; 0: none
    reserved_dollars: float = 0.0  # for that turn
    turns_started: int = 0  # including those that were cut off or failed; each has its log
    session: str = ""
    tokens: tuple[int, ...] = ()
    answer_tail: str = ""
    cut_reason: str = ""
    turn_breaker: str = ""  # the breaker that ended the last turn
    turn_breaker_times: int = 0  # turns in a row that it ended, without a changed file
    crashes: tuple[tuple[str, int], ...] = ()  # agents, and how often in a row their process died
    denied_calls: tuple[str, ...] = ()
    blocked_by_denials: bool = False  # calls were denied, and no file has changed
    agent_limits: tuple[tuple[str, float], ...] = ()  # agents, and until when they cannot work
    consecutive_faults: int = 0  # turns in a row that ended with a limit or a transient fault
    waiting_until: float = 0.0  # 0: the runner does not wait
    waiting_since: float = 0.0
    waiting_reason: str = ""
    waited_seconds: float = 0.0  # in total
    leave: float = 0.0  # the share of a usage window that stays unused
    branch: str = ""  # that was checked out when the run began
    # Agents whose window is used up to that share, and when the window begins again.
    paced_agents: tuple[tuple[str, float], ...] = ()
    attempts: tuple[Attempt, ...] = ()  # of the last turn that had several

    sandbox: SandboxReport | None = None  # of the last run, as its probe found it
    always_hidden: bool = False  # our state folder was out of reach in every turn

    @staticmethod
    def is_runner(holder: str) -> bool:
        """Is this holder of a lease a runner?"""
        return holder.startswith(RUNNER_PREFIX)


def with_wait_ended(run: Run, at: float) -> Run:
    """The run after a wait: its seconds are added to the total."""
    seconds = 0.0
    if run.waiting_until:
        seconds = max(0.0, min(at, run.waiting_until) - run.waiting_since)
    return run.but(
        waiting_until=0.0,
        waiting_since=0.0,
        waiting_reason="",
        waited_seconds=run.waited_seconds + seconds,
    )
