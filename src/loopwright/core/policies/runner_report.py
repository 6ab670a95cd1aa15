"""After a turn of a runner: record its report, and wait or switch the agent after a fault."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..directives import Continue, Directive, Wait
from ..draft import Draft
from ..loop import Loop, run_of
from ..prompts import order_replies, phrases
from ..runner.events import AgentLimited, TurnReported, WaitStarted, WindowReserved
from ..signals import TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..runner.run import Run, RunnerReport

# If the agent does not say when it can work again, the wait doubles from the first to the longest.
FIRST_WAIT_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 900.0


def available_at(run: Run, agent: str) -> float:
    """When the agent can work again; 0: now."""
    return dict(run.agent_limits).get(agent, 0.0)


def settle_turn_cost(draft: Draft, turn: TurnOver) -> None:
    """Record the cost of a turn whose result no longer matters."""
    draft.record(
        ev.TurnEnded(
            at=turn.at,
            tree=draft.loop.tree,
            dollars=turn.dollars,
            unpriced=turn.unpriced,
            counts_as_iteration=False,
            head=draft.loop.head,
        )
    )
    _record_report(draft, turn, tree_changed=True)


def handle_runner_report(draft: Draft, turn: TurnOver, before: Loop) -> Directive | None:
    """Record the report. None: the turn is judged as usual; else the directive that follows."""
    report = turn.runner_report
    assert report is not None
    _record_report(draft, turn, tree_changed=turn.tree != before.tree)
    if report.lost:
        return Continue("")
    if not report.usage_limited and not _is_transient(turn.api_failure):
        return None
    why = turn.api_failure or "its usage limit is reached"
    return wait_or_switch_agent(draft, report, why, turn.at)


def _is_transient(api_failure: str) -> bool:
    if not api_failure:
        return False
    from ..errors import TRANSIENT, classify_error

    return classify_error(api_failure, from_api=True) == TRANSIENT


def _record_report(draft: Draft, turn: TurnOver, tree_changed: bool) -> None:
    report = turn.runner_report
    assert report is not None
    failed = bool(turn.api_failure or report.usage_limited)
    # In a plan, a task that was denied its tools has failed, and its retries bound it.
    blocked = bool(report.denied_calls) and not tree_changed and not draft.loop.plan
    draft.record(TurnReported(report, failed, blocked_by_denials=blocked))
    leave = run_of(draft.loop).leave
    if leave and report.window_used >= 1 - leave and report.window_reset_at > turn.at:
        draft.record(WindowReserved(report.agent, report.window_reset_at, report.window_used))
    if turn.lane_result:
        from ..plan.events import LaneEnded

        draft.record(LaneEnded(turn.lane_result.task))


def wait_or_switch_agent(draft: Draft, report: RunnerReport, why: str, at: float) -> Directive:
    """The agent cannot work: continue with another one, or wait for the first that can."""
    reset_known = report.limit_reset_at > at
    available = max(report.limit_reset_at, at + _least_wait(run_of(draft.loop), reset_known))
    draft.record(AgentLimited(report.agent, available, reset_known))
    run = run_of(draft.loop)
    reason = f"{report.agent}: {phrases.clip_text(' '.join(why.split()), 200)}"
    agent = min(run.agents, key=lambda name: max(available_at(run, name), at))
    until = available_at(run, agent)
    if until <= at:
        return Continue("", order_replies.agent_switched_text(reason, agent))
    seconds, most_minutes = until - at, draft.loop.limits.wait
    if run.waited_seconds + seconds > most_minutes * 60:
        why = order_replies.wait_too_long_reason(reason, seconds, most_minutes)
        return breakers.pause_loop(draft, "limit", why, at)
    draft.record(WaitStarted(at, until, reason))
    return Wait(until, reason, order_replies.waiting_text(reason, seconds))


def wait_for_window(draft: Draft, at: float) -> Directive | None:
    """Wait for a new usage window if every agent has used its own up to the share that is left."""
    run = run_of(draft.loop)
    until = min(max(available_at(run, name), paced_until(run, name)) for name in run.agents)
    if until <= at or all(paced_until(run, name) <= at for name in run.agents):
        return None
    reason = order_replies.window_reserved_reason(run.leave)
    seconds, most_minutes = until - at, draft.loop.limits.wait
    if run.waited_seconds + seconds > most_minutes * 60:
        why = order_replies.wait_too_long_reason(reason, seconds, most_minutes)
        return breakers.pause_loop(draft, "limit", why, at)
    draft.record(WaitStarted(at, until, reason))
    return Wait(until, reason, order_replies.waiting_text(reason, seconds))


def paced_until(run: Run, agent: str) -> float:
    """When the usage window of the agent begins again, if it is used as far as it may; 0: now."""
    return dict(run.paced_agents).get(agent, 0.0)


def _least_wait(run: Run, reset_known: bool) -> float:
    """The seconds to wait at least. After a fault in a row, a stated reset time is not trusted."""
    if reset_known and not run.consecutive_faults:
        return 0.0
    doublings = min(run.consecutive_faults, 10)
    return min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**doublings)
