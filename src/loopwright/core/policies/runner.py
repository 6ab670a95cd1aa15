"""A runner attaches to the loop and starts turns: the prompt, and the dollars at most."""

from __future__ import annotations

from .. import events as ev
from ..clock import advance_clock
from ..directives import Ask, Continue, Directive, Stop, Wait
from ..draft import Draft
from ..limits import turn_dollars
from ..loop import run_of
from ..pausing import breakers
from ..prompts import messages, order_replies, questions
from ..runner.events import RunnerStarted, SandboxProbed, TurnStarted
from ..signals import RunnerAttached, TurnStarting
from ..status import ENDED
from . import check_rounds
from .next_prompt import next_prompt
from .permission import ask_for_permission
from .runner_report import available_at, paced_until, wait_for_window, working_agents


def handle_runner_attached(draft: Draft, signal: RunnerAttached) -> Directive:
    """A runner takes over. It first finishes the round of checks that the last driver left."""
    loop = draft.loop
    if loop.status in ENDED:
        return Stop(message=order_replies.ended_text(loop.status))
    unfinished = loop.round_to_finish
    draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    draft.record(
        RunnerStarted(
            agents=signal.agents,
            base_commit=signal.base_commit,
            lanes=signal.lanes,
            strict=signal.strict,
            leave=signal.leave,
            branch=signal.branch,
            by_dependencies=signal.by_dependencies,
            order=signal.order,
            keeps_crashes=signal.keeps_crashes,
        )
    )
    if signal.sandbox:
        draft.record(SandboxProbed(signal.at, signal.sandbox))
    if loop.gate:
        return Ask(loop.gate.question, questions.question_text(loop))
    if loop.status == "paused":
        return Stop(loop.pause.why, messages.pause_text(loop))
    if ask := ask_for_permission(draft, signal.at):
        return ask
    if unfinished:
        return check_rounds.finish_check_round(draft, unfinished, signal.at, signal.tree)
    run = run_of(draft.loop)
    if run.waiting_until > signal.at:
        return Wait(run.waiting_until, run.waiting_reason)
    return Continue("")


def handle_turn_starting(draft: Draft, signal: TurnStarting) -> Directive:
    """A turn is about to start: the prompt, and the dollars at most."""
    loop = draft.loop
    if loop.lease.holder != signal.session:
        return Stop("another driver", order_replies.OTHER_DRIVER)
    if loop.gate:
        return Ask(loop.gate.question, questions.question_text(loop))
    if loop.status == "paused":
        return Stop(loop.pause.why, messages.pause_text(loop))
    if loop.status != "running":
        return Stop(loop.pause.why)
    if ask := ask_for_permission(draft, signal.at):
        return ask
    loop_now = advance_clock(loop, signal.at, True)  # the time since the last turn counts too
    for name in messages.RAISE_FLAGS:
        if why := breakers.BREAKERS[name](loop_now):
            return breakers.pause_loop(draft, name, why, signal.at)
    run = run_of(loop)
    if run.paced_agents and (wait := wait_for_window(draft, signal.at)):
        return wait
    working = working_agents(loop)
    available = [
        name
        for name in working
        if max(available_at(run, name), paced_until(run, name)) <= signal.at
    ]
    agent = (available or working or run.agents)[0]
    if loop.plan and signal.worktree:
        from .assignments import start_lane

        return start_lane(draft, signal, agent)
    prompt = next_prompt(draft)
    dollars_left = loop.limits.dollars - loop.spend.dollars
    reserve = min(dollars_left, signal.max_dollars or turn_dollars(loop.limits, dollars_left))
    draft.record(TurnStarted(signal.at, agent, reserve))
    return Continue(prompt)
