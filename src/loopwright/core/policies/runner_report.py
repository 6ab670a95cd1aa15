"""After a turn of a runner: its report is recorded; a usage limit or a passing fault becomes a wait or another agent."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import Continue, Directive, Wait
from ..draft import Draft
from ..loop import Loop, run_of
from ..prompts import phrases
from ..runner.events import AgentLimited, TurnReported, WaitStarted
from ..signals import TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..runner.run import Run, RunnerReport

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = (
    10.0,
    900.0,
)  # seconds, doubled from one to the other, where nobody says when a fault passes


def available_at(run: Run, agent: str) -> float:
    """When the agent can work again; 0: it can."""
    return dict(run.agent_limits).get(agent, 0.0)


def settle_turn_cost(draft: Draft, turn: TurnOver) -> None:
    """Nobody asks how the turn went any more; what it cost is written down all the same."""
    draft.record(
        ev.TurnEnded(
            turn.at,
            draft.loop.tree,
            turn.dollars,
            unpriced=turn.unpriced,
            counts_as_iteration=False,
            head=draft.loop.head,
        )
    )
    _record_report(draft, turn, moved=True)


def handle_runner_report(draft: Draft, turn: TurnOver, before: Loop) -> Directive | None:
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
    return wait_or_switch_agent(
        draft, told, turn.api_failure or "its usage limit is reached", turn.at
    )


def _record_report(draft: Draft, turn: TurnOver, moved: bool) -> None:
    assert turn.runner_report is not None
    failed = bool(turn.api_failure or turn.runner_report.usage_limited)
    helpless = (
        bool(turn.runner_report.denied_calls) and not moved and not draft.loop.plan
    )  # a task that was denied failed; its retries bound it
    draft.record(TurnReported(turn.runner_report, failed, blocked_by_denials=helpless))
    if turn.lane_result:
        from ..plan.events import LaneEnded

        draft.record(LaneEnded(turn.lane_result.task))


def wait_or_switch_agent(draft: Draft, told: RunnerReport, why: str, at: float) -> Directive:
    """The agent cannot work: another one goes on, or all wait for the first that can."""
    run = run_of(draft.loop)
    known = told.limit_reset_at > at
    pause = (
        0.0
        if known and not run.consecutive_faults
        else min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(run.consecutive_faults, 10))
    )  # a reset that was none
    draft.record(AgentLimited(told.agent, max(told.limit_reset_at, at + pause), known))
    run, words = (
        run_of(draft.loop),
        f"{told.agent}: {phrases.clip_text(' '.join(why.split()), 200)}",
    )
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
