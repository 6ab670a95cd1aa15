"""After a turn of a runner: what was heard becomes the signal that every driver sends; also of a turn that the runner died in."""

from __future__ import annotations

import os

from ..agents import registry
from ..agents.base import Call, Ending, Heard
from ..core.loop import Loop
from ..core.plan import Laned
from ..core.running import Told, run_of
from ..core.signals import TurnOver
from ..store import logs
from ..store.folder import LoopFolder
from ..verify.redact import redact
from .crew import Post, posts
from .step import step, without_secrets

MOST_SAID, MOST_FAILURE, MOST_ID = 2_000, 1_000, 200  # letters


def over(heard: Heard, loop: Loop, at: float, post: Post, lost: bool = False) -> TurnOver:
    """What was heard, as the signal that every driver sends."""
    told = Told(
        post.agent,
        heard.session[:MOST_ID],
        heard.tokens,
        redact(heard.cut)[:MOST_FAILURE],
        lost,
        tuple(map(redact, heard.denied)),
        heard.limited,
        heard.until,
        redact(heard.text.strip())[-MOST_SAID:],  # in this order: what is cut in two is no longer known for a secret
    )
    turn = TurnOver(
        at,
        loop.lease.holder,
        heard.text,
        dollars=heard.dollars,
        unpriced=heard.unpriced,
        outcomes=heard.outcomes,
        edits=heard.edits,
        tools=heard.tools,
        failure=heard.failure[:MOST_FAILURE],
        told=told,
        lane=Laned(post.task) if post.task else None,
    )
    said = without_secrets(turn, loop)
    assert isinstance(said, TurnOver), "BUG: a turn stays one"
    return said


def settle(folder: LoopFolder, loop: Loop) -> list[TurnOver]:
    """Turns that a runner died in are written down, under its name, before anybody else has the loop."""
    turns = [lost(folder, loop, post) for post in posts(loop, folder.root)] if loop.headless else []
    for turn in turns:
        step(folder, turn)
    return turns


def lost(folder: LoopFolder, loop: Loop, post: Post) -> TurnOver:
    """What the log of such a turn tells, up to the last sign of life."""
    path, agent = logs.path_of(folder, post.number, post.agent), registry.agent(post.agent)
    before = run_of(loop).tokens if not post.task else ()
    heard, at, call = Heard(), post.begun, Call(post.number, before=before, prices=loop.prices)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                heard = agent.read(heard, line, call)
        at = max(at, os.stat(path).st_mtime)
    except FileNotFoundError:
        pass
    heard = agent.judge(heard, call, Ending(0, "", "the runner died", at))
    return over(heard.but(failure="", limited=False, cut="the runner died in it"), loop, at, post, lost=True)
