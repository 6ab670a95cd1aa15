"""A runner attaches, and starts a turn: with which prompt, and with how much money at most."""

from __future__ import annotations

from .. import breakers
from .. import events as ev
from ..clock import advance_clock
from ..directives import Ask, Continue, Directive, Stop, Wait
from ..draft import Draft
from ..loop import run_of
from ..prompts import messages
from ..runner.events import RunnerStarted, TurnStarted
from ..signals import RunnerAttached, TurnStarting
from ..status import ENDED
from . import frame
from .runner_report import available_at


def handle_runner_attached(draft: Draft, signal: RunnerAttached) -> Directive:
    """A runner takes over. What the last driver left in the middle is finished first."""
    loop = draft.loop
    if loop.status in ENDED:
        return Stop(message=f"this loop has ended ({loop.status})")
    pending = loop.check_round
    draft.record(ev.LeaseTaken(signal.at, signal.session, signal.pid))
    draft.record(RunnerStarted(signal.agents, signal.base_commit, signal.lanes, signal.strict))
    if loop.gate:
        return Ask(loop.gate.question, messages.question_text(loop))
    if loop.status == "paused":
        return Stop(loop.pause.why, messages.pause_text(loop))
    if (
        pending and not pending.lane_commit
    ):  # its turn was over, its checks were not; a lane's are made in its own worktree
        again = pending.but(
            number=loop.rounds_started + 1,
            second_pass=False,
            ran=(),
            tree_now="",
            file_changing_checks=(),
            changed_files="",
        )

        return frame.start_check_round(draft, again, signal.at)
    run = run_of(draft.loop)
    if run.waiting_until > signal.at:
        return Wait(run.waiting_until, run.waiting_reason)
    return Continue("")


def handle_turn_starting(draft: Draft, signal: TurnStarting) -> Directive:
    """A turn is about to start: with what prompt, and with how much money at most."""
    loop = draft.loop
    if loop.lease.holder != signal.session:
        return Stop(
            "another driver", f"[LOOP] {loop.lease.holder or 'nobody'} drives this loop now."
        )
    if loop.gate:
        return Ask(loop.gate.question, messages.question_text(loop))
    if loop.status != "running":
        return Stop(loop.pause.why, messages.pause_text(loop) if loop.status == "paused" else "")
    for name in messages.RAISE_FLAGS:
        if why := breakers.BREAKERS[name](
            advance_clock(loop, signal.at, True)
        ):  # what has passed since the last turn counts too
            return breakers.pause_loop(draft, name, why, signal.at)
    run = run_of(loop)
    agent = next(
        (name for name in run.agents if available_at(run, name) <= signal.at), run.agents[0]
    )
    if loop.plan:
        from .assigning import start_lane

        if signal.worktree:
            return start_lane(draft, signal, agent)
    from .next_prompt import next_prompt

    left, prompt = loop.limits.dollars - loop.spend.dollars, next_prompt(draft)
    draft.record(TurnStarted(signal.at, agent, min(left, signal.max_dollars or left)))
    return Continue(prompt)
