"""After a turn of a runner: what was heard becomes the signal that every driver sends; also of a turn that the runner died in."""

from __future__ import annotations

import os

from ...agents import registry
from ...agents.base import ProcessExit, TurnOutput, TurnRequest
from ...core.loop import Loop, run_of
from ...core.plan.plan import LaneResult
from ...core.runner.run import RunnerReport
from ...core.signals import TurnOver
from ...store import turn_logs
from ...store.folder import LoopFolder
from ...verify.redact import redact_text
from ..redaction import redact_secrets
from ..step import step
from .run_config import TurnSlot, turn_slots

MAX_REPLY_CHARS, MAX_FAILURE_CHARS, MAX_SESSION_ID_CHARS = 2_000, 1_000, 200  # letters


def to_signal(
    heard: TurnOutput, loop: Loop, at: float, post: TurnSlot, lost: bool = False
) -> TurnOver:
    """What was heard, as the signal that every driver sends."""
    told = RunnerReport(
        post.agent,
        heard.session[:MAX_SESSION_ID_CHARS],
        heard.tokens,
        redact_text(heard.cut)[:MAX_FAILURE_CHARS],
        lost,
        tuple(map(redact_text, heard.denied)),
        heard.limited,
        heard.until,
        redact_text(heard.text.strip())[
            -MAX_REPLY_CHARS:
        ],  # in this order: what is cut in two is no longer known for a secret
    )
    turn = TurnOver(
        at,
        loop.lease.holder,
        heard.text,
        dollars=heard.dollars,
        unpriced=heard.unpriced,
        tool_outcomes=heard.outcomes,
        edits=heard.edits,
        tool_calls=heard.tools,
        api_failure=heard.failure[:MAX_FAILURE_CHARS],
        runner_report=told,
        lane_result=LaneResult(post.task) if post.task else None,
    )
    said = redact_secrets(turn, loop)
    assert isinstance(said, TurnOver), "BUG: a turn stays one"
    return said


def settle_lost_turns(folder: LoopFolder, loop: Loop) -> list[TurnOver]:
    """Turns that a runner died in are written down, under its name, before anybody else has the loop."""
    turns = (
        [recover_lost_turn(folder, loop, post) for post in turn_slots(loop, folder.root)]
        if loop.headless_run
        else []
    )
    for turn in turns:
        step(folder, turn)
    return turns


def recover_lost_turn(folder: LoopFolder, loop: Loop, post: TurnSlot) -> TurnOver:
    """What the log of such a turn tells, up to the last sign of life."""
    path, agent = (
        turn_logs.log_path(folder, post.number, post.agent),
        registry.load_agent(post.agent),
    )
    before = run_of(loop).tokens if not post.task else ()
    heard, at, call = (
        TurnOutput(),
        post.started_at,
        TurnRequest(post.number, tokens_before=before, prices=loop.settings.prices),
    )
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                heard = agent.read(heard, line, call)
        at = max(at, os.stat(path).st_mtime)
    except FileNotFoundError:
        pass
    heard = agent.judge(heard, call, ProcessExit(0, "", "the runner died", at))
    return to_signal(
        heard.but(failure="", limited=False, cut="the runner died in it"), loop, at, post, lost=True
    )
