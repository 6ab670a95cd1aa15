"""The runner: the same step as the hook, with us starting each turn instead of the client. Fresh context every turn."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from ..agents.base import Agent
from ..agents.process import child_environment, take_turn
from ..core import announce
from ..core.loop import Loop
from ..core.record import Record
from ..core.signals import Continue, Ordered, Reply, TurnOver
from ..store.folder import FileLock, FolderBusy, LoopFolder
from .orders import halt
from .step import step


class Watch(Record):
    """Who looks on: told when a turn begins, and what the agent said and what came of it when it ends."""

    turn: Callable[[Loop], AbstractContextManager[None]]  # entered while the agent and the checks work
    ended: Callable[[str, Loop, Reply], None]


class DriverBusy(Exception):
    """Another runner drives this loop."""


def run(folder: LoopFolder, agent: Agent, watch: Watch) -> Reply:
    """Drive the loop until it stops or asks. The lease is an OS lock, so it dies with us."""
    try:
        with FileLock(folder.inside("driver.lock"), wait=0.0):
            return _drive(folder, agent, watch)
    except FolderBusy as error:
        raise DriverBusy("another runner drives this loop, or its folder is busy; see `loop status`") from error


def _drive(folder: LoopFolder, agent: Agent, watch: Watch) -> Reply:
    holder = f"runner:{os.getpid()}"
    step(folder, Ordered(time.time(), "attach", session=holder, pid=os.getpid()))
    loop = folder.peek()
    assert loop is not None, "BUG: attached to a loop that is not there"
    prompt = announce.opening(loop)
    while True:
        with watch.turn(loop):
            heard = take_turn(agent, loop.spend.iterations + 1, prompt, folder.root, child_environment(loop.id))
            if os.path.exists(folder.inside("STOP")):
                directive = halt(folder, time.time())
            else:
                directive = step(folder, TurnOver(time.time(), holder, **heard.__dict__))
        loop = folder.peek() or loop
        watch.ended(heard.text, loop, directive)
        if not isinstance(directive, Continue):
            return directive
        prompt = directive.prompt
