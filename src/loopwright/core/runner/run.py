"""What only a runner knows and does: money set aside before a turn, turns cut off, usage limits waited for, another agent."""

from __future__ import annotations

from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

RUNNER_PREFIX = "runner:"  # so begins the name of a runner in the lease


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
    answer_tail: str = (
        ""  # the end of its answer, without secrets: for who comes next with a fresh context
    )


class Run(Record):
    agents: tuple[str, ...]
    agent: str = ""  # who works now
    base_commit: str = ""
    lanes: int = 0  # tasks of a plan side by side; 0: one after the other, in place
    strict: bool = False  # the first task that is out of retries pauses the loop
    turn_started_at: float = 0.0  # since then a turn is under way; 0: none
    reserved_dollars: float = 0.0  # dollars set aside for it
    turns_started: int = (
        0  # begun so far, those that were cut off or failed among them; each has its log
    )
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


def with_wait_ended(run: Run, at: float) -> Run:
    """Somebody works again: how long nobody did is added up."""
    more = max(0.0, min(at, run.waiting_until) - run.waiting_since) if run.waiting_until else 0.0
    return run.but(
        waiting_until=0.0,
        waiting_since=0.0,
        waiting_reason="",
        waited_seconds=run.waited_seconds + more,
    )
