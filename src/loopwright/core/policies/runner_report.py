"""After a turn of a runner: record its report, and wait or switch the agent after a fault."""

from __future__ import annotations

from ..directives import Continue, Directive, Wait
from ..draft import Draft
from ..loop import Loop, run_of
from ..pausing import breakers
from ..prompts import order_replies, phrases
from ..runner.events import (
    AgentCrashed,
    AgentLimited,
    TurnBroken,
    TurnReported,
    WaitStarted,
    WindowReserved,
)
from ..signals import TurnOver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..runner.run import Run, RunnerReport

# If the agent does not say when it can work again, the wait doubles from the first to the longest.
FIRST_WAIT_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 900.0
FIRST_CRASH_WAIT_SECONDS = 10.0  # doubled at each further crash
REPORTS = (phrases.STATUS_OPEN, phrases.LOOP_COMPLETE, "TASK COMPLETE", "GAP CLOSED")
LAST_OWN_EXIT_CODE = 125  # a shell gives the higher ones for what cannot start or was killed


def available_at(run: Run, agent: str) -> float:
    """When the agent can work again; 0: now."""
    return dict(run.agent_limits).get(agent, 0.0)


def working_agents(loop: Loop) -> list[str]:
    """The agents whose process has not died too often in a row."""
    run = run_of(loop)
    crashes = dict(run.crashes)
    return [name for name in run.agents if crashes.get(name, 0) < loop.limits.crashes]


def judge_despite_exit_code(turn: TurnOver, before: Loop) -> TurnOver:
    """The turn; one that worked is judged like any other, whatever the exit code of its process.

    It has worked if it changed a file or reported in the words of the protocol. The code is told to
    the next turn. A process that could not start, or was killed, has crashed.
    """
    report = turn.runner_report
    assert report is not None
    if not report.crashed or not 0 < report.exit_code <= LAST_OWN_EXIT_CODE:
        return turn
    if _kind_of_failure(turn.api_failure) in ("blocking", "transient"):
        return turn
    changed_files = turn.tree != before.tree and not turn.lane_result  # a lane has its own tree
    if not changed_files and not any(words in turn.text for words in REPORTS):
        return turn
    report = report.but(crashed=False, cut_reason=turn.api_failure)
    return turn.but(api_failure="", runner_report=report)


def handle_runner_report(draft: Draft, turn: TurnOver, before: Loop) -> Directive | None:
    """Record the report. None: the turn is judged as usual; else the directive that follows."""
    report = turn.runner_report
    assert report is not None
    record_report(draft, turn, tree_changed=turn.tree != before.tree)
    if report.lost:
        return Continue("")
    if report.usage_limited or _kind_of_failure(turn.api_failure) == "transient":
        why = turn.api_failure or "its usage limit is reached"
        return wait_or_switch_agent(draft, report, why, turn.at)
    if report.crashed and _kind_of_failure(turn.api_failure) != "blocking":
        return retry_or_switch_agent(draft, report, turn.api_failure, turn.at)
    return None


def _kind_of_failure(api_failure: str) -> str:
    if not api_failure:
        return ""
    from ..pausing.errors import classify_error

    return classify_error(api_failure, from_api=True)


def record_report(draft: Draft, turn: TurnOver, tree_changed: bool) -> None:
    """Record what only the runner knows about the turn."""
    report = turn.runner_report
    assert report is not None
    failed = bool(turn.api_failure or report.usage_limited)
    # In a plan, a task that was denied its tools has failed, and its retries bound it.
    blocked = bool(report.denied_calls) and not tree_changed and not draft.loop.plan
    if draft.loop.plan and not turn.lane_result:
        _time_task(draft, turn.at)
    draft.record(TurnReported(report, failed, blocked_by_denials=blocked))
    leave = run_of(draft.loop).leave
    if leave and report.window_used >= 1 - leave and report.window_reset_at > turn.at:
        draft.record(WindowReserved(report.agent, report.window_reset_at, report.window_used))
    if report.breaker:
        draft.record(TurnBroken(report.breaker, report.cut_reason, tree_changed))
    if turn.lane_result:
        from ..plan.events import LaneEnded

        draft.record(LaneEnded(turn.lane_result.task, turn.at))


def _time_task(draft: Draft, at: float) -> None:
    """Note how long the turn of a task took: the schedule and the estimate learn from it."""
    from ..plan.events import TaskTimed

    plan, started = draft.loop.plan, run_of(draft.loop).turn_started_at
    if plan and plan.assigned and started and plan.stage == "execute":
        draft.record(TaskTimed(plan.assigned[0], round(max(0.1, at - started), 1)))


def wait_or_switch_agent(draft: Draft, report: RunnerReport, why: str, at: float) -> Directive:
    """The agent cannot work: continue with another one, or wait for the first that can."""
    reset_known = report.limit_reset_at > at
    available = max(report.limit_reset_at, at + _least_wait(run_of(draft.loop), reset_known))
    draft.record(AgentLimited(report.agent, available, reset_known))
    return _wait_or_continue(draft, f"{report.agent}: {_short_reason(why)}", at)


def retry_or_switch_agent(draft: Draft, report: RunnerReport, why: str, at: float) -> Directive:
    """The agent's process died: try again after a while, then with a fallback, then pause."""
    crashes = dict(run_of(draft.loop).crashes).get(report.agent, 0)
    wait = min(LONGEST_WAIT_SECONDS, FIRST_CRASH_WAIT_SECONDS * 2.0 ** min(crashes, 10))
    draft.record(AgentCrashed(report.agent, at + wait, why))
    most = draft.loop.limits.crashes
    reason = order_replies.crash_reason(_short_reason(why), crashes + 1, most)
    working = working_agents(draft.loop)
    if not working:
        return breakers.pause_loop(draft, "crash", reason, at)
    if report.agent in working:
        return _wait(draft, at + wait, reason, at)
    return _wait_or_continue(draft, reason, at)


def _short_reason(why: str) -> str:
    return phrases.clip_text(" ".join(why.split()), 200)


def _wait_or_continue(draft: Draft, reason: str, at: float) -> Directive:
    """Continue with the first agent that can work, or wait for it."""
    run = run_of(draft.loop)
    agents = working_agents(draft.loop) or run.agents
    agent = min(agents, key=lambda name: max(available_at(run, name), at))
    until = available_at(run, agent)
    if until <= at:
        return Continue("", order_replies.agent_switched_text(reason, agent))
    return _wait(draft, until, reason, at)


def _wait(draft: Draft, until: float, reason: str, at: float) -> Directive:
    """Wait, or pause if all waiting together would take too long."""
    seconds, most_minutes = until - at, draft.loop.limits.wait
    if run_of(draft.loop).waited_seconds + seconds > most_minutes * 60:
        why = order_replies.wait_too_long_reason(reason, seconds, most_minutes)
        return breakers.pause_loop(draft, "limit", why, at)
    draft.record(WaitStarted(at, until, reason))
    return Wait(until, reason)


def wait_for_window(draft: Draft, at: float) -> Directive | None:
    """Wait for a new usage window if every agent has used its own up to the share that is left."""
    run = run_of(draft.loop)
    until = min(max(available_at(run, name), paced_until(run, name)) for name in run.agents)
    if until <= at or all(paced_until(run, name) <= at for name in run.agents):
        return None
    return _wait(draft, until, order_replies.window_reserved_reason(run.leave), at)


def paced_until(run: Run, agent: str) -> float:
    """When the usage window of the agent begins again, if it is used as far as it may; 0: now."""
    return dict(run.paced_agents).get(agent, 0.0)


def _least_wait(run: Run, reset_known: bool) -> float:
    """The seconds to wait at least. After a fault in a row, a stated reset time is not trusted."""
    if reset_known and not run.consecutive_faults:
        return 0.0
    doublings = min(run.consecutive_faults, 10)
    return min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**doublings)
