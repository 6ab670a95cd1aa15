"""Turns the output of an agent into the signal that every driver sends.

Also for a turn in which the runner died.
"""

from __future__ import annotations

import os

from ...agents import registry
from ...agents.base import ProcessExit, TurnOutput, TurnRequest
from ...core.directives import Ask, Reply, Stop
from ...core.loop import Loop, run_of
from ...core.plan.plan import LaneResult
from ...core.prompts.messages import pause_text
from ...core.prompts.questions import question_text
from ...core.runner.run import RunnerReport
from ...core.signals import TurnOver
from ...disk.files import open_at_once
from ...store import turn_logs
from ...store.folder import LoopFolder
from ...verify.redact import redact_text
from ..redaction import redact_secrets
from ..step import step
from .run_config import TurnSlot, turn_slots

MAX_REPLY_CHARS, MAX_FAILURE_CHARS, MAX_SESSION_ID_CHARS = 2_000, 1_000, 200


def to_signal(
    output: TurnOutput,
    loop: Loop,
    at: float,
    slot: TurnSlot,
    lost: bool = False,
    breaker: str = "",
) -> TurnOver:
    """The signal for a turn with this output; `breaker` is what ended it."""
    # Redact first: a secret that is cut in two is no longer recognized.
    answer_tail = redact_text(output.text.strip())[-MAX_REPLY_CHARS:]
    report = RunnerReport(
        agent=slot.agent,
        session=output.session[:MAX_SESSION_ID_CHARS],
        tokens=output.tokens,
        cut_reason=redact_text(output.cut)[:MAX_FAILURE_CHARS],
        breaker=breaker if output.cut else "",
        crashed=output.crashed,
        exit_code=output.exit_code,
        lost=lost,
        denied_calls=tuple(map(redact_text, output.denied)),
        usage_limited=output.limited,
        limit_reset_at=output.until,
        answer_tail=answer_tail,
        window_used=output.window_used,
        window_reset_at=output.window_reset_at,
    )
    turn = TurnOver(
        at=at,
        session=loop.lease.holder,
        text=output.text,
        dollars=output.dollars,
        unpriced=output.unpriced,
        tool_outcomes=output.outcomes,
        edits=output.edits,
        tool_calls=output.tools,
        api_failure=output.failure[:MAX_FAILURE_CHARS],
        runner_report=report,
        lane_result=LaneResult(slot.task) if slot.task else None,
    )
    redacted = redact_secrets(turn, loop)
    assert isinstance(redacted, TurnOver), "BUG: a turn stays one"
    return redacted


def settle_lost_turns(folder: LoopFolder, loop: Loop) -> list[TurnOver]:
    """Record the turns in which a runner died, in its name, before another driver takes over."""
    if not loop.headless_run:
        return []
    turns = [recover_lost_turn(folder, loop, slot) for slot in turn_slots(loop, folder.root)]
    for turn in turns:
        step(folder, turn)
    return turns


def recover_lost_turn(folder: LoopFolder, loop: Loop, slot: TurnSlot) -> TurnOver:
    """What the log of such a turn tells, up to the last sign of life."""
    agent = registry.load_agent(slot.agent)
    path = turn_logs.log_path(folder, slot.number, slot.agent)
    request = TurnRequest(
        slot.number,
        tokens_before=run_of(loop).tokens if not slot.task else (),
        prices=loop.settings.prices,
    )
    output, at = TurnOutput(), slot.started_at
    try:
        with open(path, encoding="utf-8", errors="replace", opener=open_at_once) as file:
            for line in file:
                output = agent.read(output, line, request)
        at = max(at, os.stat(path).st_mtime)
    except FileNotFoundError:
        pass
    output = agent.judge(output, request, ProcessExit(0, "", "the runner died", at))
    output = output.but(failure="", limited=False, crashed=False, cut="the runner died in it")
    return to_signal(output, loop, at, slot, lost=True)


def reply_of_state(reply: Reply, loop: Loop) -> Reply:
    """The reply, or what the state of the loop says when the turn was only recorded.

    Such a turn has an empty reply, because the loop paused or asked while it ran.
    """
    if reply != Stop():
        return reply
    if loop.gate:
        return Ask(loop.gate.question, question_text(loop))
    if loop.status == "paused":
        return Stop(loop.pause.why, pause_text(loop))
    return reply
